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

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.events.likelihoods import Likelihood, Tilted
from gpforecast.models.sparse_bayes.weights import Weights

SCHEMES = ("laplace", "mean_field", "tap")
_TOLERANCE = 1e-10  # of the objective that a step of Newton may still gain, in nats
_STEPS = 100
_MATCHED = 1e-5  # change of the cavity variances, in units of the largest prior variance
_ROUNDS = 100
_FURTHEST = 1e5  # standard deviations; beyond, tilted moments lose their digits
_DAMPED = 5  # rounds after which steps are shorter
_DAMPING = 0.6


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
