"""Forecasts and series as pictures need them, or an error that says what is wrong with them."""

import re
from collections.abc import Sequence
from operator import methodcaller
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.kinds import is_frame, is_series
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer, real_array
from gpforecast.plotting.history import observed, observed_later, set_apart
from gpforecast.plotting.picture import Line, Positions, Upright, shown_name
from gpforecast.plotting.times import is_adjacent, kind_of, positions
from gpforecast.series.frames import one_column

DEFAULT_LEVELS = (50, 80, 95)

_BAND = re.compile(r"(?:(?P<model>.+)-)?(?P<side>lo|hi)-(?P<level>\d+(?:\.\d+)?)")
_Table = TypeVar("_Table", "pd.Series[float]", pd.DataFrame)


class Source(NamedTuple):
    """A forecast as a table, and what was observed before it."""

    table: pd.DataFrame
    history: object  # that is given, or else the forecast's
    left_out: pd.Index  # times of outliers in the forecast's history


class Fan(NamedTuple):
    """What a fan chart shows of a forecast of h steps."""

    times: pd.Index  # (h,)
    centre: FloatArray  # (h,)
    centre_name: str
    levels: list[float]  # (k,), widest first
    limits: FloatArray  # (k, 2, h)


class Timeline(NamedTuple):
    """What was observed around a forecast, as parts of a picture, and how the forecast joins it."""

    observed: tuple[Line, ...]  # before the first time of the forecast
    later: tuple[Line, ...]  # from its first time to its last
    signs: tuple[Line, ...]  # of observed values that are not on the line
    joint: FloatArray  # (1,), the last of the past, or (0,) if there is a gap after it
    x: Positions  # of the joint and of the times of the forecast
    upright: Upright | None
    name: str  # of the series


def read_source(
    forecast: object, history: object, method: str, expected: str, **options: object
) -> Source:
    """Return a table as it is; of a forecast what one of its methods makes, and its history."""
    if is_frame(forecast):
        return Source(forecast, history, pd.Index([]))
    own = getattr(forecast, "history", None)
    if own is None:
        name = type(forecast).__name__
        raise TypeError(f"forecast must be a Forecast, or {expected}; got {name}.")
    table = methodcaller(method, **options)(forecast)
    if history is not None:
        return Source(table, history, pd.Index([]))
    return Source(table, own, own.index[[*getattr(forecast, "set_aside", ())]])


def read_fan(
    forecast: object, history: object, levels: float | Sequence[float] | None
) -> tuple[Source, Fan]:
    """Find the central line and the bands of a forecast by the names of its columns."""
    chosen = None if levels is None else [_shortest(float(x)) for x in np.ravel(levels)]
    expected = "a pandas DataFrame with a column 'mean' and columns such as 'lo-95' and 'hi-95'"
    shown = DEFAULT_LEVELS if chosen is None else tuple(chosen)
    source = read_source(forecast, history, "to_frame", expected, levels=shown)
    table = source.table
    if not len(table):
        raise ValueError("forecast must have at least one step; got a frame without rows.")
    table = _in_order(table.set_index("ds") if "ds" in table else table, "forecast")
    found = [match for match in map(_BAND.fullmatch, map(str, table.columns)) if match]
    models = sorted({match["model"] or "" for match in found})
    if len(models) > 1:
        raise ValueError(
            f"forecast has the bands of {len(models)} models, {models}; pass the columns "
            f"of one, and draw the others on the same axes with ax=."
        )
    centre = next((c for c in ("mean", "median", *models) if c and c in table), None)
    if centre is None:
        raise ValueError(
            f"forecast must have a column 'mean' or 'median'; got {[*table.columns]}. "
            f"Rename the column of the central forecast."
        )
    names = {(match["side"], _shortest(float(match["level"]))): match[0] for match in found}
    there = {level for _, level in names if {("lo", level), ("hi", level)} <= names.keys()}
    drawn = sorted(there if chosen is None else set(chosen), reverse=True)
    if lacking := sorted(set(drawn) - there):
        raise ValueError(
            f"levels must be among the bands of the forecast, {sorted(there)}; got {lacking}. "
            f"Levels are in per cent, and a band needs both its columns, such as 'lo-95' and "
            f"'hi-95'."
        )
    columns = [centre, *(names[side, level] for level in drawn for side in ("lo", "hi"))]
    values = np.stack([real_array(table[c], f"forecast[{c!r}]", ndim=1) for c in columns])
    limits = values[1:].reshape(len(drawn), 2, len(table))
    if (limits[:, 0] > limits[:, 1]).any():
        raise ValueError(
            "forecast must have its lower limits below its upper ones; are the columns of a band "
            "swapped?"
        )
    return source, Fan(table.index, values[0], centre, drawn, limits)


