"""Cycles of training: the active basis functions that they change, and when they end."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from gpforecast.common.progress import SILENT
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.sparse_bayes.basis import Basis, Machine
from gpforecast.models.sparse_bayes.weights import Weights, infer, infer_from_products

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


UPDATES: dict[str, Update] = {"em": em_update, "mackay": mackay_update}


class ActiveSet:
    """The active basis functions at the training rows, kept in step with their machine.

    Memory is O(n m + m^2) for m active basis functions; a cycle costs O(m^3), and O(n m) more
    where the noise is small.
    """

    def __init__(self, basis: Basis, machine: Machine) -> None:
        self.basis = basis
        self.move(machine)

    def __len__(self) -> int:
        return len(self.machine.active)

    def move(self, machine: Machine) -> None:
        """Take another machine."""
        self.machine = machine
        self.Phi = self.basis.functions(machine.active, machine.lengthscales)  # (n, m)
        self.gram = self.Phi.T @ self.Phi
        self.across = self.Phi.T @ self.basis.y

    def weights(self) -> Weights:
        """Return the posterior of the weights: the E-step."""
        y, alpha, noise_var = self.basis.y, self.machine.alpha, self.machine.noise_var
        known = infer_from_products(self.gram, self.across, float(y @ y), len(y), alpha, noise_var)
        return infer(self.Phi, self.gram, y, alpha, noise_var) if known is None else known

    def update(self, alpha: FloatArray, noise_var: float) -> None:
        """Take new precisions and noise, within what can be represented, and prune."""
        noise_var = max(noise_var, self.basis.min_noise)
        alpha = np.maximum(alpha, self.basis.min_precision)
        keep = alpha < self.basis.max_precision
        if not keep.any():
            keep[int(np.argmin(alpha))] = True  # a machine of none would have no posterior
            alpha = np.minimum(alpha, self.basis.max_precision)
        self.machine = replace(self.machine, alpha=alpha, noise_var=noise_var)
        if not keep.all():
            self.machine = self.machine.only(keep)
            self.Phi = self.Phi[:, keep]
            self.gram, self.across = self.gram[np.ix_(keep, keep)], self.across[keep]

    def admit(self, which: IntArray, Phi: FloatArray, alpha: FloatArray) -> None:
        """Take basis functions in, with their values at the rows (n, k) and precisions (k,)."""
        self.machine = self.machine.with_functions(which, alpha)
        side = self.Phi.T @ Phi
        self.gram = np.block([[self.gram, side], [side.T, Phi.T @ Phi]])
        self.across = np.append(self.across, Phi.T @ self.basis.y)
        self.Phi = np.concatenate([self.Phi.T, Phi.T]).T  # in Fortran order

    def em_cycle(self, update: Update, *, learn_noise: bool) -> float:
        """Do an E-step and an M-step, prune, and return the log evidence before the M-step."""
        weights = self.weights()
        alpha, noise_var = update(weights)
        self.update(alpha, noise_var if learn_noise else self.machine.noise_var)
        return weights.log_evidence


@dataclass
class Trace:
    """The log evidence and the number of active basis functions after every cycle."""

    tick: Callable[[], object] = SILENT.update
    log_evidence: list[float] = field(default_factory=list)
    n_active: list[int] = field(default_factory=list)

    def add(self, log_evidence: float, n_active: int) -> None:
        """Record a cycle."""
        self.log_evidence.append(log_evidence)
        self.n_active.append(n_active)
        self.tick()


Adjust = Callable[[ActiveSet], None]


def _nothing(active: ActiveSet) -> None:
    """Leave the widths as they are."""


@dataclass(frozen=True)
class Cycles:
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
    trace : Trace
    adjust : callable
        Moves the widths of an active set a little.
    """

    learn_noise: bool = True
    max_iter: int = 200
    tol: float = 0.1
    patience: int = 3
    trace: Trace = field(default_factory=Trace)
    adjust: Adjust = _nothing

    def repeat(
        self, cycle: Callable[[], float], active: ActiveSet, between: Adjust = _nothing
    ) -> bool:
        """Repeat a cycle until it gains too little; return whether it came to that.

        Parameters
        ----------
        cycle : callable
            Changes the active set and returns the log evidence.
        active : ActiveSet
        between : callable
            Is called with the active set after every cycle but the last.
        """
        best, idle = -np.inf, 0
        for _ in range(self.max_iter):
            log_evidence = cycle()
            self.trace.add(log_evidence, len(active))
            idle = idle + 1 if log_evidence < best + self.tol else 0
            best = max(best, log_evidence)
            if idle >= self.patience:
                return True
            between(active)
        return False
