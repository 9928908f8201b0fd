"""Dates that lie a little beside regular ones, and the call of pandas that rounds them."""

from collections.abc import Callable, Iterator

import pandas as pd
from pandas.tseries.frequencies import to_offset

_BESIDE = 0.25  # of a step, at most, is rounded away
_EPOCH = pd.Timestamp(0)


def rounding(
    dates: pd.DatetimeIndex, step: str, name: str, fit: Callable[[pd.DatetimeIndex], bool]
) -> str:
    """Return how to round dates so that they fit; "" if they do not, or lie far from all steps.

    Parameters
    ----------
    dates : DatetimeIndex
    step : str
        A fixed one, as pandas can be told it.
    name : str
        What the dates belong to.
    fit : callable
        Whether rounded dates, of which some may be NaT, are as they should be.

    Examples
    --------
    >>> late = pd.date_range("2024-03-01 00:02", periods=3, freq="h")
    >>> rounding(late, "h", "series", lambda rounded: True)
    "in pandas, series.index = series.index.round('h')"
    """
    most = _BESIDE * (_EPOCH + to_offset(step) - _EPOCH)
    for rounded, call in _rounded(dates, step, f"{name}.index"):
        off = pd.Series(rounded - dates).abs().max()
        if rounded.is_unique and pd.Timedelta(0) < off <= most and fit(rounded):
            return f"in pandas, {name}.index = {call}"
    return ""


def _rounded(
    dates: pd.DatetimeIndex, step: str, index: str
) -> Iterator[tuple[pd.DatetimeIndex, str]]:
    """Yield dates rounded, and the call; in UTC first, where no hour comes twice or is skipped."""
    if str(dates.tz) not in ("None", "UTC"):
        call = f"{index}.tz_convert('UTC').round({step!r}).tz_convert({index}.tz)"
        yield dates.tz_convert("UTC").round(step).tz_convert(dates.tz), call
    wall = dates.tz_localize(None).round(step)
    yield (
        wall.tz_localize(dates.tz, ambiguous="NaT", nonexistent="NaT"),
        f"{index}.round({step!r})",
    )
