"""From many origins of a series to the joint distributions of what follows them."""

import warnings
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np

from gpforecast.joint import Joint
from gpforecast.posterior import Posterior
from gpforecast.propagation import Naive, method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Inputs, Propagated, Start, propagate
from gpforecast.transforms.clock import Times
from gpforecast.transforms.compose import Chain
from gpforecast.typing import FloatArray, IntArray
from gpforecast.warnings import NumericalWarning


@dataclass(frozen=True, eq=False)
class Outlook:
    """A fitted model at some origins of a series: transform, propagate, undo.

    Attributes
    ----------
    model : fitted one-step model
    chain : Chain
    inputs : Inputs
    values : ndarray (n,)
        In the units of the series.
    times : Times
        Of the values and, where transforms depend on time, of the steps ahead.
    exog : ndarray (n [+ horizon], q) or None
        Scaled exogenous columns.
    ends : ndarray (b,)
        Positions of the origins: the first value forecast from origin t is the one at t.
    """

    model: Any
    chain: Chain
    inputs: Inputs
    values: FloatArray
    times: Times
    exog: FloatArray | None
    ends: IntArray

    def joint(
        self,
        method: Any,
        horizon: int,
        *,
        exog_cov: FloatArray | None = None,
        n_jobs: int | None = None,
    ) -> Joint:
        """Return the joint distributions by a propagation method."""
        method = method_named(method)
        levels = self.chain.levels(self.values, self.times)
        z = self._propagated(levels, method, horizon, exog_cov, n_jobs)
        if z.n_clipped:
            self._warn(z.n_clipped, method, horizon)
        return Joint.of(self.chain.undo(z, levels, self.ends, self.times), self.chain.warp)

    def trajectory(self, horizon: int) -> FloatArray:
        """Return the plug-in path, every prediction taken for a fact, (b, h).

        NaN if it runs away from every finite number.
        """
        levels = self.chain.levels(self.values, self.times)
        try:
            z = self._propagated(levels, Naive(), horizon, None, 1)
        except ValueError:
            return np.full((len(self.ends), horizon), np.nan)
        path = self.chain.undo(z, levels, self.ends, self.times).mean
        return path if self.chain.warp is None else self.chain.warp.backward(path)

    def _propagated(
        self,
        levels: list[FloatArray],
        method: Any,
        horizon: int,
        exog_cov: FloatArray | None,
        n_jobs: int | None,
    ) -> Propagated:
        back = np.arange(-self.inputs.n_past, 0)
        past = levels[-1][self.ends[:, None] + back]
        self._check_past(levels, past)
        known = None
        if self.exog is not None:
            around = np.arange(-self.inputs.n_past_exog, horizon)
            known = self.exog[self.ends[:, None] + around]
        n_threads = joblib.cpu_count() if n_jobs is None else joblib.effective_n_jobs(n_jobs)
        start = Start(past, known, exog_cov)
        return propagate(
            predictive_of(self.model), method, self.inputs, start, horizon, n_threads=n_threads
        )

    def _check_past(self, levels: list[FloatArray], past: FloatArray) -> None:
        """Refuse origins whose past is not known."""
        missing = np.isnan(past[:, [-lag for lag in self.inputs.lags]]).any(axis=1)
        for step, level in zip(self.chain.linear, levels[:-1], strict=True):
            before = level[self.ends[:, None] + np.arange(-step.n_lost, 0)]
            missing |= np.isnan(before).any(axis=1)
        if missing.any():
            end = int(self.ends[np.argmax(missing)])
            reach = self.chain.n_lost + self.inputs.n_past
            bad = np.flatnonzero(np.isnan(self.values[max(end - reach, 0) : end]))
            where = max(end - reach, 0) + int(bad[-1])
            raise ValueError(
                f"the value of series at position {where} is missing (NaN), but a forecast from "
                f"position {end} needs it (it reaches back {reach}); fill it first, for instance "
                f"with Series.interpolate(), or forecast from another place."
            )

    def _warn(self, n_clipped: int, method: Any, horizon: int) -> None:
        closed = isinstance(predictive_of(self.model), Posterior) and method.name != "exact"
        mend = " Exact moments do not need this." if closed else ""
        warnings.warn(
            f"{clipped_note(n_clipped, method.name, len(self.ends) * horizon)}.{mend}",
            NumericalWarning,
            stacklevel=4,
        )


def clipped_note(n: int, method: str, n_steps: int) -> str:
    """Say how many variances came out negative."""
    return (
        f"{n} of {n_steps} variances by the {method} method came out negative and were set to "
        f"their floor"
    )


def checked_origins(origins: Any, earliest: int, n: int) -> IntArray:
    """Return positions from which a series of n values can be forecast, or say what is wrong."""
    where = np.atleast_1d(np.asarray(origins))
    if where.dtype.kind not in "iu" or where.ndim != 1 or len(where) == 0:
        raise ValueError(f"origins must be positions (whole numbers); got {where!r}.")
    if where.min() < earliest or where.max() > n:
        raise ValueError(
            f"origins must lie between {earliest} (the lags reach back so far) and {n} "
            f"(the end of the series); got {where.min()} to {where.max()}."
        )
    return where
