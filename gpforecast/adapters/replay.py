"""Predictions of a fitted forecaster at any steps around the last known value, ahead or before."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import scipy

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.forecaster import Forecaster
from gpforecast.pipeline.fitted import required
from gpforecast.pipeline.predict import in_support, joint_from, predict, within_series
from gpforecast.propagation import Naive
from gpforecast.propagation.joint_covariance import joint_of
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.warped import distribution_of
from gpforecast.series.checked import values_of


@dataclass(frozen=True, eq=False)
class Steps:
    """What is believed about some steps, in the order of the call.

    Attributes
    ----------
    parts : list of Distribution
        Of the steps ahead, and of those that are known already, predicted one step ahead each: the
        errors of these count as independent of each other and of the future's.
    order : ndarray of int (s,)
        Where each step is, the parts put one after the other.
    """

    parts: list[Distribution]
    order: IntArray

    @property
    def mean(self) -> FloatArray:
        """Expected values, (s,)."""
        return self._of_all(lambda distribution: distribution.mean)

    @property
    def covariance(self) -> FloatArray:
        """Joint covariance of the observations, (s, s)."""
        joint: FloatArray = scipy.linalg.block_diag(*(part.covariance for part in self.parts))
        return joint[np.ix_(self.order, self.order)]

    @property
    def var(self) -> FloatArray:
        """Variances of the observations, (s,)."""
        return self._of_all(lambda distribution: distribution.var)

    def quantile(self, levels: list[float]) -> FloatArray:
        """Return quantiles, (s, number of levels)."""
        return self._of_all(lambda distribution: distribution.quantile(levels))

    def sample(self, n: int, *, seed: Seed = None) -> FloatArray:
        """Draw from the joint distribution, (s, n)."""
        rng = np.random.default_rng(seed)
        return self._of_all(lambda distribution: distribution.sample(n, rng))

    @property
    def is_gaussian(self) -> bool:
        """Whether each step is Gaussian, neither paths nor warped."""
        return all(part is part.gaussian for part in self.parts)

    def _of_all(self, read: Callable[[Distribution], FloatArray]) -> FloatArray:
        """Return what is read of every step, in the order of the call."""
        return np.concatenate([read(part) for part in self.parts])[self.order]


def steps_of(
    forecaster: Forecaster,
    series: "pd.Series[float]",  # (n,)
    steps: IntArray,  # (s,)
    exog: pd.DataFrame | None = None,  # (n + largest step, q)
) -> Steps:
    """Predict the values at some steps, as other libraries number them.

    Parameters
    ----------
    forecaster : Forecaster
        Fitted. It may know less than `series`, or more; it is not trained or conditioned here.
    series : Series (n,)
        What is known, on a regular index.
    steps : ndarray of int (s,)
        Counted from the last known value: 1 is the next, 0 that value itself, -1 the one before.
        A step ahead is forecast from all of `series`. A value that is known is predicted one step
        ahead from those before it; without enough of those for the lags, its prediction is the
        mean and variance of all known values.
    exog : DataFrame, optional
        Exogenous inputs at the known times and the steps ahead, on their index.

    Returns
    -------
    Steps

    Raises
    ------
    ValueError
        If a step lies before the first value, or the forecaster asks for other inputs.
    """
    n, ahead = len(series), steps > 0
    parts: list[Distribution] = []
    past, later = (None, None) if exog is None else (exog.iloc[:n], exog.iloc[n:])
    if ahead.any():
        fitted = required(forecaster.fitted_)
        inputs = fitted.exog.over(past, series.index, "the series", missing=True)
        here = replace(fitted, history=series, exog=replace(fitted.exog, past=inputs))
        forecast = predict(here, int(steps.max()), forecaster.method(), exog=later)
        parts.append(forecast.distribution.over(steps[ahead] - 1))
    if not ahead.all():
        parts.append(_one_step(forecaster, series, n - 1 + steps[~ahead], past))
    return Steps(parts, np.argsort(np.argsort(~ahead, kind="stable")))


def _one_step(
    forecaster: Forecaster,
    series: "pd.Series[float]",
    positions: IntArray,
    exog: pd.DataFrame | None,
) -> Distribution:
    """Predict values that are known, each from those before it."""
    n, values = len(series), values_of(series)
    if positions.min() < 0:
        raise ValueError(
            f"the first of {n} known values is step {1 - n}; got {positions.min() - n + 1}."
        )
    fitted = required(forecaster.fitted_)
    reached, chain = positions >= fitted.n_past, fitted.chain
    z = chain.forward(values)
    mean = np.full(len(positions), z.mean())
    var = np.full(len(positions), z.var())
    if reached.any():
        # All inputs are known, so that every method agrees and the cheapest will do.
        places = positions[reached]
        free = replace(fitted, support=None)
        at = within_series(free, series, places, 1, exog)
        step = joint_from(at, Naive()).distribution.gaussian
        mean[reached], var[reached] = step.mean[:, 0], step.var[:, 0]
    joint = distribution_of(Propagated(mean, joint_of(np.diag(var)), var), chain.warp)
    return in_support(joint, fitted)
