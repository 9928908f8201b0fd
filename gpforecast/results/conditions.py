"""Conditions on the steps of a forecast, and the distribution given them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.common.validation import generator, is_number, shown
from gpforecast.results.distribution import Distribution, NoClosedFormError
from gpforecast.results.steps import positions, with_neighbours
from gpforecast.results.warped import Paths
from gpforecast.series.labels import time_at

Condition: TypeAlias = float | tuple[float | None, float | None]
ByStep: TypeAlias = "Mapping[Hashable, Condition] | pd.Series[float]"

_EDGES = -np.inf, np.inf
_DRAWN_AT_ONCE = 20_000
_MOST_DRAWS = 2_000_000
_NEAR = 0.05  # standard deviations of a total, as near as draws must be to one that is given
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
        columns: "Mapping[Hashable, tuple[pd.Series[float], IntArray]]",
    ) -> "Conditions":
        """Read conditions on single steps and on totals of several, of one or more columns.

        Parameters
        ----------
        values, total : mapping from column to mapping from label to number or range
            See `Forecast.given`; NaN is not given.
        index : Index (h,)
            The future times.
        columns : mapping from column to (Series, ndarray (h,))
            Its history, and where its steps are in the joint distribution.
        """
        rows, n = [], sum(len(places) for _, places in columns.values())
        for single, given in ((True, values), (False, total)):
            for name, by_step in given.items():
                history, places = columns[name]
                around, before = with_neighbours(history.index.append(index))
                steps = _Steps(around, before, np.asarray(history, dtype=np.float64))
                for label, value in _items(by_step):
                    row = np.zeros(n)
                    row[places], observed = steps.weights(label, len(index), single=single)
                    rows.append((row, *(bound - observed for bound in _bounds(label, value))))
        if not rows:
            first, last = time_at(index, 0), time_at(index, -1)
            raise ValueError(
                f"nothing is given; pass values of steps by labels, such as {{{first!r}: 1.5}}, "
                f"or sums of several, such as total={{({first!r}, {last!r}): 9.5}}."
            )
        return Conditions(*map(np.array, zip(*rows, strict=True)))

    def applied(self, to: Distribution, n: int, seed: Seed) -> tuple[Distribution, str]:
        """Return the distribution given all of them, and a note on draws.

        Values are given in closed form. Ranges are fulfilled by draws, of which those outside are
        rejected; a total without a closed form is a narrow range, whose draws are moved onto it.

        Raises
        ------
        ValueError
            If too few draws fulfil the ranges.
        """
        closed = self.low == self.high
        try:
            given = to.given(self.B[closed], self.low[closed])[0] if closed.any() else to
        except NoClosedFormError:
            closed &= (self.B != 0.0).sum(axis=1) == 1
            given = to.given(self.B[closed], self.low[closed])[0] if closed.any() else to
        if closed.all():
            moved = "the drawn futures were moved onto the values that are given"
            return given, moved if given.paths is not None else ""
        B, low, high = self.B[~closed], self.low[~closed], self.high[~closed]
        total = low == high
        width = _NEAR * np.sqrt(given.moments.linear(B).var) * total
        drawn, share = _rejected(given, B, low - width, high + width, n, generator(seed))
        note = (
            f"the forecast consists of {drawn.paths.shape[1]} drawn futures in which the ranges "
            f"and totals that are given hold; they have a probability of {share:.2g}"
        )
        apart = total & (np.ptp(B @ drawn.paths, axis=1) > 0.0)  # those of counts may all hit it
        if not apart.any():
            return drawn, note
        found, _ = drawn.given(B[apart], low[apart])
        return found, (
            f"{note}, totals within {_NEAR:g} standard deviations, from where the futures were "
            f"moved onto them"
        )


def _rejected(
    to: Distribution,
    B: FloatArray,
    low: FloatArray,
    high: FloatArray,
    n: int,
    rng: np.random.Generator,
) -> tuple[Paths, float]:
    """Return n draws whose sums lie within all ranges, and the share of those that do."""
    kept, drawn, have, own = [], 0, 0, to.paths
    while have < n and drawn < _MOST_DRAWS:
        paths = to.sample(_DRAWN_AT_ONCE, rng) if own is None else own
        sums = B @ paths
        inside = ((sums >= low[:, None]) & (sums <= high[:, None])).all(axis=0)
        kept.append(paths[:, inside])
        drawn, have = drawn + paths.shape[1], have + int(inside.sum())
        at_most = (have + 3.0 * np.sqrt(have) + 5.0) / drawn * _MOST_DRAWS
        if own is not None or (drawn >= 5 * _DRAWN_AT_ONCE and at_most < _FEWEST):
            break
    if have < min(_FEWEST, n):
        instead = "" if own is None else ", a smaller n=, or forecast more paths"
        raise ValueError(
            f"the conditions hold in only {have} of {drawn} drawn futures, too few for a "
            f"forecast; give wider ranges{instead}."
        )
    found = np.concatenate(kept, axis=1)[:, :n]
    shrunk = np.minimum(found.var(axis=1) / np.maximum(to.var, np.finfo(float).tiny), 1.0)
    return Paths.of(found, to.latent_var * shrunk), have / drawn


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
    """

    index: pd.Index
    before: int
    known: FloatArray

    def weights(self, label: Hashable, h: int, *, single: bool) -> tuple[FloatArray, float]:
        """Return which of h future steps a label names, and the sum of observed values in it."""
        n, places = len(self.known), positions(self.index, label) - self.before
        row, ahead = np.zeros(h), places[(places >= n) & (places < n + h)] - n
        row[ahead] = 1.0
        start, first, last = (time_at(self.index, self.before + k) for k in (0, n, n + h - 1))
        if not len(ahead):
            raise ValueError(
                f"{label!r} has no step of the forecast, which goes from {first} to {last}; name "
                f"steps of it."
            )
        if single and len(places) != 1:
            raise ValueError(
                f"{label!r} covers several steps, and a value is of one, such as {first}; for "
                f"their sum pass total={{{label!r}: ...}}."
            )
        if places[0] < 0 or places[-1] >= n + h:
            raise ValueError(
                f"the total of {label!r} needs steps before the first that is known, {start}, or "
                f"after the last of the forecast, {last}; name steps between, or forecast more."
            )
        observed = float(self.known[places[places < n]].sum())
        if np.isnan(observed):
            raise ValueError(
                f"the total of {label!r} needs past values that are missing; fill them with "
                f"Forecaster.fill_missing() first."
            )
        return row, observed


def _items(given: "ByStep | None") -> list[tuple[Hashable, Condition]]:
    """Return conditions by the labels of their steps, without those that are NaN."""
    try:
        every = [] if given is None else [*given.items()]
    except AttributeError:
        raise TypeError(
            f"conditions must be by the labels of steps, such as {{label: 1.5}}; got "
            f"{shown(given)}."
        ) from None
    return [(label, value) for label, value in every if not pd.isna(value)]


def _bounds(label: Hashable, value: Condition) -> tuple[float, float]:
    """Return the bounds of a condition, equal for a value."""
    pair: tuple[float | None, ...] = value if isinstance(value, tuple) else (value, value)
    if len(pair) == 2 and all(v is None or is_number(v) for v in pair):
        low, high = (edge if v is None else float(v) for edge, v in zip(_EDGES, pair, strict=True))
        if low < high or (np.isfinite(low) and low == high):
            return low, high
    raise ValueError(
        f"{label!r} must have a finite number, or a range such as (10, 20), "
        f"(10, None) for at least 10 and (None, 20) for at most 20; got {shown(value)}."
    )
