"""Indexes of series: is it regular, how does it go on, and a series on a checked index.

Regular means that the next stamp is known: a constant step, or a calendar rule such as month ends
or business days.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from gpforecast.typing import FloatArray
from gpforecast.validation import array_without_infinities, finite_array, positive_integer

Index: TypeAlias = "pd.Index[Any]"


def check_regular(index: Any, name: str = "series") -> Index:
    """Return `index` with its frequency attached, or say where it is not regular.

    Parameters
    ----------
    index : pandas.Index
        A ``DatetimeIndex`` (with or without time zone) of fixed or calendar steps, a
        ``PeriodIndex`` of consecutive periods, a ``TimedeltaIndex`` or numeric index with a
        constant positive step (floats to 1e-6 of the step), or a ``RangeIndex``.
    name : str
        What the index belongs to, for the message.

    Returns
    -------
    pandas.Index
        Equal to `index`, of its type. A ``DatetimeIndex`` or ``TimedeltaIndex`` has ``freq`` set;
        that of `index` itself is left alone. Days and longer calendar steps are steps of the clock
        on the wall, so that a day of a time zone may last 23 or 25 hours; hours and shorter are
        elapsed time.

    Raises
    ------
    TypeError
        If the index holds text, objects, or several levels.
    ValueError
        If a stamp is missing, duplicated or out of order, if the steps differ, or if there are too
        few stamps to tell the step.

    Examples
    --------
    >>> import pandas as pd
    >>> ends = pd.DatetimeIndex(["2024-01-31", "2024-02-29", "2024-03-31"])
    >>> check_regular(ends).freqstr
    'ME'
    """
    _check_kind(index, name)
    if index.hasnans:
        raise ValueError(
            f"{name} must have a stamp on every row; got {int(index.isna().sum())} missing in its "
            f"index, the first at position {int(np.argmax(index.isna()))}; drop those rows, for "
            f"instance with {name}[{name}.index.notna()]."
        )
    _check_order(index, name)
    if isinstance(index, pd.RangeIndex):
        return index
    if isinstance(index, pd.DatetimeIndex):
        return _check_datetimes(index, name)
    if isinstance(index, pd.PeriodIndex):
        return _check_periods(index, name)
    if len(index) < 2 and getattr(index, "freq", None) is None:
        raise ValueError(
            f"{name} must have at least 2 rows to tell the step of its index; got {len(index)}."
        )
    if isinstance(index, pd.TimedeltaIndex):
        return _check_timedeltas(index, name)
    return _check_numbers(index, name)


def future_index(index: Any, horizon: int) -> Index:
    """Continue a regular index.

    Parameters
    ----------
    index : pandas.Index
        As `check_regular` takes and returns it.
    horizon : int
        How many stamps to add.

    Returns
    -------
    pandas.Index
        The `horizon` stamps after the last of `index`: same type, dtype, time zone, name and
        frequency. A stamp of the wall clock that a time zone skips when summer time begins is moved
        forward to the first that exists; of one that occurs twice, the first is taken.

    Raises
    ------
    TypeError, ValueError
        As `check_regular`, and if `horizon` is not a positive integer.

    Examples
    --------
    >>> import pandas as pd
    >>> list(future_index(pd.RangeIndex(0, 30, 10), 2))
    [30, 40]
    >>> fridays = pd.date_range("2024-03-15", periods=3, freq="W-FRI")
    >>> print(future_index(fridays, 1)[0].date())
    2024-04-05
    """
    h = positive_integer(horizon, "horizon")
    index = check_regular(index)
    if len(index) == 0 and not isinstance(index, pd.RangeIndex):
        raise ValueError("index must have at least 1 stamp to go on from; got an empty one.")
    if isinstance(index, pd.RangeIndex):
        end = index.start + index.step * len(index)
        return pd.RangeIndex(end, end + index.step * h, index.step, name=index.name)
    if isinstance(index, pd.DatetimeIndex):
        return _future_datetimes(index, h)
    if isinstance(index, pd.PeriodIndex):
        periods = pd.period_range(index[-1], periods=h + 1, freq=index.freq)
        return periods[1:].rename(index.name)
    if isinstance(index, pd.TimedeltaIndex):
        unit: Any = index.unit
        steps = pd.timedelta_range(index[-1], periods=h + 1, freq=index.freq, unit=unit)
        return steps[1:].rename(index.name)
    values = index.to_numpy()
    if pd.api.types.is_integer_dtype(index.dtype):
        step = int(values[1]) - int(values[0])
        new: Any = [int(values[-1]) + step * k for k in range(1, h + 1)]
    else:
        values = values.astype(np.float64)
        new = values[-1] + (values[-1] - values[0]) / (len(values) - 1) * np.arange(1, h + 1)
    later: Index = pd.Index(new, dtype=index.dtype, name=index.name)
    return later


def values_of(series: "pd.Series[float]") -> FloatArray:
    """Return the values of a float series, (n,)."""
    return np.asarray(series.to_numpy(), dtype=np.float64)


def counts_from_zero(index: Any) -> bool:
    """Whether an index only counts rows, as pandas makes it for data without one.

    Examples
    --------
    >>> counts_from_zero(pd.Series([3.0, 4.0]).index)
    True
    """
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def joined(index: Index, later: Index) -> Index:
    """Return `index` followed by what `future_index` made of it, the frequency kept.

    Parameters
    ----------
    index, later : pandas.Index

    Returns
    -------
    pandas.Index

    Examples
    --------
    >>> days = pd.date_range("2024-01-01", periods=3, freq="D")
    >>> joined(days, future_index(days, 2)).freqstr
    'D'
    """
    both: Index = index.append(later)
    freq = index.freq if isinstance(index, pd.DatetimeIndex) else None
    if isinstance(both, pd.DatetimeIndex) and freq is not None:
        regular = _with_freq(both, freq)  # None where a clock change moved a stamp of the future
        return both if regular is None else regular
    return both


def as_series(y: Any, name: str = "series", *, allow_missing: bool = False) -> "pd.Series[float]":
    """Return a float64 copy of a series, on a regular index.

    Parameters
    ----------
    y : Series, one-column DataFrame, or 1-D array-like
        Real numbers. What has no index of its own gets a ``RangeIndex``.
    name : str
        What to call it in a message.
    allow_missing : bool
        Whether NaN may stay. Infinite values are refused in any case.

    Returns
    -------
    Series
        dtype float64, with the name of the input (of its column, for a DataFrame) and an index that
        has passed `check_regular`. It shares no memory with the input.

    Raises
    ------
    TypeError
        If the values are not real numbers, or as `check_regular`.
    ValueError
        If a value is missing or infinite, if there is not exactly one column, or as
        `check_regular`.

    Examples
    --------
    >>> as_series([1, 2, 4]).tolist()
    [1.0, 2.0, 4.0]
    """
    if isinstance(y, pd.DataFrame):
        if y.shape[1] != 1:
            raise ValueError(
                f"{name} must be one column of values; got a DataFrame with {y.shape[1]} columns. "
                f"Select the column to forecast; the others can be passed as exog."
            )
        y = y.iloc[:, 0]
    check = array_without_infinities if allow_missing else finite_array
    values = check(y, name, ndim=1)
    if not isinstance(y, pd.Series):
        return pd.Series(values.copy(), index=pd.RangeIndex(len(values)))
    return pd.Series(values.copy(), index=check_regular(y.index, name), name=y.name)


def _check_kind(index: Any, name: str) -> None:
    if not isinstance(index, pd.Index):
        raise TypeError(f"the index of {name} must be a pandas Index; got {type(index).__name__}.")
    if isinstance(index, pd.MultiIndex):
        raise TypeError(
            f"{name} must have an index of one level; got a MultiIndex with {index.nlevels}. "
            f"Select one series, for instance with {name}.xs(key)."
        )
    if isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex, pd.TimedeltaIndex)):
        return
    numeric = pd.api.types.is_integer_dtype(index.dtype) or pd.api.types.is_float_dtype(index.dtype)
    if not numeric:
        example = f" such as {index[0]!r}" if len(index) else ""
        raise TypeError(
            f"{name} must have an index of dates, periods, time steps or numbers; got an index of "
            f"dtype {index.dtype}{example}. Convert it first, for instance with "
            f"{name}.index = pandas.to_datetime({name}.index)."
        )


def _check_order(index: Any, name: str) -> None:
    twice = index.duplicated()
    if twice.any():
        raise ValueError(
            f"{name} must have each stamp of its index once; got "
            f"{_count(int(twice.sum()), 'duplicated stamp')}, the first {index[twice][0]}; keep "
            f"one of each, for instance with {name}[~{name}.index.duplicated()], or average them "
            f"with {name}.groupby(level=0).mean()."
        )
    if not index.is_monotonic_increasing:
        a, b = next(pair for pair in pairwise(index) if pair[1] < pair[0])
        raise ValueError(
            f"{name} must have an index in increasing order; got {b} after {a}; use "
            f"{name}.sort_index()."
        )


def _check_datetimes(index: pd.DatetimeIndex, name: str) -> pd.DatetimeIndex:
    """Attach the first rule that makes exactly these stamps."""
    if index.freq is not None and index.tz is None:
        return index  # pandas keeps this one true
    # tz_convert in pandas 2 leaves "D" on stamps that are days of another clock: look again.
    bare = _without_freq(index)
    for rule in _candidate_rules(bare, index.freq):
        regular = _with_freq(bare, rule)
        if regular is not None:
            return regular
    if len(index) < 3:
        raise ValueError(
            f"{name} must have at least 3 rows, or an index with a freq, to tell the step of its "
            f"dates; got {_count(len(index), 'row')} and no freq. If it is daily, say, use "
            f"{name}.asfreq('D')."
        )
    raise ValueError(_irregular_dates(bare, name))


def _candidate_rules(index: pd.DatetimeIndex, given: Any) -> Iterator[Any]:
    """Rules that might make `index`: its own, pandas' guess, a fixed step, a day of the month."""
    if given is not None:
        yield given
    if len(index) < 3:
        return
    guess = _guess(index)
    if guess is not None:
        yield guess
    if index[1] - index[0] == index[-1] - index[-2]:
        yield _fixed(index[1] - index[0], zoned=index.tz is not None)
    months = np.asarray(index.year * 12 + index.month)
    stride = int(months[1] - months[0])
    if stride > 0 and (np.diff(months) == stride).all() and (index.day == index[0].day).all():
        yield pd.DateOffset(months=stride)


