"""Basis functions at the training inputs, and what the data say of their weights."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack, qr
from scipy.spatial.distance import cdist

from gpforecast.common.types import FloatArray, IntArray

_ILL = 1e12  # B's trace beyond which its smallest eigenvalues, which are one, lose their digits
_CANCELLED = 1e-9  # of the terms' sizes: what is left of a difference then has seven digits
_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class Rows:
    """The training set, and which basis functions a machine may choose from.

    Basis function j < n is the bump at row j, (2.6); number n, if there is a bias, is 1.

    Attributes
    ----------
    X : ndarray (n, d)
        Centred, so that squared distances keep their digits.
    y : ndarray (n,)
    bias : bool
    """

    X: FloatArray
    y: FloatArray
    bias: bool

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def power(self) -> float:
        """The scale of all variances: the targets' own, about 0 if there is no bias; not 0."""
        about = self.y.mean() if self.bias else 0.0
        return float(np.mean((self.y - about) ** 2)) or float(np.mean(self.y**2)) or 1.0

    @property
    def n_basis(self) -> int:
        """The number of basis functions on offer."""
        return self.n + self.bias

    def bumps(self, which: IntArray, lengthscales: FloatArray) -> FloatArray:
        """Return basis functions `which` at every row, (n, m), in Fortran order."""
        scaled = self.X / lengthscales
        Phi = np.empty((self.n, len(which)), order="F")
        is_bump = which < self.n
        k = cdist(scaled[which[is_bump]], scaled, "sqeuclidean")
        np.exp(-0.5 * k, out=k)
        Phi[:, is_bump] = k.T
        Phi[:, ~is_bump] = 1.0
        return Phi


@dataclass(frozen=True, eq=False)
class Sparse:
    """What training moves: the active basis functions, their precisions, the noise, the widths.

    Attributes
    ----------
    active : ndarray of int (m,)
    alpha : ndarray (m,)
        Prior precisions of their weights, (2.16).
    noise_var : float
    lengthscales : ndarray (d,)
    """

    active: IntArray
    alpha: FloatArray
    noise_var: float
    lengthscales: FloatArray


@dataclass(frozen=True, eq=False)
class Weights:
    r"""The Gaussian posterior of the weights, (2.18) and (2.19), and the log evidence.

    Attributes
    ----------
    mean : ndarray (m,)
        :math:`\mu`.
    root : ndarray (m, m)
        Lower triangular R with :math:`\Sigma = A^{-1/2} R' R A^{-1/2}`.
    gamma : ndarray (m,)
        :math:`\gamma_j = 1 - \alpha_j \Sigma_{jj}`, how well the data determine each weight.
    variance : ndarray (m,)
        :math:`\Sigma_{jj}`.
    squares : float
        :math:`|y - \Phi\mu|^2`.
    n : int
        Rows.
    log_evidence : float
        :math:`\log N(y \mid 0, \sigma^2 I + \Phi A^{-1} \Phi')`, in nats.
    """

    mean: FloatArray
    root: FloatArray
    gamma: FloatArray
    variance: FloatArray
    squares: float
    n: int
    log_evidence: float

    def covariance(self, alpha: FloatArray) -> FloatArray:
        r"""Return :math:`\Sigma` (m, m)."""
        half = self.root / np.sqrt(alpha)
        Sigma: FloatArray = half.T @ half
        return Sigma


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
    L = _factor(gram, alpha, noise_var)
    if L is None:
        return _infer_by_triangulation(Phi, y, alpha, noise_var)
    root, _ = lapack.dtrtri(L, lower=1)
    mean = _solve(root, alpha, Phi.T @ y / noise_var)
    residual = y - Phi @ mean
    mean = mean + _solve(root, alpha, Phi.T @ residual / noise_var - alpha * mean)
    residual = y - Phi @ mean
    return _weights(mean, root, float(residual @ residual), len(y), alpha, noise_var)


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
    Q, R = qr(stacked, mode="economic", overwrite_a=True, check_finite=False)
    signs = np.sign(np.diag(R))
    R *= signs[:, None]
    Q *= signs
    inverse = lapack.dtrtri(R, lower=0)[0]
    mean = (inverse @ (Q[:n].T @ (y / sigma))) / np.sqrt(alpha)
    residual = y - Phi @ mean
    squares = float(residual @ residual)
    return _weights(mean, np.asfortranarray(inverse.T), squares, n, alpha, noise_var)


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
    L = _factor(gram, alpha, noise_var)
    if L is None:
        return None
    root, _ = lapack.dtrtri(L, lower=1)
    mean = _solve(root, alpha, across / noise_var)
    mean = mean + _solve(root, alpha, (across - gram @ mean) / noise_var - alpha * mean)
    size = np.abs(mean)
    squares = power - 2.0 * float(mean @ across) + float(mean @ (gram @ mean))
    largest = power + 2.0 * float(size @ np.abs(across)) + float(size @ (gram @ size))
    if squares < largest * _CANCELLED:
        return None
    return _weights(mean, root, squares, n, alpha, noise_var)


