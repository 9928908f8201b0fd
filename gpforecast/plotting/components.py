"""The components of a forecast, below one another: trend, season, inputs, memory."""

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from gpforecast.common.validation import probability
from gpforecast.plotting.forecasts import gaussian_bands
from gpforecast.plotting.matplotlib_drawing import on_axes
from gpforecast.plotting.picture import INK, PALETTE, Level, Line, Part, Picture
from gpforecast.plotting.times import positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 9.0, 1.7  # inches; of each panel


class HasComponents(Protocol):
    """What is drawn: the components of a mean, and how uncertain they are."""

    @property
    def mean(self) -> pd.DataFrame:
        """A column for each component, (h, k)."""

    @property
    def std(self) -> pd.DataFrame:
        """Their standard deviations, (h, k)."""

    @property
    def name(self) -> str | None:
        """Of the series."""


def components(
    parts: HasComponents, *, figure: "Figure | None" = None, level: float = 0.95
) -> "Figure":
    """Draw what a forecast is made of: a panel for its mean, and one for each component.

    Parameters
    ----------
    parts : Components
        As ``forecast.components`` returns them.
    figure : Figure, optional
        Where to draw; a new one by default.
    level : float
        Of the bands, between 0 and 1. Of each component by itself: see
        `gpforecast.results.explained.Components`.

    Returns
    -------
    Figure
        With the panels as its axes, the mean of the forecast first.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import matplotlib.pyplot as plt
    >>> import gpforecast as gf
    >>> f = gf.Forecaster(lags=8).fit(gf.datasets.mackey_glass(200, seed=0)).predict(20)
    >>> figure = components(f.components)
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['mean', 'trend', 'memory']
    >>> plt.close(figure)
    """
    pictures = component_pictures(parts, level=level)
    if figure is None:
        import matplotlib.pyplot as plt

        size = (_WIDTH, _HEIGHT * len(pictures))
        figure = plt.figure(figsize=size, layout="constrained")
    axes = figure.subplots(len(pictures), 1, sharex=True, squeeze=False)[:, 0]
    for picture, ax in zip(pictures, axes, strict=True):
        on_axes(picture, ax).label_outer()
    return figure


def component_pictures(parts: HasComponents, *, level: float = 0.95) -> list[Picture]:
    """Return what `components` draws, a picture for each panel."""
    mean, x = parts.mean, positions(parts.mean.index)
    total = mean.sum(axis=1).to_numpy()
    shown: list[tuple[Part, ...]] = [(Line(x=x, y=total, color=INK, label="mean", width=1.7),)]
    for color, name in zip(cycle(PALETTE), mean, strict=False):
        y, std = mean[name].to_numpy(), parts.std[name].to_numpy()
        percent = 100.0 * probability(level)
        bands = gaussian_bands(x, y, std, level=percent, color=color)
        curve = Line(x=x, y=y, color=color, label=str(name), width=1.7)
        zero = Level(at=0.0, color="0.6", width=0.8)
        shown.append((curve, replace(bands, lightest=0.2), *([zero] if name != "trend" else [])))
    return [
        Picture(
            parts=panel,
            index=mean.index,
            name=name,
            title=(parts.name or "") if k == 0 else "",
            size=(_WIDTH, _HEIGHT),
        )
        for k, (name, panel) in enumerate(zip(["mean", *map(str, mean)], shown, strict=True))
    ]
