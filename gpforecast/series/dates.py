"""How dates are spaced: at a constant step, or by a rule of the calendar."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset

from gpforecast.common.types import Index
from gpforecast.common.validation import counted
from gpforecast.series.calendar_rules import (
    constant_rule,
    dates_by,
    rule_of,
    rules_for,
    steps_apart,
    usual_rule,
    usual_step,
    with_freq,
    without_freq,
)
from gpforecast.series.spacing import Spacing, irregular


class Dates(Spacing[pd.DatetimeIndex]):
    """Dates at a constant step, or by a rule of the calendar."""

    dtype_kinds = "M"

    def regular(self, index: pd.DatetimeIndex) -> pd.DatetimeIndex | None:
        if index.freq is not None and index.tz is None:
            return index  # pandas keeps this one true
        # tz_convert in pandas 2 leaves "D" on dates that are days of another clock: look again.
        found = rule_of(index)
        return None if found is None else with_freq(without_freq(index), found[0])

    def with_gaps(self, index: pd.DatetimeIndex) -> Iterator[Index]:
        span = int(index.asi8[-1]) - int(index.asi8[0])
        if span > 4 * len(index) * usual_step(np.diff(index.asi8)):
            return  # mostly gap, by any rule; and the dates might not fit in memory
        for rule in rules_for(index):
            whole = self.regular(without_freq(dates_by(rule, index[0], index[-1])))
            if whole is not None:
                yield whole

    def refusal(self, index: pd.DatetimeIndex, name: str) -> str:
        if len(index) < 3:
            return (
                f"{name} must have at least 3 rows, or an index with a freq, to tell the step of "
                f"its dates; got {counted(len(index), 'row')} and no freq. If it is daily, say, "
                f"use {name}.asfreq('D')."
            )
        rule, follows = usual_rule(without_freq(index))
        if 2 * follows.sum() < len(follows):
            return (
                f"{name} must have a regular index; got steps of {index[1] - index[0]} and "
                f"{index[2] - index[1]} from {index[0]} on, and no step that most rows share. "
                f"Bring it to one first, for instance with {name}.resample('D').mean()."
            )
        usual = repr(rule.freqstr)
        remedy = f"asfreq({usual}) or {name}.resample({usual}).mean()"
        return irregular(index, ~follows, usual, remedy, name)

    def after(self, index: pd.DatetimeIndex, n: int) -> pd.DatetimeIndex:
        # The last date may be one that a clock change moved: count from one that is in its place.
        rule, anchor = _rule(index, len(index) - 1)
        ahead = len(index) - anchor
        later = dates_by(rule, index[anchor], periods=ahead + n)[ahead:]
        return with_freq(later.rename(index.name), rule)

    def joined(self, index: pd.DatetimeIndex, later: Index) -> Index:
        # pandas would look whether one goes on as the other, and fail at a time that occurs twice.
        both = pd.DatetimeIndex(without_freq(index).append(later))
        return both if index.freq is None else with_freq(both, index.freq)

    def steps(self, index: pd.DatetimeIndex, other: Index) -> int | None:
        first, late = index[0], other[0]
        if (first.tz is None) != (late.tz is None):
            return None
        if first == late:
            return 0
        rule, anchor = _rule(index, 0)
        return anchor + steps_apart(rule, index[anchor], late)


def _rule(index: pd.DatetimeIndex, anchor: int) -> tuple[BaseOffset, int]:
    """Return the rule of regular dates and the place of one not moved: `anchor` if none is."""
    if index.freq is not None:
        return index.freq, anchor
    return rule_of(index) or (constant_rule(index[1] - index[0], index.tz), 0)
