"""Whether an index is regular, so that the next stamp is known, and where it breaks if it is not.

Regular means a constant step, or a calendar rule such as month ends or business days.
"""

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

Index: TypeAlias = "pd.Index[Any]"

_DAY = pd.Timedelta(1, unit="D")


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
        elapsed time. Stamps that summer time skips may have moved forward to the first that exists,
        as `future_index` makes them; no ``freq`` says that, so there is none.

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
    check_kind(index, name)
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


def check_kind(index: Any, name: str) -> None:
    """Refuse an index of text, of objects or of several levels."""
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
            f"with {name}.groupby(level=0).mean().{_clock_hint(index, twice, name)}"
        )
    if not index.is_monotonic_increasing:
        a, b = next(pair for pair in pairwise(index) if pair[1] < pair[0])
        raise ValueError(
            f"{name} must have an index in increasing order; got {b} after {a}; use "
            f"{name}.sort_index()."
        )


def _clock_hint(index: Any, twice: Any, name: str) -> str:
    """Say what to do if the stamps that occur twice are the hour that the clocks go back by."""
    if not isinstance(index, pd.DatetimeIndex) or index.tz is not None:
        return ""
    again = index[twice]
    on_sundays = (again.day_of_week == 6).all() and (again.hour <= 3).all()
    if not on_sundays or (index == index.normalize()).all():
        return ""
    return (
        f" If it is the hour that clocks going back repeat, name their zone instead: {name}.index "
        f"= {name}.index.tz_localize('Europe/Paris', ambiguous='infer')."
    )


def _check_datetimes(index: pd.DatetimeIndex, name: str) -> pd.DatetimeIndex:
    """Attach the first rule that makes exactly these stamps."""
    if index.freq is not None and index.tz is None:
        return index  # pandas keeps this one true
    # tz_convert in pandas 2 leaves "D" on stamps that are days of another clock: look again.
    bare = without_freq(index)
    for rule in candidate_rules(bare, index.freq):
        regular = with_freq(bare, rule)
        if regular is not None:
            # 24 hours to a midnight that moved may be a day of the wall clock that has yet to end.
            moved = index.freq is None and is_elapsed(rule) and pd.Timedelta(rule) >= _DAY
            return bare if moved and clock_rule(bare) is not None else regular
    if clock_rule(bare) is not None:
        return bare
    if len(index) < 3:
        raise ValueError(
            f"{name} must have at least 3 rows, or an index with a freq, to tell the step of its "
            f"dates; got {_count(len(index), 'row')} and no freq. If it is daily, say, use "
            f"{name}.asfreq('D')."
        )
    raise ValueError(_irregular_dates(bare, name))


def candidate_rules(index: pd.DatetimeIndex, given: Any) -> Iterator[Any]:
    """Rules that might make `index`: its own, pandas' guess, a fixed step, a day of the month."""
    if given is not None:
        yield given
    if len(index) < 3:
        return
    guess = guessed_rule(index)
    if guess is not None:
        yield guess
    if index[1] - index[0] == index[-1] - index[-2]:
        yield _fixed(index[1] - index[0], zoned=index.tz is not None)
    months = np.asarray(index.year * 12 + index.month)
    stride = int(months[1] - months[0])
    if stride > 0 and (np.diff(months) == stride).all() and (index.day == index[0].day).all():
        yield pd.DateOffset(months=stride)


def without_freq(index: pd.DatetimeIndex) -> pd.DatetimeIndex:
    """Return a copy: in pandas 2 setting freq on a plain .copy() reaches the original too."""
    nothing: Any = None
    return pd.DatetimeIndex(index, freq=nothing)


def with_freq(index: pd.DatetimeIndex, rule: Any) -> pd.DatetimeIndex | None:
    """Return `index` with this freq, or None if it does not fit."""
    try:
        regular = pd.DatetimeIndex(index, freq=rule)
    except Exception as error:
        # Where the rule meets a clock change pandas 2 raises pytz's errors: no ValueErrors.
        if isinstance(error, ValueError) or "pytz" in type(error).__module__:
            return None
        raise
    # pandas takes its own guess on trust, but guesses nth weekdays where months are missing.
    if len(index) == 0 or is_elapsed(rule):
        return regular
    unit: Any = index.unit
    wall = index.tz_localize(None)
    grid = pd.date_range(wall[0], periods=len(wall), freq=rule, unit=unit)
    return regular if grid.equals(without_freq(wall)) else None


def is_elapsed(rule: Any) -> bool:
    """Whether steps of an offset are elapsed time: hours and shorter, not days of a calendar."""
    return isinstance(rule, pd.offsets.Tick) and not isinstance(rule, pd.offsets.Day)


def on_the_clock(wall: pd.DatetimeIndex, zone: Any) -> pd.DatetimeIndex:
    """Return stamps of a wall clock in a time zone.

    One that is skipped when summer time begins moves forward to the first that exists; of one that
    occurs twice, the first is taken.
    """
    first = np.ones(len(wall), dtype=bool)
    zoned = wall.tz_localize(zone, ambiguous=first, nonexistent="shift_forward")
    return without_freq(zoned)


