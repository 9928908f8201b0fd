"""A user's series, checked once at the edge: values, time axis, exogenous inputs, notes."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, has_dates, is_labelled, is_series
from gpforecast.common.types import ExogLike, FloatArray, Index, IntArray, SeriesLike
from gpforecast.common.validation import array_without_infinities, check_size, counted, finite_array
from gpforecast.common.wording import missing_in_words
from gpforecast.series.coarser import coarser_note, on_days_of, on_open_days
from gpforecast.series.frames import as_pandas, one_column
from gpforecast.series.index_checks import reading
from gpforecast.series.labels import begins_with, check_same_times, counts_from_zero, time_at
from gpforecast.series.scaling import is_rounding
from gpforecast.series.time_axis import TimeAxis
from gpforecast.series.zoned import elapsed_note, zoned

FEWEST = 3
"""Known values that a forecast needs at least: one lag and two rows to learn from."""

_FEW_ROUNDINGS = 8  # up to which values are one value, computed with as many roundings
_UPDATED = "in an update, "  # begins the notes of the last one that had any


@dataclass(frozen=True, eq=False)
class CheckedSeries:
    """A series on a regular index, as all of the library takes it.

    Attributes
    ----------
    values : ndarray (n,)
        float64, NaN where missing; a copy.
    axis : TimeAxis
    name : hashable
        Of the series, None if it has none.
    exog : DataFrame, Series, array-like or None
        Inputs, on the same index if they had that of the series.
    notes : tuple of str
        How many timestamps and values are missing, in one sentence if any are, and whether values
        count as equal.
    n_filled : int
        How many timestamps were missing.
    of_steps : tuple of str
        The notes on what the steps are, which are the first.
    again : ndarray (k,)
        Of new values: means at the steps before that came a second time, or may still do.
    """

    values: FloatArray
    axis: TimeAxis
    name: Hashable = None
    exog: ExogLike = None
    notes: tuple[str, ...] = ()
    n_filled: int = 0
    of_steps: tuple[str, ...] = ()
    again: FloatArray = field(default_factory=lambda: np.empty(0))

    @property
    def series(self) -> "pd.Series[float]":
        """The values on their index."""
        return pd.Series(self.values, index=self.axis.index, name=self.name)


def checked(
    y: SeriesLike,
    exog: ExogLike = None,
    name: str = "series",
    *,
    complete: bool = False,
    open_days: bool = False,
    by_clock: bool = False,
    least: int = 0,
) -> CheckedSeries:
    """Check a series, the one check that there is.

    Timestamps may be missing. They are filled in (`TimeAxis.of`), with missing values: positions in
    the series are then those on the whole index.

    Parameters
    ----------
    y : Series, one-column DataFrame, or 1-D array-like
        Real numbers, NaN where missing. Without an index it is counted from 0.
    exog : DataFrame, Series or array-like, optional
        Inputs on the same index, or on the one with missing timestamps filled in.
    name : str
        What to call the series in a message.
    complete : bool
        Whether to refuse missing values and timestamps. Infinite values are refused in any case.
    open_days : bool
        Whether days of the week without any value are no steps (`coarser.on_open_days`).
    by_clock : bool
        Whether steps of a series with a time zone are those of the clock (`zoned.zoned`):
        where one came twice, it has the mean of both values.
    least : int
        How many known values there must be, unless there are none. Too few are refused before
        their index, which may be too short to tell its step.

    Returns
    -------
    CheckedSeries

    Raises
    ------
    TypeError
        If the values are not real numbers, or as `TimeAxis.of`.
    ValueError
        If a value is missing or infinite, if there is not exactly one column, if all values are
        missing or too few, or as `TimeAxis.of`.

    Examples
    --------
    >>> days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-04", "2024-01-05"])
    >>> found = checked(pd.Series([1.0, 2.0, 4.0, 5.0], index=days))
    >>> found.values
    array([ 1.,  2., nan,  4.,  5.])
    >>> found.notes[0]
    '1 time was missing from the index, 2024-01-03; with it, 1 of 5 values is missing'
    """
    given, y = y, one_column(y, name)
    exog = as_pandas(exog, "exog", series=y)
    closed: tuple[str, ...] = ()
    if open_days:
        y, exog, closed = on_open_days(y, exog)
    values = (finite_array if complete else array_without_infinities)(y, name, ndim=1).copy()
    check_size(values, name)
    n_known = int((~np.isnan(values)).sum())
    if 0 < n_known < least:
        raise ValueError(
            f"{name} has only {counted(n_known, 'value')}, and a forecast needs at least {least}: "
            f"wait until it has more, or leave it out."
        )
    values, few = _without_rounding(values, name)
    found = CheckedSeries(values, TimeAxis.rows(len(values)), exog=exog)
    if is_series(y):
        axis = zoned(y.index, fill=True) if by_clock else None
        axis = axis or TimeAxis.of(y.index, name, fill=not complete)
        found = _placed(replace(found, name=y.name, axis=axis), y.index)
    if (n := len(found.values)) and np.isnan(found.values).all():
        raise ValueError(f"{name} must hold at least one value; all {n} are missing (NaN).")
    found = _with_note(found, "value")
    steps = closed or coarser_note(found.axis.index) or elapsed_note(found.axis.index)
    if is_labelled(given):
        steps = (*reading(given.index), *steps)
    return replace(found, notes=(*steps, *found.notes, *few), of_steps=steps)


def new_values_after(
    new_values: SeriesLike,
    history: "pd.Series[float]",
    axis: TimeAxis,
    exog: ExogLike = None,
    name: str = "new_values",
) -> CheckedSeries:
    """Return values that continue a series, refused if their labels do not follow.

    Parameters
    ----------
    new_values : Series, one-column DataFrame, or 1-D array-like
        NaN where missing. Labels must continue the axis, but 0, 1, 2, ... are the new values in
        order, unless they begin with the whole history on those labels. Timestamps that are
        missing, after the history too, are filled in with missing values.
    history : Series
        The values so far.
    axis : TimeAxis
        Theirs.
    exog : DataFrame, Series or array-like, optional
        Inputs at the times of the new values, or on their index with all timestamps filled in.
    name : str
        What to call the new values in a message.

    Returns
    -------
    CheckedSeries
        Without blank rows of days of the week that the steps leave out; these may be all.
    """
    new_values = one_column(new_values, name)
    if np.size(new_values) == 0:
        raise ValueError(f"{name} must hold at least one value; got none.")
    new_values, exog = on_days_of(axis.index, new_values, exog, name)
    given = array_without_infinities(new_values, name, ndim=1)
    check_size(given, name)
    n = len(axis)
    found = CheckedSeries(given, axis.part(n, n), history.name, exog)
    if not len(given):
        return found
    labels = axis.future(len(given))
    if is_series(new_values) and (
        not counts_from_zero(new_values.index) or begins_with(new_values, history)
    ):
        labels = new_values.index
    later, places = axis.continued_by(labels, name)
    if axis.clock is not None:
        begun = values_of(history)[n - axis.pending :]
        second = axis.steps_at(labels[places < 0]) - (n - len(begun))
        steps = np.concatenate([np.arange(len(begun)), second])
        both = pd.Series(np.concatenate([begun, given[places < 0]])).groupby(steps)
        found = replace(found, again=values_of(both.mean()))
    return _with_note(_placed(replace(found, axis=later), labels, places), "new value")


def _placed(given: CheckedSeries, times: Index, steps: IntArray | None = None) -> CheckedSeries:
    """Return values and inputs, at times of some steps, on the whole axis; -1 is left out.

    Of a step of a clock that came twice, values have the mean, and inputs the first.
    """
    axis, exog = given.axis, given.exog
    if axis.clock is None and len(axis) == len(times):
        return given
    whole, exists = axis.index, axis.exists
    steps = axis.steps_at(times) if steps is None else steps
    new = np.flatnonzero(steps >= 0)
    places, first = np.unique(steps[new], return_index=True)
    values, absent = np.full(len(whole), np.nan), np.setdiff1d(np.flatnonzero(exists), places)
    values[places] = pd.Series(given.values[new]).groupby(steps[new]).mean()  # of those known
    if exog is not None and not is_labelled(exog) and np.shape(exog)[:1] == (len(times),):
        rows = pd.DataFrame(np.asarray(exog)[new[first]], whole[places])
        exog = rows.reindex(whole).to_numpy()
    elif is_labelled(exog) and len(axis):
        if axis.clock is not None:
            if not are_dates(exog.index) or exog.index.tz is None:
                check_same_times(exog.index, times, "the series")
            wall, times = axis.by_clock(pd.DatetimeIndex(exog.index)), whole[places]
            exog = exog.set_axis(wall)[~wall.duplicated()]
        if exog.index.equals(times):
            exog = exog.set_axis(whole[places]).reindex(whole)
        if not exists.all():
            known = exog[~exog.index.isin(whole[~exists])]
            exog = known.reindex(known.index.union(whole[~exists]), method="ffill")
    notes: tuple[str, ...] = ()
    if n := len(absent):
        at, what = time_at(whole, int(absent[0])), "time" if has_dates(whole) else "step"
        were, them = ("was", "it") if n == 1 else ("were", "them")
        at = at if n == 1 else f"the first {at}"
        notes = (f"{counted(n, what)} {were} missing from the index, {at}; with {them}",)
    return replace(given, values=values, exog=exog, notes=notes, n_filled=n)


def after_update(
    notes: tuple[str, ...], new: CheckedSeries, of_inputs: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return notes and those of an update: of missing timestamps and inputs, not of older ones."""
    added = (*(new.notes if new.n_filled else ()), *of_inputs)
    if not added:
        return notes
    older = (note for note in notes if not note.startswith(_UPDATED))
    return (*older, *(f"{_UPDATED}{note}" for note in added))


