"""One pass through a series: each value forecast from those before, anomalies among them missing.

Origins are forecast in batches. Where a value is flagged, the batch ends, the value is set aside,
and the next batch, a small one, starts after it: batches double as long as nothing is flagged.
"""

from dataclasses import dataclass, field

import numpy as np
import scipy

from gpforecast.automatic.tails import scale_of, tail_of, unit_of
from gpforecast.common.progress import bar
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.pipeline.changes import LEVEL, SPIKE, SPREAD, Runs, change_among
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import joint_from
from gpforecast.propagation import Method
from gpforecast.propagation.filtering import Checkpoints
from gpforecast.results.distribution import Distribution
from gpforecast.series.time_axis import TimeAxis

_FEWEST, _MOST = 16, 512  # values in a batch: at first and after an anomaly, and at most
_BATCH = 2_000_000  # numbers in the covariances of a batch
_RARE = 0.001  # tail probability of what is set aside; ordinary values must stay in the lags
_FARTHEST = 37.0  # standard deviations: tails beyond are zero in double precision
_ROUNDING = 1e-12  # of a difference of probabilities
_WINDOW = 3  # times the patience: so many values are looked at together
_MEMORY = 16  # values over which a changed spread is averaged
_USUAL = 1.25  # times the usual spread: less counts as usual again
_GAIN = 3.0  # nats by which heavier tails than the Gaussian must be likelier
_ENOUGH = 50  # errors of which the tails can be judged


@dataclass(frozen=True)
class Tails:
    """How heavy the tails of standardised errors are: Student-t, or Gaussian.

    Attributes
    ----------
    df : float
        Degrees of freedom; infinite for a Gaussian.
    size : float
        Of the errors, by their median.
    """

    df: float = np.inf
    size: float = 1.0

    @staticmethod
    def of(z: FloatArray) -> "Tails":
        """Return the tails of errors; Gaussian unless others are much more likely."""
        z = z[np.isfinite(z)]
        size = scale_of(z) if len(z) else 0.0
        if len(z) < _ENOUGH or size == 0.0:
            return Tails()
        df = tail_of(z / size, _GAIN)
        return Tails(df, size) if df < 30.0 else Tails()

    def probability(self, z: FloatArray) -> FloatArray:
        """Return the two-sided tail probability of errors; no less than the Gaussian one."""
        size = np.abs(z)
        gaussian = 2.0 * scipy.special.ndtr(-size)
        if not np.isfinite(self.df):
            return np.asarray(gaussian)
        heavy = 2.0 * scipy.special.stdtr(self.df, -size / self.size * unit_of(self.df))
        return np.asarray(np.maximum(gaussian, heavy))


