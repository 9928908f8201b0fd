"""Totals and averages of a horizon over the periods of a calendar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray
from gpforecast.results.steps import Parts, observed_part, with_neighbours

_F = TypeVar("_F")  # a forecast
_STRADDLE = "steps that straddle two periods count in each by the share of their days that it holds"


@dataclass(frozen=True, eq=False)
class Periods(Generic[_F]):
    """The periods of a calendar that a horizon completes.

    Attributes
    ----------
    index : Index (k,)
        Their labels.
    member : ndarray (k, h)
        1 where a step lies in a period; of one that straddles two, the share of its days.
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
        history: "pd.Series[float]",
        future: pd.Index,
        rule: str,
        image: Callable[..., _F],
        label: str | None = None,
    ) -> "Periods[_F]":
        """Find the periods, see `Forecast.resample`."""
        n, h = len(history), len(future)
        around, before = with_neighbours(history.index, future, label)
        parts = Parts.of(around, rule)
        step, period, share = parts.step - before, parts.period, parts.share
        # A period that holds days before the first step, or after the last, is not complete.
        begun = period[step < 0].max(initial=-1)
        unended = period[step >= n + h].min(initial=len(parts.periods))
        ahead = period[(step >= n) & (step < n + h)]
        first, stop = max(ahead[0], begun + 1), min(ahead[-1] + 1, unended)
        names, notes = parts.periods[first:stop], list[str]()
        if ahead[0] < first:
            what = _named(parts.periods[ahead[0]])
            notes.append(f"the period {what} is left out: it began before the first value")
        if ahead[-1] >= stop:
            what = _named(parts.periods[ahead[-1]])
            notes.append(f"the period {what} is left out: the horizon does not complete it")
        if len(names) == 0:
            raise ValueError(
                f"the horizon of {len(future)} steps completes no period of {rule!r}; forecast "
                f"more steps, or resample to shorter periods."
            )
        inside = (period > begun) & (period < stop)
        if (share[inside] < 1.0).any():
            notes.append(_STRADDLE)
        member, own = np.zeros((len(names), n + h)), inside & (period >= first)
        member[period[own] - first, step[own]] = share[own]
        known = observed_part(member[:, :n], history, f"the period {_named(names[0])}")
        own = inside & (period < ahead[0])
        k, values = period[own] - begun - 1, history.to_numpy(dtype=np.float64)[step[own]]
        complete = parts.periods[begun + 1 : ahead[0]]
        sums = (np.bincount(k, each, len(complete)) for each in (share[own] * values, share[own]))
        past = pd.DataFrame(dict(zip(("sum", "count"), sums, strict=True)), complete)
        counts = member.sum(axis=1)
        return Periods(names, member[:, n:], known, counts, past, tuple(notes), image)

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
