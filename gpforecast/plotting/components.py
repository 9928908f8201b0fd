"""The components of a forecast, below one another: trend, season, inputs, memory."""

from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd
from scipy.special import ndtri

from gpforecast.common.validation import probability
from gpforecast.plotting.axes import INK, PALETTE, dress, positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.0, 1.7  # inches; of each panel


class HasComponents(Protocol):
    """What is drawn: the components of a mean, and how uncertain they are."""

    @property
    def mean(self) -> pd.DataFrame:
        """A column for each component, (h, k)."""

    @property
    def std(self) -> pd.DataFrame:
        """Their standard deviations, (h, k)."""

    @property
    def name(self) -> str | None:
        """Of the series."""


def components(
    parts: HasComponents, *, figure: "Figure | None" = None, level: float = 0.95
) -> "Figure":
    """Draw what a forecast is made of: a panel for its mean, and one for each component.

    Parameters
    ----------
    parts : Components
        As ``forecast.components`` returns them.
    figure : Figure, optional
        Where to draw; a new one by default.
    level : float
        Of the bands, between 0 and 1. Of each component by itself: see
        `gpforecast.results.explained.Components`.

    Returns
    -------
    Figure
        With the panels as its axes, the mean of the forecast first.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> f = gf.Forecaster(lags=8).fit(gf.datasets.mackey_glass(200, seed=0)).predict(20)
    >>> figure = components(f.components)
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['mean', 'trend', 'memory']
    >>> plt.close(figure)
    """
    mean, half = parts.mean, ndtri(0.5 + 0.5 * probability(level)) * parts.std
    if figure is None:
        import matplotlib.pyplot as plt

        size = (_WIDTH, _HEIGHT * (mean.shape[1] + 1))
        figure = plt.figure(figsize=size, layout="constrained")
    axes = figure.subplots(mean.shape[1] + 1, 1, sharex=True, squeeze=False)[:, 0]
    x = positions(mean.index)
    axes[0].plot(x, mean.sum(axis=1), color=INK, linewidth=1.7)
    axes[0].set_title(parts.name or "")
    for ax, color, name in zip(axes[1:], np.resize(PALETTE, mean.shape[1]), mean, strict=True):
        ax.plot(x, mean[name], color=color, linewidth=1.7)
        low, high = mean[name] - half[name], mean[name] + half[name]
        ax.fill_between(x, low, high, color=color, alpha=0.2, linewidth=0)
        if name != "trend":
            ax.axhline(0.0, color="0.6", linewidth=0.8, zorder=1)
    for ax, name in zip(axes, ["mean", *mean], strict=True):
        dress(ax, mean.index, str(name))
        ax.label_outer()
    return figure
