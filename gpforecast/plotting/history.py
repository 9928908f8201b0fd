"""Observed values: lines, and signs for the few that are not part of a line."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.wording import grouped
from gpforecast.plotting.picture import BEYOND, INK, Line, Marker, Shape
from gpforecast.plotting.times import positions

_MOST_DOTS = 60  # more of them merge
_TIMES = 4.0  # as high as the rest, or less, and a value stays in the picture
_MOST = 5  # values beyond the axis
_SHARE = 0.1  # of the observed values, at most
_ROOM = 0.06  # of the height, between the rest and the signs


def observed(series: "pd.Series[float]", order: int = 3) -> tuple[Line, ...]:
    """Return the line of values that were observed, if there are any."""
    if not len(series):
        return ()
    x, y = positions(series.index), np.asarray(series, dtype=np.float64)
    return (Line(x=x, y=y, color=INK, label="observed", width=1.1, order=order),)


def observed_later(series: "pd.Series[float]") -> tuple[Line, ...]:
    """Return what was observed over the horizon: dots, or dashes where dots would merge."""
    lines = (replace(line, label="observed later") for line in observed(series, order=5))
    if len(series) > _MOST_DOTS:
        return tuple(replace(line, dash=(0, (3, 1.2))) for line in lines)
    return tuple(replace(line, marker=Marker(size=2.4), width=0.6) for line in lines)


def is_beyond(past: FloatArray, others: FloatArray) -> BoolArray:
    """Return which of a few values (n,) make the picture many times as high as all else needs.

    Examples
    --------
    >>> is_beyond(np.array([*range(20), 900.0]), np.array([25.0])).nonzero()[0].tolist()
    [20]
    """
    known = past[np.isfinite(past)]
    most = min(_MOST, int(_SHARE * len(known)))
    if not most:
        return np.zeros(len(past), dtype=bool)
    rest = known[np.argsort(np.abs(known - np.median(known)), kind="stable")[:-most]]
    rest = np.append(rest, others[np.isfinite(others)])
    low, high = float(rest.min()), float(rest.max())
    room = (_TIMES - 1.0) * (high - low)
    return ((past > high + room) | (past < low - room)) & (room > 0.0)


def set_apart(
    past: "pd.Series[float]", left_out: pd.Index, others: FloatArray
) -> tuple["pd.Series[float]", tuple[Line, ...]]:
    """Return observed values without those that are drawn as signs, and these signs.

    They are the outliers that a forecast left out, at `left_out`, and values beyond all else:
    these are at the edge, above and below the rest and the `others`, and their name has the value.
    """
    y, x = np.asarray(past, dtype=np.float64), positions(past.index)
    beyond, out = is_beyond(y, others), past.index.isin(left_out)
    signs = []
    if (some := out & ~beyond & np.isfinite(y)).any():
        marker = Marker(size=4.0, hollow=True)
        signs.append(
            Line(x=x[some], y=y[some], color=INK, label="left out", width=0.0, marker=marker,
                 order=5)
        )  # fmt: skip
    shown = np.concatenate([y[~beyond], others])
    shown = shown[np.isfinite(shown)]
    above = np.sign(y - np.median(shown)) if beyond.any() else np.zeros(len(y))
    shapes: dict[float, Shape] = {1.0: "^", -1.0: "v"}
    for side, shape in shapes.items():
        if not (some := beyond & (above == side)).any():
            continue
        edge = (shown * side).max() + _ROOM * np.ptp(shown)
        farthest = grouped(float(side * (side * y[some]).max()), 4)
        count = "" if some.sum() == 1 else f"{some.sum()} values, one of "
        signs.append(
            Line(x=x[some], y=np.full(some.sum(), side * edge), color=INK, width=0.0,
                 label=f"{BEYOND}: {count}{farthest}", marker=Marker(shape=shape, size=5.0),
                 actual=y[some])
        )  # fmt: skip
    return past[~(beyond | out)], tuple(signs)
