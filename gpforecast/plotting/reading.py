"""What a picture needs of the frames and series a user has, or a sentence about what is amiss."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import real_array

DEFAULT_LEVELS = (50, 80, 95)

_BAND = re.compile(r"(?:(?P<model>.+)-)?(?P<side>lo|hi)-(?P<level>\d+(?:\.\d+)?)")


class Fan(NamedTuple):
    """What a fan chart shows of a forecast, as arrays."""

    times: pd.Index  # (horizon,)
    centre: FloatArray  # (horizon,)
    centre_name: str
    bands: dict[float, tuple[FloatArray, FloatArray]]  # level -> (lower, upper), widest first


def read_forecast(forecast: Any, levels: Sequence[float] | None) -> Fan:
    """Find the central line and the bands of a forecast by the names of its columns."""
    # Whole numbers stay integers: 95, not 95.0, is in the names of columns.
    asked = None if levels is None else [int(x) if x == int(x) else x for x in np.ravel(levels)]
    if isinstance(forecast, pd.DataFrame):
        frame = forecast
    elif hasattr(forecast, "to_frame") and not isinstance(forecast, (pd.Series, pd.Index)):
        frame = forecast.to_frame(levels=DEFAULT_LEVELS if asked is None else tuple(asked))
    else:
        raise TypeError(
            f"forecast must be a pandas DataFrame with a column 'mean' and columns such as "
            f"'lo-95' and 'hi-95', or a Forecast; got {type(forecast).__name__}."
        )
    if not len(frame):
        raise ValueError("forecast must have at least one step; got a frame without rows.")
    frame = _sorted(frame.set_index("ds") if "ds" in frame else frame, "forecast")
    found = [match for match in map(_BAND.fullmatch, map(str, frame.columns)) if match]
    models = sorted({match["model"] or "" for match in found})
    if len(models) > 1:
        raise ValueError(
            f"forecast has the bands of {len(models)} models, {listed(models)}; pass the columns "
            f"of one, and draw the others on the same axes with ax=."
        )
    centre = next((c for c in ("mean", "median", *models) if c and c in frame), None)
    if centre is None:
        raise ValueError(
            f"forecast must have a column 'mean' or 'median'; got {listed(frame.columns)}. "
            f"Rename the column of the central forecast."
        )
    names = {(match["side"], float(match["level"])): match[0] for match in found}
    there = {level for _, level in names if {("lo", level), ("hi", level)} <= names.keys()}
    wanted = there if asked is None else set(map(float, asked))
    if wanted - there:
        raise ValueError(
            f"levels must be among the bands of the forecast, {listed(sorted(there))}; got "
            f"{listed(sorted(wanted - there))}. Levels are in per cent, and a band needs both "
            f"its columns, such as 'lo-95' and 'hi-95'."
        )
    bands = {}
    for level in sorted(wanted, reverse=True):
        lower, upper = (
            real_array(frame[names[side, level]], f"forecast[{names[side, level]!r}]", ndim=1)
            for side in ("lo", "hi")
        )
        if (lower > upper).any():
            raise ValueError(
                f"forecast must have its lower limits below its upper ones; got "
                f"{names['lo', level]!r} above {names['hi', level]!r} at "
                f"{frame.index[int(np.argmax(lower > upper))]}. Are the columns swapped?"
            )
        bands[level] = (lower, upper)
    values = real_array(frame[centre], f"forecast[{centre!r}]", ndim=1)
    return Fan(frame.index, values, centre, bands)


def observations(
    history: Any, truth: Any, index: pd.Index
) -> tuple["pd.Series[float]", "pd.Series[float]"]:
    """Return what was observed before the forecast's first step, and over its horizon."""
    n = np.size(history) if history is not None else 0
    step = index[1] - index[0] if len(index) > 1 else 1
    before = index[0] + step * np.arange(-n, 0) if _kind(index, "forecast") == "numbers" else None
    past = _series(history, "history", index, before)
    later = past if truth is None else _series(truth, "truth", index, index[: np.size(truth)])
    later = later[(later.index >= index[0]) & (later.index <= index[-1])]
    return past[past.index < index[0]], later


def positions(index: pd.Index) -> Any:
    """Return an index as matplotlib takes it: dates in UTC, or numbers; time steps in seconds."""
    if isinstance(index, pd.TimedeltaIndex):
        return index.total_seconds().to_numpy(dtype=float)
    if isinstance(index, pd.PeriodIndex):
        index = index.to_timestamp()
    if isinstance(index, pd.DatetimeIndex) and index.tz is not None:
        index = index.tz_convert("UTC").tz_localize(None)
    return index.to_numpy() if isinstance(index, pd.DatetimeIndex) else index.to_numpy(dtype=float)


def is_adjacent(past: pd.Index, future: pd.Index) -> bool:
    """Whether the gap between two indexes is like the gaps within them (weekends, months)."""
    if not len(past):
        return False
    x = np.concatenate([positions(past), positions(future)])
    gaps = np.diff(x).astype(float)
    others = np.delete(gaps, len(past) - 1)
    return not len(others) or bool(gaps[len(past) - 1] <= 1.5 * others.max())


def _series(values: Any, name: str, like: pd.Index, index: Any) -> "pd.Series[float]":
    """Return `values` as a sorted Series on the same kind of index as `like`."""
    if values is None or not np.size(values):
        return pd.Series(index=like[:0], dtype=float)
    if isinstance(values, pd.DataFrame) and values.shape[1] == 1:
        values = values.iloc[:, 0]
    array = real_array(values, name, ndim=1)
    if isinstance(values, pd.Series):
        index = values.index
    elif index is None:
        raise TypeError(
            f"{name} must be a Series with the dates of its values, because the forecast's index "
            f"holds {_kind(like, 'forecast')}; got {type(values).__name__}."
        )
    elif len(array) > len(index):
        raise ValueError(
            f"{name} must have at most {len(index)} values, one a step; got {len(array)}."
        )
    kind, expected = _kind(pd.Index(index), name), _kind(like, "forecast")
    if kind != expected:
        raise TypeError(
            f"{name} must be indexed as the forecast is, by {expected}; got {kind}. Bring both to "
            f"one kind, for instance with to_timestamp, tz_localize or tz_convert."
        )
    return pd.Series(array, index=index).pipe(_sorted, name)


def _sorted(data: Any, name: str) -> Any:
    """Order rows by their index, if it has one row for each time."""
    _kind(data.index, name)
    if data.index.has_duplicates:
        twice = data.index[data.index.duplicated()][0]
        raise ValueError(
            f"{name} must have one row for each time; got several for {twice}. Does it hold more "
            f"than one series? Pass the rows of one."
        )
    return data if data.index.is_monotonic_increasing else data.sort_index()


def _kind(index: pd.Index, name: str) -> str:
    """Say in words what an index holds."""
    if isinstance(index, pd.PeriodIndex):
        return f"periods of {index.freqstr}"
    if isinstance(index, pd.DatetimeIndex):
        return "dates without a time zone" if index.tz is None else "dates with a time zone"
    if isinstance(index, pd.TimedeltaIndex):
        return "time steps"
    if pd.api.types.is_numeric_dtype(index.dtype) and index.dtype.kind in "iuf":
        return "numbers"
    raise TypeError(
        f"{name} must be indexed by dates, periods, time steps or numbers; got {index.dtype} "
        f"values such as {index[0]!r}. Convert them first, for instance with pandas.to_datetime."
    )


def listed(items: Any) -> str:
    """Write out what there is, for a message."""
    return ", ".join(f"{i:g}" if isinstance(i, float) else repr(i) for i in items) or "none"
