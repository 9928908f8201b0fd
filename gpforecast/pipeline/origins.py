"""Origins of forecasts, also soon after missing values.

A difference to a missing value is missing too, and a forecast that starts from it
would not know its level. Values missing right before the origin are therefore forecast along with
those after it; earlier gaps are bridged (`gpforecast.transforms.bridging`), and the forecast
inherits the uncertainty of the bridge.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.pipeline.fitted import Fitted, FurtherLeads
from gpforecast.pipeline.overflow import check_range
from gpforecast.propagation import Method, Naive
from gpforecast.propagation.curvature import non_gaussian_note
from gpforecast.propagation.direct import propagate_directly
from gpforecast.propagation.filtering import Checkpoints
from gpforecast.propagation.missing import Gaps
from gpforecast.propagation.recursion import Propagated, Start, propagate, trajectory
from gpforecast.series.time_axis import TimeAxis
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
    iterated : int
        Number of first steps that fill a gap before the origin; they are iterated, not direct.
    checkpoints : Checkpoints
        Where a filter of measured values has been; it goes on from there.
    """

    fitted: Fitted
    values: FloatArray
    times: TimeAxis
    exog: FloatArray
    ends: IntArray
    horizon: int
    exog_cov: FloatArray | None = None
    n_jobs: int | None = None
    iterated: int = 0
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

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
        places = ends[:, None] - fitted.sources(self.horizon)
        missing = np.isnan(self.levels[0])[np.maximum(places, 0)]
        return np.asarray((missing & (places >= 0)).any(axis=1))

    def follow(self, method: Method | None) -> Propagated:
        """Follow the model over the horizon, all origins in one batch; no difference is missing.

        Parameters
        ----------
        method : propagation method or None
            ``None`` takes every prediction for a fact: only the mean of the result counts.

        Returns
        -------
        Propagated
            In the units of the warp.
        """
        model, inputs, h = self.fitted.predictive, self.fitted.inputs, self.horizon
        measurement, start = self.fitted.measurement, self.start(method or Naive())
        if self.fitted.leads is not None:
            found = self._direct(self.fitted.leads, method or Naive(), start)
        elif method is None:
            found = Propagated.certain(trajectory(model, inputs, start, h))
        else:
            n_threads = 1
            if len(self.ends) > 1:  # counting the cores takes as long as many steps
                from joblib import cpu_count, effective_n_jobs

                n_threads = cpu_count() if self.n_jobs is None else effective_n_jobs(self.n_jobs)
            found = propagate(model, method, inputs, start, h, n_threads=n_threads)
            if len(self.ends) == 1 and method.name not in ("naive", "auto"):
                note = non_gaussian_note(
                    model, inputs, start, found, float(self.fitted.rows.y.std())
                )
                found = replace(found, remarks=(*found.remarks, *filter(None, [note])))
            if measurement is not None:
                found = found.measured(measurement.variance, seed=3257)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            undone = self.fitted.chain.undo(found, self.levels, self.ends, self.times)
        check_range(undone, self.fitted.chain.warp)
        return undone

    def start(self, method: Method) -> Start:
        """Return what is known at each origin; missing values are filled in by the method."""
        model, inputs = self.fitted.predictive, self.fitted.inputs
        measurement, noise, X = self.fitted.measurement, None, self.fitted.rows.X
        if measurement is not None:
            index = self.times.index[: len(self.values)]
            noise = measurement.variances(self.fitted.chain, self.values, index)
        gaps = Gaps(model, method, inputs, self.levels[-1], self.exog, noise, self.checkpoints)
        learned = np.array([X.min(axis=0), X.max(axis=0)])
        given, whole = (self.ends, self.horizon, self.exog_cov), self.fitted.leads is not None
        return replace(
            gaps.starts(*given, whole=whole), input_range=learned, ahead=self._known_ahead()
        )

    @property
    def closed(self) -> BoolArray:
        """Which of the steps ahead are at closed times, (b, h)."""
        closing, steps = self.fitted.chain.closing, self.ends[:, None] + np.arange(self.horizon)
        if closing is None:
            return np.zeros(steps.shape, dtype=bool)
        return np.asarray(closing.at(self.times)[steps])

    def _known_ahead(self) -> FloatArray | None:
        """Return the transformed values that are known beforehand, (b, h), NaN for all others."""
        if self.fitted.leads is not None:
            return None
        steps = self.ends[:, None] + np.arange(self.horizon)
        closed = self.fitted.chain.uninformative(self.times)[steps]
        return np.where(closed, 0.0, np.nan) if closed.any() else None

    def _direct(self, leads: FurtherLeads, method: Method, start: Start) -> Propagated:
        """Ask the model of each lead what it predicts from what is known at the origins."""
        every = self.fitted.predictive, *leads.predictives
        given = leads.correlation, method, self.fitted.inputs, start, self.horizon
        return propagate_directly(every, *given, iterated=self.iterated).made_by(DIRECT)


def follow(origins: Origins, method: Method | None) -> Propagated:
    """Return the horizons of all origins, as `Origins.follow` does where nothing is missing."""
    after_gap, ends = origins.after_gap, origins.ends
    if not after_gap.any():
        return origins.follow(method)
    parts = []
    if not after_gap.all():
        parts.append(replace(origins, ends=ends[~after_gap]).follow(method))
    parts += [_follow_after_gap(origins, int(end), method) for end in ends[after_gap]]
    order = np.argsort(after_gap, kind="stable")
    return Propagated.joined(parts).ahead(np.argsort(order))


