"""Steps that are coarser than the labels of a series: quarters among months, open days of a week.

Rows between the steps may be there and blank. They are left out here, before anything else looks at
them, as are those of inputs. A museum that never opens on a Monday has a file without Mondays, or
one whose Mondays are blank: the steps are the other days (`dates`) in both.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar, cast

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, are_periods, has_dates, is_labelled, is_series
from gpforecast.common.types import BoolArray, ExogLike, Index, SeriesLike, Values
from gpforecast.common.validation import counted
from gpforecast.series.dates import days_that_come
from gpforecast.series.days import WEEK
from gpforecast.series.frames import as_pandas, one_column
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
    known = np.flatnonzero(~_blank(rows))
    if len(known) < _FEWEST or 2 * len(known) > known[-1] - known[0] + 2:
        return y, exog, ()
    with suppress(TypeError, ValueError):
        axis = TimeAxis.of(rows.index[known], fill=True)
        if len(axis) <= known[-1] - known[0] and rows.index.is_monotonic_increasing:
            left, inputs = without_rows(y, exog, axis.holds)
            note = f"the steps are {step_in_words(axis.index)}: the rows between them have no value"
            return left, inputs, (note,)
    return y, exog, ()


def on_open_days(y: Y, exog: E) -> tuple[Y, E, tuple[str, ...]]:
    """Leave out the rows of days of the week on which a daily series never has a value.

    The rule is that for days without rows: at least four weeks, and the other days have a value in
    four weeks of five. Other blank rows between coarser steps are left out by `on_coarser_steps`.

    Parameters
    ----------
    y : Series, or 1-D array-like
        NaN where missing. Without dates or periods it stays as it is.
    exog : DataFrame, Series, array-like or None
        Inputs at the same times, or at more.

    Returns
    -------
    y, exog
        On the other days.
    notes : tuple of str
        Which days have no rows now, if any had some.

    Examples
    --------
    >>> days = pd.date_range("2024-01-01", periods=60)
    >>> visits = pd.Series(5.0, days).where(days.day_of_week != 0)
    >>> y, _, notes = on_open_days(visits, None)
    >>> len(y), notes
    (51, ('there is never a value on a Monday: the steps, and those ahead, are the other days',))
    """
    y, exog, notes = on_coarser_steps(y, exog)
    column: object = y
    if notes or not is_series(column) or not are_dates(column.index):
        return y, exog, notes
    if not (column.index.is_monotonic_increasing and column.index.is_unique):
        return y, exog, ()
    comes = days_that_come(column.index[column.notna()])
    closed = np.flatnonzero(~comes)
    left, inputs = without_rows(
        y, exog, lambda index: ~index.to_series().dt.day_of_week.isin(closed).to_numpy()
    )
    return left, inputs, (never_on(~comes),) if np.size(left) < len(column) else ()


def on_days_of(
    times: Index, y: SeriesLike, exog: ExogLike = None, name: str = "series"
) -> tuple[SeriesLike, ExogLike]:
    """Leave out blank rows that the steps of `times` leave out, such as days of the week.

    Examples
    --------
    >>> days = pd.date_range("2024-01-05", periods=4)
    >>> later = pd.Series([1.0, None, None, 2.0], days)
    >>> on_days_of(pd.bdate_range("2024-01-01", periods=4), later)[0].tolist()
    [1.0, 2.0]
    """
    y = one_column(y, name)
    exog = as_pandas(exog, "exog", series=y)
    return without_rows(y, exog, TimeAxis(times).holds)


def without_rows(y: Y, exog: E, holds: Callable[[Index], BoolArray]) -> tuple[Y, E]:
    """Return a series and inputs without its blank rows that are at no step.

    Parameters
    ----------
    y : Series, DataFrame, or 1-D array-like
    exog : DataFrame, Series, array-like or None
        Inputs with their own times, or a row for each of the series.
    holds : callable
        Returns which labels are at steps.

    Examples
    --------
    >>> months = pd.period_range("2020-01", periods=6, freq="M")
    >>> later = pd.Series([None, None, 5.0], pd.period_range("2020-07", periods=3, freq="M"))
    >>> without_rows(later, None, TimeAxis.of(months[2::3]).holds)[0].tolist()
    [5.0]
    """
    rows, left = cast("object", y), cast("object", exog)
    if not is_labelled(rows):
        return y, exog
    blank = _blank(rows)
    if not blank.any() or rows.index.hasnans:  # a missing time is refused with the others
        return y, exog
    between = blank & ~holds(rows.index)
    if not between.any():
        return y, exog
    if is_labelled(exog) and has_dates(exog.index):
        left = exog.loc[holds(exog.index)]
    elif exog is not None and np.shape(exog)[:1] == between.shape:
        left = exog.loc[~between] if is_labelled(exog) else np.asarray(exog)[~between]
    return cast("Y", rows.loc[~between]), cast("E", left)


def never_on(closed: BoolArray) -> str:
    """Say on which days of the week (7,) there never is a value.

    Examples
    --------
    >>> never_on(np.arange(7) >= 5)[:48]
    'there is never a value on a Saturday or a Sunday'
    """
    *names, last = (f"a {WEEK[day]}" for day in np.flatnonzero(closed))
    days = f"{', '.join(names)} or {last}" if names else last
    return f"there is never a value on {days}: the steps, and those ahead, are the other days"


def _blank(rows: Values | pd.DataFrame) -> BoolArray:
    """Return which rows have no value, (n,)."""
    missing = rows.isna().to_numpy().reshape(len(rows), rows[:1].size)
    return np.asarray(missing.all(axis=1))


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
