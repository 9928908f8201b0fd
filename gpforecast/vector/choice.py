"""Which lags of the other columns help to predict a column, and with which model.

The own lags and the model of a column are those of a series by itself. Lags of others, and values
of the columns before at the same time, join where the evidence of the rows rises by more than
their price: of the autoregression with a prior, in groups of neighbouring lags, where that is the
column's model; elsewhere of a Gaussian process with one length-scale, lag by lag, so that what
acts by any function and after any delay is found. What the evidence rises by, a row, is what the
model is better by than those of the column alone that forecast beside it. Columns that have nothing
to say of each other have the models that they have by themselves. All are compared on the rows
where all are known, so a column that is known in few of them is left out.
"""

import copy
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.grid import evenly, on_grid
from gpforecast.automatic.model import default_model
from gpforecast.automatic.settings import Settings
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.wording import times_as_likely
from gpforecast.models import BayesianAR
from gpforecast.models.base import OneStepModel
from gpforecast.pipeline.rows import TrainingRows

Source: TypeAlias = tuple[int, int]
"""A column and a lag of it; lag 0 is the time of the target."""
Sources: TypeAlias = tuple[Source, ...]

_GROUP = 4  # lags of another column that join an autoregression together
_OTHERS_SCALE = 0.5  # of their coefficients, relative to those of the column's lags
_GROUP_PRICE = 1.0  # nats
_N_LAGS = (16, 12, 8, 4, 2, 1)  # lags of other columns that are candidates, where rows suffice
_ROWS_A_LAG = 8  # rows for each of these, at least
_LEAST_ROWS = 0.7  # of those without a column: else it is left out
_SHORTLIST = 6  # inputs that are tried in a round
_ROUNDS = 6


def rows_of(z: FloatArray, column: int, sources: Sources) -> TrainingRows:
    """Return the rows of all targets of a column that are known with their inputs.

    Parameters
    ----------
    z : ndarray (T, M)
        The transformed columns, NaN where missing.
    column : int
    sources : tuple of (int, int)
    """
    first = max(lag for _, lag in sources)
    times = np.arange(first, len(z))
    X, y = np.column_stack([z[times - lag, other] for other, lag in sources]), z[times, column]
    known = ~np.isnan(X).any(axis=1) & ~np.isnan(y)
    return TrainingRows(X[known], y[known], times[known])


@dataclass(frozen=True, eq=False)
class _Column:
    """A column whose inputs are chosen, and the targets that all of them are compared on."""

    z: FloatArray
    column: int
    times: IntArray
    others: tuple[int, ...]

    def evidence(self, sources: Sources) -> float:
        """Return the log evidence of a Gaussian process with some inputs, less their price."""
        X, y = self.rows(sources)
        return float(len(y) * on_grid(X, y).log_evidence - th.LAG_PRICE * X.shape[1])

    def rows(self, sources: Sources) -> tuple[FloatArray, FloatArray]:
        """Return inputs and targets."""
        X = np.column_stack([self.z[self.times - lag, other] for other, lag in sources])
        return X, self.z[self.times, self.column]

    def shortlist(self, chosen: Sources, groups: Sequence[Sources]) -> list[Sources]:
        """Return the single inputs that explain most of what the chosen ones leave unexplained.

        That is what is left of the target after a cubic in each input, and of it what a cubic in
        the candidate explains.
        """
        X, y = self.rows(chosen)
        basis = np.column_stack([np.ones(len(y)), *map(_cubic, X.T)])
        left = y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]
        explained = []
        for group in groups:
            x = _cubic(self.rows(group)[0][:, 0])
            x = x - basis @ np.linalg.lstsq(basis, x, rcond=None)[0]
            fitted = x @ np.linalg.lstsq(x, left, rcond=None)[0]
            explained.append(float(fitted @ fitted))
        best = np.argsort(-np.array(explained), kind="stable")[:_SHORTLIST]
        return [groups[i] for i in best.tolist()]


def _cubic(x: FloatArray) -> FloatArray:
    """Return x by rank, with its square and cube, (n, 3)."""
    u = 2.0 * scipy.stats.rankdata(x) / (len(x) + 1.0) - 1.0
    return np.column_stack([u, u**2, u**3])


def _grown(
    score: Callable[[Sources], float],
    chosen: Sources,
    groups: Sequence[Sources],
    price: float = 0.0,
    rounds: int = _ROUNDS,
    shortlist: Callable[[Sources, list[Sources]], list[Sources]] = lambda _, groups: groups,
) -> Sources:
    """Add groups of inputs, the best one at a time, while the score rises by more than a price."""
    best = score(chosen)
    for _ in range(rounds):
        left = [group for group in groups if group[0] not in chosen]
        tried = [(score((*chosen, *group)), group) for group in shortlist(chosen, left)]
        if not tried or max(tried)[0] <= best + price:
            break
        best, group = max(tried)
        chosen = (*chosen, *group)
    return chosen


