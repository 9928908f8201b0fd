"""Pictures as figures of plotly, which is imported when one is drawn.

Dates in a time zone are those of its clocks: where clocks are put back, lines step back too.
"""

import math
from collections.abc import Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from gpforecast.common.imports import missing_extra
from gpforecast.common.kinds import has_dates
from gpforecast.common.types import FloatArray
from gpforecast.plotting.picture import INK, Areas, Bands, Bars, Line, Picture, Positions

if TYPE_CHECKING:
    from matplotlib.typing import ColorType
    from plotly.graph_objects import Figure

_PIXELS = 100  # per inch
_PER_POINT = 1.3  # pixels
_DASHES = {"-": "solid", "--": "dash"}
_SHAPES = {"o": "circle", "s": "square", "D": "diamond", "^": "triangle-up"}
_AXIS = {"zeroline": False, "showline": True, "linecolor": INK, "linewidth": 1}
_GAP = 0.06  # between panels, as a share of the figure
# Buttons: the first sends data to the makers of plotly, the others select what nothing uses.
_REMOVED = ("sendChartToCloud", "select2d", "lasso2d")
_DIGITS = 4  # of a value as large as what is drawn


def check_installed() -> None:
    """Refuse with the command that installs plotly, if it is missing."""
    try:
        import_module("plotly.graph_objects")
    except ModuleNotFoundError as error:
        raise missing_extra("an interactive picture", "plotly", error) from None


def figure_of(pictures: Sequence[Picture]) -> "Figure":
    """Return a figure with pictures below one another, over one axis."""
    check_installed()
    from plotly.subplots import make_subplots

    n = len(pictures)
    height = sum(_PIXELS * picture.size[1] for picture in pictures)
    figure: Figure = make_subplots(rows=n, shared_xaxes=True, vertical_spacing=_GAP)
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 64, "r": 16, "t": 56, "b": 48},
        font={"color": INK, "size": 12},
        hovermode="x unified",
        hoversubplots="axis",
        legend={"orientation": "h", "x": 0, "y": 1.0 + 8 / height, "yanchor": "bottom"},
        modebar={"remove": list(_REMOVED)},
    )
    for row, picture in enumerate(pictures, 1):
        drawer, at = _Drawer(picture, row), {"row": row, "col": 1}
        for part in picture.parts:
            part.drawn_by(drawer)
        # Their order says what lies on what, and the rank what the legend lists.
        for trace in sorted(drawer.traces, key=lambda trace: trace.pop("zorder")):
            figure.add_trace(trace, **at)
        figure.update_xaxes(**_across(picture), **at)
        figure.update_yaxes(**_upwards(picture), **at)
        if picture.origin is not None:
            (time,) = drawer.times(np.array([picture.origin]))
            figure.add_vline(time, line={"color": "gray", "width": _PER_POINT}, **at)
    figure.update_xaxes(title_text=text(pictures[-1].axis_name), row=n, col=1)
    return figure


def page_data(picture: Picture) -> str:
    """Return what plotly's JavaScript draws of a picture, as JSON; a page says how high it is."""
    figure = figure_of([picture])
    figure.update_layout(height=None)
    return str(figure.to_json())


def plotly_code() -> str:
    """Return plotly's JavaScript, which the package brings along."""
    check_installed()
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def text(name: object) -> str:
    """Return a name as text for plotly, which else reads marks of HTML, formulas and templates.

    Examples
    --------
    >>> text("a <b> & US$")
    'a &lt;b&gt; &amp; US&#36;'
    """
    plain = escape(str(name), quote=False).replace("$", "&#36;")
    return plain.replace("%{", "%&#123;")


def _across(picture: Picture) -> dict[str, Any]:
    axis = {**_AXIS, "showgrid": False, "ticks": "outside", "ticklen": 4}
    if not has_dates(picture.index):
        return axis
    times = picture.on_clocks(picture.places())
    shown = "%Y-%m" if len(times) > 1 and (times.day == 1).all() else "%Y-%m-%d"
    if (times != times.normalize()).any():
        shown = "%Y-%m-%d %H:%M:%S" if times.second.any() else "%Y-%m-%d %H:%M"
    axis |= {"type": "date", "hoverformat": shown}
    if ends := picture.ticks_at_ends():
        axis |= {"tickvals": picture.on_clocks(ends[0]), "ticktext": ends[1]}
    return axis


def _upwards(picture: Picture) -> dict[str, Any]:
    return {
        **_AXIS, "gridcolor": "#e5e5e5", "automargin": True, "range": picture.y_range,
        "title": {"text": text(picture.name)}, "tickformat": ".0%" if picture.percent else ",",
    }  # fmt: skip


