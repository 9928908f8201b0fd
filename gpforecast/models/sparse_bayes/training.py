"""Training a sparse Bayesian model: passes of an algorithm, and the widths between them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse_bayes.evidence import Rows, Sparse, Weights, infer
from gpforecast.models.sparse_bayes.fast import tidied
from gpforecast.models.sparse_bayes.full import Adjust, FullEM, Watch
from gpforecast.models.sparse_bayes.subspace import SubspaceEM
from gpforecast.models.sparse_bayes.widths import climb_everything, climb_widths, search_width
from gpforecast.models.sparse_bayes.working import Settings, Working

_SMALL = 300  # rows for which all bumps at once are quick
_SUBSET = 1000  # rows on which starting widths are compared
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
_ASCENT = 40  # steps of the joint ascent after each pass
_NARROWEST = 0.5  # of the starting widths; see `starting_width`
_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another,
_WORTH_A_ROW = 1e-3  # and so many nats for each row


class Algorithm(Protocol):
    """One pass of training at the widths it is given.

    A pass `continues` where the last one ended, or starts anew; and an algorithm `repeats` its
    passes if one is worth following by another at the same widths.
    """

    continues: ClassVar[bool]
    repeats: ClassVar[bool]

    def run(
        self, rows: Rows, start: Sparse, settings: Settings, watch: Watch, adjust: Adjust | None
    ) -> tuple[Sparse, bool]:
        """Return the trained model and whether it converged."""
        ...


@dataclass
class Trace:
    """The log evidence and the number of active basis functions after every cycle."""

    tick: Callable[[], object] = lambda: None
    log_evidence: list[float] = field(default_factory=list)
    n_active: list[int] = field(default_factory=list)

    def __call__(self, log_evidence: float, n_active: int) -> None:
        """Take down a cycle."""
        self.log_evidence.append(log_evidence)
        self.n_active.append(n_active)
        self.tick()


@dataclass(frozen=True, eq=False)
class Trained:
    """What training found.

    Attributes
    ----------
    model : Sparse
    weights : Weights
    trace : Trace
    converged : bool
    message : str
    n_passes : int
    """

    model: Sparse
    weights: Weights
    trace: Trace
    converged: bool
    message: str
    n_passes: int


def train(
    rows: Rows,
    start: Sparse,
    algorithm: Algorithm,
    settings: Settings,
    *,
    adapt: str | None,
    width_steps: int,
    n_passes: int,
    trace: Trace,
) -> Trained:
    """Train from a start.

    All basis functions are offered again in every pass, until one gains too little; with fixed
    widths an algorithm that compares all of them at once needs only one. Where widths are learned
    they may move a little after every M-step, and after each pass widths, precisions and noise
    climb together with the active set held.

    Parameters
    ----------
    rows : Rows
    start : Sparse
    algorithm : Algorithm
    settings : Settings
    adapt : {"isotropic", "ard", None}
    width_steps : int
        Line searches after every M-step.
    n_passes : int
    trace : Trace
    """
    narrowest = _NARROWEST * start.lengthscales
    once = adapt is None and not algorithm.repeats

    def adjust(work: Working) -> None:
        if adapt == "isotropic":
            search_width(work, narrowest, n_evaluations=2 * width_steps + 1)
        else:
            climb_widths(work, narrowest, n_steps=width_steps)

    best, best_evidence = start, -np.inf
    model, settled, converged = start, False, False
    for p in range(1 if once else n_passes):
        moving = adjust if adapt is not None and width_steps else None
        model, settled = algorithm.run(rows, model, settings, trace, moving)
        model = tidied(rows, model)
        if adapt is not None:
            shared = adapt == "isotropic"
            model = climb_everything(
                rows, model, settings, narrowest, shared=shared, n_steps=_ASCENT
            )
            model = tidied(rows, model)
        log_evidence = _weights(rows, model).log_evidence
        trace(log_evidence, len(model.active))
        gained = log_evidence - best_evidence
        if gained > 0.0:
            best, best_evidence = model, log_evidence
        if p and gained < max(_WORTH * settings.tol, _WORTH_A_ROW * rows.n):
            converged = settled
            break
        if not algorithm.continues and settings.learn_noise:
            model = replace(model, noise_var=2.0 * model.noise_var)  # room for what comes anew
    if once:
        converged = settled
    if not settled:
        message = f"max_iter={settings.max_iter} was reached while the log evidence still rose"
    elif once:
        message = "the log evidence stopped rising"
    elif converged:
        message = "a pass over the basis functions no longer raised the log evidence"
    else:
        message = f"n_passes={n_passes} was reached; more may raise the log evidence further"
    return Trained(best, _weights(rows, best), trace, converged, message, p + 1)


def _weights(rows: Rows, model: Sparse) -> Weights:
    Phi = rows.bumps(model.active, model.lengthscales)
    return infer(Phi, Phi.T @ Phi, rows.y, model.alpha, model.noise_var)


def first_model(rows: Rows, lengthscales: FloatArray, noise_var: float) -> Sparse:
    """Return the least machine: one basis function, the bias or else the best bump."""
    if rows.bias:
        active = np.array([rows.n])
    else:
        middle = np.argmin((rows.X**2 / lengthscales**2).sum(axis=1))
        active = np.array([int(middle)])
    return Sparse(active, np.array([1.0 / rows.power]), noise_var, lengthscales)


def starting_width(
    rows: Rows, lengthscales: FloatArray, noise_var: float, *, learn_noise: bool = True
) -> FloatArray:
    """Compare multiples of widths by how well they predict rows left out; return half of the best.

    The evidence is no judge of widths that are far apart: bumps so narrow that each covers one row
    have the highest of all, and predict nothing (thesis, figure 2.3). The best is the widest that
    is no worse than any other by more than a standard error. Half, because from bumps that are a
    little too narrow the search finds higher evidence than from bumps too wide.
    """
    order = np.random.default_rng(0).permutation(rows.n)
    half = min(_SUBSET, rows.n - rows.n // 2)
    seen, left_out = np.sort(order[:half]), np.sort(order[half : 2 * half])
    subset = Rows(rows.X[seen], rows.y[seen], rows.bias)
    settings = Settings(learn_noise, max_iter=30, tol=1.0)

    quick: Algorithm = FullEM() if subset.n <= _SMALL else SubspaceEM()

    def scores(factor: float) -> FloatArray:
        start = first_model(subset, factor * lengthscales, noise_var)
        model, _ = quick.run(subset, start, settings, Trace(), None)
        return _log_densities(subset, model, rows.X[left_out], rows.y[left_out])

    table = np.array([scores(factor) for factor in _FACTORS])
    lead = table[int(np.argmax(table.mean(axis=1)))] - table  # of the best, row by row
    error = lead.std(axis=1) / np.sqrt(lead.shape[1])
    widest = int(np.flatnonzero(lead.mean(axis=1) <= error)[-1])
    return 0.5 * _FACTORS[widest] * lengthscales


def _log_densities(rows: Rows, model: Sparse, X: FloatArray, y: FloatArray) -> FloatArray:
    """Return log predictive densities, but for a constant, of targets y at inputs X."""
    weights = _weights(rows, model)
    both = Rows(np.concatenate([rows.X, X]), np.concatenate([rows.y, y]), rows.bias)
    active = np.where(model.active < rows.n, model.active, both.n)
    Phi = both.bumps(active, model.lengthscales)[rows.n :]
    var = model.noise_var + ((Phi @ (weights.root / np.sqrt(model.alpha)).T) ** 2).sum(axis=1)
    values: FloatArray = -0.5 * ((y - Phi @ weights.mean) ** 2 / var + np.log(var))
    return values
