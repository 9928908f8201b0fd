"""What the axes of every picture share: their look, their legend, times along them."""

import math
from collections.abc import Hashable
from datetime import tzinfo
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

INK = "#2b2b2b"
# Okabe & Ito's colours, which most colour-blind readers can distinguish.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = (0, (4, 3))  # of lines that say what should be
_ROUNDING = 1e-6  # of the largest value: a series that varies less is constant
_DATES = ("datetime64", "period")
_OTHERS = {"timedelta64": "time steps", "integer": "numbers", "floating": "numbers"}


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


def dress(ax: "Axes", index: pd.Index, y: Hashable = None) -> None:
    """Give `ax` its look, and dates that can be read, in their own time zone."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    ax.margins(x=0.01)
    name = "time" if index.name is None else str(index.name)
    if index.inferred_type in _DATES:
        zone = _zone(index)
        locator = AutoDateLocator(minticks=4, maxticks=9, tz=zone)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=zone))  # type: ignore[no-untyped-call]
        name = f"{name} ({zone})" if zone else ""
    if index.inferred_type == "timedelta64":
        name = f"{name} (seconds)"
    quiet(ax, name, "" if y is None else str(y))


def add_legend(ax: "Axes", handles: "list[Artist]", values: FloatArray) -> float:
    """Extend the legend of `ax` by `handles`, above the `values` drawn, in as few rows as fit.

    Returns the share of the height of `ax` that it takes.
    """
    old = ax.get_legend()
    if old is not None:
        known = [text.get_text() for text in old.get_texts()]
        before = [handle for handle in old.legend_handles if handle is not None]
        for handle, text in zip(before, known, strict=True):
            handle.set_label(text)
        repeated = {"observed", "observed later"} & set(known)
        handles = [*before, *(h for h in handles if h.get_label() not in repeated)]
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


def widen_constant(ax: "Axes", values: FloatArray) -> None:
    """Show values that differ by rounding alone as a line, a tenth of their size around it."""
    values = values[np.isfinite(values)]
    if not len(values) or np.ptp(values) > _ROUNDING * (size := np.abs(values).max()):
        return
    around = 0.1 * float(size) or 1.0
    middle = float(values.mean())
    ax.update_datalim([(0, middle - around), (0, middle + around)], updatex=False)
    ax.autoscale_view()


def draw_observed(
    ax: "Axes", series: "pd.Series[float]", label: str = "observed", zorder: int = 3
) -> "list[Line2D]":
    """Draw values that were observed, if there are any."""
    if not len(series):
        return []
    x = positions(series.index)
    return ax.plot(x, series, color=INK, linewidth=1.1, label=label, zorder=zorder)


def draw_later(ax: "Axes", series: "pd.Series[float]") -> "list[Line2D]":
    """Draw what was observed over the horizon: as dots, or dashes where dots would merge."""
    lines = draw_observed(ax, series, "observed later", zorder=5)
    for line in lines:
        if len(series) > 60:
            line.set_dashes((3, 1.2))
        else:
            line.set(marker="o", markersize=2.4, linewidth=0.6)
    return lines


def positions(index: pd.Index) -> FloatArray | npt.NDArray[np.datetime64]:
    """Return an index as matplotlib takes it: dates in UTC, or numbers; time steps in seconds."""
    if index.inferred_type == "timedelta64":
        return pd.TimedeltaIndex(index).total_seconds().to_numpy()
    if index.inferred_type not in _DATES:
        return index.to_numpy(dtype=np.float64)
    dates = pd.PeriodIndex(index).to_timestamp() if index.inferred_type == "period" else index
    return pd.to_datetime(dates, utc=True).tz_localize(None).to_numpy()


def is_adjacent(past: pd.Index, future: pd.Index) -> bool:
    """Whether the gap between two indexes is like the gaps within them (weekends, months)."""
    if not len(past):
        return False
    gaps = np.diff(np.concatenate([positions(past), positions(future)])).astype(float)
    others = np.delete(gaps, len(past) - 1)
    return not len(others) or bool(gaps[len(past) - 1] <= 1.5 * others.max())


def kind_of(index: pd.Index, name: str) -> str:
    """Say in words what an index holds."""
    kind = index.inferred_type
    if kind == "period":
        return f"periods of {pd.PeriodIndex(index).freqstr}"
    if kind == "datetime64":
        return f"dates {'with' if _zone(index) else 'without'} a time zone"
    if kind in _OTHERS:
        return _OTHERS[kind]
    raise TypeError(
        f"{name} must be indexed by dates, periods, time steps or numbers; got {index.dtype} "
        f"values such as {index[0]!r}. Convert them first, for instance with pandas.to_datetime."
    )


def _zone(index: pd.Index) -> tzinfo | None:
    return pd.DatetimeIndex(index).tz if index.inferred_type == "datetime64" else None
