"""Basis functions that a relevance vector machine may choose from, and single changes."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.estimator import Estimator
from gpforecast.models.sparse_bayes.weights import Weights, infer, infer_from_products
from gpforecast.posteriors.augmented import features_and_bias
from gpforecast.posteriors.extended_linear import Posterior

_PRECISIONS = np.array([1e-14, 1e9])  # over the targets' variance
_MIN_NOISE = 1e-10  # times the targets' variance


@dataclass(frozen=True, eq=False)
class Basis:
    """The training set, with a basis function at each of its rows, (2.6), and perhaps a constant.

    Basis function j < n stands at row j; number n, if there is a bias, is 1 everywhere.

    Attributes
    ----------
    X : ndarray (n, d)
        Centred, so that squared distances keep their digits.
    y : ndarray (n,)
    bias : bool
    expected : float
        The square of one more residual, that of a row at which all basis functions are 0: a prior
        on the noise. 0 if there is none.
    """

    X: FloatArray
    y: FloatArray
    bias: bool
    expected: float = 0.0

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def size(self) -> int:
        """The number of basis functions."""
        return self.n + self.bias

    @cached_property
    def power(self) -> float:
        """The scale of all variances: the targets' own, about 0 if there is no bias; not 0."""
        about = self.y.mean() if self.bias else 0.0
        return float(np.mean((self.y - about) ** 2)) or float(np.mean(self.y**2)) or 1.0

    @property
    def precisions(self) -> FloatArray:
        """Of a weight that is as good as free, and of one that is zero, and pruned: (2,)."""
        return _PRECISIONS / self.power

    @property
    def min_noise(self) -> float:
        """Less noise is beyond double precision."""
        return _MIN_NOISE * self.power

    def functions(
        self, which: IntArray, lengthscales: FloatArray, at: FloatArray | None = None
    ) -> FloatArray:
        """Return basis functions `which` at every row, or at other inputs.

        The result, (n, m), is in Fortran order.
        """
        scaled = self.X / lengthscales
        inputs = scaled if at is None else at / lengthscales
        Phi = np.ones((len(inputs), len(which)), order="F")
        at_row = which < self.n
        k = scipy.spatial.distance.cdist(scaled[which[at_row]], inputs, "sqeuclidean")
        Phi[:, at_row] = np.exp(-0.5 * k, out=k).T
        return Phi


