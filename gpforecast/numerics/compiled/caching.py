"""How a function is compiled: on its first call, kept on disk for the next process."""

import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from numba import njit

_P = ParamSpec("_P")
_R = TypeVar("_R")

# A product and the sum after it may become one fused operation: fewer roundings, not more.
_FLAGS = frozenset({"contract"})


@overload
def compiled(function: Callable[_P, _R]) -> Callable[_P, _R]: ...
@overload
def compiled(*, flags: frozenset[str]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...
def compiled(function: Callable[..., Any] | None = None, *, flags: frozenset[str] = _FLAGS) -> Any:
    """Compile `function` on its first call, without the GIL, and cache the machine code on disk.

    numba caches beside the source file or, where that cannot be written, in the user's cache
    directory. Where neither can be, it refuses; the function is then compiled again in every
    process, and a warning says so once.

    Parameters
    ----------
    function : callable
    flags : frozenset of str
        The liberties LLVM may take with floating point, by name.

    Returns
    -------
    callable
        The same function, compiled.
    """
    if function is None:
        return lambda f: _compile(f, flags)
    return _compile(function, flags)


def _compile(function: Callable[..., Any], flags: frozenset[str]) -> Any:
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": set(flags),
        "error_model": "numpy",  # a division by zero is infinite, and needs no branch
        "no_cfunc_wrapper": True,  # would only be compiled along
        # and so would that for Python, of what only compiled functions call
        "no_cpython_wrapper": function.__name__.startswith("_"),
    }
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        _warn_once()
        return njit(**options)(function)


_warned = False


def _warn_once() -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "numba finds no directory to keep compiled functions in, so every process compiles "
            "them again, which takes seconds; set NUMBA_CACHE_DIR to a directory that can be "
            "written.",
            RuntimeWarning,
            stacklevel=4,
        )
