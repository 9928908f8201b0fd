"""Which step of a forecast each value that came true belongs to."""

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, Index, IntArray, SeriesLike, Values
from gpforecast.common.validation import real_array
from gpforecast.series.labels import all_numbers, begins_with, counts_from_zero, counts_rows_of


def aligned(
    y_true: SeriesLike, index: Index, history: "pd.Series[float]"
) -> tuple[IntArray, FloatArray]:
    """Return the steps of the horizon that came true, and what came."""
    truth = real_array(y_true, "y_true", ndim=1)
    steps = _steps_at(y_true, index, history) if isinstance(y_true, pd.Series) else None
    if steps is None:
        if len(truth) > len(index):
            raise ValueError(
                f"y_true has {len(truth)} values but the forecast {len(index)} steps; pass "
                f"at most that many, or a Series on the same index."
            )
        steps = np.arange(len(truth))
    known = (steps >= 0) & ~np.isnan(truth)
    if not known.any():
        raise ValueError("y_true has no value that is not missing; there is nothing to score.")
    return steps[known], truth[known]


def _steps_at(truth: Values, index: Index, history: "pd.Series[float]") -> IntArray | None:
    """Which step each value is for, -1 for none; None if their labels only count rows."""
    times = truth.index
    if counts_rows_of(times, index) and not begins_with(truth, history):
        return None
    if type(times) is type(index) or all_numbers(times, index):
        if index.dtype.kind == "f":
            steps = index.get_indexer(times, method="nearest", tolerance=1e-9)
        else:
            steps = index.get_indexer(times)
        if (steps >= 0).any():
            return steps
    if counts_from_zero(times) or len(times) == 0:
        return None
    raise ValueError(
        f"y_true has no time in common with the forecast, which runs from {index[0]} to "
        f"{index[-1]}; got {times[0]} to {times[-1]}."
    )
