"""A Kalman filter and the forecasts of its state, with full matrices."""

import numpy as np
from scipy.linalg import block_diag

from gpforecast.common.types import FloatArray

Sums = tuple[float, float, int]


def condition(
    y: FloatArray, F: FloatArray, q: FloatArray, r: float, a: FloatArray, P: FloatArray
) -> tuple[Sums, FloatArray, FloatArray]:
    """Return the sums of the evidence, and mean (n, 1) and covariance of the state after y."""
    T, Q, h = block_diag(*F), np.diag(q), np.tile([1.0, 0.0], len(F))
    log_sum = square_sum = 0.0
    for value in y:
        if not np.isnan(value):
            f, error = h @ P @ h + r, value - h @ a[:, 0]
            K = (P @ h / f)[:, None]
            log_sum, square_sum = log_sum + np.log(f), square_sum + error**2 / f
            a, P = a + K * error, P - f * K @ K.T
        a, P = T @ a, T @ P @ T.T + Q
    return (log_sum, square_sum, int((~np.isnan(y)).sum())), a, P


def forecast(
    F: FloatArray, q: FloatArray, r: float, a: FloatArray, P: FloatArray, horizon: int
) -> tuple[FloatArray, FloatArray]:
    """Return the joint distribution of the next observations: mean (h,) and covariance (h, h)."""
    T, Q, h = block_diag(*F), np.diag(q), np.tile([1.0, 0.0], len(F))
    mean, covariance = np.empty(horizon), np.empty((horizon, horizon))
    for t in range(horizon):
        mean[t], later = h @ a[:, 0], P @ h
        covariance[t, t] = h @ later + r
        for k in range(t + 1, horizon):
            later = T @ later
            covariance[t, k] = covariance[k, t] = h @ later
        a, P = T @ a, T @ P @ T.T + Q
    return mean, covariance
