"""Training: cycles of updates make a pass, and between passes the widths move."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sized
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np

from gpforecast.common.parameters import POSITIVE, check_parameters
from gpforecast.common.progress import SILENT
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import column_spread, lbfgs
from gpforecast.models.sparse_bayes.machine import Machine, tidied
from gpforecast.models.sparse_bayes.weights import Weights

_ASCENT = 40  # steps of the joint ascent after each pass
_NARROWEST = 0.5  # of the starting widths; see `starting_width`
_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another,
_WORTH_A_ROW = 1e-3  # and so many nats for each row

_NEAR, _FAR = 0.5, 3.0  # no logarithm of a width moves further than this in one search
_MANY = 15_000  # evaluations; in effect the steps alone are limited

# Carries the weights' posterior to new precisions and a new noise variance.
Update = Callable[[Weights], tuple[FloatArray, float]]


def em_update(weights: Weights) -> tuple[FloatArray, float]:
    """Return the M-step, (2.30) and (2.31). But for pruning, the evidence never falls."""
    noise_var = (weights.squares + weights.noise_var * float(weights.gamma.sum())) / weights.n
    return 1.0 / (weights.mean**2 + weights.variance), noise_var


def mackay_update(weights: Weights) -> tuple[FloatArray, float]:
    """Return MacKay's fixed point, (2.32): faster, mostly upwards. The old noise does not count."""
    gamma = weights.gamma
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = np.where(gamma > 0.0, gamma / weights.mean**2, np.inf)
    return alpha, weights.squares / max(weights.n - float(gamma.sum()), 1.0)


def shared_update(weights: Weights) -> tuple[FloatArray, float]:
    """Return MacKay's fixed point of one precision for all weights, (2.7): none vanishes."""
    _, noise_var = mackay_update(weights)
    squares = max(float(weights.mean @ weights.mean), float(np.finfo(np.float64).tiny))
    return np.full(len(weights.mean), float(weights.gamma.sum()) / squares), noise_var


UPDATES: dict[str, Update] = {"em": em_update, "mackay": mackay_update, "shared": shared_update}


M = TypeVar("M", bound=Sized)
"""A machine, whose length is the number of active basis functions."""


def unchanged(machine: M) -> M:
    """Leave the widths as they are."""
    return machine


def em_cycle(machine: Machine, update: Update, *, learn_noise: bool) -> tuple[Machine, float]:
    """Do an E-step and an M-step, prune, and return the log evidence before the M-step."""
    weights = machine.quick_weights()
    alpha, noise_var = update(weights)
    noise_var = noise_var if learn_noise else machine.noise_var
    return machine.updated(alpha, noise_var), weights.log_evidence


@dataclass(frozen=True)
class Cycles(Generic[M]):
    """How the cycles of one pass go; every algorithm repeats its own kind of cycle through this.

    Attributes
    ----------
    learn_noise : bool
    max_iter : int
        Cycles (an E-step and an M-step, or one round of single changes) of one pass.
    tol : float
        A cycle that raises the log evidence by less, in nats, gains too little.
    patience : int
        As many cycles in a row that gain too little are the last ones.
    adjust : callable
        Moves the widths of a machine a little, after every cycle but the last.
    trace : list of tuple
        The log evidence and the number of active basis functions after every cycle.
    tick : callable
        Called after every cycle.
    """

    learn_noise: bool = True
    max_iter: int = 200
    tol: float = 0.1
    patience: int = 3
    adjust: Callable[[M], M] = unchanged
    trace: list[tuple[float, int]] = field(default_factory=list)
    tick: Callable[[], object] = SILENT.update

    def record(self, log_evidence: float, machine: M) -> None:
        """Add a cycle to the trace."""
        self.trace.append((log_evidence, len(machine)))
        self.tick()

    def repeat(
        self, cycle: Callable[[M], tuple[M, float]], machine: M, best: float = -np.inf
    ) -> tuple[M, bool]:
        """Repeat a cycle until it gains too little; return also whether it came to that.

        Parameters
        ----------
        cycle : callable
            From a machine to a better one, and the log evidence.
        machine : Machine
        best : float
            The log evidence that the first cycle is to exceed.
        """
        idle = 0
        for _ in range(self.max_iter):
            machine, log_evidence = cycle(machine)
            self.record(log_evidence, machine)
            idle = idle + 1 if log_evidence < best + self.tol else 0
            best = max(best, log_evidence)
            if idle >= self.patience:
                return machine, True
            machine = self.adjust(machine)
        return machine, False


