"""A picture of the values of a series beside their forecasts, and of its anomalies."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import pandas as pd

from gpforecast.plotting.forecasts import gaussian_bands, observed, shown_name
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.picture import PALETTE, Line, Marker, Picture, Shape
from gpforecast.plotting.times import positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = ("observed", "mean", "std", "flagged", "kind")
_MARKERS: dict[str, Shape] = {
    "spike": "o",
    "level shift": "s",
    "variance": "D",
    "stuck": "^",
}


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
    values, mean, std = (table[c].to_numpy(dtype=float) for c in ("observed", "mean", "std"))
    x = positions(table.index)
    bands = gaussian_bands(x, mean, std, level=level, color=color)
    signs = []
    for kind, shape in _MARKERS.items():
        at = (table["flagged"] & (table["kind"] == kind)).to_numpy()
        marker = Marker(shape=shape, size=7.0, hollow=True, edge_width=1.6)
        sign = Line(
            x=x[at], y=values[at], color=flag_color, label=kind, width=0, marker=marker, order=5
        )
        signs += [sign] if at.any() else []
    picture = Picture(
        parts=(
            *observed(table["observed"], order=4),
            Line(x=x, y=mean, color=color, label="forecast", width=1.0),
            bands,
            *signs,
        ),
        index=table.index,
        name=shown_name(name),
        legend="above",
    )
    return on_axes(picture, ax)
