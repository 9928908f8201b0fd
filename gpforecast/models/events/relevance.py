"""Training of a relevance vector classifier: subspace EM around the mean-field equations."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.models.events.likelihoods import Likelihood
from gpforecast.models.events.mean_field import MeanField, mean_field
from gpforecast.models.sparse_bayes.algorithms import best_first
from gpforecast.models.sparse_bayes.machine import Basis, first_machine
from gpforecast.models.sparse_bayes.training import UPDATES

_PRECISIONS = (1e-3, 1e6)  # of a weight, with noise of variance 1: free, and pruned
_PATIENCE = 3  # cycles that gain less than the tolerance
_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the widths, compared
_QUICK = 20  # cycles after a pass where widths are compared
_COMPARED = 500  # rows, at most, and parts of them, where widths are compared
_PARTS = 5


@dataclass(frozen=True)
class Training:
    """How training goes.

    Attributes
    ----------
    likelihood : Likelihood
    scheme : str
        Of `mean_field`.
    updates : {"mackay", "em"}
        Of the precisions, (2.32) or (2.30).
    n_new, n_cycles : int
        Basis functions presented at once, and cycles between.
    n_passes, max_iter : int
        Passes over all basis functions, and cycles after each of them.
    tol : float
        Nats; a cycle that gains less gains too little.
    seed : int, Generator or None
        For the order.
    tick : callable
        Called after every cycle.
    """

    likelihood: Likelihood
    scheme: str
    updates: str
    n_new: int
    n_cycles: int
    n_passes: int
    max_iter: int
    tol: float
    seed: Seed
    tick: Callable[[], object]
    trace: list[tuple[float, int]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class ClassMachine:
    """Active basis functions, their precisions, and the posterior of their weights.

    Attributes
    ----------
    basis : Basis
        Its targets are classes, 0 and 1.
    lengthscales : ndarray (d,)
    active : ndarray of int (m,)
    alpha : ndarray (m,)
    Phi : ndarray (n, m)
    found : MeanField
    """

    basis: Basis
    lengthscales: FloatArray
    active: IntArray
    alpha: FloatArray
    Phi: FloatArray
    found: MeanField

    @classmethod
    def first(cls, basis: Basis, lengthscales: FloatArray, training: Training) -> Self:
        """Return the least machine: the bias, or else the most central basis function."""
        active, alpha = first_machine(basis, lengthscales, 1.0).active, np.ones(1)
        Phi = basis.functions(active, lengthscales)
        found = _solve(training, basis, Phi, alpha, None, None)
        return cls(basis, lengthscales, active, alpha, Phi, found)

    def with_weights(
        self, active: IntArray, alpha: FloatArray, Phi: FloatArray, start: FloatArray, t: Training
    ) -> Self:
        """Return it with other basis functions or precisions."""
        found = _solve(t, self.basis, Phi, alpha, self.found, start)
        return replace(self, active=active, alpha=alpha, Phi=Phi, found=found)

    def presented(self, which: IntArray, t: Training) -> Self:
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
            t,
        )

    def cycled(self, t: Training) -> Self:
        """Return it after an M-step, which prunes, and an E-step."""
        alpha = np.maximum(UPDATES[t.updates](self.found.weights)[0], _PRECISIONS[0])
        keep = alpha < _PRECISIONS[1]
        keep[int(np.argmin(alpha))] = True
        alpha, start = np.minimum(alpha, _PRECISIONS[1])[keep], self.found.weights.mean[keep]
        machine = self.with_weights(self.active[keep], alpha, self.Phi[:, keep], start, t)
        t.trace.append((machine.found.log_evidence, len(alpha)))
        t.tick()
        return machine

    def log_probabilities(self, X: FloatArray, y: IntArray, likelihood: Likelihood) -> FloatArray:
        """Return the log probability of classes y at other inputs, (n,)."""
        Phi = self.basis.functions(self.active, self.lengthscales, X)
        var = ((Phi @ self.found.weights.half.T) ** 2).sum(axis=1)
        return likelihood.tilted(y, Phi @ self.found.weights.mean, np.asarray(var)).log_z


def _solve(
    t: Training,
    basis: Basis,
    Phi: FloatArray,
    alpha: FloatArray,
    before: MeanField | None,
    start: FloatArray | None,
) -> MeanField:
    y, V = basis.y.astype(np.int64), None if before is None else before.cavity_var
    return mean_field(Phi, t.likelihood, y, alpha, scheme=t.scheme, start=start, cavity_var=V)


def trained(basis: Basis, lengthscales: FloatArray, t: Training) -> tuple[ClassMachine, bool]:
    """Return the machine of subspace EM, and whether training converged.

    All basis functions are presented in random order, in batches; between them the active ones go
    through a few cycles, and afterwards through as many as gain something.
    """
    machine = best = ClassMachine.first(basis, lengthscales, t)
    rng = np.random.default_rng(t.seed)
    settled = False
    for _ in range(t.n_passes):
        before = best.found.log_evidence
        order = rng.permutation(basis.size)
        for start in range(0, basis.size, t.n_new):
            batch = order[start : start + t.n_new]
            machine = machine.presented(batch[~np.isin(batch, machine.active)], t)
            for _ in range(t.n_cycles):
                machine = machine.cycled(t)
        machine, ended = _cycled_out(machine, t)
        if machine.found.log_evidence > best.found.log_evidence:
            best = machine
        settled = ended and best.found.log_evidence < before + _WORTH * t.tol
        if settled:
            break
    return best, settled


def _cycled_out(machine: ClassMachine, t: Training) -> tuple[ClassMachine, bool]:
    """Repeat cycles until some in a row gain too little."""
    best, idle = machine.found.log_evidence, 0
    for _ in range(t.max_iter):
        machine = machine.cycled(t)
        value = machine.found.log_evidence
        idle = idle + 1 if value < best + t.tol else 0
        best = max(best, value)
        if idle >= _PATIENCE:
            return machine, True
    return machine, False


def compared_widths(basis: Basis, lengthscales: FloatArray, t: Training) -> FloatArray:
    """Return the multiple of widths by which parts of the rows are best predicted from the others.

    The evidence cannot compare widths that are far apart, as for regression.
    """
    order = np.random.default_rng(0).permutation(basis.n)[:_COMPARED]
    parts = [np.sort(part) for part in np.array_split(order, min(_PARTS, len(order)))]
    quick = replace(t, scheme="laplace", n_passes=1, n_cycles=1, max_iter=_QUICK, trace=[])

    def score(factor: float) -> float:
        total = 0.0
        for k, other in enumerate(parts):
            others = np.concatenate([part for i, part in enumerate(parts) if i != k])
            part = Basis(basis.X[others], basis.y[others], basis.bias)
            machine, _ = trained(part, factor * lengthscales, quick)
            y = basis.y[other].astype(np.int64)
            total += float(machine.log_probabilities(basis.X[other], y, t.likelihood).sum())
        return total

    return max(_FACTORS, key=score) * lengthscales
