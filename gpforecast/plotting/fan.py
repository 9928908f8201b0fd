"""The fan chart: history, the central forecast and nested bands."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gpforecast.common.types import FloatArray, SeriesLike
from gpforecast.plotting.axes import PALETTE, add_legend, axes_or_new, draw_observed, dress
from gpforecast.plotting.reading import read_forecast, read_timeline

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def fan_chart(
    forecast: object,
    history: SeriesLike | None = None,
    *,
    truth: SeriesLike | None = None,
    ax: "Axes | None" = None,
    levels: float | Sequence[float] | None = None,
    color: str = PALETTE[0],
    label: str | None = None,
    n_history: int | None = None,
) -> "Axes":
    """Draw recent history, the forecast's mean and its nested bands.

    Parameters
    ----------
    forecast : DataFrame or object with ``to_frame(levels=...)``
        A frame needs a column ``mean`` (or ``median``) and, for each band, columns such as
        ``lo-95`` and ``hi-95``, whoever made it. A model's name in front of all of them is
        understood (``AutoARIMA``, ``AutoARIMA-lo-95``), as is a column ``ds`` that holds the
        dates. The index may hold dates, with a time zone or without, periods or numbers.
    history : Series or array-like, optional
        The observed values, on the same kind of index. Values on or after the forecast's first
        step are drawn as `truth` if that is not given. An array is taken to end one step before
        a forecast with a numeric index. By default the forecast's own ``history``, if it has one.
    truth : Series or array-like, optional
        What was observed over the horizon. An array starts at the first step.
    ax : Axes, optional
        Where to draw; a new figure by default.
    levels : sequence of float, optional
        The bands to draw, in per cent. By default every band of a frame, and 50, 80 and 95 of an
        object that makes frames.
    color : str, default "#0072b2"
        A matplotlib colour; the bands are lighter tints of it.
    label : str, optional
        What the legend calls the central line; ``"mean forecast"`` or ``"median forecast"`` by
        default.
    n_history : int, optional
        How many of the last observed values to draw; by default three times the horizon, at
        least 60.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure.

    Raises
    ------
    TypeError
        If the forecast is neither kind of object, or its index, the history's and the truth's
        are not of one kind.
    ValueError
        If the frame is empty, lacks a column, or lacks a band of `levels`.

    Notes
    -----
    The chart joins the last observed value to the first forecast, and marks it with a thin
    upright line, wherever the gap between the two is no wider than the gaps within them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import pandas as pd
    >>> from gpforecast.plotting import fan_chart
    >>> frame = pd.DataFrame(
    ...     {"mean": [3.0, 3.2], "lo-80": [2.5, 2.4], "hi-80": [3.5, 4.0]},
    ...     index=pd.date_range("2025-03-01", periods=2, freq="MS"),
    ... )
    >>> sales = pd.Series(
    ...     [2.7, 2.9], index=pd.date_range("2025-01-01", periods=2, freq="MS"), name="sales"
    ... )
    >>> ax = fan_chart(frame, history=sales)
    >>> ax.get_ylabel()
    'sales'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['observed', 'mean forecast', '80 %']
    >>> plt.close(ax.figure)
    """
    fan = read_forecast(forecast, levels)
    line = read_timeline(fan.times, fan.history if history is None else history, truth, n_history)
    joint, x = line.joint, line.x
    central = np.concatenate([joint, fan.centre])
    bands = {k: np.hstack([[joint, joint], edges]) for k, edges in fan.bands.items()}

    ax = axes_or_new(ax)
    handles: list[Artist] = [*draw_observed(ax, line.past, "observed")]
    name = f"{fan.centre_name} forecast" if label is None else label
    handles += ax.plot(x, central, color=color, linewidth=1.7, label=name, zorder=4)
    handles += _draw_bands(ax, x, bands, color)
    for dots in draw_observed(ax, line.later, "observed later", zorder=5):
        if len(line.later) > 60:  # where dots would merge
            dots.set_dashes((3, 1.2))
        else:
            dots.set(marker="o", markersize=2.4, linewidth=0.6)
        handles.append(dots)
    dress(ax, fan.times, line.name)
    values = np.concatenate([line.past, central, line.later, *map(np.ravel, bands.values())])
    legend = add_legend(ax, handles, values)
    if len(joint):  # an upright line, up to the legend
        ax.axvline(x[0], ymax=1 - legend, color="0.6", linewidth=0.8, zorder=1, gid="origin")
    return ax


def _draw_bands(
    ax: "Axes", x: npt.NDArray[np.generic], bands: Mapping[float, FloatArray], color: str
) -> "list[Artist]":
    """Draw the bands, widest first, and return their legend swatches, narrowest first."""
    from matplotlib.patches import Patch

    swatches: list[Artist] = []
    tint = 0.0
    targets = np.linspace(0.17, 0.5, len(bands)).tolist()
    for (level, edges), target in zip(bands.items(), targets, strict=True):
        # The bands lie on one another: each adds what the wider ones lack of its own tint.
        alpha, name = 1 - (1 - target) / (1 - tint), f"{level:g} %"
        ax.fill_between(x, *edges, alpha=alpha, zorder=2, color=color, linewidth=0, label=name)
        swatches.insert(0, Patch(alpha=target, color=color, linewidth=0, label=name))
        tint = target
    return swatches
