"""Pictures as figures of plotly, which is imported when one is drawn.

Dates in a time zone are those of its clocks: where clocks are put back, lines step back too.
"""

import math
from collections.abc import Sequence
from html import escape
from importlib import import_module
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gpforecast.common.extras import missing_extra
from gpforecast.common.types import FloatArray
from gpforecast.plotting.ends import ends_of_periods
from gpforecast.plotting.picture import (
    INK,
    Areas,
    Bands,
    Bars,
    Level,
    Line,
    Picture,
    Upright,
)
from gpforecast.plotting.times import axis_name, holds_dates, on_clocks

if TYPE_CHECKING:
    from matplotlib.typing import ColorType
    from plotly.graph_objects import Figure

_PIXELS = 100  # per inch
_PER_POINT = 1.3  # pixels
_DASHES = {"-": "solid", "--": "dash", ":": "dot", "-.": "dashdot"}
_SHAPES = {
    "o": "circle", "s": "square", "D": "diamond", "^": "triangle-up", "v": "triangle-down",
}  # fmt: skip
_GRID = "#e5e5e5"
_GAP = 0.06  # between panels, as a share of the figure
# Buttons: the first sends data to the makers of plotly, the others select what nothing uses.
_REMOVED = ("sendChartToCloud", "select2d", "lasso2d")
_ROOM, _TIGHT = 100, 10_000  # the room beside what is drawn, as one part of so many
_DIGITS = 4  # of a value as large as what is drawn
_CUSTOM = f"%{{customdata:,.{_DIGITS}~g}}"  # of one that is not


def check_installed() -> None:
    """Say what to install if plotly is missing."""
    try:
        import_module("plotly.graph_objects")
    except ModuleNotFoundError as error:
        raise missing_extra("an interactive picture", "plotly", error) from None


def figure_of(pictures: Sequence[Picture]) -> "Figure":
    """Return a figure with pictures below one another, over one axis."""
    check_installed()
    from plotly.graph_objects import Figure

    traces: list[dict[str, Any]] = []
    height = sum(_PIXELS * picture.size[1] for picture in pictures)
    layout: dict[str, Any] = {
        "template": "none",
        "height": height,
        "margin": {"l": 64, "r": 16, "t": 56, "b": 48},
        "font": {"color": INK, "size": 12},
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "legend": {"orientation": "h", "x": 0, "y": 1.0 + 8 / height, "yanchor": "bottom"},
        "modebar": {"remove": list(_REMOVED)},
        "annotations": [],
        "shapes": [],
    }
    ends = _ends_of(pictures)
    each = (1.0 + _GAP) / len(pictures)
    for k, picture in enumerate(pictures):
        bottom = max(0.0, 1.0 - (k + 1) * each + _GAP)
        domain = [bottom, min(1.0, bottom + each - _GAP)]
        number = "" if k == 0 else str(k + 1)
        drawer = _Drawer(picture, number)
        for part in picture.parts:
            part.drawn_by(drawer)
        traces += sorted(drawer.traces, key=itemgetter("zorder"))
        last = k == len(pictures) - 1
        layout[f"xaxis{number}"] = _across(picture, number, last, ends)
        layout[f"yaxis{number}"] = _upwards(picture, number, domain)
        layout["annotations"] += _title(picture, domain)
        if picture.upright is not None:
            layout["shapes"].append(drawer.upright(picture.upright))
    for trace in traces:  # their order says what lies on what, and the rank what the legend lists
        del trace["zorder"]
    return Figure({"data": traces, "layout": layout})


def page_data(picture: Picture) -> str:
    """Return what plotly's JavaScript draws of a picture, as JSON; a page says how high it is."""
    figure = figure_of([picture])
    figure.update_layout(height=None)
    written: str = figure.to_json()
    return written


def plotly_code() -> str:
    """Return plotly's JavaScript, which the package brings along."""
    check_installed()
    from plotly.offline import get_plotlyjs

    code: str = get_plotlyjs()
    return code


def text(name: object) -> str:
    """Return a name as text for plotly, which else reads marks of HTML, formulas and templates.

    Examples
    --------
    >>> text("a <b> & US$")
    'a &lt;b&gt; &amp; US&#36;'
    """
    plain = escape(str(name), quote=False).replace("$", "&#36;")
    return plain.replace("%{", "%&#123;")


