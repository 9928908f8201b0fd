"""Who uses the cores: our threads, or those of the linear algebra library."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

import numba
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


_helpers_in_use = threading.Lock()


def run_shared(tasks: Iterable[Callable[[], object]]) -> None:
    """Run tasks that do not depend on one another, in this thread and in as many as are free.

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
    todo = deque(tasks)
    n_helpers = min(_n_threads(), len(todo)) - 1
    if n_helpers < 1 or not _helpers_in_use.acquire(blocking=False):
        _work(todo)
        return
    try:
        futures = [_helpers().submit(_work, todo) for _ in range(n_helpers)]
        try:
            _work(todo)
        finally:
            for future in futures:
                if not future.cancel():
                    future.result()
    finally:
        _helpers_in_use.release()


def _n_threads() -> int:
    return int(getattr(numba.config, "NUMBA_NUM_THREADS"))  # noqa: B009 - absent from the stubs


def _work(todo: deque[Callable[[], object]]) -> None:
    while True:
        try:
            task = todo.popleft()
        except IndexError:
            return
        task()


@cache
def _helpers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, _n_threads() - 1), "gpforecast")


def _forget_helpers() -> None:  # a child process has none of its parent's threads
    global _helpers_in_use, _held
    _held = threading.Lock()
    _helpers_in_use = threading.Lock()
    _helpers.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_helpers)
