"""Linear images of a horizon: sums, changes, totals over the periods of a calendar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.results.steps import periods_of, with_neighbours

_F = TypeVar("_F")  # a forecast


def known_before(history: "pd.Series[float]", periods: int, h: int) -> FloatArray:
    """Return the observed value `periods` steps before each of h; 0 where that is forecast.

    Raises
    ------
    ValueError
        If it was not observed.
    """
    if len(history) < periods:
        raise ValueError(
            f"periods={periods} goes beyond the start of the history, which has "
            f"{counted(len(history), 'value')}; pass a smaller number."
        )
    past = np.asarray(history, dtype=np.float64)[len(history) - periods :]
    known: FloatArray = np.append(past, np.zeros(h))[:h]
    if np.isnan(known).any():
        raise ValueError(
            f"{int(np.isnan(known).sum())} of the {min(periods, h)} observed values that changes "
            f"start from, {counted(periods, 'step')} before, are missing; fill the gaps with "
            f"Forecaster.fill_missing() first."
        )
    return known


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
        n, values = len(history), history.to_numpy(dtype=np.float64)
        around, _ = with_neighbours(history.index.append(future))
        labels = periods_of(around, rule)
        of_past, of_future = labels[1 : n + 1], labels[n + 1 : -1]
        open_end = of_future[-1] == labels[-1]
        names = of_future.unique()
        kept = names[:-1] if open_end else names
        if len(kept) == 0:
            raise ValueError(
                f"the horizon of {len(future)} steps completes no period of {rule!r}; forecast "
                f"more steps, or resample to shorter periods."
            )
        begun, observed = (
            (np.asarray(of_steps) == np.asarray(kept)[:, None]).astype(np.float64)
            for of_steps in (of_past, of_future)
        )
        known = np.where(begun > 0.0, values, 0.0).sum(axis=1)
        if np.isnan(known).any():
            raise ValueError(
                f"values of the period {_without_midnight(kept[0])}, which the forecast completes, "
                f"are missing; fill the gaps with Forecaster.fill_missing() first."
            )
        grouped = history.groupby(np.asarray(of_past))
        total = grouped.sum().where(grouped.count() == grouped.size())
        past = pd.DataFrame({"sum": total, "count": grouped.size()}).set_axis(of_past.unique())
        complete = past.index < kept[0]
        complete[:1] &= labels[0] != labels[1]  # the first may have begun before the history did
        left = (
            f"the period {_without_midnight(names[-1])} is left out: the horizon does not complete "
            f"it"
        )
        counts = begun.sum(axis=1) + observed.sum(axis=1)
        notes = (left,) if open_end else ()
        return Periods(kept, observed, known, counts, past[complete], notes, image)

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


def _without_midnight(label: object) -> str:
    """Return a label without a time of day that is midnight."""
    return re.sub(r" 00:00:00.*$", "", str(label))