def _number_format(picture: Picture) -> str:
    """Return how to write a value, with as many digits as what is drawn deserves."""
    if picture.percent:
        return ".1%"
    values = picture.values()
    size = float(np.ptp(values) or np.abs(values).max()) if len(values) else 0.0
    decimals = _DIGITS - 1 - math.floor(math.log10(size)) if size > 0 else 1
    return ".4~g" if decimals > 8 or decimals < -10 else f",.{max(decimals, 0)}f"


def _color(color: "ColorType", alpha: float | None = None) -> str:
    """Return a colour of matplotlib as plotly takes it."""
    from matplotlib.colors import to_rgba

    *rgb, opacity = to_rgba(color, alpha)
    return f"rgba({','.join(f'{255 * part:.0f}' for part in rgb)},{opacity:.4g})"


class _Drawer:
    """Collects the traces of the parts of one panel."""

    def __init__(self, picture: Picture, row: int) -> None:
        self.traces: list[dict[str, Any]] = []
        self._picture, self._row, self._format = picture, row, _number_format(picture)
        self._legend = bool(picture.legend)

    def line(self, line: Line) -> None:
        color, mode = _color(line.color, line.alpha), "lines" if line.width else ""
        pen = {"color": color, "width": _PER_POINT * line.width, "dash": _DASHES[line.dash]}
        look: dict[str, Any] = {"line": pen, "zorder": line.order}
        if (marker := line.marker) is not None:
            mode = "lines+markers" if mode else "markers"
            shape = f"{_SHAPES[marker.shape]}{'-open' if marker.hollow else ''}"
            look["marker"] = {"symbol": shape, "size": _PER_POINT * marker.size, "color": color}
        if line.label:
            look["hovertemplate"] = f"%{{y:{self._format}}}"
        self._add(self.times(line.x), line.y, line.label, mode=mode, **look)

    def bands(self, bands: Bands) -> None:
        written = f"%{{customdata[0]:{self._format}}} to %{{customdata[1]:{self._format}}}"
        times, first, named = self.times(bands.x), len(self.traces), []
        for name, limits, alpha, tint in bands.tints():
            group = {"legendgroup": f"bands {first} {self._row} {name}", "zorder": 2}
            filled = {"mode": "lines", "fill": "toself", "line": {"width": 0}, **group}
            x, y = _outline(times, limits)
            self._add(x, y, name, fillcolor=_color(bands.color, alpha), showlegend=False, **filled)
            named.append((name, limits, _color(bands.color, tint), filled, group))
        for name, limits, color, filled, group in reversed(named):
            if self._legend and bands.named:
                self._add([None], [None], name, fillcolor=color, **filled)
            self._add(  # an invisible trace, for the limits at the pointer
                times, limits[0], name, mode="none", customdata=limits.T, hovertemplate=written,
                marker={"color": color, "symbol": "square"}, showlegend=False, **group,
            )  # fmt: skip

    def bars(self, bars: Bars) -> None:
        look = {"color": _color(bars.color, 0.55), "line": {"color": "white", "width": 1}}
        self._add(
            (bars.x[:-1] + bars.x[1:]) / 2, bars.y, type="bar", width=np.diff(bars.x), marker=look,
            hovertemplate="%{y:.2f}<extra></extra>",
        )  # fmt: skip

    def areas(self, areas: Areas) -> None:
        x = self.times(areas.x)
        for share, label, shade in zip(areas.y.T, areas.labels, areas.colors, strict=True):
            color = _color(shade)
            self._add(
                x, share, label, mode="lines", stackgroup="shares", fillcolor=color,
                line={"width": 0, "shape": "hvh", "color": color},
                hovertemplate=f"%{{y:{self._format}}}",
            )  # fmt: skip

    def times(self, x: Positions) -> Any:
        """Return positions as plotly takes them."""
        dates = x.dtype.kind == "M"
        return self._picture.on_clocks(x).strftime("%Y-%m-%dT%H:%M:%S.%f") if dates else x

    def _add(self, x: Any, y: Any, name: str = "", **options: Any) -> None:
        silent = {} if "hovertemplate" in options else {"hoverinfo": "skip"}
        self.traces.append(
            {"zorder": 0, "showlegend": bool(name) and self._legend,
             "x": x, "y": y, "name": text(name),
             "legendrank": 1000 + len(self.traces), "type": "scatter", **silent, **options}
        )  # fmt: skip


def _outline(x: Sequence[object], limits: FloatArray) -> tuple[list[object], list[float | None]]:
    """Return the outline of a band, in stretches where it is missing."""
    known = np.ma.clump_unmasked(np.ma.masked_invalid(limits.sum(axis=0)))  # type: ignore[no-untyped-call]
    xs: list[object] = []
    ys: list[float | None] = []
    for part in known:
        xs += [*x[part], *reversed(x[part]), None]
        ys += [*limits[0, part].tolist(), *limits[1, part][::-1].tolist(), None]
    return xs[:-1], ys[:-1]
