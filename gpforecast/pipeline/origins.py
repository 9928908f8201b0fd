"""Origins of forecasts, also soon after missing values.

A difference to a missing value is missing too, and a forecast that starts from it
would not know its level. Values missing right before the origin are therefore forecast along with
those after it; earlier gaps are bridged (`gpforecast.transforms.bridging`), and the forecast
inherits the uncertainty of the bridge.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, BoolArray, FloatArray, IntArray
from gpforecast.pipeline.fitted import Fitted
from gpforecast.propagation import Method
from gpforecast.propagation.curvature import non_gaussian_note
from gpforecast.propagation.direct import propagate_directly
from gpforecast.propagation.filtering import Checkpoints
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.recursion import Propagated, Start, propagate
from gpforecast.results.mixture import Mixture
from gpforecast.results.warped import check_range
from gpforecast.series.time_axis import TimeAxis
from gpforecast.structural import Ensemble
from gpforecast.transforms.base import Warp
from gpforecast.transforms.bridging import Bridge, bridge

DIRECT = "direct"
"""What forecasts by a model for each lead are named by, instead of a propagation method."""


@dataclass(frozen=True, eq=False)
class Origins:
    """Origins of a series from which a fitted model forecasts: transform, propagate, undo.

    Attributes
    ----------
    fitted : Fitted
    values : ndarray (n,)
        In the units of the series, NaN where missing or after the last origin.
    times : TimeAxis
        Of the values and of the steps ahead.
    exog : ndarray (n [+ horizon], q)
        Scaled exogenous columns.
    ends : ndarray (b,)
        Positions of the origins: the first value forecast from origin t is the one at t.
    horizon : int
    exog_cov : ndarray (horizon * q, horizon * q) or None
        Covariance of the future inputs.
    n_jobs : int or None
        Threads; ``None`` uses all cores.
    checkpoints : Checkpoints
        Where a filter of measured values has been; it goes on from there.
    gap : int
        Number of first steps that fill a gap before the origin itself. They are iterated, not
        direct, and not returned.
    bridge : Bridge or None
        The earlier missing values that were filled in, by their places in the series.
    """

    fitted: Fitted
    values: FloatArray
    times: TimeAxis
    exog: FloatArray
    ends: IntArray
    horizon: int
    exog_cov: FloatArray | None = None
    n_jobs: int | None = None
    checkpoints: Checkpoints = field(default_factory=Checkpoints)
    gap: int = 0
    bridge: Bridge | None = None

    @staticmethod
    def of(
        fitted: Fitted,
        values: FloatArray,
        times: TimeAxis,
        inputs: FloatArray,
        ends: IntArray,
        horizon: int,
        *,
        exog_cov: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> "Origins":
        """Return origins of values (n,) with inputs (n [+ horizon], q), in the units of the user.

        `times` are at least those of the values, and `exog_cov` is as for `Forecaster.predict`.
        """
        located = fitted.chain.axis.locate(times)
        cov = fitted.exog.covariance(exog_cov, horizon)
        return Origins(
            fitted.given(inputs, located.first, cov),
            values,
            located.extended(max(int(ends.max(initial=0)) + horizon - len(located), 0)),
            fitted.exog.scaled(inputs),
            ends,
            horizon,
            fitted.exog.scaled_covariance(cov),
            n_jobs,
        )

    @cached_property
    def levels(self) -> list[FloatArray]:
        """The values before each linear transform, and after the last one, (n,) each."""
        return self.fitted.chain.levels(self.values, self.times)

    @property
    def after_gap(self) -> BoolArray:
        """Which origins depend on a missing value through a difference, (b,)."""
        fitted, ends = self.fitted, self.ends
        if not fitted.chain.n_lost:
            return np.zeros(len(ends), dtype=bool)
        places = ends[:, None] - fitted.sources(self.horizon, self.times)
        missing = np.isnan(self.levels[0])[np.maximum(places, 0)]
        return np.asarray((missing & (places >= 0)).any(axis=1))

    @property
    def possible(self) -> BoolArray:
        """Which origins have all inputs ahead and enough known values before them, (b,)."""
        so_far = np.cumsum(np.append(0, ~np.isnan(self.values)))
        every = self.fitted, *self.fitted.others
        least = max(one.n_back if one.chain.n_lost else min(one.n_past, 1) for one in every)
        unknown = np.isnan(self.exog[self.steps]).any(axis=(1, 2))
        return np.asarray(~unknown & (so_far[self.ends] >= least))

    @property
    def last(self) -> FloatArray:
        """The last known value at each origin, (b,)."""
        known = np.flatnonzero(~np.isnan(self.values))
        return self.values[known[np.searchsorted(known, self.ends) - 1]]

    def follow(self, method: Method) -> Propagated:
        """Follow the model over the horizon, all origins without a gap in one batch.

        The result is in the units of the warp; of `PlugIn` only its mean counts.
        """
        late, ends = self.after_gap, self.ends
        if not late.any():
            return self._followed(method)
        each = [end[None] for end in ends[late]]
        parts = [replace(self, ends=ends[~late])._followed(method)] if not late.all() else []
        parts += [replace(self, ends=end).through_gap()._followed(method) for end in each]
        return Propagated.joined(parts).ahead(np.argsort(np.argsort(late, kind="stable")))

    def moments(self, method: Method) -> FloatArray:
        """Return means and standard deviations, (2, b, h), in the units of the warp.

        Before calibration; NaN where there is no forecast, as too few values are known or it runs
        away.
        """
        try:
            z = self.follow(method)
        except ValueError:
            if len(self.ends) == 1:
                return np.full((2, 1, self.horizon), np.nan)
            halves = (replace(self, ends=ends) for ends in np.array_split(self.ends, 2))
            return np.concatenate([half.moments(method) for half in halves], axis=1)
        return np.stack([z.mean, np.sqrt(z.var)])

    def _followed(self, method: Method) -> Propagated:
        """Return the horizons where no difference is missing."""
        fitted, h, start = self.fitted, self.horizon, self.start(method)
        models, leads = fitted.models, fitted.leads
        if leads is not None:
            every = fitted.predictive, *leads.predictives
            given = leads.correlation, method, fitted.inputs, start, h
            found = propagate_directly(every, *given, iterated=self.gap).made_by(DIRECT)
        else:
            n_threads = 1
            if len(self.ends) > 1:  # counting the cores takes as long as many steps
                from joblib import cpu_count, effective_n_jobs

                n_threads = cpu_count() if self.n_jobs is None else effective_n_jobs(self.n_jobs)
            found = propagate(models, method, start, h, n_threads=n_threads)
            if len(self.ends) == 1 and method.name not in ("naive", "auto"):
                note = non_gaussian_note(models, start, found, float(fitted.rows.y.std()))
                found = replace(found, remarks=(*found.remarks, *filter(None, [note])))
            if fitted.measurement is not None:
                found = found.measured(fitted.measurement.variance, seed=3257)
        found = replace(found, n_clipped=found.n_clipped + start.n_clipped)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            undone = fitted.chain.undo(found, self.levels, self.ends, self.times)
        check_range(undone, fitted.chain.warp)
        if self.bridge is None:
            return undone
        undone = undone.ahead(slice(None), self.gap)
        return (
            undone if method.name == "naive" else self._with_uncertain_bridge(undone, self.bridge)
        )

    def gaps(self, method: Method) -> Gaps:
        """Return what fills in values that are missing or noisy, by a method."""
        fitted, measurement, noise = self.fitted, self.fitted.measurement, None
        if measurement is not None:
            noise = measurement.variances(fitted.chain, self.values, self.times)
        known = self.levels[-1], self.exog, noise
        return Gaps(fitted.predictive, method, fitted.inputs, *known, self.checkpoints)

    def start(self, method: Method) -> Start:
        """Return what is known at each origin; missing values are filled in by the method."""
        X = self.fitted.rows.X
        start = self.gaps(method).starts(self.ends, self.horizon, self.exog_cov)
        learned = np.array([X.min(axis=0), X.max(axis=0)])
        closed = self.fitted.chain.uninformative(self.times)[self.steps]
        ahead = np.where(closed, 0.0, np.nan) if closed.any() else None  # known beforehand
        return replace(start, input_range=learned, ahead=ahead)

    @property
    def steps(self) -> IntArray:
        """The positions of the steps ahead, (b, h)."""
        return np.asarray(self.ends[:, None] + np.arange(self.horizon))

    @property
    def closed(self) -> BoolArray:
        """Which of the steps ahead are at closed times, (b, h)."""
        return np.asarray(self.fitted.chain.closed(self.times)[self.steps])

    def through_gap(self) -> "Origins":
        """Return one origin as that after the last known value, if a difference is missing.

        Earlier gaps are bridged.

        Raises
        ------
        ValueError
            If too few values are known before it.
        """
        if not self.after_gap[0]:
            return self
        fitted, chain, end = self.fitted, self.fitted.chain, int(self.ends[0])
        least, known = fitted.n_back, np.flatnonzero(~np.isnan(self.values[:end]))
        if len(known) < least:
            raise ValueError(
                f"series has too few known values before position {end}, {len(known)}: a forecast "
                f"from there needs {least}. Begin at a later place."
            )
        last = int(known[-1]) + 1
        gap = end - last
        # As many as the bridge has to span, and those that differences lose at both ends.
        enough = least + 4 * chain.n_lost
        begin = int(known[-enough]) if len(known) >= enough else 0
        level, times = chain.forward(self.values[begin:last]), self.times.part(begin, last)
        needed = last - begin - fitted.sources(gap + self.horizon, self.times)
        found = bridge(chain, level, times, needed)
        found = replace(found, places=begin + found.places)
        values, exog, exog_cov = self.values.copy(), self.exog.copy(), self.exog_cov
        values[end:] = np.nan
        lost = np.isnan(exog[last:end])  # inputs that are missing there are N(0, 1)
        if lost.any() or exog_cov is not None:
            exog[last:end][lost] = 0.0
            n = self.horizon * exog.shape[1]
            later = np.zeros((n, n)) if exog_cov is None else exog_cov
            exog_cov = scipy.linalg.block_diag(np.diag(lost.ravel().astype(float)), later)
        longer = replace(
            self,
            values=values,
            exog=exog,
            exog_cov=exog_cov,
            ends=np.array([last]),
            horizon=gap + self.horizon,
            gap=gap,
            bridge=found,
        )
        return longer._bridged_by(found.mean)

    def _bridged_by(self, bridged: FloatArray) -> "Origins":
        """Return it with other values of the bridge (k,), in the units of the warp."""
        assert self.bridge is not None
        values = self.values.copy()
        values[self.bridge.places] = self.fitted.chain.backward(bridged)
        return replace(self, values=values)

    def _with_uncertain_bridge(self, z: Propagated, found: Bridge) -> Propagated:
        """Return a forecast (1, h) with the uncertainty of the bridged values that it starts from.

        Along the principal axes of those that matter, each as long as its standard deviation, the
        plug-in path changes by the rows of J: the covariance gains J' J. For a linear model that is
        exact.
        """
        sources = self.ends[0] - self.fitted.sources(self.horizon, self.times)
        matter = np.isin(found.places, sources)
        if not matter.any():
            return z
        axes, lengths, _ = np.linalg.svd(found.root[matter], full_matrices=False)
        J = []
        for axis in (axes * lengths).T:
            step = np.zeros(len(matter))
            step[matter] = axis
            high, low = (
                self._bridged_by(found.mean + sign * step)._followed(PlugIn()).mean[0]
                for sign in (1.0, -1.0)
            )
            J.append(0.5 * (high - low))
        return z.plus_noise(np.column_stack(J)[None], seed=1827)

    @property
    def without_effects(self) -> FloatArray:
        """The values without what inputs explain, (n,)."""
        chain = self.fitted.chain
        if chain.effects is None:
            return self.values
        return chain.backward(chain.effects.apply(chain.forward(self.values), self.times))

    @property
    def alternatives(self) -> "list[Origins]":
        """The same origins for each of the further one-step models."""
        new = Checkpoints()
        return [replace(self, fitted=one, checkpoints=new) for one in self.fitted.others]

    def mixed(self, ensemble: Ensemble, own: Propagated, method: Method) -> Mixture:
        """Return the mixture of the forecasts of one-step models with those of structural ones."""
        known = self.without_effects, self.ends, self.horizon, self.times
        parts: list[tuple[Propagated, Warp | None]] = [(own, self.fitted.chain.warp)]
        for one in ensemble.members:
            parts.append((self._restored(one.ahead(*known), one.warp), one.warp))
        parts += [(at.follow(method), at.fitted.chain.warp) for at in self.alternatives]
        return ensemble.joint(parts)

    def _restored(self, z: Propagated, warp: Warp | None) -> Propagated:
        """Return a forecast with what inputs explain, and with closed times closed."""
        chain, past = self.fitted.chain, np.empty((len(self.ends), 0))
        if chain.effects is not None:
            z = chain.effects.undo(z, past, self.ends, self.times)
        if chain.closing is not None:
            closing = replace(chain.closing, level=chain.closed_level(warp))
            z = closing.undo(z, past, self.ends, self.times)
        return z