@dataclass(frozen=True, eq=False)
class Machine:
    """The state of training: which basis functions are active, with what precisions and widths.

    Its values at the rows are computed when they are needed, and carried along where a part of the
    basis functions leaves or others enter. Memory is then O(n m + m^2) for m of them.

    Attributes
    ----------
    basis : Basis
    active : ndarray of int (m,)
    alpha : ndarray (m,)
        Prior precisions of their weights, (2.16).
    noise_var : float
    lengthscales : ndarray (d,)
    """

    basis: Basis
    active: IntArray
    alpha: FloatArray
    noise_var: float
    lengthscales: FloatArray

    def __len__(self) -> int:
        return len(self.active)

    @cached_property
    def Phi(self) -> FloatArray:  # noqa: N802 - the papers' letter
        """The active basis functions at the rows, (n, m)."""
        return self.basis.functions(self.active, self.lengthscales)

    @cached_property
    def gram(self) -> FloatArray:
        """Phi' Phi, (m, m)."""
        return np.asarray(self.Phi.T @ self.Phi)

    @cached_property
    def across(self) -> FloatArray:
        """Phi' y, (m,)."""
        return np.asarray(self.Phi.T @ self.basis.y)

    @cached_property
    def weights(self) -> Weights:
        """The posterior of the weights, to all digits there are: O(n m^2 + m^3)."""
        found = infer(self.Phi, self.gram, self.basis.y, self.alpha, self.noise_var)
        return found.with_residual(self.basis.expected)

    def quick_weights(self) -> Weights:
        """Return the posterior of the weights: O(m^3), and O(n m) more where the noise is small."""
        y = self.basis.y
        products = self.gram, self.across, float(y @ y), len(y)
        quick = infer_from_products(*products, self.alpha, self.noise_var)
        return quick.with_residual(self.basis.expected) if quick else self.weights

    def updated(self, alpha: FloatArray, noise_var: float) -> Self:
        """Return it with new precisions and noise, within what can be represented, and pruned."""
        free, tight = self.basis.precisions
        alpha = np.maximum(alpha, free)
        keep = alpha < tight
        if not keep.any():
            keep[int(np.argmin(alpha))] = True  # a machine without basis functions has no posterior
            alpha = np.minimum(alpha, tight)
        machine = replace(
            self,
            active=self.active[keep],
            alpha=alpha[keep],
            noise_var=max(noise_var, self.basis.min_noise),
        )
        if keep.all():
            return machine.carrying(Phi=self.Phi, gram=self.gram, across=self.across)
        gram = self.gram[np.ix_(keep, keep)]
        return machine.carrying(Phi=self.Phi[:, keep], gram=gram, across=self.across[keep])

    def admitting(self, which: IntArray, Phi: FloatArray, alpha: FloatArray) -> Self:
        """Return it with more basis functions, given at the rows (n, k), of precisions (k,)."""
        side = self.Phi.T @ Phi
        machine = replace(
            self, active=np.append(self.active, which), alpha=np.append(self.alpha, alpha)
        )
        return machine.carrying(
            Phi=np.concatenate([self.Phi.T, Phi.T]).T,  # in Fortran order
            gram=np.block([[self.gram, side], [side.T, Phi.T @ Phi]]),
            across=np.append(self.across, Phi.T @ self.basis.y),
        )

    def carrying(self, **known: object) -> Self:
        """Set, before anything is computed, what is known of a machine that was just made."""
        vars(self).update(known)
        return self


def first_machine(basis: Basis, lengthscales: FloatArray, noise_var: float) -> Machine:
    """Return the least machine: one basis function, the bias or else the most central one."""
    middle = int(np.argmin((basis.X**2 / lengthscales**2).sum(axis=1)))
    active = np.array([basis.n if basis.bias else middle])
    return Machine(basis, active, np.array([1.0 / basis.power]), noise_var, lengthscales)


_TIDYING = 100  # changes after which everything is computed again
_TOLERATED = 1e-3  # nats that tidying may lose to rounding
_WORTH = 1e-6  # nats; less is rounding


def entry_gain(s: FloatArray, q: FloatArray) -> FloatArray:
    """Return by how much each basis function would raise the log evidence at its best, in nats.

    Faul and Tipping (2002): half of (q^2 - s)/s - log(q^2/s) where q^2 > s, otherwise nothing.
    """
    with np.errstate(all="ignore"):
        excess = np.where(s > 0.0, q**2 / s - 1.0, 0.0)
    return np.asarray(np.where(excess > 1e-10, 0.5 * (excess - np.log1p(np.abs(excess))), 0.0))


def tidied(machine: Machine) -> Machine:
    """Delete and re-estimate active basis functions, the best first, while the evidence rises.

    What an algorithm leaves behind holds groups of neighbours that share the work of one; the
    updates (2.30) and (2.32) take very many cycles to separate them.
    """
    machine = replace(machine)  # computes everything again, as for the other
    tidy, before = machine, len(machine) + 1
    while len(tidy) < before:
        before = len(tidy)
        tidy = SingleChanges(tidy, tidy.active).improved(tidy, _TIDYING)
    # Rank-one updates lose digits where there is next to no noise.
    old, new = (m.quick_weights().log_evidence for m in (machine, tidy))
    return machine if old - new > _TOLERATED else tidy


