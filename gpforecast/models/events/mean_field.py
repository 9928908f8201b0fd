r"""Mean-field theory of two classes for a linear model of basis functions, f = Phi w.

With :math:`w \sim N(0, A^{-1})` and the tilted moments of a row's likelihood at the cavity
:math:`N(y_i^c, V_i^c)`, the mean of the weights solves

.. math:: \mu = A^{-1} \Phi' \tau, \quad \tau_i = \partial \log Z(y_i^c, V_i^c) / \partial y_i^c,
    \quad y_i^c = \phi_i' \mu - V_i^c \tau_i

(Quinonero-Candela and Winther 2003, (16) to (19)). Schemes differ in V alone:
0 is Laplace's approximation, the prior variance of f the naive mean field, and the variance of f
without the row the adaptive TAP one, whose fixed point is that of expectation propagation.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Self

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.events.likelihoods import Likelihood, Tilted
from gpforecast.models.sparse_bayes import SubspaceEM
from gpforecast.models.sparse_bayes.algorithms import best_first
from gpforecast.models.sparse_bayes.machine import Basis, Machine, first_machine
from gpforecast.models.sparse_bayes.training import UPDATES, Cycles
from gpforecast.models.sparse_bayes.weights import Weights

SCHEMES = ("laplace", "mean_field", "tap")
_TOLERANCE = 1e-10  # of the objective that a step of Newton may still gain, in nats
_STEPS = 100
_MATCHED = 1e-5  # change of the cavity variances, in units of the largest prior variance
_ROUNDS = 100
_FURTHEST = 1e5  # standard deviations; beyond, tilted moments lose their digits
_DAMPED = 5  # rounds after which steps are shorter
_DAMPING = 0.6

_WORTH = 10.0  # a pass must gain so many times a cycle's tolerance to be followed by another
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # of the widths, compared
_QUICK = 20  # cycles after a pass where widths are compared
_COMPARED = 500  # rows, at most, and parts of them, where widths are compared
_PARTS = 5


@dataclass(frozen=True, eq=False)
class MeanField:
    r"""The Gaussian that stands for the posterior of the weights.

    Attributes
    ----------
    weights : Weights
        Of :math:`\Sigma = (A + \Phi' \Omega \Phi)^{-1}`, (17).
    pull : ndarray (n,)
        :math:`\tau`.
    omega : ndarray (n,)
        What stands for 1 / noise variance at each row.
    log_evidence : float
        In nats: that of expectation propagation, or of Laplace's approximation.
    cavity_var : ndarray (n,)
        V.
    converged : bool
    """

    weights: Weights
    pull: FloatArray
    omega: FloatArray
    log_evidence: float
    cavity_var: FloatArray
    converged: bool


@dataclass(frozen=True, eq=False)
class Cavity:
    """Tilted moments of all rows at means f and cavity variances V, and J of these rows.

    J = sum log Z + V tau^2 / 2 is concave in f, with the slope tau and the curvature -omega.
    """

    tilted: Tilted
    V: FloatArray

    @staticmethod
    def at(likelihood: Likelihood, y: IntArray, f: FloatArray, V: FloatArray) -> "Cavity":
        """Solve y^c + V tau(y^c) = f row by row, by Newton's method; it is monotone in y^c."""
        # Further out V tau is below one, and Newton's steps would be short.
        s = np.sqrt(V + likelihood.noise_var)
        far, furthest = s * np.sqrt(2.0 * np.log1p(V)), np.maximum(_FURTHEST * s, np.abs(f))
        tilted = likelihood.tilted(y, f, V)
        mean = np.where(tilted.slope > 0.0, np.minimum(f, far), np.maximum(f, -far))
        tilted = likelihood.tilted(y, mean, V)
        for _ in range(_STEPS):
            step = (mean + V * tilted.slope - f) / (1.0 + V * tilted.curvature)
            mean = np.clip(mean - step, -furthest, furthest)
            tilted = likelihood.tilted(y, mean, V)
            if np.abs(step).max() < 1e-12 * (1.0 + np.abs(f).max()):
                break
        return Cavity(tilted, V)

    @property
    def J(self) -> float:  # noqa: N802 - the letter of the free energy
        """In nats."""
        return float((self.tilted.log_z + 0.5 * self.V * self.tilted.slope**2).sum())

    @property
    def omega(self) -> FloatArray:
        """The precisions that stand for the noise of regression."""
        b = self.tilted.curvature
        return np.asarray(-b / (1.0 + b * self.V))


