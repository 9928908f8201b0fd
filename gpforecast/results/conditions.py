"""Conditions on the steps of a forecast, events, and the distribution of one number."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.kinds import is_series
from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.common.validation import generator, interval_level, is_number, probability, shown
from gpforecast.results.distribution import Distribution, NoClosedFormError
from gpforecast.results.periods import observed_part, positions, shares_within, with_neighbours
from gpforecast.results.warped import Paths
from gpforecast.series.clock import each_once
from gpforecast.series.labels import time_at
from gpforecast.series.time_axis import TimeAxis

Condition: TypeAlias = float | tuple[float | None, float | None]
ByStep: TypeAlias = "Mapping[Hashable, Condition] | pd.Series[float]"

_EDGES = -np.inf, np.inf
_DRAWN_AT_ONCE = 20_000
_MOST_DRAWS = 2_000_000
_NEAR = 0.05  # standard deviations of a total, as near as draws must be to one that is given
_FEWEST = 100  # draws that fulfil all ranges


def conditions_on(
    values: "Mapping[Hashable, ByStep | None]",
    total: "Mapping[Hashable, ByStep | None]",
    index: pd.Index,
    columns: "Mapping[Hashable, tuple[pd.Series[float], IntArray]]",
    end: str | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Read conditions on single steps and on totals of several, of one or more columns.

    Parameters
    ----------
    values, total : mapping from column to mapping from label to number or range
        See `Forecast.given`; NaN is not given.
    index : Index (h,)
        The future times.
    columns : mapping from column to (Series, ndarray (h,))
        Its history, and where its steps are in the joint distribution.
    end : {"start", "end"}, optional
        At which of their steps dates stand.

    Returns
    -------
    B : ndarray (m, n)
        The weights of all n steps in each sum.
    low, high : ndarray (m,)
        Its bounds; equal where its value is given.
    """
    rows, n = [], sum(len(places) for _, places in columns.values())
    for single, given in ((True, values), (False, total)):
        for name, by_step in given.items():
            history, places = columns[name]
            around = with_neighbours(history.index, index, end)
            for label, value in _items(by_step):
                low, high = _bounds(label, value)
                weights = _weights(label, *around, len(history), len(index), single=single)
                past, row = weights[None, : len(history)], np.zeros(n)
                row[places] = weights[len(history) :]
                (observed,) = observed_part(past, history, f"the total of {label!r}")
                rows.append((row, low - observed, high - observed))
    if not rows:
        first, last = time_at(index, 0), time_at(index, -1)
        raise ValueError(
            f"nothing is given; pass values of steps by labels, such as {{{first!r}: 1.5}}, "
            f"or sums of several, such as total={{({first!r}, {last!r}): 9.5}}."
        )
    B, lows, highs = map(np.array, zip(*rows, strict=True))
    return B, lows, highs


def given(
    to: Distribution, B: FloatArray, low: FloatArray, high: FloatArray, n: int, seed: Seed
) -> tuple[Distribution, tuple[str, ...]]:
    """Return the distribution given low <= B y <= high, and a note on draws.

    Values are given in closed form. Ranges are fulfilled by draws, of which those outside are
    rejected; a total without a closed form is a narrow range, whose draws are moved onto it.

    Raises
    ------
    ValueError
        If too few draws fulfil the ranges.
    """
    closed = low == high
    try:
        known = _given_values(to, B[closed], low[closed])
    except NoClosedFormError:
        closed &= (B != 0.0).sum(axis=1) == 1
        known = _given_values(to, B[closed], low[closed])
    if closed.all():
        moved = "the drawn futures were moved onto the values that are given"
        return known, (moved,) if known.paths is not None else ()
    B, low, high = B[~closed], low[~closed], high[~closed]
    total = low == high
    width = _NEAR * np.sqrt(known.moments.linear(B).var) * total
    drawn, share = _rejected(known, B, low - width, high + width, n, seed)
    note = (
        f"the forecast consists of {drawn.paths.shape[1]} drawn futures in which the ranges "
        f"and totals that are given hold; they have a probability of {share:.2g}"
    )
    apart = total & (np.ptp(B @ drawn.paths, axis=1) > 0.0)  # those of counts may all hit it
    if not apart.any():
        return drawn, (note,)
    within = f"{note}, totals within {_NEAR:g} standard deviations, from where the futures were"
    return drawn.given(B[apart], low[apart])[0], (f"{within} moved onto them",)


def _given_values(to: Distribution, B: FloatArray, c: FloatArray) -> Distribution:
    return to.given(B, c)[0] if len(c) else to


def _rejected(
    to: Distribution, B: FloatArray, low: FloatArray, high: FloatArray, n: int, seed: Seed
) -> tuple[Paths, float]:
    """Return n draws whose sums lie within all ranges, and the share of those that do."""
    kept, drawn, have, own, rng = [], 0, 0, to.paths, generator(seed)
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


