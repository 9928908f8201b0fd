"""The components of a forecast, below one another: trend, season, inputs, memory."""

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from gpforecast.common.wording import in_digits
from gpforecast.plotting.matplotlib_drawing import on_panels
from gpforecast.plotting.picture import INK, PALETTE, Line, Part, Picture, gaussian_bands, positions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARGIN = 1.1  # of the axes, in ranges of what is drawn
_SMALL = 0.1  # of the longest range: what is smaller looks flat, and its axis names its range


class HasComponents(Protocol):
    """What is drawn: the components of a mean, and how uncertain they are."""

    @property
    def mean(self) -> pd.DataFrame:
        """A column for each component, (h, k)."""

    @property
    def std(self) -> pd.DataFrame:
        """Their standard deviations, (h, k)."""


def components(
    parts: HasComponents, *, figure: "Figure | None" = None, level: float = 0.95
) -> "Figure":
    """Draw what a forecast is made of: a panel for its mean, and one for each component.

    All panels have the same scale. Where a range is small, its panel names it.

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
    panels = on_panels(pictures, figure and figure.subplots(len(pictures), 1, sharex=True))
    for ax in panels:
        ax.label_outer()
    made: Figure = panels[0].figure
    return made


def component_pictures(parts: HasComponents, *, level: float = 0.95) -> list[Picture]:
    """Return what `components` draws, a picture for each panel."""
    mean, std, x = parts.mean, parts.std, positions(parts.mean.index)
    total = Line(x=x, y=mean.sum(axis=1).to_numpy(), color=INK, label="mean", width=1.7)
    panels: dict[str, tuple[Part, ...]] = {"mean": (total,)}
    for color, name in zip(cycle(PALETTE), mean, strict=False):
        y, off = mean[name].to_numpy(), std[name].to_numpy()
        curve = Line(x=x, y=y, color=color, label=str(name), width=1.7)
        bands = gaussian_bands(x, y, off, level=level, color=color)
        panels[str(name)] = (curve, bands)
    pictures = [
        Picture(parts=panel, index=mean.index, name=name, size=(9.0, 1.7))
        for name, panel in panels.items()
    ]
    return _on_one_scale(pictures)


def _on_one_scale(pictures: list[Picture]) -> list[Picture]:
    """Return panels whose axes have one length, so that what looks small is; small ranges named."""
    known = [picture.values() for picture in pictures]
    ends = np.array([(y.min(), y.max()) if len(y) else (0.0, 0.0) for y in known])
    middles, ranges = ends.mean(axis=1), np.ptp(ends, axis=1)
    half = _MARGIN * float(ranges.max()) / 2.0
    if not half > 0.0:
        return pictures
    scaled = []
    for picture, middle, own in zip(pictures, middles.tolist(), ranges.tolist(), strict=True):
        small = 0.0 < own < _SMALL * ranges.max()
        name = f"{picture.name}, range {in_digits(own, 2)}" if small else picture.name
        scaled.append(replace(picture, name=name, y_range=(middle - half, middle + half)))
    return scaled
