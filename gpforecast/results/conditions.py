"""Conditions on a forecast: values, ranges and totals of its steps, and what it is given them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.common.validation import is_number
from gpforecast.results.distribution import Distribution
from gpforecast.results.warped import Paths

Wanted = float | tuple[float | None, float | None]

_EDGES = -np.inf, np.inf
_DRAWN_AT_ONCE = 20_000
_MOST_DRAWS = 2_000_000
_FEWEST = 1000  # draws that fulfil all ranges


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
        values: "Mapping[Hashable, Wanted] | pd.Series[float]",
        total: Mapping[Hashable, Wanted],
        index: pd.Index,
        history: "pd.Series[float]",
    ) -> "Conditions":
        """Read conditions on single steps and on totals of several; see `Forecast.given`."""
        h = len(index)
        whole = history.index.append(index)
        rows, low, high = [], [], []
        for wanted, single in ((values, True), (total, False)):
            for label, value in wanted.items():
                places = _places(whole, label)
                row = np.zeros(len(whole))
                row[places] = 1.0
                if not row[len(history) :].any() or (single and len(places) != 1):
                    what = "one step" if single else "steps"
                    raise ValueError(
                        f"{label!r} must name {what} of the forecast, which goes from {index[0]} "
                        f"to {index[-1]}; it names {len(places)} of the history and the forecast."
                    )
                seen = history.to_numpy(dtype=np.float64)[row[: len(history)] > 0.0]
                if np.isnan(seen).any():
                    raise ValueError(
                        f"values of the history in {label!r} are missing; fill them with "
                        f"Forecaster.fill_missing() first."
                    )
                bounds = _bounds(label, value)
                rows.append(row[len(history) :])
                low.append(bounds[0] - seen.sum())
                high.append(bounds[1] - seen.sum())
        if not rows:
            raise ValueError("nothing is given: pass values or ranges of steps, or total=.")
        return Conditions(np.array(rows).reshape(-1, h), np.array(low), np.array(high))

    def applied(self, to: Distribution, n: int, seed: Seed) -> tuple[Distribution, str]:
        """Return the distribution given all of it, and a note on what was drawn.

        Values are given in closed form. Ranges are fulfilled by draws, of which those outside are
        rejected.

        Raises
        ------
        ValueError
            If it has no closed form, or too few draws fulfil the ranges.
        """
        exact = self.low == self.high
        if exact.any():
            to, _ = to.given(self.B[exact], self.low[exact])
        if exact.all():
            return to, ""
        return self._rejected(to, n, seed)

    def _rejected(self, to: Distribution, n: int, seed: Seed) -> tuple[Distribution, str]:
        """Return the draws that lie within all ranges."""
        loose = self.low < self.high
        B, low, high = self.B[loose], self.low[loose, None], self.high[loose, None]
        rng, kept, drawn, have = np.random.default_rng(seed), [], 0, 0
        while have < n and drawn < _MOST_DRAWS:
            paths = to.paths if to.paths is not None else to.sample(_DRAWN_AT_ONCE, rng)
            sums = B @ paths
            inside = ((sums >= low) & (sums <= high)).all(axis=0)
            kept.append(paths[:, inside])
            drawn, have = drawn + paths.shape[1], have + int(inside.sum())
            if to.paths is not None:
                break
        share = have / drawn
        if have < min(_FEWEST, n):
            raise ValueError(
                f"the ranges are fulfilled by {have} of {drawn} drawn futures, too few to say what "
                f"follows; pass wider ranges, or values that are given exactly"
                + (", or take more paths." if to.paths is not None else ".")
            )
        found = np.concatenate(kept, axis=1)[:, :n]
        shrunk = np.minimum(found.var(axis=1) / np.maximum(to.var, np.finfo(float).tiny), 1.0)
        note = (
            f"the ranges have a probability of {share:.2g}; the forecast consists of "
            f"{found.shape[1]} draws that fulfil them"
        )
        return Paths.of(found, to.latent_var * shrunk), note


def _places(index: pd.Index, label: Hashable) -> IntArray:
    """Return the positions that a label names: a step, a period such as "2026Q1", or a pair."""
    try:
        # A part of a date may be several steps, as pandas reads it.
        place = index.slice_indexer(*label) if isinstance(label, tuple) else index.get_loc(label)
    except (KeyError, TypeError, ValueError):
        return np.zeros(0, dtype=np.int64)
    return np.atleast_1d(np.arange(len(index))[place])


def _bounds(label: object, value: Wanted) -> tuple[float, float]:
    """Return the bounds of a condition, equal for a value."""
    pair: tuple[float | None, ...] = value if isinstance(value, tuple) else (value, value)
    if len(pair) == 2 and all(v is None or is_number(v) for v in pair):
        low, high = (edge if v is None else float(v) for edge, v in zip(_EDGES, pair, strict=True))
        if low < high or (np.isfinite(low) and low == high):
            return low, high
    raise ValueError(
        f"{label!r} must be given as a finite number or a range (low, high), low below high, None "
        f"for no bound; got {value!r}."
    )
