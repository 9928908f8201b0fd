"""Forecasts that add up."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.cached import cached_property
from gpforecast.common.types import Seed
from gpforecast.common.validation import how_many
from gpforecast.panel.frames import stacked
from gpforecast.reconciliation.hierarchy import Hierarchy
from gpforecast.results.display import side_by_side
from gpforecast.results.distribution import Distribution
from gpforecast.results.forecast import Forecast
from gpforecast.results.vector_forecast import VectorForecast


@dataclass(frozen=True, eq=False)
class Reconciled(Mapping[Hashable, Forecast]):
    """Coherent forecasts of all series of a hierarchy: a mapping from names to forecasts.

    Attributes
    ----------
    hierarchy : Hierarchy
    base : mapping from name to Forecast
        The forecasts that were reconciled.
    distribution : Distribution
        Of the m bottom series over h steps together, m h values series by series: a `Gaussian`, or
        `Paths` where a forecast was none. All else are sums of it.
    correlation : DataFrame (n, n)
        Of the one-step errors of the series, as it was estimated; identity where nothing was known.
    shrinkage : float
        The weight of independence in it, from 0 to 1; 0 if a covariance was given.
    incoherence : float
        The squared differences between the forecast totals and the sums of their parts, over their
        expectation; about 1 if the covariance is right.
    notes : tuple of str
        What concerns all series.
    labels : tuple of str
        The names of the columns of series and times in tables.
    wide : bool
        Whether `to_frame` has columns for each series, as the panel that was reconciled.

    Examples
    --------
    >>> import gpforecast as gf
    >>> t = np.arange(60)
    >>> parts = {"north": 5.0 + np.sin(t / 3), "south": 9.0 + np.cos(t / 4)}
    >>> table = pd.DataFrame(parts | {"all": parts["north"] + parts["south"]})
    >>> fc = {name: gf.Forecaster(lags=3).fit(y).predict(4) for name, y in table.items()}
    >>> found = gf.reconcile(fc, {"all": ["north", "south"]})
    >>> bool(np.allclose(found["all"].mean, found["north"].mean + found["south"].mean))
    True
    """

    hierarchy: Hierarchy
    base: Mapping[Hashable, Forecast]
    distribution: Distribution
    correlation: pd.DataFrame
    shrinkage: float
    incoherence: float
    notes: tuple[str, ...] = ()
    labels: tuple[str, str] = ("unique_id", "ds")
    wide: bool = False

    @property
    def index(self) -> pd.Index:
        """The future times, (h,)."""
        return self.base[self.hierarchy.names[0]].index

    @cached_property
    def joint(self) -> VectorForecast:
        """The joint forecast of all series, which may be conditioned, scored and combined."""
        (n, m), h = self.hierarchy.matrix.shape, len(self.index)
        A = np.einsum("ij,kl->kijl", self.hierarchy.matrix, np.eye(h)).reshape(h * n, m * h)
        past = {name: self.base[name].history for name in self}
        history = pd.concat(past, axis=1).set_axis(pd.Index([*past], tupleize_cols=False), axis=1)
        found = self.distribution.linear(A)
        label = self.base[self.hierarchy.names[0]].label
        return VectorForecast(found, self.index, history, "reconciled", self.notes, label=label)

    @property
    def mean(self) -> pd.DataFrame:
        """Expected values, (h, n)."""
        means = self.hierarchy.matrix @ self.distribution.mean.reshape(-1, len(self.index))
        return pd.DataFrame(means.T, self.index, pd.Index([*self], tupleize_cols=False))

    def __getitem__(self, name: Hashable) -> Forecast:
        """Return the forecast of one series."""
        if name not in self.hierarchy.names:
            raise KeyError(f"{name!r} is no series of the hierarchy; there are {list(self)}.")
        row, h = self.hierarchy.matrix[self.hierarchy.names.index(name)], len(self.index)
        parts, base = np.flatnonzero(row), self.base[name]
        own = self.distribution.over((parts[:, None] * h + np.arange(h)).ravel())
        return Forecast(
            own.linear(np.kron(row[parts], np.eye(h))),
            self.index,
            base.history,
            f"{base.propagation}, reconciled",
            (*base.notes, *self.notes),
            label=base.label,
        )

    def __iter__(self) -> Iterator[Hashable]:
        """Yield the names, the totals first."""
        return iter(self.hierarchy.names)

    def __len__(self) -> int:
        """Return the number of series."""
        return len(self.hierarchy.names)

    def sample(self, n: int, *, seed: Seed = None) -> pd.DataFrame:
        """Draw whole futures of all series together; in each of them totals are sums.

        Parameters
        ----------
        n : int
            How many.
        seed : int, Generator or None

        Returns
        -------
        DataFrame (series and steps, n)
            Its index has the levels series and time.
        """
        n = how_many(n, "n")
        drawn = self.distribution.sample(n, np.random.default_rng(seed))
        totals = np.kron(self.hierarchy.matrix, np.eye(len(self.index))) @ drawn
        index = pd.MultiIndex.from_product([self.hierarchy.names, self.index], names=self.labels)
        return pd.DataFrame(totals, index)

    def to_frame(self, levels: Iterable[float] = (80, 95)) -> pd.DataFrame:
        """Return all forecasts as one table, with the columns of `Forecast.to_frame`.

        Parameters
        ----------
        levels : sequence of float
            In percent.

        Returns
        -------
        DataFrame
            One row for each series and future time; of a wide panel one row for each time, and
            these columns below the name of each series.
        """
        percents = list(levels)
        tables = [forecast.to_frame(percents) for forecast in self.values()]
        id_, time = self.labels
        names = pd.Index([*self], name=None if self.wide else id_, tupleize_cols=False)
        return side_by_side(tables, names) if self.wide else stacked(tables, names, time)

    def __repr__(self) -> str:
        """Say how many series of how many levels there are, and show the notes."""
        tree, h = self.hierarchy, len(self.index)
        head = (
            f"Reconciled: {len(tree.names)} series ({tree.n_totals} totals), {h} steps, "
            f"shrinkage {self.shrinkage:.2g}"
        )
        return "\n".join([head, *(f"note: {note}" for note in self.notes)])
