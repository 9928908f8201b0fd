"""Places of a series from which a fitted model forecasts."""

from dataclasses import dataclass
from functools import cached_property

from joblib import cpu_count, effective_n_jobs

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.propagation import Method, Naive
from gpforecast.propagation.missing import starts
from gpforecast.propagation.recursion import Propagated, propagate, trajectory
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
        z, known = self.levels[-1], (self.exog, self.ends, h, self.exog_cov)
        start = starts(model, method or Naive(), inputs, z, *known)
        if method is None:
            found = Propagated.certain(trajectory(model, inputs, start, h))
        else:
            n_threads = cpu_count() if self.n_jobs is None else effective_n_jobs(self.n_jobs)
            found = propagate(model, method, inputs, start, h, n_threads=n_threads)
        return self.fitted.chain.undo(found, self.levels, self.ends, self.times)
