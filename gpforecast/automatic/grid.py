"""A Gaussian process with one length-scale, whose hyperparameters come from a grid."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import FloatArray, IntArray
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
    y = y[-th.GRID_ROWS - len(th.LAGS_FURTHER) :]
    lags, scale = min(len(th.LAGS_FURTHER), len(y) // 8), float(y.std())
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
    From one factorisation of at most 600 rows.
    """
    rows = LagEmbedding(list(lags)).transform(z)
    at = evenly(0, len(rows.y) - 1, th.LAG_ROWS)
    error, _ = parts_left_out(model, rows.X[at], rows.y[at], np.arange(len(at))[:, None])
    return float(error @ error) / len(at) / max(float(np.diff(z).var()), 1e-300)


def parts_left_out(
    model: GaussianProcess, X: FloatArray, y: FloatArray, parts: Iterable[IntArray]
) -> tuple[FloatArray, FloatArray]:
    r"""Return errors of parts of the rows, each predicted by all others, and their deviations.

    With :math:`P = (K + \sigma^2 I)^{-1}` those of a part r are :math:`P_{rr}^{-1} (P y)_r`, their
    covariance :math:`P_{rr}^{-1}` (Rasmussen and Williams 2006, section 5.4.2).
    """
    problem = model.evidence_of(X, y)
    K = problem.covariance(X, X) + problem.noise_var * np.eye(len(y))
    P = np.linalg.pinv(K, hermitian=True)
    weighted, errors, variances = P @ y, list[FloatArray](), list[FloatArray]()
    for part in parts:
        cov = np.linalg.pinv(P[np.ix_(part, part)], hermitian=True)
        errors.append(cov @ weighted[part])
        variances.append(cov.diagonal())
    return np.concatenate(errors), np.sqrt(np.concatenate(variances))


def evenly(first: int, last: int, most: int) -> IntArray:
    """Return positions from `first` to `last`, evenly spaced, at most so many."""
    return np.unique(np.linspace(first, last, most).astype(np.int64))


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