@dataclass(frozen=True, eq=False)
class Ascent:
    """A climb of the evidence in widths, precisions and noise together, the active set held.

    L-BFGS-B on the logarithms, with the gradients (2.22) and (2.38); an evaluation costs
    O(n m^2 + n m d).

    Attributes
    ----------
    narrowest : ndarray (d,)
        Lower bounds of the widths.
    shared : bool
        Whether one factor moves the widths of all inputs.
    learn_noise : bool
    """

    narrowest: FloatArray
    shared: bool
    learn_noise: bool = True

    def climb(self, machine: Machine, n_steps: int, *, widths_alone: bool = False) -> Machine:
        """Return the machine that so many steps lead to.

        Parameters
        ----------
        machine : Machine
        n_steps : int
        widths_alone : bool
            Hold precisions and noise, and do not go far.
        """
        basis, width = machine.basis, machine.lengthscales
        k = 1 if self.shared else len(width)
        m = 0 if widths_alone else len(machine.alpha)
        n_noise = int(self.learn_noise and not widths_alone)

        def unpacked(theta: FloatArray) -> Machine:
            return replace(
                machine,
                alpha=np.exp(theta[k : k + m]) if m else machine.alpha,
                noise_var=float(np.exp(theta[-1])) if n_noise else machine.noise_var,
                lengthscales=width * np.exp(theta[:k]),
            )

        def negative(theta: FloatArray) -> tuple[float, FloatArray]:
            value, by_width, by_alpha, by_noise = evidence_slopes(unpacked(theta))
            if self.shared:
                by_width = by_width.sum(keepdims=True)
            return -value, -np.concatenate([by_width, by_alpha[:m], [by_noise] * n_noise])

        noise = np.log([machine.noise_var] * n_noise)
        start = np.concatenate([np.zeros(k), np.log(machine.alpha[:m]), noise])
        sizes, furthest = (k, m, n_noise), _NEAR if widths_alone else _FAR
        room = np.log(self.narrowest / width)
        lowest = np.repeat(np.log([1.0, basis.precisions[0], basis.min_noise]), sizes)
        lowest[:k] = room.max() if self.shared else room
        highest = np.repeat([np.inf, np.log(basis.precisions[1]), np.inf], sizes)
        lower, upper = np.maximum(start - furthest, lowest), np.minimum(start + furthest, highest)
        n_evaluations = 2 * n_steps + 3 if widths_alone else _MANY
        bounds = np.column_stack([lower, upper])
        start = np.clip(start, lower, upper)
        found = lbfgs(negative, start, bounds, maxiter=n_steps, maxfun=n_evaluations, maxcor=20)
        return unpacked(found.x)


def evidence_slopes(machine: Machine) -> tuple[float, FloatArray, FloatArray, float]:
    r"""Return the log evidence, and its slopes by log theta (d,), log alpha (m,), log sigma^2.

    With :math:`D = (y - \Phi\mu)\mu' - \Phi\Sigma`, eq. (2.38) reads

    .. math::

        \frac{\partial L}{\partial \log\theta_d} = \sigma^{-2} \sum_{ij} D_{ij}\, \phi_j(x_i)
            (X_{id} - X_{jd})^2 / \theta_d^2

    and the others are (2.22). Costs O(n m^2 + n m d) time and O(n m) memory.
    """
    basis, alpha, noise_var = machine.basis, machine.alpha, machine.noise_var
    Phi, weights = machine.Phi, machine.weights
    at_row = machine.active < basis.n
    centers = basis.X[machine.active[at_row]]
    half = weights.half
    D = np.outer(basis.y - Phi @ weights.mean, weights.mean[at_row])
    D -= (Phi @ half.T) @ half[:, at_row]
    D *= Phi[:, at_row] / noise_var
    # sum_ij D_ij (x_i - x_j)^2, multiplied out; X is centred.
    moment = D.sum(axis=1) @ basis.X**2 + D.sum(axis=0) @ centers**2
    moment -= 2.0 * np.einsum("jd,jd->d", D.T @ basis.X, centers)
    gamma = weights.gamma
    by_alpha = 0.5 * (gamma - alpha * weights.mean**2)
    by_noise = 0.5 * (weights.squares / noise_var + float(gamma.sum()) - weights.n)
    return weights.log_evidence, moment / machine.lengthscales**2, by_alpha, by_noise


