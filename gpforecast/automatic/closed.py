"""Times of a day, a week or a year at which a series always was at its smallest value."""

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import calendar_periods
from gpforecast.common.types import FloatArray
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import ClosedTimes, Compose
from gpforecast.transforms.base import Bounded
from gpforecast.transforms.closed_times import FEWEST_CYCLES, FittedClosedTimes


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
    steps = list(transforms.steps)
    at = 1 if steps and isinstance(steps[0], Bounded) else 0
    reason = f"closed times: {closed.in_words(closed.level)}"
    return Decision(Compose(*steps[:at], closed.spec, *steps[at:]), reason)


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
