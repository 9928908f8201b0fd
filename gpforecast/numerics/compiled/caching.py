"""How a function is compiled: on its first call, kept on disk for the next process."""

import hashlib
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from numba import njit
from numba.core.caching import FunctionCache

from gpforecast.common.progress import announce

_P = ParamSpec("_P")
_R = TypeVar("_R")

# A product and the sum after it may become one fused operation: fewer roundings, not more.
_FLAGS = frozenset({"contract"})
# Sums may run in vector lanes as well; nothing is assumed about NaN or infinity.
SUMS = frozenset({"contract", "reassoc"})


def compiled(
    *, flags: frozenset[str] = _FLAGS, helper: bool = False, inlined: bool = False
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Compile a function on its first call, without the GIL, and cache the machine code on disk.

    numba caches beside the source file or, where that cannot be written, in the user's cache
    directory. Where neither can be, the function is compiled again in every process, and a warning
    says so once.

    Parameters
    ----------
    flags : frozenset of str
        The liberties LLVM may take with floating point, by name.
    helper : bool
        For what only compiled functions call. It cannot be called from Python, which saves a tenth
        of the time to compile.
    inlined : bool
        For a long helper that is called at one place. Its code is compiled there, with the flags
        of its caller, and not on its own before; that saves half of its time to compile.

    Returns
    -------
    callable
        Carries a function to the same one, compiled.
    """
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": set(flags),
        "error_model": "numpy",  # a division by zero is infinite, and needs no branch
        "no_cfunc_wrapper": True,  # would only be compiled along
        "no_cpython_wrapper": helper,
        "inline": "always" if inlined else "never",
    }

    def compile_(function: Callable[_P, _R]) -> Callable[_P, _R]:
        dispatcher = njit(**options)(function)
        try:
            if dispatcher is not function:  # as it is where NUMBA_DISABLE_JIT is set
                dispatcher._cache = _Cache(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            _warn()
        return dispatcher  # type: ignore[no-any-return]

    return compile_


class _Cache(FunctionCache):
    """The cache of a function that is out of date when any file of this folder has changed.

    numba's own looks at the function's file alone, though the machine code holds that of all
    functions it calls. What is out of date is replaced where it stands.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        file = self._cache_file
        file._source_stamp = (file._source_stamp, _hash_of_folder())

    def load_overload(self, *signature: Any) -> Any:
        """Return machine code of an earlier process; a damaged file counts as none."""
        try:
            found = super().load_overload(*signature)  # type: ignore[no-untyped-call]
        except Exception:  # of a pickle that was cut short, anything may be raised
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            found = None
        if found is None and not any(Path(self.cache_path).glob("*.nbi")):
            _say_that_it_compiles()
        return found

    def save_overload(self, *compiled: Any) -> None:
        """Keep machine code for the next process, or say that it cannot be kept."""
        try:
            super().save_overload(*compiled)  # type: ignore[no-untyped-call]
        except Exception:
            _warn()


@cache
def _say_that_it_compiles() -> None:
    """Say once in a process that compiling happens once."""
    announce(
        "compiling the functions that are needed, once on this machine; about 15 s in all, later "
        "calls start at once"
    )


@cache
def _hash_of_folder() -> str:
    whole = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        whole.update(file.name.encode() + file.read_bytes())
    return whole.hexdigest()


@cache
def _warn() -> None:
    warnings.warn(
        "compiled functions cannot be kept on disk, so every process compiles them again, which "
        "takes seconds; set NUMBA_CACHE_DIR to a directory that can be written and has room.",
        RuntimeWarning,
        stacklevel=3,
    )
