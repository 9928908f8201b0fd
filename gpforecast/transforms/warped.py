r"""Moments of y = g(z) for jointly Gaussian z and an increasing g, by Hermite polynomials.

With h_k the polynomials orthonormal under N(0, 1), expand g(m + s x) = sum_k a_k h_k(x). For
standard Gaussians with correlation rho, E[h_j(x) h_k(x')] = rho^k if j = k and 0 otherwise
(Mehler, 1866), so that

    E[y] = a_0        Cov(y_i, y_j) = sum_{k >= 1} a_k(i) a_k(j) rho_ij^k.

Each term is a Schur product of positive semi-definite matrices, and so is the sum. What the
expansion leaves out of a variance is added to the diagonal, which keeps it so.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.polynomial.legendre import leggauss
from scipy.special import erf, log_ndtr, ndtr

from gpforecast.transforms.base import Warp
from gpforecast.typing import FloatArray

_NODES = 96
_TERMS = 48
_TAIL = 10.0  # standard deviations; beyond them a Gaussian has 1e-23


@cache
def _rule() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gauss-Hermite nodes and weights of N(0, 1), and h_k at the nodes, (terms, nodes)."""
    x, w = hermegauss(_NODES)
    h = np.ones((_TERMS, _NODES))
    h[1] = x
    for k in range(1, _TERMS - 1):
        h[k + 1] = (x * h[k] - np.sqrt(k) * h[k - 1]) / np.sqrt(k + 1)
    return x, w / w.sum(), h


def warped_mean_var(warp: Warp, mean: FloatArray, var: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of w^-1(z) for z ~ N(mean, var), of any shape."""
    _, w, _ = _rule()
    y = _at_nodes(warp, mean, var)
    with np.errstate(over="ignore", invalid="ignore"):
        m = y @ w
        return m, (y - m[..., None]) ** 2 @ w


def warped_covariance(
    warp: Warp, mean: FloatArray, covariance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean (..., h) and covariance (..., h, h) of w^-1(z) for z ~ N(mean, covariance).

    Costs O(h^2) for each of at most 47 terms; it stops when what is left is 1e-13 of every
    variance.
    """
    var = np.einsum("...hh->...h", covariance)
    m, v = warped_mean_var(warp, mean, var)
    _, w, h = _rule()
    y = _at_nodes(warp, mean, var)
    with np.errstate(over="ignore", invalid="ignore"):
        a = (y - m[..., None]) @ (w * h).T  # (..., h, terms)
    s = np.sqrt(var)
    safe = np.where(s > 0, s, 1.0)
    rho = np.clip(covariance / safe[..., :, None] / safe[..., None, :], -1.0, 1.0)
    total = np.zeros_like(covariance)
    power = np.ones_like(covariance)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        left = v.copy()
        for k in range(1, _TERMS):
            power *= rho
            total += a[..., :, None, k] * a[..., None, :, k] * power
            left -= a[..., k] ** 2
            if (left <= 1e-13 * v).all():
                break
    diagonal = np.arange(mean.shape[-1])
    total[..., diagonal, diagonal] = v
    return m, total


def warped_crps(warp: Warp, y_true: FloatArray, mean: FloatArray, var: FloatArray) -> FloatArray:
    """Return the CRPS of w^-1(z) for z ~ N(mean, var) at the truths, by quadrature.

    ::

        CRPS = E|Y - y| - 1/2 E|Y - Y'|
        E|Y - y| = E[Y] - y + 2 E[(y - Y) 1(Y < y)],   1/2 E|Y - Y'| = E[Y (2 Phi(x) - 1)]

    with Y = w^-1(m + s x), both expectations over x ~ N(0, 1).
    """
    x, w, _ = _rule()
    s = np.sqrt(var)
    y = _at_nodes(warp, mean, var)
    spread = (y - (y @ w)[..., None]) @ (w * erf(x / np.sqrt(2.0)))
    with np.errstate(divide="ignore"):
        at = (warp.forward(y_true) - mean) / s
    at = np.where(y_true > warp.lowest, np.clip(at, -_TAIL, _TAIL), -_TAIL)
    t, u = leggauss(64)
    half = 0.5 * (at + _TAIL)  # from -tail to where the truth fell
    points = half[..., None] * (t + 1.0) - _TAIL
    below = y_true[..., None] - warp.backward(mean[..., None] + s[..., None] * points)
    density = np.exp(-0.5 * points**2) / np.sqrt(2.0 * np.pi)
    inside = (below * density) @ u * half
    result: FloatArray = (y @ w) - y_true + 2.0 * inside - spread
    return result


def warped_nlpd(warp: Warp, y_true: FloatArray, mean: FloatArray, var: FloatArray) -> FloatArray:
    """Return -log p(y) = 1/2 log(2 pi v) + (w(y) - m)^2 / (2 v) - log w'(y); inf below the edge.

    On the edge itself, of which all that lies below is taken, -log P(z <= edge).
    """
    z = warp.forward(y_true)
    inside = np.isfinite(z) & (y_true > warp.lowest)
    z = np.where(inside, z, mean)
    slope = warp.log_gradient(np.where(inside, y_true, np.nan))
    value = 0.5 * np.log(2.0 * np.pi * var) + (z - mean) ** 2 / (2.0 * var) - slope
    edge: Any = np.asarray(warp.lowest_warped)
    on_edge = np.isfinite(edge) & (y_true == warp.lowest)
    there = -log_ndtr((np.where(np.isfinite(edge), edge, 0.0) - mean) / np.sqrt(var))
    value = np.where(on_edge, there, np.where(inside, value, np.inf))
    return np.where(np.isnan(y_true), np.nan, value)


def clipped_fraction(warp: Warp, mean: FloatArray, var: FloatArray) -> float:
    """Return the largest probability, over all steps, of a value below the edge of the warp."""
    edge: Any = warp.lowest_warped
    if not np.isfinite(edge).any():
        return 0.0
    s = np.sqrt(var)
    with np.errstate(divide="ignore"):
        return float(ndtr((edge - mean) / s).max(initial=0.0))


def _at_nodes(warp: Warp, mean: FloatArray, var: FloatArray) -> FloatArray:
    x, _, _ = _rule()
    return warp.backward(mean[..., None] + np.sqrt(np.maximum(var, 0.0))[..., None] * x)
