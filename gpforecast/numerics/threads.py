"""Who uses the cores: our threads, or those of the linear algebra library."""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

# Up to about this many rows a factorisation gains at most a third from BLAS's second thread, and
# on a machine that does other work besides it loses a factor of four to a hundred to their waiting.
SMALL = 2000

_held = threading.Lock()
_setting = threading.Lock()  # while BLAS sets its threads, by a lock that a fork would copy


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
        limit = ExitStack()
        with _setting:
            limit.enter_context(_controller().limit(limits=1, user_api="blas"))
        try:
            yield
        finally:
            with _setting:
                limit.close()
    finally:
        _held.release()


@cache
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - has its own BLAS, which is found once it is loaded

    return ThreadpoolController()


_sharing = threading.Lock()


def run_shared(tasks: Iterable[Callable[[], object]]) -> None:
    """Run tasks that do not depend on one another, in as many threads as there are.

    They should be of compiled functions, which let go of the GIL, and take a tenth of a
    millisecond or more together: waking a thread costs a few hundredths. The threads are as many
    as numba would use (the cores of this process, or the environment variable
    NUMBA_NUM_THREADS). When they are at work for another thread already, the tasks run in this
    one alone.

    Parameters
    ----------
    tasks : iterable of callable
        The longest first. What they return is dropped.
    """
    if _n_threads() == 1 or not _sharing.acquire(blocking=False):
        for task in tasks:
            task()
        return
    try:
        list(_pool().map(lambda task: task(), tasks))
    finally:
        _sharing.release()


@cache
def _n_threads() -> int:
    import numba  # late, as the compiled functions do

    return int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_n_threads(), "gpforecast")


def _forget_threads() -> None:  # a child process has none of its parent's threads
    global _sharing, _held, _setting
    _held = threading.Lock()
    _setting = threading.Lock()
    _sharing = threading.Lock()
    _pool.cache_clear()


def _wait_for_blas() -> None:  # a child whose BLAS is locked would wait for ever
    _setting.acquire()


def _go_on() -> None:
    _setting.release()


if sys.platform != "win32":
    os.register_at_fork(
        before=_wait_for_blas, after_in_parent=_go_on, after_in_child=_forget_threads
    )