def mean_field(
    Phi: FloatArray,
    likelihood: Likelihood,
    y: IntArray,
    alpha: FloatArray,
    *,
    scheme: str = "tap",
    start: FloatArray | None = None,
    cavity_var: FloatArray | None = None,
) -> MeanField:
    """Return the mean-field posterior of the weights.

    Parameters
    ----------
    Phi : ndarray (n, m)
    likelihood : Likelihood
        Log-concave.
    y : ndarray (n,) of int
    alpha : ndarray (m,)
        Prior precisions of the weights.
    scheme : {"laplace", "mean_field", "tap"}
    start : ndarray (m,), optional
        Of the mean.
    cavity_var : ndarray (n,), optional
        From which ``"tap"`` starts.

    Notes
    -----
    A step of Newton costs O(n m^2 + m^3). ``"tap"`` solves for the mean once for every set of
    cavity variances.
    """
    mean = np.zeros(len(alpha)) if start is None else start
    prior = np.asarray((Phi**2 / alpha).sum(axis=1))
    if scheme != "tap":
        return _solved(
            Phi, likelihood, y, alpha, 0.0 * prior if scheme == "laplace" else prior, mean
        )
    V = prior if cavity_var is None else np.minimum(cavity_var, prior)
    for k in range(_ROUNDS):
        found = _solved(Phi, likelihood, y, alpha, V, mean)
        mean = found.weights.mean
        var = np.asarray(((Phi @ found.weights.half.T) ** 2).sum(axis=1))
        new = np.minimum(var / np.maximum(1.0 - found.omega * var, np.finfo(float).tiny), prior)
        if np.abs(new - V).max() <= _MATCHED * prior.max():
            return found
        V = V + (1.0 if k < _DAMPED else _DAMPING) * (new - V)
    return replace(found, converged=False)


def _solved(
    Phi: FloatArray,
    likelihood: Likelihood,
    y: IntArray,
    alpha: FloatArray,
    V: FloatArray,
    mean: FloatArray,
) -> MeanField:
    """Return the solution for given cavity variances, by Newton steps (19) that never go down."""
    here = Cavity.at(likelihood, y, Phi @ mean, V)
    J, converged = here.J - 0.5 * float(alpha @ mean**2), False
    for _ in range(_STEPS):
        root = _root(Phi, here.omega, alpha)
        slope = Phi.T @ here.tilted.slope - alpha * mean
        step = (root.T @ (root @ (slope / np.sqrt(alpha)))) / np.sqrt(alpha)
        gain = float(slope @ step)
        converged = gain < _TOLERANCE
        if converged:
            break
        for size in 0.5 ** np.arange(30):
            further = mean + size * step
            there = Cavity.at(likelihood, y, Phi @ further, V)
            J_there = there.J - 0.5 * float(alpha @ further**2)
            if J_there >= J + 1e-4 * size * gain:
                break
        else:
            converged = True  # what is left is rounding
            break
        mean, here, J = further, there, J_there
    weights = Weights(mean, root, 0.0, len(y), alpha, 1.0)
    grown = 0.5 * float(np.log1p(here.omega * V).sum())
    evidence = J + grown + float(np.log(np.diag(root)).sum())
    return MeanField(weights, here.tilted.slope, here.omega, evidence, V, converged)


def _root(Phi: FloatArray, omega: FloatArray, alpha: FloatArray) -> FloatArray:
    """Return the inverse of the lower factor of I + A^-1/2 Phi' Omega Phi A^-1/2."""
    scaled = Phi / np.sqrt(alpha)
    B = scaled.T @ (omega[:, None] * scaled)
    B.flat[:: len(B) + 1] += 1.0
    L, _ = scipy.linalg.lapack.dpotrf(B, lower=1, clean=1)
    return np.asarray(scipy.linalg.lapack.dtrtri(L, lower=1)[0])


class ClassBasis(Basis):
    """Basis functions for targets that are classes, 0 and 1: their unit is the noise."""

    precisions = np.array([1e-3, 1e6])


