"""Forecasts as users see them: printed, in a notebook, and drawn by matplotlib or plotly."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

import pandas as pd

from gpforecast.common.validation import one_of
from gpforecast.common.wording import shown_in_html

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from plotly.graph_objects import Figure

    from gpforecast.plotting.picture import Picture

_ROWS = 6  # that are shown: the first three and the last three


class Displayed(ABC):
    """A forecast with a table and notes.

    Attributes
    ----------
    index : Index (h,)
        The future times.
    notes : tuple of str
    """

    index: pd.Index
    notes: tuple[str, ...]

    @property
    def horizon(self) -> int:
        """How many steps are forecast."""
        return len(self.index)

    @property
    @abstractmethod
    def _caption(self) -> str:
        """What it is, in a line."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return a row for each step."""

    @property
    def _narrow(self) -> pd.DataFrame:
        """The table for a terminal."""
        return self.to_frame()

    def __repr__(self) -> str:
        """Show what it is in a line, and the first and last steps."""
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([self._caption, self._narrow.to_string(max_rows=_ROWS), *notes])

    def _repr_html_(self) -> str:
        """Show the same as a small table."""
        return shown_in_html(self._caption, self.to_frame(), self.notes, max_rows=_ROWS)


class Drawn(Displayed):
    """A forecast with a picture, which each library draws from one description."""

    @abstractmethod
    def _picture(self, **options: Any) -> "Picture":
        """Return the description that is drawn."""

    @overload
    def plot(
        self, *, ax: "Axes | None" = None, backend: Literal["matplotlib"] = ..., **options: Any
    ) -> "Axes": ...
    @overload
    def plot(self, *, backend: Literal["plotly"], **options: Any) -> "Figure": ...
    def plot(
        self,
        *,
        ax: "Axes | None" = None,
        backend: Literal["matplotlib", "plotly"] = "matplotlib",
        **options: Any,
    ) -> "Axes | Figure":
        """Draw a fan chart of history and forecast; of classes, their probabilities as areas.

        Parameters
        ----------
        ax : Axes, optional
            Where matplotlib draws; a new figure otherwise.
        backend : {"matplotlib", "plotly"}
            What draws. plotly is optional (``pip install plotly``); one can zoom into its figure,
            and read values and intervals where one points. Times in a zone are those of its clocks;
            in the hour in which they are put back, lines step back.
        **options
            Of `gpforecast.plotting.fan_chart`: history (36 draws the last 36 values), levels, ...;
            of classes those of `gpforecast.plotting.class_probabilities`: truth, n_history, colors.

        Returns
        -------
        Axes, or plotly.graph_objects.Figure
            The figure if `backend` is ``"plotly"``.

        Raises
        ------
        ImportError
            If plotly is not installed.
        ValueError
            If the backend is neither, or plotly shall draw on axes of matplotlib.
        """
        if not interactive(backend, ax, "ax"):
            from gpforecast.plotting.matplotlib_drawing import on_axes

            return on_axes(self._picture(ax=ax, **options))
        from gpforecast.plotting.plotly_drawing import figure_of

        return figure_of([self._picture(**options)])


def interactive(backend: str, given: object, name: str) -> bool:
    """Whether plotly shall draw; refuse what only matplotlib can draw on."""
    plotly = one_of(backend, "backend", ("matplotlib", "plotly")) == "plotly"
    if plotly and given is not None:
        raise ValueError(
            f'{name} must be left out if backend is "plotly", which makes a new figure; '
            f"got {type(given).__name__}."
        )
    return plotly


def side_by_side(
    each: "Iterable[pd.Series[float] | pd.DataFrame]", names: pd.Index
) -> pd.DataFrame:
    """Return the values or tables of series in columns, each below the name of its series."""
    found = pd.concat([*each], axis=1, keys=range(len(names)), sort=True)
    outer = names[found.columns.get_level_values(0)]
    if found.columns.nlevels == 1:
        return found.set_axis(outer, axis=1)
    columns = pd.MultiIndex.from_arrays([outer, found.columns.get_level_values(1)])
    return found.set_axis(columns, axis=1)
