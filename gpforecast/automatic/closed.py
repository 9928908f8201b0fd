"""Times of a day, a week or a year at which a series always was at its smallest value."""

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import calendar_periods
from gpforecast.common.types import FloatArray
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import ClosedTimes, Compose
from gpforecast.transforms.base import Bounded
from gpforecast.transforms.closed_times import FEWEST_CYCLES


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
    for period in calendar_periods(times.index):
        if len(values) < FEWEST_CYCLES * period:
            continue
        step = ClosedTimes(period)
        closed = step.fit_at(values, times)
        if closed.closed.any():
            first, *rest = [*transforms.steps, None]
            before = [first] if isinstance(first, Bounded) else []
            after = rest if before else [first, *rest]
            kept = [one for one in (*before, step, *after) if one is not None]
            reason = f"closed times: {closed.in_words(closed.level)}"
            return Decision(Compose(*kept), reason)
    return Decision(transforms)
