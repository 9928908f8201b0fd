"""What a fitted forecaster says of values that came: the methods that look back on a series."""

import pandas as pd

from gpforecast.common.progress import showing
from gpforecast.common.types import ExogLike, SeriesLike
from gpforecast.pipeline.describe import summary
from gpforecast.pipeline.fitted import Fitted, required
from gpforecast.pipeline.in_sample import fill_missing, predict_in_sample, smooth
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.surprise import Alarm, surprise
from gpforecast.results.surprise import Surprise
from gpforecast.series.frames import as_pandas


class Retrospective(Options):
    """The parameters of a `gpforecast.Forecaster`, and its methods that look back on a series.

    Attributes
    ----------
    fitted_ : Fitted or None
        The result of the fit.
    """

    fitted_: Fitted | None = None

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
        with showing(self.progress):
            return predict_in_sample(fitted, self.method())

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
        return smooth(required(self.fitted_), self.method())

    def surprise(
        self,
        series: SeriesLike | None = None,
        *,
        exog: ExogLike = None,
        horizon: int = 1,
        false_alarms: float | None = None,
        false_discovery_rate: float | None = None,
        patience: int = 4,
        continues: bool = True,
        progress: bool | None = None,
    ) -> Surprise:
        """Return how surprising each value was, given those before it, and flag anomalies.

        A flagged value as rare as 1 in 1000 counts as missing in the forecasts after it, so that
        it does not spoil them, unless several together show that the level or the spread of the
        series has changed (`gpforecast.pipeline.surprise`). Values that are not rare themselves
        are flagged where a run of them is too long for chance (`gpforecast.pipeline.runs`).

        A level shift is told from spikes by the values of one call: it must hold at least
        `patience` + `horizon` - 1 of the new level, 4 by default. With one value a call, a shift
        is a spike or two and then silence. An alarm should pass the newest 12 or so each time, and
        `update` with older ones only.

        Parameters
        ----------
        series : Series or 1-D array-like, optional
            The values that follow the last one of the fit, as for `update`: values and timestamps
            may be missing, and if all are, the result has none that is judged. ``None``: the fitted
            series itself, which the model has learned from, so that its errors are too small and
            fewer values are flagged.
        exog : optional
            Exogenous inputs at the times of `series`.
        horizon : int
            How many steps ahead each value is forecast.
        false_alarms : float, optional
            The share of ordinary values that are flagged: those of no larger tail probability.
            ``None``: 0.001.
        false_discovery_rate : float, optional
            The expected share of false alarms among the flagged values, instead of
            `false_alarms`, by the method of Benjamini and Hochberg.
        patience : int
            So many values must be flagged close together before a change of level or spread is
            considered.
        continues : bool
            False: `series` is a whole series of its own, similar to the fitted one, as for
            `predict_from`.
        progress : bool or None
            Whether to show a bar that counts values. ``None``: the forecaster's setting.

        Returns
        -------
        Surprise

        Raises
        ------
        ValueError
            If the series does not continue that of the fit, it has no values, a whole series has
            none that is known with enough before it, a rate does not lie between 0 and 1, or both
            rates are given.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.mackey_glass(400, noise_var=1e-4, seed=0)
        >>> later = series[300:].copy()
        >>> later[350] += 0.3
        >>> found = gf.Forecaster(lags=8).fit(series[:300]).surprise(later)
        >>> found.flagged["kind"].to_dict()
        {350: 'spike'}
        """
        fitted = required(self.fitted_)
        series = as_pandas(series, "series")
        exog = as_pandas(exog, "exog", series=series)
        alarm = Alarm(false_alarms, false_discovery_rate, patience)
        with showing(progress), showing(self.progress):
            return surprise(
                fitted,
                series,
                self.method(),
                exog=exog,
                horizon=horizon,
                alarm=alarm,
                continues=continues,
            )

    def summary(self) -> str:
        """Return what was fitted, as text: transforms and why, lags, model, noise, notes."""
        return summary(required(self.fitted_), self.propagation)
