"""Work on a panel, shared out in chunks; what a worker sends back."""

import logging
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import ceil
from typing import Any, TypeAlias, TypeVar

import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

from gpforecast.common.progress import showing
from gpforecast.common.types import Values
from gpforecast.common.warnings import NumericalWarning
from gpforecast.forecaster import Forecaster
from gpforecast.numerics.threads import one_blas_thread
from gpforecast.panel.frames import Member
from gpforecast.results.forecast import Forecast
from gpforecast.series.horizon import Horizon
from gpforecast.storage import storable

logger = logging.getLogger(__name__)

_CHUNK_SECONDS = 2.0  # of work a task: a thousand times what sending one costs
LOST = (
    "the process that forecast it was lost twice; too little memory is the usual cause: forecast "
    "it on its own, with fewer values or with max_rows="
)
_WORTH_WORKERS = 3.0  # seconds; starting processes that import the package takes about two


@storable
@dataclass(frozen=True, eq=False)
class Outcome:
    """The forecast of a series, or why there is none.

    Attributes
    ----------
    table : DataFrame or None
        Its forecast on the future index, unless that failed.
    reason : str
        Why it failed.
    notes : tuple of str
        Trouble is among them.
    troubled : bool
        Whether there was a numerical warning.
    forecast : Forecast or None
        The forecast itself, where it is kept.
    errors : Series or None
        Then also past errors over their standard deviations.
    """

    table: pd.DataFrame | None
    reason: str
    notes: tuple[str, ...]
    troubled: bool
    forecast: Forecast | None = None
    errors: Values | None = None


GONE = Outcome(None, LOST, (), troubled=False)
T = TypeVar("T")
Fit: TypeAlias = Callable[[Member], Forecaster]
Task: TypeAlias = Callable[[Member], T]  # it travels to the workers
Chunks: TypeAlias = Callable[[list[Member]], list[T]]
Run: TypeAlias = Callable[[Iterator[list[Member]]], Iterator[list[T]]]  # chunks, in order


def each_of(task: Task[T], members: list[Member]) -> list[T]:
    """Return what a task makes of each series of a chunk, with BLAS in one thread."""
    with one_blas_thread(), showing(False):
        return [task(member) for member in members]


def outcome_of(
    fit: Fit, horizon: Horizon, levels: tuple[float, ...], keep: bool, member: Member
) -> Outcome:
    """Forecast a series; errors and numerical warnings become sentences."""
    forecast, errors, table, reason = None, None, None, ""
    with _recorded() as caught:
        try:
            fitted = fit(member)
            forecast = fitted.predict(horizon, exog=member.future)
            if keep:
                past = fitted.predict_in_sample()
                errors = past["residual"] / past["std"].where(past["std"] > 0.0)
            table = forecast.to_frame(levels)
        except (ValueError, TypeError, RuntimeError) as error:
            reason = str(error) or type(error).__name__
        except Exception as error:
            if interrupted(error):
                raise KeyboardInterrupt from error
            reason = f"{type(error).__name__}: {error}"
    notes = () if forecast is None else forecast.notes
    warned = [str(w.message) for w in caught if w.category is NumericalWarning]
    # A warning may begin with the words of a note, and add a remedy.
    notes += tuple(one for one in warned if not one.startswith(notes))
    kept = None if errors is None else forecast
    return Outcome(table, reason, tuple(dict.fromkeys(notes)), bool(warned), kept, errors)


def interrupted(error: BaseException | None) -> bool:
    """Return whether the user interrupted: compiled code makes a SystemError of that."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


@contextmanager
def _recorded() -> Iterator[list[warnings.WarningMessage]]:
    """Record warnings, and show those that are not numerical at the end.

    The filters of warnings belong to the process: threads leave them alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NumericalWarning)
        yield caught
    for other in caught:
        if other.category is not NumericalWarning:
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)


