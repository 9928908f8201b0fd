"""Names that are going to be removed."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def deprecated(*, since: str, use: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Let a function or method warn, at the line that calls it, that it is going to be removed.

    Parameters
    ----------
    since : str
        The version from which on it warns.
    use : str
        What to call instead.

    Examples
    --------
    >>> @deprecated(since="1.1", use="new")
    ... def old():
    ...     return 1
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     old(), str(found[0].message)
    (1, 'old is deprecated since version 1.1 and will be removed; use new instead.')
    """

    def warning(function: Callable[_P, _R]) -> Callable[_P, _R]:
        name = function.__qualname__
        message = (
            f"{name} is deprecated since version {since} and will be removed; use {use} instead."
        )

        @wraps(function)
        def calling(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            warnings.warn(message, FutureWarning, stacklevel=2)
            return function(*args, **kwargs)

        return calling

    return warning
