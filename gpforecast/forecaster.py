"""The front door: a pandas series in, a `Forecast` out."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import joblib
import numpy as np
import pandas as pd

from gpforecast.embedding import LagEmbedding
from gpforecast.exogenous import Exogenous
from gpforecast.forecast import Forecast
from gpforecast.gaps import with_gaps
from gpforecast.indexes import (
    as_series,
    begins_with,
    check_continues,
    counts_rows_of,
    future_index,
    joined,
    one_column,
    values_of,
)
from gpforecast.lags import select_lags
from gpforecast.models import GaussianProcess
from gpforecast.models.base import Predictive, fit_notes
from gpforecast.posterior import Posterior
from gpforecast.propagation import method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import fill, starts
from gpforecast.propagation.recursion import Inputs, Propagated, propagate
from gpforecast.saving import save
from gpforecast.simulation import begin_simulation, one_step_ahead
from gpforecast.storage.archive import PathLike
from gpforecast.transforms import Standardise
from gpforecast.typing import FloatArray, IntArray
from gpforecast.validation import array_without_infinities, positive_integer
from gpforecast.warnings import NumericalWarning


class Forecaster:
    """Learn one step of a series and forecast many, uncertainty and all.

    The series is standardised, cut into rows of lagged values, and a one-step model learns to
    predict the next value from them. A forecast feeds each predicted distribution back as an
    uncertain input. The result is equivariant: scaling and shifting the series scales and shifts
    its forecast. Only a constant series has no scale of its own: its value stands in, so scaling it
    scales its forecast, but shifting it changes the error bars.

    Parameters
    ----------
    lags : int, list of int or "auto"
        Which past values are inputs: an int n stands for 1..n. ``"auto"`` picks them by partial
        autocorrelation (`gpforecast.lags.select_lags`).
    exog_lags : sequence of int, or mapping from column to sequence of int, optional
        Lags of exogenous columns, counted back from the time that is predicted (0 is that time).
        ``None`` means lag 0 of every column.
    model : one-step model, optional
        Anything from `gpforecast.models`; a `GaussianProcess` by default. It is copied before it
        is fitted.
    propagation : {"exact", "taylor", "cubature", "naive", "monte_carlo"} or an instance
        How a predicted distribution goes through the model; see `gpforecast.propagation`.
    max_rows : int or None
        Train on at most so many rows, chosen at random where there are more, because a Gaussian
        process costs O(rows^3) to train. ``None`` uses all.
    seed : int
        For the choice of rows.

    Attributes
    ----------
    model_ : the fitted one-step model
    lags_ : tuple of int
    n_rows_ : int
        Rows the model learned from.
    history_ : Series
        The observations a forecast continues; a copy, so editing it changes no forecast.
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
        exog_lags: Sequence[int] | Mapping[Any, Sequence[int]] | None = None,
        model: Any = None,
        propagation: Any = "exact",
        max_rows: int | None = 1000,
        seed: int = 0,
    ) -> None:
        if isinstance(lags, str) and lags != "auto":
            raise ValueError(f'lags must be an int, a list of ints or "auto"; got {lags!r}.')
        # Refuses what makes no sense, at once.
        LagEmbedding(1 if isinstance(lags, str) else lags, exog_lags=exog_lags)
        method_named(propagation)
        if max_rows is not None:
            positive_integer(max_rows, "max_rows")
        self.lags = lags
        self.exog_lags = exog_lags
        self.model = model
        self.propagation = propagation
        self.max_rows = max_rows
        self.seed = seed

    def __repr__(self) -> str:
        """Show what differs from the defaults, as the call that would make it."""
        defaults = {
            "exog_lags": None,
            "model": None,
            "propagation": "exact",
            "max_rows": 1000,
            "seed": 0,
        }
        shown = [f"lags={self.lags!r}"]
        shown += [
            f"{name}={getattr(self, name)!r}"
            for name, default in defaults.items()
            if getattr(self, name) is not default and getattr(self, name) != default
        ]
        return f"Forecaster({', '.join(shown)})"

    def fit(self, series: Any, exog: Any = None) -> Self:
        """Learn the one-step map.

        Parameters
        ----------
        series : Series, or 1-D array-like
            On any regular index: dates (time zones too), periods, a range, evenly spaced numbers.
            At least lags + 2 values. Values may be missing (NaN), and so may stamps of the index
            whose place is plain: rows with them are not learned from, and where a forecast reaches
            back to them they are predicted, uncertainty and all. ``notes_`` counts them.
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
        y, exog, missing = with_gaps(series, exog)
        scaler = Standardise.fit(y.dropna().to_numpy()) if len(y) else Standardise(0.0, 1.0)
        bridged = y.interpolate(limit_direction="both")
        lags = select_lags(bridged) if isinstance(self.lags, str) else self.lags
        embedding = LagEmbedding(lags, exog_lags=self.exog_lags)
        inputs = Exogenous.fit(exog, y.index)
        if not inputs and self.exog_lags is not None:
            raise ValueError("exog_lags is given but exog is not; pass fit(series, exog=...).")
        rows = embedding.transform(scaler.transform(y), inputs.labelled())

        notes = list(missing)
        if rows.n_dropped:
            notes.append(f"{rows.n_dropped} rows with a missing value were not learned from")
        X, target = rows.X, rows.y
        if self.max_rows is not None and len(target) > self.max_rows:
            rng = np.random.default_rng(self.seed)
            chosen = np.sort(rng.choice(len(target), self.max_rows, replace=False))
            notes.append(
                f"trained on {self.max_rows} of {len(target)} rows, chosen at random (max_rows)"
            )
            X, target = X[chosen], target[chosen]
        model = GaussianProcess() if self.model is None else copy.deepcopy(self.model)
        if isinstance(model, type) or not (hasattr(model, "fit") and hasattr(model, "predict")):
            raise TypeError(
                f"model must be a one-step model such as gf.models.GaussianProcess(); "
                f"got {model!r}."
            )
        model.fit(X, target)
        notes += fit_notes(model)

        vars(self)["history_"] = y
        self.lags_ = embedding.lags_
        self.model_ = model
        self.n_rows_ = len(target)
        self.notes_ = tuple(notes)
        self._rows = (X, target)
        self._scaler = scaler
        self._exog = inputs
        self._inputs = Inputs(embedding.lags_, embedding.exog_plan(inputs.columns))
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
        result = self._propagate(
            values_of(self._history),
            np.concatenate([self._exog.past, future]),
            np.array([len(self._history)]),
            horizon,
            propagation=propagation,
            exog_cov=covariance,
        )
        method = method_named(self.propagation if propagation is None else propagation)
        notes = self.notes_
        if result.n_clipped:
            notes = (*notes, _clipped(result.n_clipped, method.name, horizon))
        return Forecast(
            mean=pd.Series(result.mean[0], index=index, name="mean"),
            covariance=pd.DataFrame(result.covariance[0], index=index, columns=index),
            latent_var=pd.Series(result.latent_var[0], index=index, name="latent_var"),
            history=self.history_,
            propagation=method.name,
            paths=None if result.paths is None else pd.DataFrame(result.paths[0], index=index),
            notes=notes,
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
    ) -> Propagated:
        """Forecast from many places of a series with the model as it stands, in one batch.

        Parameters
        ----------
        series : Series or 1-D array-like
            Any series of the kind the model was fitted to; NaN where values are missing.
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
        Propagated
            Arrays in the units of the series: ``mean`` (b, h), ``covariance`` (b, h, h),
            ``latent_var`` (b, h), ``paths`` (b, h, n) or None.

        Notes
        -----
        Memory is O(b h^2); cut many origins into several calls.
        """
        self._require_fit()
        y = as_series(series, allow_missing=True)
        horizon = positive_integer(horizon, "horizon")
        origins = np.atleast_1d(np.asarray(origins))
        earliest = self.n_past
        if origins.dtype.kind not in "iu" or origins.ndim != 1 or len(origins) == 0:
            raise ValueError(f"origins must be positions (whole numbers); got {origins!r}.")
        if origins.min() < earliest or origins.max() > len(y):
            raise ValueError(
                f"origins must lie between {earliest} (the lags reach back so far) and {len(y)} "
                f"(the end of the series); got {origins.min()} to {origins.max()}."
            )
        known = self._exog.over(exog, y.index, "the whole series", missing=True)
        if self._exog and origins.max() + horizon > len(y):
            raise ValueError("with exog, every forecast must end within the series.")
        return self._propagate(
            values_of(y), known, origins, horizon, propagation=propagation, n_jobs=n_jobs
        )

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
            Itself, conditioned on the new rows as well; the oldest rows beyond `max_rows` are
            dropped, which `notes_` says. Costs O(rows^3) once.

        Raises
        ------
        RuntimeError, TypeError, ValueError
            If called before `fit`, if the model cannot be conditioned, or if the values are not
            finite numbers that follow the last one. Nothing is changed then.
        """
        self._require_fit()
        if not hasattr(self.model_, "condition"):
            raise TypeError(f"{type(self.model_).__name__} cannot be updated; fit again.")
        new_values = one_column(new_values, "new_values")
        given = array_without_infinities(new_values, "new_values", ndim=1)
        if len(given) == 0:
            raise ValueError("new_values must hold at least one value; got none.")
        history = self._history
        index = future_index(history.index, len(given))
        if isinstance(new_values, pd.Series) and (
            not counts_rows_of(new_values.index, index) or begins_with(new_values, history)
        ):
            check_continues(new_values.index, index)
        later = self._exog.over(exog, index, "the new times", missing=True)
        all_exog = self._exog.extended(later)
        y = pd.Series(
            np.concatenate([history.to_numpy(), given]),
            index=joined(history.index, index),
            name=history.name,
        )
        embedding = LagEmbedding(self.lags_, exog_lags=self.exog_lags)
        rows = embedding.transform(
            self._scaler.transform(y),
            all_exog.labelled(),
        )
        new = np.asarray(rows.index) >= len(history)  # fewer rows than values if some are missing
        X = np.concatenate([self._rows[0], rows.X[new]])
        target = np.concatenate([self._rows[1], rows.y[new]])
        notes = []
        if self.max_rows is not None and len(target) > self.max_rows:
            X, target = X[-self.max_rows :], target[-self.max_rows :]
            notes.append(f"update dropped the oldest rows beyond {self.max_rows} (max_rows)")
        model = self.model_.condition(X, target)
        notes += fit_notes(model)
        self.model_, self._exog = model, all_exog
        vars(self)["history_"] = y
        self._rows, self.n_rows_ = (X, target), len(target)
        self.notes_ += tuple(note for note in notes if note not in self.notes_)
        return self

    def simulate(
        self, exog: Any, start: Any = None, *, exog_cov: Any = None, propagation: Any = None
    ) -> Forecast:
        """Run the model freely on given inputs: its outputs follow from its own earlier ones.

        This is what system identification calls simulation. Beyond the first outputs nothing that
        was measured is fed back, so that errors add up as they will in use.

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

        Raises
        ------
        RuntimeError, TypeError, ValueError
            As `predict`, and if `start` does not fit.

        Notes
        -----
        A simulation of h steps costs h steps of the method and O(h^2 lags) operations, and holds
        a joint covariance of 8 h^2 bytes, three times over while it is made: 6 MB for 500 steps,
        2.4 GB for 10,000. Simulate in stretches beyond that, each from the means at the end of the
        one before; what was uncertain about those is then lost.

        Examples
        --------
        >>> import numpy as np
        >>> import gpforecast as gf
        >>> u = np.sin(np.arange(120) ** 1.3 / 9)
        >>> y = np.zeros(120)
        >>> for t in range(1, 120):
        ...     y[t] = 0.7 * y[t - 1] + 0.5 * np.tanh(u[t - 1])
        >>> fc = gf.Forecaster(lags=1, exog_lags=[1]).fit(y[:60], exog=u[:60])
        >>> run = fc.simulate(u[60:], start=y[60:61])
        >>> run.horizon, bool(abs(run.mean.to_numpy() - y[61:]).max() < 0.05)
        (59, True)
        """
        self._require_fit()
        if start is None:
            return self.predict(len(exog), exog=exog, exog_cov=exog_cov, propagation=propagation)
        history, past, future = begin_simulation(exog, start, self._exog, self.n_past)
        other = copy.copy(self)
        vars(other)["history_"] = history
        other._exog = replace(self._exog, past=past)
        return other.predict(len(future), exog=future, exog_cov=exog_cov, propagation=propagation)

    def predict_in_sample(self) -> pd.DataFrame:
        """Predict every value of the series that was fitted one step ahead.

        Returns
        -------
        DataFrame
            On the index of the series, from the first value with a full window before it: columns
            ``observed``; ``mean`` and ``std`` of an observation given those before it, in the units
            of the series; and ``residual``, observed - mean. The model has learned from these very
            values, so residuals are smaller than errors of a forecast. ``residual`` is NaN where
            the value is missing, and all but ``observed`` where an input at that time is.

        Raises
        ------
        RuntimeError
            If called before `fit`.

        Notes
        -----
        Costs one prediction a row; where values are missing in its window, as many more steps.
        """
        self._require_fit()

        def predict(origins: IntArray, method: Any) -> Propagated:
            known = self._exog.past if self._exog else None
            return self.predict_from(self._history, origins, 1, exog=known, propagation=method)

        return one_step_ahead(self._history, self._exog.past, self.n_past, predict)

    def fill_missing(self) -> pd.DataFrame:
        """Fill the gaps of the series that was fitted, each value given all that were observed.

        Returns
        -------
        DataFrame
            On the index of the series: ``mean``, the value itself where it was observed, and
            ``std``, of an observation in the units of the series, 0 where it was observed. The mean
            can be fitted again; the model then takes what was filled for observed.

        Raises
        ------
        RuntimeError
            If called before `fit`.

        Notes
        -----
        `gpforecast.propagation.missing.fill` says how, and what it costs.

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
        self._require_fit()
        y, exog = self._scaler.transform(self._history), self._exog.scaled(self._exog.past)
        method = method_named(self.propagation)
        mean, var, n_clipped = fill(self._predictive, method, self._inputs, y, exog)
        if n_clipped:
            warnings.warn(_clipped(n_clipped, method.name, len(y)), NumericalWarning, stacklevel=2)
        given = values_of(self._history)  # themselves, to the last digit
        columns = {
            "mean": np.where(np.isnan(given), self._scaler.inverse_mean(mean), given),
            "std": np.sqrt(self._scaler.inverse_var(var)),
        }
        return pd.DataFrame(columns, index=self._history.index)

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
            If something cannot be saved, such as a model of your own; the message names it.
        """
        save(self, path)

    def _propagate(
        self,
        values: FloatArray,  # (n,), units of the series
        exog: FloatArray,  # (n [+ horizon], q), units of the columns
        ends: IntArray,  # (b,)
        horizon: int,
        *,
        propagation: Any = None,
        exog_cov: FloatArray | None = None,
        n_jobs: int | None = None,
    ) -> Propagated:
        """Standardise, run the recursion from every origin, and undo the standardisation."""
        method = method_named(self.propagation if propagation is None else propagation)
        y, known = self._scaler.transform(values), self._exog.scaled(exog)
        start, n_clipped = starts(
            self._predictive, method, self._inputs, y, known, ends, horizon, exog_cov
        )
        n_threads = joblib.cpu_count() if n_jobs is None else joblib.effective_n_jobs(n_jobs)
        result = propagate(
            self._predictive, method, self._inputs, start, horizon, n_threads=n_threads
        )
        result = replace(result, n_clipped=result.n_clipped + n_clipped)
        if result.n_clipped:
            closed = isinstance(self._predictive, Posterior) and method.name != "exact"
            mend = " Exact moments do not need this." if closed else ""
            warnings.warn(
                f"{_clipped(result.n_clipped, method.name, len(ends) * horizon)}.{mend}",
                NumericalWarning,
                stacklevel=3,
            )
        scale = self._scaler
        return Propagated(
            scale.inverse_mean(result.mean),
            scale.inverse_covariance(result.covariance),
            scale.inverse_var(result.latent_var),
            None if result.paths is None else scale.inverse_samples(result.paths),
            result.n_clipped,
        )

    @property
    def history_(self) -> "pd.Series[float]":
        """The observations a forecast continues, copied."""
        if "history_" not in vars(self):
            raise AttributeError("this Forecaster has no history_ yet; call fit(series) first.")
        return self._history.copy()

    @property
    def _history(self) -> "pd.Series[float]":
        """The observations themselves, under the name that `save` writes."""
        history: pd.Series[float] = vars(self)["history_"]
        return history

    @property
    def n_past(self) -> int:
        """How many observed values a forecast needs before its origin."""
        self._require_fit()
        return max(self._inputs.n_past, self._inputs.n_past_exog)

    @property
    def _predictive(self) -> Predictive:
        return predictive_of(self.model_)

    def _require_fit(self) -> None:
        if not hasattr(self, "model_"):
            raise RuntimeError("this Forecaster is not fitted yet; call fit(series) first.")


def _clipped(n: int, method: str, n_steps: int) -> str:
    return (
        f"{n} of {n_steps} variances by the {method} method came out negative and were set to "
        f"their floor"
    )
