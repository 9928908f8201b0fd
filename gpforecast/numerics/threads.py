"""Who uses the cores: our threads, or those of the linear algebra library."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

# Up to about this many rows a factorisation gains little from BLAS's own threads, and on a
# machine that does other work besides it can lose a factor of a hundred to their waiting.
SMALL = 1000


def one_blas_thread(when: bool = True) -> AbstractContextManager[Any]:
    """Return a context in which BLAS runs in the calling thread, if `when` is true."""
    return _controller().limit(limits=1, user_api="blas") if when else nullcontext()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
