"""Places of a series from which a fitted model forecasts."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from joblib import cpu_count, effective_n_jobs

from gpforecast.common.types import FloatArray, Index, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.propagation import Method, Naive
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Propagated, propagate, trajectory
from gpforecast.series.checked import values_of
from gpforecast.series.time_axis import TimeAxis


@dataclass(frozen=True, eq=False)
class Origins:
    """Places of a series from which a fitted model forecasts: transform, propagate, undo.

    Attributes
    ----------
    fitted : Fitted
    values : ndarray (n,)
        In the units of the series, NaN where missing or after the last origin.
    times : TimeAxis
        Of the values and of the steps ahead.
    exog : ndarray (n [+ horizon], q)
        Scaled exogenous columns.
    ends : ndarray (b,)
        Positions of the origins: the first value forecast from origin t is the one at t.
    horizon : int
    exog_cov : ndarray (horizon * q, horizon * q) or None
        Covariance of the future inputs.
    n_jobs : int or None
        Threads; ``None`` uses all cores.
    """

    fitted: Fitted
    values: FloatArray
    times: TimeAxis
    exog: FloatArray
    ends: IntArray
    horizon: int
    exog_cov: FloatArray | None = None
    n_jobs: int | None = None

    @staticmethod
    def at_the_end(
        fitted: Fitted, index: Index, future: FloatArray, exog_cov: FloatArray | None
    ) -> "Origins":
        """Return the one after the last value observed.

        Parameters
        ----------
        fitted : Fitted
        index : Index (h,)
            The times that follow.
        future : ndarray (h, q)
            The inputs at those times.
        exog_cov : ndarray (h * q, h * q) or None
            Their covariance.
        """
        times = fitted.chain.axis.locate(TimeAxis(fitted.history.index.append(index)))
        exog = fitted.exog.scaled(np.concatenate([fitted.exog.past, future]))
        values, end = values_of(fitted.history), np.array([len(fitted.history)])
        return Origins(fitted, values, times, exog, end, len(index), exog_cov)

    @cached_property
    def levels(self) -> list[FloatArray]:
        """The values before each linear transform, and after the last one, (n,) each."""
        return self.fitted.chain.levels(self.values, self.times)

    def follow(self, method: Method | None) -> Propagated:
        """Follow the model over the horizon, all origins in one batch.

        Parameters
        ----------
        method : propagation method or None
            ``None`` takes every prediction for a fact: only the mean of the result counts.

        Returns
        -------
        Propagated
            In the units of the warp.
        """
        model, inputs, h = self.fitted.predictive, self.fitted.inputs, self.horizon
        gaps = Gaps(model, method or Naive(), inputs, self.levels[-1], self.exog)
        start = gaps.starts(self.ends, h, self.exog_cov)
        if method is None:
            found = Propagated.certain(trajectory(model, inputs, start, h))
        else:
            n_threads = 1
            if len(self.ends) > 1:  # to count the cores takes as long as many steps
                n_threads = cpu_count() if self.n_jobs is None else effective_n_jobs(self.n_jobs)
            found = propagate(model, method, inputs, start, h, n_threads=n_threads)
        return self.fitted.chain.undo(found, self.levels, self.ends, self.times)
