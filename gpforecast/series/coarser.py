"""Steps that are coarser than the labels of a series: quarters among months, every second day.

Rows between the steps may be there and blank. They are left out here, before anything else looks at
them, as are those of inputs.
"""

import re
from contextlib import suppress
from typing import TypeVar, cast

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_periods, has_dates, is_labelled
from gpforecast.common.types import ExogLike, Index, SeriesLike
from gpforecast.common.validation import counted
from gpforecast.series.retail import retail_note
from gpforecast.series.spacing import in_steps
from gpforecast.series.time_axis import TimeAxis

Y = TypeVar("Y", bound=SeriesLike | pd.DataFrame)
E = TypeVar("E", bound=ExogLike)

_FEWEST = 4  # values, of which at most two steps would agree by chance
_UNITS = {
    "Y": "year", "Q": "quarter", "M": "month", "W": "week", "D": "day", "h": "hour",
    "min": "minute", "s": "second",
}  # fmt: skip


def on_coarser_steps(y: Y, exog: E) -> tuple[Y, E, tuple[str, ...]]:
    """Leave out blank rows between values that come at coarser steps.

    They do if, from the first value to the last, at most half of the rows have one, and the times
    of those that have are regular by themselves, gaps in them filled as `TimeAxis.of` does.

    Parameters
    ----------
    y : Series, DataFrame, or 1-D array-like
        NaN where missing. Without dates or periods it stays as it is.
    exog : DataFrame, Series, array-like or None
        Inputs at the same times, or at more.

    Returns
    -------
    y, exog
        At the steps.
    notes : tuple of str
        What the steps are, if rows are left out.

    Examples
    --------
    >>> months = pd.period_range("2020-01", periods=24, freq="M")
    >>> sales = pd.Series(5.0, months).where(months.month % 3 == 0)
    >>> y, _, notes = on_coarser_steps(sales, None)
    >>> len(y), notes
    (8, ('the steps are 3 months: the rows between them have no value',))
    """
    rows = cast("object", y)
    if not is_labelled(rows) or not has_dates(rows.index) or rows.index.hasnans:
        return y, exog, ()
    known = np.flatnonzero(rows.notna().to_numpy().reshape(len(rows), rows[:1].size).any(axis=1))
    if len(known) < _FEWEST or 2 * len(known) > known[-1] - known[0] + 2:
        return y, exog, ()
    with suppress(TypeError, ValueError):
        axis = TimeAxis.of(rows.index[known], fill=True)
        if len(axis) <= known[-1] - known[0] and rows.index.is_monotonic_increasing:
            left, inputs = without_rows(y, exog, axis)
            note = f"the steps are {step_in_words(axis.index)}: the rows between them have no value"
            return left, inputs, (note,)
    return y, exog, ()


def without_rows(y: Y, exog: E, axis: TimeAxis) -> tuple[Y, E]:
    """Return a series and inputs without its blank rows that are at no step of an axis.

    Examples
    --------
    >>> months = pd.period_range("2020-01", periods=6, freq="M")
    >>> later = pd.Series([None, None, 5.0], pd.period_range("2020-07", periods=3, freq="M"))
    >>> without_rows(later, None, TimeAxis.of(months[2::3]))[0].tolist()
    [5.0]
    """
    rows, left = cast("object", y), cast("object", exog)
    if not is_labelled(rows):
        return y, exog
    blank = rows.isna().to_numpy().reshape(len(rows), -1).all(axis=1)
    if not blank.any() or rows.index.hasnans:  # a missing time is refused with the others
        return y, exog
    between = blank & ~axis.holds(rows.index)
    if not between.any():
        return y, exog
    if is_labelled(exog):
        left = exog.loc[axis.holds(exog.index)]
    elif exog is not None and np.shape(exog)[:1] == between.shape:
        left = np.asarray(exog)[~between]
    return cast("Y", rows.loc[~between]), cast("E", left)


def coarser_note(index: Index) -> tuple[str, ...]:
    """Say what the steps are, if they are some of an index's periods, or retail months.

    Examples
    --------
    >>> coarser_note(pd.period_range("2024Q1", periods=8, freq="Q")[::2])
    ('the steps are 2 quarters, and so are those ahead',)
    """
    if not are_periods(index) or in_steps(index) is index:
        return retail_note(index)
    return (f"the steps are {step_in_words(index)}, and so are those ahead",)


def step_in_words(index: Index) -> str:
    """Say what a step of regular dates or periods is.

    Examples
    --------
    >>> step_in_words(pd.date_range("2024-01-01", periods=9, freq="3h"))
    '3 hours'
    """
    freq = in_steps(index).freqstr if has_dates(index) else None
    found = re.fullmatch(r"(\d*)(Y|Q|M|W|D|h|min|s)[ES]?(-[A-Z]+)?", freq or "")
    if found is None:
        return f"of frequency {freq}" if freq else "coarser"
    of = {"W": f" (freq '{freq}')"}.get(found[2], "") if found[3] else ""
    return counted(int(found[1] or 1), _UNITS[found[2]]) + of
