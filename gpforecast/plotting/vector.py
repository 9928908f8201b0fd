"""Pictures of several series that are forecast together."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gpforecast.common.types import SeriesLike
from gpforecast.plotting.forecasts import fan_picture
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.picture import Picture


def fan_panels(
    forecasts: Mapping[str, object],
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
    >>> [ax.get_title() for ax in axes]
    ['one', 'other']
    >>> plt.close("all")
    """
    n = len(forecasts)
    if not n:
        raise ValueError("forecasts must hold at least one; got an empty mapping.")
    pictures = panel_pictures(forecasts, truth=truth, n_history=n_history, **options)
    if axes is None:
        import matplotlib.pyplot as plt

        size = (9.0, 2.2 * n + 0.4)
        _, axes = plt.subplots(n, 1, figsize=size, sharex=True, squeeze=False, layout="constrained")
    panels: npt.NDArray[np.object_] = np.asarray(axes, dtype=object).ravel()
    if len(panels) != n:
        raise ValueError(f"axes must be one for each of the {n} forecasts; got {len(panels)}.")
    for picture, ax in zip(pictures, panels, strict=True):
        on_axes(picture, ax)
    return panels


def panel_pictures(
    forecasts: Mapping[str, object],
    *,
    truth: Mapping[str, SeriesLike] | None = None,
    n_history: int | None = None,
    **options: Any,
) -> list[Picture]:
    """Return what `fan_panels` draws: the legend belongs to all."""
    found = []
    for k, (name, forecast) in enumerate(forecasts.items()):
        came = None if truth is None else truth.get(name)
        picture = fan_picture(forecast, truth=came, n_history=n_history, **options)
        legend = picture.legend if k == 0 else ""
        found.append(replace(picture, title=name, name="", legend=legend, size=(9.0, 2.2)))
    return found
