"""From many origins of a series to the joint distributions of what follows them."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.pipeline.calibration import Calibration
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.posteriors.mixture import Mixture
from gpforecast.propagation import Naive, method_named
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.missing import starts
from gpforecast.propagation.recursion import Inputs, Propagated, propagate
from gpforecast.results.distribution import Distribution
from gpforecast.results.propagated import distribution_of
from gpforecast.series.clock import Times
from gpforecast.transforms.bridging import Bridge, bridge
from gpforecast.transforms.compose import Chain

_FAR = 10.0  # standard deviations beyond all that was seen: few series grow so fast


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
    ) -> Distribution:
        """Return the joint distributions by a propagation method."""
        method = method_named(method)
        z = self._undone(method, horizon, exog_cov, n_jobs)
        if z.n_clipped:
            self._warn(z.n_clipped, method, horizon)
        if self.calibration is not None:
            joint = self.calibration.joint(z, self.chain.warp)
        else:
            joint = distribution_of(z, self.chain.warp)
        if note := self._runaway(joint):
            warnings.warn(note, NumericalWarning, stacklevel=3)
        return joint

    def remarks(self, joint: Distribution, method: Any, horizon: int) -> tuple[str, ...]:
        """Say what a user should know of a forecast from here."""
        said = joint.remarks()
        if note := self._runaway(joint):
            said += (note,)
        if joint.n_clipped:
            said += (clipped_note(joint.n_clipped, method.name, self.n_variances(horizon)),)
        return said

    def _runaway(self, joint: Distribution) -> str:
        """Say if a median is far from every value known, as a forecast that ran away is.

        A mean beyond it is a transform's, which the distribution says itself.
        """
        known = self.values[: int(self.ends.max())]
        known = known[~np.isnan(known)]
        if not len(known) or not np.ptp(known) > 1e-9 * np.abs(known).max():
            return ""
        spread = float(np.std(known / np.abs(known).max()) * np.abs(known).max())
        median = joint.quantile([0.5])[..., 0]
        off = np.maximum(median - known.max(), known.min() - median) / spread
        off = np.where(np.isfinite(off), off, 0.0)
        if off.max() <= _FAR:
            return ""
        step = int(np.argmax((off > _FAR).any(axis=0))) + 1
        return (
            f"from step {step} on the median lies up to {off.max():.2g} standard deviations of the "
            f"series beyond all its values: unless the series grows so fast, the forecast has run "
            f'away and its error bars mean nothing; try "monte_carlo", other lags or transforms, '
            f"or another model"
        )

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
        before them are bridged (`gpforecast.transforms.bridging`).
        """
        known = ~np.isnan(self.values[:end])
        last = end - int(np.argmax(known[::-1])) if known.any() else 0
        reach = self.chain.n_lost + self.inputs.n_past
        if known.sum() < reach:
            raise ValueError(
                f"series has too few known values before position {end}, {known.sum()}: a forecast "
                f"from there needs {reach}. Begin at a later place."
            )
        ahead = end - last
        exog, exog_cov = self._exog_of_the_gap(last, ahead, horizon, exog_cov)
        begin = self._clear(last)
        times = Times(self.times.index[begin:last], self.times.first + begin)
        values, warp = self.values[begin:last], self.chain.warp
        level = values if warp is None else warp.forward(values)
        found = bridge(self.chain, level, times)
        values = self.values.copy()
        values[end:] = np.nan
        here = replace(self, values=values, exog=exog, ends=np.array([last]))

        def forecast(missing: FloatArray, by: Any) -> Propagated:
            at = begin + found.places
            here.values[at] = missing if warp is None else warp.backward(missing)
            levels = self.chain.levels(here.values, self.times)
            z = here._propagated(levels, by, horizon + ahead, exog_cov, n_jobs)
            return self.chain.undo(z, levels, here.ends, self.times)

        z = forecast(found.mean, method)
        recent = begin + found.places >= last - reach
        if recent.any() and not isinstance(method, Naive):
            z = _with_bridge(z, found, recent, lambda y: forecast(y, Naive()).mean)
        return Propagated(
            z.mean[:, ahead:],
            z.covariance[:, ahead:, ahead:],
            z.latent_var[:, ahead:],
            None if z.paths is None else z.paths[:, ahead:],
            z.n_clipped,
        )

    def _exog_of_the_gap(
        self, last: int, ahead: int, horizon: int, exog_cov: FloatArray | None
    ) -> tuple[FloatArray | None, FloatArray | None]:
        """Return inputs and their covariance from `last` on; what is missing there is N(0, 1)."""
        if self.exog is None or not ahead:
            return self.exog, exog_cov
        q = self.exog.shape[1]
        lost = np.isnan(self.exog[last : last + ahead]).ravel()
        if exog_cov is None and not lost.any():
            return self.exog, None
        S = np.zeros((horizon * q, horizon * q)) if exog_cov is None else exog_cov
        S = np.pad(S, (ahead * q, 0))
        S[: ahead * q, : ahead * q] = np.diag(lost.astype(float))
        exog = self.exog.copy()
        exog[last : last + ahead] = np.nan_to_num(exog[last : last + ahead], nan=0.0)
        return exog, S

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


def _with_bridge(z: Propagated, bridge: Bridge, recent: BoolArray, mean: Any) -> Propagated:
    """Return a forecast (1, h) with the uncertainty of the bridged values that it starts from.

    `mean` gives the plug-in path (1, h) of bridged values. Along the principal axes of those that
    are `recent` enough to matter, each as long as its standard deviation, the path changes by the
    rows of J: the covariance gains J' J. For a linear model that is exact.
    """
    axes, lengths, _ = np.linalg.svd(bridge.root[recent], full_matrices=False)
    J = []
    for axis in (axes * lengths).T:
        step = np.zeros(len(recent))
        step[recent] = axis
        J.append(0.5 * (mean(bridge.mean + step) - mean(bridge.mean - step))[0])
    half = np.column_stack(J)  # (h, r)
    gain = half @ half.T
    paths = z.paths
    if paths is not None:
        # A stream of its own: not the numbers that the paths were made with.
        rng = np.random.default_rng([1827, paths.shape[-1]])
        paths = paths + half @ rng.standard_normal((half.shape[1], paths.shape[-1]))
    return replace(
        z,
        covariance=z.covariance + gain,
        latent_var=z.latent_var + np.diag(gain),
        paths=paths,
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
