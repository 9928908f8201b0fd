"""Work on a panel on a Dask cluster, whose workers may be lost."""

import logging
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

from joblib import parallel_config

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")


_ASKED = 10.0  # seconds between two looks at whether there are workers
_PATIENCE = 30  # looks without any, before the panel gives up


class Future(Protocol):
    """A result to come, as of `distributed.Client.submit`."""

    def result(self, timeout: float) -> object:
        """Return it, or raise what was raised instead, or a TimeoutError."""

    def cancel(self) -> object:
        """Say that it is not wanted any more."""


class Client(Protocol):
    """What sends tasks to a cluster: `distributed.Client`."""

    def submit(self, function: Callable[..., object], *given: object, pure: bool) -> Future:
        """Send a task."""

    def ncores(self) -> dict[str, int]:
        """Return how many cores each worker has."""


def on_cluster(
    client: Client,
    task: Callable[[list[T]], list[R]],
    chunks: Iterator[list[T]],
    lost: R,
    *,
    jobs: int,
) -> Iterator[list[R]]:
    """Yield the results of chunks, in order.

    The cluster repeats the work of a worker that is lost, a few times. Of a chunk that takes its
    workers with it each time, every member is then tried alone; joblib's own way to Dask would wait
    for ever. What is sent is part of the task, so nothing is lost with a worker.

    Parameters
    ----------
    client : distributed.Client
    task : callable
        From a chunk to its results, one for each member.
    chunks : iterator of list
        Read as workers become free.
    lost : object
        The result of a member that takes its workers with it also when it is alone.
    jobs : int
        Workers; twice as many chunks are under way.

    Raises
    ------
    RuntimeError
        If the cluster has been without workers for minutes.
    """
    from distributed import KilledWorker  # it is there, as the client is

    alone = partial(_sequential, task)

    def send(chunk: list[T]) -> Future:
        return client.submit(alone, chunk, pure=False)

    def received(future: Future) -> list[R] | None:
        without = 0
        while without < _PATIENCE:
            try:
                return future.result(_ASKED)  # type: ignore[return-value]
            except (KilledWorker, CancelledError):
                return None
            except TimeoutError:
                without = 0 if client.ncores() else without + 1
        raise RuntimeError(
            "the cluster has had no worker for five minutes; give it workers and call again (with "
            "resume=, finished series are not forecast again)."
        )

    under_way = deque[tuple[list[T], Future]]()
    try:
        while True:
            for chunk in islice(chunks, 2 * jobs - len(under_way)):
                under_way.append((chunk, send(chunk)))
            if not under_way:
                return
            chunk, future = under_way.popleft()
            outcomes = received(future)
            if outcomes is None:
                logger.warning("workers were lost with %d series; each is tried alone", len(chunk))
                for _, other in under_way:  # it would be held responsible, or hold one so
                    received(other)
                outcomes = [made for one in chunk for made in received(send([one])) or [lost]]
            yield outcomes
    finally:
        for _, future in under_way:
            future.cancel()


def _sequential(task: Callable[[list[T]], list[R]], chunk: list[T]) -> list[R]:
    """Run a task in a worker that starts none of its own."""
    with parallel_config("sequential"):
        return task(chunk)
