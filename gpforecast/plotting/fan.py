"""The fan chart: history, the central forecast and nested bands."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import positive_integer
from gpforecast.plotting.axes import INK, PALETTE, add_legend, dress, new_axes
from gpforecast.plotting.reading import is_adjacent, observations, positions, read_forecast

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def fan_chart(
    forecast: Any,
    history: Any = None,
    *,
    truth: Any = None,
    ax: "Axes | None" = None,
    levels: Sequence[float] | None = None,
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
        Any matplotlib colour; the bands are lighter tints of it.
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
        If the frame is empty, lacks a column, or lacks a band that was asked for.

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
    if history is None and not isinstance(forecast, pd.DataFrame):
        history = getattr(forecast, "history", None)
    past, later = observations(history, truth, fan.times)
    count = max(3 * len(fan.times), 60) if n_history is None else n_history
    past = past.iloc[-positive_integer(count, "n_history") :]
    joint = past.iloc[-1:] if is_adjacent(past.index, fan.times) else past.iloc[:0]
    x = np.concatenate([positions(joint.index), positions(fan.times)])
    central = np.concatenate([joint, fan.centre])
    bands = {k: np.stack([np.r_[joint, edge] for edge in fan.bands[k]]) for k in fan.bands}

    ax = new_axes() if ax is None else ax
    handles: list[Any] = []
    if len(past):
        handles += ax.plot(
            positions(past.index), past, color=INK, linewidth=1.1, label="observed", zorder=3
        )
    name = f"{fan.centre_name} forecast" if label is None else label
    handles += ax.plot(x, central, color=color, linewidth=1.7, label=name, zorder=4)
    handles += _draw_bands(ax, x, bands, color)
    if len(later):
        handles += _draw_truth(ax, later)

    dress(ax, fan.times)
    if not ax.get_ylabel():
        named = (source.name for source in (history, truth) if isinstance(source, pd.Series))
        ax.set_ylabel(next((str(name) for name in named if name is not None), ""))
    values = np.concatenate([past, central, later, *map(np.ravel, bands.values())])
    legend = add_legend(ax, handles, values)
    if len(joint):  # an upright line, up to the legend
        style: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "zorder": 1, "gid": "origin"}
        ax.axvline(x[0], ymax=1 - legend, **style)
    return ax


def _draw_bands(
    ax: "Axes", x: Any, bands: Mapping[float, FloatArray], color: str
) -> "list[Artist]":
    """Draw the bands, widest first, and return their legend swatches, narrowest first."""
    from matplotlib.patches import Patch

    swatches: list[Artist] = []
    tint = 0.0
    for (level, edges), target in zip(
        bands.items(), np.linspace(0.17, 0.5, len(bands)).tolist(), strict=True
    ):
        # The bands lie on one another: each adds what the wider ones lack of its own tint.
        alpha = 1 - (1 - target) / (1 - tint)
        style: dict[str, Any] = {"color": color, "linewidth": 0, "label": f"{level:g} %"}
        ax.fill_between(x, *edges, alpha=alpha, zorder=2, **style)
        swatches.insert(0, Patch(alpha=target, **style))
        tint = target
    return swatches


def _draw_truth(ax: "Axes", truth: "pd.Series[float]") -> list[Any]:
    """Draw what was observed over the horizon: dots, or a dashed line where dots would merge."""
    style: dict[str, Any] = {"marker": "o", "markersize": 2.4, "linewidth": 0.6}
    if len(truth) > 60:
        style = {"linewidth": 1.1, "dashes": (3, 1.2)}
    x = positions(truth.index)
    return list(ax.plot(x, truth, color=INK, label="observed later", zorder=5, **style))
