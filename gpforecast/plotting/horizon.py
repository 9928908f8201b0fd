"""What a joint distribution over the horizon holds: sample paths and correlations."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, Seed
from gpforecast.common.validation import finite_array, positive_integer
from gpforecast.plotting.axes import INK, PALETTE, dress, new_axes
from gpforecast.plotting.reading import is_adjacent, observations, positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def sample_paths(
    forecast: Any,
    history: Any = None,
    *,
    n: int = 20,
    seed: Seed = 0,
    truth: Any = None,
    ax: "Axes | None" = None,
    color: str = PALETTE[0],
    n_history: int | None = None,
) -> "Axes":
    """Draw whole futures, each a path that the series might take.

    A fan chart says where each value may lie; paths say how values hang together.

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
        Any matplotlib colour.
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
    >>> ax = sample_paths(pd.DataFrame({0: [3.0, 3.2], 1: [2.8, 2.5]}), n=2)
    >>> len(ax.lines)
    2
    >>> plt.close(ax.figure)
    """
    frame = _paths_of(forecast, n, seed)
    if history is None:
        history = getattr(forecast, "history", None)
    past, later = observations(history, truth, frame.index)
    count = max(3 * len(frame), 60) if n_history is None else n_history
    past = past.iloc[-positive_integer(count, "n_history") :]
    joint = past.iloc[-1:] if is_adjacent(past.index, frame.index) else past.iloc[:0]
    x = np.concatenate([positions(joint.index), positions(frame.index)])
    start = np.tile(joint.to_numpy(), (frame.shape[1], 1)).T  # (0 or 1, n)
    ax = new_axes() if ax is None else ax
    alpha = float(np.clip(4.0 / frame.shape[1], 0.12, 0.6))
    ax.plot(x, np.vstack([start, frame.to_numpy()]), color=color, alpha=alpha, linewidth=1.0)
    if len(past):
        ax.plot(positions(past.index), past, color=INK, linewidth=1.1, zorder=3)
    if len(later):
        ax.plot(positions(later.index), later, color=INK, linewidth=1.1, dashes=(3, 1.2), zorder=4)
    dress(ax, frame.index)
    if not ax.get_ylabel() and isinstance(history, pd.Series) and history.name is not None:
        ax.set_ylabel(str(history.name))
    return ax


def correlation_heat_map(forecast: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how the errors of the steps of a forecast hang together.

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
    correlation = _correlation(getattr(forecast, "covariance", forecast))
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(5.2, 4.4), layout="constrained")[1]
    h = len(correlation)
    image = ax.imshow(
        correlation, cmap="RdBu_r", vmin=-1, vmax=1, extent=(0.5, h + 0.5, h + 0.5, 0.5),
        interpolation="nearest",
    )  # fmt: skip
    ax.set_xlabel("step")
    ax.set_ylabel("step")
    ax.figure.colorbar(image, ax=ax, label="correlation", shrink=0.85)
    return ax


def _paths_of(forecast: Any, n: int, seed: Seed) -> pd.DataFrame:
    if isinstance(forecast, pd.DataFrame):
        frame = forecast
    elif hasattr(forecast, "sample"):
        frame = forecast.sample(positive_integer(n, "n"), seed=seed)
    else:
        raise TypeError(
            f"forecast must be a Forecast, or a DataFrame with one path a column; got "
            f"{type(forecast).__name__}."
        )
    if frame.empty:
        raise ValueError("forecast must hold at least one path of one step; got an empty frame.")
    return frame


def _correlation(covariance: Any) -> FloatArray:
    S = finite_array(covariance, "forecast", ndim=2)
    if S.shape[0] != S.shape[1] or not len(S) or (np.diag(S) <= 0).any():
        raise ValueError(
            f"forecast must be a Forecast, or a square covariance with positive variances; got "
            f"shape {S.shape}."
        )
    root = np.sqrt(np.diag(S))
    correlation: FloatArray = np.clip(S / root[:, None] / root, -1.0, 1.0)
    return correlation
