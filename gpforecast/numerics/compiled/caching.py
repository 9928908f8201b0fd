"""How a function is compiled: on its first call, kept on disk for the next process."""

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, overload

from numba import njit
from numba.core.caching import FunctionCache

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Function = Callable[_P, _R]

# A product and the sum after it may become one fused operation: fewer roundings, not more.
_FLAGS = frozenset({"contract"})
# Sums may run in vector lanes as well; nothing is assumed about NaN or infinity.
SUMS = frozenset({"contract", "reassoc"})


@overload
def compiled(function: _Function[_P, _R]) -> _Function[_P, _R]: ...
@overload
def compiled(
    *, flags: frozenset[str] = _FLAGS, helper: bool = False
) -> Callable[[_Function[_P, _R]], _Function[_P, _R]]: ...
def compiled(
    function: _Function[_P, _R] | None = None,
    *,
    flags: frozenset[str] = _FLAGS,
    helper: bool = False,
) -> _Function[_P, _R] | Callable[[_Function[_P, _R]], _Function[_P, _R]]:
    """Compile `function` on its first call, without the GIL, and cache the machine code on disk.

    numba caches beside the source file or, where that cannot be written, in the user's cache
    directory. Where neither can be, the function is compiled again in every process, and a warning
    says so once.

    Parameters
    ----------
    function : callable
    flags : frozenset of str
        The liberties LLVM may take with floating point, by name.
    helper : bool
        For what only compiled functions call. It cannot be called from Python, which saves a tenth
        of the time to compile.

    Returns
    -------
    callable
        The same function, compiled.
    """
    if function is None:
        return lambda f: _compile(f, flags, helper)
    return _compile(function, flags, helper)


def _compile(function: _Function[_P, _R], flags: frozenset[str], helper: bool) -> _Function[_P, _R]:
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": set(flags),
        "error_model": "numpy",  # a division by zero is infinite, and needs no branch
        "no_cfunc_wrapper": True,  # would only be compiled along
        "no_cpython_wrapper": helper,
    }
    dispatcher = njit(**options)(function)
    try:
        if dispatcher is not function:  # as it is where NUMBA_DISABLE_JIT is set
            dispatcher._cache = _Cache(function)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        _warn_once()
    return dispatcher  # type: ignore[no-any-return]


class _Cache(FunctionCache):
    """The cache of a function that is out of date when any file of this folder has changed.

    numba's own looks at the function's file alone, though the machine code holds that of all
    functions it calls. What is out of date is replaced where it stands.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        file = self._cache_file
        file._source_stamp = (file._source_stamp, _hash_of_folder())


@cache
def _hash_of_folder() -> str:
    whole = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        whole.update(file.name.encode() + file.read_bytes())
    return whole.hexdigest()


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
