r"""Expectations of Gaussian bumps under a Gaussian input, compiled.

A bump is :math:`k_i(x) = \exp(-\frac12 |\Lambda^{-1/2}(x - x_i)|^2)`. The input is
:math:`x \sim N(u, S)`, and all is written in the eigenbasis of the scaled input covariance,
:math:`\Lambda^{-1/2} S \Lambda^{-1/2} = V \operatorname{diag}(s) V'`, of which only the
eigenvalues that are not zero are passed (``s``, ``V``).
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.caching import compiled


@compiled
def log_shrinkage(s: float) -> float:
    r"""Return :math:`\log(1 - s^2/(1+s)^2) = \log((1+2s)/(1+s)^2)`, whatever the size of s."""
    large = np.log1p(2.0 * s) - 2.0 * np.log1p(s)
    value: float = np.log1p(-((s / (1.0 + s)) ** 2)) if s < 1.0 else large
    return value


@compiled
def bump_expectations(
    u: FloatArray,  # (b, d)
    s: FloatArray,  # (b, r)
    V: FloatArray,  # (b, d, r)
    centers: FloatArray,  # (m, d)
    lengthscales: FloatArray,  # (d,)
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    r"""Return what the first moments need of every bump, and what the double sum needs.

    With z_i = V' Lambda^-1/2 (x_i - u)::

        log l_i = -1/2 |Lambda^-1/2 (x_i - u)|^2 + 1/2 sum_r z_ir^2 s_r/(1+s_r)
                  - 1/2 sum_r log(1+s_r)              (Quinonero-Candela et al. 2003, eq. 33)
        rho_i   = 1/2 sum_r z_ir^2 s_r^2/((1+s_r)(1+2 s_r)) + 1/4 sum_r log(1-(s_r/(1+s_r))^2)

    so that log(L_ij / (l_i l_j)) = T_ij = sum_r z_ir z_jr s_r/(1+2 s_r) - rho_i - rho_j.

    Returns
    -------
    Y : ndarray (b, r + 2, m)
        l_i, l_i rho_i and l_i z_ir.
    l_z : ndarray (b, d, m)
        l_i Lambda^-1/2 (x_i - u), from which the gradient is made.
    rho : ndarray (b, m)
    zs : ndarray (b, r, m)
        z_ir sqrt(s_r / (1 + 2 s_r)).
    """
    n_batch, n_rank = s.shape
    m, d = centers.shape
    Y = np.empty((n_batch, n_rank + 2, m))
    l_z = np.empty((n_batch, d, m))
    rho_ = np.empty((n_batch, m))
    zs = np.empty((n_batch, n_rank, m))
    z = np.empty(m)
    for b in range(n_batch):
        log_l = Y[b, 0]
        rho = rho_[b]
        log_norm = 0.0
        half_log_t = 0.0
        for r in range(n_rank):
            log_norm -= 0.5 * np.log1p(s[b, r])
            half_log_t += 0.25 * log_shrinkage(s[b, r])
        log_l[:] = log_norm
        rho[:] = half_log_t
        for c in range(d):
            for i in range(m):
                w = (centers[i, c] - u[b, c]) / lengthscales[c]
                l_z[b, c, i] = w
                log_l[i] -= 0.5 * w * w
        for r in range(n_rank):
            z[:] = 0.0
            for c in range(d):
                v = V[b, c, r]
                for i in range(m):
                    z[i] += v * l_z[b, c, i]
            e = s[b, r]
            a = 0.5 * e / (1.0 + e)
            q = a * e / (1.0 + 2.0 * e)
            root = np.sqrt(e / (1.0 + 2.0 * e))
            for i in range(m):
                zz = z[i] * z[i]
                log_l[i] += a * zz
                rho[i] += q * zz
                zs[b, r, i] = root * z[i]
                Y[b, r + 2, i] = z[i]
        for i in range(m):
            log_l[i] = np.exp(log_l[i])
            Y[b, 1, i] = rho[i] * log_l[i]
        for row in range(2, n_rank + 2):
            for i in range(m):
                Y[b, row, i] *= Y[b, 0, i]
        for c in range(d):
            for i in range(m):
                l_z[b, c, i] *= Y[b, 0, i]
    return Y, l_z, rho_, zs


@compiled
def _pair_exponents(zs: FloatArray, rho: FloatArray, i: int, t: FloatArray) -> None:
    """Fill t[: i + 1] with T_ij for j = 0..i; the inner loops run along memory."""
    n_rank = zs.shape[0]
    for j in range(i + 1):
        t[j] = -rho[i] - rho[j]
    full = n_rank - n_rank % 4
    for r in range(0, full, 4):
        a0, a1, a2, a3 = zs[r, i], zs[r + 1, i], zs[r + 2, i], zs[r + 3, i]
        for j in range(i + 1):
            t[j] += (a0 * zs[r, j] + a1 * zs[r + 1, j]) + (a2 * zs[r + 2, j] + a3 * zs[r + 3, j])
    for r in range(full, n_rank):
        a0 = zs[r, i]
        for j in range(i + 1):
            t[j] += a0 * zs[r, j]


@compiled
def second_moments(log_l: FloatArray, rho: FloatArray, zs: FloatArray) -> FloatArray:
    r"""Return the matrix L of one input, :math:`L_{ij} = l_i l_j e^{T_{ij}}` (eq. 37)."""
    m = log_l.shape[0]
    L = np.empty((m, m))
    t = np.empty(m)
    for i in range(m):
        _pair_exponents(zs, rho, i, t)
        for j in range(i + 1):
            L[i, j] = np.exp(log_l[i] + log_l[j] + t[j])
            L[j, i] = L[i, j]
    return L
