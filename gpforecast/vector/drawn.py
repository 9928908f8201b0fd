"""Pictures of the forecast of several series."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.validation import check_distinct_columns
from gpforecast.results.distribution import Distribution
from gpforecast.results.drawn import interactive
from gpforecast.results.forecast import Forecast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from plotly.graph_objects import Figure


class OfColumns(Protocol):
    """What is drawn of a forecast of several series."""

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Of the columns, (M,)."""

    @property
    def index(self) -> pd.Index:
        """The future times, (h,)."""

    @property
    def horizon(self) -> int:
        """H."""

    @property
    def distribution(self) -> Distribution:
        """Of all values together."""

    def __getitem__(self, name: Hashable, /) -> Forecast:
        """Return the forecast of a column."""


class DrawnTogether:
    """A result with a panel for each column."""

    @overload
    def plot(
        self: OfColumns,
        *,
        truth: pd.DataFrame | None = None,
        n_history: int | None = None,
        axes: "npt.NDArray[np.object_] | None" = None,
        backend: Literal["matplotlib"] = ...,
        **options: Any,
    ) -> "npt.NDArray[np.object_]": ...
    @overload
    def plot(
        self: OfColumns,
        *,
        truth: pd.DataFrame | None = None,
        n_history: int | None = None,
        backend: Literal["plotly"],
        **options: Any,
    ) -> "Figure": ...
    def plot(
        self: OfColumns,
        *,
        truth: pd.DataFrame | None = None,
        n_history: int | None = None,
        axes: "npt.NDArray[np.object_] | None" = None,
        backend: Literal["matplotlib", "plotly"] = "matplotlib",
        **options: Any,
    ) -> "npt.NDArray[np.object_] | Figure":
        """Draw a fan chart for each column, one below the other.

        Parameters
        ----------
        truth : DataFrame, optional
            What came.
        n_history, **options
            As for `gpforecast.plotting.fan_chart`.
        axes : ndarray of Axes (M,), optional
            Where matplotlib draws; a new figure otherwise.
        backend : {"matplotlib", "plotly"}
            What draws; plotly is the extra ``[plotly]``.

        Returns
        -------
        ndarray of Axes (M,), or plotly.graph_objects.Figure
            The figure if `backend` is ``"plotly"``.
        """
        each = {str(name): self[name] for name in self.names}
        plotly = interactive(backend, axes, "axes")
        if truth is not None:
            check_distinct_columns(truth, "truth")
        came = None if truth is None else {str(name): truth[name] for name in truth.columns}
        if not plotly:
            from gpforecast.plotting import fan_panels

            return fan_panels(each, truth=came, axes=axes, n_history=n_history, **options)
        from gpforecast.plotting.plotly_drawing import figure_of
        from gpforecast.plotting.vector import panel_pictures

        return figure_of(panel_pictures(each, truth=came, n_history=n_history, **options))

    def plot_correlations(
        self: OfColumns, step: Hashable | None = None, *, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw how the columns' errors at each two steps are correlated.

        Parameters
        ----------
        step : label, optional
            One time, whose columns alone are drawn; by default all, column by column.
        ax : Axes, optional

        Returns
        -------
        Axes
        """
        from gpforecast.plotting import cross_correlations

        m, each = len(self.names), np.arange(self.horizon)
        where = each if step is None else np.atleast_1d(each[self.index.get_loc(step)])
        order = (where * m + np.arange(m)[:, None]).ravel()
        S = self.distribution.covariance[np.ix_(order, order)]
        return cross_correlations(S, [str(name) for name in self.names], ax=ax)
