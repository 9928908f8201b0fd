"""Which classes a file may hold, and how their objects are taken apart and put together again.

A class becomes savable by one line above its definition::

    from gpforecast.storage import storable

    @storable
    @dataclass(frozen=True)
    class Window:
        width: float

This is all that a new model, covariance, transform or propagation method needs:

- a frozen dataclass is saved by the fields of its constructor;
- any other class, one that is merely derived from such a dataclass too, by scikit-learn's
  convention: the parameters of its constructor, which it keeps under their names, and then every
  attribute that it learned.

A base class can register all that is derived from it, so that they need no line for saving, as
`gpforecast.covariances.Covariance` does::

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        storable(cls)

A class that fits neither way, or one of another library, is registered by `register` with two
functions. Nothing but objects of registered classes is ever made from a file. There a class of
this package goes by its name alone, so that it may move to another module, and any other by its
module and name, ``my.kernels:Window``; that module must be imported before the file is read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from inspect import signature
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Parts: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """How objects of one class are saved.

    Attributes
    ----------
    cls : type
        Exactly this class, none derived from it.
    take : callable
        From an object to its parts, by name.
    make : callable
        From the parts to an object.
    """

    cls: type
    take: Callable[[Any], Parts]
    make: Callable[[Parts], object]


KINDS: dict[str, Kind] = {}
"""Every kind that a file may hold, by the name that it has there."""


LATE: dict[str, str] = {}
"""The module of each kind that is registered when it is first read or imported, by name."""


class UnregisteredError(ValueError):
    """A file names a class that is not registered in this process."""


def storable(cls: type[T]) -> type[T]:
    """Register a class as savable, by its fields or by scikit-learn's convention.

    Parameters
    ----------
    cls : type
        A dataclass, on whichever side of this decorator the other one stands, or a class that
        keeps the parameters of its constructor under their names.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    ValueError
        If another class is registered under the same name. A class that is defined again, as by a
        cell of a notebook that runs twice, takes its own place.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from gpforecast.storage import decode, encode, storable
    >>> @storable
    ... @dataclass(frozen=True)
    ... class Window:
    ...     width: float
    >>> content, arrays = encode(Window(2.0), "window")
    >>> decode(content, arrays)
    Window(width=2.0)
    """

    def take(value: T) -> Parts:
        if is_dataclass(cls) and _by_fields(cls):
            return {field.name: getattr(value, field.name) for field in fields(cls) if field.init}
        return dict(vars(value))

    def make(parts: Parts) -> T:
        given = parts.keys() if _by_fields(cls) else signature(cls).parameters
        settings = {name: part for name, part in parts.items() if name in given}
        learned = {name: part for name, part in parts.items() if name not in given}
        if _ours(cls):
            check_names(cls, settings, learned)
        made = cls(**settings)
        if learned:
            vars(made).update(learned)
        return made

    register(cls, take, make)
    return cls


def check_names(cls: type, settings: Parts, learned: Parts) -> None:
    """Refuse settings that a class does not have, and those that are missing.

    What was learned ends in an underscore, by scikit-learn's convention; a frozen dataclass refuses
    by itself what it does not have.

    Raises
    ------
    TypeError
        ``Forecaster has no setting 'foo'``
    """
    unknown = [name for name in learned if not name.endswith("_")]
    if unknown:
        raise TypeError(f"{cls.__name__} has no setting {unknown[0]!r}")
    missing = [name for name in signature(cls).parameters if name not in settings]
    if missing and not _by_fields(cls):
        raise TypeError(f"{cls.__name__} lacks its setting {missing[0]!r}")


def _by_fields(cls: type) -> bool:
    """Whether a class is itself a frozen dataclass, not merely derived from one."""
    options = vars(cls).get("__dataclass_params__")
    return options is not None and bool(options.frozen)


def register(cls: type[T], take: Callable[[T], Parts], make: Callable[[Parts], object]) -> None:
    """Register a class as savable, by two functions.

    Parameters
    ----------
    cls : type
    take : callable
        From an object to its parts: a dict by name, of values that can be saved themselves.
    make : callable
        From the parts to an object. Anybody may have written the file that they come from: check
        what the constructor does not.

    Raises
    ------
    ValueError
        If another class is registered under the same name.
    """
    name = cls.__qualname__ if _ours(cls) else f"{cls.__module__}:{cls.__qualname__}"
    other = KINDS[name].cls if name in KINDS else cls
    if place(other) != place(cls):
        raise ValueError(
            f"a class must have a unique name to be saved; got two that a file would call "
            f"{name}, of {other.__module__} and of {cls.__module__}. Rename one of them."
        )
    KINDS[name] = Kind(cls, take, make)


def registered_late(modules: Mapping[str, str]) -> None:
    """Say which modules of this package register classes when they are imported.

    A file that holds one of them imports its module.

    Parameters
    ----------
    modules : mapping of str to str
        The module of each class, by the name that files have for it.
    """
    LATE.update(modules)


def _ours(cls: type) -> bool:
    return cls.__module__.startswith("gpforecast.")


def name_of(cls: type) -> str | None:
    """Return what a file calls objects of exactly this class, None if it is not registered.

    A class that was defined or imported twice has one name.
    """
    return next((name for name, kind in KINDS.items() if place(kind.cls) == place(cls)), None)


def place(cls: type) -> tuple[str, str]:
    """Return where a class is defined: two that share a place are one, defined twice."""
    return cls.__module__, cls.__qualname__


def kind_named(name: str) -> Kind:
    """Return how objects are made of what a file calls so.

    Raises
    ------
    UnregisteredError
        If it is a class from elsewhere that this process has not registered.
    ValueError
        If this package has no such class.
    """
    if name not in KINDS and name in LATE:
        import_module(LATE[name])
    if name in KINDS:
        return KINDS[name]
    module, colon, cls = name.partition(":")
    if colon:
        action = "define it" if module == "__main__" else f"import {module}"
        raise UnregisteredError(
            f"it needs the class {cls} of {module}, which is not registered here; {action} first, "
            f"with the decorator gpforecast.storage.storable"
        )
    raise ValueError(f"it holds a {name}, which this version of gpforecast does not know")
