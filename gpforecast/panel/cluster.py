"""Chunks of work on a Dask cluster, whose workers may be lost."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Protocol, TypeVar

from joblib import parallel_config

T = TypeVar("T")
R = TypeVar("R")

_SECONDS = 10.0  # between two checks whether there are workers
_PATIENCE = 30  # checks that find none, before the panel gives up


class Future(Protocol):
    """A result to come, as of `distributed.Client.submit`."""

    def result(self, timeout: float) -> object:
        """Return it, or raise the error of the task, or a TimeoutError."""

    def cancel(self) -> object:
        """Say that it is no longer needed."""


class Client(Protocol):
    """What sends tasks to a cluster: `distributed.Client`."""

    def submit(self, function: Callable[..., object], *given: object, pure: bool) -> Future:
        """Send a task."""

    def ncores(self) -> dict[str, int]:
        """Return how many cores each worker has."""


def on_cluster(
    client: Client, task: Callable[[T], R], jobs: int, chunks: Iterator[T]
) -> Iterator[R]:
    """Yield the results of chunks, in order.

    The cluster repeats the work of a worker that is lost, a few times; joblib's own way to Dask
    would wait for ever after that. All data are part of the task, so nothing is lost with a
    worker.

    Parameters
    ----------
    client : distributed.Client
    task : callable
        From a chunk to its result.
    jobs : int
        Workers; twice as many chunks are under way.
    chunks : iterator
        Read as workers become free.

    Raises
    ------
    BrokenProcessPool
        If a chunk has taken its workers with it each time.
    RuntimeError
        If the cluster has been without workers for minutes.
    """
    alone, under_way = partial(_sequential, task), deque[Future]()
    try:
        for chunk in chunks:
            under_way.append(client.submit(alone, chunk, pure=False))
            if len(under_way) >= 2 * jobs:
                yield _received(client, under_way.popleft())  # type: ignore[misc]
        while under_way:
            yield _received(client, under_way.popleft())  # type: ignore[misc]
    finally:
        for future in under_way:
            future.cancel()


def _received(client: Client, future: Future) -> object:
    from distributed import KilledWorker  # it is there, as the client is

    without = 0
    while without < _PATIENCE:
        try:
            return future.result(_SECONDS)
        except (KilledWorker, CancelledError) as error:
            raise BrokenProcessPool("workers of the cluster were lost") from error
        except TimeoutError:
            without = 0 if client.ncores() else without + 1
    raise RuntimeError(
        "the cluster has had no worker for five minutes; give it workers and call again (with "
        "resume=, finished series are not forecast again)."
    )


def _sequential(task: Callable[[T], R], chunk: T) -> R:
    """Run a task in a worker that starts no others."""
    with parallel_config("sequential"):
        return task(chunk)
