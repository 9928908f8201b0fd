"""pandas series and indexes taken apart: stamps as integers, time zone and frequency by name."""

from datetime import timedelta, timezone
from importlib import import_module
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
from pandas.tseries.frequencies import to_offset

from gpforecast.storage.tree import Kind

Parts = dict[str, Any]


def _take_series(series: Any) -> Parts:
    return {"values": series.to_numpy(), "index": series.index, "name": series.name}


def _make_series(parts: Parts) -> Any:
    return pd.Series(parts["values"], index=parts["index"], name=parts["name"])


def _take_range(index: Any) -> Parts:
    return {"start": index.start, "stop": index.stop, "step": index.step, "name": index.name}


def _take_numbers(index: Any) -> Parts:
    return {"values": index.to_numpy(), "dtype": str(index.dtype), "name": index.name}


def _make_numbers(parts: Parts) -> Any:
    return pd.Index(parts["values"], dtype=parts["dtype"], name=parts["name"])


def _take_periods(index: Any) -> Parts:
    return {"ordinals": index.asi8, "freq": index.freqstr, "name": index.name}


def _make_periods(parts: Parts) -> Any:
    periods: Any = pd.PeriodIndex  # pandas-stubs miss from_ordinals
    return periods.from_ordinals(parts["ordinals"], freq=parts["freq"], name=parts["name"])


def _take_durations(index: Any) -> Parts:
    return {
        "stamps": index.asi8,
        "unit": index.unit,
        "freq": _freq_parts(index.freq),
        "name": index.name,
    }


def _make_durations(parts: Parts) -> Any:
    stamps = parts["stamps"].view(f"m8[{parts['unit']}]")
    return pd.TimedeltaIndex(stamps, freq=_freq(parts["freq"]), name=parts["name"])


def _take_dates(index: Any) -> Parts:
    return {**_take_durations(index), "tz": _tz_parts(index.tz)}


def _make_dates(parts: Parts) -> Any:
    index = pd.DatetimeIndex(parts["stamps"].view(f"M8[{parts['unit']}]"))
    if parts["tz"] is not None:
        index = index.tz_localize("UTC").tz_convert(_tz(*parts["tz"]))
    return pd.DatetimeIndex(index, freq=_freq(parts["freq"]), name=parts["name"])


def _tz_parts(tz: Any) -> tuple[str, Any] | None:
    """Return what kind of time zone it is and its name (its offset in seconds, if it has none)."""
    if tz is None:
        return None
    if isinstance(tz, ZoneInfo) and tz.key is not None:
        return "zoneinfo", tz.key
    if isinstance(tz, timezone):
        return "fixed", tz.utcoffset(None).total_seconds()
    if getattr(tz, "zone", None) is not None:  # pandas 2 makes these of names
        return "pytz", str(tz.zone)
    raise TypeError(
        f"the time zone of an index must have a name to be saved; got {tz!r}. Use for instance "
        f"series.tz_convert('Europe/Berlin')."
    )


def _tz(kind: str, name: Any) -> Any:
    if kind == "fixed":
        return timezone(timedelta(seconds=name))
    if kind == "pytz":
        try:
            return import_module("pytz").timezone(name)
        except ImportError:  # it came with pandas 2 and need not be here; the clock is the same
            return ZoneInfo(name)
    return ZoneInfo(name)


def _freq_parts(freq: Any) -> Any:
    """Return the frequency as text, or as (class, count, normalize, settings) if it has more."""
    if freq is None or freq == _parsed(freq.freqstr):
        return None if freq is None else freq.freqstr
    settings = {k: v for k, v in freq.kwds.items() if k != "calendar" and v != timedelta(0)}
    if "holidays" in settings:
        settings["holidays"] = tuple(str(day) for day in settings["holidays"])
    parts = (type(freq).__name__, freq.n, freq.normalize, settings)
    plain = all(isinstance(v, (int, str)) or k == "holidays" for k, v in settings.items())
    if plain and hasattr(pd.offsets, parts[0]) and freq == _freq(parts):
        return parts
    raise TypeError(
        f"the frequency of an index must be one that a file can name to be saved; got {freq!r}. "
        f"Give the series another index, for instance its own with freq='infer'."
    )


def _freq(parts: Any) -> Any:
    if parts is None or isinstance(parts, str):
        return parts
    name, n, normalize, settings = parts
    offset = getattr(pd.offsets, name)
    if not issubclass(offset, pd.offsets.BaseOffset):
        raise TypeError(f"{name} is no frequency")
    return offset(n, normalize=normalize, **settings)


def _parsed(text: str) -> Any:
    try:
        return to_offset(text)
    except ValueError:
        return None


PANDAS_KINDS = (
    Kind(pd.Series, _take_series, _make_series),
    Kind(pd.RangeIndex, _take_range, lambda parts: pd.RangeIndex(**parts)),
    Kind(pd.Index, _take_numbers, _make_numbers),
    Kind(pd.PeriodIndex, _take_periods, _make_periods),
    Kind(pd.TimedeltaIndex, _take_durations, _make_durations),
    Kind(pd.DatetimeIndex, _take_dates, _make_dates),
)
