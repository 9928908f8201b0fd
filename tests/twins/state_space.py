"""A Kalman filter and the forecasts of its state, with full matrices."""

import numpy as np
from scipy.linalg import block_diag

from gpforecast.common.types import FloatArray

Sums = tuple[float, float, int]
# phi, rho, variances of the disturbances and of the noise, what is observed, and the first time.
System = tuple[float, float, FloatArray, float, FloatArray, int]


def _transition(phi: float, rho: float, m: int) -> FloatArray:
    trend = [[1.0, 1.0, 1.0], [0.0, phi, 0.0], [0.0, 0.0, 1.0]]
    return block_diag(trend, rho, np.eye(m - 4))


def condition(
    y: FloatArray, system: System, a: FloatArray, P: FloatArray
) -> tuple[Sums, FloatArray, FloatArray]:
    """Return the sums of the evidence, and mean (m,) and covariance of the state after y."""
    phi, rho, q, r, Z, first = system
    T, Q = _transition(phi, rho, len(q)), np.diag(q)
    log_sum = square_sum = 0.0
    for t, value in enumerate(y, start=first):
        if not np.isnan(value):
            z = Z[t % len(Z)]
            f, error = z @ P @ z + r, value - z @ a
            K = P @ z / f
            log_sum, square_sum = log_sum + np.log(f), square_sum + error**2 / f
            a, P = a + K * error, P - f * np.outer(K, K)
        a, P = T @ a, T @ P @ T.T + Q
    return (log_sum, square_sum, int((~np.isnan(y)).sum())), a, P


def forecast(
    system: System, a: FloatArray, P: FloatArray, horizon: int
) -> tuple[FloatArray, FloatArray]:
    """Return the joint distribution of the next observations: mean (h,) and covariance (h, h)."""
    phi, rho, q, r, Z, first = system
    T, Q, z = _transition(phi, rho, len(q)), np.diag(q), Z[(first + np.arange(horizon)) % len(Z)]
    mean, covariance = np.empty(horizon), np.empty((horizon, horizon))
    for t in range(horizon):
        mean[t], later = z[t] @ a, P @ z[t]
        covariance[t, t] = z[t] @ later + r
        for k in range(t + 1, horizon):
            later = T @ later
            covariance[t, k] = covariance[k, t] = z[k] @ later
        a, P = T @ a, T @ P @ T.T + Q
    return mean, covariance
