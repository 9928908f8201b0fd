"""`Forecaster`: a pandas series in, a `Forecast` out."""

from typing import Any, Self

from gpforecast.automatic.effects import table_of
from gpforecast.common.parameters import instance
from gpforecast.common.progress import showing
from gpforecast.common.types import ArrayLike, ExogLike, SeriesLike
from gpforecast.pipeline.describe import candidates_of, head_of
from gpforecast.pipeline.fit import fit
from gpforecast.pipeline.fitted import learned, required
from gpforecast.pipeline.future_inputs import forecast_inputs
from gpforecast.pipeline.observed import ObservedSeries
from gpforecast.pipeline.options import ForecasterBase
from gpforecast.pipeline.predict import joint_from, predict, simulate, within_series
from gpforecast.pipeline.retrospective import Retrospective
from gpforecast.propagation import MethodLike
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.series.coarser import on_days_of
from gpforecast.series.frames import as_pandas
from gpforecast.series.horizon import Horizon
from gpforecast.storage import restore, storable
from gpforecast.storage.archive import PathLike


@storable
class Forecaster(Retrospective):
    """Learn one step of a series and forecast many, with their uncertainty.

    The series is transformed where that helps (logarithm, differences, trend, season). A one-step
    model learns to predict the next value from rows of lagged values. A forecast feeds each
    predicted distribution back as an uncertain input; transforms are undone on the joint one.

    Scaling a series scales its forecast. Shifting a series shifts its forecast, except after a
    logarithm or a power, at a bound, and for a constant series, whose value is used as its scale.

    Parameters
    ----------
    lags : int, list of int or "auto"
        Which past values are inputs; an int n means 1..n. ``"auto"`` selects them by the season or
        by forecasts from the series' own past (`gpforecast.lags`).
    transforms : "auto", None, a transform, its name or a list of them
        Transforms of the series (`gpforecast.transforms`); names are ``"log"``, ``"sqrt"``,
        ``"difference"`` and ``"trend"``. ``"auto"`` selects them by forecasts of
        its own past; `summary` has the reasons. ``None`` only standardises, as is always done.
    exog_lags : sequence of int, or mapping from column to sequence of int, optional
        Lags of exogenous columns, counted back from the time predicted. Lag 0 is the input with the
        same label: name lag 1 of one that acts from its time to the next. ``None``: lag 0; or,
        of inputs of the model beside automatic transforms, 0 to 3, 8 or 20 where forecasts of the
        series' own past are better with them. Automatic `lags` are then tried beside them.
    calendar : a calendar or a list of them (`gpforecast.calendars`), optional
        ``None``: days of the month that come back are detected where ``transforms="auto"`` and
        there are no inputs; ``[]`` detects none.
    model : one-step model, optional
        A model from `gpforecast.models`, or one of your own. It is copied before it is fitted. By
        default that of the candidate of largest weight (`candidates_`): a `BayesianAR`, or a
        Gaussian process, which is an `AveragedGP` for few rows, a `SparseGaussianProcess` for more
        than 1000 and a `GaussianProcess` else. Where transforms are given and lags are not, it is a
        `BayesianAR` if there is a difference or a season. Where lags are given, it is a process, or
        a `BayesianAR` for fewer than 100 differences (`gpforecast.automatic.model`).
    propagation : str or an instance
        How the prediction at an uncertain input is computed; see `gpforecast.propagation`.
    strategy : {"iterated", "direct"}
        ``"direct"`` feeds nothing back: a copy of the model is trained for each lead, and asked at
        the observed lags; their errors are correlated as held-out ones are
        (`gpforecast.pipeline.direct`). Not available with free simulation or measurement noise.
    max_horizon : int, optional
        The longest horizon of direct forecasts, which is the number of models.
    noise : {"process", "measurement", "auto"}, float or array-like
        Whether all noise moves the series, or values were also measured with noise that does not
        (`gpforecast.pipeline.noise`); known variances of that noise, one or one for each value; or
        ``"auto"``, decided by forecasts of the series' own values.
    support : {"auto", "count", "positive"}, (low, high) or None
        The values that are possible: forecasts keep within them (`gpforecast.results.Censored`).
        ``None`` stands for no bound, as in ``(0, None)``.
        ``"auto"`` detects zeros and ones, counts, whole numbers that come near zero and were never
        negative, series that end at zero, and running totals, of which no path turns back, unless
        `transforms` are given.
    combine : "auto" or None
        ``"auto"`` mixes the forecasts with those of further candidates (`candidates_`), structural
        models of level, slope and season (`gpforecast.structural`) among them, where lags,
        transforms, model and propagation are all automatic, without inputs of the model,
        calibration or direct forecasts. ``None`` never does.
    max_rows : int, None or "auto"
        The largest number of training rows, chosen at random: a Gaussian process costs O(rows^3).
        ``None``: all. ``"auto"``: 1000 for a given model whose cost grows faster than the rows.
    seed : int
        For all that is drawn at random: the choice of rows, what the model draws in training
        (where its own seed is 0, the default), and the paths of a `propagation` given by name.
    calibrate : {None, "variance", "conformal", "adaptive"} or bool
        Correct the spread of each step by errors of forecasts of the series' own past by a second
        fit to its first part: ``"variance"`` scales standard deviations, ``"conformal"`` corrects
        the interval of each level, ``"adaptive"`` goes on doing so in `update` and `backtest`.
        ``True`` is ``"conformal"``, ``False`` is ``None``. Structural models are then not used.
    outliers : {"auto", None}
        Whether outliers and episodes are looked for where ``transforms="auto"``, and level shifts,
        a beginning (zeros up to a launch) and an end where the model has no inputs. Outliers, what
        precedes a beginning or an end and what a stuck sensor repeats count as missing, shifts are
        removed; `notes_` has a sentence for each.
    season_length : int, list of int, "auto" or None
        Steps in a season that the series has, such as 12, or several, such as ``[24, 168]``; 1: it
        has none. No other season is looked for; whether it is taken away by differences or by a
        fixed shape, or left to the lags, is still selected. ``"auto"`` and ``None`` look for one.
    label : {"start", "end"}, optional
        Whether dates name the first or the last day of their steps, which says for calendars and
        totals which days a step holds. By default as pandas' `resample` labels the frequency:
        months, quarters and years at the end that their frequency names, hours and days at the
        start, weeks at the end, but weeks labelled by Mondays begin there. Whole months stay such:
        first days of months, with ``"end"``, label the month before. Periods say it themselves.
    prior : Prior, optional
        What is known of the candidates of the automatic choice from other series, such as the
        ``prior`` of a `forecast_panel` that learned; by default what comes with the library.
    progress : bool or None
        Whether to show progress bars. ``None``: in a terminal or notebook, of calls over a second.

    Attributes
    ----------
    fitted_ : Fitted or None
        The result of the fit, of which the others are parts. Before `fit` they, and all methods
        but `fit` and `save`, raise a RuntimeError.
    model_ : the fitted one-step model
    transforms_ : Chain
        The fitted transforms, with reasons if chosen automatically.
    lags_ : tuple of int
    n_rows_ : int
        Rows the model learned from.
    history_ : Series
        A copy of the observations that a forecast continues.
    candidates_ : DataFrame
        The candidates of the automatic choice: ``candidate`` in words, ``weight``, and ``crps`` in
        trial forecasts; none where transforms or lags were given.
    effects_ : DataFrame
        Of each input that is subtracted from the series (`InputEffects`): the ``effect`` of one
        unit, its ``std_error`` and the ``unit`` of both, per cent of the series after a logarithm.
        The clearest comes first; those of 0, last, are no more than chance. Empty if none is more,
        or the model has the inputs.
    calibration_ : Calibration or None
    notes_ : tuple of str
        What the user should know of the fit: outliers, rows left out, numerical trouble.
    n_past : int
        How many observed values a forecast needs.

    Examples
    --------
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    >>> f = gf.Forecaster(lags=16).fit(series).predict(horizon=100)
    >>> f.mean.shape, f.covariance.shape
    ((100,), (100, 100))
    >>> f.to_frame(levels=(80, 95)).columns.tolist()
    ['mean', 'lo-95', 'lo-80', 'hi-80', 'hi-95']
    """

    model_ = learned(lambda fitted: fitted.model)
    transforms_ = learned(lambda fitted: fitted.chain)
    lags_ = learned(lambda fitted: fitted.inputs.lags)
    n_rows_ = learned(lambda fitted: len(fitted.rows.y))
    history_ = learned(lambda fitted: fitted.observations.copy())
    candidates_ = learned(candidates_of)
    effects_ = learned(lambda fitted: table_of(fitted.chain.effects, fitted.chain.warp))
    calibration_ = learned(lambda fitted: fitted.calibration)
    notes_ = learned(lambda fitted: fitted.notes)
    n_past = learned(lambda fitted: fitted.n_past)

    def _head(self) -> tuple[str, ...]:
        """Return the series, the model in words, and where the rest is."""
        return *head_of(self._required()), "All of it, with reasons: print(fc.summary())"

    def fit(self, series: SeriesLike, exog: ExogLike = None) -> Self:
        """Learn the one-step map.

        Parameters
        ----------
        series : Series, or 1-D array-like
            On any regular index: dates (time zones too), periods, a range, evenly spaced numbers.
            At least lags + 2 values, and as many more as differences use up. Values may be missing
            (NaN), and so may timestamps; `notes_` counts them. Rows with them are not learned from.
            A forecast predicts them with their uncertainty, or bridges them in differences. Days of
            the week on which there never is a value are no steps, whether they have rows or not.
        exog : DataFrame, Series or array, optional
            Inputs on the same index, or categories; rows at other times are left out. Missing ones
            have the mean and variance of their column.

        Returns
        -------
        Forecaster
            Itself, fitted. If an argument is not valid, an earlier fit is kept.
        """
        with showing(self.progress):
            self.fitted_ = fit(self, series, exog)
        return self

    def predict(
        self,
        horizon: Horizon,
        *,
        exog: ExogLike = None,
        exog_cov: ArrayLike | None = None,
        propagation: MethodLike | None = None,
    ) -> Forecast:
        """Forecast the values that follow the last one observed.

        Parameters
        ----------
        horizon : int, date, or length of time
            How many steps; or up to a date, such as ``"2026-12"`` (its end included); or a length
            after the last value, such as ``"18 months"``, ``"36h"`` or a ``pandas.DateOffset``.
        exog : DataFrame, Series or array (horizon, columns), or "forecast", optional
            The inputs at the future times, if the fit had some; ``"forecast"`` forecasts them. Rows
            of a frame at other times are left out, and columns that the fit did not have; labels
            may also be 0, 1, ..., horizon - 1.
        exog_cov : array-like, optional
            The uncertainty of these inputs, if they are forecasts: variances (horizon, columns), or
            a joint covariance (horizon * columns, horizon * columns) ordered step by step.
        propagation : optional
            A method for this call.

        Returns
        -------
        Forecast

        Raises
        ------
        ValueError
            If the horizon is not a positive integer, or exog does not fit.
        TypeError
            If the method needs more than the model has.
        """
        fitted, method = required(self.fitted_), self.method(propagation)
        exog = as_pandas(exog, "exog")
        with showing(self.progress):
            if isinstance(exog, str):
                exog, exog_cov = forecast_inputs(fitted, horizon, exog, exog_cov)
            return predict(fitted, horizon, method, exog=exog, exog_cov=exog_cov)

    def predict_from(
        self,
        series: SeriesLike,
        origins: ArrayLike,
        horizon: int,
        *,
        exog: ExogLike = None,
        propagation: MethodLike | None = None,
        n_jobs: int | None = None,
    ) -> Distribution:
        """Forecast from many origins of a series with the model as it stands, in one batch.

        Parameters
        ----------
        series : Series or 1-D array-like
            A series similar to the fitted one. Values and timestamps may be missing, as for `fit`.
            If transforms depend on time, its labels give the times; an array starts at the first
            time of the fit.
        origins : array-like of int (b,)
            Positions in the series with missing timestamps filled in, and without blank rows of
            days of the week that the fitted one leaves out; of a series with a time zone, by its
            clock, where an hour that is repeated is one step: a forecast from origin t uses
            the values before position t and predicts those from t on.
        horizon : int
        exog : optional
            Exogenous inputs over the whole of `series`, future values included.
        propagation : optional
            Another method than the forecaster's own.
        n_jobs : int or None
            Threads; ``None`` uses all cores.

        Returns
        -------
        Distribution
            Arrays in the units of the series: ``mean`` (b, h), ``covariance`` (b, h, h),
            ``latent_var`` (b, h), ``paths`` (b, h, n) or None; quantiles, samples and scores.
            Memory is O(b h^2); split many origins into several calls.
            Sample paths of several origins are other draws than those of one.
        """
        fitted, method = required(self.fitted_), self.method(propagation)
        series, exog = on_days_of(fitted.axis.index, series, exog)
        with showing(self.progress):
            at = within_series(fitted, series, origins, horizon, exog, n_jobs)
            return joint_from(at, method).distribution

    def simulate(
        self,
        exog: SeriesLike,
        start: SeriesLike | None = None,
        *,
        exog_cov: ArrayLike | None = None,
        propagation: MethodLike | None = None,
    ) -> Forecast:
        """Simulate freely on given inputs: each output is predicted from its own earlier ones.

        Parameters
        ----------
        exog : DataFrame, Series or array (n, columns)
            Inputs at n times, on any regular index.
        start : Series or array-like (k,), optional
            The first outputs, at the first k times of `exog`; k is at least the largest lag.
            ``None`` continues the fitted series, and `exog` then starts right after it.
        exog_cov : array-like, optional
            As for `predict`, over the simulated times.
        propagation : optional
            Another method than the forecaster's own.

        Returns
        -------
        Forecast
            The joint distribution of the outputs at the n - k times after the first, or at all n.
            It takes 24 h^2 bytes for h steps: simulate 10,000 in parts, each from the last means.

        Examples
        --------
        >>> import numpy as np
        >>> import gpforecast as gf
        >>> u = np.sin(np.arange(120) ** 1.3 / 9)
        >>> y = np.convolve(np.tanh(u), 0.5 * 0.7 ** np.arange(30))[:120]
        >>> fc = gf.Forecaster(lags=1, exog_lags=[0]).fit(y[:60], exog=u[:60])
        >>> run = fc.simulate(u[60:], start=y[60:61])
        >>> run.horizon, bool(abs(run.mean.to_numpy() - y[61:]).max() < 0.05)
        (59, True)
        """
        fitted, method = required(self.fitted_), self.method(propagation)
        exog, start = as_pandas(exog, "exog"), as_pandas(start, "start")
        with showing(self.progress):
            return simulate(fitted, exog, start, method, exog_cov=exog_cov)

    def update(self, new_values: SeriesLike, exog: ExogLike = None) -> Self:
        """Condition on new observations, without searching for hyperparameters again.

        Parameters
        ----------
        new_values : Series, one-column DataFrame, or 1-D array-like
            The values that follow the last one, NaN where missing. Labels must continue the index;
            timestamps may be missing, after the last one too. Labels 0, 1, 2, ..., as after
            ``reset_index(drop=True)``, are the new values in order, unless the whole history on
            those labels comes first. Without values nothing changes. In a time zone, a value at
            the second of two moments of an hour is left out if that at the first is known already.
        exog : optional
            Exogenous inputs at the same times.

        Returns
        -------
        Forecaster
            Itself, conditioned on the new rows as well, in O(rows^3); value by value if calibration
            is adaptive. The oldest rows beyond `max_rows` are dropped. Transforms stay. Outliers
            among the new values count as missing, if the fit looked for any.

        Raises
        ------
        TypeError, ValueError
            If the model cannot be conditioned, or if the values are not finite numbers that follow
            the last one. Nothing is changed then.
        """
        exog = as_pandas(exog, "exog")
        known = ObservedSeries.at_end(required(self.fitted_), self)
        self.fitted_ = known.observe(new_values, exog).fitted
        return self


FORECASTER = instance(Forecaster, "a Forecaster, such as Forecaster(lags=16)")


def load(path: PathLike) -> Any:
    """Read a forecaster of any class, one series, several or events, that its `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file: arrays and JSON, no pickle. Reading it runs no code from it.

    Returns
    -------
    Forecaster, VectorForecaster or EventForecaster
        As it was saved, fitted or not. On the same machine with the same libraries its forecasts
        are the same to the last bit. `Forecaster.load` returns nothing but a `Forecaster`.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no file at `path`.
    ValueError
        If the file holds no forecaster, is incomplete or changed (by its SHA-256), has another
        version's format, or needs a class whose module is not imported.

    Examples
    --------
    >>> import tempfile
    >>> import gpforecast as gf
    >>> fc = gf.Forecaster(lags=4).fit(gf.datasets.mackey_glass(100, seed=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fc.save(f"{folder}/mackey-glass.gpf")
    ...     again = gf.load(f"{folder}/mackey-glass.gpf")
    >>> again.predict(horizon=20).mean.equals(fc.predict(horizon=20).mean)
    True
    """
    return restore(path, ForecasterBase)