def _without_freq(index: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return a copy: in pandas 2 setting freq on a plain .copy() reaches the original too."""
    nothing: Any = None
    return pd.DatetimeIndex(index, freq=nothing)


def _with_freq(index: pd.DatetimeIndex, rule: Any) -> pd.DatetimeIndex | None:
    """Return `index` with this freq, or None if pandas finds that it does not fit."""
    try:
        return pd.DatetimeIndex(index, freq=rule)
    except Exception as error:
        # Where the rule meets a clock change pandas 2 raises pytz's errors: no ValueErrors.
        if isinstance(error, ValueError) or "pytz" in type(error).__module__:
            return None
        raise


def _guess(index: pd.DatetimeIndex) -> Any:
    """Return pandas' inferred offset or None; infer_freq warns of changing type in pandas 3."""
    return pd.DatetimeIndex(index, freq="infer").freq


def _fixed(step: pd.Timedelta, *, zoned: bool = False) -> Any:
    """Return a constant step as an offset of elapsed time.

    A day is 24 hours, but in a time zone Day() is a day of the wall clock, which may be 23 or 25.
    """
    days, rest = divmod(step, pd.Timedelta(1, unit="D"))
    if rest or not days:
        return to_offset(step)
    return pd.offsets.Hour(24 * days) if zoned else pd.offsets.Day(days)


def _irregular_dates(index: pd.DatetimeIndex, name: str) -> str:
    """Name the rule that most steps follow, and the first step that does not."""
    n = len(index)
    rules: list[Any] = []
    for width in (12, 4):
        for start in np.linspace(0, max(n - width, 0), 8).astype(int):
            rule = _guess(index[start : start + width])
            if rule is not None and rule not in rules:
                rules.append(rule)
    steps, counts = np.unique(np.diff(index.asi8), return_counts=True)
    usual = pd.Timedelta(int(steps[np.argmax(counts)]), unit=index.unit)
    rules.append(_fixed(usual, zoned=index.tz is not None))
    kept = [_follows(index, rule) for rule in rules]
    best = int(np.argmax([k.sum() for k in kept]))
    ok, rule = kept[best], rules[best].freqstr
    if 2 * ok.sum() < n - 1:
        return (
            f"{name} must have a regular index; got steps of {index[1] - index[0]} and "
            f"{index[2] - index[1]} from {index[0]} on, and no step that most rows share. Bring it "
            f"to one first, for instance with {name}.resample('D').mean()."
        )
    i = int(np.argmin(ok))
    return (
        f"{name} must have a regular index; got {_count(int((~ok).sum()), 'step')} other than the "
        f"usual {rule!r}, the first between {index[i]} and {index[i + 1]}. Bring it to one step "
        f"first, for instance with {name}.asfreq({rule!r}) or {name}.resample({rule!r}).mean(), "
        f"which leave NaN in the gaps."
    )


def _follows(index: pd.DatetimeIndex, offset: Any) -> Any:  # (n - 1,) of bool
    """Whether each stamp after the first is one step of `offset` from the one before."""
    if isinstance(offset, pd.offsets.Tick) and not isinstance(offset, pd.offsets.Day):
        return np.asarray(index[1:] - index[:-1] == pd.Timedelta(offset))
    wall = index.tz_localize(None)
    return np.asarray(wall[:-1] + offset == wall[1:])


def _future_datetimes(index: pd.DatetimeIndex, h: int) -> pd.DatetimeIndex:
    freq: Any = index.freq
    unit: Any = index.unit
    elapsed = isinstance(freq, pd.offsets.Tick) and not isinstance(freq, pd.offsets.Day)
    if index.tz is None or elapsed:
        grid = pd.date_range(index[-1], periods=h + 1, freq=freq, unit=unit)
        return grid[1:].rename(index.name)
    wall = pd.date_range(index[-1].tz_localize(None), periods=h + 1, freq=freq, unit=unit)[1:]
    zoned = wall.tz_localize(
        index.tz, ambiguous=np.ones(h, dtype=bool), nonexistent="shift_forward"
    )
    zoned = _without_freq(zoned).rename(index.name)
    exact = _with_freq(zoned, freq)  # None once a stamp had to move past a clock change
    return zoned if exact is None else exact


def _check_periods(index: pd.PeriodIndex, name: str) -> pd.PeriodIndex:
    freq: Any = index.freq
    mend = "reindex(pandas.period_range(first, last))"
    _check_steps(index, np.diff(index.asi8), freq.n, repr(index.freqstr), name, mend)
    return index


def _check_timedeltas(index: pd.TimedeltaIndex, name: str) -> pd.TimedeltaIndex:
    if index.freq is not None:
        return index
    steps = np.diff(index.asi8)
    usual = _most_common(steps)
    rule = _fixed(pd.Timedelta(usual, unit=index.unit))
    _check_steps(index, steps, usual, repr(rule.freqstr), name, f"asfreq({rule.freqstr!r})")
    return pd.TimedeltaIndex(index, freq=rule)


def _check_numbers(index: Index, name: str) -> Index:
    mend = "reindex(numpy.arange(start, stop, step))"
    if pd.api.types.is_integer_dtype(index.dtype):
        steps = np.diff(index.to_numpy().astype(np.int64))
        usual: float = _most_common(steps)
        _check_steps(index, steps, usual, usual, name, mend)
        return index
    values = index.to_numpy()
    eps = float(np.finfo(values.dtype if values.dtype.kind == "f" else np.float64).eps)
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError(f"{name} must have finite numbers in its index; got an infinite one.")
    steps = np.diff(values)
    usual = float(np.sort(steps)[len(steps) // 2])
    # What the rounding of large stamps does to their differences is no irregularity.
    slack = max(1e-6 * usual, 4 * eps * float(np.abs(values).max()))
    _check_steps(index, steps, usual, f"{usual:.6g}", name, mend, slack)
    return index


def _check_steps(
    index: Any, steps: Any, usual: float, label: Any, name: str, mend: str, slack: float = 0.0
) -> None:
    odd = np.abs(steps - usual) > slack
    if odd.any():
        i = int(np.argmax(odd))
        raise ValueError(
            f"{name} must have a regular index; got {_count(int(odd.sum()), 'step')} other than "
            f"the usual {label}, the first between {index[i]} and {index[i + 1]}. Bring it to one "
            f"step first, for instance with {name}.{mend}, which leaves NaN in the gaps."
        )


def _most_common(steps: Any) -> int:
    values, counts = np.unique(steps, return_counts=True)
    return int(values[np.argmax(counts)])


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
