"""Gaps in a series: stamps that are missing from its index, and values that are missing."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from gpforecast.series.indexes import as_series, one_column
from gpforecast.series.regularity import (
    Index,
    candidate_rules,
    check_kind,
    guessed_rule,
    is_elapsed,
    most_common,
    on_the_clock,
    usual_rule,
    with_freq,
    without_freq,
)


def with_gaps(
    y: Any, exog: Any = None, name: str = "series"
) -> tuple["pd.Series[float]", Any, tuple[str, ...]]:
    """Return a series on a regular index, NaN wherever a stamp or a value is missing.

    Parameters
    ----------
    y : Series, one-column DataFrame, or 1-D array-like
        As for `as_series`, but values may be NaN, and stamps of the index may be missing if the
        others tell the step (`regular_around`).
    exog : DataFrame, Series or array-like, optional
        Inputs on the same index, or already on the regular one.
    name : str
        What to call the series in a message.

    Returns
    -------
    series : Series
        float64, on an index that has passed `check_regular`; it shares no memory with the input.
    exog : as given, on the same index
    notes : tuple of str
        How many stamps and values are missing, a sentence each; empty if none.

    Raises
    ------
    TypeError, ValueError
        As `as_series`, and if no value is left.

    Examples
    --------
    >>> days = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-04", "2024-01-05"])
    >>> series, _, notes = with_gaps(pd.Series([1.0, 2.0, 4.0, 5.0], index=days))
    >>> series.tolist(), notes[0]
    ([1.0, 2.0, nan, 4.0, 5.0], 'its index lacked 1 stamp, 2024-01-03 00:00:00, now missing values')
    """
    y = one_column(y, name)
    notes = []
    if isinstance(y, pd.Series) and isinstance(y.index, pd.Index):
        whole = regular_around(y.index, name)
        if len(whole) > len(y):
            if not _has_index(exog, whole):
                exog = _spread(exog, y.index, whole)
            notes.append(_lacked(y.index, whole))
            y = y.reindex(whole)
    series = as_series(y, name, allow_missing=True)
    n_missing = int(series.isna().sum())
    if n_missing and n_missing == len(series):
        raise ValueError(f"{name} must hold at least one value; all {n_missing} are missing.")
    if n_missing:
        notes.append(f"{n_missing} of {len(series)} values are missing")
    return series, exog, tuple(notes)


def regular_around(index: Any, name: str = "series") -> Index:
    """Return the regular index that `index` lacks some stamps of.

    Parameters
    ----------
    index : pandas.Index
        Of a kind that `check_regular` takes.
    name : str
        What it belongs to, for a message.

    Returns
    -------
    pandas.Index
        From the first stamp to the last, by the rule that at least half of the steps follow; it
        holds every stamp of `index` and at most as many others. `index` itself if it is regular, or
        if there is no such rule, as `check_regular` will then say.

    Raises
    ------
    TypeError
        If the index holds text, objects, or several levels.

    Examples
    --------
    >>> import pandas as pd
    >>> days = pd.DatetimeIndex(["2024-03-01", "2024-03-04", "2024-03-05", "2024-03-07"])
    >>> print(*regular_around(days.union(pd.date_range("2024-03-08", periods=6, freq="B"))).day)
    1 4 5 6 7 8 11 12 13 14 15
    """
    check_kind(index, name)
    given: Index = index
    known = isinstance(index, pd.RangeIndex) or getattr(index, "freq", None) is not None
    if len(index) < 3 or (known and not isinstance(index, pd.PeriodIndex)):
        return given
    if index.hasnans or index.has_duplicates or not index.is_monotonic_increasing:
        return given
    if isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)):
        steps = np.sort(np.diff(index.asi8))
        if int(steps.sum()) > 4 * len(index) * int(steps[(len(steps) - 1) // 2]):
            return given  # mostly gap, by any rule; and its range might not fit in memory
    for whole in _grids(index):
        if len(index) < len(whole) <= 2 * len(index) and index.isin(whole).all():
            return whole.rename(index.name)
    return given


def _has_index(exog: Any, whole: Index) -> bool:
    return isinstance(exog, (pd.DataFrame, pd.Series)) and exog.index.equals(whole)


def _spread(exog: Any, index: Index, whole: Index) -> Any:
    """Put inputs at the stamps of `index` on the whole one; others are left to be judged."""
    if exog is None or np.shape(exog)[:1] != (len(index),):
        return exog
    if isinstance(exog, (pd.DataFrame, pd.Series)):
        if not exog.index.equals(index):
            return exog
        return exog.reindex(whole)
    return pd.DataFrame(np.asarray(exog), index=index).reindex(whole).to_numpy()


def _lacked(index: Index, whole: Index) -> str:
    absent = whole.difference(index)
    n = len(absent)
    which = f"{absent[0]}" if n == 1 else f"the first {absent[0]}"
    return f"its index lacked {n} stamp{'s' if n > 1 else ''}, {which}, now missing values"


def _grids(index: Any) -> Iterator[Index]:
    """Regular indexes that might hold every stamp of `index`."""
    if isinstance(index, pd.DatetimeIndex):
        bare = without_freq(index)
        if any(with_freq(bare, rule) is not None for rule in candidate_rules(bare, None)):
            return
        rule, follows = usual_rule(bare)
        if 2 * follows.sum() >= len(follows):
            yield _dates_between(bare, rule)
        guess = guessed_rule(bare)
        if guess is not None:
            yield _dates_between(bare, guess)
        wall = without_freq(bare.tz_localize(None))
        if bare.tz is not None:
            yield _dates_between(bare, usual_rule(wall)[0])
        months = np.diff(np.asarray(wall.year * 12 + wall.month))
        stride = int(np.gcd.reduce(months))
        if 2 * (months == stride).sum() >= len(months) and (months > 0).all():
            ends = wall.is_month_end.all()
            offset = pd.offsets.MonthEnd(stride) if ends else pd.DateOffset(months=stride)
            yield _dates_between(bare, offset)
        return
    if isinstance(index, pd.PeriodIndex):
        yield pd.period_range(index[0], index[-1], freq=index.freq)
        return
    if isinstance(index, pd.TimedeltaIndex):
        for steps in _evenly_spaced(index.asi8):
            yield pd.TimedeltaIndex(steps.view(index.to_numpy().dtype))
        return
    for numbers in _evenly_spaced(index.to_numpy()):
        yield pd.Index(numbers, dtype=index.dtype)


def _evenly_spaced(stamps: Any) -> Iterator[Any]:
    """Whole numbers or floats with the usual step of `stamps`, and those themselves among them."""
    steps = np.diff(stamps)
    floats = stamps.dtype.kind == "f"
    usual = float(np.sort(steps)[len(steps) // 2]) if floats else most_common(steps)
    places = np.rint((stamps - stamps[0]) / usual)
    if not np.isfinite(places).all() or places[-1] >= 2 * len(stamps):
        return
    places = places.astype(np.int64)
    off = np.abs(stamps - stamps[0] - places * usual)
    half = 2 * (np.diff(places) == 1).sum() >= len(steps)
    if not half or (off > 1e-6 * usual * np.maximum(places, 1)).any():
        return
    step = (stamps[-1] - stamps[0]) / places[-1] if floats else usual
    grid = (stamps[0] + step * np.arange(places[-1] + 1)).astype(stamps.dtype)
    grid[places] = stamps  # to the last digit
    yield grid


def _dates_between(index: pd.DatetimeIndex, rule: Any) -> pd.DatetimeIndex:
    """Return the dates from the first of `index` to its last, by a rule."""
    unit: Any = index.unit
    if index.tz is None or is_elapsed(rule):
        return pd.date_range(index[0], index[-1], freq=rule, unit=unit)
    wall = index[[0, -1]].tz_localize(None)
    return on_the_clock(pd.date_range(wall[0], wall[1], freq=rule, unit=unit), index.tz)
