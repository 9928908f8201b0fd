"""How well sets of lags forecast a series, from rolling origins in its own past.

All sets of lags forecast the same steps from the same origins, and know only what came before an
origin. They are judged by the absolute error of a Gaussian process with these inputs (`LagJudge`).
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.origins import evenly
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.wording import named_lags
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.propagation.recursion import Inputs, Start, trajectory
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.scaling import ROUNDING

logger = logging.getLogger(__name__)


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


def _cholesky(C: FloatArray, g: float) -> FloatArray | None:
    """Return the lower factor of C with 1 + g on its diagonal, or None; C is overwritten there."""
    C.flat[:: len(C) + 1] = 1.0 + g
    # The upper triangle in C order is LAPACK's lower one; C is symmetric.
    L, info = scipy.linalg.lapack.dpotrf(C.T, lower=1)
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
        C = np.exp(-0.5 * scipy.spatial.distance.cdist(X, X, "sqeuclidean") / found.lengthscale**2)
        # More noise until the matrix can be factorised.
        noises = found.noise_var / found.variance * 10.0 ** np.arange(12)
        L = next(L for g in noises if (L := _cholesky(C, g)) is not None)
        weights = np.zeros((len(known), len(y)))
        for w, m in zip(weights, known, strict=True):
            w[:m] = scipy.linalg.cho_solve((L[:m, :m], True), y[:m])
        return Snapshots(X / found.lengthscale, weights, found.lengthscale)

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the mean (origins,) at inputs X (origins, d), cut off far outside the series."""
        squared = scipy.spatial.distance.cdist(X / self.lengthscale, self.centers, "sqeuclidean")
        f = (np.exp(-0.5 * squared) * self.weights).sum(axis=1)
        cut: FloatArray = np.clip(f, -th.LAG_RUNAWAY, th.LAG_RUNAWAY)
        return np.where(np.isnan(cut), th.LAG_RUNAWAY, cut)


@dataclass(frozen=True, eq=False)
class LagTrial:
    """The scores of one set of lags.

    Attributes
    ----------
    lags : tuple of int
        In increasing order.
    source : str
        Where they come from, in words.
    errors : ndarray (origins,)
        Mean over the horizon of absolute errors, each cut off at 1; in standard deviations.
    found : Hyperparameters
    n_compared : int
        Rows that the evidence is of.
    """

    lags: tuple[int, ...]
    source: str
    errors: FloatArray
    found: Hyperparameters
    n_compared: int

    @property
    def score(self) -> float:
        """The mean over origins: 0 is perfect, about 0.7 as bad as the mean of the series."""
        return float(self.errors.mean())

    @property
    def credit(self) -> float:
        """The log evidence of all rows less the price of the lags, nats."""
        return self.n_compared * self.found.log_evidence - th.LAG_PRICE * len(self.lags)

    def __str__(self) -> str:
        """Return lags and source in words."""
        return f"{named_lags(self.lags)} ({self.source})"


@dataclass(frozen=True, eq=False)
class LagJudge:
    """The same targets, origins and horizon for every set of lags.

    The judge is a Gaussian process with one length-scale for all lags, and hyperparameters from a
    grid. A forecast is made from the rows before its origin alone: rows that come after would let
    a model with far-reaching lags find its place in time and interpolate.

    Attributes
    ----------
    z : ndarray (n,)
        The standardised series.
    longest : int
        The largest lag of any set; targets start there.
    horizon : int
        Steps of a forecast; 0 to judge by evidence alone.
    """

    z: FloatArray
    longest: int
    horizon: int

    @property
    def origins(self) -> IntArray:
        """Positions of the first values that are forecast: in the later half of the targets."""
        last = len(self.z) - self.horizon
        middle = (self.longest + len(self.z)) // 2 - self.horizon
        first = min(max(middle, self.longest + th.SHORTEST), last)
        return evenly(first, last, th.LAG_ORIGINS)

    def rows(self, lags: tuple[int, ...], most: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return inputs, targets and the targets' positions, at most so many, evenly spaced."""
        at = evenly(self.longest, len(self.z) - 1, min(most, len(self.z) - self.longest))
        return self.z[at[:, None] - np.array(lags)], self.z[at], at

    def trial(self, lags: tuple[int, ...], source: str = "") -> LagTrial:
        """Forecast from every origin; O(rows^3 + origins rows horizon lags)."""
        X, y, _ = self.rows(lags, th.GRID_ROWS)
        found = on_grid(X, y)
        if self.horizon == 0:
            return LagTrial(lags, source, np.array([-found.log_evidence]), found, len(y))
        origins = self.origins
        X, y_known, at = self.rows(lags, th.LAG_ROWS)
        known = Snapshots.of(X, y_known, np.searchsorted(at, origins), found)
        past = Start(_around(self.z, origins, -lags[-1], 0))
        ahead = trajectory(known, Inputs(lags), past, self.horizon)
        error = np.abs(ahead - _around(self.z, origins, 0, self.horizon))
        off = np.minimum(error, th.LAG_LARGEST_ERROR)
        return LagTrial(lags, source, off.mean(axis=1), found, len(y))


def _around(y: FloatArray, origins: IntArray, first: int, last: int) -> FloatArray:
    """Return y from `first` steps after each origin up to `last` steps after it."""
    values: FloatArray = y[origins[:, None] + np.arange(first, last)]
    return values