def widths_of(given: ArrayLike | None, X: FloatArray) -> FloatArray:
    """Return widths (d,): those given, or the spread of each input times the root of d."""
    d = X.shape[1]
    if given is None:
        return column_spread(X) * math.sqrt(d)
    widths = np.atleast_1d(np.array(given, dtype=object))
    if widths.shape not in ((1,), (d,)) or not all(map(POSITIVE.holds, widths)):
        raise ValueError(
            f"lengthscales must be None, a positive number, or one for each of the {d} "
            f"inputs; got {given!r}."
        )
    return np.full(d, widths.astype(np.float64))


@dataclass(frozen=True)
class Algorithm(ABC):
    """One pass of training at the widths it is given.

    A pass `continues` where the last one ended, or starts anew; and an algorithm `repeats` its
    passes if one is worth following by another at the same widths.
    """

    continues: ClassVar[bool] = True
    repeats: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def seeded(self, seed: int) -> Self:
        """Return it with a seed where its own is 0, the default; without one, as it is."""
        own = vars(self)
        return self if own.get("seed", 1) else type(self)(**{**own, "seed": seed})

    @abstractmethod
    def run(self, machine: Machine, cycles: Cycles[Machine]) -> tuple[Machine, bool]:
        """Return a trained machine, and whether training converged."""


def train(
    start: Machine,
    algorithm: Algorithm,
    cycles: Cycles[Machine],
    *,
    adapt: str | None,
    width_steps: int,
    n_passes: int,
) -> tuple[Machine, FitReport]:
    """Return the machine that was found from a start, and how that went.

    All basis functions are offered again in every pass, until one gains too little; with fixed
    widths an algorithm that compares all of them at once needs only one. Where widths are learned
    they may move a little after every M-step, and after each pass widths, precisions and noise
    climb together with the active set held.

    Parameters
    ----------
    start : Machine
    algorithm : Algorithm
    cycles : Cycles
    adapt : {"isotropic", "ard", None}
    width_steps : int
        Line searches after every M-step.
    n_passes : int
    """
    narrowest = _NARROWEST * start.lengthscales
    ascent = Ascent(narrowest, adapt == "isotropic", cycles.learn_noise)
    if adapt is not None and width_steps:
        adjust = partial(ascent.climb, n_steps=width_steps, widths_alone=True)
        cycles = replace(cycles, adjust=adjust)
    once = adapt is None and not algorithm.repeats
    best, best_evidence = start, -np.inf
    machine, settled, converged = start, False, False
    for p in range(1 if once else n_passes):
        machine, settled = algorithm.run(machine, cycles)
        machine = tidied(machine)
        if adapt is not None:
            machine = tidied(ascent.climb(machine, _ASCENT))
        log_evidence = machine.weights.log_evidence
        cycles.record(log_evidence, machine)
        gained = log_evidence - best_evidence
        if gained > 0.0:
            best, best_evidence = machine, log_evidence
        if p and gained < max(_WORTH * cycles.tol, _WORTH_A_ROW * start.basis.n):
            converged = settled
            break
        if not algorithm.continues and cycles.learn_noise:
            # A larger noise makes room for new basis functions.
            machine = replace(machine, noise_var=2.0 * machine.noise_var)
    if not settled:
        message = f"max_iter={cycles.max_iter} was reached while the log evidence still rose"
    elif once:
        message = "the log evidence stopped rising"
    elif converged:
        message = "a pass over the basis functions no longer raised the log evidence"
    else:
        message = f"n_passes={n_passes} was reached; more may raise the log evidence further"
    n = len(cycles.trace)
    converged = converged or (once and settled)
    return best, FitReport(converged, message, n, n, p + 1, best_evidence)