def values_of(series: "pd.Series[float]") -> FloatArray:
    """Return the values of a float series, (n,)."""
    return np.asarray(series.to_numpy(), dtype=np.float64)


def _without_rounding(values: FloatArray, name: str) -> tuple[FloatArray, tuple[str, ...]]:
    """Return values and a note on them, or refuse what rounding leaves few digits of.

    Those that differ by a few roundings only are one value: what is left of a computation.
    """
    known = values[~np.isnan(values)]
    if not len(known) or np.ptp(known) == 0.0 or not is_rounding(known):
        return values, ()
    level, spread = float(np.abs(known).max()), float(np.ptp(known))
    if spread > _FEW_ROUNDINGS * np.spacing(level):
        raise ValueError(
            f"{name} varies by {spread:.2g} at a level of {level:.6g}, where its numbers are "
            f"rounded to {np.spacing(level):.1g}: too few digits are left to learn from. Subtract "
            f"the level first, from numbers that still have their digits."
        )
    one = float(np.sort(known)[len(known) // 2])
    note = (
        f"all values are {one:.6g} but for the rounding of numbers of that size, {spread:.1g}, and "
        f"count as equal"
    )
    return np.where(np.isnan(values), np.nan, one), (note,)


def _with_note(found: CheckedSeries, what: str) -> CheckedSeries:
    """Return a series with a note of what is missing, if anything is."""
    known = found.values[found.axis.exists]
    if not np.isnan(known).any():
        return found
    missing = missing_in_words(int(np.isnan(known).sum()), len(known), what)
    return replace(found, notes=(", ".join([*found.notes, missing]),))


def without(y: "pd.Series[float]", places: tuple[int, ...]) -> "pd.Series[float]":
    """Return a series with some of its values missing."""
    if not places:
        return y
    y = y.copy()
    y.iloc[list(places)] = np.nan
    return y
