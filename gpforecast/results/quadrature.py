r"""Moments and scores of y = g(z) for jointly Gaussian z and an increasing g.

With h_k the polynomials orthonormal under N(0, 1), expand g(m + s x) = sum_k a_k h_k(x). For
standard Gaussians with correlation rho, E[h_j(x) h_k(x')] = rho^k if j = k and 0 otherwise
(Mehler, 1866), so that

    E[y] = a_0        Cov(y_i, y_j) = sum_{k >= 1} a_k(i) a_k(j) rho_ij^k.

Each term is a Schur product of positive semi-definite matrices, and so is the sum. What the
expansion leaves out of a variance is added to the diagonal, which keeps it so. The exponential has
closed forms, and needs them: quadrature nodes do not cover a heavy tail.
"""

from collections.abc import Callable
from functools import cache
from math import erfc, sqrt

import numpy as np
import scipy
from numpy.polynomial.hermite_e import hermegauss, hermevander
from numpy.polynomial.legendre import leggauss

from gpforecast.common.types import FloatArray
from gpforecast.results.step_warps import Stepwise
from gpforecast.transforms.base import Warp
from gpforecast.transforms.warps import Log

_NODES = 96
_TERMS = 48
# Of the quadrature of the CRPS, in standard deviations: a Gaussian has 1e-23 beyond 10, but what a
# logarithm of standard deviation s weighs most lies at s / 2. The densities underflow at 38.
_ENDS = (-10.0, 37.0)
_PANELS = (*np.linspace(-10.0, 10.0, 11), *np.linspace(13.0, 37.0, 9))
_IN_A_PANEL = 12


def below(*z: float) -> FloatArray:
    """Return the probabilities below values of a standard Gaussian.

    Examples
    --------
    >>> below(0, 1.96).round(4)
    array([0.5  , 0.975])
    """
    return np.array([0.5 * erfc(-one / sqrt(2.0)) for one in z])


@cache
def _rule() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Gauss-Hermite nodes and weights of N(0, 1), and h_k at the nodes, (terms, nodes)."""
    x, w = hermegauss(_NODES)
    h = hermevander(x, _TERMS - 1) / np.sqrt(scipy.special.factorial(np.arange(_TERMS)))
    return x, w / w.sum(), h.T


def warped_mean_var(warp: Warp, mean: FloatArray, var: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of w^-1(z) for z ~ N(mean, var), of any shape."""
    if warp == Log():
        with np.errstate(over="ignore"):
            m = np.exp(mean + 0.5 * var)
        return m, _times_expm1(m, m, var)
    if isinstance(warp, Stepwise):
        m, v = mean.copy(), var.copy()
        for one, steps in warp.groups():
            m[steps], v[steps] = warped_mean_var(one, mean[steps], var[steps])
        return m, v
    _, w, _ = _rule()
    y = _at_nodes(warp, mean, var)
    with np.errstate(over="ignore", invalid="ignore"):
        m = y @ w
        # of a mean that is infinite, so is the variance
        return m, np.where(np.isinf(m), np.inf, (y - m[..., None]) ** 2 @ w)