@dataclass(frozen=True, eq=False)
class ClassMachine(Machine):
    """A machine of classes, whose posterior of the weights is that of mean-field theory.

    Attributes
    ----------
    likelihood : Likelihood
    scheme : str
        Of `mean_field`.
    earlier : MeanField or None
        That of a machine before, from whose cavity variances it is found.
    start : ndarray (m,) or None
        Where the search for the weights' mean begins.
    """

    likelihood: Likelihood
    scheme: str
    earlier: MeanField | None = None
    start: FloatArray | None = None

    @classmethod
    def first(
        cls, basis: Basis, lengthscales: FloatArray, likelihood: Likelihood, scheme: str
    ) -> Self:
        """Return the least machine: the bias, or else the most central basis function."""
        active = first_machine(basis, lengthscales, 1.0).active
        return cls(basis, active, np.ones(1), 1.0, lengthscales, likelihood, scheme)

    @cached_property
    def found(self) -> MeanField:
        """The posterior of the weights."""
        return mean_field(
            self.Phi, self.likelihood, self.basis.y.astype(np.int64), self.alpha,
            scheme=self.scheme, start=self.start,
            cavity_var=None if self.earlier is None else self.earlier.cavity_var,
        )  # fmt: skip

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
        alpha = np.clip(alpha, *self.basis.precisions)
        start = np.append(self.found.weights.mean, np.zeros(len(alpha)))
        machine = self.admitting(which[entering], Phi[:, entering], alpha)
        return machine.carrying(earlier=self.found, start=start)

    def cycled(self, updates: str) -> tuple[Self, float]:
        """Return it after an M-step, which prunes, and an E-step, and the log evidence."""
        machine = self.updated(UPDATES[updates](self.found.weights)[0], self.noise_var)
        start = self.found.weights.mean[np.isin(self.active, machine.active)]
        machine.carrying(earlier=self.found, start=start)
        return machine, machine.found.log_evidence

    def log_probabilities(self, X: FloatArray, y: IntArray) -> FloatArray:
        """Return the log probability of classes y at other inputs, (n,)."""
        Phi = self.basis.functions(self.active, self.lengthscales, X)
        var = ((Phi @ self.found.weights.half.T) ** 2).sum(axis=1)
        return self.likelihood.tilted(y, Phi @ self.found.weights.mean, np.asarray(var)).log_z

    def trained(
        self, how: SubspaceEM, cycles: "Cycles[ClassMachine]", n_passes: int
    ) -> "tuple[ClassMachine, bool]":
        """Return the machine of subspace EM, and whether training converged.

        All basis functions are presented in random order, in batches; between them the active ones
        go through a few cycles, and afterwards through as many as gain something.
        """
        machine = best = self
        size, settled, rng = self.basis.size, False, np.random.default_rng(how.seed)
        cycle = partial(ClassMachine.cycled, updates=how.updates)
        n_new, n_cycles = how.n_new or size, how.n_cycles or 1
        for _ in range(n_passes):
            before = best.found.log_evidence
            order = rng.permutation(size)
            for start in range(0, size, n_new):
                batch = order[start : start + n_new]
                machine = machine.presented(batch[~np.isin(batch, machine.active)])
                for _ in range(n_cycles):
                    machine, value = cycle(machine)
                    cycles.record(value, machine)
            machine, ended = cycles.repeat(cycle, machine, machine.found.log_evidence)
            if machine.found.log_evidence > best.found.log_evidence:
                best = machine
            settled = ended and best.found.log_evidence < before + _WORTH * cycles.tol
            if settled:
                break
        return best, settled

    def at_best_widths(self, how: SubspaceEM, cycles: "Cycles[ClassMachine]") -> "ClassMachine":
        """Return the least machine of a multiple of its widths: the best of parts from the others.

        The evidence cannot compare widths that are far apart, as for regression.
        """
        basis, likelihood = self.basis, self.likelihood
        order = np.random.default_rng(0).permutation(basis.n)[:_COMPARED]
        parts = [np.sort(part) for part in np.array_split(order, min(_PARTS, len(order)))]
        cycles, quick = replace(cycles, max_iter=_QUICK, trace=[]), replace(how, n_cycles=1)

        def score(factor: float) -> float:
            total = 0.0
            for k, held_out in enumerate(parts):
                rest = np.concatenate([part for i, part in enumerate(parts) if i != k])
                part = replace(basis, X=basis.X[rest], y=basis.y[rest])
                start = ClassMachine.first(part, factor * self.lengthscales, likelihood, "laplace")
                machine, _ = start.trained(quick, cycles, 1)
                y = basis.y[held_out].astype(np.int64)
                total += float(machine.log_probabilities(basis.X[held_out], y).sum())
            return total

        best = max(_FACTORS, key=score)
        return self.first(basis, best * self.lengthscales, likelihood, self.scheme)
