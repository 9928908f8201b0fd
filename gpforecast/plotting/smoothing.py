"""A picture of a series without its measurement noise."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gpforecast.common.types import SeriesLike
from gpforecast.plotting.forecasts import gaussian_bands, shown_name
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.picture import PALETTE, Line, Marker, Picture
from gpforecast.plotting.times import positions
from gpforecast.series import checked

if TYPE_CHECKING:
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
    mean, std = (smooth[name].to_numpy(dtype=float) for name in ("mean", "std"))
    dots: tuple[Line, ...] = ()
    x, name = positions(smooth.index), None
    if measured is not None:
        y = checked(measured).series
        name = y.name
        values, marker = np.asarray(y, dtype=np.float64), Marker(size=2.4)
        at = positions(y.index)
        dots = (
            Line(x=at, y=values, color="0.45", label="measured", width=0, marker=marker, order=2),
        )
    picture = Picture(
        parts=(
            *dots,
            Line(x=x, y=mean, color=color, label="smoothed", width=1.4, order=4),
            gaussian_bands(x, mean, std, level=level, color=color),
        ),
        index=smooth.index,
        name=shown_name(name),
        legend="above",
    )
    return on_axes(picture, ax)
