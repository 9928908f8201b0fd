"""The joint distribution over the horizon: sample paths and correlations."""

from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import Seed, SeriesLike
from gpforecast.common.validation import finite_array, positive_integer
from gpforecast.plotting.axes import PALETTE, axes_or_new, draw_observed, dress
from gpforecast.plotting.reading import frame_of, read_timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    draw_observed(ax, line.past, "observed")
    for dashed in draw_observed(ax, line.later, "observed later", zorder=4):
        dashed.set_dashes((3, 1.2))
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