def share_out(
    task: Task[T], members: Iterable[Member], count: int, *, gone: T, n_jobs: int | None
) -> Iterator[list[T]]:
    """Yield what a task makes of all series, in order, a chunk at a time.

    The first two series run here: their time decides how many make a chunk and whether workers are
    worth starting; one may have compiled what the other only runs. Series go out as workers become
    free, so neither they nor the results pile up.

    Parameters
    ----------
    task : callable
        From a series to its outcome.
    members : iterable of Member
    count : int
        How many there are.
    gone : object
        The outcome of a series that its processes are lost with.
    n_jobs : int or None
        ``None`` leaves it to joblib's context (`joblib.parallel_config`), and without one uses all
        cores.
    """
    active, set_jobs = get_active_backend()
    if n_jobs is None:
        n_jobs = -1 if set_jobs is None else set_jobs
    jobs = max(1, effective_n_jobs(n_jobs))  # a cluster may be without workers for now
    todo = iter(members)
    begun, seconds = 0, float("inf")
    for member in islice(todo, 2):
        start = time.perf_counter()
        outcomes = each_of(task, [member])
        begun, seconds = begun + 1, min(seconds, time.perf_counter() - start)
        yield outcomes
    left = count - begun
    client = getattr(active, "client", None)  # of a Dask cluster
    quick = set_jobs is None and left * seconds < _WORTH_WORKERS
    alone = client is None and (jobs == 1 or left == 0 or quick)
    size = min(int(_CHUNK_SECONDS / seconds), ceil(left / (4 * jobs))) or 1
    chunks = iter(lambda: list(islice(todo, 1 if alone else size)), [])
    logger.debug("%.2g s a series, %d left for %d workers", seconds, left, 1 if alone else jobs)
    of_chunk = partial(each_of, task)
    run: Run[T] = partial(_by_joblib, of_chunk, 1 if alone else n_jobs)
    isolated: Run[T] = partial(_by_joblib, of_chunk, 2)
    if client is not None:
        run = isolated = partial(on_cluster, client, of_chunk, jobs)
    yield from _survived(run, isolated, chunks, gone)


def _by_joblib(task: Chunks[T], n_jobs: int, chunks: Iterator[list[Member]]) -> Iterator[list[T]]:
    """Yield the outcomes of chunks, as far as the backend can before the last is done."""
    lazy = n_jobs == 1 or get_active_backend()[0].supports_return_generator
    how = "generator" if lazy else "list"
    parallel = Parallel(n_jobs=n_jobs, batch_size=1, return_as=how)
    yield from parallel(delayed(task)(chunk) for chunk in chunks)


def on_cluster(
    client: Any, task: Chunks[T], jobs: int, chunks: Iterator[list[Member]]
) -> Iterator[list[T]]:
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


def _sequential(task: Chunks[T], chunk: list[Member]) -> list[T]:
    """Run a task in a worker that starts no others."""
    with parallel_config("sequential"):
        return task(chunk)


def _survived(
    run: Run[T], isolated: Run[T], chunks: Iterator[list[Member]], gone: T
) -> Iterator[list[T]]:
    """Yield the outcomes of chunks, in order; a worker that is lost takes no other series with it.

    Those that were under way are tried again, one series at a time, each alone in a new process: a
    series that breaks that too, for instance because memory is not enough, is listed as failed.
    """
    lost = True
    while lost:
        lost, under_way = False, deque[list[Member]]()
        sent = _noted(chunks, under_way)
        try:
            for outcomes in run(sent):
                under_way.popleft()
                yield outcomes
        except BrokenProcessPool:
            logger.warning("a worker was lost; the series under way are tried again, one by one")
            lost = True
        sent.close()
        while under_way:
            yield [_alone(isolated, member, gone) for member in under_way.popleft()]


def _noted(
    chunks: Iterator[list[Member]], under_way: deque[list[Member]]
) -> Generator[list[Member]]:
    """Yield chunks, and note each before it goes."""
    for chunk in chunks:
        under_way.append(chunk)
        yield chunk


def _alone(isolated: Run[T], member: Member, gone: T) -> T:
    """Return the outcome of a series in a process that does nothing else."""
    try:
        return next(isolated(iter([[member]])))[0]
    except BrokenProcessPool:
        return gone
