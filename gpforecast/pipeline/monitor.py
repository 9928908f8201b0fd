r"""One pass through a series: each value forecast from those before, anomalies among them missing.

Origins are forecast in batches. Where a value is flagged, the batch ends, the value is set aside,
and the next batch, a small one, starts after it: batches double as long as nothing is flagged.

**Changes that last.** Several anomalies close together are so many spikes, a new level, or a new
spread. Each explanation has a cost in nats: the negative log-likelihood of the standardised errors
:math:`z_i = e_i / s_i`, less what all have in common, and for each effect the price of an event
(`gpforecast.automatic.events`): COST and the logarithm of the number of its places. With F of n
values flagged,

.. math::

    \text{spikes:}\ \tfrac12 \sum_{i \notin F} z_i^2 + c\,|F|, \qquad
    \text{level:}\ \tfrac12 \sum_i (e_i - d)^2 / s_i^2 + c, \qquad
    \text{spread:}\ n \log r + \tfrac12 \sum_i z_i^2 / r^2 + c,

each at its most likely d or r. The least one is taken (Tsay, 1988, "Outliers, level shifts, and
variance changes in time series", Journal of Forecasting 7, compares the same three one by one).
After a new level, values are taken as those of a series moved back by d, and d is estimated again
by later errors. After a new spread, standard deviations are multiplied by a factor that follows the
errors until it is usual again.

**Runs of errors of one sign** are a change of level that no single value shows.
Cumulative sums of standardised errors, one for each sign (Page 1954, "Continuous inspection
schemes", Biometrika 41), :math:`S_i = \max(0, S_{i-1} \pm z_i - k)`, alarm where one of them passes
h. With k = 1 they are quickest for a level two standard deviations away. By Siegmund (1985,
"Sequential Analysis", section 2.7), ordinary errors pass h after :math:`(e^{2kb} - 2kb - 1) / 2k^2`
values on average, with :math:`b = h + 1.166`. That is for independent errors: where a forecast is
wider than usual because the model knows little there, neighbouring errors share what is not known,
and count only as far as the usual width goes.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import scipy

from gpforecast.automatic.events import COST, SMALLEST
from gpforecast.automatic.tails import TAILS, scale_of, tail_of, unit_of
from gpforecast.common.progress import bar
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.pipeline.origins import Origins
from gpforecast.pipeline.predict import joint_from
from gpforecast.propagation import Method
from gpforecast.results.distribution import Distribution

SPIKE, LEVEL, SPREAD = "spike", "level shift", "variance"
_FEWEST, _MOST = 16, 512  # values in a batch: at first and after an anomaly, and at most
_BATCH = 2_000_000  # numbers in the covariances of a batch
RARE = 0.001  # tail probability of what is flagged by default, and of what is set aside
_FARTHEST = 37.0  # standard deviations: tails beyond are zero in double precision
_WINDOW = 3  # times the patience: so many values are compared together
_MEMORY = 16  # values over which a changed spread is averaged
_USUAL = 1.25  # times the usual spread: less counts as usual again
_OVERSHOOT = 1.166  # Siegmund's correction of h
_SHARE = 0.005  # of all false alarms that runs may add


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
        """Return the tails of errors; Gaussian unless others are worth the price of an event."""
        z = z[np.isfinite(z)]
        size = scale_of(z) if len(z) else 0.0
        df = tail_of(z / size, COST) if size > 0.0 else TAILS[-1]
        return Tails(df, size) if df < TAILS[-1] else Tails()

    def probability(self, z: float) -> float:
        """Return the two-sided tail probability of an error; no less than the Gaussian one."""
        gaussian = 2.0 * float(scipy.special.ndtr(-abs(z)))
        if not np.isfinite(self.df):
            return gaussian
        heavy = scipy.special.stdtr(self.df, -abs(z) / self.size * unit_of(self.df))
        return max(gaussian, 2.0 * float(heavy))


def change_among(
    error: FloatArray, std: FloatArray, flagged: BoolArray
) -> tuple[str, float, float]:
    """Return the likeliest explanation of some values, its change of level, and of spread.

    Parameters
    ----------
    error, std : ndarray (n,)
        Observed less expected, and its standard deviation, of neighbouring values in order.
    flagged : ndarray of bool (n,)

    Examples
    --------
    >>> change_among(np.array([8.0, 7.5, 8.4, 8.1]), np.ones(4), np.ones(4, bool))
    ('level shift', 8.0, 1.0)
    """
    z, price = error / std, COST + np.log(len(error))
    shift = float((z / std).sum() / (1.0 / std**2).sum())
    scale = max(float(np.sqrt(np.mean(z**2))), 1.0)
    costs = {
        SPIKE: 0.5 * (z[~flagged] ** 2).sum() + price * flagged.sum(),
        LEVEL: 0.5 * ((z - shift / std) ** 2).sum() + price,
        SPREAD: len(z) * np.log(scale) + 0.5 * (z**2).sum() / scale**2 + price,
    }
    kind = min(costs, key=costs.__getitem__)
    return kind, shift if kind == LEVEL else 0.0, scale if kind == SPREAD else 1.0


@dataclass(eq=False)
class Runs:
    """Cumulative sums of errors, one for each sign, and where each began.

    Attributes
    ----------
    limit : float
        The share of ordinary values that may be flagged at all; 0: no run is.
    overlap : int
        So many errors that follow each other are alike.
    """

    limit: float
    overlap: int = 1

    def __post_init__(self) -> None:
        self.sums, self.starts = np.zeros(2), np.zeros(2, dtype=int)

    @property
    def threshold(self) -> float:
        """The sum h that raises an alarm, for k = 1.

        Examples
        --------
        >>> round(Runs(0.001).threshold, 1)
        5.6
        """
        with np.errstate(divide="ignore"):
            return float(0.5 * np.log(4.0 / (_SHARE * np.float64(self.limit)))) - _OVERSHOOT

    def add(self, i: int, z: float) -> int | None:
        """Add the standardised error of value i; return where a run began that is too long."""
        if np.isnan(z):
            return None
        self.starts[self.sums == 0.0] = i
        step = (np.minimum([z, -z], SMALLEST) - 1.0) / self.overlap
        self.sums = np.maximum(self.sums + step, 0.0)
        longest = int(self.sums.argmax())
        return int(self.starts[longest]) if self.sums[longest] > self.threshold else None


@dataclass(eq=False)
class Monitor:
    """A series, and what is known of each of its values once those before it are.

    Attributes
    ----------
    origins : Origins
        That after the last value, of all values (n,), NaN where missing.
    method : propagation method
    aside : ndarray of bool (n,)
        Which values no forecast may know.
    first : int
        The position of the first value that is judged.
    patience : int
        So many flags close together may be a change of level or spread.
    limit : float
        Values of no larger tail probability are flagged; 0 for none. They are set aside if they
        are as rare as 1 in 1000, too.
    tails : Tails
        Of the standardised errors.
    usual : float
        Usual standard deviation of a forecast, in the units of the warp.
    """

    origins: Origins
    method: Method
    aside: BoolArray
    first: int
    patience: int
    limit: float = 0.0
    tails: Tails = field(default_factory=Tails)
    usual: float = np.inf

    def __post_init__(self) -> None:
        self.fitted, self.values = self.origins.fitted, self.origins.values
        n, self.horizon = len(self.values), self.origins.horizon
        self.never = self.aside  # known to no forecast, whatever follows
        self.aside = self.aside.copy()
        self.mean, self.std, self.z, self.below, self.above = np.full((5, n), np.nan)
        self.p, self.error, self.spread = np.full((3, n), np.nan)
        self.flagged = np.zeros(n, dtype=bool)
        self.kind = np.full(n, "", dtype=object)
        self.widening = np.ones(n)  # factor of the standard deviation of each forecast
        self.shift = np.zeros(n)  # of the level, in the units of the warp
        self.scale, self.since, self.begin = 1.0, self.first, max(self.first, 1)
        self.review, self.precision = n, 0.0  # when a new level is reviewed, and how sure it is
        self.runs = Runs(self.limit, self.horizon)
        widest = max(self.horizon, self.fitted.inputs.n_past)
        self.at_once = max(_BATCH // widest**2, _FEWEST // self.horizon, 1)

    def pit(self, share: FloatArray) -> FloatArray:
        """Return the distribution functions of the forecasts at the values, (n,).

        Where a value has a probability, at a share (n,) of it from its end.
        """
        pit = self.below - share * np.clip(self.below + self.above - 1.0, 0.0, 1.0)
        return np.where(self.widening == 1.0, pit, scipy.special.ndtr(self.z / self.widening))

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
        places = np.arange(t, min(t + min(self.at_once, size), len(self.values)))
        known = np.where(self.aside, np.nan, self.values)
        origins = replace(self.origins, values=known, ends=places - self.horizon + 1)
        # With all inputs and enough values before them.
        judged = places[~np.isnan(self.values[places]) & origins.possible]
        end = int(places[-1]) + 1
        if not len(judged):
            return end, size
        try:
            stopped = self._batch(judged)
        except ValueError:
            if len(judged) > 1:
                return t, len(judged) // 2  # up to the one that cannot be forecast
            stopped, at = None, int(judged[0])
            before = slice(max(at - self.fitted.n_past, 0), at)  # which later forecasts know again
            self.aside[before] = self.never[before]
        return (end, min(2 * size, _MOST)) if stopped is None else (stopped + 1, _FEWEST)

    def _moved(self, values: FloatArray, places: IntArray, sign: float) -> FloatArray:
        """Return values (b,) moved by the changes of the level; closed times stay as they are."""
        chain, support = self.fitted.chain, self.fitted.support
        shift = np.where(chain.closed(self.origins.times)[places], 0.0, self.shift[places])
        if not shift.any():
            return values
        moved = np.where(shift, chain.backward(chain.forward(values) + sign * shift), values)
        return moved if support is None else support.nearest(moved)

    def _forecast(self, places: IntArray) -> tuple[FloatArray, Distribution]:
        """Return values (b,) as if the level had never changed, and their forecasts (b, 1)."""
        usual = self._moved(self.values, np.arange(len(self.values)), -1.0)
        known, ends = np.where(self.aside, np.nan, usual), places - self.horizon + 1
        known[int(ends.max()) :] = np.nan
        origins = replace(self.origins, values=known, ends=ends)
        joint = joint_from(origins, self.method).distribution
        return usual[places], joint.over(np.array([self.horizon - 1]))

    def _batch(self, places: IntArray) -> int | None:
        """Judge values in order; return the one where new forecasts are needed, or None."""
        chain = self.fitted.chain
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            truth, joint = self._forecast(places)
            mean, std = joint.mean[:, 0], np.sqrt(joint.var[:, 0])
            below, above = (tail[:, 0] for tail in joint.tails(truth[:, None]))
            size = -scipy.special.ndtri(np.clip(np.minimum(below, above), 0.0, 0.5))
            slope = 1.0 if chain.warp is None else np.exp(chain.warp.log_gradient(mean))
            self.error[places] = chain.forward(truth) - chain.forward(mean)
            self.spread[places] = std * slope
            high, low = (self._moved(mean + sign * std, places, 1.0) for sign in (1.0, -1.0))
            moved = self.shift[places] != 0.0
            self.mean[places] = self._moved(mean, places, 1.0)
            self.std[places] = np.where(moved, 0.5 * (high - low), std)
        self.z[places] = np.where(above < below, 1.0, -1.0) * np.minimum(size, _FARTHEST)
        self.below[places], self.above[places] = below, above
        return next((i for i in places.tolist() if self._judge(i)), None)

    def _judge(self, i: int) -> bool:
        """Judge one value; return whether forecasts after it must be made again."""
        z, spread = float(self.z[i]) / self.scale, self.spread[i]
        own = min(self.usual / spread, 1.0) if spread > 0.0 else 1.0
        self.widening[i] = self.scale
        self.std[i] *= self.scale
        self.spread[i] *= self.scale
        self.p[i] = self.tails.probability(z)
        if self.scale > 1.0:
            square = self.scale**2 * (1.0 + (min(z**2, 9.0) - 1.0) / _MEMORY)
            self.scale = float(np.sqrt(square)) if square > _USUAL**2 else 1.0
        begin = self.runs.add(i, z * own)
        if not self.p[i] <= self.limit:  # NaN is not flagged
            changed = begin is not None and self._accept(begin, i)
            return changed or (i >= self.review and self._refine(i))
        self.flagged[i], self.kind[i] = True, SPIKE
        self.aside[i] = self.p[i] <= RARE
        patience = self.patience + self.horizon - 1  # errors of so many steps go together
        window = slice(max(i + 1 - _WINDOW * patience, self.since), i + 1)
        flags = window.start + np.flatnonzero(self.aside[window] & self.flagged[window])
        changed = len(flags) >= patience and self._accept(int(flags[0]), i)
        return changed or bool(self.aside[i])

    def _accept(self, begin: int, i: int) -> bool:
        """Accept a new level or spread if the values since `begin` show one."""
        places = np.arange(max(begin, self.since), i + 1)
        places = places[np.isfinite(self.error[places]) & (self.spread[places] > 0.0)]
        if not len(places):
            return False
        apart = self.aside[places] & self.flagged[places]
        kind, shift, scale = change_among(self.error[places], self.spread[places], apart)
        if kind == SPIKE:
            return False
        shown = places if kind == LEVEL else places[self.flagged[places]]
        self.flagged[shown], self.kind[shown] = True, kind
        self.aside[places], self.since = False, i + 1
        self.shift[begin:] += shift
        if kind == LEVEL:
            self.begin, self.review = begin, i + 2 * self.patience
            self.precision = float((1.0 / self.spread[places] ** 2).sum())
        elif i - self.begin <= 2 * _WINDOW * self.patience:
            self.shift[self.begin :] = self.shift[self.begin - 1]  # wide errors of one sign
            self.review = len(self.values)
        self.scale *= scale
        self.runs = Runs(self.limit, self.horizon)
        return True

    def _refine(self, i: int) -> bool:
        """Estimate a new level again by the errors since, and by what a level does to them.

        Least squares, with the estimate so far as a prior that counts half as much each time. An
        autoregression hides most of a level in its lags, so what is left in an error is measured.
        """
        at = np.arange(self.since, i + 1)
        ordinary = ~(self.aside & self.flagged)[at] & np.isfinite(self.error[at])
        at = at[ordinary & (self.spread[at] > 0.0)]
        self.review, self.since = i + 2 * (i + 1 - self.begin), i + 1
        if not len(at):
            return True
        w, step = 1.0 / self.spread[at] ** 2, float(np.median(self.spread[at]))
        plain = self._errors(at)
        self.shift[self.begin :] += step
        effect = (plain - self._errors(at)) / step  # 1 without lags, 1 - phi of an AR(1)
        self.shift[self.begin :] -= step
        self.precision = 0.5 * self.precision + float((w * effect**2).sum())
        more = float((w * effect * plain).sum()) / self.precision
        self.shift[self.begin :] += more if np.isfinite(more) else 0.0
        return True

    def _errors(self, places: IntArray) -> FloatArray:
        """Return errors (b,) of forecasts from the levels as they are now, in units of the warp."""
        forward, parts = self.fitted.chain.forward, range(0, len(places), self.at_once)
        made = [self._forecast(places[k : k + self.at_once]) for k in parts]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return np.concatenate([forward(y) - forward(f.mean[:, 0]) for y, f in made])
