"""The model that training moves, with the matrices that go with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.models.sparse_bayes.evidence import (
    Rows,
    Sparse,
    Weights,
    infer,
    infer_from_products,
)

MAX_PRECISION = 1e9  # over the targets' variance: a weight this tight is zero, and is pruned
MIN_PRECISION = 1e-14  # likewise: as good as free
MIN_NOISE = 1e-10  # times the targets' variance: beyond double precision

# Carries the weights' posterior and the noise variance to new precisions and a new noise variance.
Rule = Callable[[Weights, float], tuple[FloatArray, float]]


def em_update(weights: Weights, noise_var: float) -> tuple[FloatArray, float]:
    """Return the M-step, (2.30) and (2.31). But for pruning, the evidence never falls."""
    noise_var = (weights.squares + noise_var * float(weights.gamma.sum())) / weights.n
    return 1.0 / (weights.mean**2 + weights.variance), noise_var


def mackay_update(weights: Weights, noise_var: float) -> tuple[FloatArray, float]:
    """Return MacKay's fixed point, (2.32): faster, mostly upwards. The old noise does not count."""
    del noise_var
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha = np.where(weights.gamma > 0.0, weights.gamma / weights.mean**2, np.inf)
    free = max(weights.n - float(weights.gamma.sum()), 1.0)
    return alpha, weights.squares / free


RULES: dict[str, Rule] = {"em": em_update, "mackay": mackay_update}


@dataclass(frozen=True)
class Settings:
    """What all algorithms share.

    Attributes
    ----------
    learn_noise : bool
    max_iter : int
        Cycles (an E-step and an M-step, or one round of single changes) of one pass.
    tol : float
        A cycle that raises the log evidence by less, in nats, counts as none.
    """

    learn_noise: bool = True
    max_iter: int = 200
    tol: float = 0.1


class Working:
    """Active basis functions at the training rows, kept in step with the model.

    Memory is O(n m + m^2) for m active basis functions; a cycle costs O(m^3), and O(n m) more
    where the noise is small.
    """

    model: Sparse
    gram: FloatArray  # Phi' Phi
    across: FloatArray  # Phi' y
    _stored: FloatArray  # (n, k): the active columns and some that were pruned since
    _at: IntArray

    def __init__(self, rows: Rows, model: Sparse) -> None:
        self.rows = rows
        self.move(model)

    def move(self, model: Sparse) -> None:
        """Take another model."""
        self.model = model
        self._stored = self.rows.bumps(model.active, model.lengthscales)
        self._at = np.arange(len(model.active))
        self.gram = self._stored.T @ self._stored
        self.across = self._stored.T @ self.rows.y

    @property
    def Phi(self) -> FloatArray:  # noqa: N802
        """The active basis functions at the rows, (n, m)."""
        if len(self._at) < self._stored.shape[1]:
            self._stored = self._stored[:, self._at]
            self._at = np.arange(len(self._at))
        return self._stored

    def infer(self) -> Weights:
        """Return the posterior of the weights: the E-step."""
        alpha, noise_var = self.model.alpha, self.model.noise_var
        total = float(self.rows.y @ self.rows.y)
        found = infer_from_products(self.gram, self.across, total, self.rows.n, alpha, noise_var)
        if found is None:
            found = infer(self.Phi, self.gram, self.rows.y, alpha, noise_var)
        return found

    def cycle(self, rule: Rule, settings: Settings) -> float:
        """Do an E-step and an M-step, prune, and return the log evidence before the M-step."""
        weights = self.infer()
        alpha, noise_var = rule(weights, self.model.noise_var)
        if not settings.learn_noise:
            noise_var = self.model.noise_var
        self.set(alpha, noise_var)
        return weights.log_evidence

    def set(self, alpha: FloatArray, noise_var: float) -> None:
        """Take new precisions and noise, within what can be represented, and prune."""
        power = self.rows.power
        noise_var = max(noise_var, MIN_NOISE * power)
        alpha = np.maximum(alpha, MIN_PRECISION / power)
        keep = alpha < MAX_PRECISION / power
        if not keep.any():
            keep[int(np.argmin(alpha))] = True  # a machine of none would have no posterior
            alpha = np.minimum(alpha, MAX_PRECISION / power)
        self.model = replace(self.model, alpha=alpha, noise_var=noise_var)
        if not keep.all():
            self.drop(~keep)

    def drop(self, gone: BoolArray) -> None:
        """Take basis functions out."""
        keep = ~gone
        model = self.model
        self.model = replace(model, active=model.active[keep], alpha=model.alpha[keep])
        self._at = self._at[keep]
        self.gram = self.gram[np.ix_(keep, keep)]
        self.across = self.across[keep]

    def admit(self, which: IntArray, Phi: FloatArray, alpha: FloatArray) -> None:
        """Take basis functions in, with their values at the rows (n, k) and precisions (k,)."""
        model = self.model
        self.model = replace(
            model,
            active=np.append(model.active, which),
            alpha=np.append(model.alpha, alpha),
        )
        own = self.Phi
        side = own.T @ Phi
        self.gram = np.block([[self.gram, side], [side.T, Phi.T @ Phi]])
        self.across = np.append(self.across, Phi.T @ self.rows.y)
        self._stored = np.concatenate([own.T, Phi.T]).T  # in Fortran order
        self._at = np.arange(self._stored.shape[1])


class Patience:
    """Stops after a few cycles in a row that gain too little."""

    def __init__(self, tol: float, cycles: int = 3) -> None:
        self.tol, self.cycles = tol, cycles
        self.best, self.idle = -np.inf, 0

    def exhausted(self, log_evidence: float) -> bool:
        """Take note of a cycle and tell whether to stop."""
        self.idle = self.idle + 1 if log_evidence < self.best + self.tol else 0
        self.best = max(self.best, log_evidence)
        return self.idle >= self.cycles
