"""Where values stand in time, counted from the first value of the series that was fitted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.series.indexes import counts_from_zero, future_index, joined
from gpforecast.series.regularity import Index, clock_rule
from gpforecast.storage import storable


@dataclass(frozen=True, eq=False)
class Times:
    """Labels of the values of a series and of the steps ahead of it.

    Attributes
    ----------
    index : Index (n,)
    first : int
        Steps from the first value of the fitted series to the first of these.
    """

    index: Index
    first: int = 0

    @property
    def positions(self) -> FloatArray:
        """Steps since the first value of the fitted series, (n,)."""
        return np.arange(self.first, self.first + len(self.index), dtype=np.float64)


@storable
@dataclass(frozen=True, eq=False)
class Clock:
    """The time axis of the fitted series: tells where another stretch of it stands.

    Attributes
    ----------
    start : Index
        The first labels of the fitted series, frequency included.
    """

    start: Index

    @staticmethod
    def of(index: Index) -> "Clock":
        """Return the clock of a series; only its first labels are kept, enough to tell the step."""
        few = 16 if getattr(index, "freq", None) is None and index.dtype.kind == "M" else 3
        return Clock(index[: min(len(index), few)])

    def times(self, index: Index, horizon: int = 0) -> Times:
        """Return where the values on `index`, and `horizon` steps after them, stand.

        An index of another kind than that of the fit, such as the mere count of an array, is taken
        to begin where the fitted series began.
        """
        first = self._steps_to(index)
        if first is None:
            return Times(self.labels(len(index) + horizon), 0)
        return Times(joined(index, future_index(index, horizon)) if horizon else index, first)

    def labels(self, n: int) -> Index:
        """Return the labels of the n values from the start of the fitted series on."""
        more = n - len(self.start)
        return joined(self.start, future_index(self.start, more)) if more > 0 else self.start[:n]

    def _steps_to(self, index: Index) -> int | None:
        """Count the steps from the start of the fit to the first label; None if unknown."""
        own: Any = self.start
        if len(index) == 0 or len(own) == 0:
            return 0
        if own.dtype.kind in "iuf" and index.dtype.kind in "iuf":
            # Rows counted from 0 are labels only beside other counted rows, not beside years.
            if counts_from_zero(index) and not isinstance(own, pd.RangeIndex):
                return None
            step = own.step if isinstance(own, pd.RangeIndex) else _numeric_step(own)
            return round((float(index[0]) - float(own[0])) / step)
        if type(own) is not type(index):
            return None
        return _calendar_steps(own, index)


def _numeric_step(index: Any) -> float:
    return float(index[-1] - index[0]) / (len(index) - 1) if len(index) > 1 else 1.0


def _calendar_steps(own: Any, index: Any) -> int | None:
    a, b = own[0], index[0]
    if isinstance(own, pd.PeriodIndex):
        return int(b.ordinal - a.ordinal) // int(own.freq.n) if own.freq == index.freq else None
    if isinstance(own, pd.DatetimeIndex) and (own.tz is None) != (index.tz is None):
        return None
    if a == b:
        return 0
    freq, anchor = own.freq, 0
    if freq is None:
        rule = clock_rule(own) if isinstance(own, pd.DatetimeIndex) else None
        freq, anchor = rule or (pd.Timedelta(own[1] - own[0]), 0)
        a = own[anchor]
    if isinstance(own, pd.TimedeltaIndex) or _elapses(freq):
        steps: float = (b - a) / pd.Timedelta(freq)
        return round(steps)
    # Days and months are counted on the clock on the wall.
    early, late = (stamp.tz_localize(None) for stamp in (a, b))
    sign = 1
    if late < early:
        early, late, sign = late, early, -1
    return anchor + sign * (len(pd.date_range(early, late, freq=freq)) - 1)


def _elapses(freq: Any) -> bool:
    """Whether steps are elapsed time, not days or months of a calendar."""
    if isinstance(freq, pd.Timedelta):
        return bool(freq < pd.Timedelta(1, unit="D"))
    return isinstance(freq, pd.offsets.Tick) and not isinstance(freq, pd.offsets.Day)