def clock_rule(index: pd.DatetimeIndex) -> tuple[Any, int] | None:
    """Return the rule that stamps follow on the wall clock, but for those that a zone skips.

    Parameters
    ----------
    index : DatetimeIndex

    Returns
    -------
    rule : offset
    anchor : int
        The place of a stamp that has not moved, to count the others from.

    None if there is no time zone, or no such rule.

    Examples
    --------
    >>> wall = pd.date_range("2024-03-29 02:30", periods=6, freq="D")
    >>> clock_rule(on_the_clock(wall, "Europe/Berlin"))
    (<Day>, 0)
    """
    if index.tz is None or len(index) < 4:
        return None
    wall = without_freq(index.tz_localize(None))
    unit: Any = index.unit
    months = np.diff(np.asarray(wall.year * 12 + wall.month))
    rules = [usual_rule(wall)[0]]
    if months[0] > 0 and (months == months[0]).all():
        rules.append(pd.DateOffset(months=int(months[0])))
    for rule in rules:
        follows = _follows(wall, rule)
        if is_elapsed(rule) or not follows.any():
            continue
        anchor = int(np.argmax(follows))
        before = pd.date_range(end=wall[anchor], periods=anchor + 1, freq=rule, unit=unit)
        after = pd.date_range(wall[anchor], periods=len(wall) - anchor, freq=rule, unit=unit)
        grid = pd.DatetimeIndex(before[:-1].append(after))
        if on_the_clock(grid, index.tz).equals(without_freq(index)):
            return rule, anchor
    return None


def guessed_rule(index: pd.DatetimeIndex) -> Any:
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


def usual_rule(index: pd.DatetimeIndex) -> tuple[Any, Any]:
    """Return the rule that most steps follow, and which do: (n - 1,) of bool."""
    n = len(index)
    rules: list[Any] = []
    for width in (12, 4):
        for start in np.linspace(0, max(n - width, 0), 8).astype(int):
            rule = guessed_rule(index[start : start + width])
            if rule is not None and rule not in rules:
                rules.append(rule)
    steps, counts = np.unique(np.diff(index.asi8), return_counts=True)
    usual = pd.Timedelta(int(steps[np.argmax(counts)]), unit=index.unit)
    rules.append(_fixed(usual, zoned=index.tz is not None))
    if (index.day_of_week < 5).all():
        rules.append(pd.offsets.BDay())
    kept = [_follows(index, rule) for rule in rules]
    best = int(np.argmax([k.sum() for k in kept]))
    return rules[best], kept[best]


def _irregular_dates(index: pd.DatetimeIndex, name: str) -> str:
    """Name the rule that most steps follow, and the first step that does not."""
    rule, ok = usual_rule(index)
    if 2 * ok.sum() < len(index) - 1:
        return (
            f"{name} must have a regular index; got steps of {index[1] - index[0]} and "
            f"{index[2] - index[1]} from {index[0]} on, and no step that most rows share. Bring it "
            f"to one first, for instance with {name}.resample('D').mean()."
        )
    i = int(np.argmin(ok))
    label = rule.freqstr
    return (
        f"{name} must have a regular index; got {_count(int((~ok).sum()), 'step')} other than the "
        f"usual {label!r}, the first between {index[i]} and {index[i + 1]}. Bring it to one step "
        f"first, for instance with {name}.asfreq({label!r}) or {name}.resample({label!r}).mean(), "
        f"which leave NaN in the gaps."
    )


def _follows(index: pd.DatetimeIndex, offset: Any) -> Any:  # (n - 1,) of bool
    """Whether each stamp after the first is one step of `offset` from the one before."""
    if is_elapsed(offset):
        return np.asarray(index[1:] - index[:-1] == pd.Timedelta(offset))
    wall = index.tz_localize(None)
    with warnings.catch_warnings():  # pandas adds some offsets, such as nth weekdays, in a loop
        warnings.simplefilter("ignore", pd.errors.PerformanceWarning)
        return np.asarray(wall[:-1] + offset == wall[1:])


def _check_periods(index: pd.PeriodIndex, name: str) -> pd.PeriodIndex:
    freq: Any = index.freq
    mend = "reindex(pandas.period_range(first, last))"
    _check_steps(index, np.diff(index.asi8), freq.n, repr(index.freqstr), name, mend)
    return index


def _check_timedeltas(index: pd.TimedeltaIndex, name: str) -> pd.TimedeltaIndex:
    if index.freq is not None:
        return index
    steps = np.diff(index.asi8)
    usual = most_common(steps)
    rule = _fixed(pd.Timedelta(usual, unit=index.unit))
    _check_steps(index, steps, usual, repr(rule.freqstr), name, f"asfreq({rule.freqstr!r})")
    return pd.TimedeltaIndex(index, freq=rule)


def _check_numbers(index: Index, name: str) -> Index:
    mend = "reindex(numpy.arange(start, stop, step))"
    if pd.api.types.is_integer_dtype(index.dtype):
        steps = np.diff(index.to_numpy().astype(np.int64))
        usual: float = most_common(steps)
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


def most_common(steps: Any) -> int:
    """Return the step that occurs most often, the smallest of several."""
    values, counts = np.unique(steps, return_counts=True)
    return int(values[np.argmax(counts)])


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
