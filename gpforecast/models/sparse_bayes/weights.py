"""What the data say of the weights of given basis functions: their posterior, and the evidence."""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.posteriors.extended_linear import Posterior

_ILL = 1e12  # B's trace beyond which its smallest eigenvalues, which are one, lose their digits
_CANCELLED = 1e-9  # of the terms' sizes: what is left of a difference then has seven digits
_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class Weights:
    r"""The Gaussian posterior of the weights, (2.18) and (2.19), and the log evidence.

    Attributes
    ----------
    mean : ndarray (m,)
        :math:`\mu`.
    root : ndarray (m, m)
        Lower triangular R with :math:`\Sigma = A^{-1/2} R' R A^{-1/2}`.
    squares : float
        :math:`|y - \Phi\mu|^2`.
    n : int
        Rows, with that of `with_residual`.
    alpha : ndarray (m,)
        Their prior precisions.
    noise_var : float
    """

    mean: FloatArray
    root: FloatArray
    squares: float
    n: int
    alpha: FloatArray
    noise_var: float

    @cached_property
    def unlearned(self) -> FloatArray:
        r""":math:`\alpha_j \Sigma_{jj}`, the share of its prior variance that each weight keeps."""
        return np.asarray((self.root**2).sum(axis=0))

    @property
    def gamma(self) -> FloatArray:
        r""":math:`\gamma_j = 1 - \alpha_j \Sigma_{jj}`, how well the data determine each weight."""
        return np.maximum(1.0 - self.unlearned, 0.0)

    @property
    def variance(self) -> FloatArray:
        r""":math:`\Sigma_{jj}`."""
        return self.unlearned / self.alpha

    @property
    def half(self) -> FloatArray:
        r"""H with :math:`H' H = \Sigma`."""
        return self.root / np.sqrt(self.alpha)

    @property
    def covariance(self) -> FloatArray:
        r""":math:`\Sigma` (m, m)."""
        half = self.half
        return np.asarray(half.T @ half)

    def with_residual(self, square: float) -> "Weights":
        r"""Return the same with one more row, which no weight moves, and its squared residual.

        It multiplies the evidence by :math:`N(\sqrt{e} \mid 0, \sigma^2)`, a Gamma density of
        :math:`\sigma^{-2}` with shape 1/2 and rate e/2 but for constants. 0 for none.
        """
        if square == 0.0:
            return self
        return replace(self, squares=self.squares + square, n=self.n + 1)

    @property
    def log_evidence(self) -> float:
        r""":math:`\log N(y \mid 0, \sigma^2 I + \Phi A^{-1} \Phi')`, in nats."""
        fit = self.squares / self.noise_var + self.mean @ (self.alpha * self.mean)
        log_det = self.n * np.log(self.noise_var) - 2.0 * np.log(np.diag(self.root)).sum()
        return float(-0.5 * (fit + log_det + self.n * _LOG_2PI))


def infer(
    Phi: FloatArray, gram: FloatArray, y: FloatArray, alpha: FloatArray, noise_var: float
) -> Weights:
    r"""Return the posterior of the weights: the E-step.

    Works on :math:`B = I + \sigma^{-2} A^{-1/2} \Phi'\Phi A^{-1/2}`, whose eigenvalues are at least
    one, so that precisions of any size do no harm, and improves the mean once by its residual.

    Parameters
    ----------
    Phi : ndarray (n, m)
    gram : ndarray (m, m)
        Phi' Phi.
    y : ndarray (n,)
    alpha : ndarray (m,)
    noise_var : float

    Notes
    -----
    Costs O(m^3 + n m) time.
    """
    root = _root(gram, alpha, noise_var)
    if root is None:
        return _infer_by_triangulation(Phi, y, alpha, noise_var)
    mean = _solve(root, alpha, Phi.T @ y / noise_var)
    residual = y - Phi @ mean
    mean = mean + _solve(root, alpha, Phi.T @ residual / noise_var - alpha * mean)
    residual = y - Phi @ mean
    return Weights(mean, root, float(residual @ residual), len(y), alpha, noise_var)


