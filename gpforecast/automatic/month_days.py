"""Days of the month and of the year that come back: columns that are worth their price.

What a column explains is measured in nats on the innovations of a robust baseline, each clipped,
so that one large value makes no column; its price is that of an event
(`gpforecast.automatic.events`) and the logarithm of the number of days that it could be.

Innovations that the baseline leaves with a season are worth something to every column. The median
column, which hardly ever has an effect, tells how much too much: half of that of a chi-square
variable of one degree of freedom is due to chance (Devlin and Roeder 1999, "Genomic control for
association studies").
"""

import numpy as np
import pandas as pd
import scipy

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import COST, SMALLEST, baseline_of
from gpforecast.common.kinds import are_periods
from gpforecast.common.types import FloatArray, Index
from gpforecast.series.calendars import Calendar, columns_of
from gpforecast.series.checked import values_of
from gpforecast.series.day_calendars import (
    DayOfMonth,
    DayOfYear,
    DaysOfKinds,
    MonthEnd,
    WeekOfMonth,
    WorkingDayOfMonth,
)
from gpforecast.series.days import DAY, longer_than_a_day
from gpforecast.series.labels import tick_of
from gpforecast.series.scaling import ROUNDING
from gpforecast.series.time_axis import TimeAxis

_CALENDARS: tuple[DaysOfKinds, ...] = (
    DayOfMonth(),
    WorkingDayOfMonth(),
    MonthEnd(before=2),
    WeekOfMonth(),
)
_WEEKS = 52.0  # steps in a year: longer ones hold every day of the month alike


def days_of_month(
    y: "pd.Series[float]", axis: TimeAxis, seasons: tuple[int, ...] | None = None
) -> Decision[list[tuple[Calendar, tuple[str, ...]]]]:
    """Return the columns of the calendar that explain part of a series, and a note of them.

    Parameters
    ----------
    y : Series (n,)
        NaN where missing; no steps are longer than a week where there are any.
    axis : TimeAxis (n,)
    seasons : tuple of int, optional
        As for `cleaned`.
    """
    index = axis.dated()
    whole = y.set_axis(index).interpolate(limit_area="inside")
    steps, tick = features.steps_in_a_year(index), tick_of(index)
    if steps is None or steps < _WEEKS:
        return Decision([])
    if tick is not None and tick < pd.Timedelta(DAY):  # what a calendar has of an hour is its day
        whole = (whole.to_timestamp() if are_periods(index) else whole).resample("D").mean()[1:-1]
    whole = whole[-th.NEWEST_VALUES :]
    values = values_of(whole)
    if whole.count() < th.FEWEST_VALUES or np.nanmin(values) == np.nanmax(values):
        return Decision([])
    suggested = features.calendar_periods(whole.index) if seasons is None else seasons
    period = next((m for m in suggested if th.SEASON_CYCLES * m <= len(values)), None)
    found = days_in(values, whole.index, period)
    names = [name for _, each in found for name in each]
    if not names:
        return Decision([])
    calendars = ", ".join(f"gf.calendars.{one!r}" for one, _ in found)
    return Decision(
        found,
        f"the calendar explains part of the series: {', '.join(names)} (detected; calendar=[] "
        f"leaves it out, calendar=[{calendars}] has all columns)",
    )


def days_in(
    values: FloatArray, index: Index, period: int | None
) -> list[tuple[Calendar, tuple[str, ...]]]:
    """Return the columns of the calendar that are worth their price.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    index : Index
        Of dates or periods.
    period : int or None
        Steps in a season that there may be.

    Examples
    --------
    >>> days = pd.date_range("2023-01-01", periods=400)
    >>> y = np.random.default_rng(0).standard_normal(400) + 9.0 * (days.day == 15)
    >>> days_in(y, days, 7)
    [(DayOfMonth(), ('day 15',))]
    """
    known = np.flatnonzero(~np.isnan(values))
    names = [(one, name) for one in _CALENDARS for name in one.labels]
    of_month, dates = len(names), DayOfYear()
    if not longer_than_a_day(index):  # weeks of a year are a season
        names += [(dates, name) for name in dates.labels]
    of_year = len(names) - of_month
    price = COST + np.log(np.repeat([of_month, max(of_year, 1)], [of_month, of_year]))
    calendars = dict(names)
    C = np.hstack([columns_of(one, index, one.labels) for one in calendars])
    y = np.interp(np.arange(len(values)), known, values[known])
    base = baseline_of(y, period)
    if not np.isfinite(base.evidence):
        return []
    comes_back = np.count_nonzero(np.diff(C > 0.0, axis=0, prepend=False) & (C > 0.0), axis=0) > 1
    p, e, found = len(base.pi) - 1, base.e.copy(), list[int]()
    C = scipy.signal.lfilter(base.pi, [1.0], C, axis=0)[p:]
    C, e = C - C.mean(axis=0), e[p:]
    square = (C**2).sum(axis=0)
    square[~comes_back | (square <= ROUNDING * len(C))] = np.inf  # or every step has it
    by_chance = 0.5 * float(scipy.stats.chi2.median(1))
    for _ in names:
        clipped = np.clip(e, -SMALLEST, SMALLEST)
        worth = 0.5 * (C.T @ clipped) ** 2 / (square * np.mean(clipped**2))
        usual = np.median(np.append(worth[np.isfinite(square)], by_chance))
        worth = worth / max(float(usual) / by_chance, 1.0) - price
        j = int(np.argmax(worth))
        if worth[j] <= 0.0:
            break
        square[j] = np.inf
        found.append(j)
        for j in 2 * found:  # each of what the others leave
            on = np.abs(C[:, j]) > 0.5 * np.abs(C[:, j]).max()
            e = e - np.median(e[on] / C[on, j]) * C[:, j]
    return [
        (DayOfYear(mine) if isinstance(one, DayOfYear) else one, mine)
        for one in calendars
        if (mine := tuple(name for which, name in (names[j] for j in found) if which is one))
    ]
