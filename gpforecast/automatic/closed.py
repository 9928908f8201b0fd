"""Times of a day, a week or a year at which a series always was at its smallest value."""

import numpy as np

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import calendar_periods
from gpforecast.common.types import FloatArray, Index
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import ClosedTimes, Compose
from gpforecast.transforms.closed_times import FEWEST_CYCLES, FittedClosedTimes

_KNOWN_OFTEN = 0.8  # share of the cycles: at times that ever have a value, one comes this often


def with_closed_times(
    transforms: Compose, values: FloatArray, times: TimeAxis
) -> Decision[Compose]:
    """Return transforms beside which closed times are known, if the calendar suggests a cycle.

    Parameters
    ----------
    transforms : Compose
    values : ndarray (n,)
        Of the series, NaN where missing.
    times : TimeAxis

    Returns
    -------
    Decision of Compose
        Without a reason if there are none.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> hours = pd.date_range("2024-01-01", periods=240, freq="h")
    >>> shop = np.where((hours.hour > 7) & (hours.hour < 20), 5.0 + np.arange(240) % 7, 0.0)
    >>> with_closed_times(Compose(), shop, TimeAxis.of(hours)).value
    Compose(ClosedTimes(period=24))
    """
    closed = closed_times(values, times)
    if closed is None:
        return Decision(transforms)
    reason = f"closed times: {closed.in_words(closed.level)}"
    return Decision(transforms.with_first(closed.spec), reason)


def without_closed_times(transforms: Compose) -> Compose:
    """Return transforms without closed times, which may have been found in what others left.

    Examples
    --------
    >>> without_closed_times(Compose(ClosedTimes(7)))
    Compose()
    """
    return Compose(*(step for step in transforms.steps if not isinstance(step, ClosedTimes)))


def closed_times(values: FloatArray, times: TimeAxis) -> FittedClosedTimes | None:
    """Return the closed times of the longest cycle that the calendar suggests, if there are any.

    Parameters
    ----------
    values : ndarray (n,)
        Of the series, NaN where missing.
    times : TimeAxis
    """
    for period in calendar_periods(times.index):
        if len(values) < FEWEST_CYCLES * period:
            continue
        found = ClosedTimes(period).fit_at(values, times)
        if found.closed.any():
            return found
    return None


def never_known(values: FloatArray, index: Index) -> tuple[int, int] | None:
    """Return at how many times of a cycle there never is a value, and the times of the cycle.

    The cycle is the longest that the calendar suggests and that the series has four times. None if
    a value comes at all of its times, or if those at which one comes are missing often as well.

    Examples
    --------
    >>> import pandas as pd
    >>> hours = pd.date_range("2024-01-01", periods=240, freq="h")
    >>> never_known(np.where(hours.hour < 8, np.nan, 1.0), hours)
    (8, 24)
    """
    for period in calendar_periods(index):
        n = len(values) // period
        if n < FEWEST_CYCLES:
            continue
        known = np.isfinite(values[: n * period].reshape(n, period)).mean(axis=0)
        never = int((known == 0.0).sum())
        some = 0 < never < period
        return (never, period) if some and known[known > 0].min() >= _KNOWN_OFTEN else None
    return None
