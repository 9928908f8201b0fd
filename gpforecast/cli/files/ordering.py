"""Values in the order of their times, each of which occurs once, one step from the next."""

import numpy as np
import pandas as pd

from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Column, Table, written
from gpforecast.common.types import FloatArray, Index
from gpforecast.common.validation import counted
from gpforecast.series.time_axis import TimeAxis

_HOUR = pd.Timedelta(1, unit="h")


def in_order(
    values: FloatArray | list[str | None],
    index: Index,
    times: Column,
    options: FileOptions,
    apart: str,
) -> tuple["pd.Series[float]", list[str]]:
    """Bring values in the order of their times, each of which must occur once."""
    series, said = pd.Series(values, index=index), []
    if len(index) > 1 and index.is_monotonic_decreasing and index[0] != index[-1]:
        series, said = series.iloc[::-1], ["newest first, turned round"]
    elif not index.is_monotonic_increasing:
        several = bool(apart) and options.duplicates is None and index.has_duplicates
        if not options.sort and not several:
            i = int(np.argmax(np.asarray(index[1:] < index[:-1]))) + 1
            raise ValueError(
                f"--time: {times.place(i)} is earlier than the row before it; pass --sort to bring "
                f"the rows in order"
            )
        series, said = series.sort_index(kind="stable"), ["sorted"]
    twice = np.asarray(series.index.duplicated())
    if not twice.any():
        return series, said
    if options.duplicates is None:
        i = int(np.argmax(np.asarray(index.duplicated())))
        clocks = "" if ":" not in written(times.cells[i]) else ", or --timezone if clocks went back"
        raise ValueError(
            f"--time: {times.place(i)} has come before ({counted(int(twice.sum()), 'such row')}); "
            f"pass --duplicates mean, sum, first or last{clocks}{apart}"
        )
    groups = series.groupby(level=0)
    one = {
        "mean": groups.mean,
        "sum": lambda: groups.sum(min_count=1),
        "first": groups.first,
        "last": groups.last,
    }[options.duplicates]()
    same = counted(int(twice.sum()), "duplicated time")
    return one, [*said, f"{same}, {options.duplicates} taken"]


def apart(table: Table, times: Column, values: Column) -> str:
    """Say which column tells rows of the same time apart: a clock, or the names of series."""
    for column in table.columns:
        texts = column.texts()
        once = len({*zip(times.texts(), texts, strict=True)}) == len(texts)
        if column is values or column is times or not once:
            continue
        if ":" in texts[0] or 2 * len({*texts}) <= len(texts):
            both = f"pass --time {f'{times.name},{column.name}'!r} if both say when, or "
            says_when = any(character.isdigit() for character in texts[0])
            return (
                f"; or, as {column.name!r} tells them apart, {both if says_when else ''}keep the "
                f"rows of one series"
            )
    return ""


def check_regular(index: Index, times: Column) -> None:
    """Refuse times without one step, in words of the file."""
    try:
        TimeAxis.of(index, fill=True)
    except (ValueError, TypeError):
        steps = pd.Series(index[1:] - index[:-1])
        if len(steps) < 2:
            raise ValueError(
                f"--time: column {times.name!r} of {times.source} must have at least 3 times; got "
                f"{len(index)}"
            ) from None
        usual = steps.mode().iloc[0]
        odd = int((steps != usual).to_numpy().argmax())
        hour = getattr(index, "tz", None) is not None and abs(steps.iloc[odd] - usual) == _HOUR
        clocks = ", or pass --timezone, such as Europe/Paris, if clocks changed there"
        closed = ", and add rows with 0 if nothing happens in between, as at night"
        often = steps.iloc[odd] > usual and 2 * (steps == usual).sum() > len(steps)
        first, then = (str(label).removesuffix(" 00:00:00") for label in index[odd : odd + 2])
        raise ValueError(
            f"--time: column {times.name!r} of {times.source} must have one step from row to row; "
            f"got {_in_words(usual)} most often, and {_in_words(steps.iloc[odd])} from {first} to "
            f"{then}; bring the rows to one step first{closed if often else ''}"
            f"{clocks if hour else ''}"
        ) from None


def _in_words(step: object) -> str:
    """Return a length of time in words; a number as it is.

    Examples
    --------
    >>> _in_words(pd.Timedelta("1D")), _in_words(pd.Timedelta("36h")), _in_words(5)
    ('1 day', '1 day 12 hours', '5')
    """
    if not isinstance(step, pd.Timedelta):
        return str(step)
    parts = step.components._asdict().items()
    return " ".join(counted(n, unit.removesuffix("s")) for unit, n in parts if n) or "no time"
