"""Totals and averages of a horizon over the periods of a calendar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.results.steps import observed_part, periods_of, with_neighbours

_F = TypeVar("_F")  # a forecast


@dataclass(frozen=True, eq=False)
class Periods(Generic[_F]):
    """The periods of a calendar that a horizon completes.

    Attributes
    ----------
    index : Index (k,)
        Their labels.
    member : ndarray (k, h)
        1 where a step lies in a period.
    known : ndarray (k,)
        Totals of the observed values in them.
    counts : ndarray (k,)
        Values in each, observed and forecast.
    past : DataFrame
        Totals of the complete periods before, and their counts.
    """

    index: pd.Index
    member: FloatArray
    known: FloatArray
    counts: FloatArray
    past: pd.DataFrame
    notes: tuple[str, ...]
    image: Callable[..., _F]

    @staticmethod
    def of(
        history: "pd.Series[float]", future: pd.Index, rule: str, image: Callable[..., _F]
    ) -> "Periods[_F]":
        """Find the periods, see `Forecast.resample`."""
        n = len(history)
        around, _ = with_neighbours(history.index.append(future))
        labels = periods_of(around, rule)
        of_past, names = labels[1 : n + 1], labels[n + 1 : -1].unique()
        notes: tuple[str, ...] = ()
        if names[-1] == labels[-1]:
            notes = (
                f"the period {_named(names[-1])} is left out: the horizon does not complete it",
            )
            names = names[:-1]
        if len(names) == 0:
            raise ValueError(
                f"the horizon of {len(future)} steps completes no period of {rule!r}; forecast "
                f"more steps, or resample to shorter periods."
            )
        member = (np.asarray(labels[1:-1]) == np.asarray(names)[:, None]).astype(np.float64)
        known = observed_part(member[:, :n], history, f"the period {_named(names[0])}")
        grouped = history.groupby(np.asarray(of_past))
        total = grouped.sum().where(grouped.count() == grouped.size())
        past = pd.DataFrame({"sum": total, "count": grouped.size()}).set_axis(of_past.unique())
        complete = past.index < names[0]
        complete[:1] &= labels[0] != labels[1]  # the first may have begun before the history did
        counts = member.sum(axis=1)
        return Periods(names, member[:, n:], known, counts, past[complete], notes, image)

    def sum(self) -> _F:
        """Return the joint distribution of their totals.

        Returns
        -------
        Forecast
            Mean and covariance are exact. Its history holds the totals of the complete periods
            before, NaN where a value is missing.
        """
        return self.image(self.member, self.known, self.index, self.past["sum"], self.notes)

    def mean(self) -> _F:
        """Return the joint distribution of their averages, as `sum` does."""
        shares = self.member / self.counts[:, None]
        past = self.past["sum"] / self.past["count"]
        return self.image(shares, self.known / self.counts, self.index, past, self.notes)


def _named(period: object) -> str:
    return re.sub(r" 00:00:00.*$", "", str(period))
