"""The forecaster as a model of Nixtla's statsforecast."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from gpforecast.adapters.extras import missing_extra
from gpforecast.adapters.replay import Steps, steps_of
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer
from gpforecast.forecaster import Forecaster

try:
    from statsforecast.models import _TS
except ModuleNotFoundError as error:
    raise missing_extra("statsforecast", error) from None

__all__ = ["GPForecaster"]

Result = dict[str, FloatArray]


class GPForecaster(_TS):
    """`gpforecast.Forecaster` as one of the models of ``StatsForecast(models=[...])``.

    Levels come from the forecaster's own predicted distributions, unless conformal intervals are
    asked for. Fitted values are one-step predictions from the values before them; the first ones,
    which have too few before them for the lags, are the mean of the series.

    Parameters
    ----------
    lags : int, list of int or "auto"
    transforms : "auto", None, a transform or a list of them
    exog_lags : sequence of int, optional
    model : one-step model, optional
    propagation : str or instance
    max_rows : int, None or "auto"
    seed : int
        All as for `gpforecast.Forecaster`.
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

    def __init__(
        self,
        lags: int | Sequence[int] | str = "auto",
        *,
        transforms: Any = "auto",
        exog_lags: Sequence[int] | None = None,
        model: Any = None,
        propagation: Any = "exact",
        max_rows: int | str | None = "auto",
        seed: int = 0,
        alias: str = "GPForecaster",
        prediction_intervals: Any = None,
    ) -> None:
        self.lags = lags
        self.transforms = transforms
        self.exog_lags = exog_lags
        self.model = model
        self.propagation = propagation
        self.max_rows = max_rows
        self.seed = seed
        self.alias = alias
        self.prediction_intervals = prediction_intervals

    def fit(self, y: Any, X: Any = None) -> Self:
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
        self.forecaster_ = self._fitted(y, X)
        self._past = X
        self._store_cs(y=y, X=X)
        return self

    def predict(self, h: int, X: Any = None, level: Sequence[float] | None = None) -> Result:
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
        ahead = _ahead(self._require_fit(), self._known, h, self._past, X)
        return self._with_levels(ahead, level)

    def predict_in_sample(self, level: Sequence[float] | None = None) -> Result:
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
        return _fitted_values(self._require_fit(), self._known, self._past, level)

    def forecast(
        self,
        y: Any,
        h: int,
        X: Any = None,
        X_future: Any = None,
        level: Sequence[float] | None = None,
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
        forecaster = self._fitted(y, X)
        return self._applied(forecaster, y, h, X, X_future, level, fitted)

    def forward(
        self,
        y: Any,
        h: int,
        X: Any = None,
        X_future: Any = None,
        level: Sequence[float] | None = None,
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
        return self._applied(self._require_fit(), y, h, X, X_future, level, fitted)

    def simulate(
        self,
        h: int,
        n_paths: int,
        y: Any = None,
        X: Any = None,
        X_future: Any = None,
        seed: int | None = None,
        error_distribution: str = "normal",
        error_params: Any = None,
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
        ahead = _ahead(self._require_fit(), self._known, h, self._past, X_future)
        return np.ascontiguousarray(ahead.sample(positive_integer(n_paths, "n_paths"), seed=seed).T)

    def _fitted(self, y: Any, X: Any) -> Forecaster:
        forecaster = Forecaster(
            self.lags,
            transforms=self.transforms,
            exog_lags=self.exog_lags,
            model=self.model,
            propagation=self.propagation,
            max_rows=self.max_rows,
            seed=self.seed,
        )
        return forecaster.fit(y, X)

    def _applied(
        self,
        forecaster: Forecaster,
        y: Any,
        h: int,
        X: Any,
        X_future: Any,
        level: Sequence[float] | None,
        fitted: bool,
    ) -> Result:
        values = pd.Series(np.asarray(y, dtype=np.float64))
        result = self._with_levels(_ahead(forecaster, values, h, X, X_future), level, y, X)
        return result | _fitted_values(forecaster, values, X, level) if fitted else result

    def _with_levels(
        self, ahead: Steps, level: Sequence[float] | None, y: Any = None, X: Any = None
    ) -> Result:
        result = {"mean": ahead.mean}
        if level is None or len(level) == 0:
            return result
        if self.prediction_intervals is not None:
            conformal: Result = self._add_conformal_intervals(result, y, X, sorted(level))
            return conformal
        return result | _bounds(ahead, level, "")

    def _require_fit(self) -> Forecaster:
        if not hasattr(self, "forecaster_"):
            raise RuntimeError(f"this {self.alias} is not fitted yet; call fit(y) first.")
        return self.forecaster_

    @property
    def _known(self) -> "pd.Series[float]":
        return self.forecaster_.fitted_.history


def _ahead(
    forecaster: Forecaster, series: "pd.Series[float]", h: int, past: Any, future: Any
) -> Steps:
    steps = np.arange(1, positive_integer(h, "h") + 1)
    if (past is None) != (future is None):
        raise ValueError(
            f"X must be given over the series and over the {h} future steps, or over neither."
        )
    exog = None if past is None else pd.DataFrame(np.concatenate([past, future]))
    return steps_of(forecaster, series, steps, exog)


def _fitted_values(
    forecaster: Forecaster,
    series: "pd.Series[float]",
    past: Any,
    level: Sequence[float] | None,
) -> Result:
    exog = None if past is None else pd.DataFrame(past)
    known = steps_of(forecaster, series, np.arange(1 - len(series), 1), exog)
    return {"fitted": known.mean} | _bounds(known, level or (), "fitted-")


def _bounds(steps: Steps, level: Sequence[float], prefix: str) -> Result:
    """Return the bounds of central intervals, in the order in which statsforecast lists them."""
    rising = sorted(level)
    low = steps.quantile([0.5 - p / 200 for p in rising])
    high = steps.quantile([0.5 + p / 200 for p in rising])
    below = {f"{prefix}lo-{p}": low[:, i] for i, p in enumerate(rising)}
    above = {f"{prefix}hi-{p}": high[:, i] for i, p in enumerate(rising)}
    return dict(reversed(below.items())) | above
