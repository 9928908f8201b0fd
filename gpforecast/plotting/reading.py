"""Forecasts and series as pictures need them, or an error that says what is wrong with them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, is_frame, is_series
from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.validation import percent, positive_integer, real_array
from gpforecast.plotting.picture import INK, Line, Marker, Positions, positions, shown_name, zone_of
from gpforecast.series.frames import one_column
from gpforecast.series.index_checks import check_kind
from gpforecast.series.labels import all_numbers, kind_of, time_at

_LOWER = re.compile(r"(.+-)?lo-(\d+(?:\.\d+)?)")


class Forecasted(Protocol):
    """What pictures read of a forecast of one series."""

    @property
    def history(self) -> "pd.Series[float]":
        """The observed values."""

    @property
    def set_aside(self) -> Sequence[int]:
        """Positions of outliers in it."""

    def to_frame(self, levels: Sequence[float]) -> pd.DataFrame:
        """Return mean and intervals, in columns such as ``lo-95``."""

    def sample(self, n: int, *, seed: Seed) -> pd.DataFrame:
        """Return paths, one a column."""


class Source(NamedTuple):
    """A forecast as a table, and what was observed before it."""

    table: pd.DataFrame
    history: object  # as given, or else the forecast's
    outliers: pd.Index  # their times in the forecast's history


class Fan(NamedTuple):
    """What a fan chart shows of a forecast of h steps."""

    centre: FloatArray  # (h,)
    centre_name: str
    levels: list[float]  # (k,), widest first
    limits: FloatArray  # (k, 2, h)


class Timeline(NamedTuple):
    """What was observed around a forecast, as parts of a picture, and how the forecast joins it."""

    before: tuple[Line, ...]
    later: tuple[Line, ...]  # from the first time of the forecast to its last
    joint: FloatArray  # (1,), the last of the past, or (0,) without one
    x: Positions  # of the joint and of the times of the forecast
    origin: np.generic | None
    name: str  # of the series


def read_source(
    forecast: pd.DataFrame | Forecasted,
    history: object,
    table: Callable[[Forecasted], pd.DataFrame],
    expected: str,
) -> Source:
    """Return a table in order of time, as it is or made from a forecast, and the history."""
    if is_frame(forecast):
        found = Source(forecast, history, pd.Index([]))
    elif (own := getattr(forecast, "history", None)) is None:
        name = type(forecast).__name__
        raise TypeError(f"forecast must be a Forecast, or {expected}; got {name}.")
    elif history is None:
        found = Source(table(forecast), own, own.index[[*forecast.set_aside]])
    else:
        found = Source(table(forecast), history, pd.Index([]))
    if found.table.empty:
        raise ValueError("forecast must have at least one step; got an empty frame.")
    frame = found.table.set_index("ds") if "ds" in found.table else found.table
    if frame.index.has_duplicates:
        twice = frame.index[frame.index.duplicated()][0]
        raise ValueError(
            f"forecast must have one row for each time; got several for {twice}. Does it hold more "
            f"than one series? Pass the rows of one."
        )
    return found._replace(table=frame.sort_index())


def read_fan(
    forecast: pd.DataFrame | Forecasted, history: object, levels: float | Sequence[float] | None
) -> tuple[Source, Fan]:
    """Find the central line and the bands of a forecast by the names of its columns."""
    drawn = (50, 80, 95) if levels is None else tuple(np.ravel(levels).tolist())
    expected = "a pandas DataFrame with a column 'mean' and columns such as 'lo-95' and 'hi-95'"
    source = read_source(forecast, history, lambda f: f.to_frame(levels=drawn), expected)
    table = source.table.rename(columns=str)
    bands = [match for match in map(_LOWER.fullmatch, table.columns) if match]
    models = {match[1].removesuffix("-"): match[1] for match in bands if match[1]}
    centre = next((c for c in ("mean", "median", *models) if c in table), None)
    if centre is None:
        raise ValueError(
            f"forecast must have a column 'mean' or 'median'; got {[*table.columns]}. "
            f"Rename the column of the central forecast."
        )
    prefix = models.get(centre, "")
    there = [float(match[2]) for match in bands if (match[1] or "") == prefix]
    chosen = sorted(there if levels is None else map(percent, drawn), reverse=True)
    if lacking := sorted(set(chosen) - set(there)):
        raise ValueError(
            f"levels must be among the bands of the forecast, {sorted(there)}; got {lacking}. "
            f"Levels are in per cent."
        )
    names = [f"{prefix}{side}-{level:g}" for level in chosen for side in ("lo", "hi")]
    if absent := [name for name in names if name not in table]:
        raise ValueError(
            f"forecast must have both limits of each band; the column {absent[0]!r} is missing "
            f"from {[*table.columns]}."
        )
    values = np.stack([real_array(table[c], f"forecast[{c!r}]") for c in [centre, *names]])
    limits = values[1:].reshape(len(chosen), 2, len(table))
    return source, Fan(values[0], centre, chosen, limits)


def read_timeline(
    source: Source, truth: object, n_history: int | None, drawn: FloatArray
) -> Timeline:
    """Read what was observed before a forecast and over its horizon; pictures show `drawn`."""
    times, history = source.table.index, source.history
    before = None
    check_kind(times, "forecast")
    if all_numbers(times):
        step = times[1] - times[0] if len(times) > 1 else 1
        before = times[0] + step * pd.RangeIndex(-_size(history), 0)
    past = _series(history, "history", times, before)
    later = past if truth is None else _series(truth, "truth", times, times[: _size(truth)])
    name = later.name if past.name is None else past.name
    inside = (later.index >= times[0]) & (later.index <= times[-1])
    if truth is not None and len(later) and not inside.any():
        raise ValueError(
            f"truth must have values at the times of the forecast, {time_at(times, 0)} to "
            f"{time_at(times, -1)}; got {time_at(later.index, 0)} to {time_at(later.index, -1)}."
        )
    later = later[inside]
    count = max(3 * len(times), 60) if n_history is None else n_history
    past = past[past.index < times[0]].iloc[-positive_integer(count, "n_history") :]
    is_outlier = past.index.isin(source.outliers)
    line = past[~is_outlier]
    joint = np.asarray(line.iloc[-1:], dtype=np.float64)
    marks = left_out(past[is_outlier], np.concatenate([line, later, drawn.ravel()]))
    dots, later_on = Marker(size=2.4), observed(later, order=5)
    return Timeline(
        (*observed(line), *marks),
        tuple(replace(one, label="observed later", marker=dots, width=0.6) for one in later_on),
        joint,
        np.concatenate([positions(line.index[-1:]), positions(times)]),
        positions(past.index)[-1] if len(past) else None,
        shown_name(name),
    )


def observed(series: "pd.Series[float]", order: int = 3) -> tuple[Line, ...]:
    """Return the line of values that were observed, if there are any."""
    x, y = positions(series.index), np.asarray(series, dtype=np.float64)
    line = Line(x=x, y=y, color=INK, label="observed", width=1.1, order=order)
    return (line,) if len(series) else ()


def left_out(outliers: "pd.Series[float]", others: FloatArray) -> tuple[Line, ...]:
    """Return markers of outliers; those far off are moved to as far away as the others are high.

    Examples
    --------
    >>> (marks,) = left_out(pd.Series([900.0]), np.array([1.0, 5.0]))
    >>> marks.y.tolist(), marks.label
    ([9.0], 'left out (not to scale)')
    """
    known, others = outliers.dropna(), others[np.isfinite(others)]
    if not len(known) or not len(others):
        return ()
    room = np.ptp(others)
    y: FloatArray = np.clip(known.to_numpy(), others.min() - room, others.max() + room)
    label = "left out" if (y == known).all() else "left out (not to scale)"
    marker = Marker(size=4.0, hollow=True)
    x = positions(known.index)
    return (Line(x=x, y=y, color=INK, label=label, width=0.0, marker=marker, order=5),)


def _series(
    values: object, name: str, like: pd.Index, index: pd.Index | None
) -> "pd.Series[float]":
    """Return `values` as a sorted Series on the same kind of index as `like`."""
    if not _size(values):
        return pd.Series(index=like[:0], dtype=float)
    column, own_name = one_column(values, name), None
    if is_series(column):
        index, own_name = column.index, column.name
        check_kind(index, name)
        if are_dates(index) and index.tz and (zone := zone_of(like)):
            index = index.tz_convert(zone)
    array, expected = real_array(column, name, ndim=1), kind_of(like)
    got = type(values).__name__ if index is None else kind_of(index)
    if index is None or got != expected:
        raise TypeError(
            f"{name} must be a Series indexed as the forecast is, by {expected}; got {got}."
        )
    if len(array) > len(index):
        raise ValueError(
            f"{name} must have at most {len(index)} values, one a step; got {len(array)}."
        )
    return pd.Series(array, index[: len(array)], name=own_name).sort_index()


def _size(values: object) -> int:
    return 0 if values is None else np.asarray(values).size
