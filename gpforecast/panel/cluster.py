"""Chunks of work on a Dask cluster, whose workers may be lost."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from joblib import parallel_config

T = TypeVar("T")
R = TypeVar("R")


def on_cluster(client: Any, task: Callable[[T], R], jobs: int, chunks: Iterator[T]) -> Iterator[R]:
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
    """
    from distributed import KilledWorker  # it is there, as the client is

    alone, under_way = partial(_sequential, task), deque[Any]()
    try:
        for chunk in chunks:
            under_way.append(client.submit(alone, chunk, pure=False))
            if len(under_way) >= 2 * jobs:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
    except (KilledWorker, CancelledError) as error:
        raise BrokenProcessPool("workers of the cluster were lost") from error
    finally:
        for future in under_way:
            future.cancel()


def _sequential(task: Callable[[T], R], chunk: T) -> R:
    """Run a task in a worker that starts no others."""
    with parallel_config("sequential"):
        return task(chunk)
