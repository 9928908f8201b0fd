"""A picture as data: lines, bands, bars and areas over one axis, for any library to draw.

Positions along the axis are those of `gpforecast.plotting.times.positions`: numbers, or dates in
UTC. Widths and sizes are in points, and all texts are plain text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.typing import ColorType

INK = "#2b2b2b"
# Okabe & Ito's colours, which most colour-blind readers can distinguish.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = (0, (4, 3))  # of lines that say what should be
DARKEST = 0.5  # tint of the narrowest of several bands
BEYOND = "beyond the axis"  # begins the names of values that do not fit
_ROUNDING = 1e-6  # of the largest value: a series that varies less is constant
_HARDLY = 1e-3  # of the same: how far the forecast of a constant may stray from it

Positions: TypeAlias = npt.NDArray[np.generic]
Shape: TypeAlias = Literal["o", "s", "D", "^", "v"]  # as matplotlib has it, too
Dash: TypeAlias = str | tuple[int, tuple[float, ...]]  # as matplotlib has it


class Drawer(Protocol):
    """What draws the parts of a picture."""

    def line(self, line: "Line") -> None:
        """Draw a line."""

    def bands(self, bands: "Bands") -> None:
        """Draw nested bands."""

    def bars(self, bars: "Bars") -> None:
        """Draw bars."""

    def areas(self, areas: "Areas") -> None:
        """Draw stacked areas."""

    def level(self, level: "Level") -> None:
        """Draw a line across."""


class Part(Protocol):
    """A part of a picture."""

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn."""

    def values(self) -> FloatArray:
        """Return what the vertical axis must show, of any shape."""

    def places(self) -> Positions:
        """Return its positions along the axis."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Marker:
    """A sign at each value: a circle, a square, a diamond, or a triangle that points up or down."""

    shape: Shape = "o"
    size: float = 2.4
    hollow: bool = False
    edge: str | None = None  # a colour, if not that of the line
    edge_width: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Line:
    """Values that are joined, or marked, or both.

    Attributes
    ----------
    label : str
        What it is called where one points at it, and in the legend; "" if it is not.
    joint : int
        How many of the first values only join the line to another.
    told : ndarray (n,), optional
        What is told where one points at it, if not the values as they are drawn.
    """

    x: Positions
    y: FloatArray
    color: "ColorType"
    label: str = ""
    width: float = 1.5  # 0 if values are not joined
    dash: Dash = "-"
    marker: Marker | None = None
    alpha: float | None = None
    order: int = 3
    joint: int = 0
    cut: bool = True  # at the edges of the axes
    told: FloatArray | None = None

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as a line."""
        drawer.line(self)

    def values(self) -> FloatArray:
        """Return the values."""
        return self.y

    def places(self) -> Positions:
        """Return its positions."""
        return self.x


@dataclass(frozen=True, eq=False, kw_only=True)
class Bands:
    """Intervals by level in per cent, widest first, all in tints of one colour.

    Attributes
    ----------
    edges : mapping from float to ndarray (2, n)
        Lower and upper limits.
    lightest : float
        The tint of the widest, between 0 and 1.
    named : bool
        Whether they are in the legend.
    joint : int
        How many of the first values only join them to a line.
    """

    x: Positions
    edges: Mapping[float, FloatArray]
    color: "ColorType"
    lightest: float = 0.17
    named: bool = True
    joint: int = 0

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as bands."""
        drawer.bands(self)

    def values(self) -> FloatArray:
        """Return the limits."""
        return np.concatenate([np.ravel(edges) for edges in self.edges.values()] or [np.empty(0)])

    def places(self) -> Positions:
        """Return its positions."""
        return self.x

    def tints(self) -> "list[tuple[float, FloatArray, float, float]]":
        """Return level, limits, opacity and tint of each.

        The bands lie on one another: each adds what the wider ones lack of its own tint.
        """
        found, tint = [], 0.0
        targets = np.linspace(self.lightest, DARKEST, len(self.edges)).tolist()
        for (level, edges), target in zip(self.edges.items(), targets, strict=True):
            found.append((level, edges, 1 - (1 - target) / (1 - tint), target))
            tint = target
        return found


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars:
    """A histogram."""

    ends: FloatArray  # (n + 1,)
    heights: FloatArray  # (n,)
    color: "ColorType"

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as bars."""
        drawer.bars(self)

    def values(self) -> FloatArray:
        """Return the heights."""
        return self.heights

    def places(self) -> Positions:
        """Return its positions."""
        return self.ends