def _infer_by_triangulation(
    Phi: FloatArray, y: FloatArray, alpha: FloatArray, noise_var: float
) -> Weights:
    """Return the same from an orthogonal triangulation of [Phi A^-1/2 / sigma; I], not of B.

    Nothing is squared, neither for the factor nor for the mean, which solves the least squares
    problem with the right side [y / sigma; 0]. Several times the cost of Cholesky.
    """
    n, m = Phi.shape
    sigma = np.sqrt(noise_var)
    stacked = np.zeros((n + m, m), order="F")
    np.divide(Phi, np.sqrt(alpha) * sigma, out=stacked[:n])
    stacked[n:][np.diag_indices(m)] = 1.0
    Q, R = scipy.linalg.qr(stacked, mode="economic", overwrite_a=True, check_finite=False)
    signs = np.sign(np.diag(R))
    R *= signs[:, None]
    Q *= signs
    inverse = scipy.linalg.lapack.dtrtri(R, lower=0)[0]
    mean = (inverse @ (Q[:n].T @ (y / sigma))) / np.sqrt(alpha)
    residual = y - Phi @ mean
    squares = float(residual @ residual)
    return Weights(mean, np.asfortranarray(inverse.T), squares, n, alpha, noise_var)


def infer_from_products(
    gram: FloatArray, across: FloatArray, power: float, n: int, alpha: FloatArray, noise_var: float
) -> Weights | None:
    r"""Return the same as `infer` from inner products alone, or None if too few digits are left.

    The squared residual is :math:`y'y - 2\mu'\Phi'y + \mu'\Phi'\Phi\mu`, which cancels where the
    fit is close; it is used only while that leaves seven digits.

    Parameters
    ----------
    gram : ndarray (m, m)
        Phi' Phi.
    across : ndarray (m,)
        Phi' y.
    power : float
        y' y.
    n : int
    alpha : ndarray (m,)
    noise_var : float

    Notes
    -----
    Costs O(m^3) time whatever the number of rows.
    """
    root = _root(gram, alpha, noise_var)
    if root is None:
        return None
    mean = _solve(root, alpha, across / noise_var)
    mean = mean + _solve(root, alpha, (across - gram @ mean) / noise_var - alpha * mean)
    size = np.abs(mean)
    squares = power - 2.0 * float(mean @ across) + float(mean @ (gram @ mean))
    largest = power + 2.0 * float(size @ np.abs(across)) + float(size @ (gram @ size))
    if squares < largest * _CANCELLED:
        return None
    return Weights(mean, root, squares, n, alpha, noise_var)


def _root(gram: FloatArray, alpha: FloatArray, noise_var: float) -> FloatArray | None:
    """Return R = L^-1 with L L' = B, or None if too few of its digits would be left."""
    if (np.diag(gram) / alpha).sum() > _ILL * noise_var:
        return None
    shrink = 1.0 / np.sqrt(alpha)
    B = gram * (shrink[:, None] * shrink / noise_var)
    B[np.diag_indices(len(alpha))] += 1.0
    L, info = scipy.linalg.lapack.dpotrf(B.T, lower=1, clean=1, overwrite_a=1)
    root: FloatArray | None = scipy.linalg.lapack.dtrtri(L, lower=1)[0] if info == 0 else None
    return root


def _solve(root: FloatArray, alpha: FloatArray, b: FloatArray) -> FloatArray:
    """Return Sigma b."""
    shrink = 1.0 / np.sqrt(alpha)
    return np.asarray(shrink * (root.T @ (root @ (shrink * b))))


def posterior_of(machine: Posterior, weights: Weights, noise_var: float) -> Posterior:
    """Return a machine's basis functions with these weights, of which a bias is the last."""
    m, d = machine.centers.shape
    half = weights.half.T
    added = np.zeros((m + d + 1, len(weights.mean)))
    added[:m] = half[:m]
    added[m + d] = half[m:].sum(axis=0)  # the bias; no row, if there is none
    return replace(
        machine,
        weights=weights.mean[:m],
        constant=float(weights.mean[m:].sum()),
        noise_var=noise_var,
        added=added,
    )
