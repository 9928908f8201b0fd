"""Learning the hyperparameters, and choosing the support between times."""

from dataclasses import dataclass, fields, replace
from typing import Any, cast

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.evidence import Evidence
from gpforecast.models.inducing import choose_inducing
from gpforecast.models.reduced_rank.evidence import ReducedEvidence
from gpforecast.models.search import Search, as_given, optimise

_FIRST = 512  # rows of a full process whose hyperparameters are where a search starts
_MANY = 8192  # rows from which a climb on a quarter of them comes first
_SETTLED = 0.5  # nats; a round that gains less is the last


@dataclass(frozen=True, eq=False)
class Trained:
    """A support with its hyperparameters, and what `FitReport` says of the search."""

    support: FloatArray
    covariance: Covariance
    noise_var: float
    report: dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """How a support is chosen.

    Attributes
    ----------
    method : str
    n_support : int
    n_candidates : int or None
    n_rounds : int
        Of choosing and training, for a greedy method.
    """

    method: str
    n_support: int
    n_candidates: int | None
    n_rounds: int

    @property
    def greedy(self) -> bool:
        """Whether the choice depends on the hyperparameters."""
        return self.method not in ("random", "kmeans")

    def support(
        self,
        X: FloatArray,
        y: FloatArray,
        covariance: Covariance,
        noise_var: float,
        rng: np.random.Generator,
    ) -> FloatArray:
        """Return support inputs, (m, d)."""
        return choose_inducing(
            self.method,
            X,
            y,
            self.n_support,
            covariance=covariance,
            noise_var=noise_var,
            seed=rng,
            n_candidates=self.n_candidates,
        )


def train_at(start: ReducedEvidence, search: Search | None) -> Trained:
    """Learn the hyperparameters with the support held: HPEV.

    With many rows the climb begins on a quarter of them.

    Parameters
    ----------
    start : ReducedEvidence
    search : Search or None
        ``None`` keeps the hyperparameters.
    """
    if search is None:
        covariance, noise_var, report = as_given(start)
        return Trained(start.support, covariance, noise_var, report)
    here, counts = _first_guess(start, search)
    n = len(start.y)
    for n_rows in (n // 4, n) if n >= _MANY and not search.warm else (n,):
        part = here if n_rows == n else cast(ReducedEvidence, here.on_few_rows(n_rows))
        if search.free_noise and not search.warm:
            part = part.with_best_noise()
        covariance, noise_var, report = optimise(part, _from_here(search))
        counts = _added(counts, report)
        here = replace(here, covariance=covariance, noise_var=noise_var)
    return Trained(start.support, covariance, noise_var, {**report, **counts})


def train_in_rounds(
    start: ReducedEvidence, choice: Choice, search: Search | None, rng: np.random.Generator
) -> Trained:
    """Choose a support greedily, learn the hyperparameters, and again: HPEV-SGEV, HPEV-SGGP.

    The first choice is made with the hyperparameters given, or where some are free with those of
    a full Gaussian process on at most 512 rows. Rounds end when one gains less than half a nat;
    what is returned is the best of all.

    Parameters
    ----------
    start : ReducedEvidence
        Its support is not read.
    choice : Choice
    search : Search or None
        ``None`` keeps the hyperparameters: the choice is made once.
    rng : Generator
    """
    if search is None:
        return train_at(_chosen(start, choice, rng), None)
    here, counts = _first_guess(start, search)
    best, best_evidence = None, -np.inf
    for round_ in range(choice.n_rounds):
        here = _chosen(here, choice, rng)
        if round_ == 0 and search.free_noise and not search.warm:
            here = here.with_best_noise()
        trained = train_at(here, _from_here(search))
        counts = _added(counts, trained.report)
        here = replace(here, covariance=trained.covariance, noise_var=trained.noise_var)
        evidence = -here.value(here.start)
        gained = evidence - best_evidence
        if best is None or gained > 0.0:
            best, best_evidence = trained, evidence
        if gained < _SETTLED:
            break
    assert best is not None  # there is at least one round
    return replace(best, report={**best.report, **counts})


def _first_guess(start: ReducedEvidence, search: Search) -> tuple[ReducedEvidence, dict[str, Any]]:
    """Return the problem with the hyperparameters of a full process on few rows, if any is free."""
    if search.warm:
        return start, {}
    full = Evidence(*(getattr(start, f.name) for f in fields(Evidence)))
    few = full.on_few_rows(min(len(start.y), _FIRST))
    covariance, noise_var, report = optimise(few, search)
    return replace(start, covariance=covariance, noise_var=noise_var), _added({}, report)


def _from_here(search: Search) -> Search:
    """Return the same search, from where it is told to start and from nowhere else."""
    return replace(search, free_lengthscales=False, free_noise=False, warm=True)


def _added(counts: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    """Return the sums of what is counted over all climbs."""
    names = ("n_iterations", "n_evaluations", "n_starts")
    return {name: counts.get(name, 0) + report[name] for name in names}


def _chosen(problem: ReducedEvidence, choice: Choice, rng: np.random.Generator) -> ReducedEvidence:
    """Return the problem with a support chosen at its hyperparameters."""
    support = choice.support(problem.X, problem.y, problem.covariance, problem.noise_var, rng)
    return replace(problem, support=support)
