r"""Things that happen once: spikes, episodes and shifts of the level.

Each explains part of a series at a price in nats: that of an event, :data:`COST`, the logarithm of
the number of places at which it could have been, and that of its length. What it explains is
measured on the innovations of a robust autoregression around a robust season, whose tails are those
of a Student-t distribution: in a series with heavy tails, a large value is worth fewer nats.

With :math:`\pi(B) y = e`, a box of w from a to before b leaves :math:`w \pi(B) 1_{[a, b)}` in e. A
box of one step is a spike, a longer one an episode, and one that never ends a shift of the level
(Chen and Liu 1993, "Joint estimation of model parameters and outlier effects"). The box that is
worth most is selected first, then the next of what is left; one that touches another has two places
to be at. Sizes of several shifts are found together, by least squares.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from gpforecast.automatic.tails import SUSPECT, nats, scale_of, tail_of, unit_of
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.series.scaling import ROUNDING

#: Nats. What every event costs beside the logarithm of the number of its places: prior odds of
#: 1 : 100.
COST = 4.6
#: Share of the values. What happens more often is a habit of the series, and left alone.
HABIT = 0.1
#: Standard deviations. A smaller effect is left alone, and no single value counts for more in what
#: comes back or lasts.
SMALLEST = 3.0
#: Values. A longer run at the end of a series is left alone: it may be a new level.
LONGEST_END = 2
#: Lags of the autoregression, or an eighth of the values. Twice as many values at the end of a
#: series show a shift of its level; no run of values that differ is longer.
LAGS = 6
_ROUNDS = 3  # fits of season and autoregression to what the events leave
_LENGTHS = 64  # of episodes: all up to this, and some longer ones
_BOXES = 5_000_000  # of fewer lengths in a longer series
_TRIED = 200  # boxes of the largest squares, of which the likelihood selects
_STARTS = 5  # innovations, the largest, at which a run of values that differ may begin
_CYCLES = 7  # nearest ones, of whose middle a season is made


@dataclass(frozen=True, eq=False)
class Events:
    """What happened in a series (n,).

    Attributes
    ----------
    outliers : ndarray (k,)
        Positions of spikes and episodes, in order.
    expected : ndarray (k,)
        What was expected instead, in the units of the series.
    shifts : ndarray (s,)
        Positions from which on the level is another.
    sizes : ndarray (s,)
        By how much, in the units of the series or of its logarithm.
    in_logs : bool
        Whether sizes are of the logarithm.
    """

    outliers: IntArray = field(default_factory=lambda: np.zeros(0, dtype=int))
    expected: FloatArray = field(default_factory=lambda: np.zeros(0))
    shifts: IntArray = field(default_factory=lambda: np.zeros(0, dtype=int))
    sizes: FloatArray = field(default_factory=lambda: np.zeros(0))
    in_logs: bool = False


@dataclass(frozen=True, eq=False)
class Baseline:
    """What is usual of a series (n,), and the innovations that it leaves.

    Attributes
    ----------
    z : ndarray (n,)
        The series over `unit`, or its logarithm.
    unit : float or None
        None for a logarithm.
    season : ndarray (n,)
    pi : ndarray (p + 1,)
        The filter that makes innovations of what the season leaves.
    e : ndarray (n,)
        Innovations over their scale; 0 for the first p.
    scale, df : float
        Their robust standard deviation in the units of z, and the degrees of freedom of their
        tails.
    evidence : float
        The log likelihood of the series less the price of the lags; infinite where most values are
        predicted exactly.
    """

    z: FloatArray
    unit: float | None
    season: FloatArray
    pi: FloatArray
    e: FloatArray
    scale: float
    df: float
    evidence: float

    def gain(
        self, e: FloatArray, signs: FloatArray, w: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what effects of about w (q,) that leave w `signs` (q, m) in e (m,) are worth.

        And their sizes of largest likelihood, (q,).
        """
        for _ in range(_ROUNDS):
            weights = signs / (self.df + ((e - w[:, None] * signs) * unit_of(self.df)) ** 2)
            w = weights @ e / (weights * signs).sum(axis=1)
        left = nats(e - w[:, None] * signs, self.df).sum(axis=1)
        return np.asarray(nats(e, self.df).sum() - left), np.asarray(w)

    def again(self, y: FloatArray, effects: FloatArray, period: int | None) -> "Baseline":
        """Return it fitted again to what effects (n,), in the units of z, leave of y (n,)."""
        z = np.log(y) if self.unit is None else y / self.unit
        return _fitted(z, self.unit, period if self.season.any() else None, effects)

    def values(self, z: FloatArray) -> FloatArray:
        """Return values in the units of the series."""
        return np.exp(z) if self.unit is None else self.unit * z


