"""From which positions of a series the forecasts of trials start."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import IntArray


def evenly(first: int, last: int, most: int) -> IntArray:
    """Return positions from `first` to `last`, evenly spaced, at most so many."""
    return np.unique(np.linspace(first, last, most).astype(np.int64))


def trial_parts(n: int, horizon: int) -> Iterator[IntArray]:
    """Yield the origins in each part of a series of n values whose forecasts end within it."""
    for start, stop in pairwise(int(share * n) for share in th.TRIAL_PARTS):
        last = min(stop, n - horizon)
        if last >= start:
            yield evenly(start, last, th.TRIAL_ORIGINS)


def trial_origins(n: int, horizon: int) -> IntArray:
    """Return the origins of the forecasts of a trial, (b,), in increasing order."""
    return np.concatenate([*trial_parts(n, horizon), np.zeros(0, dtype=np.int64)])