def _across(picture: Picture, number: str, last: bool, ends: list[Any]) -> dict[str, Any]:
    axis = {
        "anchor": f"y{number}",
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "linecolor": INK,
        "linewidth": 1,
        "ticks": "outside",
        "ticklen": 4,
        "showticklabels": last,
    }
    axis |= {"matches": "x"} if number else {}
    axis |= {"title": {"text": text(axis_name(picture.index))}} if last else {}
    if holds_dates(picture.index):
        axis |= {"type": "date", "hoverformat": _date_format(picture), **_ticks(picture)}
    return axis | {"range": ends}


def _ticks(picture: Picture) -> dict[str, str]:
    """Return ticks at the last days of months, quarters or years, if the times are those."""
    ends = ends_of_periods(picture.places(), picture.index)
    if ends is None:
        return {}
    written = "%Y" if ends.months == 12 else "%b %Y"
    return {"tick0": str(ends.first.date()), "dtick": f"M{ends.between}", "tickformat": written}


def _ends_of(pictures: Sequence[Picture]) -> list[Any]:
    """Return the limits of the axis: the first and the last position, with a little room."""
    first = pictures[0]
    x = np.concatenate([picture.places() for picture in pictures])
    ends = (x.min(), x.max()) if first.x_range is None else first.x_range
    room = (ends[1] - ends[0]) / (_TIGHT if first.tight or first.x_range else _ROOM)
    low, high = ends[0] - room, ends[1] + room
    if not holds_dates(first.index):
        return [float(low), float(high)]
    return [str(time) for time in on_clocks(np.array([low, high]), first.index)]


def _upwards(picture: Picture, number: str, domain: list[float]) -> dict[str, Any]:
    axis = {
        "anchor": f"x{number}",
        "domain": domain,
        "gridcolor": _GRID,
        "zeroline": False,
        "showline": True,
        "linecolor": INK,
        "linewidth": 1,
        "automargin": True,
        "title": {"text": text(picture.name)},
    }
    limits = picture.y_range or picture.around_constant()
    axis |= {"range": list(limits)} if limits else {}
    axis |= {"tickformat": ".0%" if picture.percent else ","}
    if picture.most is not None and not limits:
        axis |= {"autorangeoptions": {"maxallowed": picture.most}}
    return axis | ({"scaleanchor": f"x{number}"} if picture.square else {})


def _title(picture: Picture, domain: list[float]) -> list[dict[str, Any]]:
    if not picture.title:
        return []
    place = {"xref": "paper", "yref": "paper", "x": 0.5, "y": domain[1], "yanchor": "bottom"}
    return [{"text": text(picture.title), "showarrow": False, **place}]


