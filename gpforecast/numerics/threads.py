"""Who uses the cores: our threads, or those of the linear algebra library."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

# Up to about this many rows a factorisation gains at most a third from BLAS's second thread, and
# on a machine that does other work besides it loses a factor of four to a hundred to their waiting.
SMALL = 2000

_held = threading.Lock()


@contextmanager
def one_blas_thread(when: bool = True) -> Iterator[None]:
    """Run BLAS in one thread for as long as the context lasts, if `when` is true.

    BLAS has one setting for the whole process. Of contexts that overlap, nested or in several
    threads, only the first changes it, and it alone restores it; the others leave it as it is.
    """
    if not (when and _held.acquire(blocking=False)):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _held.release()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
