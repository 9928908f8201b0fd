"""`VectorForecaster`: a frame of series in, their joint forecast out."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from gpforecast.backtesting.plan import Plan
from gpforecast.common.types import ArrayLike, Seed
from gpforecast.pipeline.fitted import checked_horizon, learned
from gpforecast.pipeline.options import naming_parameters
from gpforecast.propagation import MethodLike
from gpforecast.results.vector_forecast import VectorForecast
from gpforecast.series.horizon import Horizon, steps_of
from gpforecast.storage import storable
from gpforecast.vector.backtest import VectorBacktest, backtest
from gpforecast.vector.describe import summary
from gpforecast.vector.fit import VectorOptions, fit_vector
from gpforecast.vector.fitted import FittedVector


@storable
@naming_parameters
@dataclass(eq=False, repr=False)
class VectorForecaster(VectorOptions):
    r"""Forecast several series together: each from its own past and that of the others.

    The model of column i predicts its next value from lags of all columns and from the values of
    the columns before it at the same time,

    .. math:: y_i(t) = f_i(\text{lags of all}, y_1(t), \dots, y_{i-1}(t)) + \epsilon_i(t),

    so that the errors of the columns are correlated: a nonlinear vector autoregression. A forecast
    is the joint distribution of all columns over the whole horizon.

    Parameters
    ----------
    lags : int, list of int or "auto"
        ``"auto"`` selects lags of a column as `Forecaster` does, and lags of the others, and their
        values at the same time, where the evidence of the rows says that they help. Given lags are
        those of all columns in all models, as of a vector autoregression.
    transforms : "auto", None, a transform or a list of them, or a mapping from column to these
        Of each column, as of `Forecaster`.
    model : one-step model, optional
        One for all columns, copied before each is fitted. By default each column has that which
        suits its rows (`gpforecast.automatic.model`).
    propagation : str or an instance
        As of `Forecaster`, but for ``"mixture"``; ``"auto"`` is exact moments, or cubature where a
        model has none.
    combine : "auto" or None
        ``"auto"`` mixes the forecast of each column with its structural models
        (`gpforecast.structural`) and with a linear vector autoregression of all columns
        (`models.MinnesotaAR`), where transforms, lags, model and propagation are all automatic.
    max_rows : int, None or "auto"
        The largest number of training rows of each model, as of `Forecaster`.
    seed : int
        For the choice of rows.
    season_length : int, list of int, "auto" or None
        Steps in a season of each column, as of `Forecaster`.
    label : {"start", "end"}, optional
        Where dates stand in their steps, as of `Forecaster`, for totals.

    Attributes
    ----------
    fitted_ : FittedVector or None
        The result of the fit, of which the others are parts.
    names_ : tuple
        The columns, in their order.
    models_ : dict
        The fitted model of each column.
    inputs_ : dict
        The inputs of each column's model, as pairs (column, lag) in the order of its inputs.
    history_ : DataFrame
        The observations that a forecast continues.
    notes_ : tuple of str
        What the user should know of the fit.

    Notes
    -----
    The order of the columns matters only for which of two values at the same time is an input of
    the other. Values may be missing in any column: rows that they touch are not learned from, and
    a forecast starts before what is missing and is conditioned on all that was observed since.
    The linear vector autoregression counts in a column by how it forecasts the newest quarter of
    its values one step ahead. It has four lags and no season, differences what trends, and needs
    55 times at which all columns are known.
    There are no exogenous inputs, no measurement noise and no support: use `Forecaster` for these.

    References
    ----------
    Lütkepohl (2005), "New introduction to multiple time series analysis", section 2.3.2 (the
    recursive form of correlated noise); Doan, Litterman and Sims (1984), "Forecasting and
    conditional projection using realistic prior distributions" (priors, and conditions).

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal(120)
    >>> y = 0.9 * np.roll(x, 2) + 0.2 * rng.standard_normal(120)  # x drives y two steps later
    >>> forecaster = gf.VectorForecaster().fit(pd.DataFrame({"x": x, "y": y})[2:])
    >>> ("x", 2) in forecaster.inputs_["y"]
    True
    >>> f = forecaster.predict(4, propagation="exact")
    >>> bool(f["y"].std.iloc[0] < 0.5 * f["y"].std.iloc[-1])
    True
    """

    fitted_: FittedVector | None = field(default=None, init=False)

    names_ = learned(lambda fitted: fitted.names)
    models_ = learned(lambda fitted: fitted.models)
    inputs_ = learned(lambda fitted: fitted.inputs)
    history_ = learned(lambda fitted: fitted.observations)
    notes_ = learned(lambda fitted: fitted.notes)

    def fit(self, frame: pd.DataFrame) -> "VectorForecaster":
        """Learn the one-step models of all columns.

        Parameters
        ----------
        frame : DataFrame (n, M)
            A column of numbers for each series, on one regular index; NaN where missing.

        Returns
        -------
        VectorForecaster
            Itself, fitted. If an argument is not valid, an earlier fit is kept.

        Raises
        ------
        TypeError, ValueError
            If the frame does not hold at least two columns of numbers with different names, or
            a column is too short or all missing.
        """
        self.fitted_ = fit_vector(frame, self)
        return self

    def predict(self, horizon: Horizon, *, propagation: MethodLike | None = None) -> VectorForecast:
        """Forecast the values that follow the last ones observed, of all columns.

        Parameters
        ----------
        horizon : int, date, or length of time
            As for `Forecaster.predict`.
        propagation : optional
            A method for this call, instead of the forecaster's.

        Returns
        -------
        VectorForecast

        Raises
        ------
        RuntimeError
            If called before `fit`.
        ValueError
            If the horizon is not a positive integer, or too few values are known to begin with.
        """
        fitted = self._required()
        moments = fitted.axis.ahead(checked_horizon(steps_of(horizon, fitted.axis), None))
        end, m = len(fitted.axis) - fitted.axis.pending, len(fitted.names)
        history = fitted.observations
        known, h, index = fitted.first(end), moments.n_steps, moments.times
        found = known.ahead(np.array([end]), h, self.method(propagation))
        joint = found.distribution.over(np.add.outer(moments.steps * m, np.arange(m)).ravel())
        path = pd.DataFrame(known.trajectory(h)[moments.steps], index, history.columns)
        notes = *fitted.notes, *found.notes
        given = found.name, notes, path, fitted.axis.label
        return VectorForecast(joint, index, history, *given)

    def update(self, new_values: pd.DataFrame) -> "VectorForecaster":
        """Condition on new observations, without searching for hyperparameters again.

        Parameters
        ----------
        new_values : DataFrame
            The values that follow the last ones, with the columns of the fit, NaN where missing.

        Returns
        -------
        VectorForecaster
            Itself. Transforms and inputs stay.

        Raises
        ------
        TypeError, ValueError
            If a model cannot be conditioned, or the values do not follow the last ones. Nothing is
            changed then.
        """
        self.fitted_ = self._required().observe(new_values)
        return self

    def backtest(
        self,
        frame: pd.DataFrame,
        horizon: int,
        *,
        origins: int | ArrayLike = 50,
        train_fraction: float = 0.5,
        refit: int | None = None,
        seed: Seed = 0,
    ) -> VectorBacktest:
        """Forecast from many origins after the training of a copy, and score the forecasts.

        Parameters
        ----------
        frame : DataFrame (n, M)
            NaN where values are missing.
        horizon : int
        origins : int, or sequence of times or int
            How many, at random without repetition (fewer if the frame is too short), or the first
            times to forecast, or their positions.
        train_fraction : float
            The part of the frame that the copy is trained on.
        refit : int or None
            Train again after so many values, on all that comes before the origin. ``None``: one
            training for all origins.
        seed : int, Generator or None
            For the choice of origins.

        Returns
        -------
        VectorBacktest

        Raises
        ------
        TypeError, ValueError
            As `fit`, for the first part of the frame, and if no origin is left.
        """
        plan = Plan(horizon, origins, train_fraction, refit, seed)
        return backtest(frame, partial(fit_vector, options=self), self.method(None), plan)

    def summary(self, column: Hashable | None = None) -> str:
        """Return what forecasts each column, in a few sentences; of one that is named, all of it.

        Parameters
        ----------
        column : hashable, optional
            The name of a column: how it is forecast, with which share of the linear model, why, and
            how to decide otherwise.
        """
        return summary(self._required(), self.propagation, column)
