"""How much of a series' steps can be predicted from a few lags, by a line and by any function."""

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.process import on_grid
from gpforecast.common.types import FloatArray
from gpforecast.series.embedding import LagEmbedding


def is_constant(y: FloatArray) -> bool:
    """Whether all values are the same, but for rounding."""
    return bool(np.ptp(y) <= th.CONSTANT * max(float(np.abs(y).max()), 1e-300))


def unexplained(y: FloatArray) -> float:
    """Return the residual variance of an autoregression over the variance of the differences.

    About 1/2 for noise, 1 for a random walk, 1e-5 for a chaotic flow sampled finely.
    """
    p = min(th.UNEXPLAINED_LAGS, len(y) // 4)
    X = np.column_stack([np.ones(len(y) - p), *(y[p - j : len(y) - j] for j in range(1, p + 1))])
    X[:, 1:] -= y.mean()
    residual = y[p:] - y.mean()
    residual = residual - X @ np.linalg.lstsq(X, residual, rcond=None)[0]
    freedom = max(len(residual) - p - 1, 1)
    steps = float(np.diff(y).var())
    return float(residual @ residual) / freedom / steps if steps > 0 else 0.0


def noise_left(y: FloatArray) -> float:
    """Return the noise that a Gaussian process of a few lags finds, over the variance of the steps.

    About 1/2 for noise, 1 for a random walk, like `unexplained`, but 1e-3 for a chaotic map too,
    which no linear function predicts. 42 Cholesky factorisations of at most 300 rows.
    """
    y = y[-th.NOISE_ROWS - th.NOISE_LAGS :]
    lags = min(th.NOISE_LAGS, len(y) // 8)
    scale, steps = float(y.std()), float(np.diff(y).var())
    if lags == 0 or scale == 0:
        return 1.0
    rows = LagEmbedding(lags).transform((y - y.mean()) / scale)
    return on_grid(rows.X, rows.y).noise_var * scale**2 / steps
