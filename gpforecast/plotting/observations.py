"""Pictures of observed values: without their measurement noise, or with their anomalies."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gpforecast.common.types import SeriesLike
from gpforecast.plotting.matplotlib_drawing import drawn
from gpforecast.plotting.picture import PALETTE, Line, Marker, Picture, gaussian_bands, shown_name
from gpforecast.plotting.reading import observed
from gpforecast.plotting.times import positions
from gpforecast.series import checked

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = {
    "spike": Marker(shape="o", size=7.0, hollow=True),
    "level shift": Marker(shape="s", size=7.0, hollow=True),
    "variance": Marker(shape="D", size=7.0, hollow=True),
    "stuck": Marker(shape="^", size=7.0, hollow=True),
}


@drawn
def smoothed_series(
    smooth: pd.DataFrame,
    measured: SeriesLike | None = None,
    *,
    ax: "Axes | None" = None,
    level: float = 95,
    color: str = PALETTE[0],
) -> Picture:
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
    KeyError
        If the frame lacks a column.
    ValueError
        If the level is not between 0 and 100.

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
    mean, std = smooth[["mean", "std"]].to_numpy(dtype=np.float64).T
    x, name, dots = positions(smooth.index), None, list[Line]()
    if measured is not None:
        y = checked(measured).series
        values, name = np.asarray(y, dtype=np.float64), y.name
        dots.append(
            Line(x=positions(y.index), y=values, color="0.45", label="measured", width=0,
                 marker=Marker(size=2.4), order=2)
        )  # fmt: skip
    curve = Line(x=x, y=mean, color=color, label="smoothed", width=1.4, order=4)
    return Picture(
        parts=(*dots, curve, gaussian_bands(x, mean, std, level=level, color=color)),
        index=smooth.index,
        name=shown_name(name),
        legend="above",
        ax=ax,
    )


@drawn
def surprises(
    table: pd.DataFrame,
    name: Hashable = None,
    *,
    ax: "Axes | None" = None,
    level: float = 95,
    color: str = PALETTE[0],
    flag_color: str = PALETTE[1],
) -> Picture:
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
    KeyError
        If the frame lacks a column.
    ValueError
        If the level is not between 0 and 100.

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
    values, mean, std = table[["observed", "mean", "std"]].to_numpy(dtype=np.float64).T
    x, signs = positions(table.index), []
    for kind, marker in _MARKERS.items():
        at = (table["flagged"] & (table["kind"] == kind)).to_numpy()
        sign = Line(
            x=x[at], y=values[at], color=flag_color, label=kind, width=0, marker=marker, order=5
        )
        signs += [sign] if at.any() else []
    curve = Line(x=x, y=mean, color=color, label="forecast", width=1.0)
    bands = gaussian_bands(x, mean, std, level=level, color=color)
    return Picture(
        parts=(*observed(table["observed"], order=4), curve, bands, *signs),
        index=table.index,
        name=shown_name(name),
        legend="above",
        ax=ax,
    )
