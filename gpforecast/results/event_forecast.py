"""The result of a forecast of classes: their probabilities over the horizon, and joint paths."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from gpforecast import scores
from gpforecast.common.cached import cached_property
from gpforecast.common.kinds import is_series
from gpforecast.common.types import FloatArray, IntArray, Seed, SeriesLike, Values
from gpforecast.common.validation import counted, generator, how_many
from gpforecast.models.events.classes import Label, as_categorical
from gpforecast.results.display import Drawn
from gpforecast.series.frames import one_column
from gpforecast.series.labels import aligned

if TYPE_CHECKING:
    from gpforecast.plotting.picture import Picture


class ClassDistribution(Protocol):
    """The joint distribution of the classes of a horizon, from b origins."""

    @property
    def probabilities(self) -> FloatArray:
        """Of each class at each step, (b, h, C)."""

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Draw n paths of the places of classes from every origin, (b, h, n)."""


@dataclass(frozen=True, eq=False, repr=False)
class EventForecast(Drawn):
    """The classes of the next values of a series, with their probabilities.

    Attributes
    ----------
    distribution : ClassDistribution
        Of one origin.
    classes : tuple
        In their order.
    index : Index (h,)
        The future times.
    history : Series
        The states that the forecast continues, as ordered categories.
    propagation : str
        The method that made it; of ``"auto"`` also the one it chose, such as ``"auto: enumerate"``.
    notes : tuple of str
        What the user should know of the fit and the forecast.
    steps : ndarray of int or slice
        Which steps of the distribution the times are.

    Examples
    --------
    >>> import gpforecast as gf
    >>> busy = gf.datasets.load_sunspots() > 60
    >>> f = gf.EventForecaster(lags=9).fit(busy).predict(4)
    >>> f.probabilities.shape, f.probabilities.columns.tolist()
    ((4, 2), [False, True])
    >>> f.sample(3, seed=0).shape
    (4, 3)
    """

    distribution: ClassDistribution
    classes: tuple[Label, ...]
    index: pd.Index
    history: Values
    propagation: str
    notes: tuple[str, ...] = ()
    steps: IntArray | slice = field(default_factory=lambda: slice(None))

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """Of each class at each step, (h, C); every row has the sum 1."""
        columns = pd.Index(self.classes, name="class")
        return pd.DataFrame(self.distribution.probabilities[0, self.steps], self.index, columns)

    @property
    def most_likely(self) -> Values:
        """The most probable class of each step, (h,): each by itself, not the most probable path.

        Of equals it is the first.
        """
        places = self.probabilities.to_numpy().argmax(axis=1)
        return pd.Series(as_categorical(self.classes, places), self.index, name="most likely")

    def sample(self, n: int, *, seed: Seed = None) -> pd.DataFrame:
        """Draw whole futures, jointly over the horizon.

        Parameters
        ----------
        n : int
            How many. A Monte Carlo forecast draws from the paths it has: without repetition while
            they last, with repetition beyond.
        seed : int, Generator or None

        Returns
        -------
        DataFrame (h, n)
            Of ordered categories: a path a column. The share of the paths with some property, such
            as an event at any step, estimates its probability.
        """
        n = how_many(n, "n", each=len(self.index))
        paths = self.distribution.sample(n, generator(seed))[0, self.steps]
        columns = {i: as_categorical(self.classes, path) for i, path in enumerate(paths.T)}
        return pd.DataFrame(columns, self.index)

    def to_frame(self) -> pd.DataFrame:
        """Return the probability of each class, and before them ``most_likely``: (h, 1 + C)."""
        frame = self.probabilities.rename_axis(columns=None)
        frame.insert(0, "most_likely", self.most_likely)
        return frame

    def score(self, y_true: SeriesLike) -> "pd.Series[float]":
        """Return how good the forecast was, averaged over the steps whose class is known by now.

        Parameters
        ----------
        y_true : Series or array-like
            Labels of the first steps; of a Series those at the times of the forecast count, unless
            its index only counts rows from 0. Missing ones are left out.

        Returns
        -------
        Series
            ``log_score`` in nats, ``brier`` and ``ranked_probability`` (`gpforecast.scores`).

        Raises
        ------
        ValueError
            If it has no time in common with the forecast, more values than steps, or other classes.
        """
        labels = pd.Series(one_column(y_true, "y_true")).astype(object)
        rows = pd.Series(np.arange(float(len(labels))), labels.index).where(labels.notna())
        by_time = rows if is_series(y_true) else rows.to_numpy()
        steps, known = aligned(by_time, self.index, self.history.cat.codes.astype(float))
        given = labels.iloc[known.astype(np.int64)].to_numpy(), self.probabilities.iloc[steps]
        found: dict[str, float] = {
            "log_score": scores.log_score(*given, classes=self.classes),
            "brier": scores.brier(*given, classes=self.classes),
            "ranked_probability": scores.ranked_probability(*given, classes=self.classes),
        }
        return pd.Series(found, name=self.propagation, dtype=np.float64)

    def _picture(self, **options: Any) -> "Picture":
        from gpforecast.plotting import class_probabilities

        return class_probabilities.picture(self.probabilities, self.history, **options)

    @property
    def _caption(self) -> str:
        return (
            f"Forecast of {counted(self.horizon, 'step')} of {len(self.classes)} classes "
            f"({self.propagation})"
        )
