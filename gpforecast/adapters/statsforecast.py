"""The forecaster as a model of Nixtla's statsforecast."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
import pandas as pd

from gpforecast.adapters.parameters import behind, parameters_of
from gpforecast.adapters.replay import Steps, steps_of
from gpforecast.common.imports import missing_extra
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer
from gpforecast.forecaster import Forecaster

try:
    from statsforecast.models import _TS
except ModuleNotFoundError as error:
    raise missing_extra("gpforecast.adapters.statsforecast", "statsforecast", error) from None

__all__ = ["GPForecaster"]

Inputs: TypeAlias = FloatArray | None
Levels: TypeAlias = Sequence[float] | None  # in percent
Result: TypeAlias = dict[str, FloatArray]


@parameters_of(Forecaster, alias="GPForecaster", prediction_intervals=None)
class GPForecaster(_TS):
    """`gpforecast.Forecaster` as one of the models of ``StatsForecast(models=[...])``.

    Levels come from the forecaster's own predicted distributions, unless conformal intervals are
    selected. Fitted values are one-step predictions from the values before them; the first ones,
    which have too few before them for the lags, are the mean of the series.

    Parameters
    ----------
    {parameters}
    alias : str
        Name of the model in tables.
    prediction_intervals : ConformalIntervals, optional
        Statsforecast's conformal intervals, in place of the forecaster's own.

    Attributes
    ----------
    forecaster_ : gpforecast.Forecaster
        Fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from gpforecast.adapters.statsforecast import GPForecaster
    >>> y = np.sin(np.arange(60) / 3)
    >>> sorted(GPForecaster(lags=4).fit(y).predict(h=12, level=[80]))
    ['hi-80', 'lo-80', 'mean']
    """

    uses_exog = True

    def fit(self, y: FloatArray, X: Inputs = None) -> Self:
        """Learn the one-step map.

        Parameters
        ----------
        y : ndarray (n,)
        X : ndarray (n, q), optional
            Exogenous inputs at the same times.

        Returns
        -------
        GPForecaster
            Itself, fitted.
        """
        self.forecaster_ = behind(self, Forecaster).fit(y, X)
        self._past = X
        self._store_cs(y=y, X=X)
        return self

    def predict(self, h: int, X: Inputs = None, level: Levels = None) -> Result:
        """Forecast the h values after the last one of the fit.

        Parameters
        ----------
        h : int
        X : ndarray (h, q), optional
            Exogenous inputs at those times.
        level : sequence of float, optional
            In percent.

        Returns
        -------
        dict of str to ndarray (h,)
            ``mean``, and for each level ``lo-`` and ``hi-`` it.
        """
        return self._with_levels(self._require_fit().ahead(h, X), level)

    def predict_in_sample(self, level: Levels = None) -> Result:
        """Predict the values of the fit, each from those before it.

        Parameters
        ----------
        level : sequence of float, optional
            In percent.

        Returns
        -------
        dict of str to ndarray (n,)
            ``fitted``, and for each level ``fitted-lo-`` and ``fitted-hi-`` it.
        """
        return self._require_fit().in_sample(level)

    def forecast(
        self,
        y: FloatArray,
        h: int,
        X: Inputs = None,
        X_future: Inputs = None,
        level: Levels = None,
        fitted: bool = False,
    ) -> Result:
        """Fit and predict, keeping nothing.

        Parameters
        ----------
        y : ndarray (n,)
        h : int
        X : ndarray (n, q), optional
        X_future : ndarray (h, q), optional
        level : sequence of float, optional
            In percent.
        fitted : bool
            Also return what `predict_in_sample` does.

        Returns
        -------
        dict of str to ndarray
        """
        forecaster = behind(self, Forecaster).fit(y, X)
        end = _End(forecaster, pd.Series(y, dtype=float), X)
        return self._applied(end, h, X_future, level, fitted)

    def forward(
        self,
        y: FloatArray,
        h: int,
        X: Inputs = None,
        X_future: Inputs = None,
        level: Levels = None,
        fitted: bool = False,
    ) -> Result:
        """Apply the fitted model to another series, or to more of the same, without training.

        Parameters
        ----------
        y, h, X, X_future, level, fitted
            As for `forecast`.

        Returns
        -------
        dict of str to ndarray
        """
        end = replace(self._require_fit(), series=pd.Series(y, dtype=float), past=X)
        return self._applied(end, h, X_future, level, fitted)

    def simulate(
        self,
        h: int,
        n_paths: int,
        y: FloatArray | None = None,
        X: Inputs = None,
        X_future: Inputs = None,
        seed: int | None = None,
        error_distribution: str = "normal",
        error_params: object = None,
    ) -> FloatArray:
        """Draw whole futures, jointly over the horizon.

        Parameters
        ----------
        h : int
        n_paths : int
        y, X : ndarray, optional
            Fit to these first.
        X_future : ndarray (h, q), optional
        seed : int, optional
        error_distribution : {"normal"}
            The paths are drawn from the predicted joint distribution, so no other can be had.
        error_params : None

        Returns
        -------
        ndarray (n_paths, h)
        """
        if error_distribution != "normal" or error_params is not None:
            raise ValueError(
                f"the paths come from the predicted joint distribution; leave error_distribution "
                f"at 'normal' and error_params at None; got {error_distribution!r} and "
                f"{error_params!r}."
            )
        if y is not None:
            self.fit(y, X)
        ahead = self._require_fit().ahead(h, X_future)
        return np.ascontiguousarray(ahead.sample(positive_integer(n_paths, "n_paths"), seed=seed).T)

    def _applied(self, end: "_End", h: int, future: Inputs, level: Levels, fitted: bool) -> Result:
        result = self._with_levels(end.ahead(h, future), level, end)
        return result | end.in_sample(level) if fitted else result

    def _with_levels(self, ahead: Steps, level: Levels, end: "_End | None" = None) -> Result:
        result = {"mean": ahead.mean}
        if level is None or len(level) == 0:
            return result
        if self.prediction_intervals is None:
            return result | _bounds(ahead, level, "")
        # Without an end, from the errors that the fit has kept.
        y, X = (None, None) if end is None else (end.series.to_numpy(), end.past)
        conformal: Result = self._add_conformal_intervals(result, y, X, sorted(level))
        return conformal

    def _require_fit(self) -> "_End":
        if not hasattr(self, "forecaster_"):
            raise RuntimeError(f"this {self.alias} is not fitted yet; call fit(y) first.")
        return _End(self.forecaster_, self.forecaster_.history_, self._past)


@dataclass(frozen=True, eq=False)
class _End:
    """The end of a series: a fitted forecaster predicts the steps after it and those before."""

    forecaster: Forecaster
    series: "pd.Series[float]"
    past: Inputs  # (n, q)

    def ahead(self, h: int, future: Inputs) -> Steps:
        """Predict the h values that follow."""
        steps = np.arange(1, positive_integer(h, "h") + 1)
        if (self.past is None) != (future is None):
            raise ValueError(
                f"X must be given over the series and over the {h} future steps, or over neither."
            )
        X = None if self.past is None else pd.DataFrame(np.concatenate([self.past, future]))
        return steps_of(self.forecaster, self.series, steps, X)

    def in_sample(self, level: Levels) -> Result:
        """Predict every known value from those before it."""
        X = None if self.past is None else pd.DataFrame(self.past)
        known = steps_of(self.forecaster, self.series, np.arange(1 - len(self.series), 1), X)
        return {"fitted": known.mean} | _bounds(known, level or (), "fitted-")


def _bounds(steps: Steps, level: Sequence[float], prefix: str) -> Result:
    """Return the bounds of central intervals, in the order in which statsforecast lists them."""
    rising = sorted(level)
    tails = {f"{prefix}lo-{p}": 0.5 - p / 200 for p in reversed(rising)}
    tails |= {f"{prefix}hi-{p}": 0.5 + p / 200 for p in rising}
    return dict(zip(tails, steps.quantile([*tails.values()]).T, strict=True))