@dataclass(eq=False)
class Monitor:
    """A series, and what is known of each of its values once those before it are.

    Attributes
    ----------
    fitted : Fitted
    method : propagation method
    horizon : int
        How many steps ahead each value is forecast.
    values : ndarray (n,)
        In the units of the series, NaN where missing.
    aside : ndarray of bool (n,)
        Which values no forecast may know.
    times : TimeAxis
        Of the values and `horizon` more.
    exog : ndarray (n, q)
        Scaled exogenous columns.
    first : int
        The position of the first value that is judged.
    limit : float
        Values of no larger tail probability are flagged; 0 for none. They are set aside if they
        are as rare as 1 in 1000, too.
    patience : int
        So many flags close together may be a change of level or spread.
    tails : Tails
    usual : float
        The standard deviation that forecasts have in the fitted series, in the units of the warp.
    checkpoints : Checkpoints
        Where the filter of measured values has been: every batch goes on from the one before.
    """

    fitted: Fitted
    method: Method
    horizon: int
    values: FloatArray
    aside: BoolArray
    times: TimeAxis
    exog: FloatArray
    first: int
    limit: float
    patience: int
    tails: Tails = field(default_factory=Tails)
    usual: float = np.inf
    checkpoints: Checkpoints = field(default_factory=Checkpoints)

    def __post_init__(self) -> None:
        n = len(self.values)
        self.never = self.aside  # known to no forecast, whatever follows
        self.aside = self.aside.copy()
        self.mean, self.std, self.z, self.below, self.above = np.full((5, n), np.nan)
        self.p, self.error, self.spread = np.full((3, n), np.nan)
        self.flagged = np.zeros(n, dtype=bool)
        self.apart = np.zeros(n, dtype=bool)  # flagged, and too rare to be chance
        self.kind = np.full(n, "", dtype=object)
        self.widening = np.ones(n)  # factor of the standard deviation of each forecast
        self.shift = np.zeros(n)  # of the level, in the units of the warp
        self.scale = 1.0
        self.since, self.review, self.begin = self.first, n, max(self.first, 1)
        self.precision = 0.0  # of the estimate of the newest level
        self.runs = Runs(self.limit, self.horizon)
        self.n_failed = 0

    def pit(self, share: FloatArray) -> FloatArray:
        """Return the distribution functions of the forecasts at the values, (n,).

        Where a value has a probability of its own, at a share (n,) of it from its end.
        """
        mass = np.clip(self.below + self.above - 1.0, 0.0, 1.0)
        pit = self.below - share * mass
        mass = np.where(mass > _ROUNDING, mass, 0.0)
        rest = self.above - (1.0 - share) * mass  # 1 - pit, exact where that is small
        z = np.where(
            pit < 0.5, scipy.special.ndtri(pit), -scipy.special.ndtri(np.clip(rest, 0.0, 1.0))
        )
        wide = scipy.special.ndtr(np.clip(z, -_FARTHEST, _FARTHEST) / self.widening)
        return np.where(self.widening == 1.0, pit, wide)

    def run(self) -> "Monitor":
        """Go through the series."""
        n, t, size = len(self.values), self.first, _FEWEST
        with bar("judging", total=max(n - t, 0), unit="values") as shown:
            while t < n:
                begin = t
                t, size = self._next(t, size)
                shown.update(t - begin)
        return self

    def _next(self, t: int, size: int) -> tuple[int, int]:
        """Judge up to `size` values from t on; return where to go on, and with how many."""
        places = np.arange(t, min(t + min(size, self._at_once), len(self.values)))
        judged, end = places[self._can_be_judged(places)], int(places[-1]) + 1
        if not len(judged):
            return end, size
        try:
            stopped = self._batch(judged)
        except ValueError:
            if len(judged) > 1:
                return t, len(judged) // 2  # up to the one that cannot be forecast
            self._restore(int(judged[0]))
            stopped = None
        return (end, min(2 * size, _MOST)) if stopped is None else (stopped + 1, _FEWEST)

    @property
    def _at_once(self) -> int:
        """How many forecasts are made together, by the covariances of their pasts and steps."""
        widest = max(self.horizon, self.fitted.inputs.n_past)
        return min(max(_BATCH // widest**2, _FEWEST // self.horizon, 1), _MOST)

    def _can_be_judged(self, places: IntArray) -> BoolArray:
        """Return which values are observed, with all inputs and enough values before them."""
        ends = places - self.horizon + 1
        known = ~np.isnan(self.values[places]) & ~self.lacks_inputs(places)
        lost = np.isnan(self.values) | self.aside
        so_far = np.concatenate([[0], np.cumsum(~lost)])
        least = self.fitted.n_back if self.fitted.chain.n_lost else 1
        return known & (so_far[ends] >= least)

    def lacks_inputs(self, places: IntArray) -> BoolArray:
        """Return at which places an input is missing, or on the way there."""
        steps = places[:, None] + np.arange(1 - self.horizon, 1)
        return np.asarray(np.isnan(self.exog[steps]).any(axis=(1, 2)))

    def _shifts(self, places: IntArray) -> FloatArray:
        """Return by how much the level has changed, (b,); closed times stay as they are."""
        closing = self.fitted.chain.closing
        if closing is None:
            return self.shift[places]
        return np.where(closing.at(self.times)[places], 0.0, self.shift[places])

    def _usual(self, places: IntArray) -> FloatArray:
        """Return values as if the level had never changed."""
        chain, support = self.fitted.chain, self.fitted.support
        values, shift = self.values[places], self._shifts(places)
        moved = shift != 0.0
        if moved.any():
            usual = chain.backward(chain.forward(values[moved]) - shift[moved])
            values[moved] = usual if support is None else support.nearest(usual)
        return values

    def _forecast(self, places: IntArray) -> tuple[FloatArray, Distribution]:
        """Return values (b,) as if the level had never changed, and their forecasts (b, 1)."""
        usual = self._usual(np.arange(len(self.values)))
        known = np.where(self.aside, np.nan, usual)
        ends = places - self.horizon + 1
        known[int(ends.max()) :] = np.nan
        args = self.fitted, known, self.times, self.exog, ends, self.horizon
        origins = Origins(*args, checkpoints=self.checkpoints)
        joint = joint_from(origins, self.method).distribution
        return usual[places], joint.over(np.array([self.horizon - 1]))

    def _batch(self, places: IntArray) -> int | None:
        """Judge values in order; return the one where new forecasts are needed, or None."""
        truth, joint = self._forecast(places)
        mean, std = joint.mean[:, 0], np.sqrt(joint.var[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            below, above = (tail[:, 0] for tail in joint.tails(truth[:, None]))
        size = -scipy.special.ndtri(np.clip(np.minimum(below, above), 0.0, 0.5))
        self.z[places] = np.where(above < below, 1.0, -1.0) * np.minimum(size, _FARTHEST)
        self.below[places], self.above[places] = below, above
        self._note_errors(places, mean, std, truth)
        for i in places.tolist():
            if self._judge(i):
                return int(i)
        return None

    def _note_errors(
        self, places: IntArray, mean: FloatArray, std: FloatArray, truth: FloatArray
    ) -> None:
        """Keep moments in the units of the series, and errors in those of the warp."""
        chain, shift = self.fitted.chain, self._shifts(places)
        self.error[places], self.spread[places] = self._in_warp(truth, mean, std)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if (shift != 0.0).any():
                high, low = (chain.forward(mean + sign * std) + shift for sign in (1.0, -1.0))
                std = 0.5 * (chain.backward(high) - chain.backward(low))
                mean = chain.backward(chain.forward(mean) + shift)
                if (support := self.fitted.support) is not None:
                    mean = support.clip(mean)
        self.mean[places], self.std[places] = mean, std

    def _judge(self, i: int) -> bool:
        """Judge one value; return whether forecasts after it must be made again."""
        z, spread = self.z[i] / self.scale, self.spread[i]
        share = 1.0 - (self.usual / spread) ** 2 if spread > 0.0 else 0.0
        self.widening[i] = self.scale
        self.std[i] *= self.scale
        self.spread[i] *= self.scale
        self.p[i] = float(self.tails.probability(z))
        if self.scale > 1.0:
            square = self.scale**2 * (1.0 + (min(z**2, 9.0) - 1.0) / _MEMORY)
            self.scale = float(np.sqrt(square)) if square > _USUAL**2 else 1.0
        run = self.runs.add(i, float(z), float(share))
        if self.p[i] <= self.limit:
            self.flagged[i], self.kind[i] = True, SPIKE
            if self.p[i] <= _RARE:
                self.aside[i] = self.apart[i] = True
                self._look_for_change(i)
                return True
        if run is not None and self._look_at_run(run, i):
            return True
        if i < self.review:
            return False
        self._refine(i)
        return True

    def _look_for_change(self, i: int) -> None:
        """Accept a new level or a new spread if the last values show one."""
        patience = self.patience + self.horizon - 1  # errors of so many steps go together
        begin = max(i + 1 - _WINDOW * patience, self.since)
        flags = begin + np.flatnonzero(self.apart[begin : i + 1])
        if len(flags) < patience:
            return
        self._accept(int(flags[0]), i, flags)

    def _look_at_run(self, begin: int, i: int) -> bool:
        """Accept a new level if a run of errors of one sign shows one, and flag the run."""
        places = np.arange(max(begin, self.since), i + 1)
        places = places[np.isfinite(self.error[places])]
        if self._accept(int(places[0]), i, places) is None:
            return False
        self.flagged[places] = True
        return True

    def _accept(self, begin: int, i: int, flags: IntArray) -> str | None:
        """Accept the change that the values since `begin` show, if one does; return its kind."""
        places = np.arange(begin, i + 1)
        places = places[np.isfinite(self.error[places]) & (self.spread[places] > 0.0)]
        if not len(places):
            return None
        found = change_among(self.error[places], self.spread[places], self.apart[places])
        if found.kind == SPIKE:
            return None
        patience = self.patience + self.horizon - 1
        self.kind[flags] = found.kind
        self.aside[places] = False
        self.since = i + 1
        self.runs.forget()
        if found.kind == LEVEL:
            self.begin, self.review = begin, i + 2 * patience
            self.shift[self.begin :] += found.shift
            self.precision = float((1.0 / self.spread[places] ** 2).sum())
        if found.kind == SPREAD:
            self.scale *= found.scale
            if i - self.begin <= 2 * _WINDOW * patience:  # the first wide errors had one sign
                self._undo_level(i)
        return found.kind

    def _undo_level(self, i: int) -> None:
        """Return to the level before; the spread is that of errors from there."""
        extra = self.shift[self.begin] - self.shift[self.begin - 1]
        self.review = len(self.values)
        if extra == 0.0:
            return
        self.shift[self.begin :] -= extra
        at = np.arange(self.begin, i + 1)
        at = at[np.isfinite(self.error[at]) & (self.spread[at] > 0.0)]
        error, std = self._errors(at)
        size = float(np.sqrt(np.mean((error / std) ** 2)))
        if np.isfinite(size):
            self.scale = max(size, 1.0)

    def _errors(self, places: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return errors relative to current levels, and their usual standard deviations, (b,)."""
        made = [
            (truth, joint.mean[:, 0], joint.var[:, 0])
            for at in range(0, len(places), self._at_once)
            for truth, joint in [self._forecast(places[at : at + self._at_once])]
        ]
        truth, mean, var = map(np.concatenate, zip(*made, strict=True))
        return self._in_warp(truth, mean, np.sqrt(var))

    def _in_warp(
        self, truth: FloatArray, mean: FloatArray, std: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return errors and standard deviations, (b,) each, in the units of the warp."""
        chain = self.fitted.chain
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            slope = 1.0 if chain.warp is None else np.exp(chain.warp.log_gradient(mean))
            return chain.forward(truth) - chain.forward(mean), std * slope

    def _refine(self, i: int) -> None:
        """Estimate a new level again by the errors since, and by what a level does to them.

        Least squares, with the estimate so far as a prior that counts half as much each time. An
        autoregression hides most of a level in its lags, so what is left in an error is measured.
        """
        at = np.arange(self.since, i + 1)
        at = at[~self.apart[at] & np.isfinite(self.error[at]) & (self.spread[at] > 0.0)]
        self.review, self.since = i + 2 * (i + 1 - self.begin), i + 1
        if not len(at):
            return
        w = 1.0 / self.spread[at] ** 2
        step = float(np.median(self.spread[at]))
        errors = []
        for sign in (0.0, 1.0):
            self.shift[self.begin :] += sign * step
            errors.append(self._errors(at)[0])
        effect = (errors[0] - errors[1]) / step  # 1 without lags, 1 - phi of an AR(1)
        self.shift[self.begin :] -= step
        prior, new = 0.5 * self.precision, float((w * effect**2).sum())
        if not np.isfinite(prior + new + errors[0].sum()):
            return
        self.shift[self.begin :] += float((w * effect * errors[0]).sum()) / (prior + new)
        self.precision = prior + new

    def _restore(self, i: int) -> None:
        """Let forecasts know again what was set aside before a value that cannot be forecast."""
        self.n_failed += 1
        before = slice(max(i - self.fitted.n_past, 0), i)
        self.aside[before] = self.never[before]
