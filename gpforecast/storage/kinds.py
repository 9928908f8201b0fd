"""Objects of Python, NumPy and pandas in a file: times as integers, time zones by name."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta, timezone, tzinfo
from functools import partial
from importlib import import_module
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from gpforecast.common.validation import shown
from gpforecast.common.warnings import quietly
from gpforecast.storage.registry import KINDS, Kind, Parts

_LONGEST_RANGE = 100_000


def _numbered(items: Iterable[object]) -> Parts:
    return {str(i): item for i, item in enumerate(items)}


def _make_range(parts: Parts) -> range:
    made = range(*parts.values())
    if len(made) > _LONGEST_RANGE:
        raise ValueError(f"it holds a range of {len(made)} numbers, more than any lags are")
    return made


def _array(parts: Parts, name: str) -> Parts:
    """Return parts one of which must be an array of the file: nothing else could be so long."""
    if not isinstance(parts[name], np.ndarray):
        raise TypeError(f"{name} must be an array; got {shown(parts[name])}")
    return parts


def _make_generator(parts: Parts) -> np.random.Generator:
    name = parts["state"]["bit_generator"]
    known = {"MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"}
    if name not in known:
        raise ValueError(f"it holds a random generator {name}, which is none of NumPy's")
    bits = vars(np.random)[name]()
    bits.state = parts["state"]
    return np.random.Generator(bits)


def _take_series(series: "pd.Series[float]") -> Parts:
    return {"data": series.to_numpy(), "index": series.index, "name": series.name}


def _take_frame(frame: pd.DataFrame) -> Parts:
    """Return the parts of a table whose columns are of one kind of number."""
    if len(set(frame.dtypes)) > 1:
        raise TypeError(
            f"a table must have columns of one dtype to be saved; got "
            f"{', '.join(sorted(map(str, frame.dtypes.unique())))}. Convert it, for instance with "
            f"frame.astype(float)."
        )
    return {"data": frame.to_numpy(), "index": frame.index, "columns": list(frame.columns)}


def _take_range(index: pd.RangeIndex) -> Parts:
    return {"start": index.start, "stop": index.stop, "step": index.step, "name": index.name}


def _take_numbers(index: "pd.Index[float]") -> Parts:
    return {"data": index.to_numpy(), "dtype": str(index.dtype), "name": index.name}


def _take_periods(index: pd.PeriodIndex) -> Parts:
    return {"ordinals": index.asi8, "freq": index.freqstr, "name": index.name}


def _make_periods(parts: Parts) -> object:
    return pd.PeriodIndex.from_ordinals(**_array(parts, "ordinals"))  # type: ignore[attr-defined] # not in the stubs


def _take_times(index: pd.TimedeltaIndex | pd.DatetimeIndex) -> Parts:
    return {"times": index.asi8, "unit": index.unit, "freq": index.freq, "name": index.name}


def _make_durations(parts: Parts) -> pd.TimedeltaIndex:
    times = parts["times"].view(f"m8[{parts['unit']}]")
    return pd.TimedeltaIndex(times, freq=parts["freq"], name=parts["name"])


def _take_dates(index: pd.DatetimeIndex) -> Parts:
    return {**_take_times(index), "zone": _zone_parts(index.tz)}


@quietly()  # pandas changes the filters of warnings here
def _make_dates(parts: Parts) -> pd.DatetimeIndex:
    index = pd.DatetimeIndex(parts["times"].view(f"M8[{parts['unit']}]"))
    if parts["zone"] is not None:
        index = index.tz_localize("UTC").tz_convert(_zone(*parts["zone"]))
    return pd.DatetimeIndex(index, freq=parts["freq"], name=parts["name"])


def _zone_parts(zone: tzinfo | None) -> tuple[str, str | float] | None:
    """Return whose time zone it is, and its name (its offset in seconds, if it has none)."""
    match zone:
        case None:
            return None
        case timezone():
            return "fixed", zone.utcoffset(None).total_seconds()
        case ZoneInfo(key=str(name)):
            return "zoneinfo", name
        case object(zone=str(name)):  # of pytz, which pandas 2 uses
            return "pytz", name
    raise TypeError(
        f"the time zone of an index must have a name to be saved; got {zone!r}. Use for instance "
        f"series.tz_convert('Europe/Berlin')."
    )


def _zone(library: str, name: str | float) -> tzinfo:
    if library == "fixed":
        return timezone(timedelta(seconds=float(name)))
    if library == "pytz":
        with suppress(ImportError):  # pandas 3 comes without it; the zone is the same
            zone: tzinfo = import_module("pytz").timezone(name)
            return zone
    return ZoneInfo(str(name))


def _take_offset(freq: pd.offsets.BaseOffset) -> Parts:
    """Return the text of a frequency if it says all, otherwise what its constructor takes."""
    with suppress(ValueError):
        if freq == to_offset(freq.freqstr):
            return {"text": freq.freqstr}
    parts = {"n": freq.n, "normalize": freq.normalize, **freq.kwds}  # type: ignore[attr-defined]
    parts = {k: v for k, v in parts.items() if k != "calendar" and v != timedelta(0)}
    if "holidays" in parts:
        parts["holidays"] = tuple(str(day) for day in parts["holidays"])
    plain = all(isinstance(v, (int, str)) or k == "holidays" for k, v in parts.items())
    if plain and freq == _make_offset(type(freq), parts):
        return parts
    raise TypeError(
        f"the frequency of an index must be one that a file can name to be saved; got {freq!r}. "
        f"Give the series another index, for instance its own with freq='infer'."
    )


def _make_offset(cls: type[pd.offsets.BaseOffset], parts: Parts) -> pd.offsets.BaseOffset | None:
    return to_offset(parts["text"]) if "text" in parts else cls(**parts)


_OFFSETS = {vars(pd.offsets)[name] for name in vars(pd.offsets)["__all__"]}
_PLAIN = (
    Kind(float, lambda x: {"repr": repr(x)}, lambda parts: float(parts["repr"])),
    Kind(tuple, _numbered, lambda parts: tuple(parts.values())),
    Kind(dict, lambda items: _numbered(items.items()), lambda parts: dict(parts.values())),
    Kind(range, lambda r: _numbered((r.start, r.stop, r.step)), _make_range),
    Kind(np.random.Generator, lambda g: {"state": dict(g.bit_generator.state)}, _make_generator),
)
_PANDAS = (
    Kind(pd.Series, _take_series, lambda parts: pd.Series(**_array(parts, "data"))),
    Kind(pd.DataFrame, _take_frame, lambda parts: pd.DataFrame(**_array(parts, "data"))),
    Kind(pd.RangeIndex, _take_range, lambda parts: pd.RangeIndex(**parts)),
    Kind(pd.Index, _take_numbers, lambda parts: pd.Index(**_array(parts, "data"))),
    Kind(pd.PeriodIndex, _take_periods, _make_periods),
    Kind(pd.TimedeltaIndex, _take_times, _make_durations),
    Kind(pd.DatetimeIndex, _take_dates, _make_dates),
    *(Kind(cls, _take_offset, partial(_make_offset, cls)) for cls in _OFFSETS),
)
KINDS.update({kind.cls.__name__: kind for kind in _PLAIN})
KINDS.update({f"pandas.{kind.cls.__name__}": kind for kind in _PANDAS})
