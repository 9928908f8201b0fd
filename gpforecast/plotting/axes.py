"""What the axes of every picture by matplotlib share: their look, their legend, their dates."""

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.plotting.ends import ends_of_periods, set_ticks
from gpforecast.plotting.picture import BEYOND, Positions
from gpforecast.plotting.times import axis_name, holds_dates, zone_of

_OF_HISTORY = ("observed", BEYOND)  # begin the names of what several forecasts on one chart share
_THOUSANDS = re.compile(r"(?<![\d.])\d{4,}(?![\d{])")

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def axes_or_new(ax: "Axes | None", width: float = 9.0, height: float = 4.0) -> "Axes":
    """Return `ax`, or the axes of a new figure: as wide as a page and half as high."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def quiet(ax: "Axes", x: str = "", y: str = "") -> None:
    """Give `ax` quiet spines and a grid, and labels where it has none."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(ax.get_xlabel() or plain(x))
    ax.set_ylabel(ax.get_ylabel() or plain(y))


def plain(name: object) -> str:
    r"""Return a name as text for a picture, in which dollars are not the marks of a formula.

    Examples
    --------
    >>> print(plain("US$ and A$"))
    US\$ and A\$
    """
    return str(name).replace("$", r"\$")


def dress(ax: "Axes", index: pd.Index, places: Positions, name: str = "") -> None:
    """Give `ax` its look, and dates that can be read, in their own time zone."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    ax.margins(x=0.01)
    if (ends := ends_of_periods(places, index)) is not None:
        set_ticks(ax, ends, zone_of(index))
    elif holds_dates(index):
        zone = zone_of(index)
        locator = AutoDateLocator(minticks=4, maxticks=9, tz=zone)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=zone))  # type: ignore[no-untyped-call]
    _group_thousands(ax)
    quiet(ax, axis_name(index), name)


def set_ticks_up_to(ax: "Axes", most: float) -> None:
    """Leave out the ticks of the vertical axis above a value, where the legend may be."""
    from matplotlib.ticker import AutoLocator

    class UpTo(AutoLocator):
        def tick_values(self, vmin: float, vmax: float) -> FloatArray:  # type: ignore[override]
            ticks = np.asarray(super().tick_values(vmin, vmax))
            return ticks[ticks <= most + 1e-9]

    ax.yaxis.set_major_locator(UpTo())


def _group_thousands(ax: "Axes") -> None:
    """Set the thousands of values apart by commas, as texts do."""
    from matplotlib.ticker import ScalarFormatter

    class Grouped(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return _THOUSANDS.sub(lambda digits: f"{int(digits[0]):,}", super().__call__(x, pos))

    if type(ax.yaxis.get_major_formatter()) is ScalarFormatter:
        ax.yaxis.set_major_formatter(Grouped())


def add_legend(ax: "Axes", handles: "list[Artist]", values: FloatArray) -> float:
    """Extend the legend of `ax` by `handles`, above the `values` drawn, in as few rows as fit.

    Without values the limits stay, and it stands where it hides the least.
    Returns the share of the height of `ax` that it takes.
    """
    old = ax.get_legend()
    if old is not None:
        known = [text.get_text() for text in old.get_texts()]
        before = [handle for handle in old.legend_handles if handle is not None]
        for handle, text in zip(before, known, strict=True):
            handle.set_label(text)
        repeated = {name for name in known if name.startswith(_OF_HISTORY)}
        handles = [*before, *(h for h in handles if h.get_label() not in repeated)]
    width, height = ax.bbox.width / ax.figure.dpi, ax.bbox.height / ax.figure.dpi
    # At 10 points a letter takes some 0.08 inches, a handle and its margins half an inch.
    rows = math.ceil(sum(0.5 + 0.08 * len(str(h.get_label())) for h in handles) / width)
    share = min(0.5, (0.05 + 0.2 * rows) / height)
    if len(values):
        # The legend's room is part of the data limits, so whatever is drawn later can still
        # widen them.
        top = values.max() + np.ptp(values) * share / (1 - share)
        ax.update_datalim([(0, top)], updatex=False)
        ax.autoscale_view()
    ax.legend(
        handles=handles,
        loc="upper left" if len(values) else "best",
        ncols=math.ceil(len(handles) / rows),
        columnspacing=1.4,
        handlelength=1.6,
        frameon=False,
        fontsize="small",
    )
    return share
