"""What a forecast is made of: its components, and the sources of its variance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import pandas as pd
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted, interval_level
from gpforecast.common.wording import shown_in_html
from gpforecast.results.display import interactive

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from plotly.graph_objects import Figure as PlotlyFigure

_ROWS = 10  # of a table in a notebook


class Explains(Protocol):
    """How a distribution over h steps came about, computed on demand."""

    def components(self) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
        """Return the components of the mean, and their standard deviations, (h,) each."""

    def variance_parts(self) -> dict[str, FloatArray]:
        """Return the parts of the variance, (h,) each."""


@dataclass(frozen=True, eq=False)
class Components:
    """The mean of a forecast, split into trend, season, inputs and memory.

    Attributes
    ----------
    mean : DataFrame (h, k)
        A column for each component, in the units of the series. Rows add up to the mean of the
        forecast.
    std : DataFrame (h, k)
        How uncertain each of them is, in the units of the series. The components depend on each
        other: variances do not add up to that of the forecast.
    name : str or None
        Of the series.
    """

    mean: pd.DataFrame
    std: pd.DataFrame
    name: str | None = None

    @property
    def total(self) -> "pd.Series[float]":
        """The mean of the forecast, (h,)."""
        return self.mean.sum(axis=1).rename("mean")

    def interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return central intervals, as if each component were Gaussian.

        Parameters
        ----------
        level : float
            A fraction such as 0.95; 95 is the same.

        Returns
        -------
        DataFrame (h, 2 k)
            Columns are pairs of a component and ``"lower"`` or ``"upper"``.
        """
        half = scipy.special.ndtri(0.5 + 0.5 * interval_level(level)) * self.std
        both = {"lower": self.mean - half, "upper": self.mean + half}
        return pd.concat(both, axis=1).swaplevel(axis=1)[self.mean.columns]

    def plot(
        self,
        *,
        figure: "Figure | None" = None,
        level: float = 0.95,
        backend: Literal["matplotlib", "plotly"] = "matplotlib",
    ) -> "Figure | PlotlyFigure":
        """Draw them below one another, as `gpforecast.plotting.components` does.

        With ``backend="plotly"`` it is a figure of plotly, and `figure` must be left out.
        """
        if not interactive(backend, figure, "figure"):
            from gpforecast.plotting import components

            return components(self, figure=figure, level=level)
        from gpforecast.plotting.components import component_pictures
        from gpforecast.plotting.plotly_drawing import figure_of

        return figure_of(component_pictures(self, level=level))

    def __repr__(self) -> str:
        """Show the first and last rows."""
        return f"{self._caption}\n{self.mean}"

    def _repr_html_(self) -> str:
        """Show the same as a table."""
        return shown_in_html(self._caption, self.mean, max_rows=_ROWS)

    @property
    def _caption(self) -> str:
        return f"Components of the mean of {counted(len(self.mean), 'step')}"
