"""A Gaussian process with one length-scale for all inputs, by which lags and noise are judged."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, lapack
from scipy.spatial.distance import cdist

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.series.embedding import LagEmbedding


@dataclass(frozen=True)
class Hyperparameters:
    """Of a covariance with one length-scale, on a standardised series."""

    lengthscale: float
    variance: float
    noise_var: float
    log_evidence: float  # nats a row

    @property
    def model(self) -> GaussianProcess:
        """A process that keeps them in training, with enough noise for realistic error bars."""
        covariance = SquaredExponential(lengthscales=self.lengthscale, variance=self.variance)
        noise_var = max(self.noise_var, th.LAG_LEAST_NOISE)
        return GaussianProcess(covariance, noise_var=noise_var, optimizer=None)


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
    squared = cdist(X, X, "sqeuclidean")
    best = Hyperparameters(float(np.sqrt(d)), 1.0, 1.0, -np.inf)
    for width in th.GRID_LENGTHSCALES:
        ell = width * float(np.sqrt(d))
        C = np.exp(-0.5 * squared / ell**2)
        for g in th.GRID_NOISES:
            if (L := _cholesky(C, g)) is None:
                continue
            half = lapack.dtrtrs(L, y, lower=1)[0]
            v = max(float(half @ half) / n, th.GRID_LEAST_VARIANCE)
            log_det = 2.0 * float(np.log(L.diagonal()).sum())
            evidence = -0.5 * (np.log(2.0 * np.pi * v) + 1.0 + log_det / n)
            if evidence > best.log_evidence:
                best = Hyperparameters(ell, v, g * v, float(evidence))
    return best


def noise_left(y: FloatArray) -> float:
    """Return the noise that the process finds with a few lags, over the variance of the steps.

    About 1/2 for noise, 1 for a random walk, 1e-3 for a chaotic map, which no linear function
    predicts.
    """
    y = y[-th.NOISE_ROWS - th.NOISE_LAGS :]
    lags = min(th.NOISE_LAGS, len(y) // 8)
    scale, steps = float(y.std()), float(np.diff(y).var())
    if lags == 0 or scale == 0:
        return 1.0
    rows = LagEmbedding(lags).transform((y - y.mean()) / scale)
    return on_grid(rows.X, rows.y).noise_var * scale**2 / steps


def _cholesky(C: FloatArray, g: float) -> FloatArray | None:
    """Return the lower factor of C with 1 + g on its diagonal, or None; C is overwritten there."""
    C.flat[:: len(C) + 1] = 1.0 + g
    # The upper triangle in C order is LAPACK's lower one; C is symmetric.
    L, info = lapack.dpotrf(C.T, lower=1)
    return None if info else np.asarray(L)


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The mean of a process as it is known at each of several origins, one set of weights each.

    A recursion evaluates it at one input an origin, in the order of the origins.

    Attributes
    ----------
    centers : ndarray (n, d)
        Inputs of the training rows, in length-scales.
    weights : ndarray (origins, n)
        Of the basis functions; 0 for rows that are not known at an origin.
    lengthscale : float
    """

    centers: FloatArray
    weights: FloatArray
    lengthscale: float

    @staticmethod
    def of(X: FloatArray, y: FloatArray, known: IntArray, found: Hyperparameters) -> "Snapshots":
        """Return the process of some hyperparameters at origins where the first rows are known.

        That costs no new fit for any of them: the Cholesky factor of the first rows is the leading
        block of the factor of all.

        Parameters
        ----------
        X : ndarray (n, d)
        y : ndarray (n,)
        known : ndarray (origins,) of int
            How many rows are known at each origin.
        found : Hyperparameters
        """
        C = np.exp(-0.5 * cdist(X, X, "sqeuclidean") / found.lengthscale**2)
        noises = found.noise_var / found.variance * 10.0 ** np.arange(12)  # more where it must be
        L = next(L for g in noises if (L := _cholesky(C, g)) is not None)
        weights = np.zeros((len(known), len(y)))
        for w, m in zip(weights, known, strict=True):
            w[:m] = cho_solve((L[:m, :m], True), y[:m])
        return Snapshots(X / found.lengthscale, weights, found.lengthscale)

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean (origins,) at inputs X (origins, d), cut off far outside the series."""
        squared = cdist(X / self.lengthscale, self.centers, "sqeuclidean")
        f = (np.exp(-0.5 * squared) * self.weights).sum(axis=1)
        cut: FloatArray = np.clip(f, -th.LAG_RUNAWAY, th.LAG_RUNAWAY)
        return np.where(np.isnan(cut), th.LAG_RUNAWAY, cut)