def warped_covariance(warp: Warp, mean: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return the covariance (..., h, h) of w^-1(z) for z ~ N(mean, covariance).

    Costs O(h^2) for each of at most 47 terms; it stops when the rest is 1e-13 of every
    variance.
    """
    var = np.einsum("...hh->...h", covariance)
    m, v = warped_mean_var(warp, mean, var)
    if warp == Log():
        return _times_expm1(m[..., :, None], m[..., None, :], covariance)
    _, w, h = _rule()
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        a = (_at_nodes(warp, mean, var) - m[..., None]) @ (w * h[1:]).T  # (..., h, terms)
    return expanded(a, covariance, v)


def expanded(a: FloatArray, covariance: FloatArray, var: FloatArray) -> FloatArray:
    """Return the covariance of y, (..., h, h), by the coefficients of an expansion.

    Parameters
    ----------
    a : ndarray (..., h, terms)
        a_k for k = 1, 2, ...
    covariance : ndarray (..., h, h)
        Of the Gaussian z.
    var : ndarray (..., h)
        Variances of y by another quadrature. Where the expansion finds more than these, its steps
        are scaled to them: only what is added to the diagonal keeps the sum positive
        semi-definite.
    """
    s = np.sqrt(np.einsum("...hh->...h", covariance))
    s = np.where(s > 0.0, s, 1.0)
    rho = np.clip(covariance / s[..., :, None] / s[..., None, :], -1.0, 1.0)
    total, power, explained = np.zeros_like(rho), np.ones_like(rho), np.zeros_like(var)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for one in np.moveaxis(a, -1, 0):
            power = power * rho
            total += one[..., :, None] * one[..., None, :] * power
            explained = explained + one**2
            if (var - explained <= 1e-13 * var).all():
                break
        more = np.isfinite(explained) & (explained > var)
        scale = np.sqrt(np.where(more, var / np.where(more, explained, 1.0), 1.0))
        total *= scale[..., :, None] * scale[..., None, :]
    diagonal = np.arange(var.shape[-1])
    total[..., diagonal, diagonal] = var
    return np.where(np.isnan(total), np.inf, total)


def _times_expm1(a: FloatArray, b: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return a b (exp(c) - 1), the covariance of exponentials of means a and b; 0 where c is."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(covariance == 0.0, 0.0, a * b * np.expm1(covariance))


def warped_crps(warp: Warp, y_true: FloatArray, mean: FloatArray, var: FloatArray) -> FloatArray:
    r"""Return the CRPS of w^-1(z) for z ~ N(mean, var) at the truths, by quadrature.

    It is the quantile loss, integrated over all probabilities (Gneiting and Ranjan, 2011, eq. 7);
    with :math:`Y(x) = w^{-1}(m + s x)` and :math:`\Phi(x)` for the probability,

    .. math:: 2 \int |y - Y(x)|\, \Phi(\mp x)\, \phi(x)\, dx

    with the upper sign where Y > y. No two terms of similar size are subtracted, so that
    the result keeps its digits and cannot be negative, however heavy the tail. inf where it is too
    large for a number.
    """
    s = np.sqrt(np.maximum(var, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        at, lowest = ((z - mean) / s for z in (warp.forward(y_true), warp.lowest_warped))

    def loss(x: FloatArray) -> FloatArray:  # of finite values, and of those that overflow
        y = warp.backward(mean[..., None] + s[..., None] * x)
        finite = ~np.isinf(y)
        tail = scipy.special.ndtr(np.where(x > at[..., None], -x, x))
        weight = tail * np.exp(-0.5 * x**2) * np.sqrt(2.0 / np.pi)
        each = weight * np.abs(np.minimum(y, np.finfo(np.float64).max) - y_true[..., None])
        return np.stack([np.where(finite, each, 0.0), np.where(finite, 0.0, each)])

    # Y has kinks at the edge of the warp, the loss has one at the truth.
    kinks = [np.clip(np.where(np.isnan(x), 0.0, x), *_ENDS) for x in (at, lowest)]
    edges = np.sort(np.stack(np.broadcast_arrays(*_PANELS, *kinks, y_true)[:-1], axis=-1))
    total, beyond = integral(loss, edges, _IN_A_PANEL)
    # Values that overflow matter, unless their probability is negligible.
    return np.where(beyond > 1e-12 * total, np.inf, total)


def _at_nodes(warp: Warp, mean: FloatArray, var: FloatArray) -> FloatArray:
    x, _, _ = _rule()
    return warp.backward(mean[..., None] + np.sqrt(np.maximum(var, 0.0))[..., None] * x)


def panels(edges: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights between neighbouring edges (..., e), (..., n) each."""
    t, u = leggauss(n)
    low, half = edges[..., :-1, None], 0.5 * np.diff(edges)[..., None]
    shape = (*edges.shape[:-1], -1)
    return (low + half * (t + 1.0)).reshape(shape), (half * u).reshape(shape)


def integral(function: Callable[[FloatArray], FloatArray], edges: FloatArray, n: int) -> FloatArray:
    """Return the integral of a function of each step (...), smooth between edges (..., e).

    It gets as many values a step as there are nodes between two edges, (..., n).
    """
    total = np.zeros(edges.shape[:-1])
    for k in range(edges.shape[-1] - 1):
        x, w = panels(edges[..., k : k + 2], n)
        total = total + (w * function(x)).sum(axis=-1)
    return total


def probability_between(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return P(low < z <= high) for z ~ N(0, 1), from the tail that keeps its digits."""
    flip = low > 0.0
    return np.asarray(
        scipy.special.ndtr(np.where(flip, -low, high))
        - scipy.special.ndtr(np.where(flip, -high, low))
    )


def shrunk(latent_var: FloatArray, var: FloatArray, to: FloatArray) -> FloatArray:
    """Return a part of a variance as the same share of another."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(np.isfinite(var) & (var > 0.0), latent_var / var, 1.0)
    return share * to
