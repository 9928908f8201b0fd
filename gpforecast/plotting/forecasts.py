"""Pictures of forecasts: a fan chart, and paths."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import scipy

from gpforecast.common.types import FloatArray, Seed, SeriesLike
from gpforecast.common.validation import is_integer, positive_integer
from gpforecast.plotting.beyond import without_far
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.picture import (
    INK,
    PALETTE,
    Bands,
    Line,
    Marker,
    Picture,
    Positions,
    Upright,
)
from gpforecast.plotting.reading import Timeline, frame_of, read_forecast, read_timeline
from gpforecast.plotting.times import positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_DOTS = 60  # more of them merge


def fan_chart(
    forecast: object,
    history: SeriesLike | int | None = None,
    *,
    truth: SeriesLike | None = None,
    ax: "Axes | None" = None,
    levels: float | Sequence[float] | None = None,
    color: str = PALETTE[0],
    label: str | None = None,
    n_history: int | None = None,
) -> "Axes":
    """Draw recent history, the forecast's mean and its nested bands.

    Parameters
    ----------
    forecast : DataFrame or object with ``to_frame(levels=...)``
        A frame needs a column ``mean`` (or ``median``) and, for each band, columns such as
        ``lo-95`` and ``hi-95``. A model's name in front of all of them is
        understood (``AutoARIMA``, ``AutoARIMA-lo-95``), as is a column ``ds`` that holds the
        dates. The index may hold dates, with a time zone or without, periods or numbers.
    history : Series, array-like or int, optional
        The observed values, on the same kind of index; or how many of the last ones to draw, of
        those that the forecast has, as `n_history`. Values on or after the forecast's first
        step are drawn as `truth` if that is not given. An array is taken to end one step before
        a forecast with a numeric index. By default the forecast's own ``history``, if it has one.
    truth : Series or array-like, optional
        What was observed over the horizon. An array starts at the first step.
    ax : Axes, optional
        Where to draw; a new figure by default.
    levels : sequence of float, optional
        The bands to draw, in per cent. By default every band of a frame, and 50, 80 and 95 of an
        object that makes frames.
    color : str, default "#0072b2"
        A matplotlib colour; the bands are lighter tints of it.
    label : str, optional
        What the legend calls the central line; ``"mean forecast"`` or ``"median forecast"`` by
        default.
    n_history : int, optional
        How many of the last observed values to draw; by default three times the horizon, at
        least 60.

    Returns
    -------
    Axes
        `ax`, or the axes of the new figure.

    Raises
    ------
    TypeError
        If the forecast is neither kind of object, or its index, the history's and the truth's
        are not of one kind.
    ValueError
        If the frame is empty, lacks a column, or lacks a band of `levels`.

    Notes
    -----
    The chart joins the last observed value to the first forecast, and marks it with a thin
    upright line, wherever the gap between the two is no wider than the gaps within them. A few
    observed values that would make the chart more than four times as high as all else needs are
    triangles at its edge; the legend says how large they are.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import pandas as pd
    >>> from gpforecast.plotting import fan_chart
    >>> frame = pd.DataFrame(
    ...     {"mean": [3.0, 3.2], "lo-80": [2.5, 2.4], "hi-80": [3.5, 4.0]},
    ...     index=pd.date_range("2025-03-01", periods=2, freq="MS"),
    ... )
    >>> sales = pd.Series(
    ...     [2.7, 2.9], index=pd.date_range("2025-01-01", periods=2, freq="MS"), name="sales"
    ... )
    >>> ax = fan_chart(frame, history=sales)
    >>> ax.get_ylabel()
    'sales'
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['observed', 'mean forecast', '80 %']
    >>> plt.close(ax.figure)
    """
    picture = fan_picture(
        forecast, history, truth=truth, levels=levels, color=color, label=label, n_history=n_history
    )
    return on_axes(picture, ax)


def fan_picture(
    forecast: object,
    history: SeriesLike | int | None = None,
    *,
    truth: SeriesLike | None = None,
    levels: float | Sequence[float] | None = None,
    color: str = PALETTE[0],
    label: str | None = None,
    n_history: int | None = None,
) -> Picture:
    """Return what `fan_chart` draws."""
    if is_integer(history):
        n_history, history = positive_integer(history, "history"), None
    fan = read_forecast(forecast, levels)
    line = read_timeline(fan.times, fan.history if history is None else history, truth, n_history)
    others = np.concatenate([fan.centre, *map(np.ravel, fan.bands.values()), line.later])
    origin = line.x[0]
    line, signs = _without_far(line, others)
    line, outliers = _without_outliers(line, forecast, history)
    joint = len(line.joint)
    name = f"{fan.centre_name} forecast" if label is None else label
    edges = {k: np.hstack([[line.joint] * 2, edges]) for k, edges in fan.bands.items()}
    centre = Line(
        x=line.x, y=np.concatenate([line.joint, fan.centre]), color=color, label=name, width=1.7,
        order=4, joint=joint,
    )  # fmt: skip
    bands = Bands(x=line.x, edges=edges, color=color, joint=joint)
    upright = Upright(at=origin, color="0.6", width=0.8, order=1) if joint else None
    return Picture(
        parts=(
            *observed(line.past),
            centre,
            bands,
            *observed_later(line.later),
            *outliers,
            *signs,
        ),
        index=fan.times,
        name=shown_name(line.name),
        legend="above",
        upright=upright,
    )


def _without_far(line: Timeline, others: FloatArray) -> tuple[Timeline, list[Line]]:
    """Return a timeline without the few values that dwarf the others, and signs of those."""
    past, signs = without_far(line.past, others)
    joint = past.iloc[len(past) - len(line.joint) :]
    return (line._replace(past=past, joint=joint), signs) if signs else (line, signs)


def _without_outliers(
    line: Timeline, forecast: object, history: object
) -> tuple[Timeline, list[Line]]:
    """Return a timeline without the values that the forecast left out, and signs of those."""
    places = getattr(forecast, "set_aside", ()) if history is None else ()
    if not places:
        return line, []
    out = line.past.index.isin(getattr(forecast, "history").index[list(places)])  # noqa: B009
    past, some = line.past[~out], line.past[out].dropna()
    joint = past.iloc[len(past) - len(line.joint) :]
    x = np.concatenate([positions(joint.index), line.x[len(line.joint) :]])
    signs = Line(
        x=positions(some.index), y=np.asarray(some, dtype=np.float64), color=INK, width=0.0,
        label="left out", marker=Marker(size=4.0, hollow=True), order=5,
    )  # fmt: skip
    return line._replace(past=past, joint=joint, x=x), [signs] if len(some) else []


def observed(series: "pd.Series[float]", order: int = 3) -> tuple[Line, ...]:
    """Return the line of values that were observed, if there are any."""
    if not len(series):
        return ()
    x, y = positions(series.index), np.asarray(series, dtype=np.float64)
    return (Line(x=x, y=y, color=INK, label="observed", width=1.1, order=order),)


def observed_later(series: "pd.Series[float]") -> tuple[Line, ...]:
    """Return what was observed over the horizon: dots, or dashes where dots would merge."""
    lines = (replace(line, label="observed later") for line in observed(series, order=5))
    if len(series) > _MOST_DOTS:
        return tuple(replace(line, dash=(0, (3, 1.2))) for line in lines)
    return tuple(replace(line, marker=Marker(size=2.4), width=0.6) for line in lines)


def gaussian_bands(
    x: Positions, mean: FloatArray, std: FloatArray, *, level: float, color: str
) -> Bands:
    """Return the central interval of Gaussians, of a level in per cent."""
    if not 0.0 < level < 100.0:
        raise ValueError(f"level must lie between 0 and 100; got {level!r}.")
    half = float(scipy.special.ndtri(0.5 + level / 200.0)) * std
    return Bands(x=x, edges={level: np.stack([mean - half, mean + half])}, color=color)


def shown_name(name: Hashable) -> str:
    """Return the name of a series as text, "" if it has none."""
    return "" if name is None else str(name)


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
    picture = paths_picture(
        forecast, history, n=n, seed=seed, truth=truth, color=color, n_history=n_history
    )
    return on_axes(picture, ax)


def paths_picture(
    forecast: object,
    history: SeriesLike | None = None,
    *,
    n: int = 20,
    seed: Seed = 0,
    truth: SeriesLike | None = None,
    color: str = PALETTE[0],
    n_history: int | None = None,
) -> Picture:
    """Return what `sample_paths` draws."""
    n = positive_integer(n, "n")
    wanted = "a DataFrame with one path a column"
    frame, own = frame_of(forecast, "sample", wanted, n=n, seed=seed)
    if frame.empty:
        raise ValueError("forecast must hold at least one path of one step; got an empty frame.")
    line = read_timeline(frame.index, own if history is None else history, truth, n_history)
    line, signs = _without_far(
        line, np.concatenate([np.ravel(frame.to_numpy(dtype=float)), line.later])
    )
    line, outliers = _without_outliers(line, forecast, history)
    alpha = float(np.clip(4.0 / frame.shape[1], 0.12, 0.6))
    paths = (
        Line(x=line.x, y=np.concatenate([line.joint, path]), color=color, width=1.0, alpha=alpha)
        for path in frame.to_numpy(dtype=float).T
    )
    return Picture(
        parts=(*paths, *observed(line.past), *observed_later(line.later), *outliers, *signs),
        index=frame.index,
        name=shown_name(line.name),
    )
