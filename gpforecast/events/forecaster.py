"""`EventForecaster`: a series of classes in, their probabilities over a horizon out."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from gpforecast.backtesting.plan import Plan
from gpforecast.common.parameters import POSITIVE_INTEGER, Check, check_parameters, parameter
from gpforecast.common.types import ArrayLike, ExogLike, Seed, SeriesLike
from gpforecast.common.validation import is_number
from gpforecast.events.backtest import EventBacktest, backtest
from gpforecast.events.describe import summary
from gpforecast.events.fit import fit_events
from gpforecast.events.fitted import METHOD, FittedEvents, OrderedModel, States
from gpforecast.models import OrdinalGP, RelevanceVectorClassifier
from gpforecast.pipeline.fitted import checked_horizon, learned
from gpforecast.pipeline.options import ForecasterBase, naming_parameters
from gpforecast.propagation import MethodLike
from gpforecast.results.event_forecast import EventForecast
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.frames import as_pandas
from gpforecast.series.horizon import Horizon, steps_of
from gpforecast.storage import storable

_MODEL = Check(
    "an OrdinalGP or a RelevanceVectorClassifier",
    lambda v: isinstance(v, OrdinalGP | RelevanceVectorClassifier),
    TypeError,
)
_SEASON_LENGTH = Check(
    "one number of steps such as 12, 1 for no season, or 'auto'",
    lambda v: v is None or v == "auto" or (is_number(v) and 1.0 <= v < np.inf),
)


@storable
@naming_parameters
@dataclass(eq=False, repr=False)
class EventForecaster(ForecasterBase):
    r"""Forecast events and ordered states: the probability of each class, step by step.

    A model of classes learns the next class from rows of lagged ones, as indicators, and of inputs.
    What it predicts is fed back as the lags of later steps.

    Parameters
    ----------
    lags : int or list of int
        Which past classes are inputs; an int n means 1..n.
    exog_lags : sequence of int, or mapping from column to sequence of int, optional
        Lags of exogenous columns, counted back from the time that is predicted (0 is that time).
        ``None`` means lag 0 of every column. A lag smaller than the horizon needs future values.
    model : OrdinalGP or RelevanceVectorClassifier, optional
        It is copied before it is fitted. Default: an `OrdinalGP` with a linear covariance, which
        lets each lag raise or lower the probabilities by itself, and a squared exponential of one
        length-scale for all inputs, for what they do together. Their variances have a prior, for
        the linear one centred at 0.7 / (number of inputs).
    season_length : number, "auto" or None
        Steps in a season, such as 12; 1: there is none. Its sine and cosine at the predicted time
        are inputs, so that probabilities rise and fall within a season. ``"auto"`` and ``None``:
        that of the index (12 for months, 4 for quarters, 7 for days, 24 for hours), if it raises
        the log evidence by more than a nat, for which the model is fitted twice. Where whole
        seasons repeat, pass the lag of one too, such as ``lags=[1, 2, 7]``.
    propagation : str or an instance
        How classes that are predicted are fed back:

        ``"enumerate"``
            Every class at every step, with its probability. Exact, at a cost that grows as
            :math:`C^L` with C classes and L lags.
        ``"exact"``, ``"taylor"``, ``"cubature"``, ``"naive"``
            Indicators have the mean p and the covariance diag(p) - pp' and stand for a Gaussian
            input, at which the propagation method gives mean and variance of f.
        ``"monte_carlo"``
            Paths of sampled classes. `gpforecast.propagation.MonteCarlo` sets their number and
            seed; a class that no path has gets the probability 0.
        ``"auto"``
            ``"enumerate"`` for up to 4096 pasts; beyond, ``"exact"``, or ``"cubature"`` for
            covariances without exact moments.
    max_rows : int or None
        The largest number of rows to learn from, chosen at random, as training costs O(rows^3).
        ``None``: all.

    Attributes
    ----------
    fitted_ : FittedEvents or None
        The result of the fit, of which the others are parts.
    model_ : OrdinalGP or RelevanceVectorClassifier
    classes_ : tuple
        In their order: the columns of ``probabilities``.
    history_ : Series
        The series that a forecast continues, as ordered categories.
    lags_ : tuple of int
    n_rows_ : int
        Rows the model learned from.
    notes_ : tuple of str
        What the user should know of the fit.

    Notes
    -----
    f is drawn anew at every step, as in the papers; ``MonteCarlo(kind="function")`` draws one
    function for each path.

    References
    ----------
    Lawrence (2011), "Ordinal Noise Model"; Rasmussen and Williams (2006), chapter 3.

    Examples
    --------
    >>> import gpforecast as gf
    >>> busy = gf.datasets.load_sunspots() > 60
    >>> forecaster = gf.EventForecaster(lags=9).fit(busy[:-4])
    >>> f = forecaster.predict(4)
    >>> f.index.equals(busy.index[-4:])
    True
    >>> bool(f.score(busy[-4:])["brier"] < 0.5)
    True
    """

    lags: int | Sequence[int] = 4
    _: KW_ONLY
    exog_lags: Sequence[int] | Mapping[Any, Sequence[int]] | None = None
    model: OrderedModel | None = parameter(None, _MODEL.or_none())
    season_length: float | str | None = parameter("auto", _SEASON_LENGTH)
    propagation: MethodLike = parameter("auto", METHOD)
    max_rows: int | None = parameter(3000, POSITIVE_INTEGER.or_none())
    fitted_: FittedEvents | None = field(default=None, init=False)

    model_ = learned(lambda fitted: fitted.model)
    classes_ = learned(lambda fitted: fitted.classes)
    history_ = learned(lambda fitted: fitted.history)
    lags_ = learned(lambda fitted: fitted.inputs.lags)
    n_rows_ = learned(lambda fitted: fitted.n_rows)
    notes_ = learned(lambda fitted: fitted.notes)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._embedding()

    def fit(self, series: SeriesLike, exog: ExogLike = None) -> "EventForecaster":
        """Learn the next class from those before.

        Parameters
        ----------
        series : Series, or 1-D array-like
            Bools, two labels of any kind, whole numbers, or an ordered Categorical, on any regular
            index. Values may be missing (NaN, None), and so may timestamps: rows with them are left
            out.
        exog : DataFrame, Series or array, optional
            Exogenous inputs on the same index.

        Returns
        -------
        EventForecaster
            Itself, fitted. If an argument is not valid, an earlier fit is kept.

        Raises
        ------
        TypeError, ValueError
            If the classes are not two or ordered, one of them never occurs, the series is too
            short, or exog does not fit.
        """
        self.fitted_ = self._fitted_to(States.of(series, exog))
        return self

    def predict(self, horizon: Horizon, *, exog: ExogLike = None) -> EventForecast:
        """Forecast the classes that follow the last one observed.

        Parameters
        ----------
        horizon : int, date, or length of time
            As for `Forecaster.predict`.
        exog : DataFrame, Series or array (horizon, columns), optional
            The exogenous inputs at the future times; required if the model was fitted with inputs
            of which a lag is smaller than the horizon.

        Returns
        -------
        EventForecast

        Raises
        ------
        RuntimeError
            If called before `fit`.
        ValueError
            If a class among the lags is missing, exog does not fit, or there are too many pasts for
            ``"enumerate"``.
        TypeError
            If the propagation method needs more than the model has.
        """
        fitted = self._required()
        moments = fitted.axis.ahead(checked_horizon(steps_of(horizon, fitted.axis), None))
        end, n = len(fitted.codes) - fitted.axis.pending, moments.n_steps
        exog = moments.inputs(as_pandas(exog, "exog"), "the forecast")
        found = fitted.first(end).ending(exog, n).ahead(np.array([end]), n, self.propagation)
        given = (
            moments.times,
            fitted.history,
            found.name,
            (*fitted.notes, *found.notes),
            moments.places,
        )
        return EventForecast(found.distribution, fitted.classes, *given)

    def update(self, new_values: SeriesLike, exog: ExogLike = None) -> "EventForecaster":
        """Condition on new observations, without searching for hyperparameters again.

        Parameters
        ----------
        new_values : Series, or 1-D array-like
            The classes that follow the last one, None or NaN where missing. Labels must continue
            the index; without labels they are the next values in order.
        exog : optional
            Exogenous inputs at the same times.

        Returns
        -------
        EventForecaster
            Itself, conditioned on the new rows as well; the oldest rows beyond `max_rows` are
            dropped.

        Raises
        ------
        TypeError, ValueError
            If a class is not one of the fit, or the values do not follow the last one. Nothing is
            changed then.
        """
        self.fitted_ = self._required().observe(new_values, as_pandas(exog, "exog"))
        return self

    def backtest(
        self,
        series: SeriesLike,
        horizon: int,
        *,
        origins: int | ArrayLike = 200,
        exog: ExogLike = None,
        train_fraction: float = 0.5,
        refit: int | None = None,
        seed: Seed = 0,
    ) -> EventBacktest:
        """Forecast from many origins after the training of a copy, and score the probabilities.

        Parameters
        ----------
        series : Series or 1-D array-like
            Missing values have no score, and no origin has one among its lags.
        horizon : int
        origins : int, or sequence of times or int
            How many, at random without repetition (fewer if the series is too short), or the first
            times to forecast, or their positions.
        exog : optional
            Exogenous inputs over the whole series.
        train_fraction : float
            The part of the series that the copy is trained on.
        refit : int or None
            Train again after so many values, on all of the series before the origin. ``None``: one
            model for all origins.
        seed : int, Generator or None
            For the choice of origins.

        Returns
        -------
        EventBacktest

        Raises
        ------
        TypeError, ValueError
            As `fit`, for the first part of the series, and if no origin is left.

        Examples
        --------
        >>> import gpforecast as gf
        >>> busy = gf.datasets.load_sunspots() > 60
        >>> result = gf.EventForecaster(lags=9).backtest(busy, 6, origins=40)
        >>> result.scores.columns.tolist()
        ['log_score', 'brier', 'ranked_probability']
        """
        plan = Plan(horizon, origins, train_fraction, refit, seed)
        return backtest(States.of(series, exog), self._fitted_to, self.propagation, plan)

    def summary(self) -> str:
        """Return what was learned and why, in words; calls and other details come last."""
        return summary(self._required(), self.propagation)

    def _embedding(self) -> LagEmbedding:
        """Return where the inputs come from."""
        return LagEmbedding(self.lags, exog_lags=self.exog_lags)

    def _fitted_to(self, states: States) -> FittedEvents:
        check_parameters(self)  # they may have been set since
        given = self._embedding(), self.model, self.max_rows, self.season_length
        return fit_events(states, *given)
