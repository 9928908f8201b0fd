"""Steps by their labels: which ones a key names, and the sums over steps that periods are."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pandas as pd
from pandas.tseries.offsets import BaseOffset

from gpforecast.common.kinds import are_dates, are_periods, has_dates
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly
from gpforecast.series.dates import with_freq
from gpforecast.series.days import DAY, MONTHS, days_of, longer_than_a_day, spans
from gpforecast.series.spacing import periods_from
from gpforecast.series.time_axis import TimeAxis

_F = TypeVar("_F")  # a forecast
_STRADDLE = "steps that straddle two periods count in each by the share of their days that it holds"


def positions(index: pd.Index, key: object) -> IntArray:
    """Return the positions that a key selects, as pandas would with ``loc``; none if it refuses.

    A pair is the first and the last label.

    Examples
    --------
    >>> positions(pd.period_range("2024-11", periods=4, freq="M"), "2025").tolist()
    [2, 3]
    >>> positions(pd.RangeIndex(5, 9), (6, 7)).tolist()
    [1, 2]
    """
    places = pd.Series(np.arange(len(index)), index)
    try:
        with quietly():  # pandas warns of quarters, which it reads
            found = places.loc[slice(*key) if isinstance(key, tuple) else key]  # type: ignore[call-overload]
    except (KeyError, IndexError, TypeError, ValueError):
        found = []
    return np.atleast_1d(np.asarray(found, dtype=np.int64))


def with_neighbours(past: pd.Index, future: pd.Index, label: str | None) -> tuple[TimeAxis, int]:
    """Return the times of what was and will be, labelled at an end, and a step on either side.

    Returns
    -------
    axis : TimeAxis
        Of dates, with their freq.
    before : int
        How many steps come before: labels that are no times, such as those of sums with names, have
        no neighbours.
    """
    whole = past.append(future)
    rule = next((one.freq for one in (past, future) if are_dates(one) and one.freq), None)
    with suppress(TypeError, ValueError):
        axis = TimeAxis.of(_by(rule, whole))
        first, second = axis.index[:2] if len(axis) > 1 else (whole[0], axis.future(1)[0])
        rule = axis.index.freq if are_dates(axis.index) else None
        before = first - (second - first if rule is None else rule)
        around = pd.Index([before]).append([axis.index, axis.future(1)])
        return TimeAxis(_by(rule, around), label=label), 1
    return TimeAxis(whole, label=label), 0


def _by(rule: BaseOffset | None, index: pd.Index) -> pd.Index:
    return with_freq(index, rule) if rule is not None and are_dates(index) else index


def _divided(axis: TimeAxis, rule: str) -> tuple[pd.Index, IntArray, IntArray, FloatArray]:
    """Divide the steps of an axis among the periods of a rule, into parts that lie in one each.

    Returns
    -------
    periods : Index (k,)
        Labelled as pandas does.
    period, step : ndarray of int (m,)
        The places of each part's period and step, in order.
    share : ndarray (m,)
        Of its step: that of its days, if the step is longer than a day.
    """
    index = axis.index
    if not has_dates(index):
        raise TypeError(
            f"resample needs an index of dates or periods; this one is a "
            f"{type(index).__name__}. Use linear() with a matrix that adds the steps you want."
        )
    pieces, step = axis.dated(), np.arange(len(index))
    if longer := longer_than_a_day(pieces):
        days, step = days_of(pieces)
        pieces = (
            periods_from(days.astype(np.int64), "D")
            if are_periods(index)
            else pd.DatetimeIndex(days).as_unit(index.unit)
        )
    periods, period = _periods_of(pieces, rule)
    new = np.diff(period, prepend=-1) + np.diff(step, prepend=-1) > 0  # both in order
    counts = np.diff(np.flatnonzero(new), append=len(new))
    period, step = period[new], step[new]
    share = counts / np.bincount(step, counts)[step]
    if len(periods) > len(index) + 1:  # as many as steps of their length may touch
        raise _shorter(rule)
    if longer and are_dates(index) and are_dates(periods) and index.tz is not None:
        first = np.ones(len(periods), dtype=bool)  # of a time that occurs twice
        periods = periods.tz_localize(index.tz, first, "shift_forward")
    return periods, period, step, share


def shares_within(axis: TimeAxis, part: object) -> FloatArray | None:
    """Return the share of the days of each step (n,) that part of a date names.

    None if the part is no longer than a step, or names no days: it is then a label.

    Examples
    --------
    >>> weeks = pd.period_range("2024-12-30", periods=3, freq="W")
    >>> shares_within(TimeAxis(weeks), "2025").round(2)
    array([0.71, 1.  , 1.  ])
    """
    if not (isinstance(part, str) and has_dates(axis.index)):
        return None
    with suppress(ValueError, AttributeError):  # NaT, which is no period, has no freq
        begin, end = spans(pd.PeriodIndex([pd.Period(part)]))
        first, last = spans(axis.index, axis.label)
        length = (last - first + DAY).astype(np.float64)
        if length.max() > 1.0 and (end - begin + DAY).astype(np.float64)[0] > length.max():
            common = np.minimum(last, end) - np.maximum(first, begin) + DAY
            return np.maximum(common.astype(np.float64), 0.0) / length
    return None


def _periods_of(times: pd.Index, rule: str) -> tuple[pd.Index, IntArray]:
    """Return periods, and the place of that to which each time belongs."""
    try:
        with quietly():  # pandas 2 warns that it would no longer resample periods; pandas 3 does
            named = period_rule(rule) if are_periods(times) else rule
            counts = pd.Series(1, times).resample(named).sum()
    except (ValueError, TypeError, AttributeError, NotImplementedError) as error:
        if type(error) is ValueError:  # and none of the errors that pandas makes of it
            raise
        raise ValueError(
            f"periods of {rule!r} are not made of {times.dtype}; pass another rule, or forecast "
            f"a series on dates: in pandas, series.to_timestamp()."
        ) from error
    if not (counts > 0).all():  # NaN of periods in pandas 2
        raise _shorter(rule)
    return counts.index, np.repeat(np.arange(len(counts)), counts.to_numpy(dtype=np.int64))


def period_rule(rule: str) -> str:
    """Return the frequency of periods that have the days of a frequency of dates.

    Examples
    --------
    >>> [period_rule(rule) for rule in ("ME", "2YE", "QS-FEB", "BQE-JAN", "W-SAT")]
    ['M', '2Y', 'Q-JAN', 'Q-JAN', 'W-SAT']
    """
    found = re.fullmatch(r"(\d*)[CB]*([MQY])([SE])?(?:-([A-Z]{3}))?", rule)
    if found is None:
        return rule
    n, letter, edge, month = found.groups()
    if month is None:
        return f"{n}{letter}"
    names = [name[:3].upper() for name in MONTHS]
    return f"{n}{letter}-{names[names.index(month) - (edge == 'S')]}"


def _shorter(rule: str) -> ValueError:
    return ValueError(
        f"the periods of {rule!r} are shorter than the steps of the forecast; pass longer ones."
    )


def observed_part(weights: FloatArray, history: "pd.Series[float]", what: str) -> FloatArray:
    """Return what observed values add to sums over steps, (k,).

    Parameters
    ----------
    weights : ndarray (k, n)
        Of the n values of the history.
    history : Series (n,)
    what : str
        What needs them, for a message.

    Raises
    ------
    ValueError
        If one that is needed is missing.
    """
    values = history.to_numpy(dtype=np.float64)
    known: FloatArray = np.where(weights != 0.0, weights * values, 0.0).sum(axis=1)
    if np.isnan(known).any():
        raise ValueError(
            f"{what} needs past values that are missing; fill the gaps with "
            f"Forecaster.fill_missing() first."
        )
    return known


def observed_before(history: "pd.Series[float]", periods: int, h: int) -> FloatArray:
    """Return the observed value `periods` steps before each of h; 0 where that is forecast."""
    n = len(history)
    if n < periods:
        raise ValueError(
            f"periods={periods} goes beyond the start of the history, which has "
            f"{counted(n, 'value')}; pass a smaller number."
        )
    past, what = history.iloc[n - periods :], f"a change over {counted(periods, 'step')}"
    return observed_part(np.eye(h, periods), past, what)


@dataclass(frozen=True, eq=False)
class Periods(Generic[_F]):
    """The periods of a calendar that a horizon completes.

    Attributes
    ----------
    index : Index (k,)
        Their labels.
    member : ndarray (k, h)
        1 where a step lies in a period; of one that straddles two, the share of its days.
    known : ndarray (k,)
        Totals of the observed values in them.
    counts : ndarray (k,)
        Values in each, observed and forecast.
    past : DataFrame
        Totals of the complete periods before, and their counts.
    """

    index: pd.Index
    member: FloatArray
    known: FloatArray
    counts: FloatArray
    past: pd.DataFrame
    notes: tuple[str, ...]
    image: Callable[..., _F]

    @staticmethod
    def of(
        history: "pd.Series[float]",
        future: pd.Index,
        rule: str,
        image: Callable[..., _F],
        label: str | None = None,
    ) -> "Periods[_F]":
        """Find the periods, see `Forecast.resample`."""
        n, h = len(history), len(future)
        around, before = with_neighbours(history.index, future, label)
        periods, period, step, share = _divided(around, rule)
        step = step - before
        # A period that holds days before the first step, or after the last, is not complete.
        begun = period[step < 0].max(initial=-1)
        unended = period[step >= n + h].min(initial=len(periods))
        ahead = period[(step >= n) & (step < n + h)]
        first, stop = max(ahead[0], begun + 1), min(ahead[-1] + 1, unended)
        names, notes = periods[first:stop], list[str]()
        if ahead[0] < first:
            what = _named(periods[ahead[0]])
            notes.append(f"the period {what} is left out: it began before the first value")
        if ahead[-1] >= stop:
            what = _named(periods[ahead[-1]])
            notes.append(f"the period {what} is left out: the horizon does not complete it")
        if len(names) == 0:
            raise ValueError(
                f"the horizon of {len(future)} steps completes no period of {rule!r}; forecast "
                f"more steps, or resample to shorter periods."
            )
        inside = (period > begun) & (period < stop)
        if (share[inside] < 1.0).any():
            notes.append(_STRADDLE)
        member, own = np.zeros((len(names), n + h)), inside & (period >= first)
        member[period[own] - first, step[own]] = share[own]
        known = observed_part(member[:, :n], history, f"the period {_named(names[0])}")
        own = inside & (period < ahead[0])
        k, values = period[own] - begun - 1, history.to_numpy(dtype=np.float64)[step[own]]
        complete = periods[begun + 1 : ahead[0]]
        sums = (np.bincount(k, each, len(complete)) for each in (share[own] * values, share[own]))
        past = pd.DataFrame(dict(zip(("sum", "count"), sums, strict=True)), complete)
        counts = member.sum(axis=1)
        return Periods(names, member[:, n:], known, counts, past, tuple(notes), image)

    def sum(self) -> _F:
        """Return the joint distribution of their totals.

        Returns
        -------
        Forecast
            Mean and covariance are exact. Its history holds the totals of the complete periods
            before, NaN where a value is missing.
        """
        return self.image(self.member, self.known, self.index, self.past["sum"], self.notes)

    def mean(self) -> _F:
        """Return the joint distribution of their averages, as `sum` does."""
        shares = self.member / self.counts[:, None]
        past = self.past["sum"] / self.past["count"]
        return self.image(shares, self.known / self.counts, self.index, past, self.notes)


def _named(period: object) -> str:
    return re.sub(r" 00:00:00.*$", "", str(period))