class SingleChanges:
    r"""What each candidate would do to the evidence, kept up to date as the machine changes.

    For every candidate m, with :math:`C = \sigma^2 I + \Phi A^{-1} \Phi'` of the machine as it is,
    :math:`S_m = \phi_m' C^{-1} \phi_m` and :math:`Q_m = \phi_m' C^{-1} y`. A change of one
    precision moves :math:`C^{-1}`, and with it S, Q and the posterior of the weights, by a
    matrix of rank one.
    """

    def __init__(self, machine: Machine, which: IntArray) -> None:
        self.which, self.lengthscales = which, machine.lengthscales
        self.Phi = machine.basis.functions(which, machine.lengthscales)  # (n, c)
        self.squares = np.einsum("nc,nc->c", self.Phi, self.Phi)
        self.place = np.full(machine.basis.size, -1)
        self.place[which] = np.arange(len(which))
        self.gram: dict[int, FloatArray] = {}  # columns of Phi' Phi, of all that ever entered

    def improved(self, machine: Machine, n_changes: int) -> Machine:
        """Return a machine after so many changes, or fewer if no more are worth making."""
        self.enter(machine)
        for _ in range(n_changes):
            if not self.change():
                break
        return self.machine

    def enter(self, machine: Machine) -> None:
        """Compute everything afresh for a machine."""
        self.machine = machine
        self.at = self.place[machine.active]
        beta = self.beta = 1.0 / machine.noise_var
        own = self.Phi[:, self.at]
        new = [int(k) for k in self.at if int(k) not in self.gram]
        if new:
            self.gram.update(zip(new, (self.Phi.T @ self.Phi[:, new]).T, strict=True))
        self.active_gram = np.stack([self.gram[int(k)] for k in self.at])
        y = machine.basis.y
        weights = infer(own, self.active_gram[:, self.at], y, machine.alpha, 1.0 / beta)
        self.Sigma, self.mu = weights.covariance, weights.mean
        half = weights.half @ self.active_gram
        self.S = beta * self.squares - beta**2 * np.einsum("mc,mc->c", half, half)
        self.Q = beta * (self.Phi.T @ (y - own @ weights.mean))

    @np.errstate(all="ignore")  # values that overflow are detected below
    def change(self) -> bool:
        """Make the one best change; return whether there was one worth making."""
        sound = np.isfinite(self.Q).all() and np.isfinite(self.Sigma).all()
        if not (sound and np.diag(self.Sigma).min() > 0.0):  # rounding errors have accumulated
            return False
        known = 1e-10 * self.beta * self.squares < self.S
        outside = entry_gain(np.where(known, self.S, 0.0), self.Q)
        outside[self.at] = 0.0
        k = int(np.argmax(outside))
        best, gain = self._inside()
        j = int(np.argmax(gain))
        if max(outside[k], gain[j]) < _WORTH:
            return False
        if outside[k] >= gain[j]:
            self._add(k, self.S[k] ** 2 / (self.Q[k] ** 2 - self.S[k]))
        elif np.isinf(best[j]):
            self._delete(j)
        else:
            self._reestimate(j, float(best[j]))
        return True

    def _inside(self) -> tuple[FloatArray, FloatArray]:
        """Best precision of each active basis function, and what moving there would gain."""
        alpha, variance = self.machine.alpha, np.diag(self.Sigma)
        # s and q with C taken without the function: gamma / Sigma_jj and mu_j / Sigma_jj.
        s = np.maximum(1.0 - alpha * variance, 0.0) / variance
        q = self.mu / variance
        excess = q**2 - s
        best = np.full(len(alpha), np.inf)
        up = excess > 0.0
        best[up] = np.maximum(s[up] ** 2 / excess[up], self.machine.basis.precisions[0])
        new, old = (0.5 * (q**2 / (a + s) - np.log1p(s / a)) for a in (best, alpha))
        gain = new - old
        gain[~np.isfinite(gain) | (np.abs(np.log(best / alpha)) < 1e-6)] = 0.0
        gain[np.isinf(best)] += 2.0 * _WORTH  # a basis function that is better deleted is deleted
        if len(alpha) == 1:
            gain[np.isinf(best)] = 0.0  # except the last one
        return best, gain

    def _add(self, k: int, a: float) -> None:
        if k not in self.gram:
            self.gram[k] = self.Phi.T @ self.Phi[:, k]
        column = self.gram[k]
        t = self.beta * (self.Sigma @ column[self.at])
        e = self.beta * (column - t @ self.active_gram)  # Phi' C^-1 phi_k
        variance = 1.0 / (a + self.S[k])
        mean = variance * self.Q[k]
        grown = np.append(t, -1.0)
        self.Sigma = np.pad(self.Sigma, (0, 1)) + variance * np.outer(grown, grown)
        self.mu = np.append(self.mu, 0.0) - mean * grown
        self.S -= variance * e**2
        self.Q -= mean * e
        self.active_gram = np.vstack([self.active_gram, column])
        self.at = np.append(self.at, k)
        active = np.append(self.machine.active, self.which[k])
        self.machine = replace(self.machine, active=active, alpha=np.append(self.machine.alpha, a))

    def _reestimate(self, j: int, a: float) -> None:
        old, variance = self.machine.alpha[j], self.Sigma[j, j]
        # 1 + Sigma_jj (a - alpha_j), as a sum of what is not negative
        self._shift(j, (a - old) / (a * variance + max(1.0 - old * variance, 0.0)))
        alpha = self.machine.alpha.copy()
        alpha[j] = a
        self.machine = replace(self.machine, alpha=alpha)

    def _delete(self, j: int) -> None:
        self._shift(j, 1.0 / self.Sigma[j, j])
        keep = np.arange(len(self.at)) != j
        self.active_gram = self.active_gram[keep]
        self.Sigma, self.mu, self.at = self.Sigma[np.ix_(keep, keep)], self.mu[keep], self.at[keep]
        active, alpha = self.machine.active[keep], self.machine.alpha[keep]
        self.machine = replace(self.machine, active=active, alpha=alpha)

    def _shift(self, j: int, kappa: float) -> None:
        """Subtract kappa Sigma_j Sigma_j' from the weights' covariance."""
        column, mean = self.Sigma[:, j].copy(), self.mu[j]
        e = self.beta * (column @ self.active_gram)  # beta Phi' Phi_a Sigma_j
        self.Sigma -= kappa * np.outer(column, column)
        self.mu -= kappa * mean * column
        self.S += kappa * e**2
        self.Q += kappa * mean * e


