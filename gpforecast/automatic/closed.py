"""Times of a day, a week or a year at which a series always was at its smallest value."""

import numpy as np

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import calendar_periods
from gpforecast.common.types import FloatArray
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import ClosedTimes, Compose
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
    periods = (m for m in calendar_periods(times.index) if FEWEST_CYCLES * m <= len(values))
    found = (ClosedTimes(m).fit_at(values, times) for m in periods)
    return next((one for one in found if one.closed.any()), None)


def never_known(values: FloatArray, times: TimeAxis) -> bool:
    """Return whether there never is a value (n,) at some times of a cycle of the calendar.

    Examples
    --------
    >>> import pandas as pd
    >>> hours = pd.date_range("2024-01-01", periods=240, freq="h")
    >>> never_known(np.where(hours.hour < 8, np.nan, 1.0), TimeAxis.of(hours))
    True
    """
    return closed_times(np.isfinite(values).astype(np.float64), times) is not None
