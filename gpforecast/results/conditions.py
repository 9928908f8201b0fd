"""Conditions on the steps of a forecast, and the distribution given them."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import astuple, dataclass
from datetime import date, timedelta
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import BoolArray, FloatArray, IntArray, Seed
from gpforecast.common.validation import generator, is_number
from gpforecast.common.validation import shown as briefly
from gpforecast.results.distribution import Distribution, NoClosedFormError
from gpforecast.results.images import with_neighbours
from gpforecast.results.warped import Paths
from gpforecast.series.labels import has_dates, time_at

Wanted: TypeAlias = float | tuple[float | None, float | None]
ByColumn: TypeAlias = (
    "Mapping[Hashable, Mapping[Hashable, Wanted] | pd.Series[float]] | pd.DataFrame"
)

_EDGES = -np.inf, np.inf
_DRAWN_AT_ONCE = 20_000
_MOST_DRAWS = 2_000_000
_NEAR = 0.05  # standard deviations of a total, as near as draws must be to one that is given
_MOVED = "the drawn futures were moved onto the values that are given"
_FEWEST = 100  # draws that fulfil all ranges


@dataclass(frozen=True, eq=False)
class Conditions:
    """What is asked of weighted sums of the steps.

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
        values: "Mapping[Hashable, Wanted] | pd.Series[float] | None",
        total: Mapping[Hashable, Wanted] | None,
        index: pd.Index,
        history: "pd.Series[float]",
    ) -> "Conditions":
        """Read conditions on single steps and on totals of several; see `Forecast.given`."""
        h, n_past = len(index), len(history)
        whole, before = with_neighbours(history.index.append(index))
        known = history.to_numpy(dtype=np.float64)
        rows, low, high = [], [], []
        for name, wanted, single in (("values", values, True), ("total", total, False)):
            if not (wanted is None or isinstance(wanted, Mapping | pd.Series)):
                raise TypeError(_unlabelled(name, wanted, index, single=single))
            for label, value in () if wanted is None else wanted.items():
                said = _as_written(label)
                places = _places(whole, label) - before
                ahead = places[places >= n_past] - n_past
                first, last = named_step(index, 0), named_step(index, -1)
                if not len(ahead):
                    raise ValueError(
                        f"{said} has no step of the forecast, which goes from {first} to "
                        f"{last}; name steps of it."
                    )
                if single and len(places) != 1:
                    raise ValueError(
                        f"{said} covers several steps, and a value is of one, such as {first}; "
                        f"for their sum pass total={{{said}: ...}}."
                    )
                if places[0] < 0:
                    raise ValueError(
                        f"the total of {said} needs values before the first known one, "
                        f"{named_step(history.index, 0)}; name steps from there on."
                    )
                if places[-1] >= n_past + h:
                    raise ValueError(
                        f"the total of {said} needs steps after the last of the forecast, "
                        f"{last}; forecast more steps, or name fewer."
                    )
                seen = known[places[places < n_past]]
                if np.isnan(seen).any():
                    raise ValueError(
                        f"the total of {said} needs past values that are missing; fill them "
                        f"with Forecaster.fill_missing() first."
                    )
                row = np.zeros(h)
                row[ahead] = 1.0
                bounds = _bounds(label, value)
                rows.append(row)
                low.append(bounds[0] - seen.sum())
                high.append(bounds[1] - seen.sum())
        if not rows:
            first, last = named_step(index, 0), named_step(index, -1)
            raise ValueError(
                f"nothing is given; pass values of steps, such as {{{first}: 1.5}}, or sums of "
                f"several, such as total={{({first}, {last}): 9.5}}."
            )
        return Conditions(np.array(rows).reshape(-1, h), np.array(low), np.array(high))

    @staticmethod
    def of_columns(
        values: "ByColumn | None",
        total: Mapping[Hashable, Mapping[Hashable, Wanted]] | None,
        index: pd.Index,
        history: pd.DataFrame,
        steps_of: Callable[[Hashable], IntArray],
    ) -> "Conditions":
        """Read conditions on several columns; see `VectorForecast.given`.

        `steps_of` returns the places of a column's steps in the joint distribution.
        """
        column, first, last = history.columns[0], named_step(index, 0), named_step(index, -1)
        examples = (
            f"values of steps, such as {{{column!r}: {{{first}: 1.5}}}}, or sums of several, such "
            f"as total={{{column!r}: {{({first}, {last}): 9.5}}}}"
        )
        for argument, given in (("values", values), ("total", total)):
            if not (given is None or isinstance(given, Mapping | pd.DataFrame)):
                raise TypeError(f"{argument} must name columns; pass {examples}; got {given!r}.")
        singles = {} if values is None else dict(values.items())
        totals = {} if total is None else dict(total)
        every: list[Conditions] = []
        for name in dict.fromkeys([*singles, *totals]):
            steps, own = steps_of(name), singles.get(name, {})
            own = own.dropna() if isinstance(own, pd.Series) else own
            if len(own) or name in totals:
                found = Conditions.of(own, totals.get(name), index, history[name])
                wide = np.zeros((len(found.B), history.shape[1] * len(index)))
                wide[:, steps] = found.B
                every.append(Conditions(wide, found.low, found.high))
        if not every:
            raise ValueError(f"nothing is given; pass {examples}.")
        return Conditions(*map(np.concatenate, zip(*map(astuple, every), strict=True)))

    def applied(self, to: Distribution, n: int, seed: Seed) -> tuple[Distribution, str]:
        """Return the distribution given all of it, and a note on what was drawn.

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
        """Return the draws that lie within all ranges; `given` says what was given before."""
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
                f"what is given comes true in only {have} of {drawn} drawn futures, too few to say "
                f"what follows; give wider ranges{instead}."
            )
        shrunk = np.minimum(found.var(axis=1) / np.maximum(to.var, np.finfo(float).tiny), 1.0)
        before = " (once the values are given)" if given else ""
        note = (
            f"the ranges that are given have a probability of {have / drawn:.2g}{before}; the "
            f"forecast consists of {found.shape[1]} drawn futures within them"
        )
        return Paths.of(found, to.latent_var * shrunk), note


def _places(index: pd.Index, label: Hashable) -> IntArray:
    """Return the positions that a label names: a step, a period such as "2026Q1", or a pair."""
    try:
        pair = _covered(index, label)
        place = index.get_loc(label) if pair is None else index.slice_indexer(*pair)
    except (KeyError, TypeError, ValueError):
        return np.zeros(0, dtype=np.int64)
    return np.atleast_1d(np.arange(len(index))[place])


def _covered(index: pd.Index, label: Hashable) -> tuple[Hashable, Hashable] | None:
    """Return the first and last label of a pair, or of a part of a date; None of other labels."""
    if isinstance(label, tuple):
        first, last = label
        low, high = _covered(index, first), _covered(index, last)
        return first if low is None else low[0], last if high is None else high[1]
    if not has_dates(index):
        return None
    if not isinstance(label, str | pd.Period):
        return None
    if isinstance(index, pd.PeriodIndex) and isinstance(label, pd.Period) and label in index:
        return label, label  # a step of several units, such as two months
    period = pd.Period(label)
    if isinstance(index, pd.DatetimeIndex):
        ends = pd.DatetimeIndex([period.start_time, period.end_time]).tz_localize(index.tz)
        return ends[0], ends[1]
    first, last = (period.asfreq(index.freqstr, how) for how in ("start", "end"))
    if first.start_time < period.start_time or last.end_time > period.end_time:
        raise ValueError("a part of a step")
    return first, last


def _bounds(label: Hashable, value: Wanted) -> tuple[float, float]:
    """Return the bounds of a condition, equal for a value."""
    pair: tuple[float | None, ...] = value if isinstance(value, tuple) else (value, value)
    if len(pair) == 2 and all(v is None or is_number(v) for v in pair):
        low, high = (edge if v is None else float(v) for edge, v in zip(_EDGES, pair, strict=True))
        if low < high or (np.isfinite(low) and low == high):
            return low, high
    raise ValueError(
        f"{_as_written(label)} must have a finite number, or a range such as (10, 20), "
        f"(10, None) for at least 10 and (None, 20) for at most 20; got {briefly(value)}."
    )


def named_step(index: pd.Index, at: int) -> str:
    """Return the label of a step as one may write it, such as '2024-01'."""
    label = index[at]
    if is_number(label):
        return str(label)
    for text in (time_at(index, at), str(label)):
        if _places(index, text).tolist() == [at % len(index)]:
            return repr(text)
    if isinstance(label, pd.Period):  # weeks and hours, among others, have no text of their own
        return f"pd.Period({_bare(label.start_time)!r}, {label.freqstr!r})"
    return f"pd.{label!r}" if isinstance(label, pd.Timestamp) else repr(str(label))


def _as_written(label: Hashable) -> str:
    """Return a label that was given, in a message: times as text."""
    if isinstance(label, tuple):
        return f"({', '.join(map(_as_written, label))})"
    return repr(_bare(label)) if isinstance(label, date | timedelta | pd.Period) else repr(label)


def _bare(time: object) -> str:
    """Return a time as text, without a midnight, which one need not write."""
    return str(time).removesuffix(" 00:00:00")


def _unlabelled(name: str, wanted: object, index: pd.Index, *, single: bool) -> str:
    """Return what is wrong with conditions that do not say which steps they are of."""
    first, last = named_step(index, 0), named_step(index, -1)
    if single:
        return (
            f"{name} must say which step has which value or range, such as {{{first}: 1.5}}; got "
            f"{briefly(wanted)}."
        )
    number = f"{wanted:g}" if is_number(wanted) else "9.5"
    return (
        f"{name} must say which steps the sum is of: {{({first}, {last}): {number}}} is that of "
        f"the whole forecast; got {briefly(wanted)}."
    )
