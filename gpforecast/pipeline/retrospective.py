"""What a fitted forecaster returns for values that came: the methods that look back on a series."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.progress import showing
from gpforecast.common.types import known_as
from gpforecast.pipeline.describe import summary
from gpforecast.pipeline.fitted import Fitted, required
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import clipped, joint_from
from gpforecast.pipeline.surprise import Surprising
from gpforecast.propagation import MethodLike, Naive, method_named
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.series.checked import values_of
from gpforecast.transforms.bridging import bridge


@known_as("Forecaster")
class Retrospective(Surprising):
    """The parameters of a `gpforecast.Forecaster`, and its methods that look back on a series."""

    def predict_in_sample(self) -> pd.DataFrame:
        """Predict every value of the fitted series one step ahead.

        Returns
        -------
        DataFrame
            On the index and in the units of the series, from the first value that has all its lags:
            ``observed``; ``mean`` and ``std`` of an observation given those before it; and
            ``residual``, observed - mean, smaller than the errors of a forecast, as the model has
            learned from these values. NaN where one or an input is missing, or too few come before.
        """
        fitted = required(self.fitted_)
        y, exog = fitted.known, fitted.exog.past
        times = np.arange(fitted.n_past, len(y))
        origins = Origins.of(fitted, y, fitted.axis, exog, times, 1)
        possible = origins.possible
        n_unknown = np.cumsum(np.append(0, np.isnan(y) | np.isnan(exog).any(axis=1)))
        whole = possible & (n_unknown[times] == n_unknown[times - fitted.n_past])
        whole &= fitted.measurement is None
        mean, var = np.full((2, len(times)), np.nan)
        # At known inputs every method gives the same, and naive iteration costs least.
        for chosen, method in ((whole, Naive()), (possible & ~whole, self.method())):
            if chosen.any():
                with showing(self.progress):
                    joint = joint_from(replace(origins, ends=times[chosen]), method).distribution
                mean[chosen], var[chosen] = joint.mean[:, 0], joint.var[:, 0]
        seen = values_of(fitted.history)[times]
        table = {"observed": seen, "mean": mean, "std": np.sqrt(var), "residual": seen - mean}
        return fitted.axis.labelled(pd.DataFrame(table, fitted.history.index[fitted.n_past :]))

    def fill_missing(self) -> pd.DataFrame:
        """Return the fitted series with its missing values, given all observed ones.

        Returns
        -------
        DataFrame
            On the index and in the units of the series: ``mean``, the value itself where observed,
            and ``std`` of an observation, 0 there (`gpforecast.propagation.missing`). A model
            fitted to ``mean`` treats the filled values as observed.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.mackey_glass(200, noise_var=1e-4, seed=0)
        >>> holes = series.where(~series.index.isin([50, 51, 120]))
        >>> filled = gf.Forecaster(lags=8).fit(holes).fill_missing()
        >>> bool((abs(filled["mean"] - series) < 0.05).all()), int((filled["std"] > 0).sum())
        (True, 3)
        """
        return fill_missing(required(self.fitted_), self.method())

    def smooth(self) -> pd.DataFrame:
        """Return the fitted series without its measurement noise, given all observed values.

        Returns
        -------
        DataFrame
            ``mean`` and ``std`` of what was measured, on the index and in the units of the series;
            as `fill_missing` without such noise. `gpforecast.plotting.smoothed_series` draws it.
        """
        return fill_missing(required(self.fitted_), self.method(), smooth=True)

    def summary(self) -> str:
        """Return what was fitted, as text: transforms and why, lags, model, noise, notes."""
        return summary(required(self.fitted_), self.propagation)


def fill_missing(fitted: Fitted, propagation: MethodLike, *, smooth: bool = False) -> pd.DataFrame:
    """Return mean and std of every value given all observed, as `Forecaster.fill_missing` says.

    Or without measurement noise, as `Forecaster.smooth` says.
    """
    given, y, index = values_of(fitted.history), fitted.known, fitted.history.index
    measured = 0.0 if fitted.measurement is None else fitted.measurement.variance
    chosen = np.isnan(given) | (smooth and measured > 0.0)
    if not chosen.any():
        return fitted.axis.labelled(pd.DataFrame({"mean": given, "std": np.zeros(len(y))}, index))
    last = np.array([len(y) - 1])
    origins = Origins.of(fitted, y, fitted.axis, fitted.exog.past, last, 1)
    chain, times, method = fitted.chain, origins.times, method_named(propagation)
    if chain.n_lost:
        level = chain.forward(y)
        mean, var = bridge(chain, level, times).fill(level)
    else:
        mean, var, n_clipped = origins.gaps(method).filled()
        if n_clipped:
            clipped(n_clipped, len(y), method, fitted.predictive)
        mean, var = chain.undo_one_by_one(mean, var if smooth else var + measured, times)
    if chain.warp is not None:
        mean, var = warped_mean_var(chain.warp, mean, var)
    if (closing := chain.closing) is not None:
        closed = closing.at(times)
        mean = np.where(closed, chain.backward(np.array(closing.level)), mean)
        var = np.where(closed, 0.0, var)
    if fitted.support is not None:
        mean = fitted.support.clip(mean)
    # Observed values are returned exactly.
    std = np.where(chosen, np.sqrt(var), 0.0)
    table = pd.DataFrame({"mean": np.where(chosen, mean, given), "std": std}, index)
    return fitted.axis.labelled(table)
