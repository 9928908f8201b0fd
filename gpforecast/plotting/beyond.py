"""The few observed values that would leave no height for all others: signs at the edge."""

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.wording import grouped
from gpforecast.plotting.picture import BEYOND, INK, Line, Marker, Shape
from gpforecast.plotting.times import positions

_TIMES = 4.0  # as high as the rest, or less, and a value stays in the picture
_MOST = 5  # values
_SHARE = 0.1  # of the observed values, at most
_ROOM = 0.06  # of the height, between the rest and the signs


def is_beyond(past: FloatArray, others: FloatArray) -> BoolArray:
    """Return which of a few values (n,) make the picture many times as high as all else needs.

    Examples
    --------
    >>> is_beyond(np.array([*range(20), 900.0]), np.array([25.0])).nonzero()[0].tolist()
    [20]
    """
    beyond, known = np.zeros(len(past), dtype=bool), np.flatnonzero(np.isfinite(past))
    most, rest = min(_MOST, int(_SHARE * len(known))), others[np.isfinite(others)]
    if not most:
        return beyond
    bounds = [rest.min(), rest.max()] if len(rest) else []
    far = np.abs(past[known] - np.median(np.concatenate([past[known], rest])))
    order = known[np.argsort(-far, kind="stable")]
    with np.errstate(over="ignore"):  # of values at the edge of numbers
        heights = np.array([np.ptp(np.append(past[order[k:]], bounds)) for k in range(most + 1)])
        alone = np.flatnonzero((heights[:-1] > _TIMES * heights[1:]) & (heights[1:] > 0.0))
    if len(alone):
        beyond[order[: alone[-1] + 1]] = True
    return beyond


def without_far(
    past: "pd.Series[float]", others: FloatArray
) -> tuple["pd.Series[float]", list[Line]]:
    """Return observed values, NaN where they are beyond all else, and signs of those.

    The signs are above and below all else, and tell what the values are.
    """
    y = np.asarray(past, dtype=np.float64)
    beyond = is_beyond(y, others)
    if not beyond.any():
        return past, []
    shown = np.concatenate([y[~beyond], others])
    shown = shown[np.isfinite(shown)]
    low, high = shown.min(), shown.max()
    room = _ROOM * (high - low)
    above, below = past[beyond & (y > high)], past[beyond & (y < low)]
    signs = [_signs(above, high + room, "^")] if len(above) else []
    signs += [_signs(below, low - room, "v")] if len(below) else []
    return past.astype(float).mask(beyond), signs


def _signs(some: "pd.Series[float]", edge: float, shape: Shape) -> Line:
    """Return signs at an edge for some values."""
    values = np.asarray(some, dtype=np.float64)
    farthest = float(values.max() if shape == "^" else values.min())
    return Line(
        x=positions(some.index), y=np.full(len(values), edge), color=INK, width=0.0,
        label=f"{BEYOND}: {_named(values, farthest)}", marker=Marker(shape=shape, size=5.0),
        told=values,
    )  # fmt: skip


def _named(values: FloatArray, farthest: float) -> str:
    """Return one value, or how many there are and the one that is farthest off."""
    said = grouped(farthest, 4)
    return said if len(values) == 1 else f"{len(values)} values, one of {said}"
