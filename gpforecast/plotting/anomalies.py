"""A picture of the values of a series beside their forecasts, and of its anomalies."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import ndtri

from gpforecast.plotting.axes import (
    PALETTE,
    add_legend,
    axes_or_new,
    draw_observed,
    dress,
    positions,
)
from gpforecast.plotting.forecasts import draw_bands

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_COLUMNS = ("observed", "mean", "std", "flagged", "kind")
_MARKERS = {"spike": "o", "level shift": "s", "variance": "D"}


def surprises(
    table: pd.DataFrame,
    name: Hashable = None,
    *,
    ax: "Axes | None" = None,
    level: float = 95,
    color: str = PALETTE[0],
    flag_color: str = PALETTE[1],
) -> "Axes":
    """Draw the values of a series, their forecasts, and a marker at each that is flagged.

    Parameters
    ----------
    table : DataFrame
        As `gpforecast.results.surprise.Surprise.to_frame` returns it.
    name : hashable, optional
        Of the series, for its axis.
    ax : Axes, optional
        Where to draw; a new figure by default.
    level : float, default 95
        The central interval of a Gaussian that the band shows, in per cent.
    color, flag_color : str
        matplotlib colours of the forecasts and of the markers.

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
    >>> from gpforecast.plotting import surprises
    >>> table = pd.DataFrame({"observed": [0.1, 4.0], "mean": [0.0, 0.0], "std": [1.0, 1.0]})
    >>> ax = surprises(table.assign(flagged=[False, True], kind=["", "spike"]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['observed', 'forecast', '95 %', 'spike']
    >>> plt.close(ax.figure)
    """
    if missing := set(_COLUMNS) - set(table.columns):
        raise ValueError(
            f"table must have the columns {', '.join(_COLUMNS)}, as Forecaster.surprise(...)"
            f".to_frame() has them; it lacks {', '.join(sorted(missing))}."
        )
    if not 0.0 < level < 100.0:
        raise ValueError(f"level must lie between 0 and 100; got {level!r}.")
    observed, mean, std = (table[c].to_numpy(dtype=float) for c in ("observed", "mean", "std"))
    width, x = float(ndtri(0.5 + level / 200.0)) * std, positions(table.index)
    ax = axes_or_new(ax)
    handles: list[Artist] = [*draw_observed(ax, table["observed"], zorder=4)]
    handles += ax.plot(x, mean, color=color, linewidth=1.0, label="forecast", zorder=3)
    handles += draw_bands(ax, x, {level: np.stack([mean - width, mean + width])}, color)
    for kind, marker in _MARKERS.items():
        chosen = (table["flagged"] & (table["kind"] == kind)).to_numpy()
        if chosen.any():
            handles += ax.plot(
                x[chosen],
                observed[chosen],
                marker,
                color=flag_color,
                markersize=7,
                markerfacecolor="none",
                markeredgewidth=1.6,
                label=kind,
                zorder=5,
            )
    dress(ax, table.index, name)
    add_legend(ax, handles, np.concatenate([observed, mean - width, mean + width]))
    return ax
