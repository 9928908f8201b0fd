"""The front door: a pandas series in, a `Forecast` out."""

from typing import Self

import pandas as pd

from gpforecast.common.progress import asked
from gpforecast.common.types import ArrayLike, ExogLike, SeriesLike
from gpforecast.pipeline.describe import described, summary
from gpforecast.pipeline.fit import fit, update
from gpforecast.pipeline.fitted import Fitted, learned, required
from gpforecast.pipeline.in_sample import fill_missing, predict_in_sample
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import predict, predict_from
from gpforecast.pipeline.simulate import simulate
from gpforecast.propagation import MethodLike
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.storage import restore, save, storable
from gpforecast.storage.archive import PathLike


@storable
class Forecaster(Options):
    """Learn one step of a series and forecast many, uncertainty and all.

    The series is transformed (logarithm, differences, trend and season, as it needs) and
    standardised, cut into rows of lagged values, and a one-step model learns to predict the next
    value from them. A forecast feeds each predicted distribution back as an uncertain input, and
    the transforms are undone on the joint distribution of the whole horizon.

    Scaling a series scales its forecast; shifting it shifts its forecast, unless a logarithm or
    power is taken or the series is constant, whose value stands in for the scale that it lacks.

    Parameters
    ----------
    lags : int, list of int or "auto"
        Which past values are inputs: an int n stands for 1..n. ``"auto"`` takes those around the
        season, or chooses them by forecasts of the series' own past (`gpforecast.lags`).
    transforms : "auto", None, a transform or a list of them
        What is done to the series first (`gpforecast.transforms`). ``"auto"`` tries some on its own
        past and says why in `summary`; ``None`` only standardises, which is always done last.
    exog_lags : sequence of int, or mapping from column to sequence of int, optional
        Lags of exogenous columns, counted back from the time that is predicted (0 is that time).
        ``None`` means lag 0 of every column.
    model : one-step model, optional
        Anything from `gpforecast.models`. It is copied before it is fitted. By default a
        `GaussianProcess`; an `AveragedGP` where rows are few, and beyond 1000 rows a
        `SparseGaussianProcess` of all of them (`gpforecast.automatic.model`).
    propagation : {"exact", "taylor", "cubature", "naive", "monte_carlo"} or an instance
        How a predicted distribution goes through the model; see `gpforecast.propagation`.
    max_rows : int, None or "auto"
        Train on at most so many rows, chosen at random, because a Gaussian process costs O(rows^3).
        ``None`` uses all. ``"auto"`` is 1000 for a model that is given, if its cost grows faster
        than the rows; the default model takes all, a sparse one where they are more than 1000.
    seed : int
        For the choice of rows.
    calibrate : {None, "variance", "conformal"}
        Correct the spread of each step by the errors of up to 300 forecasts of the series' own
        past, by a second fit to the part before them (`gpforecast.pipeline.calibration`):
        ``"variance"`` scales standard deviations, ``"conformal"`` the marginal, level by level.
    progress : bool or None
        Whether to show bars. ``None``: in a terminal or notebook, of what takes more than a second.

    Attributes
    ----------
    fitted_ : Fitted or None
        All that was learned; the others are read from it. They, and all methods but `fit` and
        `save`, raise a RuntimeError before `fit`.
    model_ : the fitted one-step model
    transforms_ : Chain
        The fitted transforms, with the reasons if they were chosen automatically.
    lags_ : tuple of int
    n_rows_ : int
        Rows the model learned from.
    history_ : Series
        The observations a forecast continues; a copy, so editing it changes no forecast.
    calibration_ : Calibration or None
    notes_ : tuple of str
        What the user should know of the fit: rows left out, trouble met.
    n_past : int
        How many observed values a forecast needs before its origin.

    Examples
    --------
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    >>> fc = gf.Forecaster(lags=16).fit(series)
    >>> f = fc.predict(horizon=100)
    >>> f.mean.shape, f.covariance.shape
    ((100,), (100, 100))
    >>> f.to_frame(levels=(80, 95)).columns.tolist()
    ['mean', 'lo-95', 'lo-80', 'hi-80', 'hi-95']
    """

    fitted_: Fitted | None = None

    model_ = learned(lambda fitted: fitted.model)
    transforms_ = learned(lambda fitted: fitted.chain)
    lags_ = learned(lambda fitted: fitted.inputs.lags)
    n_rows_ = learned(lambda fitted: len(fitted.rows.y))
    history_ = learned(lambda fitted: fitted.history.copy())
    calibration_ = learned(lambda fitted: fitted.calibration)
    notes_ = learned(lambda fitted: fitted.notes)
    n_past = learned(lambda fitted: fitted.n_past)

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        return described(self, self.fitted_)

    def fit(self, series: SeriesLike, exog: ExogLike = None) -> Self:
        """Learn the one-step map.

        Parameters
        ----------
        series : Series, or 1-D array-like
            On any regular index: dates (time zones too), periods, a range, evenly spaced numbers.
            At least lags + 2 values, and as many more as differences use up. Values may be missing
            (NaN), and so may timestamps whose place is plain: rows with them are not learned from,
            and a forecast that reaches back to them predicts them, uncertainty and all (or bridges
            them, if the series is differenced). `notes_` counts them.
        exog : DataFrame, Series or array, optional
            Exogenous inputs on the same index. What is missing of them before a forecast is taken
            to be as uncertain as the column itself.

        Returns
        -------
        Forecaster
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If it makes no sense; what was fitted before stays.
        """
        with asked(self.progress):
            self.fitted_ = fit(self, series, exog)
        return self

    def predict(
        self,
        horizon: int,
        *,
        exog: ExogLike = None,
        exog_cov: ArrayLike | None = None,
        propagation: MethodLike | None = None,
    ) -> Forecast:
        """Forecast the values that follow the last one observed.

        Parameters
        ----------
        horizon : int
            How many steps.
        exog : DataFrame, Series or array (horizon, columns), optional
            The exogenous inputs at the future times; needed if the model was fitted with some.
            The labels of a frame must be those times, but 0, 1, 2, ... up to horizon - 1, as
            ``reset_index(drop=True)`` leaves them, are the steps in order.
        exog_cov : array-like, optional
            Their uncertainty where they are forecasts themselves: variances (horizon, columns), or
            a joint covariance (horizon * columns, horizon * columns) ordered step by step. Squared
            units of the columns.
        propagation : optional
            Another method than the forecaster's own, for this call.

        Returns
        -------
        Forecast

        Raises
        ------
        ValueError
            If the horizon is not a positive integer, or exog does not fit.
        TypeError
            If the method needs more than the model offers; it names the methods that work.

        Notes
        -----
        With exact moments a step costs O(rows^2 lags), and the whole result O(horizon^2) memory.
        """
        fitted, method = required(self.fitted_), propagation or self.propagation
        with asked(self.progress):
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
        """Forecast from many places of a series with the model as it stands, in one batch.

        Parameters
        ----------
        series : Series or 1-D array-like
            Any of the kind the model was fitted to, NaN where values are missing. Where transforms
            depend on time, its labels tell where it stands; an array begins where the fit began.
        origins : array-like of int (b,)
            Positions: a forecast from origin t knows the values before position t and predicts
            those from t on.
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
            Memory is O(b h^2); cut many origins into several calls.
        """
        fitted, method = required(self.fitted_), propagation or self.propagation
        with asked(self.progress):
            return predict_from(fitted, series, origins, horizon, method, exog=exog, n_jobs=n_jobs)

    def simulate(
        self,
        exog: SeriesLike,
        start: SeriesLike | None = None,
        *,
        exog_cov: ArrayLike | None = None,
        propagation: MethodLike | None = None,
    ) -> Forecast:
        """Run the model freely on given inputs: its outputs follow from its own earlier ones.

        Beyond the first outputs nothing that was measured is fed back, as in system identification:
        errors add up as they will in use.

        Parameters
        ----------
        exog : DataFrame, Series or array (n, columns)
            Inputs at n times, on any regular index.
        start : Series or array-like (k,), optional
            The first outputs, at the first k times of `exog`: at least as many as the lags reach
            back. ``None`` goes on from the series that was fitted; `exog` then begins right after.
        exog_cov : array-like, optional
            As for `predict`, over the simulated times.
        propagation : optional
            Another method than the forecaster's own.

        Returns
        -------
        Forecast
            The joint distribution of the outputs at the n - k times after the first, or at all n.

        Notes
        -----
        A joint covariance of 8 h^2 bytes is held three times over for h steps: 2.4 GB for 10,000.
        Simulate in stretches beyond that, each from the means at the end of the one before.

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
        fitted, method = required(self.fitted_), propagation or self.propagation
        with asked(self.progress):
            return simulate(fitted, exog, start, method, exog_cov=exog_cov)

    def predict_in_sample(self) -> pd.DataFrame:
        """Predict every value of the series that was fitted one step ahead.

        Returns
        -------
        DataFrame
            On the index of the series, from the first value with a full window before it: columns
            ``observed``; ``mean`` and ``std`` of an observation given those before it, in the units
            of the series; and ``residual``, observed - mean. The model has learned from these very
            values, so residuals are smaller than errors of a forecast. ``residual`` is NaN where
            the value is missing, and all but ``observed`` where an input at that time is, or where
            fewer known values come before than differences and lags reach back over.
        """
        fitted = required(self.fitted_)
        with asked(self.progress):
            return predict_in_sample(fitted, self.propagation)

    def fill_missing(self) -> pd.DataFrame:
        """Fill the gaps of the series that was fitted, each value given all that were observed.

        Returns
        -------
        DataFrame
            On the index of the series: ``mean``, the value itself where it was observed, and
            ``std``, of an observation in the units of the series, 0 where it was observed. The mean
            can be fitted again; the model then takes what was filled for observed.

        Notes
        -----
        See `gpforecast.propagation.missing.Gaps`, and `gpforecast.transforms.bridging` for a series
        that is differenced.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.mackey_glass(200, noise_var=1e-4, seed=0)
        >>> holes = series.copy()
        >>> holes.iloc[[50, 51, 120]] = float("nan")
        >>> filled = gf.Forecaster(lags=8).fit(holes).fill_missing()
        >>> bool((abs(filled["mean"] - series) < 0.05).all()), int((filled["std"] > 0).sum())
        (True, 3)
        """
        return fill_missing(required(self.fitted_), self.propagation)

    def update(self, new_values: SeriesLike, exog: ExogLike = None) -> Self:
        """Take in new observations without searching for hyperparameters again.

        Parameters
        ----------
        new_values : Series, one-column DataFrame, or 1-D array-like
            The values that follow the last one, NaN where missing. Labels must continue the index,
            but 0, 1, 2, ..., as ``reset_index(drop=True)`` leaves them, are the new values in
            order, unless they begin with the whole history on those labels.
        exog : optional
            Exogenous inputs at the same times.

        Returns
        -------
        Forecaster
            Itself, conditioned on the new rows as well, in O(rows^3), less the oldest beyond
            `max_rows`. Transforms and calibration stay: a series that changes needs a `fit`.

        Raises
        ------
        TypeError, ValueError
            If the model cannot be conditioned, or if the values are not finite numbers that follow
            the last one. Nothing is changed then.
        """
        self.fitted_ = update(required(self.fitted_), new_values, exog, max_rows=self.row_limit)
        return self

    def summary(self) -> str:
        """Return what was fitted, as text: transforms and why, lags, model, rows, noise, notes."""
        return summary(required(self.fitted_), self.propagation)

    def save(self, path: PathLike) -> None:
        """Write it, fitted or not, to one file without pickle; `gpforecast.load` reads it.

        Parameters
        ----------
        path : str or path-like
            A file that is there already is replaced once the new one is complete.

        Raises
        ------
        FileNotFoundError, IsADirectoryError
            If its folder does not exist, or it is a folder.
        TypeError
            If something cannot be saved, such as a model whose class is not
            `gpforecast.storage.storable`; the message names it.
        """
        save(self, path)


def load(path: PathLike) -> Forecaster:
    """Read a forecaster that `Forecaster.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file: arrays and JSON, no pickle. Reading it runs no code from it, whoever made it.

    Returns
    -------
    Forecaster
        As it was saved, fitted or not. Its forecasts are the same to the last bit on the same
        machine with the same libraries, and it can be updated or backtested.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no file at `path`.
    ValueError
        If the file is not one of ours, was cut short or changed (its SHA-256 is compared), has the
        format of another version, or needs a class of your own whose module is not imported.

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
    return restore(path, Forecaster)
