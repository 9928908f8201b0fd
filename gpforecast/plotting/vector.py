"""Pictures of several series that are forecast together."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gpforecast.common.types import FloatArray, SeriesLike
from gpforecast.plotting.forecasts import correlation_heat_map, fan_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    if axes is None:
        import matplotlib.pyplot as plt

        size = (9.0, 2.2 * n + 0.4)
        _, axes = plt.subplots(n, 1, figsize=size, sharex=True, squeeze=False, layout="constrained")
    panels: npt.NDArray[np.object_] = np.asarray(axes, dtype=object).ravel()
    if len(panels) != n:
        raise ValueError(f"axes must be one for each of the {n} forecasts; got {len(panels)}.")
    for k, (ax, (name, forecast)) in enumerate(zip(panels, forecasts.items(), strict=True)):
        came = None if truth is None else truth.get(name)
        fan_chart(forecast, truth=came, ax=ax, n_history=n_history, **options)
        ax.set(title=name, ylabel="")
        if k:
            ax.get_legend().remove()
    return panels


def cross_correlations(
    covariance: FloatArray, names: Sequence[str], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw how the errors of several series are correlated, at one step or over a horizon.

    Parameters
    ----------
    covariance : ndarray (k m, k m)
        Of m series after each other, k steps of each.
    names : sequence of str (m,)
    ax : Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The image is ``ax.images[0]``: correlations from -1 (blue) to 1 (red).

    Raises
    ------
    ValueError
        If the covariance does not have the same number of rows for each series.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> ax = cross_correlations(np.array([[4.0, 1.0], [1.0, 1.0]]), ["gdp", "unemp"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['gdp', 'unemp']
    >>> plt.close(ax.figure)
    """
    m, n = len(names), len(covariance)
    if not m or n % m:
        raise ValueError(
            f"covariance must have the same number of rows for each of the {m} series; got {n}."
        )
    each = n // m
    ax = correlation_heat_map(covariance, ax=ax)
    middles = each * (np.arange(m) + 0.5) + 0.5
    ax.set(xlabel="", ylabel="")
    ax.set_xticks(middles, names)
    ax.set_yticks(middles, names)
    ax.tick_params(length=0)
    for k in range(1, m):
        for draw in (ax.axvline, ax.axhline):
            draw(k * each + 0.5, color="white", linewidth=1.5)
    return ax
