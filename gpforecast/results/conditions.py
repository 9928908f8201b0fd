"""Conditions on the steps of a forecast, and the distribution given them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.kinds import are_periods, has_dates
from gpforecast.common.types import BoolArray, FloatArray, IntArray, Seed
from gpforecast.common.validation import generator, is_number
from gpforecast.common.validation import shown as briefly
from gpforecast.results.distribution import Distribution, NoClosedFormError
from gpforecast.results.images import with_neighbours
from gpforecast.results.warped import Paths
from gpforecast.series.labels import time_at

Condition: TypeAlias = float | tuple[float | None, float | None]
ByStep: TypeAlias = "Mapping[Hashable, Condition] | pd.Series[float]"

_EDGES = -np.inf, np.inf
_DRAWN_AT_ONCE = 20_000
_MOST_DRAWS = 2_000_000
_NEAR = 0.05  # standard deviations of a total, as near as draws must be to one that is given
_MOVED = "the drawn futures were moved onto the values that are given"
_FEWEST = 100  # draws that fulfil all ranges


@dataclass(frozen=True, eq=False)
class Conditions:
    """Values and ranges of weighted sums of the steps.

    Attributes
    ----------
    B : ndarray (m, h)
        A row of weights for each sum.
    low, high : ndarray (m,)
        Its bounds; equal where its value is given.
    """

    B: FloatArray
    low: FloatArray
    high: FloatArray

    @staticmethod
    def of(
        values: "Mapping[Hashable, ByStep | None]",
        total: "Mapping[Hashable, ByStep | None]",
        index: pd.Index,
        history: "Mapping[Hashable, pd.Series[float]]",
        places: Mapping[Hashable, IntArray],
    ) -> "Conditions":
        """Read conditions on single steps and on totals of several, of one or more columns.

        Parameters
        ----------
        values, total : mapping from column to mapping from label to number or range
            See `Forecast.given`; NaN is not given.
        index : Index (h,)
            The future times.
        history : mapping from column to Series
        places : mapping from column to ndarray (h,)
            Where its steps are in the joint distribution.
        """
        rows, n = [], sum(map(len, places.values()))
        for name in dict.fromkeys([*values, *total]):
            steps = _Steps.of(index, history[name])
            for single, given in ((True, values.get(name)), (False, total.get(name))):
                for label, value in _items(given, index):
                    weights, low, high = steps.condition(label, value, single=single)
                    row = np.zeros(n)
                    row[places[name]] = weights
                    rows.append((row, low, high))
        if not rows:
            raise ValueError(f"nothing is given; pass {_examples(index)}.")
        B, low_bounds, high_bounds = zip(*rows, strict=True)
        return Conditions(np.array(B), np.array(low_bounds), np.array(high_bounds))

    def applied(self, to: Distribution, n: int, seed: Seed) -> tuple[Distribution, str]:
        """Return the distribution given all of them, and a note on draws.

        Values are given in closed form. Ranges are fulfilled by draws, of which those outside are
        rejected.

        Raises
        ------
        ValueError
            If it has no closed form, or too few draws fulfil the ranges.
        """
        sure = self._certain(to)
        if sure.any():
            rest = Conditions(self.B[~sure], self.low[~sure], self.high[~sure])
            return (to, "") if sure.all() else rest.applied(to, n, seed)
        exact = self.low == self.high
        single = exact & ((self.B != 0.0).sum(axis=1) == 1)
        try:
            if exact.any():
                to, _ = to.given(self.B[exact], self.low[exact])
        except NoClosedFormError:
            if single.any():
                to, _ = to.given(self.B[single], self.low[single])
            return self._near(single, to, n, seed)
        moved = _MOVED if exact.any() and to.paths is not None else ""
        if exact.all():
            return to, moved
        loose = Conditions(self.B[~exact], self.low[~exact], self.high[~exact])
        return loose._rejected(to, n, seed, given=bool(exact.any()))

    def _certain(self, to: Distribution) -> BoolArray:
        """Return which conditions on single steps hold for certain, as those of closed times."""
        step, single = self.B.argmax(axis=1), (self.B != 0.0).sum(axis=1) == 1
        if not single.any():
            return np.zeros(len(step), dtype=bool)
        value, sure = to.mean[step], to.var[step] == 0.0
        return np.asarray(single & sure & (self.low <= value) & (value <= self.high))

    def _near(
        self, single: BoolArray, to: Distribution, n: int, seed: Seed
    ) -> tuple[Distribution, str]:
        """Return draws with totals near those that are given, moved onto them."""
        B, low, high = self.B[~single], self.low[~single], self.high[~single]
        total = low == high
        width = _NEAR * np.sqrt(to.linear(B).var) * total
        near = Conditions(B, low - width, high + width)
        drawn, _ = near._rejected(to, n, seed, given=bool(single.any()))
        note = f"the forecast consists of {drawn.paths.shape[1]} drawn futures"
        apart = total & (np.ptp(B @ drawn.paths, axis=1) > 0.0)  # those of counts may all hit it
        if not apart.any():
            return drawn, f"{note} in which all that is given comes true"
        found, _ = drawn.given(B[apart], low[apart])
        return found, (
            f"{note} whose totals came within {_NEAR:g} standard deviations of those given, and "
            f"were moved onto them"
        )

    def _rejected(self, to: Distribution, n: int, seed: Seed, *, given: bool) -> tuple[Paths, str]:
        """Return the draws that lie within all ranges; `given` says if there were values."""
        B, low, high = self.B, self.low[:, None], self.high[:, None]
        rng, kept, drawn, have = generator(seed), [], 0, 0
        while have < n and drawn < _MOST_DRAWS:
            paths = to.paths if to.paths is not None else to.sample(_DRAWN_AT_ONCE, rng)
            sums = B @ paths
            inside = ((sums >= low) & (sums <= high)).all(axis=0)
            kept.append(paths[:, inside])
            drawn, have = drawn + paths.shape[1], have + int(inside.sum())
            at_most = (have + 3.0 * np.sqrt(have) + 5.0) / drawn * _MOST_DRAWS
            if to.paths is not None or (drawn >= 5 * _DRAWN_AT_ONCE and at_most < _FEWEST):
                break
        found = np.concatenate(kept, axis=1)[:, :n]
        if have < min(_FEWEST, n):
            instead = "" if to.paths is None else ", a smaller n=, or forecast more paths"
            raise ValueError(
                f"the conditions hold in only {have} of {drawn} drawn futures, too few for a "
                f"forecast; give wider ranges{instead}."
            )
        shrunk = np.minimum(found.var(axis=1) / np.maximum(to.var, np.finfo(float).tiny), 1.0)
        before = " (once the values are given)" if given else ""
        note = (
            f"the ranges that are given have a probability of {have / drawn:.2g}{before}; the "
            f"forecast consists of {found.shape[1]} drawn futures within them"
        )
        return Paths.of(found, to.latent_var * shrunk), note


@dataclass(frozen=True, eq=False)
class _Steps:
    """Observed and future steps, by their labels.

    Attributes
    ----------
    index : Index
        Of all of them, with a step more on either side where labels are times.
    before : int
        How many of its labels come before the history.
    known : ndarray (n,)
        The observed values.
    h : int
    """

    index: pd.Index
    before: int
    known: FloatArray
    h: int

    @staticmethod
    def of(index: pd.Index, history: "pd.Series[float]") -> "_Steps":
        whole, before = with_neighbours(history.index.append(index))
        known = np.asarray(history, dtype=np.float64)
        return _Steps(whole, before, known, len(index))

    def condition(
        self, label: Hashable, value: Condition, *, single: bool
    ) -> tuple[FloatArray, float, float]:
        """Return weights (h,) and the bounds of their sum."""
        n, named = len(self.known), repr(label)
        places = _places(self.index, label) - self.before
        ahead = places[places >= n] - n
        start, first, last = (
            named_step(self.index, self.before + k) for k in (0, n, n + self.h - 1)
        )
        if not len(ahead):
            raise ValueError(
                f"{named} has no step of the forecast, which goes from {first} to {last}; name "
                f"steps of it."
            )
        if single and len(places) != 1:
            raise ValueError(
                f"{named} covers several steps, and a value is of one, such as {first}; for their "
                f"sum pass total={{{named}: ...}}."
            )
        if places[0] < 0 or places[-1] >= n + self.h:
            raise ValueError(
                f"the total of {named} needs steps before the first that is known, {start}, or "
                f"after the last of the forecast, {last}; name steps between, or forecast more."
            )
        observed = self.known[places[places < n]]
        if np.isnan(observed).any():
            raise ValueError(
                f"the total of {named} needs past values that are missing; fill them with "
                f"Forecaster.fill_missing() first."
            )
        row = np.zeros(self.h)
        row[ahead] = 1.0
        low, high = _bounds(label, value)
        return row, low - observed.sum(), high - observed.sum()


def _items(given: "ByStep | None", index: pd.Index) -> list[tuple[Hashable, Condition]]:
    """Return conditions by the labels of their steps, without those that are NaN."""
    try:
        every = [] if given is None else [*given.items()]
    except AttributeError:
        raise TypeError(
            f"conditions must be by the labels of steps: pass {_examples(index)}; got "
            f"{briefly(given)}."
        ) from None
    return [(label, value) for label, value in every if not pd.isna(value)]


def _examples(index: pd.Index) -> str:
    """Return examples of conditions on a step and on all steps."""
    first, last = named_step(index, 0), named_step(index, -1)
    return (
        f"values of steps, such as {{{first}: 1.5}}, or sums of several, such as "
        f"total={{({first}, {last}): 9.5}}"
    )


def _places(index: pd.Index, label: Hashable) -> IntArray:
    """Return the positions that a label names: a step, a period such as "2026Q1", or a pair."""
    start, end = index, index
    try:
        first, last = label if isinstance(label, tuple) else (label, label)
        if are_periods(index):
            start, end = index.start_time, index.end_time
        if has_dates(index):
            first, last = _span(first, index)[0], _span(last, index)[1]
        return np.flatnonzero((start >= first) & (end <= last))
    except (KeyError, TypeError, ValueError):
        return np.zeros(0, dtype=np.int64)


def _span(label: Hashable, index: pd.DatetimeIndex | pd.PeriodIndex) -> pd.DatetimeIndex:
    """Return the first and the last instant of a time, or of a part of a date."""
    zone = None if are_periods(index) else index.tz
    try:
        period = pd.Period(label)  # type: ignore[arg-type]
    except ValueError:  # a time, which has no length
        if not are_periods(index):
            return pd.DatetimeIndex([label, label])
        period = pd.Period(label, index.freq)  # type: ignore[arg-type]
    return pd.DatetimeIndex([period.start_time, period.end_time]).tz_localize(zone)


def _bounds(label: Hashable, value: Condition) -> tuple[float, float]:
    """Return the bounds of a condition, equal for a value."""
    pair: tuple[float | None, ...] = value if isinstance(value, tuple) else (value, value)
    if len(pair) == 2 and all(v is None or is_number(v) for v in pair):
        low, high = (edge if v is None else float(v) for edge, v in zip(_EDGES, pair, strict=True))
        if low < high or (np.isfinite(low) and low == high):
            return low, high
    raise ValueError(
        f"{label!r} must have a finite number, or a range such as (10, 20), "
        f"(10, None) for at least 10 and (None, 20) for at most 20; got {briefly(value)}."
    )


def named_step(index: pd.Index, at: int) -> str:
    """Return the label of a step as one may write it, such as '2024-01'."""
    label, text = index[at], time_at(index, at)
    if is_number(label):
        return str(label)
    named = _places(index, text).tolist() == [at % len(index)]
    return repr(text) if named else f"pd.{label!r}"
