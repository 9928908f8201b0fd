"""Forecasts and series as pictures need them, or an error that says what is wrong with them."""

import re
from collections.abc import Hashable, Sequence
from operator import methodcaller
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_frame, is_series, positive_integer, real_array
from gpforecast.plotting.times import is_adjacent, kind_of, positions
from gpforecast.series.frames import one_column

DEFAULT_LEVELS = (50, 80, 95)

_BAND = re.compile(r"(?:(?P<model>.+)-)?(?P<side>lo|hi)-(?P<level>\d+(?:\.\d+)?)")
_Table = TypeVar("_Table", "pd.Series[float]", pd.DataFrame)


class Fan(NamedTuple):
    """What a fan chart shows of a forecast, as arrays."""

    times: pd.Index  # (horizon,)
    history: object  # the forecast's own, if it has one
    centre: FloatArray  # (horizon,)
    centre_name: str
    bands: dict[float, FloatArray]  # level -> lower and upper limits (2, horizon), widest first


class Timeline(NamedTuple):
    """What was observed around a forecast."""

    past: "pd.Series[float]"  # before its first time
    later: "pd.Series[float]"  # from its first time to its last
    joint: "pd.Series[float]"  # (1,), the last of the past, or (0,) if there is a gap after it
    x: npt.NDArray[np.generic]  # positions of the joint and of the times of the forecast
    name: Hashable  # of the series, None if it has none


def frame_of(
    forecast: object, method: str, wanted: str, **options: object
) -> tuple[pd.DataFrame, object]:
    """Return a frame as it is; of a forecast what one of its methods makes, and its history."""
    if is_frame(forecast):
        return forecast, None
    history = getattr(forecast, "history", None)
    if history is None:
        raise TypeError(f"forecast must be a Forecast, or {wanted}; got {type(forecast).__name__}.")
    return methodcaller(method, **options)(forecast), history


def read_forecast(forecast: object, levels: float | Sequence[float] | None) -> Fan:
    """Find the central line and the bands of a forecast by the names of its columns."""
    chosen = None if levels is None else [_shortest(float(x)) for x in np.ravel(levels)]
    wanted = "a pandas DataFrame with a column 'mean' and columns such as 'lo-95' and 'hi-95'"
    shown = DEFAULT_LEVELS if chosen is None else tuple(chosen)
    frame, history = frame_of(forecast, "to_frame", wanted, levels=shown)
    if not len(frame):
        raise ValueError("forecast must have at least one step; got a frame without rows.")
    frame = _in_order(frame.set_index("ds") if "ds" in frame else frame, "forecast")
    found = [match for match in map(_BAND.fullmatch, map(str, frame.columns)) if match]
    models = sorted({match["model"] or "" for match in found})
    if len(models) > 1:
        raise ValueError(
            f"forecast has the bands of {len(models)} models, {models}; pass the columns "
            f"of one, and draw the others on the same axes with ax=."
        )
    centre = next((c for c in ("mean", "median", *models) if c and c in frame), None)
    if centre is None:
        raise ValueError(
            f"forecast must have a column 'mean' or 'median'; got {[*frame.columns]}. "
            f"Rename the column of the central forecast."
        )
    names = {(match["side"], _shortest(float(match["level"]))): match[0] for match in found}
    values = real_array(frame[centre], f"forecast[{centre!r}]", ndim=1)
    return Fan(frame.index, history, values, centre, _bands(frame, names, chosen))


def _shortest(level: float) -> float:
    """Return whole numbers as integers: 95, not 95.0, is in the names of columns."""
    return int(level) if level == int(level) else level


def _bands(
    frame: pd.DataFrame, names: dict[tuple[str, float], str], chosen: list[float] | None
) -> dict[float, FloatArray]:
    """Return lower and upper limits by level, of the columns that are named by side and level."""
    there = {level for _, level in names if {("lo", level), ("hi", level)} <= names.keys()}
    wanted = there if chosen is None else set(chosen)
    if wanted - there:
        raise ValueError(
            f"levels must be among the bands of the forecast, {sorted(there)}; got "
            f"{sorted(wanted - there)}. Levels are in per cent, and a band needs both its columns, "
            f"such as 'lo-95' and 'hi-95'."
        )
    bands = {}
    for level in sorted(wanted, reverse=True):
        low, high = names["lo", level], names["hi", level]
        lower, upper = (real_array(frame[k], f"forecast[{k!r}]", ndim=1) for k in (low, high))
        if (lower > upper).any():
            raise ValueError(
                f"forecast must have its lower limits below its upper ones; got {low!r} above "
                f"{high!r} at {frame.index[int(np.argmax(lower > upper))]}. Are the columns "
                f"swapped?"
            )
        bands[level] = np.stack([lower, upper])
    return bands


def read_timeline(
    times: pd.Index, history: object, truth: object, n_history: int | None
) -> Timeline:
    """Read what was observed before the times of a forecast, and over them."""
    before = None
    if kind_of(times, "forecast") == "numbers":
        step = times[1] - times[0] if len(times) > 1 else 1
        before = times[0] + step * pd.RangeIndex(-_size(history), 0)
    past = _series(history, "history", times, before)
    later = past if truth is None else _series(truth, "truth", times, times[: _size(truth)])
    later = later[(later.index >= times[0]) & (later.index <= times[-1])]
    count = max(3 * len(times), 60) if n_history is None else n_history
    past = past[past.index < times[0]].iloc[-positive_integer(count, "n_history") :]
    joint = past.iloc[-1 if is_adjacent(past.index, times) else len(past) :]
    x = np.concatenate([positions(joint.index), positions(times)])
    return Timeline(past, later, joint, x, later.name if past.name is None else past.name)


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
    if index is None:
        raise TypeError(
            f"{name} must be a Series with the dates of its values, because the forecast's index "
            f"holds {kind_of(like, 'forecast')}; got {type(values).__name__}."
        )
    if len(array) > len(index):
        raise ValueError(
            f"{name} must have at most {len(index)} values, one a step; got {len(array)}."
        )
    kind, expected = kind_of(index, name), kind_of(like, "forecast")
    if kind != expected:
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
