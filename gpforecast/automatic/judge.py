"""A Gaussian process with one length-scale, whose hyperparameters come from a grid."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.origins import evenly
from gpforecast.common.types import FloatArray
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.scaling import ROUNDING


@dataclass(frozen=True)
class Hyperparameters:
    """Of a covariance with one length-scale, on a standardised series."""

    lengthscale: float
    variance: float
    noise_var: float
    log_evidence: float  # nats a row

    @property
    def model(self) -> GaussianProcess:
        """A process that keeps them in training."""
        covariance = SquaredExponential(lengthscales=self.lengthscale, variance=self.variance)
        return GaussianProcess(covariance, noise_var=self.noise_var, optimizer=None)


def on_grid(X: FloatArray, y: FloatArray) -> Hyperparameters:
    r"""Return the hyperparameters of largest evidence on a grid of smoothness and noise.

    The signal variance needs none: for :math:`K_y = v (C + g I)` the best is
    :math:`v = y'(C + g I)^{-1} y / n`, which leaves
    :math:`-\frac n2 \log 2\pi e v - \frac12 \log|C + g I|`.

    Parameters
    ----------
    X : ndarray (n, d)
        Of a standardised series.
    y : ndarray (n,)

    Returns
    -------
    Hyperparameters

    Notes
    -----
    42 Cholesky factorisations, O(n^3) each.
    """
    n, d = X.shape
    squared = scipy.spatial.distance.cdist(X, X, "sqeuclidean")
    floor = np.sqrt(np.finfo(float).tiny)  # no product of two is subnormal
    best = Hyperparameters(float(np.sqrt(d)), 1.0, 1.0, -np.inf)
    for width in th.GRID_LENGTHSCALES:
        ell = width * float(np.sqrt(d))
        C = np.exp(-0.5 * squared / ell**2) + floor
        for g in th.GRID_NOISES:
            if (L := _cholesky(C, g)) is None:
                continue
            half = scipy.linalg.lapack.dtrtrs(L, y, lower=1)[0]
            v = max(float(half @ half) / n, ROUNDING)
            log_det = 2.0 * float(np.log(L.diagonal()).sum())
            evidence = -0.5 * (np.log(2.0 * np.pi * v) + 1.0 + log_det / n)
            if evidence > best.log_evidence:
                best = Hyperparameters(ell, v, g * v, float(evidence))
    return best


def noise_left(y: FloatArray) -> float:
    """Return what a process of a few lags leaves of rows that it was not given.

    It is their mean square error over the variance of the steps: about 1/2 for noise, 1 for a
    random walk, 1e-3 for a chaotic map, which no linear function predicts.
    """
    y = y[-th.NOISE_ROWS - th.NOISE_LAGS :]
    lags, scale = min(th.NOISE_LAGS, len(y) // 8), float(y.std())
    if lags == 0 or scale == 0:
        return 1.0
    z = (y - y.mean()) / scale
    rows = LagEmbedding(lags).transform(z)
    return left_out(z, range(1, lags + 1), on_grid(rows.X, rows.y).model)


def left_out(z: FloatArray, lags: Sequence[int], model: GaussianProcess) -> float:
    """Return the mean square error of rows that are left out, over the variance of the steps.

    With a short length-scale and no noise a process may take any noise for signal. It then predicts
    no row that it was not given.

    Parameters
    ----------
    z : ndarray (n,)
        Standardised.
    lags : sequence of int
    model : GaussianProcess
        Its hyperparameters, kept in training.

    Notes
    -----
    From one factorisation of at most 600 rows: Rasmussen and Williams (2006), eq. (5.12).
    """
    rows = LagEmbedding(list(lags)).transform(z)
    at = evenly(0, len(rows.y) - 1, th.LAG_ROWS)
    y, problem = rows.y[at], model.evidence_of(rows.X[at], rows.y[at])
    K = problem.covariance(rows.X[at], rows.X[at]) + problem.noise_var * np.eye(len(at))
    inverse = np.linalg.pinv(K, hermitian=True)
    error = inverse @ y / inverse.diagonal()
    return float(error @ error) / len(at) / max(float(np.diff(z).var()), 1e-300)


def factor(X: FloatArray, found: Hyperparameters) -> FloatArray:
    """Return the Cholesky factor (n, n) of rows (n, d), over the signal variance.

    With more noise than was found, where the matrix cannot be factorised.
    """
    C = np.exp(-0.5 * scipy.spatial.distance.cdist(X, X, "sqeuclidean") / found.lengthscale**2)
    noises = found.noise_var / found.variance * 10.0 ** np.arange(12)
    return next(L for g in noises if (L := _cholesky(C, g)) is not None)


def _cholesky(C: FloatArray, g: float) -> FloatArray | None:
    """Return the lower factor of C with 1 + g on its diagonal, or None; C is overwritten there."""
    C.flat[:: len(C) + 1] = 1.0 + g
    # The upper triangle in C order is LAPACK's lower one; C is symmetric.
    L, info = scipy.linalg.lapack.dpotrf(C.T, lower=1)
    return None if info else np.asarray(L)
