"""Times along the axis of a picture."""

from datetime import tzinfo

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.kinds import are_dates, are_periods, has_dates
from gpforecast.common.types import FloatArray
from gpforecast.plotting.picture import Positions

_LAST_DAYS = pd.Timedelta(days=4)  # the last working day of a month may be a Friday
_MOST = 9  # ticks
_STEPS = (1, 2, 3, 4, 6, 12, 24, 36, 60, 120, 240, 600)  # months between ticks


def positions(index: pd.Index) -> FloatArray | npt.NDArray[np.datetime64]:
    """Return an index as it is drawn: dates in UTC, or numbers; time steps in seconds."""
    if index.inferred_type == "timedelta64":
        return pd.TimedeltaIndex(index).total_seconds().to_numpy()
    if not has_dates(index):
        return index.to_numpy(dtype=np.float64)
    dates = index.to_timestamp() if are_periods(index) else index
    return pd.to_datetime(dates, utc=True).tz_localize(None).to_numpy()


def zone_of(index: pd.Index) -> tzinfo | None:
    """Return the time zone of an index, if it has one."""
    return index.tz if are_dates(index) else None


def on_clocks(x: Positions, index: pd.Index) -> pd.DatetimeIndex:
    """Return positions as times of the clocks of the zone of an index."""
    return pd.DatetimeIndex(x).tz_localize("UTC").tz_convert(zone_of(index)).tz_localize(None)


def axis_name(index: pd.Index) -> str:
    """Return what the axis is called: nothing, if its dates speak for themselves."""
    name = "time" if index.name is None else str(index.name)
    if has_dates(index):
        zone = zone_of(index)
        return f"{name} ({zone})" if zone else ""
    return f"{name} (seconds)" if index.inferred_type == "timedelta64" else name


def ticks_at_ends(places: Positions, index: pd.Index) -> tuple[Positions, list[str]] | None:
    """Return ticks for the last days of months, quarters or years, None for other times.

    The usual tick of 2024 is at the first of January, one day after the value of 2023 where years
    are labelled by their last days: the ticks of such series are where its values are.

    Examples
    --------
    >>> index = pd.date_range("2020-03-31", periods=4, freq="QE")
    >>> ticks_at_ends(positions(index), index)[1]
    ['2020', 'Jun', 'Sep', 'Dec']
    """
    if not has_dates(index) or len(places) <= 2:
        return None
    times = on_clocks(places, index)
    month = 12 * times.year.to_numpy() + times.month.to_numpy() - 1
    at_ends = (times == times.normalize()) & (times.month != (times + _LAST_DAYS).month)
    if not at_ends.all() or len(np.unique(month)) < len(month):
        return None
    period = next(n for n in (12, 3, 1) if len(np.unique(month % n)) == 1)
    steps = [n for n in _STEPS if n % period == 0]
    step = next((n for n in steps if np.ptp(month) <= n * (_MOST - 1)), steps[-1])
    shown = month % step == month[0] % period
    texts = [f"{time:%Y}" if time.month <= period else f"{time:%b}" for time in times[shown]]
    return places[shown], texts