def _date_format(picture: Picture) -> str:
    """Return how to tell a time: months and days without a clock, if all are whole."""
    times = on_clocks(picture.places(), picture.index)
    if (times != times.normalize()).any():
        return "%Y-%m-%d %H:%M:%S" if times.second.any() else "%Y-%m-%d %H:%M"
    return "%Y-%m" if len(times) > 1 and (times.day == 1).all() else "%Y-%m-%d"


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

    def __init__(self, picture: Picture, number: str) -> None:
        self.traces: list[dict[str, Any]] = []
        self._picture, self._format = picture, _number_format(picture)
        self._axes = {"xaxis": f"x{number}", "yaxis": f"y{number}", "type": "scatter"}
        self._legend = bool(picture.legend)
        self._number = number

    def line(self, line: Line) -> None:
        pen = {"color": _color(line.color, line.alpha), "width": _PER_POINT * line.width}
        pen["dash"] = _dash(line)
        if line.joint:
            self._add(line.x[: line.joint + 1], line.y[: line.joint + 1], line.label, mode="lines",
                      line=pen, zorder=line.order, showlegend=False)  # fmt: skip
        shown: dict[str, Any] = {"mode": "lines" if line.width else "none", "line": pen}
        if (marker := line.marker) is not None:
            sign = f"{_SHAPES[marker.shape]}{'-open' if marker.hollow else ''}"
            edge = {"color": _color(marker.edge or line.color), "width": marker.edge_width}
            size = _PER_POINT * marker.size
            both = {"mode": "lines+markers" if line.width else "markers"}
            look = {"symbol": sign, "size": size, "color": _color(line.color), "line": edge}
            shown |= {**both, "marker": look}
        if line.label:
            shown["hovertemplate"] = f"%{{y:{self._format}}}"
        if line.told is not None:
            shown |= {"customdata": line.told[line.joint :], "hovertemplate": _CUSTOM}
        self._add(
            line.x[line.joint :], line.y[line.joint :], line.label, zorder=line.order,
            cliponaxis=line.cut, **shown,
        )  # fmt: skip

    def bands(self, bands: Bands) -> None:
        group = f"bands {len(self.traces)}{self._number}"
        named = []
        for level, edges, alpha, tint in bands.tints():
            name, common = f"{level:g} %", {"legendgroup": f"{group} {level}", "zorder": 2}
            x, y = _outline(self._times(bands.x), edges)
            self._add(
                x, y, name, mode="lines", fill="toself", fillcolor=_color(bands.color, alpha),
                line={"width": 0}, showlegend=False, **common,
            )  # fmt: skip
            seen = _color(bands.color, tint)
            both = {**self._ends(bands, edges), "marker": {"color": seen, "symbol": "square"}}
            named.append({"name": name, "seen": seen, **both, **common})
        for one in reversed(named):
            seen = one.pop("seen")
            if self._legend and bands.named:
                self._add(
                    [None], [None], one["name"], mode="lines", fill="toself", fillcolor=seen,
                    line={"width": 0}, legendgroup=one["legendgroup"], showlegend=True,
                )  # fmt: skip
            self._add(one.pop("x"), one.pop("y"), showlegend=False, **one)

    def bars(self, bars: Bars) -> None:
        self._add(
            (bars.ends[:-1] + bars.ends[1:]) / 2, bars.heights, type="bar",
            width=np.diff(bars.ends),
            marker={"color": _color(bars.color, 0.55), "line": {"color": "white", "width": 1}},
            hovertemplate="%{y:.2f}<extra></extra>",
        )  # fmt: skip

    def areas(self, areas: Areas) -> None:
        for share, label, color in zip(areas.shares.T, areas.labels, areas.colors, strict=True):
            self._add(
                areas.x, share, label, mode="lines", stackgroup="shares", fillcolor=_color(color),
                line={"width": 0, "shape": "hvh", "color": _color(color)},
                hovertemplate=f"%{{y:{self._format}}}",
            )  # fmt: skip

    def level(self, level: Level) -> None:
        x = self._picture.places()
        pen = {"color": _color(level.color), "width": _PER_POINT * level.width}
        pen["dash"] = _dash(level)
        ends = x[[0, -1]]
        at = np.full(2, level.at)
        self._add(ends, at, level.label, mode="lines", line=pen, zorder=level.order)

    def upright(self, line: Upright) -> dict[str, Any]:
        """Return the upright line as a shape."""
        (at,) = self._times(np.array([line.at]))
        pen = {"color": _color(line.color), "width": _PER_POINT * line.width}
        place = {"xref": f"x{self._number}", "yref": f"y{self._number} domain", "y0": 0, "y1": 1}
        return {"type": "line", "x0": at, "x1": at, "line": pen, "layer": "below", **place}

    def _ends(self, bands: Bands, edges: FloatArray) -> dict[str, Any]:
        """Return the invisible trace that tells the limits where one points at them."""
        lower, upper = edges[:, bands.joint :]
        written = f"%{{customdata[0]:{self._format}}} to %{{customdata[1]:{self._format}}}"
        return {
            "x": bands.x[bands.joint :],
            "y": lower,
            "mode": "none",
            "customdata": np.stack([lower, upper], axis=1),
            "hovertemplate": written,
        }

    def _times(self, x: Any) -> Any:
        dates = isinstance(x, np.ndarray) and x.dtype.kind == "M"
        return on_clocks(x, self._picture.index).strftime("%Y-%m-%dT%H:%M:%S.%f") if dates else x

    def _add(self, x: Any, y: Any, name: str = "", **options: Any) -> None:
        named = {"showlegend": bool(name) and self._legend} | options
        if "hovertemplate" not in named:
            named["hoverinfo"] = "skip"
        named |= {"legendrank": 1000 + len(self.traces)}
        trace = {
            "zorder": 0,
            **self._axes,
            "x": self._times(x),
            "y": y,
            "name": text(name),
            **named,
        }
        self.traces.append(trace)


def _dash(line: Line | Level) -> str:
    if isinstance(line.dash, str):
        return _DASHES[line.dash]
    scale = _PER_POINT * line.width
    return ",".join(f"{scale * part:.3g}px" for part in line.dash[1])


def _outline(x: Sequence[object], edges: FloatArray) -> tuple[list[object], list[float | None]]:
    """Return the outline of a band, in pieces where it is missing."""
    known = np.isfinite(edges).all(axis=0)
    borders = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(int)))
    xs: list[object] = []
    ys: list[float | None] = []
    for start, end in borders.reshape(-1, 2):
        at = list(x[start:end])
        xs += [*at, *reversed(at), None]
        ys += [*edges[0, start:end].tolist(), *edges[1, start:end][::-1].tolist(), None]
    return xs[:-1], ys[:-1]
