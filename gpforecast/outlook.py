"""From many origins of a series to the joint distributions of what follows them."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np

from gpforecast.calibration import Calibration
from gpforecast.joint import Joint
from gpforecast.mixture import Mixture
from gpforecast.posterior import Posterior
from gpforecast.propagation import Naive, method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import starts
from gpforecast.propagation.recursion import Inputs, Propagated, propagate
from gpforecast.transforms.bridging import bridged
from gpforecast.transforms.clock import Times
from gpforecast.transforms.compose import Chain
from gpforecast.typing import BoolArray, FloatArray, IntArray
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
    calibration : Calibration or None
        What corrects the spread.
    """

    model: Any
    chain: Chain
    inputs: Inputs
    values: FloatArray
    times: Times
    exog: FloatArray | None
    ends: IntArray
    calibration: Calibration | None = None

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
        z = self._undone(method, horizon, exog_cov, n_jobs)
        if z.n_clipped:
            self._warn(z.n_clipped, method, horizon)
        if self.calibration is not None:
            return self.calibration.joint(z, self.chain.warp)
        return Joint.of(z, self.chain.warp)

    def n_variances(self, horizon: int) -> int:
        """Return how many variances are predicted, those of every part of a mixture."""
        predictive = predictive_of(self.model)
        parts = len(predictive.parts) if isinstance(predictive, Mixture) else 1
        return parts * len(self.ends) * horizon

    def trajectory(self, horizon: int) -> FloatArray:
        """Return the plug-in path, every prediction taken for a fact, (b, h).

        NaN if it runs away from every finite number.
        """
        try:
            path = self._undone(Naive(), horizon, None, 1).mean
        except ValueError:
            return np.full((len(self.ends), horizon), np.nan)
        return path if self.chain.warp is None else self.chain.warp.backward(path)

    def _undone(
        self, method: Any, horizon: int, exog_cov: FloatArray | None, n_jobs: int | None
    ) -> Propagated:
        """Propagate, and undo the linear transforms; in the units of the warp."""
        values = self.values.copy()
        values[int(self.ends.max()) :] = np.nan  # what no origin knows need not suit the transforms
        levels = self.chain.levels(values, self.times)
        ragged = self._ragged(levels[0])
        if not ragged.any():
            z = self._propagated(levels, method, horizon, exog_cov, n_jobs)
            return self.chain.undo(z, levels, self.ends, self.times)
        parts = []
        if not ragged.all():
            whole = replace(self, ends=self.ends[~ragged])
            parts.append(whole._undone(method, horizon, exog_cov, n_jobs))
        for end in self.ends[ragged]:
            parts.append(self._after_gap(int(end), method, horizon, exog_cov, n_jobs))
        order = np.argsort(np.concatenate([np.flatnonzero(~ragged), np.flatnonzero(ragged)]))
        return _gathered(parts, order)

    def _ragged(self, level: FloatArray) -> BoolArray:
        """Which origins reach back to a missing value through a difference, (b,)."""
        if not self.chain.n_lost:
            return np.zeros(len(self.ends), dtype=bool)
        reach = self.chain.n_lost + self.inputs.n_past
        so_far = np.concatenate([[0], np.cumsum(np.isnan(level))])
        ragged: BoolArray = so_far[self.ends] > so_far[np.maximum(self.ends - reach, 0)]
        return ragged

    def _after_gap(
        self, end: int, method: Any, horizon: int, exog_cov: FloatArray | None, n_jobs: int | None
    ) -> Propagated:
        """Forecast from one origin with gaps before it, of a series that is differenced.

        Values missing right before the origin are forecast along with those after it; the gaps
        before them are bridged (`gpforecast.transforms.bridging`) and taken for known.
        """
        known = ~np.isnan(self.values[:end])
        last = end - int(np.argmax(known[::-1])) if known.any() else 0
        reach = self.chain.n_lost + self.inputs.n_past
        if known.sum() < reach:
            raise ValueError(
                f"series has too few known values before position {end}, {known.sum()}: a forecast "
                f"from there needs {reach}. Begin at a later place."
            )
        begin = self._clear(last)
        times = Times(self.times.index[begin:last], self.times.first + begin)
        values, warp = self.values[begin:last], self.chain.warp
        level, _ = bridged(self.chain, values if warp is None else warp.forward(values), times)
        values = self.values.copy()
        values[begin:last] = level if warp is None else warp.backward(level)
        values[end:] = np.nan
        ahead = end - last
        if exog_cov is not None and ahead:
            q = len(exog_cov) // horizon
            exog_cov = np.pad(exog_cov, (ahead * q, 0))
        here = replace(self, values=values, ends=np.array([last]))
        levels = self.chain.levels(values, self.times)
        z = here._propagated(levels, method, horizon + ahead, exog_cov, n_jobs)
        z = self.chain.undo(z, levels, here.ends, self.times)
        return Propagated(
            z.mean[:, ahead:],
            z.covariance[:, ahead:, ahead:],
            z.latent_var[:, ahead:],
            None if z.paths is None else z.paths[:, ahead:],
            z.n_clipped,
        )

    def _clear(self, last: int) -> int:
        """Return a place before `last` with all that a bridge to it needs to know after it."""
        reach = self.chain.n_lost + self.inputs.n_past
        known = ~np.isnan(self.values[:last])
        # As many known values as the bridge has to span, and the lost ones of both ends.
        count = np.cumsum(known[::-1])
        enough = np.flatnonzero(count >= reach + 4 * self.chain.n_lost)
        return max(last - int(enough[0]) - 1, 0) if len(enough) else 0

    def _propagated(
        self,
        levels: list[FloatArray],
        method: Any,
        horizon: int,
        exog_cov: FloatArray | None,
        n_jobs: int | None,
    ) -> Propagated:
        predictive = predictive_of(self.model)
        exog = self.exog
        if exog is None:
            exog = np.empty((len(levels[-1]) + horizon, 0))
        start, n_clipped = starts(
            predictive, method, self.inputs, levels[-1], exog, self.ends, horizon, exog_cov
        )
        n_threads = joblib.cpu_count() if n_jobs is None else joblib.effective_n_jobs(n_jobs)
        z = propagate(predictive, method, self.inputs, start, horizon, n_threads=n_threads)
        return replace(z, n_clipped=z.n_clipped + n_clipped)

    def _warn(self, n_clipped: int, method: Any, horizon: int) -> None:
        closed = isinstance(predictive_of(self.model), Posterior) and method.name != "exact"
        mend = " Exact moments do not need this." if closed else ""
        warnings.warn(
            f"{clipped_note(n_clipped, method.name, self.n_variances(horizon))}.{mend}",
            NumericalWarning,
            stacklevel=4,
        )


def _gathered(parts: list[Propagated], order: IntArray) -> Propagated:
    """Return batches as one, its origins in the given order."""

    def joined(name: str) -> Any:
        arrays = [getattr(part, name) for part in parts]
        return None if arrays[0] is None else np.concatenate(arrays)[order]

    names = ("mean", "covariance", "latent_var", "paths")
    clipped = sum(part.n_clipped for part in parts)
    return Propagated(**{name: joined(name) for name in names}, n_clipped=clipped)


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
