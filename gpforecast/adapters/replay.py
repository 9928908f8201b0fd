"""A fitted forecaster asked for any steps around the last known value, ahead of it or before it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, FloatArray, IntArray, Seed
from gpforecast.forecaster import Forecaster
from gpforecast.pipeline.predict import predict
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.distribution import Gaussian
from gpforecast.results.forecast import Forecast
from gpforecast.results.warped import distribution_of
from gpforecast.series.checked import values_of


@dataclass(frozen=True, eq=False)
class Steps:
    """What is believed about some steps, in the order in which they were asked for.

    Attributes
    ----------
    ahead : ndarray of bool (s,)
        Which of them lie ahead of the last known value.
    at : ndarray of int
        Their places in `future`, counted from 0.
    future : Forecast or None
        Of all steps ahead, up to the largest that was asked for.
    known : Forecast or None
        Of the steps that are known already, one step ahead each. Their errors count as independent
        of each other and of the future's.
    """

    ahead: BoolArray
    at: IntArray
    future: Forecast | None
    known: Forecast | None

    @property
    def mean(self) -> FloatArray:
        """Expected values, (s,)."""
        result = np.empty(len(self.ahead))
        if self.future is not None:
            result[self.ahead] = values_of(self.future.mean)[self.at]
        if self.known is not None:
            result[~self.ahead] = values_of(self.known.mean)
        return result

    @property
    def covariance(self) -> FloatArray:
        """Joint covariance of the observations, (s, s)."""
        result = np.zeros((len(self.ahead), len(self.ahead)))
        if self.future is not None:
            joint = self.future.covariance.to_numpy()[np.ix_(self.at, self.at)]
            result[np.ix_(self.ahead, self.ahead)] = joint
        if self.known is not None:
            result[np.ix_(~self.ahead, ~self.ahead)] = self.known.covariance.to_numpy()
        return result

    @property
    def var(self) -> FloatArray:
        """Variance of each observation, (s,)."""
        return np.diag(self.covariance).copy()

    def quantile(self, levels: list[float]) -> FloatArray:
        """Return quantiles of each observation, (s, len(levels))."""
        result = np.empty((len(self.ahead), len(levels)))
        if self.future is not None:
            result[self.ahead] = self.future.quantile(levels).to_numpy()[self.at]
        if self.known is not None:
            result[~self.ahead] = self.known.quantile(levels).to_numpy()
        return result

    def sample(self, n: int, *, seed: Seed = None) -> FloatArray:
        """Draw joint samples, (s, n)."""
        result = np.empty((len(self.ahead), n))
        rng = np.random.default_rng(seed)
        if self.future is not None:
            result[self.ahead] = self.future.sample(n, seed=rng).to_numpy()[self.at]
        if self.known is not None:
            result[~self.ahead] = self.known.sample(n, seed=rng).to_numpy()
        return result

    @property
    def has_paths(self) -> bool:
        """Whether the future is known by sample paths, not by moments."""
        return self.future is not None and self.future.paths is not None

    @property
    def is_gaussian(self) -> bool:
        """Whether quantiles are those of Gaussians with these moments."""
        kinds = [f.distribution for f in (self.future, self.known) if f is not None]
        return all(isinstance(kind, Gaussian) for kind in kinds)


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
        Fitted. It may have seen less than `series`, or more; it is not trained or conditioned here.
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
    ahead = steps > 0
    future = known = None
    if ahead.any():
        future = _after(forecaster, series, int(steps.max()), exog)
    if not ahead.all():
        known = _one_step(forecaster, series, len(series) - 1 + steps[~ahead], exog)
    return Steps(ahead, steps[ahead] - 1, future, known)


def _after(
    forecaster: Forecaster, series: "pd.Series[float]", horizon: int, exog: pd.DataFrame | None
) -> Forecast:
    """Forecast what follows `series`."""
    n, fitted = len(series), forecaster.fitted_
    past, future = (None, None) if exog is None else (exog.iloc[:n], exog.iloc[n:])
    known = fitted.exog.over(past, series.index, "the series", missing=True)
    return predict(fitted.after(series, known), horizon, forecaster.propagation, exog=future)


def _one_step(
    forecaster: Forecaster,
    series: "pd.Series[float]",
    positions: IntArray,
    exog: pd.DataFrame | None,
) -> Forecast:
    """Predict values that are known, each from those before it."""
    n, values = len(series), values_of(series)
    if positions.min() < 0:
        raise ValueError(
            f"the first of {n} known values is step {1 - n}; got {positions.min() - n + 1}."
        )
    reached = positions >= forecaster.n_past
    warp = forecaster.transforms_.warp
    z = values if warp is None else warp.forward(values)
    mean = np.full(len(positions), z.mean())
    var = np.full(len(positions), z.var())
    if reached.any():
        # All inputs are known, so that every method agrees and the cheapest will do.
        result = forecaster.predict_from(
            series,
            positions[reached],
            1,
            exog=None if exog is None else exog.iloc[:n],
            propagation="naive",
        )
        step = result.gaussian
        mean[reached], var[reached] = step.mean[:, 0], step.var[:, 0]
    independent = Propagated(mean, np.diag(var), var)
    return Forecast.of(
        distribution_of(independent, warp),
        pd.RangeIndex(len(positions)),
        history=series,
        propagation="naive",
        notes=forecaster.notes_,
    )
