"""From which positions of a series the forecasts of trials start."""

import numpy as np

from gpforecast.common.types import IntArray


def evenly(first: int, last: int, most: int) -> IntArray:
    """Return positions from `first` to `last`, evenly spaced, at most so many."""
    return np.unique(np.linspace(first, last, most).astype(np.int64))
