"""Pictures of forecasts: a fan chart, paths, correlations, and forecasts from many origins."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from gpforecast.common.types import FloatArray, IntArray, Seed, SeriesLike
from gpforecast.common.validation import finite_array, is_integer, positive_integer
from gpforecast.plotting.axes import (
    PALETTE,
    add_legend,
    axes_or_new,
    draw_later,
    draw_observed,
    dress,
    positions,
    widen_constant,
)
from gpforecast.plotting.reading import frame_of, read_forecast, read_timeline
from gpforecast.series import checked

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def fan_chart(
    forecast: object,
    history: SeriesLike | int | None = None,
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
        ``lo-95`` and ``hi-95``. A model's name in front of all of them is
        understood (``AutoARIMA``, ``AutoARIMA-lo-95``), as is a column ``ds`` that holds the
        dates. The index may hold dates, with a time zone or without, periods or numbers.
    history : Series, array-like or int, optional
        The observed values, on the same kind of index; or how many of the last ones to draw, of
        those that the forecast has, as `n_history`. Values on or after the forecast's first
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
    if is_integer(history):
        n_history, history = history, None
    fan = read_forecast(forecast, levels)
    line = read_timeline(fan.times, fan.history if history is None else history, truth, n_history)
    central = np.concatenate([line.joint, fan.centre])
    bands = {k: np.hstack([[line.joint] * 2, edges]) for k, edges in fan.bands.items()}

    ax = axes_or_new(ax)
    handles: list[Artist] = [*draw_observed(ax, line.past)]
    name = f"{fan.centre_name} forecast" if label is None else label
    handles += ax.plot(line.x, central, color=color, linewidth=1.7, label=name, zorder=4)
    handles += draw_bands(ax, line.x, bands, color)
    handles += draw_later(ax, line.later)
    dress(ax, fan.times, line.name)
    values = np.concatenate([line.past, central, line.later, *map(np.ravel, bands.values())])
    widen_constant(ax, values)
    legend = add_legend(ax, handles, values)
    if len(line.joint):  # an upright line, up to the legend
        ax.axvline(line.x[0], ymax=1 - legend, color="0.6", linewidth=0.8, zorder=1, gid="origin")
    return ax


def draw_bands(
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


def sample_paths(
    forecast: object,
    history: SeriesLike | None = None,
    *,
    n: int = 20,
    seed: Seed = 0,
    truth: SeriesLike | None = None,
    ax: "Axes | None" = None,
    color: str = PALETTE[0],
    n_history: int | None = None,
) -> "Axes":
    """Draw whole futures, each a path that the series might take.

    A fan chart shows where each value may lie; paths show how successive values depend on each
    other.

    Parameters
    ----------
    forecast : Forecast, or DataFrame (h, paths)
        A frame holds one path a column.
    history : Series or array-like, optional
        The observed values; by default the forecast's own.
    n : int
        How many paths to draw of a `Forecast`.
    seed : int, Generator or None
        For the paths.
    truth : Series or array-like, optional
        What was observed over the horizon.
    ax : Axes, optional
        Where to draw; a new figure by default.
    color : str
        A matplotlib colour.
    n_history : int, optional
        How many of the last observed values to draw; by default three times the horizon, at
        least 60.

    Returns
    -------
    Axes

    Raises
    ------
    TypeError
        If the forecast is neither, or the indexes are not of one kind.
    ValueError
        If there is no path to draw.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import pandas as pd
    >>> ax = sample_paths(pd.DataFrame({0: [3.0, 3.2], 1: [2.8, 2.5]}), n=2)
    >>> len(ax.lines)
    2
    >>> plt.close(ax.figure)
    """
    n = positive_integer(n, "n")
    wanted = "a DataFrame with one path a column"
    frame, own = frame_of(forecast, "sample", wanted, n=n, seed=seed)
    if frame.empty:
        raise ValueError("forecast must hold at least one path of one step; got an empty frame.")
    line = read_timeline(frame.index, own if history is None else history, truth, n_history)
    start = np.tile(line.joint.to_numpy(), (frame.shape[1], 1)).T  # (0 or 1, n)
    ax = axes_or_new(ax)
    alpha = float(np.clip(4.0 / frame.shape[1], 0.12, 0.6))
    ax.plot(line.x, np.vstack([start, frame.to_numpy()]), color=color, alpha=alpha, linewidth=1.0)
    draw_observed(ax, line.past)
    draw_later(ax, line.later)
    dress(ax, frame.index, line.name)
    return ax


def correlation_heat_map(forecast: object, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how the errors of the steps of a forecast are correlated.

    Parameters
    ----------
    forecast : Forecast, or covariance matrix (h, h)
        Anything with an attribute ``covariance``, or the matrix itself.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The image is ``ax.images[0]``: correlations from -1 (blue) to 1 (red), steps from 1.

    Raises
    ------
    ValueError
        If there is no square matrix with a positive diagonal.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = correlation_heat_map([[4.0, 1.0], [1.0, 1.0]])
    >>> ax.images[0].get_array().tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    >>> plt.close(ax.figure)
    """
    S = finite_array(getattr(forecast, "covariance", forecast), "forecast", ndim=2)
    h = len(S)
    if S.shape != (h, h) or not h or (np.diag(S) <= 0).any():
        raise ValueError(
            f"forecast must be a Forecast, or a square covariance with positive variances; got "
            f"shape {S.shape}."
        )
    root = np.sqrt(np.diag(S))
    ax = axes_or_new(ax, 5.2, 4.4)
    image = ax.imshow(
        np.clip(S / root[:, None] / root, -1.0, 1.0), cmap="RdBu_r", vmin=-1, vmax=1,
        extent=(0.5, h + 0.5, h + 0.5, 0.5), interpolation="nearest",
    )  # fmt: skip
    ax.set(xlabel="step", ylabel="step")
    ax.figure.colorbar(image, ax=ax, label="correlation", shrink=0.85)
    return ax


