"""Pictures on the axes of matplotlib."""

from typing import TYPE_CHECKING, Any

from gpforecast.plotting.axes import add_legend, axes_or_new, dress, plain, set_ticks_up_to
from gpforecast.plotting.picture import Areas, Bands, Bars, Level, Line, Marker, Picture

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes


def on_axes(picture: Picture, ax: "Axes | None" = None) -> "Axes":
    """Draw a picture on `ax`, or on the axes of a new figure, and return them."""
    ax = axes_or_new(ax, *picture.size)
    drawer = _Drawer(ax)
    for part in picture.parts:
        part.drawn_by(drawer)
    dress(ax, picture.index, picture.places(), picture.name)
    if picture.tight:
        ax.margins(x=0.0)
    if picture.title:
        ax.set_title(plain(picture.title))
    if picture.whole:
        _whole_ticks(ax)
    if picture.most is not None:
        set_ticks_up_to(ax, picture.most)
    if around := picture.around_constant():
        ax.update_datalim([(0, end) for end in around], updatex=False)
        ax.autoscale_view()
    limits = {"xlim": picture.x_range, "ylim": picture.y_range}
    ax.set(**{name: ends for name, ends in limits.items() if ends is not None})
    if picture.square:
        ax.set_aspect("equal")
    share = _legend(picture, ax, drawer.handles)
    if picture.upright is not None:
        line = picture.upright
        ax.axvline(
            line.at,  # type: ignore[arg-type]  # a date, or a number
            ymax=1 - share,
            color=line.color,
            linewidth=line.width,
            zorder=line.order,
            gid="origin",
        )
    return ax


def _legend(picture: Picture, ax: "Axes", handles: "list[Artist]") -> float:
    """Add the legend, and return the share of the height of the axes that it takes."""
    if picture.legend == "right":
        ax.legend(
            handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False,
            fontsize="small",
        )  # fmt: skip
    elif picture.legend == "above":
        fixed = picture.y_range is not None
        return add_legend(ax, handles, picture.values()[: 0 if fixed else None])
    return 0.0


def _whole_ticks(ax: "Axes") -> None:
    from matplotlib.ticker import AutoLocator

    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, AutoLocator):
        locator.set_params(integer=True)


class _Drawer:
    """Draws parts on axes, and collects what the legend names."""

    def __init__(self, ax: "Axes") -> None:
        self._ax = ax
        self.handles: list[Artist] = []

    def line(self, line: Line) -> None:
        style = line.dash if line.width else "none"
        (drawn,) = self._ax.plot(
            line.x, line.y, color=line.color, linewidth=line.width, linestyle=style,
            alpha=line.alpha, zorder=line.order, clip_on=line.cut, **_marked(line.marker),
        )  # fmt: skip
        self._named(drawn, line.label)

    def bands(self, bands: Bands) -> None:
        from matplotlib.patches import Patch

        swatches: list[Artist] = []
        for level, edges, alpha, tint in bands.tints():
            name = f"{level:g} %"
            self._ax.fill_between(
                bands.x, *edges, alpha=alpha, zorder=2, color=bands.color, linewidth=0, label=name
            )
            swatches.insert(0, Patch(alpha=tint, color=bands.color, linewidth=0, label=name))
        self.handles += swatches if bands.named else []

    def bars(self, bars: Bars) -> None:
        left, widths = bars.ends[:-1], bars.ends[1:] - bars.ends[:-1]
        self._ax.bar(
            left, bars.heights, widths, align="edge", color=bars.color, alpha=0.55,
            edgecolor="white", linewidth=1.0,
        )  # fmt: skip

    def areas(self, areas: Areas) -> None:
        labels = [plain(label) for label in areas.labels]
        self.handles += self._ax.stackplot(
            areas.x, areas.shares.T, colors=areas.colors, labels=labels, step="mid", linewidth=0
        )

    def level(self, level: Level) -> None:
        drawn = self._ax.axhline(
            level.at, color=level.color, linewidth=level.width, linestyle=level.dash,
            zorder=level.order,
        )  # fmt: skip
        self._named(drawn, level.label)

    def _named(self, drawn: "Artist", label: str) -> None:
        if label:
            drawn.set_label(plain(label))
            self.handles.append(drawn)


def _marked(marker: Marker | None) -> dict[str, Any]:
    if marker is None:
        return {}
    options: dict[str, Any] = {"marker": marker.shape, "markersize": marker.size}
    if marker.hollow or marker.edge:
        options["markeredgewidth"] = marker.edge_width
    options |= {"markerfacecolor": "none"} if marker.hollow else {}
    return options | ({"markeredgecolor": marker.edge} if marker.edge else {})
