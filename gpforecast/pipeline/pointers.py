"""Notes that point a user to what may have been meant or missed, such as holidays or classes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.closed import never_known
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.ends import constant_end, stuck_runs, unfinished_end
from gpforecast.common.types import FloatArray, Index
from gpforecast.common.validation import are_periods, counted, has_dates
from gpforecast.common.wording import as_given, in_digits, listed
from gpforecast.pipeline.sections import every, step_of
from gpforecast.series.calendars import Calendar
from gpforecast.series.closed_days import closed_days_of, never_on
from gpforecast.series.labels import time_at

_MANY = 8  # outliers of a daily series, from beyond which they may be holidays
UNFINISHED = "the last value,"  # begins a note that no update keeps
_FEW_ZEROS, _NEAR_ZERO = 0.02, 0.25  # share of the values; share of the median of the others
_HARDLY_ANY = 8  # values: with fewer, the width of the intervals is a guess


def notes_on_classes(values: FloatArray) -> list[str]:
    """Return a note on a series of nothing but 0 and 1.

    Examples
    --------
    >>> notes_on_classes(np.array([0.0, 1.0, 1.0, np.nan]))
    ['all values are 0 or 1: gf.EventForecaster forecasts the probability of each']
    """
    if set(np.unique(values[~np.isnan(values)])) != {0.0, 1.0}:
        return []
    return ["all values are 0 or 1: gf.EventForecaster forecasts the probability of each"]


def notes_on_zeros(values: FloatArray, index: Index) -> list[str]:
    """Return a note on a few values of 0 in a series that comes nowhere near it.

    Examples
    --------
    >>> values = np.r_[np.full(60, 250.0), 0.0, np.full(60, 300.0)]
    >>> notes_on_zeros(values, pd.RangeIndex(121))[0][:63]
    '1 value is 0 (60), and all others are 250 or more: if there was'
    """
    known = values[~np.isnan(values)]
    zeros, others = np.flatnonzero(values == 0.0), known[known != 0.0]
    if not 0 < len(zeros) <= _FEW_ZEROS * len(known):
        return []
    if not others.min() > _NEAR_ZERO * np.median(others):
        return []
    are = "value is" if len(zeros) == 1 else "values are"
    times = listed([time_at(index, at) for at in zeros.tolist()], 3)
    said = (
        f"{len(zeros)} {are} 0 ({times}), and all others are {in_digits(others.min())} or more: if "
        f"there was nothing to count then, such as on days off, leave them blank: forecasts may be "
        f"much better"
    )
    return [said]


def notes_on_closed_days(index: Index) -> list[str]:
    """Return a note on days of the week that never come, if the steps of an index leave them out.

    Examples
    --------
    >>> open_days = pd.offsets.CustomBusinessDay(weekmask="1111110")
    >>> notes_on_closed_days(pd.date_range("2024-01-01", periods=9, freq=open_days))
    ['there is never a value on a Sunday: the steps, and those ahead, are the other days']
    """
    freq, closed = getattr(index, "freq", None), closed_days_of(index)
    named = isinstance(freq, pd.offsets.CustomBusinessDay)  # working days need no words
    return [never_on(closed)] if named and closed.any() else []


def notes_on_hours_without(values: FloatArray, index: Index) -> list[str]:
    """Return a note on times of a day or a week at which there never is a value."""
    if (found := never_known(values, index)) is None:
        return []
    said = (
        f"at {found[0]} of every {found[1]} times there is never a value: what is forecast there "
        f"means little. If nothing happens then, as at night, write 0 there, and 0 is forecast"
    )
    if are_periods(index) and found[1] == 7:
        said += "; on dates, as of series.to_timestamp(), the steps are the other days"
    return [said]


def notes_on_few(values: FloatArray) -> list[str]:
    """Return a note on a series that is so short that it tells next to nothing.

    Examples
    --------
    >>> notes_on_few(np.array([1.0, np.nan, 2.0, 3.0]))
    ['only 3 values: the intervals are guesses']
    """
    n = int(np.isfinite(values).sum())
    return [f"only {counted(n, 'value')}: the intervals are guesses"] if n < _HARDLY_ANY else []


def notes_on_stuck(values: FloatArray, index: Index, become: str = "", since: int = 0) -> list[str]:
    """Return a note on values that are equal for long in a series that hardly ever repeats one.

    It says what has become of them, or else what may be done. Runs that ended before the position
    `since` are left out.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:30] = values[20]
    >>> notes_on_stuck(values, pd.RangeIndex(40))[0][:53]
    '10 values in a row are equal, from 20 to 29: if a sen'
    """
    runs = [run for run in stuck_runs(values) if run[1] >= since]
    if not runs:
        return []
    length = [int((~np.isnan(values[first : last + 1])).sum()) for first, last in runs]
    longest = int(np.argmax(length))
    first, last = (time_at(index, at) for at in runs[longest])
    others = f", and {counted(len(runs) - 1, 'shorter run')}" if len(runs) > 1 else ""
    said = ": if a sensor was stuck, make them NaN, so that nothing is learned from them"
    if become:
        said = f", as if a sensor was stuck: all but the first {become}"
    equal = f"{length[longest]} values in a row are equal, from {first} to {last}{others}"
    return [f"{equal}{said}"]


def notes_on_end(values: FloatArray, index: Index) -> list[str]:
    """Return a note on a series that ends in a run of one value, far from those before it.

    Examples
    --------
    >>> values = np.append(50.0 + np.random.default_rng(0).standard_normal(60), np.zeros(30))
    >>> notes_on_end(values, pd.RangeIndex(90))[0][:41]
    'the last 30 values, from 60 on, are all 0'
    """
    seasons = [m for m in features.calendar_periods(index) if th.OFFERED_CYCLES * m <= len(values)]
    end = constant_end(values, seasons[0] if seasons else None, th.STUCK_FEWEST)
    if not end:
        return []
    n = int((~np.isnan(values[end:])).sum())
    value = in_digits(float(values[end]))
    said = (
        f"the last {n} values, from {time_at(index, end)} on, are all {value}: the intervals are "
        f"as wide as if the series went on changing. If the series has ended, fit to these values "
        f"alone, and the forecast is {value}; if a sensor was stuck, make them NaN"
    )
    return [said]


def notes_on_unfinished(values: FloatArray, index: Index) -> list[str]:
    """Return a note on a last value that may be of a day, a month or a year that is not over.

    Examples
    --------
    >>> values = 50.0 + np.random.default_rng(0).standard_normal(60)
    >>> values[-1] = 18.0
    >>> notes_on_unfinished(values, pd.period_range("2020-01", periods=60, freq="M"))[0][:61]
    'the last value, 18 at 2024-12, is far below the 49.9 or so th'
    """
    often = every(index)
    if often is None or often == "hourly":
        return []
    seasons = [m for m in features.calendar_periods(index) if th.OFFERED_CYCLES * m <= len(values)]
    expected = unfinished_end(values, seasons[0] if seasons else None)
    if expected is None or any(_was_low(values, m) for m in features.calendar_periods(index)):
        return []
    value, step = as_given(float(values[-1])), step_of(index)
    said = (
        f"{UNFINISHED} {value} at {time_at(index, -1)}, is far below the "
        f"{in_digits(expected)} or so that those before it lead to expect, and forecasts start "
        f"from it: if its {step} was not over yet, leave it out"
    )
    return [said]


def _was_low(values: FloatArray, season: int) -> bool:
    """Return whether the last value is about as low as it was a season before, or may be."""
    before = values[max(len(values) - season - 2, 0) : max(len(values) - season + 1, 0)]
    before = before[~np.isnan(before)]
    return not len(before) or bool(before.min() * th.UNFINISHED <= values[-1])


def notes_on_outliers(
    outliers: Decision[tuple[int, ...]], index: Index, calendars: Sequence[Calendar]
) -> list[str]:
    """Return what is said of outliers and shifts, and that they may be holidays, if they may.

    Parameters
    ----------
    outliers : Decision of tuple of int
        Their positions. The first reason is of them, if there are any.
    index : Index
        Of the series.
    calendars : sequence of Calendar
        What the user passed: who has some knows them.
    """
    said, holidays = [*outliers.reasons], as_holidays(index, outliers.value)
    if outliers.value and holidays and not calendars:
        said[0] += f"; {holidays}"
    return said


def as_holidays(index: Index, places: Sequence[int]) -> str:
    """Return what to do if outliers may be holidays; "" where nothing suggests it.

    It does where a daily series has many, or where most are on days that are unusual in several
    years.

    Examples
    --------
    >>> days = pd.date_range("2022-01-01", "2024-12-31")
    >>> as_holidays(days, days.get_indexer(["2022-12-25", "2023-12-25", "2024-12-25"]).tolist())
    'if these are holidays, pass calendar=gf.calendars.Holidays(...)'
    """
    if len(places) < 2 or not has_dates(index):
        return ""
    days = index.to_timestamp() if are_periods(index) else index
    if pd.Series(days[1:] - days[:-1]).median() != pd.Timedelta(1, unit="D"):
        return ""
    found = pd.Series(days[list(places)])
    again = int(found.dt.strftime("%m-%d").duplicated(keep=False).sum())
    if len(places) <= _MANY and 2 * again <= len(places):
        return ""
    return "if these are holidays, pass calendar=gf.calendars.Holidays(...)"


def notes_on_waking(fitted: FloatArray, given: FloatArray) -> list[str]:
    """Return a note on new values (m,) after a fit (n,) to one value again and again."""
    known, new = fitted[~np.isnan(fitted)], given[~np.isnan(given)]
    if not len(known) or not features.is_constant(known):
        return []
    if features.is_constant(np.append(known, new)):
        return []
    said = (
        f"the fit knew no value but {as_given(known[0])}, and learned neither noise nor memory: "
        f"intervals are far too narrow now that other values have come, so fit again"
    )
    return [said]
