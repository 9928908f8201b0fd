"""The textbook moments at an uncertain input: explicit inverses, determinants and N x N matrices.

They lose digits where the compiled form keeps them, and cost more; they are here to be compared
with, and to be read beside the papers.
"""

import numpy as np

from gpforecast.common.types import FloatArray


def l_vector(
    u: FloatArray, S: FloatArray, centers: FloatArray, lengthscales: FloatArray
) -> FloatArray:
    """Return E[k_i(x)], Quinonero-Candela, Girard and Rasmussen (2003), eq. (33)."""
    Lambda = np.diag(lengthscales**2)
    d = centers - u
    q = np.einsum("nd,de,ne->n", d, np.linalg.inv(S + Lambda), d)
    size = np.linalg.det(np.linalg.inv(Lambda) @ S + np.eye(len(u)))
    l_: FloatArray = np.exp(-0.5 * q) / np.sqrt(size)
    return l_


def L_matrix(  # noqa: N802
    u: FloatArray, S: FloatArray, centers: FloatArray, lengthscales: FloatArray
) -> FloatArray:
    """Return the expected products of basis functions, eq. (37) with x_d = (x_i + x_j) / 2."""
    Lambda = np.diag(lengthscales**2)
    x_d = 0.5 * (centers[:, None] + centers[None])
    apart = centers[:, None] - centers[None]
    q = np.einsum("nmd,de,nme->nm", u - x_d, np.linalg.inv(0.5 * Lambda + S), u - x_d)
    q += np.einsum("nmd,de,nme->nm", apart, np.linalg.inv(2.0 * Lambda), apart)
    size = np.linalg.det(2.0 * np.linalg.inv(Lambda) @ S + np.eye(len(u)))
    L: FloatArray = np.exp(-0.5 * q) / np.sqrt(size)
    return L


def feature_moments(
    u: FloatArray, S: FloatArray, centers: FloatArray, lengthscales: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Mean and covariance of psi(x) = [basis functions; x; 1], and its covariance with x.

    Returns
    -------
    mean : ndarray (m + d + 1,)
    cov : ndarray (m + d + 1, m + d + 1)
    cross : ndarray (m + d + 1, d)
        cov(psi, x), from E[k_i(x) x] = l_i c_i with the c_i of eq. (32).
    """
    m, d = centers.shape
    l_ = l_vector(u, S, centers, lengthscales)
    L = L_matrix(u, S, centers, lengthscales)
    Lambda = np.diag(lengthscales**2)
    c = u + (centers - u) @ np.linalg.inv(S + Lambda) @ S
    cross = np.concatenate([l_[:, None] * (c - u), S, np.zeros((1, d))])
    cov = np.zeros((m + d + 1, m + d + 1))
    cov[:m, :m] = L - np.outer(l_, l_)
    cov[:, m : m + d] = cross
    cov[m : m + d, :] = cross.T
    return np.concatenate([l_, u, [1.0]]), cov, cross


def extended_linear_moments(
    u: FloatArray,
    S: FloatArray,
    centers: FloatArray,
    lengthscales: FloatArray,
    w: FloatArray,
    B: FloatArray,
    c: float,
) -> tuple[float, float, FloatArray]:
    r"""Moments of f(x) with mean psi(x)'w and variance c + psi(x)'B psi(x), at x ~ N(u, S).

    Returns
    -------
    mean, var : float
        E[f] and the variance of f by the law of total variance, eqs. (23) and (24).
    cross_cov : ndarray (d,)
        cov(f, x), eq. (53).
    """
    mean, cov, cross = feature_moments(u, S, centers, lengthscales)
    expected_variance = c + np.einsum("ij,ij->", B, cov + np.outer(mean, mean))
    return float(w @ mean), float(expected_variance + w @ cov @ w), cross.T @ w
