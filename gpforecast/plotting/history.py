"""Observed values: a line, and markers where a forecast left an outlier out."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.plotting.picture import INK, Line, Marker
from gpforecast.plotting.times import positions


def observed(series: "pd.Series[float]", order: int = 3) -> tuple[Line, ...]:
    """Return the line of values that were observed, if there are any."""
    x, y = positions(series.index), np.asarray(series, dtype=np.float64)
    line = Line(x=x, y=y, color=INK, label="observed", width=1.1, order=order)
    return (line,) if len(series) else ()


def observed_later(series: "pd.Series[float]") -> tuple[Line, ...]:
    """Return what was observed over the horizon: dots on a thin line."""
    dots = Marker(size=2.4)
    lines = observed(series, order=5)
    return tuple(replace(one, label="observed later", marker=dots, width=0.6) for one in lines)


def left_out(outliers: "pd.Series[float]", others: FloatArray) -> tuple[Line, ...]:
    """Return markers of outliers; those far off are moved to as far away as the others are high.

    Examples
    --------
    >>> (marks,) = left_out(pd.Series([900.0]), np.array([1.0, 5.0]))
    >>> marks.y.tolist(), marks.label
    ([9.0], 'left out (not to scale)')
    """
    known, others = outliers.dropna(), others[np.isfinite(others)]
    if not len(known) or not len(others):
        return ()
    room = np.ptp(others)
    y: FloatArray = np.clip(known.to_numpy(), others.min() - room, others.max() + room)
    label = "left out" if (y == known).all() else "left out (not to scale)"
    marker = Marker(size=4.0, hollow=True)
    x = positions(known.index)
    return (Line(x=x, y=y, color=INK, label=label, width=0.0, marker=marker, order=5),)
