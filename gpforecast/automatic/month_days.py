"""Days of the month that come back: columns of the calendar that are worth their price.

What a column explains is measured in nats on the innovations of a robust baseline, each clipped,
so that one large value makes no column; its price is that of an event
(`gpforecast.automatic.events`) and the logarithm of the number of columns.
"""

import numpy as np
import pandas as pd
import scipy

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import COST, SMALLEST, baseline_of
from gpforecast.automatic.trials import bridged
from gpforecast.common.types import FloatArray, Index
from gpforecast.series.calendars import Calendar, columns_of
from gpforecast.series.checked import values_of
from gpforecast.series.day_calendars import DayOfMonth, MonthEnd, WeekOfMonth, WorkingDayOfMonth
from gpforecast.series.days import relabelled
from gpforecast.series.scaling import ROUNDING

_CALENDARS = (DayOfMonth(), WorkingDayOfMonth(), MonthEnd(before=2), WeekOfMonth())
_WEEKS = 52.0  # steps in a year: longer ones hold every day of the month alike


def days_of_month(
    y: "pd.Series[float]", seasons: tuple[int, ...] | None = None, label: str | None = None
) -> Decision[list[tuple[Calendar, tuple[str, ...]]]]:
    """Return the columns of the calendar that explain part of a series, and a note of them.

    Parameters
    ----------
    y : Series (n,)
        NaN where missing; no steps are longer than a week where there are any.
    seasons : tuple of int, optional
        As for `cleaned`.
    label : {"start", "end"}, optional
        Where dates stand in their steps.
    """
    index, values = y.index[-th.NEWEST_VALUES :], values_of(y)[-th.NEWEST_VALUES :]
    steps = features.steps_in_a_year(index)
    whole = bridged(values)
    if steps is None or steps < _WEEKS or len(whole) < th.FEWEST_VALUES or np.ptp(whole) == 0.0:
        return Decision([])
    suggested = features.calendar_periods(index) if seasons is None else seasons
    period = next((m for m in suggested if th.OFFERED_CYCLES * m <= len(values)), None)
    found = days_in(values, relabelled(index, label), period)
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
    C = np.hstack([columns_of(one, index, one.labels) for one in _CALENDARS])
    y = np.interp(np.arange(len(values)), known, values[known])
    base = baseline_of(y, period)
    if not np.isfinite(base.evidence):
        return []
    p, e, found = len(base.pi) - 1, base.e.copy(), []
    C = scipy.signal.lfilter(base.pi, [1.0], C, axis=0)[p:]
    C, e = C - C.mean(axis=0), e[p:]
    square = (C**2).sum(axis=0)
    square[square <= ROUNDING * len(C)] = np.inf  # every step has it
    for _ in names:
        clipped = np.clip(e, -SMALLEST, SMALLEST)
        worth = 0.5 * (C.T @ clipped) ** 2 / (square * np.mean(clipped**2))
        j = int(np.argmax(worth))
        if worth[j] <= COST + np.log(len(names)):
            break
        on = np.abs(C[:, j]) > 0.5 * np.abs(C[:, j]).max()
        e = e - np.median(e[on] / C[on, j]) * C[:, j]
        square[j] = np.inf
        found.append(names[j])
    return [
        (one, mine)
        for one in _CALENDARS
        if (mine := tuple(name for which, name in found if which is one))
    ]
