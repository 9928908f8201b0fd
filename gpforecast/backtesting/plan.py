"""From which origins a backtest forecasts, and when it trains: of forecasters of every kind."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.kinds import has_dates, is_auto
from gpforecast.common.progress import SILENT, bar
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import generator, is_integer, positive_integer
from gpforecast.pipeline.observed import Observed
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import Ahead, checked_origins
from gpforecast.propagation import MethodLike
from gpforecast.series.checked import values_of
from gpforecast.series.labels import counts_from_zero, kind_mismatch
from gpforecast.series.time_axis import TimeAxis

Refit: TypeAlias = int | Literal["auto"] | None

Known = TypeVar("Known", bound=Observed)

# All trainings of a backtest together learn from at most so many values, and there are at most so
# many of them. What is chosen automatically, and Gaussian processes, take a second or so a time.
VALUES, TRAININGS = 5000, 8
# Of a model whose time grows in proportion to the rows, with transforms and lags that are given.
CHEAP_VALUES, CHEAP_TRAININGS = 100_000, 60
_COMPARED = 1000  # values of a history that are compared first, and then all of them


def checked_refit(refit: Refit) -> Refit:
    """Return it if it is an interval, "auto" or None."""
    return refit if refit is None or is_auto(refit) else positive_integer(refit, "refit")


def n_first(train_fraction: float, n: int) -> int:
    """Return how many of n values the first training learns from."""
    if not 0.0 < train_fraction < 1.0:
        raise ValueError(f"train_fraction must lie between 0 and 1; got {train_fraction!r}.")
    return int(train_fraction * n)


def n_in_history(history: "pd.Series[float]", y: "pd.Series[float]") -> int:
    """Return how many values of y, from its start, lie in the history: by labels, or by values.

    Labels count if they overlap with those of the history, unless they only count the rows of y.
    Values that are missing (NaN) on either side are equal to anything.
    """
    if not (y.notna().any() and history.notna().any()):
        return 0
    a, b = history.index, y.index
    alike = not (counts_from_zero(b) or kind_mismatch(b, a))
    if alike and b[0] <= a[-1] and a[0] <= b[-1]:
        return int(b.searchsorted(a[-1], side="right"))
    tail = values_of(history)
    spread = float(np.nanmax(tail) - np.nanmin(tail))
    # Copies may be rounded, to single precision for instance.
    tolerance = min(1e-6 * float(np.nanmax(np.abs(tail))), 1e-3 * spread)
    return longest_run(tail, values_of(y), tolerance)


def longest_run(tail: FloatArray, values: FloatArray, tolerance: float) -> int:
    """Return the end of the longest run of `values` that is the end of `tail`, the first of many.

    Runs that the beginning of `values` cuts short count, those that differ anywhere do not.
    """
    n = len(tail)
    last = np.flatnonzero(~(np.abs(values - tail[-1]) > tolerance))
    whole, shorter = last[last >= n - 1], last[last < n - 1][::-1]
    for end in (np.concatenate([whole, shorter]) + 1).tolist():
        for m in (min(end, n, _COMPARED), min(end, n)):
            apart = np.abs(values[end - m : end] - tail[n - m :])
            if (apart > tolerance).any():
                break
        else:
            if not np.isnan(apart).all():
                return int(end)
    return 0


def _positions(origins: ArrayLike, axis: TimeAxis) -> ArrayLike:
    """Return the first step at or after each of some times; what holds no times, as it is."""
    given = np.atleast_1d(np.asarray(origins))
    if not has_dates(axis.index) or given.ndim > 1 or given.dtype.kind not in "UMO":
        return origins
    try:
        return [axis.index.get_slice_bound(time, "left") for time in axis.by_clock(pd.Index(given))]
    except (KeyError, TypeError, ValueError):
        return origins


def affordable(n: int, options: Options) -> int:
    """Return how many trainings on n values a backtest makes by default, at least 1.

    It depends on the number of values and not on time, so that it is the same on every machine.

    Examples
    --------
    >>> from gpforecast import Forecaster
    >>> [affordable(n, Forecaster()) for n in (100, 1000, 5000)]
    [8, 5, 1]
    """
    given = options.model is not None and options.lags != "auto" and options.transforms != "auto"
    cheap = given and options.row_limit is None and options.max_rows == "auto"
    values, most = (CHEAP_VALUES, CHEAP_TRAININGS) if cheap else (VALUES, TRAININGS)
    models = (options.max_horizon or 1) * (1 if options.calibrate is None else 2)
    return int(np.clip(values // (n * models), 1, most))


def by_cost(where: IntArray, n_known: int, options: Options) -> int | None:
    """Return after how many values to train again; None if one training is all there is."""
    last = int(where.max())
    again = affordable(last, options) - 1
    return -(-(last - n_known) // again) if again and last > n_known else None


def trainings(where: IntArray, every: int | None, n_known: int) -> list[tuple[int, IntArray]]:
    """Return, in order of time, how many values to train on and which of the origins are served.

    An origin is served by the last training, unless that is `every` values or more behind it.
    """
    if every is None:
        return [(n_known, np.arange(len(where)))]
    served: dict[int, list[int]] = {}
    n = n_known
    for place in np.argsort(where, kind="stable"):
        if where[place] - n >= every:
            n = int(where[place])
        served.setdefault(n, []).append(int(place))
    return [(n, np.array(places)) for n, places in served.items()]


@dataclass(frozen=True, eq=False)
class Plan:
    """From where and how far a backtest forecasts, and when it trains.

    Attributes
    ----------
    horizon : int
    origins : int or array-like of int or times
        How many, or which.
    train_fraction : float
        The part of the values that the first training learns from.
    refit : int or None
        After how many values to train again.
    seed : int, Generator or None
    """

    horizon: int
    origins: int | ArrayLike
    train_fraction: float
    refit: int | None
    seed: Seed

    def __post_init__(self) -> None:
        positive_integer(self.horizon, "horizon")
        if self.refit is not None:
            positive_integer(self.refit, "refit")

    def where(self, first: Observed, n_known: int, axis: TimeAxis) -> IntArray:
        """Return the origins among some times, for a first training on `n_known` of them.

        They are so many of the possible ones, at random, or those that were given.

        Raises
        ------
        ValueError
            If none is possible, or one that was given is not.
        """
        last = len(axis) - self.horizon
        usable = first.usable(np.arange(n_known, last + 1), self.horizon)
        if not len(usable) and (last < n_known or is_integer(self.origins)):
            raise ValueError(
                f"no origin is left: origins must lie from {n_known}, after the values that are "
                f"learned from or needed as lags, to {last}, after which horizon={self.horizon} "
                f"steps would not end within the series, and a forecast must know its lags and "
                f"inputs. Pass a longer series, a smaller horizon, fewer lags or a smaller "
                f"train_fraction."
            )
        if is_integer(self.origins):
            count = min(positive_integer(self.origins, "origins"), len(usable))
            return np.sort(generator(self.seed).choice(usable, count, replace=False))
        why = (
            "earlier values are used in training or needed as lags",
            "the horizon must end within the series",
        )
        what = "a number of them, or a list of times or positions"
        origins = checked_origins(_positions(self.origins, axis), n_known, last, why, what)
        lost = origins[~np.isin(origins, usable)]
        if len(lost):
            raise ValueError(
                f"origins must have known values at each of the lags, and known inputs at each of "
                f"theirs and at the steps ahead; got {lost[0]}, which has not. Leave it out."
            )
        return origins

    def forecasts(
        self,
        origins: IntArray,
        first: Known,
        n_known: int,
        fit: Callable[[int, Known], Known],
        method: MethodLike,
    ) -> Iterator[tuple[IntArray, int, Known, Ahead[Any]]]:
        """Yield from which origins, how many values were learned from, what knows them, and what.

        Parameters
        ----------
        origins : ndarray (b,)
        first : Observed
            The first fit, which knows `n_known` values.
        n_known : int
        fit : callable
            From a number of values and the last fit to the next one, which forecasts from later
            origins too.
        method : str or propagation method
        """
        plan = trainings(origins, self.refit, n_known)
        whole = bar("backtest", total=len(plan), unit="trainings")
        with whole if len(plan) > 1 else nullcontext(SILENT) as shown:
            for n, chosen in plan:
                if n > n_known:
                    first = fit(n, first)
                shown.update()
                for part, observed in first.parts(origins[chosen]):
                    places = chosen[part]
                    yield places, n, observed, observed.ahead(origins[places], self.horizon, method)
