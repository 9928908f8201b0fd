"""Pictures of how the errors of a forecast are correlated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.plotting.matplotlib_drawing import axes_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


def cross_correlations(
    covariance: FloatArray, names: Sequence[str], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw how the errors of several series are correlated, at one step or over a horizon.

    Parameters
    ----------
    covariance : ndarray (k m, k m)
        Of m series after each other, k steps of each.
    names : sequence of str (m,)
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The image is ``ax.images[0]``: correlations from -1 (blue) to 1 (red).

    Raises
    ------
    ValueError
        If the covariance does not have the same number of rows for each series.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = cross_correlations(np.array([[4.0, 1.0], [1.0, 1.0]]), ["gdp", "unemp"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['gdp', 'unemp']
    >>> plt.close(ax.figure)
    """
    m, n = len(names), len(covariance)
    if not m or n % m:
        raise ValueError(
            f"covariance must have the same number of rows for each of the {m} series; got {n}."
        )
    each = n // m
    ax = correlation_heat_map(covariance, ax=ax)
    middles = each * (np.arange(m) + 0.5) + 0.5
    ax.set(xlabel="", ylabel="")
    ax.set_xticks(middles, names)
    ax.set_yticks(middles, names)
    ax.tick_params(length=0)
    return ax
