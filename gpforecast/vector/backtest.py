"""Forecasts of several series from many origins, scored column by column and together."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.backtesting.plan import trainings
from gpforecast.backtesting.result import Backtest, scored
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import counted, is_integer, positive_integer
from gpforecast.pipeline.predict import checked_origins
from gpforecast.propagation import Method
from gpforecast.series.time_axis import TimeAxis
from gpforecast.vector.fitted import FittedVector, columns_of
from gpforecast.vector.predict import Origin, forecast_from


@dataclass(frozen=True, eq=False)
class VectorBacktest:
    """Forecasts of several series from many origins.

    Attributes
    ----------
    columns : dict of Backtest
        Of each column, with its own scores.
    nlpd : ndarray (b,)
        Negative log density of all columns and steps together, nats; NaN where none was observed.
    """

    columns: dict[Hashable, Backtest]
    nlpd: FloatArray

    def __getitem__(self, name: Hashable) -> Backtest:
        """Return the backtest of one column."""
        return self.columns[name]

    @property
    def origins(self) -> IntArray:
        """Positions of the first values that are forecast, (b,)."""
        return next(iter(self.columns.values())).origins

    def summary(self) -> pd.DataFrame:
        """Return the scores of each column, averaged over origins and steps, a row a column."""
        rows = {name: one.summary()["average"] for name, one in self.columns.items()}
        return pd.DataFrame(rows).T

    def __repr__(self) -> str:
        """Show the scores by column."""
        b, h = next(iter(self.columns.values())).truth.shape
        of = f"{counted(h, 'step')} of {len(self.columns)} series, {counted(b, 'origin')}"
        return f"Backtest of {of}\n{self.summary()}"


def backtest(
    frame: object,
    fit: Callable[[pd.DataFrame], FittedVector],
    method: Method,
    horizon: int,
    *,
    origins: int | ArrayLike,
    train_fraction: float,
    refit: int | None,
    seed: Seed,
) -> VectorBacktest:
    """Train on the first part of a frame, and forecast from origins after it.

    `fit` learns from the part that it is given; see `VectorForecaster.backtest`.
    """
    if not 0.0 < train_fraction < 1.0:
        raise ValueError(f"train_fraction must lie between 0 and 1; got {train_fraction!r}.")
    whole = pd.concat(columns_of(frame), axis=1)
    n, seen = len(whole), int(train_fraction * len(whole))
    fitted = fit(whole.iloc[:seen])
    where = _origins(origins, max(seen, fitted.n_past), n - horizon, seed)
    values = whole.to_numpy(dtype=np.float64)
    times = TimeAxis.of(whole.index).extended(horizon)
    found: dict[int, list[Backtest]] = {}
    nlpd = np.full(len(where), np.nan)
    for k, places in trainings(where, refit or n, seen):
        if k > seen:
            fitted = fit(whole.iloc[:k])
        for place in places:
            end = int(where[place])
            own = times.part(0, end + horizon)
            origin = Origin(fitted, _known(fitted, values[:end]), own, horizon)
            joint, name, _ = forecast_from(origin, method)
            truth = values[end : end + horizon]
            m, came = truth.shape[1], np.flatnonzero(~np.isnan(truth.ravel()))
            if len(came):
                nlpd[place] = -float(joint.over(came).logpdf(truth.ravel()[came]))
            each = [joint.over(np.arange(i, horizon * m, m)) for i in range(m)]
            found[int(place)] = [
                scored(one, y, where[place], name) for one, y in zip(each, truth.T, strict=True)
            ]
    every = [found[place] for place in range(len(where))]
    columns = {name: _stacked([each[i] for each in every]) for i, name in enumerate(fitted.names)}
    return VectorBacktest(columns, nlpd)


def _stacked(every: list[Backtest]) -> Backtest:
    """Return the forecasts of single origins as one of all of them."""

    def together(read: Callable[[Backtest], object]) -> Any:
        return np.array([read(one) for one in every])

    names = ("origins", "truth", "mean", "var", "crps", "nlpd", "pit")
    levels = every[0].lower
    return replace(
        every[0],
        **{name: together(attrgetter(name)) for name in names},
        lower={level: np.array([one.lower[level] for one in every]) for level in levels},
        upper={level: np.array([one.upper[level] for one in every]) for level in levels},
        n_clipped=sum(one.n_clipped for one in every),
    )


def _known(fitted: FittedVector, values: FloatArray) -> FloatArray:
    """Return values without those that were set aside as outliers of the training."""
    known = values.copy()
    for i, one in enumerate(fitted.columns):
        known[list(one.set_aside), i] = np.nan
    return known


def _origins(origins: int | ArrayLike, first: int, last: int, seed: Seed) -> IntArray:
    if last < first:
        raise ValueError(
            f"frame has no origin from {first} on, after what the models learn from, whose horizon "
            f"ends within it; pass a longer frame, a shorter horizon or a smaller train_fraction."
        )
    if is_integer(origins):
        n = min(positive_integer(origins, "origins"), last - first + 1)
        chosen = np.random.default_rng(seed).choice(last - first + 1, n, replace=False)
        return first + np.sort(chosen)
    why = "values before are seen in training", "the horizon must end within the frame"
    return checked_origins(origins, first, last, why, "a number of them or a list of positions")