def choose_sources(
    z: FloatArray, column: int, settings: Settings, names: Sequence[Hashable]
) -> tuple[Sources, Decision[OneStepModel], float, list[str]]:
    """Return the inputs of a column, its model, not fitted, and why columns are left out.

    Before the last, what the evidence rises by where others join, in nats a row.

    Parameters
    ----------
    z : ndarray (T, M)
        The transformed columns, NaN where missing.
    column : int
    settings : Settings
        Of the column by itself.
    names : sequence of hashable (M,)
        Of the columns.
    """
    own = tuple((column, lag) for lag in settings.lags.value)
    others, reasons = _known_enough(z, column, own, names)
    alone = own, settings.model, 0.0, reasons
    if not others:
        return alone
    model = settings.model.value
    for n_lags in _N_LAGS:
        rows = rows_of(z, column, (*own, *((j, lag) for j in others for lag in range(n_lags + 1))))
        if len(rows.y) >= _ROWS_A_LAG * n_lags * len(others):
            break
    times = rows.places
    if len(times) <= 2 * len(own) + 2 or np.ptp(rows.y) == 0.0:
        return alone
    target = _Column(z, column, times, others)
    few_changes = settings.chain.n_lost > 0 and len(times) < th.FEWEST_ROWS
    if few_changes and isinstance(model, BayesianAR):
        return *_linear(target, own, model, min(n_lags, _GROUP)), reasons
    few = times[evenly(0, len(times) - 1, th.GRID_ROWS)]
    chosen, reason, gain = _by_evidence(replace(target, times=few), own, n_lags)
    if all(j == column for j, _ in chosen):
        return alone
    return chosen, with_inputs(z, column, chosen, settings, reason), gain, reasons


def _known_enough(
    z: FloatArray, column: int, own: Sources, names: Sequence[Hashable]
) -> tuple[tuple[int, ...], list[str]]:
    """Return the other columns that leave enough rows, and why the rest is left out."""

    def rows(columns: Iterable[int]) -> int:
        return len(rows_of(z, column, (*own, *((j, lag) for j in columns for lag in (0, 1)))).y)

    left = [j for j in range(z.shape[1]) if j != column]
    kept: list[int] = []
    reasons = []
    for j in sorted(left, key=lambda j: -rows([j])):
        n, before = rows([*kept, j]), rows(kept)
        if n >= _LEAST_ROWS * before:
            kept.append(j)
        else:
            reasons.append(
                f"column {str(names[j])!r} is left out, as it is known in only {n} of {before} rows"
            )
    return tuple(sorted(kept)), reasons


def with_inputs(
    z: FloatArray, column: int, sources: Sources, settings: Settings, reason: str
) -> Decision[OneStepModel]:
    """Return the default model of some inputs."""
    rows, differenced = rows_of(z, column, sources), settings.chain.n_lost > 0
    varies = bool(np.ptp(rows.y) > 0)
    chosen = default_model(*rows.X.shape, differenced=differenced, varies=varies)
    return replace(chosen, reason="\n".join(filter(None, (reason, chosen.reason))))


def _by_evidence(target: _Column, own: Sources, n_lags: int) -> tuple[Sources, str, float]:
    """Return inputs by the evidence of a Gaussian process: some join, then some are dropped."""
    lagged = [((j, lag),) for j in target.others for lag in range(1, n_lags + 1)]
    at_once = [((j, 0),) for j in target.others if j < target.column]
    evidence = cache(target.evidence)
    chosen = _grown(evidence, own, lagged, shortlist=target.shortlist)
    if chosen != own:
        chosen = _pruned(evidence, chosen, own[0])
    chosen = _grown(evidence, chosen, at_once, shortlist=target.shortlist)
    left = tuple(one for one in chosen if one[0] == target.column)
    gain, n = evidence(chosen) - max(evidence(own), evidence(left)), len(target.times)
    why = f"the {n} rows are {times_as_likely(gain)} with them"
    return chosen, f"lags of other columns are inputs where they help: {why}", gain / n


def _pruned(score: Callable[[Sources], float], chosen: Sources, kept: Source) -> Sources:
    """Drop inputs as long as the score rises, but not one of them."""
    while len(chosen) > 1:
        fewer = [tuple(i for i in chosen if i != one) for one in chosen if one != kept]
        best, others = max((score(some), some) for some in fewer)
        if best <= score(chosen):
            break
        chosen = others
    return chosen


def _linear(
    target: _Column, own: Sources, model: BayesianAR, n_lags: int
) -> tuple[Sources, Decision[OneStepModel], float]:
    """Return the inputs of an autoregression with a prior, it with their scales, and the gain."""
    groups: list[Sources] = []
    for j in target.others:
        groups.append(tuple((j, lag) for lag in range(1, n_lags + 1)))
        if j < target.column:
            groups.append(((j, 0),))

    @cache
    def evidence(sources: Sources) -> float:
        one = copy.deepcopy(_extended(model, sources[len(own) :]))
        return one.fit(*target.rows(sources)).report_.log_marginal_likelihood

    chosen = _grown(evidence, own, groups, _GROUP_PRICE, rounds=len(groups))
    if chosen == own:
        why = "a linear model; no other column makes the rows more likely"
        return own, Decision(model, why), 0.0
    gain, n = evidence(chosen) - evidence(own), len(target.times)
    why = f"the {n} rows are {times_as_likely(gain)} with them"
    extended = _extended(model, chosen[len(own) :])
    return chosen, Decision(extended, f"a linear model with lags of other columns: {why}"), gain / n


def _extended(model: BayesianAR, others: Sources) -> BayesianAR:
    """Return an autoregression with scales and means for inputs of other columns as well."""
    if not others or model.scales is None:
        return model
    scales = [_OTHERS_SCALE / lag if lag else 1.0 for _, lag in others]
    longer = copy.deepcopy(model)
    longer.scales = (*model.scales, *scales)
    means = model.means or (0.0,) * len(model.scales)
    longer.means = (*means, *(0.0 for _ in others))
    longer.n_summed = len(model.scales)
    return longer
