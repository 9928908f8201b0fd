"""Location and scale of values, by which series in any units become comparable."""

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import LARGEST, SMALLEST, finite_array

ROUNDING = 1e-13  # of the largest magnitude; a smaller spread counts as none
_FAR = 1e-6  # of the largest magnitude; a smaller range leaves squares few digits


def is_far_from_zero(y: FloatArray) -> bool:
    """Return whether values differ by so little of their size that they must be centred."""
    return float(np.ptp(y)) < _FAR * float(np.abs(y).max())


def is_rounding(y: FloatArray) -> bool:
    """Return whether the spread of values is so little of their size that it counts as none."""
    magnitude = float(np.abs(y).max())
    return magnitude > 0.0 and float(np.std(y / magnitude)) < ROUNDING


def location_and_scale(values: ArrayLike) -> tuple[float, float]:
    """Return the mean of values and their standard deviation (ddof=0), in their units.

    The value of a constant series stands in for the spread it lacks, or 1 where its square would
    overflow or vanish.
    """
    y = finite_array(values, "values")
    if y.size == 0:
        raise ValueError("values must hold at least one number; got none.")
    low, high = float(y.min()), float(y.max())
    if low == high:
        return low, _stand_in(low)  # not the mean, which rounding may move off the value
    magnitude = max(abs(low), abs(high))
    shrunk = y / magnitude  # so that no square overflows or vanishes
    location, spread = float(shrunk.mean()) * magnitude, float(shrunk.std())
    return location, _stand_in(location) if spread < ROUNDING else spread * magnitude


def _stand_in(value: float) -> float:
    return abs(value) if SMALLEST <= abs(value) <= LARGEST else 1.0
