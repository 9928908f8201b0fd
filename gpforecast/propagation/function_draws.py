"""Whole functions drawn from a posterior, by pathwise conditioning."""

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve
from scipy.spatial.distance import cdist

from gpforecast.common.types import FloatArray
from gpforecast.posteriors.extended_linear import Posterior

_BLOCK_ELEMENTS = 1_000_000  # doubles in one block of the working arrays: 8 MB


def draw_functions(
    posterior: Posterior, n: int, rng: np.random.Generator, *, n_features: int
) -> Callable[[FloatArray], FloatArray]:
    r"""Draw n functions and return what evaluates each of them at its own inputs.

    A draw from the prior is corrected by what the data say (Matheron's rule):

    .. math::

        f(x) = \psi(x)' (w + A \epsilon) + f_0(x)
               - k(x)' (C C')^{-1} \frac{f_0(X) + e}{c},
        \qquad \epsilon \sim N(0, I), \quad e \sim N(0, \sigma^2 I)

    with :math:`f_0 \sim GP(0, c k)` from random Fourier features, which are needed only where the
    posterior has a part that is not a finite sum of features (c > 0).

    Parameters
    ----------
    posterior : Posterior
    n : int
    rng : Generator
    n_features : int
        Cosines and sines together, for each function.

    Returns
    -------
    callable
        Carries x (n, b, d) to f (n, b): function p at the inputs x[p].

    References
    ----------
    Wilson et al. (2020), eq. (13); Rahimi and Recht (2007) for the features.
    """
    m, d = posterior.centers.shape
    theta = np.concatenate([posterior.weights, posterior.linear, [posterior.constant]])
    theta = np.repeat(theta[None], n, axis=0)
    if posterior.added is not None:
        theta += rng.standard_normal((n, posterior.added.shape[1])) @ posterior.added.T
    c = posterior.prior_var
    if c == 0.0 or posterior.chol is None:
        return lambda x: _extended_linear(posterior, theta, x)

    half = max(1, n_features // 2)
    frequencies = rng.standard_normal((n, d, half)) / posterior.lengthscales[:, None]
    amplitudes = rng.standard_normal((2, n, half)) * np.sqrt(c / half)

    def prior(x: FloatArray) -> FloatArray:
        f = np.empty(x.shape[:2])
        step = max(1, _BLOCK_ELEMENTS // (half * max(1, x.shape[1])))
        for p in (slice(a, a + step) for a in range(0, n, step)):
            angle = x[p] @ frequencies[p]  # (step, b, half)
            f[p] = np.einsum("pf,pbf->pb", amplitudes[0, p], np.cos(angle))
            f[p] += np.einsum("pf,pbf->pb", amplitudes[1, p], np.sin(angle, out=angle))
        return f

    at_centers = np.empty((n, m))
    for a in range(n):  # one function at a time: (m, half) stays in cache
        angle = posterior.centers @ frequencies[a]
        at_centers[a] = np.cos(angle) @ amplitudes[0, a] + np.sin(angle) @ amplitudes[1, a]
    at_centers += np.sqrt(posterior.nugget) * rng.standard_normal((n, m))
    theta[:, :m] -= cho_solve((posterior.chol, True), at_centers.T / c, check_finite=False).T
    return lambda x: _extended_linear(posterior, theta, x) + prior(x)


def _extended_linear(posterior: Posterior, theta: FloatArray, x: FloatArray) -> FloatArray:
    """psi(x)' theta with a theta for every path: x (n, b, d), theta (n, m + d + 1)."""
    m, d = posterior.centers.shape
    f: FloatArray = np.einsum("pbd,pd->pb", x, theta[:, m : m + d]) + theta[:, m + d, None]
    if m == 0:
        return f
    ell = posterior.lengthscales
    centers = posterior.centers / ell
    step = max(1, _BLOCK_ELEMENTS // (m * max(1, x.shape[1])))
    for a in range(0, len(x), step):
        block = x[a : a + step] / ell
        k = cdist(block.reshape(-1, d), centers, "sqeuclidean")
        np.exp(-0.5 * k, out=k)
        f[a : a + step] += np.einsum(
            "pbm,pm->pb", k.reshape(block.shape[0], block.shape[1], m), theta[a : a + step, :m]
        )
    return f
