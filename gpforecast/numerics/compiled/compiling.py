"""How a function is compiled: on its first call, which is also when numba is imported."""

import gc
import hashlib
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

# A product and the sum after it may become one fused operation: fewer roundings, not more.
_FLAGS = frozenset({"contract"})
# Sums may run in vector lanes as well; nothing is assumed about NaN or infinity.
SUMS = frozenset({"contract", "reassoc"})

_making = Lock()


def _hash_of_folder() -> str:
    whole = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        whole.update(file.name.encode() + file.read_bytes())
    return whole.hexdigest()


#: What the functions of this process are made from: files may change before they are compiled.
SOURCE = _hash_of_folder()


def compiled(
    *, flags: frozenset[str] = _FLAGS, helper: bool = False, inlined: bool = False
) -> "Callable[[Callable[_P, _R]], Compiled[_P, _R]]":
    """Compile a function on its first call, without the GIL, and cache the machine code on disk.

    numba caches next to the source file or, where that cannot be written, in the user's cache
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
        of its caller, and not separately; that saves half of its time to compile.

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
    return lambda function: Compiled(function, options)


class Compiled(Generic[_P, _R]):
    """A function, and numba's dispatcher of it from the first time that it is needed.

    Importing this package thereby imports no numba, which takes as long as all of pandas. Other
    compiled functions call it as they would call the dispatcher.
    """

    def __init__(self, function: Callable[_P, _R], options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self._made: Any = None
        update_wrapper(self, function)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Return what the function returns; compile it for such arguments if it never was."""
        if self._made is not None:
            return self._made(*args, **kwargs)  # type: ignore[no-any-return]
        collecting = gc.isenabled()
        gc.disable()  # compiling makes millions of objects, which live until it ends
        try:
            return self._dispatcher()(*args, **kwargs)  # type: ignore[no-any-return]
        finally:
            if collecting:
                gc.enable()

    def _dispatcher(self) -> Any:
        from gpforecast.numerics.compiled.caching import dispatcher  # imports numba

        with _making:
            if self._made is None:
                self._made = dispatcher(self._function, self._options, SOURCE)
            return self._made

    def __getattr__(self, name: str) -> Any:
        """Return the dispatcher's attribute, numba's type of it among them."""
        return getattr(self._dispatcher(), name)

    def __reduce__(self) -> str:
        """Pickle by name, as functions are: the same one in every process."""
        return self._function.__qualname__
