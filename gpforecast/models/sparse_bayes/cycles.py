"""Cycles of training: the updates they repeat, and when they end."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gpforecast.common.progress import SILENT
from gpforecast.common.types import FloatArray
from gpforecast.models.sparse_bayes.machine import Machine
from gpforecast.models.sparse_bayes.weights import Weights

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


Adjust = Callable[[Machine], Machine]


def _unchanged(machine: Machine) -> Machine:
    """Leave the widths as they are."""
    return machine


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
    adjust : callable
        Moves the widths of a machine a little.
    trace : list of tuple
        The log evidence and the number of active basis functions after every cycle.
    tick : callable
        Called after every cycle.
    """

    learn_noise: bool = True
    max_iter: int = 200
    tol: float = 0.1
    patience: int = 3
    adjust: Adjust = _unchanged
    trace: list[tuple[float, int]] = field(default_factory=list)
    tick: Callable[[], object] = SILENT.update

    def record(self, log_evidence: float, machine: Machine) -> None:
        """Add a cycle to the trace."""
        self.trace.append((log_evidence, len(machine)))
        self.tick()

    def repeat(
        self,
        cycle: Callable[[Machine], tuple[Machine, float]],
        machine: Machine,
        between: Adjust = _unchanged,
    ) -> tuple[Machine, bool]:
        """Repeat a cycle until it gains too little; return also whether it came to that.

        Parameters
        ----------
        cycle : callable
            From a machine to a better one, and the log evidence.
        machine : Machine
        between : callable
            Is applied after every cycle but the last.
        """
        best, idle = -np.inf, 0
        for _ in range(self.max_iter):
            machine, log_evidence = cycle(machine)
            self.record(log_evidence, machine)
            idle = idle + 1 if log_evidence < best + self.tol else 0
            best = max(best, log_evidence)
            if idle >= self.patience:
                return machine, True
            machine = between(machine)
        return machine, False

    def em_cycle(self, machine: Machine, update: Update) -> tuple[Machine, float]:
        """Do an E-step and an M-step, prune, and return the log evidence before the M-step."""
        weights = machine.quick_weights()
        alpha, noise_var = update(weights)
        noise_var = noise_var if self.learn_noise else machine.noise_var
        return machine.updated(alpha, noise_var), weights.log_evidence
