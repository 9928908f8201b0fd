"""Days of the week on which there never is a value: their rows, and the words for them.

A museum that never opens on a Monday has a file without Mondays, or one whose Mondays are blank.
Without rows the steps are the other days (`dates`). With blank rows they are, too: such rows are
left out here, before the steps are looked for, and so are those of inputs.
"""

from typing import TypeVar, cast

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, is_labelled, is_series
from gpforecast.common.types import BoolArray, ExogLike, Index, SeriesLike
from gpforecast.series.coarser import on_coarser_steps, without_rows
from gpforecast.series.dates import days_that_come
from gpforecast.series.frames import as_pandas, one_column
from gpforecast.series.time_axis import TimeAxis

Y = TypeVar("Y", bound=SeriesLike)
E = TypeVar("E", bound=ExogLike)

_WEEK = pd.date_range("2024-01-01", periods=7).day_name()


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
    closed = ~days_that_come(column.index[column.notna()])
    left, inputs = _without(y, exog, closed)
    return left, inputs, (never_on(closed),) if np.size(left) < len(column) else ()


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
    return without_rows(y, exog, TimeAxis(times))


def never_on(closed: BoolArray) -> str:
    """Say on which days of the week (7,) there never is a value.

    Examples
    --------
    >>> never_on(np.arange(7) >= 5)[:48]
    'there is never a value on a Saturday or a Sunday'
    """
    *names, last = (f"a {day}" for day in _WEEK[closed])
    days = f"{', '.join(names)} or {last}" if names else last
    return f"there is never a value on {days}: the steps, and those ahead, are the other days"


def _without(y: Y, exog: E, closed: BoolArray) -> tuple[Y, E]:
    """Return a series and inputs without its blank rows on closed days of the week (7,)."""
    column, left = cast("object", y), cast("object", exog)
    if not is_series(column) or not are_dates(column.index) or column.index.hasnans:
        return y, exog  # a missing date is refused with the others
    rows = np.isin(column.index.day_of_week, np.flatnonzero(closed)) & column.isna().to_numpy()
    if not rows.any():
        return y, exog
    if is_labelled(exog) and are_dates(exog.index):
        left = exog.loc[~np.isin(exog.index.day_of_week, np.flatnonzero(closed))]
    elif exog is not None and np.shape(exog)[:1] == rows.shape:
        left = exog.loc[~rows] if is_labelled(exog) else np.asarray(exog)[~rows]
    return cast("Y", column.loc[~rows]), cast("E", left)
