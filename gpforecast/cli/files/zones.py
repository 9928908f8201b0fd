"""Times of a column in their zones: offsets from UTC, and clocks of a place."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pandas as pd

from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Column
from gpforecast.common.types import Index


def with_offsets(
    dates: Sequence[datetime],
    offsets: Sequence[str | None],
    column: Column,
    options: FileOptions,
    said: list[str],
) -> tuple[Index, list[str]]:
    """Attach offsets from UTC: one is kept, of several the times are in UTC."""
    different = sorted(set(filter(None, offsets)))
    if not different:
        return in_zone(pd.DatetimeIndex(list(dates)), column, options, said)
    if None in offsets:
        i = offsets.index(None)
        raise ValueError(
            f"--time: {column.place(i)} must have an offset from UTC as others of its column "
            f"have, such as {different[0]}; write it in all rows or in none."
        )
    zones = {text: _fixed(text) for text in different}
    aware = [d.replace(tzinfo=zones[o or ""]) for d, o in zip(dates, offsets, strict=True)]
    if len(different) == 1:
        said.append(f"offset {different[0]}")
        return in_zone(pd.DatetimeIndex(aware), column, options, said)
    brought = options.timezone or "UTC (--timezone for the clocks of a place)"
    said.append(f"offsets {' and '.join(different[:3])} brought to {brought}")
    return in_zone(pd.DatetimeIndex(pd.to_datetime(aware, utc=True)), column, options, said)


def in_zone(
    index: pd.DatetimeIndex, column: Column, options: FileOptions, said: list[str]
) -> tuple[Index, list[str]]:
    """Bring times to the zone of the options, or say that times without offsets are in it."""
    if options.timezone is None:
        return index, said
    try:
        zone = ZoneInfo(options.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"--timezone must be a zone such as Europe/Paris; got {options.timezone!r}."
        ) from None
    if index.tz is not None:
        return index.tz_convert(zone), said
    try:
        # An hour that occurs twice is told by its order, which newest first turns round.
        return _localised(index, zone), said
    except ValueError:
        raise ValueError(
            f"--timezone: the times in column {column.name!r} of {column.source} are not those "
            f"that clocks of {options.timezone} show when summer time begins and ends. Leave "
            f"--timezone out, or write times with their offsets, as in 2019-12-31T10:00+01:00."
        ) from None


def _localised(index: pd.DatetimeIndex, zone: ZoneInfo) -> pd.DatetimeIndex:
    if len(index) > 1 and index[-1] < index[0]:
        return index[::-1].tz_localize(zone, ambiguous="infer")[::-1]
    return index.tz_localize(zone, ambiguous="infer")


def _fixed(offset: str) -> tzinfo:
    sign = -1 if offset[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(offset[1:3]), minutes=int(offset[4:6])))


def written_offset(offset: timedelta) -> str:
    """Write an offset from UTC as in ``+01:00``."""
    minutes = round(offset.total_seconds() / 60)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
