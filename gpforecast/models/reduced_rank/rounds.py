"""Learning the hyperparameters, and choosing the support between times."""

from dataclasses import dataclass, replace

import numpy as np

from gpforecast.models.base import FitReport
from gpforecast.models.inducing import choose_inducing
from gpforecast.models.reduced_rank.objective import ReducedEvidence
from gpforecast.models.search import KEPT, Search, optimise

_FIRST = 512  # rows of a full process whose hyperparameters are where a search starts
_MANY = 8192  # rows from which a climb on a quarter of them comes first
_SETTLED = 0.5  # nats; a round that gains less is the last


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

    def made(self, process: ReducedEvidence, rng: np.random.Generator) -> ReducedEvidence:
        """Return the process with a support chosen at its hyperparameters."""
        support = choose_inducing(
            self.method,
            process.X,
            process.y,
            self.n_support,
            covariance=process.covariance,
            noise_var=process.noise_var,
            seed=rng,
            n_candidates=self.n_candidates,
        )
        return replace(process, support=support)


def train_at(start: ReducedEvidence, search: Search | None) -> tuple[ReducedEvidence, FitReport]:
    """Learn the hyperparameters with the support held: HPEV.

    With many rows the climb begins on a quarter of them.

    Parameters
    ----------
    start : ReducedEvidence
    search : Search or None
        ``None`` keeps the hyperparameters.

    Returns
    -------
    tuple
        The process found, and the report, which is without its evidence.
    """
    if search is None:
        return start, KEPT
    here, report = _first_guess(start, search)
    n = len(start.y)
    for n_rows in (n // 4, n) if n >= _MANY and not search.warm else (n,):
        part = here if n_rows == n else here.on_few_rows(n_rows)
        if search.free_noise and not search.warm:
            part = part.with_best_noise()
        covariance, noise_var, climbed = optimise(part, _from_here(search))
        report = _after(report, climbed)
        here = replace(here, covariance=covariance, noise_var=noise_var)
    return here, report


def train_in_rounds(
    start: ReducedEvidence, choice: Choice, search: Search | None, rng: np.random.Generator
) -> tuple[ReducedEvidence, FitReport]:
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

    Returns
    -------
    tuple
        As of `train_at`.
    """
    if search is None:
        return choice.made(start, rng), KEPT
    here, counted = _first_guess(start, search)
    best, report, best_evidence = here, counted, -np.inf
    for round_ in range(choice.n_rounds):
        here = choice.made(here, rng)
        if round_ == 0 and search.free_noise and not search.warm:
            here = here.with_best_noise()
        here, climbed = train_at(here, _from_here(search))
        counted = _after(counted, climbed)
        evidence = -here.value(here.start)
        gained = evidence - best_evidence
        if gained > 0.0:
            best, report, best_evidence = here, climbed, evidence
        if gained < _SETTLED:
            break
    return best, _after(counted, replace(report, n_iterations=0, n_evaluations=0, n_starts=0))


def _first_guess(start: ReducedEvidence, search: Search) -> tuple[ReducedEvidence, FitReport]:
    """Return the process with the hyperparameters of a full one on few rows, if any is free."""
    if search.warm:
        return start, KEPT
    few = start.full.on_few_rows(min(len(start.y), _FIRST))
    covariance, noise_var, report = optimise(few, search)
    return replace(start, covariance=covariance, noise_var=noise_var), report


def _from_here(search: Search) -> Search:
    """Return the same search, from where it is told to start and from nowhere else."""
    return replace(search, free_lengthscales=False, free_noise=False, warm=True)


def _after(earlier: FitReport, report: FitReport) -> FitReport:
    """Return a report that counts what came earlier too."""
    return replace(
        report,
        n_iterations=earlier.n_iterations + report.n_iterations,
        n_evaluations=earlier.n_evaluations + report.n_evaluations,
        n_starts=earlier.n_starts + report.n_starts,
    )
