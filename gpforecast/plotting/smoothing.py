"""A picture of a series without its measurement noise."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import ndtri

from gpforecast.common.types import SeriesLike
from gpforecast.plotting.axes import PALETTE, add_legend, axes_or_new, dress, positions
from gpforecast.plotting.forecasts import draw_bands
from gpforecast.series import checked

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def smoothed_series(
    smooth: pd.DataFrame,
    measured: SeriesLike | None = None,
    *,
    ax: "Axes | None" = None,
    level: float = 95,
    color: str = PALETTE[0],
) -> "Axes":
    """Draw a series without its measurement noise, over the values that were measured.

    Parameters
    ----------
    smooth : DataFrame
        Columns ``mean`` and ``std``, as `gpforecast.Forecaster.smooth` returns them.
    measured : Series, optional
        The measured values, on the same index; drawn as dots.
    ax : Axes, optional
        Where to draw; a new figure by default.
    level : float, default 95
        The central interval of a Gaussian that the band shows, in per cent.
    color : str, default "#0072b2"
        A matplotlib colour.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure.

    Raises
    ------
    ValueError
        If the frame lacks a column, or the level is not between 0 and 100.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import pandas as pd
    >>> from gpforecast.plotting import smoothed_series
    >>> ax = smoothed_series(pd.DataFrame({"mean": [0.0, 1.0], "std": [0.1, 0.2]}))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['smoothed', '95 %']
    >>> plt.close(ax.figure)
    """
    if missing := {"mean", "std"} - set(smooth.columns):
        raise ValueError(
            f"smooth must have the columns mean and std, as Forecaster.smooth() returns them; it "
            f"lacks {', '.join(sorted(missing))}."
        )
    if not 0.0 < level < 100.0:
        raise ValueError(f"level must lie between 0 and 100; got {level!r}.")
    mean, std = (smooth[name].to_numpy(dtype=float) for name in ("mean", "std"))
    width, x = float(ndtri(0.5 + level / 200.0)) * std, positions(smooth.index)
    ax = axes_or_new(ax)
    handles: list[Artist] = []
    values = np.concatenate([mean - width, mean + width])
    name = None
    if measured is not None:
        dots = checked(measured, fill=False).series
        name = dots.name
        values = np.concatenate([values, dots.to_numpy()])
        handles += ax.plot(
            positions(dots.index), dots, "o", color="0.45", markersize=2.4, label="measured"
        )
    handles += ax.plot(x, mean, color=color, linewidth=1.4, label="smoothed", zorder=4)
    handles += draw_bands(ax, x, {level: np.stack([mean - width, mean + width])}, color)
    dress(ax, smooth.index, name)
    add_legend(ax, handles, values)
    return ax
