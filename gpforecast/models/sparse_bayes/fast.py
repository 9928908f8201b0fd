"""Fast marginal likelihood maximisation: one change at a time, the best one first."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.models.sparse_bayes.evidence import Rows, Sparse, infer
from gpforecast.models.sparse_bayes.full import Adjust, Watch
from gpforecast.models.sparse_bayes.subspace import entry_gain
from gpforecast.models.sparse_bayes.working import (
    MIN_PRECISION,
    Patience,
    Settings,
    Working,
    mackay_update,
)
from gpforecast.storage import storable

_DOUBLES = 40_000_000  # of basis functions at the rows: 320 MB
_TIDYING = 100  # changes before everything is computed afresh
_TOLERATED = 1e-3  # nats that tidying may lose to rounding
_WORTH = 1e-6  # nats; less is rounding


@storable
@dataclass(frozen=True)
class FastMarginalLikelihood:
    r"""Add, re-estimate or delete whichever single basis function raises the evidence most.

    The evidence as a function of one precision has a closed maximum,
    :math:`\alpha = s^2 / (q^2 - s)` if :math:`q^2 > s` and :math:`\infty` otherwise (2.42), and
    all of them are compared at every step. The noise follows (2.32) after every `n_changes`.

    A step costs O(n m) for m active of n candidate basis functions, and O(n^2) more when one
    enters for the first time; memory is O(n n_candidates).

    Parameters
    ----------
    n_changes : int
        Steps between updates of the noise.
    n_candidates : int or None
        How many basis functions, drawn anew after each update of the noise, are compared.
        ``None``: all, or as many as fit into 320 MB (working arrays take a few times that).
    seed : int
        For drawing them.

    References
    ----------
    Tipping and Faul (2003); Quinonero-Candela (2004), section 2.4 and eq. (2.42).

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.models.FastMarginalLikelihood()
    FastMarginalLikelihood(n_changes=30, n_candidates=None, seed=0)
    """

    n_changes: int = 30
    n_candidates: int | None = None
    seed: int = 0

    continues: ClassVar[bool] = True
    repeats: ClassVar[bool] = False

    def __post_init__(self) -> None:
        positive_integer(self.n_changes, "n_changes")
        if self.n_candidates is not None:
            positive_integer(self.n_candidates, "n_candidates")

    def run(
        self, rows: Rows, start: Sparse, settings: Settings, watch: Watch, adjust: Adjust | None
    ) -> tuple[Sparse, bool]:
        """Return the trained model and whether it converged."""
        rng = np.random.default_rng(self.seed)
        offered = self.n_candidates or max(1, _DOUBLES // rows.n)
        ledger = None
        model = start
        patience = Patience(settings.tol)
        for _ in range(settings.max_iter):
            if ledger is None or offered < rows.n_basis:
                ledger = Ledger(rows, model, _candidates(rows, model, offered, rng))
            ledger.enter(model)
            for _ in range(self.n_changes):
                if not ledger.change():
                    break
            model = ledger.model
            work = Working(rows, model)
            if settings.learn_noise:
                work.set(model.alpha, mackay_update(work.infer(), model.noise_var)[1])
            if adjust is not None:
                adjust(work)
                ledger = None
            model = work.model
            log_evidence = work.infer().log_evidence
            watch(log_evidence, len(model.active))
            if patience.exhausted(log_evidence):
                return model, True
        return model, False


def tidied(rows: Rows, model: Sparse) -> Sparse:
    """Delete and re-estimate active basis functions, the best first, while the evidence rises.

    What an algorithm leaves behind holds groups of neighbours that share the work of one; the
    updates (2.30) and (2.32) take very many cycles to tell them apart.
    """
    start = model
    before = len(model.active) + 1
    while len(model.active) < before:
        before = len(model.active)
        ledger = Ledger(rows, model, model.active)
        ledger.enter(model)
        for _ in range(_TIDYING):
            if not ledger.change():
                break
        model = ledger.model
    # Rank-one updates lose digits where there is next to no noise.
    lost = _log_evidence(rows, start) - _log_evidence(rows, model)
    return start if lost > _TOLERATED else model


def _log_evidence(rows: Rows, model: Sparse) -> float:
    return Working(rows, model).infer().log_evidence


def _candidates(rows: Rows, model: Sparse, n: int, rng: np.random.Generator) -> IntArray:
    """Return the active basis functions and a draw of the others."""
    others = np.setdiff1d(np.arange(rows.n_basis), model.active)
    if len(others) > n:
        others = np.sort(rng.choice(others, n, replace=False))
    return np.concatenate([model.active, others]).astype(np.int64)


class Ledger:
    r"""What each candidate would do to the evidence, kept up to date as the model changes.

    For every candidate m, with :math:`C = \sigma^2 I + \Phi A^{-1} \Phi'` of the model as it is,
    :math:`S_m = \phi_m' C^{-1} \phi_m` and :math:`Q_m = \phi_m' C^{-1} y`. A change of one
    precision moves :math:`C^{-1}`, and with it S, Q and the posterior of the weights, by a
    matrix of rank one.
    """

    def __init__(self, rows: Rows, model: Sparse, which: IntArray) -> None:
        self.rows, self.which = rows, which
        self.Phi = rows.bumps(which, model.lengthscales)  # (n, c)
        self.squares = np.einsum("nc,nc->c", self.Phi, self.Phi)
        self.place = np.full(rows.n_basis, -1)
        self.place[which] = np.arange(len(which))
        self.gram: dict[int, FloatArray] = {}  # columns of Phi' Phi, of all that ever entered

    def enter(self, model: Sparse) -> None:
        """Compute everything afresh for a model."""
        self.model = model
        self.at = self.place[model.active]
        beta = self.beta = 1.0 / model.noise_var
        own = self.Phi[:, self.at]
        new = [int(k) for k in self.at if int(k) not in self.gram]
        if new:
            self.gram.update(zip(new, (self.Phi.T @ self.Phi[:, new]).T, strict=True))
        self.active_gram = np.empty((max(64, 2 * len(self.at)), len(self.which)))
        for row, k in enumerate(self.at):
            self.active_gram[row] = self.gram[int(k)]
        m = len(self.at)
        weights = infer(own, self.active_gram[:m, self.at], self.rows.y, model.alpha, 1.0 / beta)
        self.Sigma, self.mu = weights.covariance(model.alpha), weights.mean
        half = (weights.root / np.sqrt(model.alpha)) @ self.active_gram[:m]
        self.S = beta * self.squares - beta**2 * np.einsum("mc,mc->c", half, half)
        self.Q = beta * (self.Phi.T @ (self.rows.y - own @ weights.mean))

    @np.errstate(all="ignore")  # what is no longer sound is noticed, and started afresh
    def change(self) -> bool:
        """Make the one best change; return whether there was one worth making."""
        sound = np.isfinite(self.Q).all() and np.isfinite(self.Sigma).all()
        if not (sound and np.diag(self.Sigma).min() > 0.0):  # rounding has piled up: start afresh
            return False
        outside = entry_gain(
            np.where(1e-10 * self.beta * self.squares < self.S, self.S, 0.0), self.Q
        )
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
        alpha, variance = self.model.alpha, np.diag(self.Sigma)
        # s and q with C taken without the function: gamma / Sigma_jj and mu_j / Sigma_jj.
        s = np.maximum(1.0 - alpha * variance, 0.0) / variance
        q = self.mu / variance
        excess = q**2 - s
        best = np.full(len(alpha), np.inf)
        up = excess > 0.0
        best[up] = s[up] ** 2 / excess[up]
        best[up] = np.maximum(best[up], MIN_PRECISION / self.rows.power)

        def log_evidence(a: FloatArray) -> FloatArray:
            value: FloatArray = 0.5 * (q**2 / (a + s) - np.log1p(s / a))
            return value

        gain = log_evidence(best) - log_evidence(alpha)
        gain[~np.isfinite(gain) | (np.abs(np.log(best / alpha)) < 1e-6)] = 0.0
        gain[np.isinf(best)] += 2.0 * _WORTH  # one that is better gone, goes
        if len(alpha) == 1:
            gain[np.isinf(best)] = 0.0  # but the last one stays
        return best, gain

    def _add(self, k: int, a: float) -> None:
        beta, model, m = self.beta, self.model, len(self.at)
        if k not in self.gram:
            self.gram[k] = self.Phi.T @ self.Phi[:, k]
        column = self.gram[k]
        t = beta * (self.Sigma @ column[self.at])
        e = beta * (column - t @ self.active_gram[:m])  # Phi' C^-1 phi_k
        variance = 1.0 / (a + self.S[k])
        mean = variance * self.Q[k]
        Sigma = np.empty((m + 1, m + 1))
        Sigma[:m, :m] = self.Sigma + variance * np.outer(t, t)
        Sigma[:m, m] = Sigma[m, :m] = -variance * t
        Sigma[m, m] = variance
        self.Sigma = Sigma
        self.mu = np.append(self.mu - mean * t, mean)
        self.S -= variance * e**2
        self.Q -= mean * e
        if m == len(self.active_gram):
            self.active_gram = np.concatenate([self.active_gram, np.empty_like(self.active_gram)])
        self.active_gram[m] = column
        self.at = np.append(self.at, k)
        self.model = replace(
            model, active=np.append(model.active, self.which[k]), alpha=np.append(model.alpha, a)
        )

    def _reestimate(self, j: int, a: float) -> None:
        old, variance = self.model.alpha[j], self.Sigma[j, j]
        # 1 + Sigma_jj (a - alpha_j), as a sum of what is not negative
        self._shift(j, (a - old) / (a * variance + max(1.0 - old * variance, 0.0)))
        alpha = self.model.alpha.copy()
        alpha[j] = a
        self.model = replace(self.model, alpha=alpha)

    def _delete(self, j: int) -> None:
        m, model = len(self.at), self.model
        self._shift(j, 1.0 / self.Sigma[j, j])
        keep = np.arange(m) != j
        self.active_gram[j : m - 1] = self.active_gram[j + 1 : m]
        self.Sigma, self.mu, self.at = self.Sigma[np.ix_(keep, keep)], self.mu[keep], self.at[keep]
        self.model = replace(model, active=model.active[keep], alpha=model.alpha[keep])

    def _shift(self, j: int, kappa: float) -> None:
        """Subtract kappa Sigma_j Sigma_j' from the weights' covariance."""
        column, mean = self.Sigma[:, j].copy(), self.mu[j]
        e = self.beta * (column @ self.active_gram[: len(column)])  # beta Phi' Phi_a Sigma_j
        self.Sigma -= kappa * np.outer(column, column)
        self.mu -= kappa * mean * column
        self.S += kappa * e**2
        self.Q += kappa * mean * e
