"""Days of the month and of the year that come back: columns that are worth their price.

What a column explains is measured in nats as what happens once is (`gpforecast.automatic.events`),
on clipped innovations, so that one large value makes no column. Its price is that of an event and
the logarithm of the number of columns that it could be.

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
    if steps is None:
        return Decision([])
    if tick is not None and tick < pd.Timedelta(DAY):  # what a calendar has of an hour is its day
        whole = (whole.to_timestamp() if are_periods(index) else whole).resample("D").mean()[1:-1]
    whole = whole[-th.NEWEST_VALUES :]
    values = values_of(whole)
    if whole.count() < th.SHORTEST or np.nanmin(values) == np.nanmax(values):
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
    base = baseline_of(np.interp(np.arange(len(values)), known, values[known]), period)
    if not np.isfinite(base.evidence):
        return []
    of_year = () if longer_than_a_day(index) else (DayOfYear(),)  # weeks of a year are a season
    groups = [[(one, name) for one in c for name in one.labels] for c in (_CALENDARS, of_year)]
    price = COST + np.log([len(group) for group in groups for _ in group])
    names, kinds = groups[0] + groups[1], (*_CALENDARS, *of_year)
    C = np.hstack([columns_of(one, index, one.labels) for one in kinds])
    p, begins = len(base.pi) - 1, np.diff(C > 0.0, axis=0, prepend=False) & (C > 0.0)
    signs = scipy.signal.lfilter(base.pi, [1.0], C, axis=0)[p:].T
    signs, e, found = signs - signs.mean(axis=1)[:, None], base.e[p:], list[int]()
    square, by_chance = (signs**2).sum(axis=1), 0.5 * float(scipy.stats.chi2.median(1))
    possible = np.flatnonzero((begins.sum(axis=0) > 1) & (square > ROUNDING * len(e)))
    while len(possible):
        own, clipped = signs[possible], np.clip(e, -SMALLEST, SMALLEST)
        worth, _ = base.gain(clipped, own, own @ clipped / square[possible])
        usual = np.median(np.append(worth, by_chance)) / by_chance
        worth = worth / max(float(usual), 1.0) - price[possible]
        if worth.max() <= 0.0:
            break
        found.append(int(possible[np.argmax(worth)]))
        possible = np.setdiff1d(possible, found)
        for j in 2 * found:  # each of what the others leave
            own = signs[[j]]
            e = e - base.gain(e, own, own @ e / square[j])[1] @ own
    return [
        (one if one in _CALENDARS else DayOfYear(mine), mine)
        for one in kinds
        if (mine := tuple(name for which, name in (names[j] for j in found) if which is one))
    ]
