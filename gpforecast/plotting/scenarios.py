"""Several forecasts of one series in one picture, such as with and without what is assumed."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from gpforecast.common.types import SeriesLike
from gpforecast.plotting.axes import axes_or_new
from gpforecast.plotting.forecasts import fan_chart
from gpforecast.plotting.picture import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scenarios(
    forecasts: Mapping[str, object],
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
    if not forecasts:
        raise ValueError("forecasts must hold at least one; got an empty mapping.")
    ax = axes_or_new(ax)
    for (name, forecast), color in zip(forecasts.items(), cycle(colors), strict=False):
        fan_chart(
            forecast,
            history,
            truth=truth,
            ax=ax,
            levels=levels,
            color=color,
            label=str(name),
            n_history=n_history,
        )
    return ax