def _shortest(level: float) -> float:
    """Return whole numbers as integers: 95, not 95.0, is in the names of columns."""
    return int(level) if level == int(level) else level


def read_timeline(
    source: Source, times: pd.Index, truth: object, n_history: int | None, drawn: FloatArray
) -> Timeline:
    """Read what was observed before the times of a forecast, of which values are `drawn`."""
    before, history = None, source.history
    if kind_of(times, "forecast") == "numbers":
        step = times[1] - times[0] if len(times) > 1 else 1
        before = times[0] + step * pd.RangeIndex(-_size(history), 0)
    past = _series(history, "history", times, before)
    later = past if truth is None else _series(truth, "truth", times, times[: _size(truth)])
    name = later.name if past.name is None else past.name
    later = later[(later.index >= times[0]) & (later.index <= times[-1])]
    count = max(3 * len(times), 60) if n_history is None else n_history
    past = past[past.index < times[0]].iloc[-positive_integer(count, "n_history") :]
    joins = is_adjacent(past.index, times)
    line, signs = set_apart(past, source.left_out, np.append(drawn, later))
    joint = line.iloc[-1 if joins else len(line) :]
    return Timeline(
        observed(line),
        observed_later(later),
        signs,
        np.asarray(joint, dtype=np.float64),
        np.concatenate([positions(joint.index), positions(times)]),
        Upright(at=positions(past.index)[-1]) if joins else None,
        shown_name(name),
    )


def _series(
    values: object, name: str, like: pd.Index, index: pd.Index | None
) -> "pd.Series[float]":
    """Return `values` as a sorted Series on the same kind of index as `like`."""
    if values is None or not _size(values):
        return pd.Series(index=like[:0], dtype=float)
    column, own_name = one_column(values, name), None
    if is_series(column):
        index, own_name = column.index, column.name
    array = real_array(column, name, ndim=1)
    expected = kind_of(like, "forecast")
    if index is None:
        raise TypeError(
            f"{name} must be a Series with the dates of its values, because the forecast's index "
            f"holds {expected}; got {type(values).__name__}."
        )
    if len(array) > len(index):
        raise ValueError(
            f"{name} must have at most {len(index)} values, one a step; got {len(array)}."
        )
    if (kind := kind_of(index, name)) != expected:
        raise TypeError(
            f"{name} must be indexed as the forecast is, by {expected}; got {kind}. Bring both to "
            f"one kind, for instance with to_timestamp, tz_localize or tz_convert."
        )
    return _in_order(pd.Series(array, index, name=own_name), name)


def _size(values: object) -> int:
    return 0 if values is None else np.asarray(values).size


def _in_order(table: _Table, name: str) -> _Table:
    """Order rows by their index, if it has one row for each time."""
    if table.index.has_duplicates:
        twice = table.index[table.index.duplicated()][0]
        raise ValueError(
            f"{name} must have one row for each time; got several for {twice}. Does it hold more "
            f"than one series? Pass the rows of one."
        )
    return table if table.index.is_monotonic_increasing else table.sort_index()
