"""The result of a forecast of several series: their joint distribution over the horizon."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from gpforecast.common.cached import cached_property
from gpforecast.common.kinds import is_frame
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, Seed
from gpforecast.common.validation import check_distinct_columns, counted, finite_array, shown
from gpforecast.results.conditions import ByStep, Condition, conditions_on
from gpforecast.results.display import Displayed, interactive, side_by_side
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.results.functionals import N_FUTURES
from gpforecast.series.frames import as_pandas
from gpforecast.series.labels import aligned

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from plotly.graph_objects import Figure


@dataclass(frozen=True, eq=False, repr=False)
class VectorForecast(Displayed):
    """The joint distribution of the next values of several series.

    ``f["name"]`` is the forecast of one of them, with all that a `Forecast` has.

    Attributes
    ----------
    distribution : Distribution
        Of all values together, (h M,): those of a time one after the other, in the order of the
        columns.
    index : Index (h,)
        The future times.
    history : DataFrame (n, M)
        The observations that the forecast continues.
    propagation : str
        The method that made it.
    notes : tuple of str
    trajectory : DataFrame (h, M) or None
        The plug-in paths: each mean is used as if it had been observed.
    label : {"start", "end"} or None
        Where dates stand in their steps, as of `Forecaster`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal(80)
    >>> frame = pd.DataFrame({"x": x, "y": 0.9 * np.roll(x, 1) + 0.2 * rng.standard_normal(80)})
    >>> f = gf.VectorForecaster(lags=1).fit(frame[1:]).predict(3)
    >>> f.names, f.mean.shape, f["y"].interval(0.9).shape
    (('x', 'y'), (3, 2), (3, 2))
    >>> known = f.given({"x": {80: 2.0}})
    >>> bool(known["y"].mean[81] > 1.0), bool(known["y"].std[81] < f["y"].std[81])
    (True, True)
    """

    distribution: Distribution
    index: pd.Index
    history: pd.DataFrame
    propagation: str
    notes: tuple[str, ...] = ()
    trajectory: pd.DataFrame | None = None
    label: str | None = None

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The columns, in their order."""
        return tuple(self.history.columns)

    @property
    def labels(self) -> pd.MultiIndex:
        """Time and column of each value of the distribution, (h M,)."""
        m, time = len(self.names), "time" if self.index.name is None else self.index.name
        each = [self.index.repeat(m), self._columns[np.tile(np.arange(m), self.horizon)]]
        return pd.MultiIndex.from_arrays(each, names=[time, "column"])

    def __getitem__(self, name: Hashable) -> Forecast:
        """Return the forecast of one column."""
        joint, path = self.distribution.over(self._steps(name)), self.trajectory
        own = None if path is None else path[name].rename("trajectory")
        given = self.index, self.history[name], self.propagation, self.notes, own
        return Forecast(joint, *given, label=self.label)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Refuse what it does not have; what a `Forecast` has, its columns and totals have."""
            message = f"a {type(self).__name__} has no attribute {name!r}"
            if hasattr(Forecast, name):
                message += f"; a column, f[{self.names[0]!r}], and their sum, f.total(), have it"
            raise AttributeError(message, name=name, obj=self)

    @cached_property
    def mean(self) -> pd.DataFrame:
        """Expected values, in the units of each series, (h, M)."""
        return self._frame(self.distribution.mean)

    @property
    def std(self) -> pd.DataFrame:
        """Standard deviations of each future observation, (h, M)."""
        return self._frame(np.sqrt(self.distribution.var))

    @property
    def median(self) -> pd.DataFrame:
        """Median of each future observation, (h, M)."""
        return self._frame(self.distribution.quantile([0.5])[:, 0])

    @property
    def covariance(self) -> pd.DataFrame:
        """Joint covariance of the observations of all columns, noise included, (h M, h M)."""
        return self._flat.covariance

    def quantile(self, q: float | Sequence[float]) -> pd.DataFrame:
        """Return quantiles of each future observation.

        Parameters
        ----------
        q : float or sequence of float
            Probabilities strictly between 0 and 1.

        Returns
        -------
        DataFrame (h, M)
            With a second level of columns, the probabilities, if there are several.
        """
        return self._by_column(lambda one: one.quantile(q))

    def interval(self, level: float | Sequence[float] = 0.95) -> pd.DataFrame:
        """Return the central intervals that hold each observation with probability `level`.

        Returns
        -------
        DataFrame (h, 2 M)
            Columns ``lower`` and ``upper`` below the name of each series.
        """
        return self._by_column(lambda one: one.interval(level))

    def to_frame(self, levels: float | Sequence[float] = (80, 95)) -> pd.DataFrame:
        """Return mean and intervals of each column, as `Forecast.to_frame` does."""
        return self._by_column(lambda one: one.to_frame(levels))

    def sample(self, n: int, *, seed: Seed = None) -> pd.DataFrame:
        """Draw whole futures, jointly over the horizon and the columns.

        Parameters
        ----------
        n : int
        seed : int, Generator or None

        Returns
        -------
        DataFrame (h M, n)
            On times and columns; ``drawn[k].unstack()`` is one future.
        """
        return self._flat.sample(n, seed=seed)

    def linear(self, A: ArrayLike, *, index: pd.Index | None = None) -> Forecast:
        """Return the joint distribution of k weighted sums of all values.

        Parameters
        ----------
        A : array-like (k, h M)
            A row of weights for each sum, in the order of `labels`.
        index : Index (k,), optional
            Their labels; 0, 1, ... by default.
        """
        return self._flat.linear(A, index=index)

    def combine(self, weights: Mapping[Hashable, float]) -> Forecast:
        """Return the forecast of a weighted sum of the columns, at each time.

        Parameters
        ----------
        weights : mapping from name to number
            Columns that are not named have none.

        Returns
        -------
        Forecast
            On the same index; its history is the same sum of the histories. Mean and covariance
            are exact, the correlations of the columns included.

        ``f.combine({"exports": 1, "imports": -1})`` is the balance of trade.
        """
        row = np.zeros(len(self.names))
        row[[*map(self._place, weights)]] = finite_array([*weights.values()], "weights", ndim=1)
        if not row.any():
            raise ValueError(f"weights must give at least one column a weight; got {weights}.")
        used = row != 0.0
        past = self.history.to_numpy()[:, used] @ row[used]
        found = self.linear(np.kron(np.eye(self.horizon), row), index=self.index)
        return replace(found, history=pd.Series(past, self.history.index, name="combination"))

    def total(self) -> Forecast:
        """Return the forecast of the sum of all columns, at each time."""
        return self.combine(dict.fromkeys(self.names, 1.0))

    def given(
        self,
        values: "Mapping[Hashable, ByStep] | pd.DataFrame | None" = None,
        *,
        total: Mapping[Hashable, Mapping[Hashable, Condition]] | None = None,
        n: int = N_FUTURES,
        seed: Seed = 0,
    ) -> "VectorForecast":
        """Return the forecast given values, ranges or totals of some of the columns.

        Parameters
        ----------
        values : mapping from name to mapping, or DataFrame
            For each column that something is known of, values or ranges of its steps as for
            `Forecast.given`: ``{"gdp": {"2009Q1": 3.1}, "unemp": {"2009Q1": (8, None)}}``. Of a
            DataFrame, NaN is not given.
        total : mapping from name to mapping, optional
            Sums, or ranges of sums, of all steps of a column that a label names, as for
            `Forecast.given`: ``{"gdp": {"2009": 12.4}}``. Steps of the history count.
        n : int
            Draws that must fulfil ranges, if there are any.
        seed : int, Generator or None

        Returns
        -------
        VectorForecast
            Of all columns: a condition on one changes the others, too.
        """
        columns = {name: (self.history[name], self._steps(name)) for name in self.names}
        singles = self._by_name({} if values is None else values, "values")
        totals = self._by_name({} if total is None else total, "total")
        conditions = conditions_on(singles, totals, self.index, columns, self.label)
        found = self._flat._given(conditions, n, seed)
        return replace(self, distribution=found.distribution, notes=found.notes, trajectory=None)

    def score(self, y_true: pd.DataFrame) -> pd.DataFrame:
        """Return how good the forecast was, a row for each column that came true.

        Parameters
        ----------
        y_true : DataFrame
            On (part of) the future index; columns of the forecast, all or some.

        Returns
        -------
        DataFrame
            As `Forecast.score`.
        """
        truth = self._truth(y_true, "y_true")
        return pd.DataFrame({name: self[name].score(came) for name, came in truth.items()}).T

    def logpdf(self, y_true: pd.DataFrame) -> float:
        """Return the joint log density of all values that came true, in nats.

        Parameters
        ----------
        y_true : DataFrame
            As for `score`; what is missing (NaN) is left out.
        """
        came = np.full((self.horizon, len(self.names)), np.nan)
        for name, values in self._truth(y_true, "y_true").items():
            if pd.notna(values).any():
                steps, own = aligned(values, self.index, self.history[name])
                came[steps, self._place(name)] = own
        return self._flat.logpdf(came.ravel())

    def plot(
        self,
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
            The values that were observed.
        n_history, **options
            As for `gpforecast.plotting.fan_chart`.
        axes : ndarray of Axes (M,), optional
            Where matplotlib draws; a new figure otherwise.
        backend : {"matplotlib", "plotly"}
            What draws; plotly is optional: ``pip install plotly``.

        Returns
        -------
        ndarray of Axes (M,), or plotly.graph_objects.Figure
            The figure if `backend` is ``"plotly"``.
        """
        from gpforecast.plotting.forecasts import panel_pictures
        from gpforecast.plotting.matplotlib_drawing import on_panels

        each = {str(name): self[name] for name in self.names}
        given = {} if truth is None else self._truth(truth, "truth")
        came = {str(name): values for name, values in given.items()}
        pictures = panel_pictures(each, truth=came, n_history=n_history, **options)
        if not interactive(backend, axes, "axes"):
            return on_panels(pictures, axes)
        from gpforecast.plotting.plotly_drawing import figure_of

        return figure_of(pictures)

    def plot_correlations(
        self, step: Hashable | None = None, *, ax: "Axes | None" = None
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

    @property
    def _narrow(self) -> pd.DataFrame:
        return self.to_frame((95,))

    @property
    def _caption(self) -> str:
        return (
            f"Forecast of {counted(self.horizon, 'step')} of {len(self.names)} series "
            f"({self.propagation})"
        )

    def _by_column(
        self, what: "Callable[[Forecast], pd.Series[float] | pd.DataFrame]"
    ) -> pd.DataFrame:
        return side_by_side((what(self[name]) for name in self._columns), self._columns)

    def _frame(self, values: FloatArray) -> pd.DataFrame:
        return pd.DataFrame(values.reshape(self.horizon, -1), self.index, self._columns)

    @property
    def _columns(self) -> pd.Index:
        return pd.Index(self.names, tupleize_cols=False)

    @property
    def _flat(self) -> Forecast:
        """All values, one after the other as the steps of one series."""
        labels, path = self.labels, self.trajectory
        flat = None if path is None else pd.Series(path.to_numpy().ravel(), labels)
        none = pd.Series(np.zeros(0), index=labels[:0])
        return Forecast(self.distribution, labels, none, self.propagation, self.notes, flat)

    def _truth(self, truth: object, what: str) -> "dict[Hashable, pd.Series[float]]":
        if not is_frame(as_pandas(truth, what)):
            raise TypeError(
                f"{what} must be a DataFrame with columns of the forecast; got {shown(truth)}."
            )
        return self._by_name(truth, what)

    def _by_name(self, given: object, what: str) -> "dict[Hashable, pd.Series[float]]":
        """Return what is given of each column, whose name is one; of conditions also mappings."""
        by_name = as_pandas(given, what)
        if is_frame(by_name):
            check_distinct_columns(by_name, what)
        elif not isinstance(by_name, Mapping):
            raise TypeError(
                f"{what} must be by columns, such as {{{self.names[0]!r}: {{label: 1.5}}}}; got "
                f"{shown(given)}."
            )
        found = dict(by_name.items())
        for name in found:
            self._place(name)
        return found

    def _place(self, name: Hashable) -> int:
        if name not in self.names:
            raise KeyError(f"the forecast has the columns {list(self.names)}; got {name!r}.")
        return self.names.index(name)

    def _steps(self, name: Hashable) -> IntArray:
        m = len(self.names)
        return np.arange(self._place(name), self.horizon * m, m)
