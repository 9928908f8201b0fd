"""Images of a horizon: differences to the past, and totals over the periods of a calendar."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_dates, are_periods, has_dates
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.common.warnings import quietly
from gpforecast.series.time_axis import TimeAxis

_F = TypeVar("_F")  # a forecast


def change_matrix(h: int, periods: int) -> FloatArray:
    """Return the matrix (h, h) of y_k - y_(k - periods), without the values before the horizon."""
    return np.eye(h) - np.eye(h, k=-periods)


def known_before(history: "pd.Series[float]", periods: int, h: int) -> FloatArray:
    """Return the observed value `periods` steps before each of h; 0 where that is forecast.

    Raises
    ------
    ValueError
        If it was not observed.
    """
    reach = min(periods, h)
    if len(history) < periods:
        raise ValueError(
            f"periods={periods} goes beyond the start of the history, which has "
            f"{counted(len(history), 'value')}; pass a smaller number."
        )
    known = np.zeros(h)
    known[:reach] = history.to_numpy(dtype=np.float64)[len(history) - periods :][:reach]
    if np.isnan(known).any():
        raise ValueError(
            f"{int(np.isnan(known).sum())} of the {reach} observed values that changes start from, "
            f"{counted(periods, 'step')} before, are missing; fill the gaps with "
            f"Forecaster.fill_missing() first."
        )
    return known


def ratios_of(drawn: FloatArray, known: FloatArray) -> FloatArray:
    """Return the growth of draws (h, n) over as many steps as there are known values before them.

    Raises
    ------
    ValueError
        If they divide by values of either sign.
    """
    periods, (h, n) = len(known), drawn.shape
    ahead = drawn[: h - periods]
    if ahead.min() <= 0.0 <= ahead.max():
        raise ValueError(
            f"growth over {counted(periods, 'step')} divides by forecasts that are 0 or of either "
            f"sign, and such ratios have no mean; use change(), or a horizon of at most "
            f"{counted(periods, 'step')}."
        )
    return drawn / np.vstack([np.tile(known[:, None], n), ahead]) - 1.0


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
    past : Series
        Totals of the complete periods before, and their counts, as a frame.
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
        around, _ = with_neighbours(history.index.append(future))
        labels = _labels(around, rule)
        of_past, of_future = labels[1 : len(history) + 1], labels[len(history) + 1 : -1]
        open_end = of_future[-1] == labels[-1]
        names = of_future.unique()
        kept = names[:-1] if open_end else names
        if len(kept) == 0:
            raise ValueError(
                f"the horizon of {len(future)} steps completes no period of {rule!r}; forecast "
                f"more steps, or resample to shorter periods."
            )
        member = (np.asarray(of_future)[None, :] == np.asarray(kept)[:, None]).astype(np.float64)
        begins = np.asarray(of_past) == kept[0]
        begun = history.to_numpy(dtype=np.float64)[begins]
        if np.isnan(begun).any():
            raise ValueError(
                f"{counted(int(np.isnan(begun).sum()), 'value')} of the period {_said(kept[0])}, "
                f"which the forecast completes, are missing; fill the gaps with "
                f"Forecaster.fill_missing() first."
            )
        known = np.zeros(len(kept))
        known[0] = begun.sum()
        counts = member.sum(axis=1)
        counts[0] += len(begun)
        grouped = history.groupby(np.asarray(of_past))
        total = grouped.sum().where(grouped.count() == grouped.size())
        past = pd.DataFrame({"sum": total, "count": grouped.size()})
        past.index = of_past.unique()
        if labels[0] == labels[1]:  # the first began before the history did
            past = past.iloc[1:]
        past = past[past.index < kept[0]]
        left = f"the period {_said(names[-1])} is left out: the horizon does not complete it"
        return Periods(kept, member, known, counts, past, (left,) if open_end else (), image)

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


def with_neighbours(index: pd.Index) -> tuple[pd.Index, int]:
    """Return an index with a step more on either side, and how many come before it.

    Labels that are no times, such as those of sums with names, have no neighbours.
    """
    try:
        axis = TimeAxis.of(index)
    except (TypeError, ValueError):
        return index, 0
    first, second = axis.index[:2] if len(axis.index) > 1 else (index[0], axis.future(1)[0])
    freq = axis.index.freq if are_dates(axis.index) else None
    before = first - (second - first if freq is None else freq)
    return pd.Index([before]).append([axis.index, axis.future(1)]), 1


def _labels(index: pd.Index, rule: str) -> pd.Index:
    """Return the period that each time belongs to, labelled as pandas does."""
    if not has_dates(index):
        raise TypeError(
            f"resample needs an index of dates or periods; this one is a {type(index).__name__}. "
            f"Use linear() with a matrix that adds the steps you want."
        )
    if not isinstance(rule, str):
        raise TypeError(f"rule must be a pandas frequency such as 'YE' or 'QE'; got {rule!r}.")
    named = rule
    if are_periods(index):  # "YE", "QE-NOV" and "MS" of dates are "Y", "Q-NOV", "M"
        named = re.sub(r"^(\d*(?:Y|Q|M|BY|BQ|BM))[ES](?=-|$)", r"\1", rule)
    try:
        with quietly():  # pandas 2 warns that it would no longer resample periods; pandas 3 does
            counts = pd.Series(1, index).resample(named).sum()
    except ValueError as error:
        raise ValueError(
            f"rule must be a pandas frequency such as 'YE', 'QE' or 'W'; got {rule!r}."
        ) from error
    if not (counts > 0).all():  # NaN of periods in pandas 2
        raise ValueError(
            f"the periods of {rule!r} are shorter than the steps of the forecast; pass longer ones."
        )
    return counts.index.repeat(counts.to_numpy(dtype=np.int64))


def _said(label: object) -> str:
    """Return a label without a time of day that is midnight."""
    return re.sub(r" 00:00:00.*$", "", str(label))
