"""The front door: a pandas series in, a `Forecast` out."""

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from gpforecast.automatic.model import row_limit
from gpforecast.automatic.settings import settings_for
from gpforecast.common.progress import asked, bar, checked
from gpforecast.common.validation import positive_integer
from gpforecast.models.base import fit_notes
from gpforecast.pipeline import training
from gpforecast.pipeline.calibration import learned
from gpforecast.pipeline.looking_back import LookingBack
from gpforecast.pipeline.outlook import checked_origins
from gpforecast.pipeline.summary import described, summarise
from gpforecast.propagation import method_named
from gpforecast.propagation.recursion import Inputs
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.gaps import with_gaps
from gpforecast.series.indexes import as_series, future_index, values_of
from gpforecast.storage import restore, save, storable
from gpforecast.storage.archive import PathLike

logger = logging.getLogger(__name__)


@storable
class Forecaster(LookingBack):
    """Learn one step of a series and forecast many, uncertainty and all.

    The series is transformed (logarithm, differences, trend and season, as it needs) and
    standardised, cut into rows of lagged values, and a one-step model learns to predict the next
    value from them. A forecast feeds each predicted distribution back as an uncertain input, and
    the transforms are undone on the joint distribution of the whole horizon.

    Scaling a series scales its forecast, and unless a logarithm or power is taken, shifting it
    shifts its forecast. Only a constant series has no scale of its own: its value stands in, so
    scaling it scales its forecast, but shifting it changes the error bars.

    Parameters
    ----------
    lags : int, list of int or "auto"
        Which past values are inputs: an int n stands for 1..n. ``"auto"`` takes those around the
        season, or chooses them by forecasts of the series' own past (`gpforecast.lags`).
    transforms : "auto", None, a transform or a list of them
        What is done to the series first; see `gpforecast.transforms`. ``"auto"`` tries some on the
        series' own past and says why in `summary`. ``None`` only standardises, which is always
        done last.
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
        Train on at most so many rows, chosen at random where there are more, because a Gaussian
        process costs O(rows^3) to train. ``None`` uses all. ``"auto"`` is 1000 for a model that is
        given, if its cost grows faster than the rows; the default model takes all, a sparse one
        where they are more than 1000.
    seed : int
        For the choice of rows.
    calibrate : {None, "variance", "conformal"}
        Correct the spread of each step by the errors of forecasts from earlier origins of the
        series itself, made by a model fitted to the part before them: ``"variance"`` scales
        standard deviations, ``"conformal"`` the whole marginal, level by level. It takes a second
        fit and up to 300 forecasts; see `gpforecast.pipeline.calibration`.
    progress : bool or None
        Whether to show bars. ``None``: in a terminal or notebook, of what takes more than a second.

    Attributes
    ----------
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

    def __init__(
        self,
        lags: int | Sequence[int] | str = "auto",
        *,
        transforms: Any = "auto",
        exog_lags: Sequence[int] | Mapping[Any, Sequence[int]] | None = None,
        model: Any = None,
        propagation: Any = "exact",
        max_rows: int | str | None = "auto",
        seed: int = 0,
        calibrate: str | None = None,
        progress: bool | None = None,
    ) -> None:
        training.check_settings(lags, exog_lags, transforms, propagation, max_rows, calibrate)
        self.lags = lags
        self.transforms = transforms
        self.exog_lags = exog_lags
        self.model = model
        self.propagation = propagation
        self.max_rows = max_rows
        self.seed = seed
        self.calibrate = calibrate
        self.progress = checked(progress)

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        return described(self)

    def fit(self, series: Any, exog: Any = None) -> Self:
        """Learn the one-step map.

        Parameters
        ----------
        series : Series, or 1-D array-like
            On any regular index: dates (time zones too), periods, a range, evenly spaced numbers.
            At least lags + 2 values, and as many more as differences use up. Values may be missing
            (NaN), and so may stamps of the index whose place is plain: rows with them are not
            learned from, and where a forecast reaches back to them they are predicted, uncertainty
            and all (bridged if the series is differenced, as uncertain as its differences are
            spread). `notes_` counts them.
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
            With a sentence that says what is wrong and what to do. What was fitted before stays.
        """
        with asked(self.progress):
            return self._fit(series, exog)

    def _fit(self, series: Any, exog: Any) -> Self:
        y, exog, missing = with_gaps(series, exog)
        inputs = Exogenous.fit(exog, y.index)
        if not inputs and self.exog_lags is not None:
            raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")
        settings = settings_for(
            y,
            transforms=self.transforms,
            lags=self.lags,
            model=self.model,
            exog=inputs,
            exog_lags=self.exog_lags,
            max_rows=self.max_rows,
        )
        chain = settings.chain
        embedding = LagEmbedding(settings.lags.value, exog_lags=self.exog_lags)
        z = training.transformed(chain, y)
        every, _ = training.embedded(embedding, chain, z, inputs)
        rows = training.training_rows(every, row_limit(self.max_rows, self.model), self.seed)
        model: Any = training.fresh_model(settings.model.value)
        model.fit(rows.X, rows.y)

        vars(self)["history_"] = y
        self.lags_ = embedding.lags_
        self.model_ = model
        self.transforms_ = chain
        self.n_rows_ = len(rows.y)
        lag_0 = training.lag_note(inputs, self.exog_lags)
        self.notes_ = (*missing, *lag_0, *rows.notes, *fit_notes(model))
        self._rows = (rows.X, rows.y)
        self._exog = inputs
        self._inputs = Inputs(embedding.lags_, embedding.exog_plan(inputs.columns))
        self._model_reasons = settings.model.reasons
        self._lags_reason = settings.lags.reason
        self.calibration_ = None
        if self.calibrate is not None:
            with bar("calibrating"):
                self.calibration_, note = learned(self, y, exog)
            self.notes_ += (note,)
        for note in self.notes_:
            logger.info("note: %s", note)
        return self

    def predict(
        self,
        horizon: int,
        *,
        exog: Any = None,
        exog_cov: Any = None,
        propagation: Any = None,
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
        RuntimeError
            If called before `fit`.
        ValueError
            If the horizon is not a positive integer, or exog does not fit.
        TypeError
            If the method needs more than the model offers, such as a closed form; it names the
            methods that work, and the fit is kept for them.

        Notes
        -----
        With exact moments a step costs O(rows^2 lags), and the whole result O(horizon^2) memory.
        """
        self._require_fit()
        horizon = positive_integer(horizon, "horizon")
        index = future_index(self._history.index, horizon)
        future = self._exog.over(exog, index, f"the {horizon} future steps")
        covariance = self._exog.covariance(exog_cov, horizon)
        known = np.concatenate([self._exog.past, future])
        ends = np.array([len(self._history)])
        outlook = self._outlook(self._history, known, ends, horizon)
        method = method_named(self.propagation if propagation is None else propagation)
        with asked(self.progress):
            joint = outlook.joint(method, horizon, exog_cov=covariance)
            trajectory = outlook.trajectory(horizon)[0]
        notes = (*self.notes_, *outlook.remarks(joint, method, horizon))
        return Forecast.of(
            joint.at(0),
            index,
            history=self.history_,
            propagation=method.name,
            notes=notes,
            trajectory=trajectory,
        )

    def predict_from(
        self,
        series: Any,
        origins: Any,
        horizon: int,
        *,
        exog: Any = None,
        propagation: Any = None,
        n_jobs: int | None = None,
    ) -> Distribution:
        """Forecast from many places of a series with the model as it stands, in one batch.

        Parameters
        ----------
        series : Series or 1-D array-like
            Any series of the kind the model was fitted to, NaN where values are missing. Where
            transforms depend on time, its labels tell where it stands; an array is taken to begin
            where the fit began.
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

        Notes
        -----
        Memory is O(b h^2); cut many origins into several calls.
        """
        self._require_fit()
        y = as_series(series, allow_missing=True)
        if not isinstance(series, (pd.Series, pd.DataFrame)):
            y.index = self.transforms_.clock.labels(len(y))
        horizon = positive_integer(horizon, "horizon")
        origins = checked_origins(origins, self.n_past, len(y))
        known = self._exog.over(exog, y.index, "the whole series", missing=True)
        if self._exog and origins.max() + horizon > len(y):
            raise ValueError("with exog, every forecast must end within the series.")
        outlook = self._outlook(y, known, origins, horizon)
        method = self.propagation if propagation is None else propagation
        with asked(self.progress):
            return outlook.joint(method, horizon, n_jobs=n_jobs)

    def update(self, new_values: Any, exog: Any = None) -> Self:
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
            Itself, conditioned on the new rows as well; transforms and calibration stay as fitted,
            so a series that grows or changes needs a `fit` from time to time. The oldest rows
            beyond `max_rows` are dropped, and `notes_` says so. O(rows^3), once.

        Raises
        ------
        RuntimeError, TypeError, ValueError
            If called before `fit`, if the model cannot be conditioned, or if the values are not
            finite numbers that follow the last one. Nothing is changed then.
        """
        self._require_fit()
        if not hasattr(self.model_, "condition"):
            raise TypeError(f"{type(self.model_).__name__} cannot be updated; fit again.")
        history = self._history
        y = training.continued(history, new_values)
        later = y.index[len(history) :]
        self.transforms_.check(values_of(y)[len(history) :], "new_values")
        all_exog = self._exog.extended(self._exog.over(exog, later, "the new times", missing=True))
        embedding = LagEmbedding(self.lags_, exog_lags=self.exog_lags)
        z = training.transformed(self.transforms_, y)
        every, targets = training.embedded(embedding, self.transforms_, z, all_exog)
        new = targets >= len(history)
        limit = row_limit(self.max_rows, self.model)
        rows = training.Rows(*self._rows).followed_by(every.X[new], every.y[new], limit)
        model = self.model_.condition(rows.X, rows.y)
        notes = [*rows.notes, *fit_notes(model)]
        self.model_, self._exog = model, all_exog
        vars(self)["history_"] = y
        self._rows, self.n_rows_ = (rows.X, rows.y), len(rows.y)
        self.notes_ += tuple(note for note in notes if note not in self.notes_)
        return self

    def summary(self) -> str:
        """Return what was fitted, as text: transforms and why, lags, model, rows, noise, notes.

        Returns
        -------
        str

        Raises
        ------
        RuntimeError
            If called before `fit`.
        """
        self._require_fit()
        return summarise(self)

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
            If something cannot be saved, such as a model of your own whose class has no
            `gpforecast.storage.storable` above it; the message names it.
        """
        save(self, path)


def load(path: str | os.PathLike[str]) -> Forecaster:
    """Read a forecaster that `Forecaster.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file: arrays and JSON, no pickle. Reading it runs no code from it, whoever made it.

    Returns
    -------
    Forecaster
        With the settings, the fitted model, the history and the notes it was saved with. Its
        forecasts equal those of the one that was saved, to the last bit on the same machine with
        the same libraries, and it can be updated or backtested like it.

    Raises
    ------
    FileNotFoundError, IsADirectoryError
        If there is no file at `path`.
    ValueError
        If the file is not one of ours, is cut short or changed (its SHA-256 is compared), was
        made by a version with another format, or holds an object of a class of your own whose
        module must be imported first.

    Examples
    --------
    >>> import tempfile
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(100, noise_var=1e-4, seed=0)
    >>> fc = gf.Forecaster(lags=4).fit(series)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fc.save(f"{folder}/mackey-glass.gpf")
    ...     again = gf.load(f"{folder}/mackey-glass.gpf")
    >>> again
    Forecaster(lags=4)
    >>> again.predict(horizon=20).mean.equals(fc.predict(horizon=20).mean)
    True
    """
    return restore(path, Forecaster)
