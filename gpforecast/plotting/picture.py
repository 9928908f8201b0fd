"""A picture as data: lines, bands, bars and areas over an axis of times, for any library to draw.

Positions along the axis are those of `positions`: numbers, or dates in UTC. Widths and
sizes are in points, and all texts are plain text.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from gpforecast.common.kinds import are_dates, are_periods, has_dates
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

INK = "#2b2b2b"
# Okabe & Ito's colours, which most colour-blind readers can distinguish.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_TINTS = 0.17, 0.5  # of the widest and of the narrowest of several bands
_LAST_DAYS = pd.Timedelta(days=4)  # the last working day of a month may be a Friday
_MOST = 9  # ticks
_STEPS = (1, 2, 3, 4, 6, 12, 24, 36, 60, 120, 240, 600)  # months between ticks

Positions: TypeAlias = npt.NDArray[np.generic]


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Part(ABC):
    """A part of a picture.

    Attributes
    ----------
    x : ndarray
        Positions along the axis.
    y : ndarray
        Values that the vertical axis must show, of any shape.
    """

    x: Positions
    y: FloatArray

    @abstractmethod
    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Marker:
    """A sign at each value: a circle, a square, a diamond or a triangle, named as in matplotlib."""

    shape: Literal["o", "s", "D", "^"] = "o"
    size: float = 2.4
    hollow: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Line(Part):
    """Values that are joined, or marked, or both.

    Attributes
    ----------
    label : str
        Its name in the legend and at the pointer; "" if it is in neither.
    """

    color: "ColorType"
    label: str = ""
    width: float = 1.5  # 0 if values are not joined
    dash: Literal["-", "--"] = "-"
    marker: Marker | None = None
    alpha: float | None = None
    order: int = 3

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as a line."""
        drawer.line(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Bands(Part):
    """Nested intervals, widest first, all in tints of one colour.

    Attributes
    ----------
    y : ndarray (k, 2, n)
        Lower and upper limits.
    levels : sequence of float (k,)
        In per cent.
    named : bool
        Whether they are in the legend.
    """

    levels: Sequence[float]
    color: "ColorType"
    named: bool = True

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as bands."""
        drawer.bands(self)

    def tints(self) -> list[tuple[str, FloatArray, float, float]]:
        """Return name, limits, opacity and tint of each.

        The bands lie on one another: each adds what the wider ones lack of its tint.
        """
        tints = np.linspace(*_TINTS, len(self.levels))
        alphas = 1.0 - (1.0 - tints) / (1.0 - np.concatenate([[0.0], tints[:-1]]))
        names = [f"{level:g} %" for level in self.levels]
        return list(zip(names, self.y, alphas.tolist(), tints.tolist(), strict=True))


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars(Part):
    """A histogram."""

    x: FloatArray  # (n + 1,), the ends; y (n,) are the heights
    color: "ColorType"

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as bars."""
        drawer.bars(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Areas(Part):
    """Shares that are stacked, each from halfway before its time to halfway after it."""

    # y is (n, k)
    labels: Sequence[str]  # (k,)
    colors: "Sequence[ColorType]"  # (k,)

    def drawn_by(self, drawer: Drawer) -> None:
        """Be drawn as areas."""
        drawer.areas(self)


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
    origin : time, optional
        Marked by an upright line: the last observed time of a forecast.
    y_range : tuple of float, optional
        Limits of the axis of values, if they do not follow from the values.
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
    legend: Literal["above", "right", ""] = ""
    origin: np.generic | None = None
    y_range: tuple[float, float] | None = None
    percent: bool = False
    size: tuple[float, float] = (9.0, 4.0)
    ax: "Axes | None" = None

    def values(self) -> FloatArray:
        """Return all finite values of the vertical axis."""
        values = np.concatenate([np.empty(0), *(part.y.ravel() for part in self.parts)])
        return np.asarray(values[np.isfinite(values)])

    def places(self) -> Positions:
        """Return all positions along the axis, in order."""
        return np.unique(np.concatenate([part.x for part in self.parts if len(part.x)]))

    @property
    def zone(self) -> tzinfo | None:
        """The time zone of the index, if it has one."""
        return zone_of(self.index)

    @property
    def axis_name(self) -> str:
        """What the axis is called: nothing, if its dates speak for themselves."""
        name = "time" if self.index.name is None else str(self.index.name)
        if has_dates(self.index):
            return f"{name} ({self.zone})" if self.zone else ""
        return f"{name} (seconds)" if self.index.inferred_type == "timedelta64" else name

    def on_clocks(self, x: Positions) -> pd.DatetimeIndex:
        """Return positions as times of the clocks of the zone of the index."""
        return pd.DatetimeIndex(x).tz_localize("UTC").tz_convert(self.zone).tz_localize(None)

    def ticks_at_ends(self) -> tuple[Positions, list[str]] | None:
        """Return ticks for the last days of months, quarters or years, None for other times.

        The usual tick of 2024 is at the first of January, one day after the value of 2023 where
        years are labelled by their last days: the ticks of such series are where its values are.

        Examples
        --------
        >>> index = pd.date_range("2020-03-31", periods=4, freq="QE")
        >>> line = Line(x=positions(index), y=np.arange(4.0), color="black")
        >>> Picture(parts=(line,), index=index).ticks_at_ends()[1]
        ['2020', 'Jun', 'Sep', 'Dec']
        """
        places = self.places()
        if not has_dates(self.index) or len(places) <= 2:
            return None
        times = self.on_clocks(places)
        month = 12 * times.year.to_numpy() + times.month.to_numpy() - 1
        at_ends = (times == times.normalize()) & (times.month != (times + _LAST_DAYS).month)
        if not at_ends.all() or len(np.unique(month)) < len(month):
            return None
        period = next(n for n in (12, 3, 1) if len(np.unique(month % n)) == 1)
        steps = [n for n in _STEPS if n % period == 0]
        step = next((n for n in steps if np.ptp(month) <= n * (_MOST - 1)), steps[-1])
        shown = month % step == month[0] % period
        texts = [f"{time:%Y}" if time.month <= period else f"{time:%b}" for time in times[shown]]
        return places[shown], texts


def gaussian_bands(
    x: Positions, mean: FloatArray, std: FloatArray, *, level: float, color: str
) -> Bands:
    """Return the central interval of Gaussians, of a level."""
    level = percent(level)
    half = float(scipy.special.ndtri(0.5 + level / 200.0)) * std
    limits = np.stack([mean - half, mean + half])[None]
    return Bands(x=x, y=limits, levels=[level], color=color)


def shown_name(name: object) -> str:
    """Return the name of a series as text, "" if it has none."""
    return "" if name is None else str(name)


def positions(index: pd.Index) -> FloatArray | npt.NDArray[np.datetime64]:
    """Return an index as it is drawn: dates in UTC, or numbers; time steps in seconds."""
    if index.inferred_type == "timedelta64":
        return pd.TimedeltaIndex(index).total_seconds().to_numpy()
    if not has_dates(index):
        return index.to_numpy(dtype=np.float64)
    dates = index.to_timestamp() if are_periods(index) else index
    return pd.to_datetime(dates, utc=True).tz_localize(None).to_numpy()


def zone_of(index: pd.Index) -> tzinfo | None:
    """Return the time zone of an index, if it has one."""
    return index.tz if are_dates(index) else None
