"""The forecaster as sktime knows forecasters."""

from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd

from gpforecast.adapters.parameters import behind, parameters_of
from gpforecast.adapters.replay import Steps, steps_of
from gpforecast.common.imports import missing_extra
from gpforecast.common.types import IntArray
from gpforecast.forecaster import Forecaster
from gpforecast.models import GaussianProcess
from gpforecast.series.checked import checked
from gpforecast.series.time_axis import TimeAxis

try:
    from sktime.forecasting.base import BaseForecaster, ForecastingHorizon
except ModuleNotFoundError as error:
    raise missing_extra("gpforecast.adapters.sktime", "sktime", error) from None

if TYPE_CHECKING:
    from skpro.distributions.base import BaseDistribution

__all__ = ["GPForecaster"]

_PATHS = 1000  # of a joint distribution


@parameters_of(Forecaster)
class GPForecaster(BaseForecaster):
    """`gpforecast.Forecaster` as an sktime forecaster.

    Everything probabilistic comes from one joint Gaussian over the horizon: intervals, quantiles,
    variances, ``predict_var(cov=True)``, and with ``predict_proba(marginal=False)`` 1000 joint
    sample paths as skpro's ``Empirical``.

    A step that is known already (in sample) is predicted one step ahead from the values before it
    with the fitted model. The first values, which have too few before them for the lags, get the
    mean and variance of the series.

    ``update(update_params=True)`` conditions the model on the new values without searching for
    hyperparameters again (a model that cannot be conditioned is trained anew);
    ``update_params=False`` leaves the model and only moves the place it forecasts from.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    forecaster_ : gpforecast.Forecaster
        Fitted.

    Examples
    --------
    >>> from sktime.datasets import load_airline
    >>> from gpforecast.adapters.sktime import GPForecaster
    >>> y = load_airline()
    >>> fc = GPForecaster(lags=12).fit(y, fh=[1, 2, 3])
    >>> fc.predict().index.astype(str).tolist()
    ['1961-01', '1961-02', '1961-03']
    >>> fc.predict_var(cov=True).shape
    (3, 3)
    """

    _tags = {  # noqa: RUF012
        "authors": ["gpforecast developers"],
        "maintainers": ["gpforecast developers"],
        "y_inner_mtype": "pd.Series",
        "X_inner_mtype": "pd.DataFrame",
        "capability:multivariate": False,
        "capability:exogenous": True,
        "capability:categorical_in_X": False,
        "capability:non_contiguous_X": False,
        "capability:missing_values": False,
        "capability:insample": True,
        "capability:pred_int": True,
        "capability:pred_int:insample": True,
        "capability:update": True,
        "capability:unequal_length": True,
        "requires-fh-in-fit": False,
        "X-y-must-have-same-index": True,
    }
    # It keeps its own data, _cur_y and _cur_X; those of sktime stay empty by default.
    _config = {"remember_data": False}  # noqa: RUF012
    _y = None
    _X = None

    def _fit(self, y: "pd.Series[float]", X: pd.DataFrame | None, fh: ForecastingHorizon) -> Self:  # noqa: ARG002
        self._cur_y = checked(y, name="y", complete=True).series
        self._cur_X = None if X is None else X.loc[y.index]
        self._train()
        return self

    def _train(self) -> None:
        self.forecaster_ = behind(self, Forecaster).fit(self._cur_y, self._cur_X)

    def _update(
        self, y: "pd.Series[float]", X: pd.DataFrame | None = None, update_params: bool = True
    ) -> Self:
        new = y[y.index > self._cur_y.index[-1]]
        if len(new):
            TimeAxis(self._cur_y.index).continued_by(new.index, "y", fill=False)
            if (X is None) != (self._cur_X is None):
                raise ValueError("pass X to update if, and only if, it was passed to fit.")
            self._cur_y = checked(pd.concat([self._cur_y, new])).series
            if X is not None:
                self._cur_X = pd.concat([self._cur_X, X.loc[new.index]])
        known = len(self.forecaster_.history_)
        if not update_params or known == len(self._cur_y):
            return self
        if not hasattr(self.forecaster_.model_, "condition"):
            self._train()
            return self
        exog = None if self._cur_X is None else self._cur_X.iloc[known:]
        self.forecaster_.update(self._cur_y.iloc[known:], exog)
        return self

    def _steps(self, fh: ForecastingHorizon, X: pd.DataFrame | None) -> Steps:
        """Predict all steps of the horizon, jointly."""
        cutoff = self.cutoff
        steps: IntArray = np.asarray(fh.to_indexer(cutoff), dtype=np.int64) + 1
        known = int((self._cur_y.index <= cutoff[0]).sum())
        exog = self._exog(known, steps, X)
        return steps_of(self.forecaster_, self._cur_y.iloc[:known], steps, exog)

    def _exog(self, known: int, steps: IntArray, X: pd.DataFrame | None) -> pd.DataFrame | None:
        """Return X at the known times and the steps ahead."""
        horizon = max(int(steps.max()), 0)
        if self._cur_X is None:
            if X is not None:
                raise ValueError("X is given but was not when it was fitted; fit it with X too.")
            return None
        past = self._cur_X.iloc[:known]
        if horizon:
            times = TimeAxis.of(self._cur_y.index[:known]).future(horizon)
            future = past.iloc[:0] if X is None else X.loc[X.index.intersection(times)]
            missing = times.difference(future.index)
            if len(missing):
                raise ValueError(
                    f"it was fitted with X; pass X to predict with a row for each of the {horizon} "
                    f"steps after {self._cur_y.index[known - 1]}, those before the first of fh "
                    f"included: {len(missing)} missing, the first {missing[0]}."
                )
            past = pd.concat([past, future])
        return past

    def _predict(self, fh: ForecastingHorizon, X: pd.DataFrame | None = None) -> "pd.Series[float]":
        mean = self._steps(fh, X).mean
        return pd.Series(mean, index=fh.to_absolute_index(self.cutoff), name=self._cur_y.name)

    def _predict_quantiles(
        self, fh: ForecastingHorizon, X: pd.DataFrame | None, alpha: list[float]
    ) -> pd.DataFrame:
        columns = pd.MultiIndex.from_product([self._get_varnames(), alpha])
        quantiles = self._steps(fh, X).quantile(alpha)
        return pd.DataFrame(quantiles, index=fh.to_absolute_index(self.cutoff), columns=columns)

    def _predict_var(
        self, fh: ForecastingHorizon, X: pd.DataFrame | None = None, cov: bool = False
    ) -> pd.DataFrame:
        steps = self._steps(fh, X)
        index, names = fh.to_absolute_index(self.cutoff), self._get_varnames()
        if not cov:
            return pd.DataFrame(steps.var, index=index, columns=names)
        columns = pd.MultiIndex.from_product([names, index])
        return pd.DataFrame(steps.covariance, index=index, columns=columns)

    def _predict_proba(
        self, fh: ForecastingHorizon, X: pd.DataFrame | None, marginal: bool = True
    ) -> "BaseDistribution":
        from skpro.distributions import Empirical, Normal

        steps = self._steps(fh, X)
        index, columns = fh.to_absolute_index(self.cutoff), pd.Index(self._get_varnames())
        if marginal and steps.is_gaussian:
            mu, sigma = steps.mean[:, None], np.sqrt(steps.var)[:, None]
            return Normal(mu, sigma, index=index, columns=columns)
        paths = steps.sample(_PATHS, seed=self.seed)
        rows = pd.MultiIndex.from_product([range(_PATHS), index], names=["sample", index.name])
        samples = pd.DataFrame(paths.T.reshape(-1, 1), index=rows, columns=columns)
        return Empirical(samples, time_indep=marginal, index=index, columns=columns)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, object]]:  # noqa: ARG003
        """Return parameters for sktime's test suite.

        Parameters
        ----------
        parameter_set : str
            Ignored; there is one list for all.

        Returns
        -------
        list of dict
        """
        # The default model, averaged over hyperparameters, passes too, at twice the time.
        return [
            {"model": GaussianProcess()},
            {
                "lags": [1, 3],
                "transforms": None,
                "model": GaussianProcess(),
                "propagation": "taylor",
                "max_rows": 50,
            },
        ]