@dataclass(frozen=True, eq=False, kw_only=True)
class Areas:
    """Shares that are stacked, each from halfway before its time to halfway after it."""

    x: Positions
    shares: FloatArray  # (n, k)
    labels: Sequence[str]  # (k,)
    colors: "Sequence[ColorType]"  # (k,)

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as areas."""
        drawer.areas(self)

    def values(self) -> FloatArray:
        """Return their sums."""
        total: FloatArray = self.shares.sum(axis=1)
        return total

    def places(self) -> Positions:
        """Return its positions."""
        return self.x


@dataclass(frozen=True, eq=False, kw_only=True)
class Level:
    """A value that is marked by a line across."""

    at: float
    color: "ColorType"
    label: str = ""
    width: float = 0.9
    dash: Dash = "-"
    order: int = 2

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as a line across."""
        drawer.level(self)

    def values(self) -> FloatArray:
        """Return the value."""
        return np.array([self.at])

    def places(self) -> Positions:
        """Return its positions."""
        return np.empty(0)


@dataclass(frozen=True, eq=False, kw_only=True)
class Upright:
    """A time that is marked by an upright line, up to the legend."""

    at: np.generic
    color: str
    width: float
    order: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """Parts over one axis.

    Attributes
    ----------
    parts : tuple of Part
        In the order of the legend.
    index : Index
        What the axis shows: dates, in a time zone or none, periods, time steps or numbers. Its name
        is that of the axis.
    name : str
        Of the axis of values.
    legend : {"above", "right", ""}
    upright : Upright, optional
    x_range, y_range : tuple of float, optional
        Limits of the axes, if not those of the values.
    most : float, optional
        The largest value that there can be: the axis has no ticks above it.
    tight : bool
        Whether the axis ends with the values.
    whole : bool
        Whether the axis has ticks at whole numbers only.
    square : bool
        Whether both axes have one scale.
    percent : bool
        Whether values are shares, which are told in per cent.
    size : tuple of float
        In inches, of a figure of its own.
    """

    parts: tuple[Part, ...]
    index: pd.Index
    name: str = ""
    title: str = ""
    legend: Literal["above", "right", ""] = ""
    upright: Upright | None = None
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    most: float | None = None
    tight: bool = False
    whole: bool = False
    square: bool = False
    percent: bool = False
    size: tuple[float, float] = (9.0, 4.0)

    def values(self) -> FloatArray:
        """Return all finite values of the vertical axis."""
        found = np.concatenate([np.ravel(part.values()) for part in self.parts] or [np.empty(0)])
        finite: FloatArray = found[np.isfinite(found)]
        return finite

    def places(self) -> Positions:
        """Return all positions along the axis, in order."""
        found = [places for part in self.parts if len(places := part.places())]
        return np.unique(np.concatenate(found)) if found else np.empty(0)

    def around_constant(self) -> tuple[float, float] | None:
        """Return what to show where nothing moves, a tenth of its size; None where something does.

        Values that differ by rounding alone do not move; nor does a constant series with a
        forecast that hardly strays from it.
        """
        values, first = self.values(), self._earliest()
        if not len(values):
            return None
        size, constant = float(np.abs(values).max()), np.ptp(first) if len(first) > 1 else np.inf
        zeros = len(first) > 1 and not first.any()  # the scale of a series of zeros is 1
        still = _HARDLY if constant <= _ROUNDING * size else _ROUNDING
        if np.ptp(values) > (still if zeros else still * size):
            return None
        around, middle = 1.0 if zeros else 0.1 * size or 1.0, float(values.mean())
        return middle - around, middle + around

    def _earliest(self) -> FloatArray:
        """Return the finite values of the line that begins first: of the series, beside others."""
        lines = [part for part in self.parts if isinstance(part, Line) and len(part.x)]
        if not lines:
            return np.empty(0)
        values = min(lines, key=lambda line: line.x[0]).values()
        return values[np.isfinite(values)]
