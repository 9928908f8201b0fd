"""The look that every picture shares."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#2b2b2b"
# Okabe & Ito's colours, which most colour-blind readers can tell apart.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def new_axes() -> "Axes":
    """Make the axes of a figure as wide as a page and half as high."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(9, 4), layout="constrained")[1]


def quiet(ax: "Axes") -> None:
    """Give `ax` quiet spines and a grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def dress(ax: "Axes", index: pd.Index) -> None:
    """Give `ax` quiet spines and a grid, and dates that can be read, in their own time zone."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    quiet(ax)
    ax.margins(x=0.01)
    name = "time" if index.name is None else str(index.name)
    if isinstance(index, (pd.DatetimeIndex, pd.PeriodIndex)):
        zone = getattr(index, "tz", None)
        locator = AutoDateLocator(minticks=4, maxticks=9, tz=zone)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=zone))  # type: ignore[no-untyped-call]
        name = "" if zone is None else f"{name} ({zone})"
    if isinstance(index, pd.TimedeltaIndex):
        name = f"{name} (seconds)"
    if not ax.get_xlabel():
        ax.set_xlabel(name)


def add_legend(ax: "Axes", handles: list[Any], values: FloatArray) -> float:
    """Extend the legend of `ax` by `handles`, above the `values` drawn, in as few rows as fit.

    Returns the share of the height of `ax` that it takes.
    """
    old = ax.get_legend()
    if old is not None:
        known = [text.get_text() for text in old.get_texts()]
        for handle, text in zip(old.legend_handles, known, strict=True):
            if handle is not None:
                handle.set_label(text)
        repeated = {"observed", "observed later"} & set(known)
        handles = [*old.legend_handles, *(h for h in handles if h.get_label() not in repeated)]
    width, height = ax.bbox.width / ax.figure.dpi, ax.bbox.height / ax.figure.dpi
    # At 10 points a letter takes some 0.08 inches, a handle and its margins half an inch.
    rows = math.ceil(sum(0.5 + 0.08 * len(str(h.get_label())) for h in handles) / width)
    share = min(0.5, (0.05 + 0.2 * rows) / height)
    values = values[np.isfinite(values)]
    if len(values):
        # The legend's room is part of the data limits, so whatever is drawn later can still
        # widen them.
        top = values.max() + np.ptp(values) * share / (1 - share)
        ax.update_datalim([(0, top)], updatex=False)
        ax.autoscale_view()
    ax.legend(
        handles=handles,
        loc="upper left",
        ncols=math.ceil(len(handles) / rows),
        columnspacing=1.4,
        handlelength=1.6,
        frameon=False,
        fontsize="small",
    )
    return share
