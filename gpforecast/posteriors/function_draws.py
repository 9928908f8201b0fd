"""Whole functions drawn from a posterior, by pathwise conditioning or point by point."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.elementary import sums_of_waves
from gpforecast.numerics.linear_algebra import solve_rows
from gpforecast.posteriors.base import Draw
from gpforecast.posteriors.coefficients import Coefficients

_BLOCK_ELEMENTS = 1_000_000  # doubles in one block of the working arrays: 8 MB
_DETERMINED = 1e-12  # of the prior variance; what is less uncertain than that is known


def draw_functions(
    posterior: Coefficients, n: int, rng: np.random.Generator, *, n_features: int
) -> Draw:
    r"""Draw n functions and return what evaluates each of them at its own inputs.

    A draw from the prior is corrected by what the data say (Matheron's rule):

    .. math::

        f(x) = \psi(x)' (w + A \epsilon) + f_0(x)
               - k(x)' (C C')^{-1} \frac{f_0(X) + e}{c},
        \qquad \epsilon \sim N(0, I), \quad e \sim N(0, \sigma^2 I)

    with :math:`f_0 \sim GP(0, c k)` from random Fourier features, which are needed only where the
    posterior has a part that is not a finite sum of features (c > 0). Where the covariance has no
    spectral density to draw from, that part is drawn point by point; see `PointByPoint`.

    Parameters
    ----------
    posterior : Coefficients
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
    theta += rng.standard_normal((n, posterior.A.shape[1])) @ posterior.A.T
    c = posterior.prior_var
    if c == 0.0 or posterior.chol is None:
        return lambda x: _extended_linear(posterior, theta, x)

    half = max(1, n_features // 2)
    frequencies = posterior.kernel.frequencies(rng, n, d, half)
    if frequencies is None:
        residual = PointByPoint(posterior, rng)
        return lambda x: _extended_linear(posterior, theta, x) + residual(x)
    amplitudes = rng.standard_normal((2, n, half)) * np.sqrt(c / half)

    def prior(x: FloatArray) -> FloatArray:
        f = np.empty((n, x.shape[1]))
        sums_of_waves(np.ascontiguousarray(x), frequencies, amplitudes, f)
        return f

    # A copy: numba would compile again for a read-only array.
    at_centers = prior(posterior.centers.copy()[None])
    noise = rng.standard_normal((n, m))
    nugget = posterior.nugget  # a matrix where rows share their noise
    at_centers += (
        noise @ np.linalg.cholesky(nugget).T if np.ndim(nugget) == 2 else np.sqrt(nugget) * noise
    )
    half_solved = solve_rows(posterior.chol, at_centers / c)
    theta[:, :m] -= solve_rows(posterior.chol, half_solved, transposed=True)
    return lambda x: _extended_linear(posterior, theta, x) + prior(x)


class PointByPoint:
    r"""The part of each function that is not a sum of features, drawn where it is evaluated.

    Its covariance is :math:`c\, k(x, x') - k(x)' (C C')^{-1} k(x')`. Every value is drawn given all
    that were drawn of the same function, by one more row of a Cholesky factor: exact for every
    covariance, at O(k m) memory and O(k m + k^2) time for the k-th value of each function.
    """

    def __init__(self, posterior: Coefficients, rng: np.random.Generator) -> None:
        assert posterior.chol is not None
        self.posterior, self.chol, self.rng = posterior, posterior.chol, rng
        # Of each value: inputs (n, b, d), C^-1 k(x) (n, b, m), the row of the Cholesky factor, with
        # entries (n, b), and the standard normals (n, b).
        self.drawn: list[tuple[FloatArray, FloatArray, list[FloatArray], FloatArray]] = []

    def __call__(self, x: FloatArray) -> FloatArray:
        """Return the values at x (n, b, d): (n, b)."""
        posterior, c = self.posterior, self.posterior.prior_var
        flat = x.reshape(-1, x.shape[-1])
        explained = solve_rows(self.chol, posterior.features(flat)).reshape(*x.shape[:2], -1)
        prior = c * posterior.kernel.diag(flat).reshape(x.shape[:2])
        row: list[FloatArray] = []
        for j, (earlier, e, factor, _) in enumerate(self.drawn):
            k = posterior.kernel.pairs(earlier.reshape(flat.shape), flat).reshape(x.shape[:2])
            left = c * k - np.einsum("pbm,pbm->pb", e, explained)
            for i in range(j):
                left -= factor[i] * row[i]
            known = factor[j] > 0.0
            row.append(np.where(known, left / np.where(known, factor[j], 1.0), 0.0))
        var = prior - np.einsum("pbm,pbm->pb", explained, explained) - sum(r**2 for r in row)
        row.append(np.sqrt(np.where(var > _DETERMINED * prior, var, 0.0)))
        self.drawn.append((x, explained, row, self.rng.standard_normal(x.shape[:2])))
        return np.asarray(sum(r * z for r, (*_, z) in zip(row, self.drawn, strict=True)))


def _extended_linear(posterior: Coefficients, theta: FloatArray, x: FloatArray) -> FloatArray:
    """psi(x)' theta with a theta for every path: x (n, b, d), theta (n, m + d + 1)."""
    m, d = posterior.centers.shape
    f: FloatArray = np.einsum("pbd,pd->pb", x, theta[:, m : m + d]) + theta[:, m + d, None]
    if m == 0:
        return f
    step = max(1, _BLOCK_ELEMENTS // (m * max(1, x.shape[1])))
    for a in range(0, len(x), step):
        block = x[a : a + step]
        k = posterior.features(block.reshape(-1, d)).reshape(*block.shape[:2], m)
        f[a : a + step] += np.einsum("pbm,pm->pb", k, theta[a : a + step, :m])
    return f