def _weights(
    label: Hashable, axis: TimeAxis, before: int, n: int, h: int, *, single: bool
) -> FloatArray:  # (n + h,)
    """Return the weights of n observed and h future steps in the value or total of a label.

    The axis has a step more on either side where labels are times, `before` of them in front.
    """
    share = None if single else shares_within(axis, label)
    named = positions(axis.index, label) if share is None else np.flatnonzero(share)
    steps = named - before
    start, first, last = (time_at(axis.index, before + k) for k in (0, n, n + h - 1))
    if not ((steps >= n) & (steps < n + h)).any():
        raise ValueError(
            f"{label!r} has no step of the forecast, which goes from {first} to {last}; name "
            f"steps of it."
        )
    if single and len(steps) != 1:
        raise ValueError(
            f"{label!r} covers several steps, and a value is of one, such as {first}; for "
            f"their sum pass total={{{label!r}: ...}}."
        )
    if steps[0] < 0 or steps[-1] >= n + h:
        raise ValueError(
            f"the total of {label!r} needs steps before the first that is known, {start}, or "
            f"after the last of the forecast, {last}; name steps between, or forecast more."
        )
    weights = np.zeros(n + h)
    weights[steps] = 1.0 if share is None else share[named]
    return weights


def _items(given: "ByStep | None") -> Iterator[tuple[Hashable, Condition]]:
    """Yield conditions by the labels of their steps, without those that are NaN.

    Of values at two moments of an hour that clocks repeat, their mean is given.
    """
    if is_series(given) and given.dtype.kind in "iuf":
        known = given.dropna()
        first, means = each_once(known.index, known.to_numpy(dtype=np.float64))
        given = pd.Series(means, known.index[first])
    try:
        every = [] if given is None else [*given.items()]
    except AttributeError:
        raise TypeError(
            f"conditions must be by the labels of steps, such as {{label: 1.5}}; got "
            f"{shown(given)}."
        ) from None
    return ((label, value) for label, value in every if not pd.isna(value))


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


def event_bounds(above: float | None, below: float | None) -> tuple[float, float]:
    """Return the levels that an event lies between, checked; infinite where there is none."""
    for name, level in (("above", above), ("below", below)):
        if level is not None and not (is_number(level) and np.isfinite(level)):
            raise ValueError(f"{name} must be a finite number or None; got {level!r}.")
    if above is None and below is None:
        raise ValueError("an event needs a level: pass above=, below= or both.")
    low, high = -np.inf if above is None else above, np.inf if below is None else below
    if low >= high:
        raise ValueError(
            f"no value is above {low:g} and below {high:g}; pass above= smaller than below=."
        )
    return low, high


def within(
    distribution: Distribution, above: float | None, below: float | None
) -> FloatArray:  # (h,)
    """Return the probability that each step lies above a level, below one, or between two."""
    low, high = event_bounds(above, below)
    # A value of the support on the level itself is not below it.
    high = high if np.isinf(high) else float(np.nextafter(high, -np.inf))
    up_to = [distribution.cdf(np.full_like(distribution.mean, level)) for level in (low, high)]
    return np.asarray(np.clip(up_to[1] - up_to[0], 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class Aggregate:
    """The distribution of one number made from a forecast, such as a total.

    Attributes
    ----------
    distribution : Distribution
        Of one step.
    """

    distribution: Distribution

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.distribution.mean[0])

    @property
    def var(self) -> float:
        """Variance."""
        return float(self.distribution.var[0])

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.var))

    @property
    def samples(self) -> FloatArray | None:  # (n,)
        """Samples, of a Monte Carlo or a warped forecast: quantiles are theirs. None otherwise."""
        paths = self.distribution.paths
        return None if paths is None else paths[0]

    def quantile(self, q: float) -> float:
        """Return the value below which it falls with probability `q`."""
        return float(self.distribution.quantile([probability(q)])[0, 0])

    def probability(self, above: float | None = None, *, below: float | None = None) -> float:
        """Return the probability that it lies above a level, below one, or between two.

        Parameters
        ----------
        above, below : float, optional
            At least one. With both, above the one and below the other.

        Examples
        --------
        >>> import gpforecast as gf
        >>> total = gf.Forecaster().fit(gf.datasets.mackey_glass(200, seed=0)).predict(30).sum()
        >>> round(total.probability(above=total.quantile(0.9)), 3)
        0.1
        """
        return float(within(self.distribution, above, below)[0])

    def __repr__(self) -> str:
        """Show the mean, the standard deviation and two intervals, in two lines."""
        held = (
            f"{100 * level:g} % interval {low:.6g} to {high:.6g}"
            for level in (0.8, 0.95)
            for low, high in [self.interval(level)]
        )
        mean, std = f"{self.mean:.6g}", f"{self.std:.4g}"
        return f"Aggregate: mean {mean}, standard deviation {std}\n{', '.join(held)}"

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval that holds it with probability `level`."""
        level = interval_level(level)
        return self.quantile(0.5 - level / 2), self.quantile(0.5 + level / 2)
