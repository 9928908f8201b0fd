"""Pictures of forecasts: fan charts, paths, and several forecasts together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import Seed, SeriesLike
from gpforecast.common.validation import is_integer, positive_integer
from gpforecast.plotting.matplotlib_drawing import axes_or_new, drawn, on_panels
from gpforecast.plotting.picture import PALETTE, Bands, Line, Picture
from gpforecast.plotting.reading import Forecasted, read_fan, read_source, read_timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawn
def fan_chart(
    forecast: "pd.DataFrame | Forecasted",
    history: SeriesLike | int | None = None,
    *,
    truth: SeriesLike | None = None,
    ax: "Axes | None" = None,
    levels: float | Sequence[float] | None = None,
    color: str = PALETTE[0],
    label: str | None = None,
    n_history: int | None = None,
) -> Picture:
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
    A thin upright line marks the last observed value. Outliers that the forecast left out are
    rings, at the edge of the chart if they are far off.

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
    if is_integer(history):
        n_history, history = positive_integer(history, "history"), None
    source, fan = read_fan(forecast, history, levels)
    line = read_timeline(source, truth, n_history, fan.limits if len(fan.limits) else fan.centre)
    joint = np.broadcast_to(line.joint, (*fan.limits.shape[:2], len(line.joint)))
    y, middle = np.concatenate([joint, fan.limits], axis=2), np.append(line.joint, fan.centre)
    name = f"{fan.centre_name} forecast" if label is None else label
    centre = Line(x=line.x, y=middle, color=color, label=name, width=1.7, order=4)
    bands = Bands(x=line.x, y=y, levels=fan.levels, color=color)
    return Picture(
        parts=(*line.before, centre, bands, *line.later),
        index=source.table.index,
        name=line.name,
        legend="above",
        origin=line.origin,
        ax=ax,
    )


@drawn
def sample_paths(
    forecast: "pd.DataFrame | Forecasted",
    history: SeriesLike | None = None,
    *,
    n: int = 20,
    seed: Seed = 0,
    truth: SeriesLike | None = None,
    ax: "Axes | None" = None,
    color: str = PALETTE[0],
    n_history: int | None = None,
) -> Picture:
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
    n, expected = positive_integer(n, "n"), "a DataFrame with one path a column"
    source = read_source(forecast, history, lambda f: f.sample(n, seed=seed), expected)
    values = source.table.to_numpy(dtype=np.float64)
    line = read_timeline(source, truth, n_history, values)
    alpha = float(np.clip(4.0 / values.shape[1], 0.12, 0.6))
    paths = (
        Line(x=line.x, y=np.append(line.joint, path), color=color, width=1.0, alpha=alpha)
        for path in values.T
    )
    parts = (*line.before, *paths, *line.later)
    return Picture(parts=parts, index=source.table.index, name=line.name, ax=ax)


def scenarios(
    forecasts: "Mapping[str, pd.DataFrame | Forecasted]",
    history: SeriesLike | None = None,
    *,
    truth: SeriesLike | None = None,
    ax: "Axes | None" = None,
    levels: float | Sequence[float] = 80,
    colors: Sequence[str] = PALETTE,
    n_history: int | None = None,
) -> "Axes":
    """Draw several forecasts of one series, each with its name and its colour.

    Parameters
    ----------
    forecasts : mapping from name to Forecast or DataFrame
        As for `fan_chart`, such as ``{"as it is": f, "a warm year": f.given(...)}``, or forecasts
        under different inputs. The first has the history.
    history, truth, ax, n_history
        As for `fan_chart`.
    levels : float or sequence of float
        The bands of each, in per cent; more than one are hard to tell apart.
    colors : sequence of str
        matplotlib colours, used in turn.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If there is no forecast to draw.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> f = gf.Forecaster(lags=8).fit(gf.datasets.mackey_glass(200, seed=0)).predict(20)
    >>> ax = scenarios({"as it is": f, "low at the end": f.given({219: 0.6})})
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['observed', 'as it is', '80 %', 'low at the end', '80 %']
    >>> plt.close(ax.figure)
    """
    if not isinstance(forecasts, Mapping):
        raise TypeError(
            f"forecasts must map names to forecasts, such as {{'as planned': f, 'without': g}}; "
            f"got {type(forecasts).__name__}."
        )
    if not forecasts:
        raise ValueError("forecasts must hold at least one; got an empty mapping.")
    ax = axes_or_new(ax)
    for (name, forecast), color in zip(forecasts.items(), cycle(colors), strict=False):
        fan_chart(
            forecast, history, truth=truth, ax=ax, levels=levels, color=color, label=str(name),
            n_history=n_history,
        )  # fmt: skip
    return ax


def fan_panels(
    forecasts: "Mapping[str, pd.DataFrame | Forecasted]",
    *,
    truth: Mapping[str, SeriesLike] | None = None,
    axes: "npt.NDArray[np.object_] | None" = None,
    n_history: int | None = None,
    **options: Any,
) -> "npt.NDArray[np.object_]":
    """Draw forecasts of several series one below the other, each with its own axis of values.

    Parameters
    ----------
    forecasts : mapping from name to Forecast or DataFrame
        As for `fan_chart`.
    truth : mapping from name to Series, optional
    axes : ndarray of Axes, optional
        One for each; a new figure by default.
    n_history, **options
        As for `fan_chart`.

    Returns
    -------
    ndarray of Axes

    Raises
    ------
    ValueError
        If there is no forecast to draw, or not one of the axes for each.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> f = gf.Forecaster(lags=8).fit(gf.datasets.mackey_glass(200, seed=0)).predict(20)
    >>> axes = fan_panels({"one": f, "other": f}, n_history=50)
    >>> [ax.get_ylabel() for ax in axes]
    ['one', 'other']
    >>> plt.close("all")
    """
    return on_panels(panel_pictures(forecasts, truth=truth, n_history=n_history, **options), axes)


def panel_pictures(
    forecasts: "Mapping[str, pd.DataFrame | Forecasted]",
    *,
    truth: Mapping[str, SeriesLike] | None = None,
    **options: Any,
) -> list[Picture]:
    """Return what `fan_panels` draws: the legend belongs to all."""
    if not forecasts:
        raise ValueError("forecasts must hold at least one; got an empty mapping.")
    found = [
        replace(
            fan_chart.picture(forecast, truth=(truth or {}).get(name), **options),
            name=name,
            size=(9.0, 2.4),
        )
        for name, forecast in forecasts.items()
    ]
    return [found[0], *(replace(picture, legend="") for picture in found[1:])]
