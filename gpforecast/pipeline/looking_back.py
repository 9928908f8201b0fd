"""What a fitted forecaster says of stretches it knows: fitted values, filled gaps, simulations."""

import copy
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.pipeline.outlook import Outlook, clipped_note
from gpforecast.pipeline.simulation import begin_simulation, one_step_ahead
from gpforecast.propagation import method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import fill
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.forecast import Forecast
from gpforecast.results.quadrature import warped_mean_var
from gpforecast.series.indexes import values_of
from gpforecast.transforms import Standardise
from gpforecast.transforms.bridging import bridged


class LookingBack:
    """The part of a `Forecaster` that looks back, or aside at given inputs."""

    @property
    def _scaler(self: Any) -> Standardise:
        """The last step of the transforms."""
        scaler: Standardise = self.transforms_.linear[-1]
        return scaler

    @property
    def history_(self: Any) -> "pd.Series[float]":
        """The observations a forecast continues, copied."""
        if "history_" not in vars(self):
            raise AttributeError("this Forecaster has no history_ yet; call fit(series) first.")
        history: pd.Series[float] = self._history.copy()
        return history

    @property
    def _history(self: Any) -> "pd.Series[float]":
        """The observations themselves, under the name that `save` writes."""
        history: pd.Series[float] = vars(self)["history_"]
        return history

    @property
    def n_past(self: Any) -> int:
        """How many observed values a forecast needs before its origin."""
        self._require_fit()
        past: int = max(self.transforms_.n_lost + self._inputs.n_past, self._inputs.n_past_exog)
        return past

    def _require_fit(self: Any) -> None:
        if not hasattr(self, "model_"):
            raise RuntimeError("this Forecaster is not fitted yet; call fit(series) first.")

    def _outlook(
        self: Any, y: "pd.Series[float]", exog: FloatArray, ends: IntArray, horizon: int
    ) -> Outlook:
        """Return the fitted model at origins of a series."""
        return Outlook(
            self.model_,
            self.transforms_,
            self._inputs,
            values_of(y),
            self.transforms_.clock.times(y.index, horizon),
            self._exog.scaled(exog) if self._exog else None,
            ends,
            getattr(self, "calibration_", None),  # of an older file: none
        )

    def simulate(
        self: Any, exog: Any, start: Any = None, *, exog_cov: Any = None, propagation: Any = None
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
            ahead: Forecast = self.predict(
                len(exog), exog=exog, exog_cov=exog_cov, propagation=propagation
            )
            return ahead
        history, past, future = begin_simulation(exog, start, self._exog, self.n_past)
        other = copy.copy(self)
        vars(other)["history_"] = history
        other._exog = replace(self._exog, past=past)
        run: Forecast = other.predict(
            len(future), exog=future, exog_cov=exog_cov, propagation=propagation
        )
        return run

    def predict_in_sample(self: Any) -> pd.DataFrame:
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

        Raises
        ------
        RuntimeError
            If called before `fit`.

        Notes
        -----
        Costs one prediction a row; where values are missing in its window, as many more steps.
        """
        self._require_fit()

        reach = self.transforms_.n_lost + self._inputs.n_past if self.transforms_.n_lost else 0
        n_known = np.concatenate([[0], np.cumsum(~np.isnan(values_of(self._history)))])

        def predict(origins: IntArray, method: Any) -> Any:
            known = self._exog.past if self._exog else None
            enough = n_known[origins] >= reach
            mean = np.full((len(origins), 1), np.nan)
            var = np.full((len(origins), 1, 1), np.nan)
            if enough.any():
                found = self.predict_from(
                    self._history, origins[enough], 1, exog=known, propagation=method
                )
                mean[enough], var[enough] = found.mean, found.covariance
            return Propagated(mean, var, var[:, :, 0])

        return one_step_ahead(self._history, self._exog.past, self.n_past, predict)

    def fill_missing(self: Any) -> pd.DataFrame:
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
        `gpforecast.propagation.missing.fill` says how, and what it costs. Of a series that is
        differenced, the missing values are those that make the differences least, and uncertain as
        if these were independent (`gpforecast.transforms.bridging`).

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
        y = values_of(self._history)
        if np.isnan(y).any():
            mean, std = self._filled(y)
        else:
            mean, std = y, np.zeros(len(y))
        return pd.DataFrame({"mean": mean, "std": std}, index=self._history.index)

    def _filled(self: Any, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation of every value, given all that were observed."""
        chain, times = self.transforms_, self.transforms_.clock.times(self._history.index)
        missing = np.isnan(y)
        if chain.n_lost:
            level = y if chain.warp is None else chain.warp.forward(y)
            mean, var = bridged(chain, level, times)
        else:
            method = method_named(self.propagation)
            z = chain.levels(y, times)[-1]
            exog = self._exog.scaled(self._exog.past)
            mean, var, n_clipped = fill(predictive_of(self.model_), method, self._inputs, z, exog)
            if n_clipped:
                note = clipped_note(n_clipped, method.name, len(y))
                warnings.warn(note, NumericalWarning, stacklevel=3)
            mean, var = chain.undo_one_by_one(mean, var, times)
        if chain.warp is not None:
            mean, var = warped_mean_var(chain.warp, mean, var)
        # What was observed stays itself, to the last digit.
        return np.where(missing, mean, y), np.where(missing, np.sqrt(var), 0.0)
