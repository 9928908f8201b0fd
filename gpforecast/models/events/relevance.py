"""Training of a relevance vector classifier: subspace EM around the mean-field equations."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.models.events.mean_field import MeanField, mean_field
from gpforecast.models.sparse_bayes.algorithms import best_first
from gpforecast.models.sparse_bayes.machine import Basis, first_machine
from gpforecast.models.sparse_bayes.training import UPDATES, Cycles

_PRECISIONS = (1e-3, 1e6)  # of a weight, with noise of variance 1: free, and pruned
_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the widths, compared
_QUICK = 20  # cycles after a pass where widths are compared
_COMPARED = 500  # rows, at most, and parts of them, where widths are compared
_PARTS = 5


@dataclass(frozen=True, eq=False)
class ClassMachine:
    """Active basis functions, their precisions, and the posterior of their weights.

    Attributes
    ----------
    basis : Basis
        Its targets are classes, 0 and 1.
    lengthscales : ndarray (d,)
    likelihood : Likelihood
    scheme : str
        Of `mean_field`.
    active : ndarray of int (m,)
    alpha : ndarray (m,)
    Phi : ndarray (n, m)
    found : MeanField
    """

    basis: Basis
    lengthscales: FloatArray
    likelihood: Likelihood
    scheme: str
    active: IntArray
    alpha: FloatArray
    Phi: FloatArray
    found: MeanField

    @classmethod
    def first(
        cls, basis: Basis, lengthscales: FloatArray, likelihood: Likelihood, scheme: str
    ) -> Self:
        """Return the least machine: the bias, or else the most central basis function."""
        active, alpha = first_machine(basis, lengthscales, 1.0).active, np.ones(1)
        Phi = basis.functions(active, lengthscales)
        found = mean_field(Phi, likelihood, basis.y.astype(np.int64), alpha, scheme=scheme)
        return cls(basis, lengthscales, likelihood, scheme, active, alpha, Phi, found)

    def __len__(self) -> int:
        return len(self.active)

    def with_weights(
        self, active: IntArray, alpha: FloatArray, Phi: FloatArray, start: FloatArray
    ) -> Self:
        """Return it with other basis functions or precisions, the weights' mean from a start."""
        found = mean_field(
            Phi, self.likelihood, self.basis.y.astype(np.int64), alpha,
            scheme=self.scheme, start=start, cavity_var=self.found.cavity_var,
        )  # fmt: skip
        return replace(self, active=active, alpha=alpha, Phi=Phi, found=found)

    def presented(self, which: IntArray) -> Self:
        """Let those basis functions enter that raise the evidence, with cavities held.

        They are those of regression on f + tau / omega with the noise variances 1 / omega.
        """
        Phi, omega = self.basis.functions(which, self.lengthscales), self.found.omega
        weighted = omega[:, None] * Phi
        half = self.found.weights.half @ (self.Phi.T @ weighted)
        entering, alpha = best_first(Phi.T @ weighted - half.T @ half, Phi.T @ self.found.pull)
        if not len(alpha):
            return self
        alpha = np.clip(alpha, *_PRECISIONS)
        return self.with_weights(
            np.append(self.active, which[entering]),
            np.append(self.alpha, alpha),
            np.column_stack([self.Phi, Phi[:, entering]]),
            np.append(self.found.weights.mean, np.zeros(len(alpha))),
        )

    def cycled(self, updates: str) -> tuple[Self, float]:
        """Return it after an M-step, which prunes, and an E-step, and the log evidence."""
        alpha = np.maximum(UPDATES[updates](self.found.weights)[0], _PRECISIONS[0])
        keep = alpha < _PRECISIONS[1]
        keep[int(np.argmin(alpha))] = True
        alpha, start = np.minimum(alpha, _PRECISIONS[1])[keep], self.found.weights.mean[keep]
        machine = self.with_weights(self.active[keep], alpha, self.Phi[:, keep], start)
        return machine, machine.found.log_evidence

    def log_probabilities(self, X: FloatArray, y: IntArray) -> FloatArray:
        """Return the log probability of classes y at other inputs, (n,)."""
        Phi = self.basis.functions(self.active, self.lengthscales, X)
        var = ((Phi @ self.found.weights.half.T) ** 2).sum(axis=1)
        return self.likelihood.tilted(y, Phi @ self.found.weights.mean, np.asarray(var)).log_z


@dataclass(frozen=True)
class Training:
    """How training goes.

    Attributes
    ----------
    cycles : Cycles
        After each pass.
    updates : {"mackay", "em"}
        Of the precisions, (2.32) or (2.30).
    n_new, n_cycles : int
        Basis functions presented at once, and cycles between.
    n_passes : int
        Passes over all basis functions.
    seed : int, Generator or None
        For the order.
    """

    cycles: Cycles[ClassMachine]
    updates: str
    n_new: int
    n_cycles: int
    n_passes: int
    seed: Seed


def trained(machine: ClassMachine, t: Training) -> tuple[ClassMachine, bool]:
    """Return the machine of subspace EM, and whether training converged.

    All basis functions are presented in random order, in batches; between them the active ones go
    through a few cycles, and afterwards through as many as gain something.
    """
    best, size, settled = machine, machine.basis.size, False
    cycle, rng = partial(ClassMachine.cycled, updates=t.updates), np.random.default_rng(t.seed)
    for _ in range(t.n_passes):
        before = best.found.log_evidence
        order = rng.permutation(size)
        for start in range(0, size, t.n_new):
            batch = order[start : start + t.n_new]
            machine = machine.presented(batch[~np.isin(batch, machine.active)])
            for _ in range(t.n_cycles):
                machine, value = cycle(machine)
                t.cycles.record(value, machine)
        machine, ended = t.cycles.repeat(cycle, machine, machine.found.log_evidence)
        if machine.found.log_evidence > best.found.log_evidence:
            best = machine
        settled = ended and best.found.log_evidence < before + _WORTH * t.cycles.tol
        if settled:
            break
    return best, settled


def compared_widths(
    basis: Basis, lengthscales: FloatArray, likelihood: Likelihood, t: Training
) -> FloatArray:
    """Return the multiple of widths by which parts of the rows are best predicted from the others.

    The evidence cannot compare widths that are far apart, as for regression.
    """
    order = np.random.default_rng(0).permutation(basis.n)[:_COMPARED]
    parts = [np.sort(part) for part in np.array_split(order, min(_PARTS, len(order)))]
    cycles = replace(t.cycles, max_iter=_QUICK, trace=[])
    quick = replace(t, cycles=cycles, n_passes=1, n_cycles=1)

    def score(factor: float) -> float:
        total = 0.0
        for k, held_out in enumerate(parts):
            rest = np.concatenate([part for i, part in enumerate(parts) if i != k])
            part = Basis(basis.X[rest], basis.y[rest], basis.bias)
            start = ClassMachine.first(part, factor * lengthscales, likelihood, "laplace")
            machine, _ = trained(start, quick)
            y = basis.y[held_out].astype(np.int64)
            total += float(machine.log_probabilities(basis.X[held_out], y).sum())
        return total

    return max(_FACTORS, key=score) * lengthscales
