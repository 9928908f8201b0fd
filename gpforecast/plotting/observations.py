"""Pictures of observed values: without measurement noise, with anomalies, with a backtest."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, cycle
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import percent, positive_integer
from gpforecast.plotting.matplotlib_drawing import drawn
from gpforecast.plotting.picture import (
    PALETTE,
    Bands,
    Line,
    Marker,
    Part,
    Picture,
    gaussian_bands,
    positions,
    shown_name,
)
from gpforecast.plotting.reading import left_out, observed
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
        If the level is no fraction and no percentage.

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
        If the level is no fraction and no percentage.

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


class ByOrigin(Protocol):
    """What is drawn of a `Backtest` of h steps from b origins."""

    @property
    def origins(self) -> IntArray:
        """Positions in the series, (b,)."""

    @property
    def mean(self) -> FloatArray:
        """Expected values, (b, h)."""

    @property
    def lower(self) -> Mapping[float, FloatArray]:
        """Lower ends of intervals (b, h) by level in percent."""

    @property
    def upper(self) -> Mapping[float, FloatArray]:
        """Their upper ends."""

    @property
    def set_aside(self) -> Sequence[Sequence[int]]:
        """Positions of outliers, for each origin."""


@drawn
def forecasts_by_origin(
    backtest: ByOrigin,
    series: SeriesLike,
    *,
    n: int = 6,
    level: float = 95,
    ax: "Axes | None" = None,
    colors: tuple[str, ...] = PALETTE,
) -> Picture:
    """Draw a backtest's forecasts where they were made, over the series that came true.

    Parameters
    ----------
    backtest : Backtest
    series : Series or 1-D array-like
        The series that was backtested.
    n : int
        How many of its origins, evenly spread in time, the newest first; forecasts that would
        overlap those are left out.
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
        If the backtest extends past the series, or has no such interval.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    >>> forecaster = gf.Forecaster(8, model=gf.models.LinearAR(), transforms=None)
    >>> result = gf.backtest(forecaster.fit(series[:200]), series, horizon=20, origins=8)
    >>> ax = forecasts_by_origin(result, series, n=3)
    >>> len(ax.collections)
    3
    >>> plt.close(ax.figure)
    """
    y = checked(series, open_days=True, by_clock=True).series
    origins, h = np.asarray(backtest.origins), backtest.mean.shape[1]
    if origins.max() + h > len(y):
        raise ValueError(
            f"series must be the one that was backtested; it has {len(y)} values and the backtest "
            f"extends to {origins.max() + h}."
        )
    level = percent(level)
    if level not in backtest.lower:
        known = ", ".join(f"{k:g}" for k in backtest.lower)
        raise ValueError(f"level must be one of the backtest's, {known} per cent; got {level!r}.")
    chosen = _spread(origins, h, positive_integer(n, "n"))
    limits = np.stack([backtest.lower[level], backtest.upper[level]], axis=1)  # (b, 2, h)
    first, last = max(0, int(origins[chosen].min()) - 2 * h), int(origins[chosen].max()) + h
    past, is_outlier = y.iloc[first:last], np.zeros(len(y), dtype=bool)
    is_outlier[[*chain(*backtest.set_aside)]] = True
    line, outliers = past[~is_outlier[first:last]], past[is_outlier[first:last]]
    marks = left_out(outliers, np.append(line, limits[chosen].ravel()))
    x, parts = positions(y.index), list[Part]([*observed(line), *marks])
    for k, color in zip(chosen, cycle(colors), strict=False):
        at, interval = x[origins[k] : origins[k] + h], limits[None, k]
        parts += [
            Line(x=at, y=backtest.mean[k], color=color, label="forecast", width=1.6, order=4),
            Bands(x=at, y=interval, levels=[level], color=color, named=False),
        ]
    return Picture(parts=tuple(parts), index=y.index, name=shown_name(y.name), ax=ax)


def _spread(origins: IntArray, horizon: int, n: int) -> list[int]:
    """Return which of the origins to draw: spread over time, a horizon apart at least.

    The newest forecast is among them: it knew most of the series.
    """
    chosen: list[int] = []
    for time in np.linspace(origins.max(), origins.min(), n):
        k = int(np.argmin(np.abs(origins - time)))
        if all(abs(origins[k] - origins[j]) >= horizon for j in chosen):
            chosen.append(k)
    return chosen[::-1]