def baseline_of(y: FloatArray, period: int | None) -> Baseline:
    """Return what is usual of a series (n,): with or without a season, of it or its logarithm.

    The likelihood decides.
    """
    size = np.abs(y[y != 0.0])
    unit = float(np.median(size)) if len(size) else 1.0
    forms: list[tuple[FloatArray, float | None]] = [(y / unit, unit)]
    if y.min() > 0.0:
        forms.append((np.log(y), None))
    found = [_fitted(z, unit, m) for z, unit in forms for m in {None, period}]
    return max(found, key=lambda one: one.evidence)


def _fitted(
    z: FloatArray, unit: float | None, period: int | None, effects: FloatArray | float = 0.0
) -> Baseline:
    """Return the baseline of z less effects (n,), of an order that its evidence selects."""
    season = seasonal(z - effects, period)
    p, found = min(LAGS, len(z) // 8), []
    for order in sorted({0, min(1, p), p}):
        phi, constant = robust_autoregression(z - effects - season, order)
        pi = np.concatenate([[1.0], -phi, np.zeros(p - order)])
        e: FloatArray = scipy.signal.lfilter(pi, [1.0], z - season) - constant
        left = (scipy.signal.lfilter(pi, [1.0], z - season - effects) - constant)[p:]
        scale, e[:p] = scale_of(left), 0.0
        if scale <= ROUNDING * max(1.0, abs(float(np.median(z)))):
            return Baseline(z, unit, season, pi, e, scale, np.inf, np.inf)
        df = tail_of(left / scale)
        evidence = _likelihood(left, scale, df) - 0.5 * order * float(np.log(len(z)))
        evidence -= float(z[p:].sum()) if unit is None else len(left) * float(np.log(unit))
        found.append(Baseline(z, unit, season, pi, e / scale, scale, df, evidence))
    return max(found, key=lambda one: one.evidence)


def _likelihood(e: FloatArray, scale: float, df: float) -> float:
    """Return the log likelihood of innovations by a Student-t distribution of about a scale.

    Of each no less than what is left of it once an event explains it.
    """
    square = (scale / unit_of(df)) ** 2
    for _ in range(_ROUNDS):
        square = float(np.mean((df + 1.0) * e**2 / (df + e**2 / square)))
    each = scipy.stats.t.logpdf(np.append(e, 0.0), df, scale=np.sqrt(square))
    return float(np.maximum(each[:-1], each[-1] - COST - np.log(len(e))).sum())


def seasonal(z: FloatArray, period: int | None) -> FloatArray:
    """Return a season (n,) that may change: of each phase, the middle of the nearest cycles.

    The level is a running median, which keeps steps as they are. Of seven cycles the mean of the
    middle three is taken.
    """
    n = len(z)
    if period is None or n < 4 * period:
        return np.zeros(n)
    level = pd.Series(z).rolling(2 * period + 1, center=True, min_periods=period).median()
    left = z - level.to_numpy()
    cycles = n // period
    near = min(_CYCLES, cycles)
    # The newest values have whole cycles behind them; the first incomplete one comes first.
    first = n - cycles * period
    blocks = left[first:].reshape(cycles, period)
    windows = np.sort(sliding_window_view(blocks, near, axis=0), axis=-1)
    aside = (near - 1) // 3
    middle = windows[..., aside : near - aside].mean(axis=-1)  # (cycles - near + 1, period)
    at = np.clip(np.arange(cycles) - near // 2, 0, len(middle) - 1)
    season = middle[at].ravel()
    return np.concatenate([season[:period][period - first :] if first else season[:0], season])


def robust_autoregression(z: FloatArray, p: int) -> tuple[FloatArray, float]:
    """Return coefficients (p,) and constant of an autoregression without its largest residuals."""
    windows = sliding_window_view(z, p + 1)  # oldest first
    X = np.column_stack([windows[:, -2::-1], np.ones(len(windows))])
    y = windows[:, -1]
    weights = np.ones(len(y))
    beta = np.zeros(p + 1)
    for _ in range(2 * _ROUNDS):
        root = np.sqrt(weights)
        beta = np.linalg.lstsq(X * root[:, None], y * root, rcond=None)[0]
        e = y - X @ beta
        s = scale_of(e)
        if s == 0.0:
            break
        widest = SUSPECT * s
        weights = (1.0 - (np.where(np.abs(e) < widest, e, widest) / widest) ** 2) ** 2
    return beta[:-1], float(beta[-1])


def events_in(values: FloatArray, period: int | None) -> Events:
    """Return what happened once in a series.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing; not all of them are equal.
    period : int or None
        Steps in a season that there may be.

    Examples
    --------
    >>> y = np.random.default_rng(0).standard_normal(90)
    >>> y[50] = 30.0
    >>> events_in(y, None).outliers.tolist()
    [50]
    """
    known, places = ~np.isnan(values), np.arange(len(values))
    base, (boxes, shifts), effects = None, np.zeros((2, len(values))), np.zeros(len(values))
    for _ in range(_ROUNDS):
        steady = np.flatnonzero(known & (boxes == 0.0))
        middle = scipy.ndimage.median_filter(values[steady], 3, mode="nearest")
        y = np.where(known, values, np.interp(places, steady, middle))
        base = baseline_of(y, period) if base is None else base.again(y, effects, period)
        if not np.isfinite(base.evidence):
            return Events()
        boxes, shifts = _search(base, known)
        earlier, effects = effects, boxes + np.cumsum(shifts)
        if np.array_equal(effects != 0.0, earlier != 0.0):
            break
    assert base is not None
    usual = np.flatnonzero(boxes == 0.0)
    n_last = len(values) - 1 - int(usual.max(initial=-1))
    outliers = np.flatnonzero(boxes[: len(values) - n_last * (n_last > LONGEST_END)])
    if len(outliers) > HABIT * known.sum() and len(runs_of(outliers)) > 1:
        outliers = outliers[:0]
    level = np.interp(outliers, usual, (base.z - base.season)[usual])
    expected, at = base.values(level + base.season[outliers]), np.flatnonzero(shifts)
    in_logs = base.unit is None
    return Events(outliers, expected, at, shifts[at] * (base.unit or 1.0), in_logs=in_logs)


def _lengths(n: int) -> IntArray:
    """Return the lengths of boxes (k,): short ones, some longer ones, and n for those that last."""
    longest, few = max(n // 4, 1), max(min(_LENGTHS, _BOXES // n), 1)
    lengths = np.arange(1, min(longest, few) + 1)
    if longest > few:
        lengths = np.union1d(lengths, np.geomspace(few, longest, few // 4).astype(int))
    return np.append(lengths, n)


def _prices(lengths: IntArray) -> FloatArray:
    r"""Return what boxes of each length (k,) cost, in nats.

    That is COST, the logarithm of the number of places, and for a box that ends that of its length,
    :math:`2 \log L`: a prior on integers that knows no scale.
    """
    n = int(lengths[-1])
    return np.asarray(COST + np.log(n) + np.where(lengths < n, 2.0 * np.log(lengths), 0.0))


def _search(base: Baseline, known: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return boxes and shifts at each place, (n,) in the units of z, that are worth their price.

    A box that begins next to another, or ends there, has two places to be at.
    """
    n, p = len(base.z), len(base.pi) - 1
    places, lengths, prices = np.arange(n), _lengths(n), _prices(_lengths(n))
    stop = np.minimum(places + lengths[:, None], n)
    signs = scipy.signal.lfilter(base.pi, [1.0], places < lengths[:, None])  # what boxes leave
    power = np.cumsum(signs**2, axis=1)[:, ::-1]
    possible = (places >= p) & ((lengths[:, None] <= LONGEST_END) | (stop < n))
    possible[0] &= known
    possible[-1] = (places >= 2 * LAGS) & (places < n - LONGEST_END)
    least = SMALLEST * scale_of(np.diff(base.z - base.season)) / base.scale
    e, (boxes, shifts) = base.e.copy(), np.zeros((2, n))
    for _ in range(n):
        ahead = np.convolve(np.append(e, np.zeros(p)), base.pi[::-1], "valid")
        G, flagged = np.append(0.0, np.cumsum(ahead)), np.append(boxes != 0.0, False)
        size = (G[stop] - G[:-1]) / power
        touching = np.append(False, flagged[: n - 1]) | flagged[stop]
        touching[-1] = False
        price = prices[:, None] - np.log(n / 2.0) * touching
        worth = np.where(possible & (np.abs(size) >= least), 0.5 * size**2 * power - price, -1.0)
        found = list[tuple[float, int, FloatArray]]()
        top = np.argpartition(worth, -min(_TRIED, worth.size), axis=None)[-_TRIED:]
        for at in top[np.argsort(-worth.flat[top])].tolist():
            j, a = divmod(at, n)
            if worth.flat[at] > 0.0:
                end = min(a + lengths[j] + p, n)
                (gain,), w = base.gain(e[a:end], signs[j : j + 1, : end - a], size[j : j + 1, a])
                found.append((gain - price[j, a], a, np.repeat(w, stop[j, a] - a)))
        found = [one for one in found if one[0] > 0.0]
        if not found:
            found = _runs_of_free_values(base, e, float(prices[0]), least)
        if not found:
            break
        found.sort(key=lambda one: one[0], reverse=True)
        taken = np.zeros(n, dtype=bool)
        for gain, a, sizes in found:
            end = min(a + len(sizes) + p, n)
            if gain >= 0.5 * found[0][0] and not taken[a:end].any():
                taken[max(a - p, 0) : end + p] = True
                left = scipy.signal.lfilter(base.pi, [1.0], np.append(sizes, np.zeros(p)))
                e[a:end] -= left[: end - a]
                if 2 * LAGS <= len(sizes) == n - a:
                    shifts[a] += sizes[0] * base.scale
                else:
                    boxes[a : a + len(sizes)] += sizes * base.scale
        if len(at := np.flatnonzero(shifts)) > 1:  # they were found one after the other
            steps = [np.append(np.zeros(a), signs[-1, : n - a]) for a in at.tolist()]
            more = np.linalg.lstsq(np.transpose(steps), e, rcond=None)[0]
            shifts[at] += base.scale * more
            e -= more @ steps
        e[:p] = 0.0
    boxes[(np.abs(boxes) < least * base.scale) | ~known] = 0.0  # where one ends another
    return boxes, shifts


def _runs_of_free_values(
    base: Baseline, e: FloatArray, price: float, least: float
) -> list[tuple[float, int, FloatArray]]:
    """Return runs of values that differ and are worth their price: where each begins, and sizes.

    Each costs a spike's `price`, its length, and Schwarz's price of each further size.
    """
    n, p, found = len(e), len(base.pi) - 1, list[tuple[float, int, FloatArray]]()
    for a in np.argsort(np.abs(e))[-_STARTS:].tolist():
        for length in range(2, min(2 * LAGS, n - a - 1) + 1):
            part = e[a : a + length + p]
            T = scipy.linalg.convolution_matrix(base.pi, length)[: len(part)]
            size = np.asarray(np.linalg.lstsq(T, part, rcond=None)[0], dtype=np.float64)
            gain = float((nats(part, base.df) - nats(part - T @ size, base.df)).sum())
            further = 2.0 * np.log(length) + 0.5 * (length - 1) * np.log(n)
            found.append((gain - price - further, a, size))
    return [one for one in found if one[0] > 0.0 and (np.abs(one[2]) >= least).any()]


def runs_of(places: IntArray) -> list[IntArray]:
    """Return the runs of places (k,), which are in order: a gap divides them.

    Examples
    --------
    >>> runs_of(np.array([3, 4, 9]))
    [array([3, 4]), array([9])]
    """
    return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