Trace: TypeAlias = list[tuple[float, int]]  # log evidence and active basis functions


class RelevanceVectors(Estimator):
    """What keeps basis functions at a few rows; a subclass learns their weights in `_weigh`."""

    posterior_: Posterior
    alpha_: FloatArray
    alpha_bias_: float | None

    def _keep(self, found: Machine, trace: Trace, X: FloatArray, y: FloatArray) -> None:
        """Keep the basis functions that were chosen and how, and learn the weights."""
        active, alpha = found.active, found.alpha
        at_row = active < len(y)
        order = np.argsort(active[at_row])
        self.relevant_ = active[at_row][order]
        self.alpha_ = alpha[at_row][order]
        self.alpha_bias_ = None if at_row.all() else float(alpha[~at_row][0])
        centers = X[self.relevant_]
        m, d = centers.shape
        self._weigh(Posterior(centers, found.lengthscales, np.zeros(m), np.zeros(d)), X, y)
        self.relevance_vectors_ = self.posterior_.centers
        self.lengthscales_ = self.posterior_.lengthscales
        self.evidence_trace_ = np.array([log_evidence for log_evidence, _ in trace])
        self.n_relevant_trace_ = np.array([n_active for _, n_active in trace])

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._weigh(self.posterior_, X, y)
        self.relevant_ = np.zeros(0, dtype=np.int64)

    @abstractmethod
    def _weigh(self, machine: Posterior, X: FloatArray, y: FloatArray) -> None:
        """Learn the weights of given basis functions from the rows."""

    def _precisions(self) -> FloatArray:
        """Return the precisions of all weights, (m [+ 1],); that of the bias is the last."""
        return np.append(self.alpha_, [] if self.alpha_bias_ is None else self.alpha_bias_)

    def _features(self, machine: Posterior, X: FloatArray) -> FloatArray:
        """Return the basis functions at X, (n, m [+ 1])."""
        return features_and_bias(machine, X, len(self._precisions()))
