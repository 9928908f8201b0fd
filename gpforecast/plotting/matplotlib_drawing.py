"""Pictures on the axes of matplotlib, which is imported when one is drawn."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, cast

import numpy as np
import numpy.typing as npt

from gpforecast.common.kinds import has_dates
from gpforecast.plotting.picture import Areas, Bands, Bars, Line, Picture

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

_OF_HISTORY = ("observed", "left out")  # begin what several forecasts on one chart share
_THOUSANDS = re.compile(r"(?<![\d.])\d{4,}(?![\d{])")

P = ParamSpec("P")


class Chart(Protocol[P]):
    """A public function that draws, and the function that describes what it draws."""

    picture: Callable[P, Picture]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> "Axes":
        """Draw, and return the axes."""


def drawn(picture: Callable[P, Picture]) -> Chart[P]:
    """Return a function that draws by matplotlib what another describes, as its ``picture``."""

    @wraps(picture)
    def draw(*args: P.args, **kwargs: P.kwargs) -> "Axes":
        return on_axes(picture(*args, **kwargs))

    found = cast("Chart[P]", draw)
    found.picture = picture
    draw.__dict__["__signature__"] = signature(picture).replace(return_annotation="Axes")
    return found


def on_axes(picture: Picture) -> "Axes":
    """Draw a picture on its axes, or on those of a new figure, and return them."""
    ax = axes_or_new(picture.ax, *picture.size)
    drawer = _Drawer(ax)
    for part in picture.parts:
        part.drawn_by(drawer)
    _set_ticks(picture, ax)
    ax.margins(x=0.01)
    quiet(ax, picture.axis_name, picture.name)
    if picture.y_range:
        ax.set_ylim(picture.y_range)
    if (at := picture.origin) is not None:  # a date, or a number
        ax.axvline(at, color="0.5", linewidth=0.8, zorder=1.5, gid="origin")  # type: ignore[arg-type]
    if picture.legend:
        _add_legend(picture, ax, drawer.handles)
    return ax


def on_panels(pictures: Sequence[Picture], axes: object = None) -> "npt.NDArray[np.object_]":
    """Draw pictures on axes, one for each; by default below one another in a new figure."""
    if axes is None:
        import matplotlib.pyplot as plt

        size = (pictures[0].size[0], sum(picture.size[1] for picture in pictures))
        figure = plt.figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(pictures), 1, sharex=True)
    panels: npt.NDArray[np.object_] = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()
    if len(panels) != len(pictures):
        raise ValueError(
            f"axes must be one for each of the {len(pictures)} panels; got {len(panels)}."
        )
    for picture, ax in zip(pictures, panels, strict=True):
        on_axes(replace(picture, ax=ax))
    return panels


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


def _set_ticks(picture: Picture, ax: "Axes") -> None:
    """Give `ax` dates that can be read, in their own time zone, and numbers with thousands."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    class Grouped(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return _THOUSANDS.sub(lambda digits: f"{int(digits[0]):,}", super().__call__(x, pos))

    ax.yaxis.set_major_formatter(Grouped())
    if (ends := picture.ticks_at_ends()) is not None:
        ax.set_xticks(*ends)
    elif has_dates(picture.index):
        locator = AutoDateLocator(minticks=4, maxticks=9, tz=picture.zone)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, tz=picture.zone))  # type: ignore[no-untyped-call]
    elif picture.index.inferred_type == "integer":
        ax.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True))


def _add_legend(picture: Picture, ax: "Axes", handles: "list[Artist]") -> None:
    """Add the legend, or extend the one that is there; above the values it has few rows."""
    quietly = {"framealpha": 0.8, "edgecolor": "none", "fontsize": "small"}
    if picture.legend == "right":
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), **quietly)
        return
    if (old := ax.get_legend()) is not None:
        kept = [handle for handle in old.legend_handles if handle is not None]
        for handle, text in zip(kept, old.get_texts(), strict=True):
            handle.set_label(text.get_text())
        named = {handle.get_label() for handle in kept}
        shared = {name for name in named if str(name).startswith(_OF_HISTORY)}
        handles = [*kept, *(one for one in handles if one.get_label() not in shared)]
    width, height = ax.bbox.width / ax.figure.dpi, ax.bbox.height / ax.figure.dpi
    # At 10 points a letter takes some 0.08 inches, a handle and its margins half an inch.
    rows = math.ceil(sum(0.5 + 0.08 * len(str(h.get_label())) for h in handles) / width)
    above = not picture.y_range and len(values := picture.values())
    if above:
        # The legend's room is part of the data limits, so whatever is drawn later can still
        # widen them.
        share = min(0.5, (0.05 + 0.2 * rows) / height)
        ax.update_datalim([(0, values.max() + np.ptp(values) * share / (1 - share))], updatex=False)
        ax.autoscale_view()
    ax.legend(
        handles=handles, loc="upper left" if above else "best",
        ncols=math.ceil(len(handles) / rows), columnspacing=1.4, handlelength=1.6, **quietly,
    )  # fmt: skip


class _Drawer:
    """Draws parts on axes, and collects what the legend names."""

    def __init__(self, ax: "Axes") -> None:
        self._ax = ax
        self.handles: list[Artist] = []

    def line(self, line: Line) -> None:
        look: dict[str, Any] = {}
        if (m := line.marker) is not None:
            inside = "none" if m.hollow else line.color
            look = {"marker": m.shape, "markersize": m.size, "markerfacecolor": inside}
        (artist,) = self._ax.plot(
            line.x, line.y, color=line.color, linewidth=line.width, alpha=line.alpha,
            linestyle=line.dash if line.width else "none", zorder=line.order, **look,
        )  # fmt: skip
        if line.label:
            artist.set_label(plain(line.label))
            self.handles.append(artist)

    def bands(self, bands: Bands) -> None:
        from matplotlib.patches import Patch

        swatches: list[Artist] = []
        for name, limits, alpha, tint in bands.tints():
            look: dict[str, Any] = {"color": bands.color, "linewidth": 0, "label": name}
            self._ax.fill_between(bands.x, *limits, alpha=alpha, zorder=2, **look)
            swatches.insert(0, Patch(alpha=tint, **look))
        self.handles += swatches if bands.named else []

    def bars(self, bars: Bars) -> None:
        self._ax.bar(
            bars.x[:-1], bars.y, np.diff(bars.x), align="edge", color=bars.color, alpha=0.55,
            edgecolor="white", linewidth=1.0,
        )  # fmt: skip

    def areas(self, areas: Areas) -> None:
        labels = [plain(label) for label in areas.labels]
        self.handles += self._ax.stackplot(
            areas.x, areas.y.T, colors=areas.colors, labels=labels, step="mid", linewidth=0
        )
