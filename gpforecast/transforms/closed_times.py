"""Times of a day or a week at which a series always has its smallest value, such as 0 at night."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.common.validation import counted, positive_integer
from gpforecast.common.wording import as_given
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.labels import tick_of
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.base import OfTimes
from gpforecast.transforms.differences import gaps
from gpforecast.transforms.split import AtTimes, Split

ALWAYS = "were always"  # is in every sentence about closed times
FEWEST_CYCLES = 4  # cycles in which a time must have been closed
_BY_CHANCE = 0.01  # probability that any time would look closed, of values in any order
_OFTEN = 0.1  # share of the values of a time: as often at the level, it is dusk next to a night


@storable
@dataclass(frozen=True)
class ClosedTimes(OfTimes["FittedClosedTimes"]):
    """Forecast the smallest value, with certainty, at times of a cycle that always had it.

    A call centre has no calls at night, a solar plant no power, a shop no sales on Sundays. The
    model knows nothing of that: it forecasts a little more than nothing, and takes the noise of
    closed times, which is none, into that of all others. With this step nothing is learned from the
    values at closed times, and forecasts of them are certain.

    Once all steps are taken, values of closed times are 0: for the model, nothing out of the
    ordinary.

    A time is closed if at least four values of it are known, all are the smallest of the series,
    and other times have that value too seldom for chance. Dusk may come earlier or later than in
    the past: where a neighbouring time has the value more often than other open times, an hour (a
    step, if longer) of the closed time next to it does not count.

    Parameters
    ----------
    period : int
        Steps in a cycle, such as 24 or 168 for hours.

    Raises
    ------
    ValueError
        If it is not an integer of at least 2; on fitting, if there is not a whole cycle.

    Notes
    -----
    The inverse multiplies the joint distribution by a matrix that is diagonal, which is exact.

    Examples
    --------
    >>> import gpforecast as gf
    >>> shop = np.tile([0.0, 3.0, 5.0, 4.0, 0.0, 0.0], 9) * np.arange(1, 55)
    >>> fc = gf.Forecaster(lags=6, transforms=gf.transforms.ClosedTimes(6)).fit(shop)
    >>> f = fc.predict(6)
    >>> (f.std == 0.0).tolist()
    [True, False, False, False, True, True]
    """

    period: int

    def __post_init__(self) -> None:
        positive_integer(self.period, "period", least=2)

    def fit_at(self, values: FloatArray, times: TimeAxis) -> "FittedClosedTimes":
        """Find the closed times from values (n,) that have been checked."""
        m, known = self.period, ~np.isnan(values)
        if len(values) < m:
            raise ValueError(
                f"series has {counted(len(values), 'value')}, less than a cycle of {self!r}; pass "
                f"a longer series or leave the transform out."
            )
        level = float(values[known].min(initial=np.inf))
        place = np.arange(len(values)) % m
        count = np.bincount(place[known], minlength=m)
        at_level = np.bincount(place[known], values[known] == level, minlength=m)
        closed = (at_level == count) & (count >= FEWEST_CYCLES)
        others = count[~closed].sum()
        share = at_level[~closed].sum() / others if others else 1.0
        if closed.any() and m * share ** count[closed].min() > _BY_CHANCE:
            closed = np.zeros(m, dtype=bool)
        often = at_level / np.maximum(count, 1)
        usual = float(np.median(often[~closed])) if (~closed).any() else 0.0  # of days off, say
        dusk = ~closed & (often >= usual + _OFTEN)
        tick = tick_of(times.index)
        hour = 1 if tick is None else max(round(pd.Timedelta(1, unit="h") / tick), 1)
        for _ in range(hour):
            dusk |= np.roll(dusk, 1) | np.roll(dusk, -1)
        return FittedClosedTimes(self, closed & ~dusk, level, times.head)


@storable
@dataclass(frozen=True, eq=False)
class FittedClosedTimes(AtTimes):
    """The closed times of a series.

    Attributes
    ----------
    spec : ClosedTimes
    closed : ndarray (period,) of bool
        Which times of a cycle, counted from the first value of the fitted series.
    level : float
        Their value.
    axis : TimeAxis
        The first times of the fitted series.
    """

    spec: ClosedTimes
    closed: BoolArray
    level: float
    axis: TimeAxis

    def __post_init__(self) -> None:
        check_shapes(self, closed=(self.spec.period,))

    def in_words(self, level: float) -> str:
        """Say how many there are; the level in the units of the series."""
        n, m = int(self.closed.sum()), len(self.closed)
        if n == 0:
            return f"none of every {m} steps {ALWAYS} at the smallest value"
        return f"{n} of every {m} steps {ALWAYS} {as_given(level)}, and are forecast to be"

    def at(self, times: TimeAxis) -> BoolArray:
        """Return which of the times are closed, (n,)."""
        return np.asarray(self.closed[self.places(times)])

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the values, (n,): they are not changed."""
        return values

    def without(self, times: TimeAxis, other: BoolArray) -> "FittedClosedTimes":
        """Return it without the closed times of a cycle that some times (n,) are of."""
        closed = self.closed.copy()
        closed[self.places(times)[other]] = False
        return replace(self, closed=closed)

    def places(self, times: TimeAxis) -> IntArray:
        """Return where in a cycle times are, (n,), counted from the first of those of the fit."""
        return (times.positions.astype(np.int64) - self.axis.first) % len(self.closed)

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution with the closed times at their level."""
        open_ = 1.0 - self.at(times)[ends[:, None] + np.arange(z.mean.shape[1])]  # (b, h)
        return z.scaled(open_, self.level * (1.0 - open_))

    def split(self, found: Split, end: int, times: TimeAxis) -> Split:
        """Return trend and season with closed times at their level: the season goes down to it."""
        n = len(found.trend)
        open_ = 1.0 - self.at(times)[end : end + n]
        season = np.where(open_ > 0.0, found.season, self.level - found.trend)
        season_root = np.where(open_[:, None] > 0.0, found.season_root, -found.trend_root)
        return Split(found.trend, season, found.trend_root, season_root)


def uninformative(linear: Sequence[object], times: TimeAxis) -> BoolArray:
    """Return which times are closed, (n,); none where differences span other steps.

    Differences to closed times before and after are informative about opening and closing.
    """
    apart = gaps(linear)
    found = np.zeros(len(times), dtype=bool)
    for step in linear:
        if isinstance(step, FittedClosedTimes) and not any(gap % step.spec.period for gap in apart):
            found |= step.at(times)
    return found
