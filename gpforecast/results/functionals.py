"""Functionals of a joint distribution: events, extremes, bands, images, and conditions."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from gpforecast.common.types import ArrayLike, FloatArray, Seed, known_as
from gpforecast.common.validation import (
    counted,
    finite_array,
    generator,
    how_many,
    interval_level,
    positive_integer,
)
from gpforecast.results.conditions import (
    Aggregate,
    ByStep,
    Condition,
    conditions_on,
    event_bounds,
    given,
    within,
)
from gpforecast.results.distribution import Distribution
from gpforecast.results.explained import Explains
from gpforecast.results.periods import Periods, observed_before
from gpforecast.results.warped import Paths

N_FUTURES = 20_000  # draws of whole futures: a probability is then known to .0036 or better


@known_as("Forecast")
@dataclass(frozen=True, eq=False)
class Functionals:
    """The fields of a `Forecast`, and what follows from their joint distribution."""

    distribution: Distribution
    index: pd.Index
    history: "pd.Series[float]"
    propagation: str
    notes: tuple[str, ...] = ()
    trajectory: "pd.Series[float] | None" = None
    explanation: Explains | None = None
    set_aside: tuple[int, ...] = ()
    label: str | None = None

    def probability(
        self, above: float | None = None, *, below: float | None = None, any_step: bool = False
    ) -> "pd.Series[float]":
        """Return the probability that values lie above a level, below one, or between two.

        Parameters
        ----------
        above, below : float, optional
            At least one, in the units of the series. With both, above the one and below the other.
        any_step : bool
            Whether it is enough that it has happened at this step or at one before.

        Returns
        -------
        Series (h,)
            Exact for single steps, or the share of paths of a forecast that consists of them. With
            `any_step` it never falls from one step to the next; its last entry is the probability
            that it happens within the horizon, from the draws of `first_passage`.

        Examples
        --------
        >>> import gpforecast as gf
        >>> f = gf.Forecaster().fit(gf.datasets.mackey_glass(200, seed=0)).predict(30)
        >>> bool((f.probability(above=1.0) <= f.probability(above=1.0, any_step=True) + 0.02).all())
        True
        """
        if any_step:
            found = self.first_passage(above=above, below=below)["by_then"]
            return found.rename("probability")
        return pd.Series(within(self.distribution, above, below), self.index, name="probability")

    def exceedance(self, levels: float | Sequence[float] | FloatArray) -> pd.DataFrame:
        """Return the probability that each step lies above each of some levels.

        Parameters
        ----------
        levels : float or sequence of float (q,)
            In the units of the series.

        Returns
        -------
        DataFrame (h, q)
            With the levels as columns.
        """
        given = np.unique(finite_array(np.atleast_1d(levels), "levels", ndim=1)).tolist()
        found = {level: self.probability(above=level) for level in given}
        return pd.DataFrame(found, self.index)

    def first_passage(
        self,
        above: float | None = None,
        *,
        below: float | None = None,
        n: int = N_FUTURES,
        seed: Seed = 0,
    ) -> pd.DataFrame:
        """Return when values first lie above a level, below one, or between two.

        Parameters
        ----------
        above, below : float, optional
            As for `probability`.
        n : int
            Draws of whole futures, two at least; a forecast of paths uses those it has.
        seed : int, Generator or None

        Returns
        -------
        DataFrame (h, 3)
            ``probability`` that each step is the first, ``by_then`` that it has happened by that
            step, and ``error``, the standard error of ``by_then`` from the number of draws.
        """
        low, high = event_bounds(above, below)
        drawn = self._futures(n, seed)
        held = (drawn > low) & (drawn < high)
        by_then = np.logical_or.accumulate(held, axis=0).mean(axis=1)
        return pd.DataFrame(
            {
                "probability": np.diff(by_then, prepend=0.0),
                "by_then": by_then,
                "error": np.sqrt(by_then * (1.0 - by_then) / drawn.shape[1]),
            },
            self.index,
        )

    def maximum(self, *, n: int = N_FUTURES, seed: Seed = 0) -> Aggregate:
        """Return the distribution of the largest value over the horizon, from draws.

        Parameters
        ----------
        n, seed
            As for `first_passage`.
        """
        return _of_draws(self._futures(n, seed).max(axis=0))

    def minimum(self, *, n: int = N_FUTURES, seed: Seed = 0) -> Aggregate:
        """Return the distribution of the smallest value over the horizon, as `maximum` does."""
        return _of_draws(self._futures(n, seed).min(axis=0))

    def band(
        self, level: float = 0.95, *, simultaneous: bool = True, n: int = N_FUTURES, seed: Seed = 0
    ) -> pd.DataFrame:
        """Return a band that holds the whole future with a probability, not each step alone.

        At each step it is a central interval, with the same probability at all steps. It is so
        large that a share `level` of the drawn futures lies within the band from the first step to
        the last. For counts, whose values repeat, the share can be larger. Too few paths are
        refused.

        Parameters
        ----------
        level : float
            A fraction such as 0.95; 95 is the same.
        simultaneous : bool
            If false, the same as `Forecast.interval`: the band then holds each step with this
            probability, and the whole future with a lower one.
        n : int
            Draws of whole futures, two at least; a forecast of paths uses those it has.
        seed : int, Generator or None

        Returns
        -------
        DataFrame (h, 2)
            Columns ``lower`` and ``upper``.
        """
        level, own = interval_level(level), self.distribution.paths
        tail = 0.5 * (1.0 - level)
        bounds = self.distribution.quantile([tail, 1.0 - tail])
        if simultaneous:
            drawn = self._futures(n, seed)
            last = drawn.shape[1] - 1
            ranks = np.argsort(np.argsort(drawn, axis=1), axis=1)
            # From either end, of each path's most extreme value; of those left out it is less.
            outermost = np.sort(np.minimum(ranks, last - ranks).min(axis=0))
            rank = int(outermost[int((1 - level) * last)])
            if rank == 0:
                raise ValueError(
                    f"{last + 1} paths are too few for a band of all {len(self.index)} steps at "
                    f"level {level:g}: each is the outermost somewhere; take more paths."
                )
            tail = (rank + 0.5) / (last + 1)
            bounds = (
                self.distribution.quantile([tail, 1.0 - tail])
                if own is None
                else np.sort(own, axis=1)[:, [rank, last - rank]]
            )
        return pd.DataFrame(bounds, self.index, ["lower", "upper"])

    def linear(self, A: ArrayLike, *, index: pd.Index | None = None) -> Self:
        """Return the joint distribution of k weighted sums of the steps.

        Parameters
        ----------
        A : array-like (k, h)
            A row of weights for each sum.
        index : Index (k,), optional
            Their labels; 0, 1, ... by default.

        Returns
        -------
        Forecast
            Without a history. Mean and covariance are exact; see `Forecast.aggregate`.
        """
        matrix = finite_array(A, "A", ndim=2)
        labels = pd.RangeIndex(len(matrix)) if index is None else pd.Index(index)
        if len(labels) != len(matrix):
            raise ValueError(f"index must have {len(matrix)} labels, one a row; got {len(labels)}.")
        return self._image(matrix, 0.0, labels, self.history.iloc[:0])

    def cumsum(self) -> Self:
        """Return the joint distribution of the totals from the first step to each.

        Returns
        -------
        Forecast
            On the same index. Its history holds the totals before it, up to 0 at its start.
        """
        known = self.history.fillna(0.0).cumsum()
        before = (known - known.iloc[-1]).where(self.history.notna()) if len(known) else known
        return self._image(np.tri(len(self.index)), 0.0, self.index, before)

    def change(self, periods: int = 1) -> Self:
        """Return the differences to the values so many steps before, such as year on year.

        Parameters
        ----------
        periods : int
            Steps back; 12 for year on year in months. Within the history they are observed values.

        Returns
        -------
        Forecast
            On the same index; its history holds the differences of the history.
        """
        periods = positive_integer(periods, "periods")
        known = observed_before(self.history, periods, len(self.index))
        matrix = np.eye(len(self.index)) - np.eye(len(self.index), k=-periods)
        return self._image(matrix, -known, self.index, self.history.diff(periods))

    def growth(self, periods: int = 1, *, n: int = N_FUTURES, seed: Seed = 0) -> Self:
        """Return the relative changes y_k / y_(k - periods) - 1, such as growth year on year.

        Parameters
        ----------
        periods : int
            Steps back; the values there must not be 0 in the history.
        n : int
            Draws of whole futures, used if the horizon is longer than `periods`: a ratio of two
            uncertain values has no closed form. Otherwise moments are exact.
        seed : int, Generator or None

        Returns
        -------
        Forecast
            On the same index, as fractions; its history holds those of the history.
        """
        periods, h = positive_integer(periods, "periods"), len(self.index)
        known = observed_before(self.history, periods, len(self.index))[:periods]
        base = self.history.shift(periods)
        before = self.history / base.where(base != 0.0) - 1.0
        drawn = self._futures(n, seed) if h > periods else np.ones((h, 1))
        ahead = drawn[: max(h - periods, 0)]
        if (known == 0.0).any() or ahead.min(initial=1.0) <= 0.0 <= ahead.max(initial=-1.0):
            raise ValueError(
                f"growth over {counted(periods, 'step')} divides by values that are 0 or of either "
                f"sign, and such ratios have no mean; use change(), or a horizon of at most "
                f"{counted(periods, 'step')}."
            )
        if h <= periods:
            return self._image(np.diag(1.0 / known), -1.0, self.index, before)
        ratios = drawn / np.vstack([np.tile(known[:, None], drawn.shape[1]), ahead]) - 1.0
        return self._as(Paths.of(ratios, ratios.var(axis=1)), before)

    def given(
        self,
        values: "ByStep | None" = None,
        *,
        total: Mapping[Hashable, Condition] | None = None,
        n: int = N_FUTURES,
        seed: Seed = 0,
    ) -> Self:
        """Return the forecast given values, ranges or totals of its steps.

        Parameters
        ----------
        values : mapping from label to number or (low, high), or Series, optional
            Values of steps, or ranges; ``None`` in a range is no bound. Labels are those of the
            index, or parts of a date that name one step, such as ``"2026-03"``. NaN is not given.
        total : mapping from label to number or (low, high), optional
            Totals of several steps. Labels are parts of a date, such as ``"2026"`` or ``"2026Q1"``,
            or pairs of the first and the last label. Observed values in them count as they are;
            steps that straddle a part of a date, such as weeks at the end of a month, by the share
            of their days.
        n : int
            Draws that must fulfil the ranges, if there are any; the result consists of them.
        seed : int, Generator or None

        Returns
        -------
        Forecast
            Values are given in closed form, through transforms and mixtures too; paths are moved
            onto them. With ranges, or a total where a transform is undone, it consists of the draws
            that fulfil them. ``notes`` says so. It has no ``trajectory``; what is certain has a
            variance of 0, and `Forecast.score` leaves it out.

        Raises
        ------
        ValueError
            If a label names no step of the forecast, or steps outside it; if conditions contradict
            each other; if too few draws fulfil the ranges; or if a value is given of counts.

        Examples
        --------
        >>> import gpforecast as gf
        >>> f = gf.Forecaster(lags=8).fit(gf.datasets.mackey_glass(200, seed=0)).predict(20)
        >>> known = f.given({209: 1.1})
        >>> bool(abs(known.mean[209] - 1.1) < 1e-9), bool(known.std[210] < f.std[210])
        (True, True)
        """
        name: Hashable = self.history.name
        columns = {name: (self.history, np.arange(len(self.index)))}
        conditions = conditions_on({name: values}, {name: total}, self.index, columns, self.label)
        return self._given(conditions, n, seed)

    def resample(self, rule: str) -> Periods[Self]:
        """Return the periods of a calendar that the horizon completes, to be added or averaged.

        Parameters
        ----------
        rule : str
            A pandas frequency such as ``"YE"``, ``"QE"`` or ``"W"``, not shorter than a step, for
            an index of dates or periods.

        Returns
        -------
        Periods
            With the methods ``sum()`` and ``mean()``. The first may have begun in the history: its
            observed values count as they are. A last one that the horizon does not complete is left
            out. Of steps that straddle two periods, such as weeks at the end of a month, each has
            the share of their days that it holds; ``notes`` says so.
        """
        weeks = re.match(r"\d*W(-|$)", rule)  # end on the day that labels them, Mondays too
        image = replace(self, label="end" if weeks else None)._image
        return Periods.of(self.history, self.index, rule, image, self.label)

    def _given(
        self, conditions: tuple[FloatArray, FloatArray, FloatArray], n: int, seed: Seed
    ) -> Self:
        """Return the forecast given conditions, with a note if it consists of draws."""
        n = how_many(n, "n", each=len(self.index), least=2)
        found, notes = given(self.distribution, *conditions, n, seed)
        return self._as(found, self.history, notes)

    def _futures(self, n: int, seed: Seed) -> FloatArray:
        """Return draws of whole futures (h, n), or the paths that the forecast consists of."""
        n, have = how_many(n, "n", each=len(self.index), least=2), self.distribution.paths
        return self.distribution.sample(n, generator(seed)) if have is None else have

    def _image(
        self,
        matrix: FloatArray,
        shift: FloatArray | float,
        index: pd.Index,
        history: "pd.Series[float]",
        notes: tuple[str, ...] = (),
    ) -> Self:
        """Return the forecast of A y + shift, on labels and with another history."""
        image, path = self._as(self.distribution.linear(matrix, shift), history, notes), None
        if self.trajectory is not None:
            path = pd.Series(matrix @ self.trajectory.to_numpy() + shift, index, name="trajectory")
        return replace(image, index=index, trajectory=path)

    def _as(
        self, found: Distribution, history: "pd.Series[float]", notes: tuple[str, ...] = ()
    ) -> Self:
        """Return a forecast of the same steps with another distribution."""
        notes = (*self.notes, *notes)
        some = replace(self, distribution=found, history=history, notes=notes)
        return replace(some, trajectory=None, explanation=None)


def _of_draws(values: FloatArray) -> Aggregate:
    """Return the distribution of one number from its draws (n,)."""
    return Aggregate(Paths.of(values[None], np.atleast_1d(values.var())))
