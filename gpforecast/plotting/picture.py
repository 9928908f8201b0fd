"""A picture as data: lines, bands, bars and areas over one axis, for any library to draw.

Positions along the axis are those of `gpforecast.plotting.times.positions`: numbers, or dates in
UTC. Widths and sizes are in points, and all texts are plain text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from gpforecast.common.types import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

INK = "#2b2b2b"
# Okabe & Ito's colours, which most colour-blind readers can distinguish.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
DASHES = (0, (4, 3))  # of reference lines
DARKEST = 0.5  # tint of the narrowest of several bands
BEYOND = "beyond the axis"  # begins the names of values that do not fit
_ROUNDING = 1e-6  # of its size: a series that varies less is constant
_HARDLY = 1e-3  # of the same: how far the forecast of a constant may stray from it
_AROUND = 0.1  # of the same: what is shown on both sides of a constant

Positions: TypeAlias = npt.NDArray[np.generic]
Shape: TypeAlias = Literal["o", "s", "D", "^", "v"]  # as in matplotlib
Dash: TypeAlias = str | tuple[int, tuple[float, ...]]  # as in matplotlib


class Drawer(Protocol):
    """What draws the parts of a picture: one for each library."""

    def line(self, line: "Line") -> None:
        """Draw a line."""

    def bands(self, bands: "Bands") -> None:
        """Draw nested bands."""

    def bars(self, bars: "Bars") -> None:
        """Draw bars."""

    def areas(self, areas: "Areas") -> None:
        """Draw stacked areas."""


class Part(Protocol):
    """A part of a picture."""

    @property
    def x(self) -> Positions:
        """Positions along the axis."""

    @property
    def y(self) -> FloatArray:
        """Values that the vertical axis must show, of any shape."""

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn."""


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
        Its name in the legend and at the pointer; "" if it is in neither.
    joint : int
        How many of the first values only join the line to another.
    actual : ndarray (n,), optional
        The values to show at the pointer, if not those that are drawn.
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
    clipped: bool = True  # at the edges of the axes
    actual: FloatArray | None = None

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as a line."""
        drawer.line(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bands:
    """Nested intervals, widest first, all in tints of one colour.

    Attributes
    ----------
    y : ndarray (k, 2, n)
        Lower and upper limits.
    levels : sequence of float (k,)
        In per cent.
    lightest : float
        The tint of the widest, between 0 and 1.
    named : bool
        Whether they are in the legend.
    joint : int
        How many of the first values only join them to a line.
    """

    x: Positions
    y: FloatArray
    levels: Sequence[float]
    color: "ColorType"
    lightest: float = 0.17
    named: bool = True
    joint: int = 0

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as bands."""
        drawer.bands(self)

    def tints(self) -> list[tuple[str, FloatArray, float, float]]:
        """Return name, limits, opacity and tint of each.

        The bands lie on one another: each adds what the wider ones lack of its own tint.
        """
        tints = np.linspace(self.lightest, DARKEST, len(self.levels))
        alphas = 1.0 - (1.0 - tints) / (1.0 - np.concatenate([[0.0], tints[:-1]]))
        names = [f"{level:g} %" for level in self.levels]
        return list(zip(names, self.y, alphas.tolist(), tints.tolist(), strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars:
    """A histogram."""

    x: FloatArray  # (n + 1,), the ends
    y: FloatArray  # (n,), the heights
    color: "ColorType"

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as bars."""
        drawer.bars(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Areas:
    """Shares that are stacked, each from halfway before its time to halfway after it."""

    x: Positions
    y: FloatArray  # (n, k)
    labels: Sequence[str]  # (k,)
    colors: "Sequence[ColorType]"  # (k,)

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as areas."""
        drawer.areas(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Upright:
    """A time that is marked by an upright line, up to the legend."""

    at: np.generic
    color: str = "0.6"
    width: float = 0.8
    order: int = 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Picture:
    """Parts over one axis.

    Attributes
    ----------
    parts : tuple of Part
        In the order of the legend; the series itself, if it is drawn, is the first.
    index : Index
        The values along the axis: dates, in a time zone or none, periods, time steps or numbers.
        Its name is that of the axis.
    name : str
        Of the axis of values.
    legend : {"above", "right", ""}
    upright : Upright, optional
    y_range : tuple of float, optional
        Limits of the axis of values, if they do not follow from the values.
    tight : bool
        Whether the axis ends with the values.
    square : bool
        Whether both axes have one scale.
    percent : bool
        Whether values are shares, shown in per cent at the pointer.
    size : tuple of float
        In inches, of a figure made for it.
    ax : Axes, optional
        Where matplotlib draws it; a new figure by default.
    """

    parts: tuple[Part, ...]
    index: pd.Index
    name: str = ""
    title: str = ""
    legend: Literal["above", "right", ""] = ""
    upright: Upright | None = None
    y_range: tuple[float, float] | None = None
    tight: bool = False
    square: bool = False
    percent: bool = False
    size: tuple[float, float] = (9.0, 4.0)
    ax: "Axes | None" = None

    def values(self) -> FloatArray:
        """Return all finite values of the vertical axis."""
        return _finite(*(part.y for part in self.parts))

    def places(self) -> Positions:
        """Return all positions along the axis, in order."""
        found = [part.x for part in self.parts if len(part.x)]
        return np.unique(np.concatenate(found)) if found else np.empty(0)

    def around_constant(self) -> tuple[float, float] | None:
        """Return limits around a constant, a tenth of its size away; None if something moves.

        Values that differ by rounding alone are constant, and so is a constant series with a
        forecast that hardly strays from it.
        """
        values, first = self.values(), _finite(*(part.y for part in self.parts[:1]))
        if not len(values):
            return None
        size = float(np.abs(values).max())
        constant = len(first) > 1 and np.ptp(first) <= _ROUNDING * size
        if constant and not first.any():  # the scale of a series of zeros is 1
            size = 1.0
        if np.ptp(values) > (_HARDLY if constant else _ROUNDING) * size:
            return None
        middle, half = float(values.mean()), _AROUND * (size or 1.0)
        return middle - half, middle + half


def _finite(*arrays: FloatArray) -> FloatArray:
    values = np.concatenate([np.empty(0), *map(np.ravel, arrays)])
    finite: FloatArray = values[np.isfinite(values)]
    return finite


def gaussian_bands(
    x: Positions,
    mean: FloatArray,
    std: FloatArray,
    *,
    level: float,
    color: str,
    lightest: float = 0.17,
) -> Bands:
    """Return the central interval of Gaussians, of a level in per cent."""
    if not 0.0 < level < 100.0:
        raise ValueError(f"level must lie between 0 and 100; got {level!r}.")
    half = float(scipy.special.ndtri(0.5 + level / 200.0)) * std
    limits = np.stack([mean - half, mean + half])[None]
    return Bands(x=x, y=limits, levels=[level], color=color, lightest=lightest)


def shown_name(name: object) -> str:
    """Return the name of a series as text, "" if it has none."""
    return "" if name is None else str(name)