def _factor(gram: FloatArray, alpha: FloatArray, noise_var: float) -> FloatArray | None:
    """Return the lower Cholesky factor of B, or None if too few of its digits would be left."""
    if (np.diag(gram) / alpha).sum() > _ILL * noise_var:
        return None
    shrink = 1.0 / np.sqrt(alpha)
    B = gram * (shrink[:, None] * shrink / noise_var)
    B[np.diag_indices(len(alpha))] += 1.0
    L, info = lapack.dpotrf(B.T, lower=1, clean=1, overwrite_a=1)
    return L if info == 0 else None


def _solve(root: FloatArray, alpha: FloatArray, b: FloatArray) -> FloatArray:
    """Return Sigma b."""
    shrink = 1.0 / np.sqrt(alpha)
    x: FloatArray = shrink * (root.T @ (root @ (shrink * b)))
    return x


def _weights(
    mean: FloatArray,
    root: FloatArray,
    squares: float,
    n: int,
    alpha: FloatArray,
    noise_var: float,
) -> Weights:
    unlearned = (root**2).sum(axis=0)  # alpha_j Sigma_jj
    fit = squares / noise_var + mean @ (alpha * mean)
    log_det = n * np.log(noise_var) - 2.0 * np.log(np.diag(root)).sum()
    return Weights(
        mean=mean,
        root=root,
        gamma=np.maximum(1.0 - unlearned, 0.0),
        variance=unlearned / alpha,
        squares=squares,
        n=n,
        log_evidence=float(-0.5 * (fit + log_det + n * _LOG_2PI)),
    )


def slopes(
    rows: Rows, at: Sparse, Phi: FloatArray, weights: Weights
) -> tuple[FloatArray, FloatArray, float]:
    r"""Return the gradient of the log evidence: by log theta (d,), log alpha (m,), log sigma^2.

    With :math:`D = (y - \Phi\mu)\mu' - \Phi\Sigma`, eq. (2.38) reads

    .. math::

        \frac{\partial L}{\partial \log\theta_d} = \sigma^{-2} \sum_{ij} D_{ij}\, \phi_j(x_i)
            (X_{id} - X_{jd})^2 / \theta_d^2

    and the others are (2.22). Costs O(n m^2 + n m d) time and O(n m) memory.
    """
    is_bump = at.active < rows.n
    bumps = Phi[:, is_bump]
    centers = rows.X[at.active[is_bump]]
    half = weights.root / np.sqrt(at.alpha)
    D = np.outer(rows.y - Phi @ weights.mean, weights.mean[is_bump])
    D -= (Phi @ half.T) @ half[:, is_bump]
    D *= bumps / at.noise_var
    # sum_ij D_ij (x_i - x_j)^2, multiplied out; X is centred.
    moment = D.sum(axis=1) @ rows.X**2 + D.sum(axis=0) @ centers**2
    moment -= 2.0 * np.einsum("jd,jd->d", D.T @ rows.X, centers)
    by_alpha = 0.5 * (weights.gamma - at.alpha * weights.mean**2)
    by_noise = 0.5 * (weights.squares / at.noise_var + float(weights.gamma.sum()) - rows.n)
    return moment / at.lengthscales**2, by_alpha, by_noise