@dataclass(frozen=True, eq=False)
class Bridged:
    """An origin soon after missing values of a series that is differenced.

    Attributes
    ----------
    origins : Origins
        The one after the last known value, from which on it is forecast; earlier gaps are bridged.
    gap : int
        How many steps it lies before the origin itself.
    bridge : Bridge
    places : ndarray (k,)
        Of the bridged values, in the series.
    """

    origins: Origins
    gap: int
    bridge: Bridge
    places: IntArray

    def filled(self, bridged: FloatArray) -> Origins:
        """Return it with other bridged values (k,), in the units of the warp."""
        values = self.origins.values.copy()
        values[self.places] = self.origins.fitted.chain.backward(bridged)
        return replace(self.origins, values=values)

    def levels(self, end: int) -> list[FloatArray]:
        """Return the values before each linear step, (n,) each; those of the gap are bridged too.

        Parameters
        ----------
        end : int
            Position of the origin itself.
        """
        chain, times = self.origins.fitted.chain, self.origins.times
        values, last = self.origins.values.copy(), int(self.origins.ends[0])
        begin = max(0, last - self.origins.fitted.n_back - 4 * chain.n_lost)
        found = bridge(chain, chain.forward(values[begin:end]), times.part(begin, end))
        values[begin + found.places] = chain.backward(found.mean)
        return chain.levels(values, times)


def bridged(origins: Origins, end: int) -> Bridged:
    """Return the origin at `end`, soon after missing values.

    Raises
    ------
    ValueError
        If too few values are known before it.
    """
    chain, least = origins.fitted.chain, origins.fitted.n_back
    known = np.flatnonzero(~np.isnan(origins.values[:end]))
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
    level = chain.forward(origins.values[begin:last])
    needed = None  # of noisy values, a filter takes older ones as well
    if origins.fitted.measurement is None:
        needed = last - begin - origins.fitted.sources(gap + origins.horizon)
    found = bridge(chain, level, origins.times.part(begin, last), needed)
    exog, exog_cov = _inputs_from(last, gap, origins)
    values = origins.values.copy()
    values[end:] = np.nan
    longer = replace(
        origins,
        values=values,
        exog=exog,
        ends=np.array([last]),
        horizon=gap + origins.horizon,
        iterated=gap,
        exog_cov=exog_cov,
    )
    made = Bridged(longer, gap, found, begin + found.places)
    return replace(made, origins=made.filled(found.mean))


def _follow_after_gap(origins: Origins, end: int, method: Method | None) -> Propagated:
    """Return the horizon of the origin at `end`."""
    at = bridged(origins, end)
    z, last = at.origins.follow(method), int(at.origins.ends[0])
    sources = origins.fitted.sources(at.origins.horizon)
    matter = np.isin(at.places, last - sources)
    if matter.any() and method is not None and method.name != "naive":
        z = _with_uncertain_bridge(
            z, at.bridge, matter, lambda y: at.filled(y).follow(None).mean[0]
        )
    return z.ahead(slice(None), at.gap)


def _inputs_from(last: int, gap: int, origins: Origins) -> tuple[FloatArray, FloatArray | None]:
    """Return inputs and their covariance from `last` on; what is missing there is N(0, 1)."""
    exog, exog_cov = origins.exog.copy(), origins.exog_cov
    within = exog[last : last + gap]
    lost = np.isnan(within).ravel()
    if exog_cov is None:
        if not lost.any():
            return exog, None
        n = origins.horizon * exog.shape[1]
        exog_cov = np.zeros((n, n))
    exog[last : last + gap] = np.nan_to_num(within, nan=0.0)
    return exog, scipy.linalg.block_diag(np.diag(lost.astype(float)), exog_cov)


def _with_uncertain_bridge(
    z: Propagated, found: Bridge, matter: BoolArray, path: Callable[[FloatArray], FloatArray]
) -> Propagated:
    """Return a forecast (1, h) with the uncertainty of the bridged values that it starts from.

    `path` gives the plug-in path (h,) of bridged values. Along the principal axes of those that
    `matter`, each as long as its standard deviation, the path changes by the rows
    of J: the covariance gains J' J. For a linear model that is exact.
    """
    axes, lengths, _ = np.linalg.svd(found.root[matter], full_matrices=False)
    J = []
    for axis in (axes * lengths).T:
        step = np.zeros(len(matter))
        step[matter] = axis
        J.append(0.5 * (path(found.mean + step) - path(found.mean - step)))
    return z.plus_noise(np.column_stack(J)[None], seed=1827)


def without_effects(
    origins: Origins,
) -> tuple[FloatArray, Callable[[Propagated, Warp | None], Propagated] | None]:
    """Return the values without what inputs explain, and what restores a forecast of them.

    It gives back the effects, and closes what is closed, in the units of a warp.
    """
    chain, times, values = origins.fitted.chain, origins.times, origins.values
    effects, closing = chain.effects, chain.closing
    if effects is None and closing is None:
        return values, None

    def restored(z: Propagated, warp: Warp | None) -> Propagated:
        past = np.empty((len(origins.ends), 0))
        if effects is not None:
            z = effects.undo(z, past, origins.ends, times)
        if closing is None:
            return z
        level = chain.backward(np.array(closing.level))
        its = float(level if warp is None else warp.forward(level))
        return replace(closing, level=its).undo(z, past, origins.ends, times)

    if effects is None:
        return values, restored
    return chain.backward(effects.apply(chain.forward(values), times)), restored
