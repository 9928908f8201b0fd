"""The constructor of a face, taken from the class behind it.

A second list of parameters would drift: a face has the names, defaults and descriptions of the
class that it stands for, and a few more.
"""

import re
from collections.abc import Callable
from inspect import Parameter, Signature, getdoc, signature
from typing import TypeVar

T = TypeVar("T")


def parameters_of(
    source: type, *, without: tuple[str, ...] = (), **own: object
) -> Callable[[type[T]], type[T]]:
    """Return a decorator that gives a face the constructor of another class.

    Parameters
    ----------
    source : type
        The class behind the face. Its parameters come first, and their descriptions stand where
        the docstring of the face has the line ``{parameters}``.
    without : tuple of str
        Parameters of `source` that the face does not have.
    **own : object
        Parameters that only the face has, and their defaults; by keyword.

    Returns
    -------
    callable
        Returns the class that it decorates. The constructor keeps every argument under its name,
        as scikit-learn and sktime want it, and then calls that of the base class.

    Examples
    --------
    >>> from gpforecast.models import LinearAR
    >>> @parameters_of(LinearAR, alias="AR")
    ... class Face:
    ...     '''A face.
    ...
    ...     Parameters
    ...     ----------
    ...     {parameters}
    ...     alias : str
    ...     '''
    >>> signature(Face)
    <Signature (fit_intercept: bool = True, *, alias='AR')>
    >>> Face(alias="lines").fit_intercept, "constant" in Face.__doc__
    (True, True)
    """
    taken = [p for name, p in signature(source).parameters.items() if name not in without]
    added = [Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in own.items()]
    arguments = Signature([*taken, *added])
    described = _described(source)
    descriptions = "\n".join(described[p.name] for p in taken)

    def decorate(cls: type[T]) -> type[T]:
        inherited = cls.__init__

        def init(self: T, *args: object, **kwargs: object) -> None:
            try:
                bound = arguments.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{cls.__name__}() {error}") from None
            bound.apply_defaults()
            for name, value in bound.arguments.items():
                setattr(self, name, value)
            inherited(self)

        this = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
        vars(init)["__signature__"] = Signature([this, *arguments.parameters.values()])
        cls.__init__ = init  # type: ignore[assignment, method-assign]
        cls.__doc__ = (getdoc(cls) or "").replace("{parameters}", descriptions)
        return cls

    return decorate


def behind(face: object, source: Callable[..., T], **others: object) -> T:
    """Return an object of the class behind a face, with the parameters that the face keeps."""
    kept = {name: vars(face)[name] for name in signature(source).parameters if name in vars(face)}
    return source(**kept, **others)


def _described(source: type) -> dict[str, str]:
    """Return what the docstring of a class says of each parameter, by name."""
    headings_and_sections = re.split(r"^(\w+)\n-+\n", getdoc(source) or "", flags=re.MULTILINE)
    section = headings_and_sections[headings_and_sections.index("Parameters") + 1]
    entries = re.split(r"^(?=\w)", section, flags=re.MULTILINE)[1:]
    return {entry.split(" :")[0]: entry.rstrip() for entry in entries}
