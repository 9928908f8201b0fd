"""Places of a series from which a fitted model forecasts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from joblib import cpu_count, effective_n_jobs

from gpforecast.common.types import FloatArray, Index, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.propagation import Method, Naive
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Propagated, Start, propagate, trajectory
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
        Of the values and, where transforms depend on time, of the steps ahead.
    exog : ndarray (n [+ horizon], q)
        Scaled exogenous columns.
    ends : ndarray (b,)
        Positions of the origins: the first value forecast from origin t is the one at t.
    """

    fitted: Fitted
    values: FloatArray
    times: TimeAxis
    exog: FloatArray
    ends: IntArray

    @staticmethod
    def at_the_end(fitted: Fitted, index: Index, future: FloatArray | None = None) -> "Origins":
        """Return the one after the last value observed.

        Parameters
        ----------
        fitted : Fitted
        index : Index (h,)
            The times that follow.
        future : ndarray (h, q), optional
            The inputs at those times.
        """
        times = fitted.chain.axis.locate(TimeAxis(fitted.history.index.append(index)))
        exog = fitted.exog.past if future is None else np.concatenate([fitted.exog.past, future])
        values, end = values_of(fitted.history), np.array([len(fitted.history)])
        return Origins(fitted, values, times, fitted.exog.scaled(exog), end)

    @cached_property
    def levels(self) -> list[FloatArray]:
        """The values before each linear transform, and after the last one, (n,) each."""
        return self.fitted.chain.levels(self.values, self.times)

    def undo(self, z: Propagated) -> Propagated:
        """Return the horizons of transformed values in the units of the warp."""
        return self.fitted.chain.undo(z, self.levels, self.ends, self.times)


@dataclass(frozen=True, eq=False)
class Ahead:
    """How far to follow a model, and how.

    Attributes
    ----------
    horizon : int
    method : propagation method or None
        ``None`` takes every prediction for a fact: only the mean of what is returned counts.
    exog_cov : ndarray (horizon * q, horizon * q) or None
        Covariance of the future inputs.
    n_jobs : int or None
        Threads; ``None`` uses all cores.
    """

    horizon: int
    method: Method | None
    exog_cov: FloatArray | None = None
    n_jobs: int | None = None


def follow(parts: Sequence[Origins], ahead: Ahead) -> list[Propagated]:
    """Follow a model over the horizon, in one batch.

    Parameters
    ----------
    parts : sequence of Origins
        Of one series; or of several that share the model, without inputs and known at all lags.
    ahead : Ahead

    Returns
    -------
    list of Propagated
        The horizons of the origins of each part, in the units of the warp. Variances that were
        clipped are counted over the whole batch.
    """
    method = ahead.method or Naive()
    model, inputs = parts[0].fitted.predictive, parts[0].fitted.inputs
    rest = ahead.horizon, ahead.exog_cov
    begun = [Gaps(model, method, inputs, p.levels[-1], p.exog).starts(p.ends, *rest) for p in parts]
    start = begun[0]
    if len(begun) > 1:
        n_clipped = sum(s.n_clipped for s in begun)
        start = Start(np.concatenate([s.past for s in begun]), n_clipped=n_clipped)
    if ahead.method is None:
        z = Propagated.certain(trajectory(model, inputs, start, ahead.horizon))
    else:
        n_threads = 1
        if len(start.past) > 1:  # to count the cores takes as long as many steps
            n_threads = cpu_count() if ahead.n_jobs is None else effective_n_jobs(ahead.n_jobs)
        z = propagate(model, method, inputs, start, ahead.horizon, n_threads=n_threads)
    undone, begin = [], 0
    for part in parts:
        end = begin + len(part.ends)
        undone.append(part.undo(_cut(z, begin, end)))
        begin = end
    return undone


def _cut(z: Propagated, a: int, b: int) -> Propagated:
    """Return some of the origins of a batch."""
    return replace(
        z,
        mean=z.mean[a:b],
        covariance=z.covariance[a:b],
        latent_var=z.latent_var[a:b],
        paths=None if z.paths is None else z.paths[a:b],
    )
