"""Forecasts of several series from many origins, scored column by column and together."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.backtesting.plan import Plan, n_first
from gpforecast.backtesting.result import Backtest
from gpforecast.backtesting.scored import in_order
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.propagation import Method
from gpforecast.series.time_axis import TimeAxis
from gpforecast.vector.fit import columns_of
from gpforecast.vector.fitted import FittedVector


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
    frame: object, fit: Callable[[pd.DataFrame], FittedVector], method: Method, plan: Plan
) -> VectorBacktest:
    """Train on the first part of a frame, and forecast from origins after it.

    `fit` learns from the part that it is given.
    """
    whole = pd.concat([one.series for one in columns_of(frame)], axis=1)
    values, axis, m = whole.to_numpy(dtype=np.float64), TimeAxis.of(whole.index), whole.shape[1]

    def known(n: int, _: FittedVector | None = None) -> FittedVector:
        return fit(whole.iloc[:n]).over(values, axis.index)

    n_known, horizon = n_first(plan.train_fraction, len(whole)), plan.horizon
    first = known(n_known)
    where = plan.where(first, n_known, axis)
    parts: list[list[tuple[IntArray, Backtest]]] = [[] for _ in range(m)]
    nlpd = np.full(len(where), np.nan)
    for place, _, _, found in plan.forecasts(where, first, n_known, known, method):
        joint, end = found.distribution, int(where[place[0]])
        truth = values[end : end + horizon]
        came = np.flatnonzero(~np.isnan(truth.ravel()))
        if len(came):
            nlpd[place] = -float(joint.over(came).logpdf(truth.ravel()[came]))
        for i, column in enumerate(parts):
            own = joint.over(np.arange(i, horizon * m, m))
            column.append((place, Backtest.of(own, truth[:, i], where[place], found.name)))
    columns: dict[Hashable, Backtest] = {
        name: in_order(each) for name, each in zip(whole.columns, parts, strict=True)
    }
    return VectorBacktest(columns, nlpd)
