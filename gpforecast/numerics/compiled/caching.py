"""Machine code that is kept on disk for the next process, as old as the folder of its source."""

import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

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


class _Cache(FunctionCache):
    """The cache of a function that is out of date when any file of this folder has changed.

    numba's own looks at the function's file alone, though the machine code holds that of all
    functions it calls. What is out of date is replaced where it stands.
    """

    def __init__(self, function: Callable[..., object], source: str) -> None:
        super().__init__(function)
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, source)

    def load_overload(self, *signature: Any) -> Any:
        """Return machine code of an earlier process, if there is any."""
        found = super().load_overload(*signature)
        if found is None and not any(Path(self.cache_path).glob("*.nbi")):
            _say_that_it_compiles()
        return found

    def save_overload(self, *compiled: Any) -> None:
        """Keep machine code for the next process, or say that it cannot be kept."""
        try:
            super().save_overload(*compiled)
        except OSError:
            _warn()


class _Files(IndexDataCacheFile):
    """Machine code by what it is of, so that processes may compile at the same time.

    numba's own counts the files of a function: two processes that keep two of its variants both
    write file 1, and the next process may take the one for the other.
    """

    def save(self, key: Any, data: Any) -> None:
        """Write the code, and then that it is there."""
        name = self._data_name(int(sha256(repr(key).encode()).hexdigest()[:12], 16))
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})


@cache
def _say_that_it_compiles() -> None:
    """Say once in a process that compiling happens once."""
    announce(
        "compiling the functions that are needed, once on this machine: a few seconds; later "
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
