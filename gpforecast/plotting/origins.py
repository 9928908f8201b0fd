"""Forecasts from several origins over the series they were made for."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gpforecast.common.validation import positive_integer
from gpforecast.plotting.axes import INK, PALETTE, dress, new_axes
from gpforecast.plotting.reading import positions
from gpforecast.series.checked import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forecasts_by_origin(
    backtest: Any,
    series: Any,
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
    ax = new_axes() if ax is None else ax
    x = positions(y.index)
    ax.plot(x[first:last], y.iloc[first:last], color=INK, linewidth=1.0, zorder=3)
    for i, k in enumerate(chosen):
        at = slice(int(origins[k]), int(origins[k]) + h)
        color = colors[i % len(colors)]
        ax.plot(x[at], backtest.mean[k], color=color, linewidth=1.6, zorder=4)
        lower, upper = backtest.lower[level][k], backtest.upper[level][k]
        ax.fill_between(x[at], lower, upper, color=color, alpha=0.2, linewidth=0, zorder=2)
    dress(ax, y.index)
    if not ax.get_ylabel() and isinstance(series, pd.Series) and series.name is not None:
        ax.set_ylabel(str(series.name))
    return ax


def _spread(origins: Any, horizon: int, n: int) -> list[int]:
    """Return which of the origins to draw: spread over time, a horizon apart at least."""
    order = np.argsort(origins, kind="stable")
    times = origins[order]
    wanted = np.linspace(times[0], times[-1], n)
    chosen: list[int] = []
    for time in wanted:
        k = int(order[np.argmin(np.abs(times - time))])
        if all(abs(int(origins[k]) - int(origins[j])) >= horizon for j in chosen):
            chosen.append(k)
    return chosen