class ByOrigin(Protocol):
    """What is drawn of a `Backtest` of h steps from b origins."""

    @property
    def origins(self) -> IntArray:
        """Positions in the series, (b,)."""

    @property
    def mean(self) -> FloatArray:
        """Expected values, (b, h)."""

    @property
    def lower(self) -> Mapping[float, FloatArray]:
        """Lower ends of intervals (b, h) by level in percent."""

    @property
    def upper(self) -> Mapping[float, FloatArray]:
        """Their upper ends."""


def forecasts_by_origin(
    backtest: ByOrigin,
    series: SeriesLike,
    *,
    n: int = 6,
    level: float = 95,
    ax: "Axes | None" = None,
    colors: tuple[str, ...] = PALETTE,
) -> "Axes":
    """Draw a backtest's forecasts where they were made, over the series that came true.

    Parameters
    ----------
    backtest : Backtest
    series : Series or 1-D array-like
        The series that was backtested.
    n : int
        How many of its origins, evenly spread in time; forecasts that would overlap the one before
        are left out.
    level : float
        The interval to draw, in per cent: one of the backtest's (50, 80, 95).
    ax : Axes, optional
        Where to draw; a new figure by default.
    colors : tuple of str
        matplotlib colours, used in turn.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the backtest reaches beyond the series, or has no such interval.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(400, noise_var=1e-4, seed=0)
    >>> result = gf.backtest(gf.Forecaster(lags=8), series, horizon=20, origins=20)
    >>> ax = forecasts_by_origin(result, series, n=3)
    >>> len(ax.collections)
    3
    >>> plt.close(ax.figure)
    """
    y = checked(series, fill=False).series
    h = backtest.mean.shape[1]
    origins = np.asarray(backtest.origins)
    if origins.max() + h > len(y):
        raise ValueError(
            f"series must be the one that was backtested; it has {len(y)} values and the backtest "
            f"reaches to {origins.max() + h}."
        )
    if level not in backtest.lower:
        known = ", ".join(f"{k:g}" for k in backtest.lower)
        raise ValueError(f"level must be one of the backtest's, {known} per cent; got {level!r}.")
    chosen = _spread(origins, h, positive_integer(n, "n"))
    first = max(0, int(origins[chosen].min()) - 2 * h)
    last = int(origins[chosen].max()) + h
    ax = axes_or_new(ax)
    x = positions(y.index)
    draw_observed(ax, y.iloc[first:last])
    for k, color in zip(chosen, cycle(colors), strict=False):
        at = slice(origins[k], origins[k] + h)
        ax.plot(x[at], backtest.mean[k], color=color, linewidth=1.6, zorder=4)
        lower, upper = backtest.lower[level][k], backtest.upper[level][k]
        ax.fill_between(x[at], lower, upper, color=color, alpha=0.2, linewidth=0, zorder=2)
    dress(ax, y.index, y.name)
    return ax


def _spread(origins: IntArray, horizon: int, n: int) -> list[int]:
    """Return which of the origins to draw: spread over time, a horizon apart at least."""
    chosen: list[int] = []
    for time in np.linspace(origins.min(), origins.max(), n):
        k = int(np.argmin(np.abs(origins - time)))
        if all(abs(origins[k] - origins[j]) >= horizon for j in chosen):
            chosen.append(k)
    return chosen
