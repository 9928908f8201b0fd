"""Machine code that is kept on disk for the next process, sealed and as old as its source."""

import gc
import hashlib
import pickle
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from gpforecast.common.progress import announce


def dispatcher(function: Callable[..., object], options: dict[str, Any], source: str) -> Any:
    """Return numba's dispatcher of a function, which keeps its machine code on disk.

    The code holds as long as `source`, the hash of the folder, stays the same.
    """
    made = njit(**options)(function)
    try:
        if made is not function:  # as it is where NUMBA_DISABLE_JIT is set
            made._cache = _Cache(function, source)
    except RuntimeError as error:
        if "cannot cache" not in str(error):
            raise
        _warn()
    return made


class _NoCollection(event.Listener):
    """Puts garbage collection off while a function of this folder compiles, with all it calls.

    Compiling makes millions of objects that live until it ends. Searching them for garbage again
    and again finds next to none. numba compiles in one thread at a time.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._collected = False

    def on_start(self, event: event.Event) -> None:
        """Put collection off when the outermost function starts."""
        if _is_of_this_folder(event):
            if self._depth == 0:
                self._collected = gc.isenabled()
                gc.disable()
            self._depth += 1

    def on_end(self, event: event.Event) -> None:
        """Leave it as it was when that function ends, even with an error."""
        if _is_of_this_folder(event):
            self._depth -= 1
            if self._depth == 0 and self._collected:
                gc.enable()


def _is_of_this_folder(event: event.Event) -> bool:
    module = getattr(event.data["dispatcher"], "__module__", None)  # none of what has no file
    return module is not None and module.startswith(f"{__package__}.")


event.register("numba:compile", _NoCollection())  # type: ignore[no-untyped-call]


class _Sealed(CompileResultCacheImpl):
    """Writes machine code with its hash: a flipped bit in it would end the process that runs it."""

    def reduce(self, compiled: Any) -> tuple[bytes, bytes]:
        """Return the hash of a compiled function, and the function as bytes."""
        whole = dumps(super().reduce(compiled))  # type: ignore[no-untyped-call]
        return hashlib.sha256(whole).digest(), whole

    def rebuild(self, target: Any, sealed: tuple[bytes, bytes]) -> Any:
        """Return the compiled function, or raise ValueError if it is not what was written."""
        digest, whole = sealed
        if hashlib.sha256(whole).digest() != digest:
            raise ValueError("a file of machine code is damaged")
        return super().rebuild(target, pickle.loads(whole))  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    """The cache of a function that is out of date when any file of this folder has changed.

    numba's own looks at the function's file alone, though the machine code holds that of all
    functions it calls. What is out of date is replaced where it stands.
    """

    _impl_class = _Sealed

    def __init__(self, function: Callable[..., object], source: str) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file._source_stamp = source

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
def _warn() -> None:
    warnings.warn(
        "compiled functions cannot be kept on disk, so every process compiles them again, which "
        "takes seconds; set NUMBA_CACHE_DIR to a directory that can be written and has room.",
        RuntimeWarning,
        stacklevel=3,
    )
