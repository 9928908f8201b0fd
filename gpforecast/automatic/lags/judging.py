"""What a set of lags is worth: forecasts of many steps from within the series' own past.

The judge is a Gaussian process with one length-scale for all lags, whose hyperparameters come from
a grid. Forecasts start at several origins in the later half, and each is made from the rows before
its origin alone: rows that come after would let a model with far-reaching lags find its place in
time and interpolate. That costs no new fit. The rows are in order of time, so the Cholesky factor
of the first m is the leading block of the factor of all, and two triangular solves give the
weights.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, lapack
from scipy.spatial.distance import cdist

from gpforecast.common.types import FloatArray, IntArray

_WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # length-scales, in units of sqrt(d)
_NOISES = (1.0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9)  # noise variances, in those of the signal
_ROWS_GRID = 200  # rows on which the grid is compared
_ROWS = 600  # rows that forecast
_ORIGINS = 12
_RUNAWAY = 20.0  # standard deviations; a forecast further off is as wrong as can be


@dataclass(frozen=True)
class Hyperparameters:
    """Of a covariance with one length-scale, on a standardised series."""

    lengthscale: float
    variance: float
    noise_var: float
    log_evidence: float  # nats a row


@dataclass(frozen=True, eq=False)
class Trial:
    """How one set of lags did.

    Attributes
    ----------
    errors : ndarray (origins,)
        Mean over the horizon of absolute errors, each cut off at 1; in standard deviations.
    found : Hyperparameters
    n_compared : int
        Rows that the evidence is of.
    """

    errors: FloatArray
    found: Hyperparameters
    n_compared: int

    @property
    def score(self) -> float:
        """The mean over origins: 0 is perfect, about 0.7 as bad as the mean of the series."""
        return float(self.errors.mean())


@dataclass(frozen=True, eq=False)
class Judge:
    """The same targets, origins and horizon for every set of lags.

    Attributes
    ----------
    z : ndarray (n,)
        The standardised series.
    reach : int
        The largest lag of any set; targets start there.
    horizon : int
        Steps of a forecast; 0 to judge by evidence alone.
    """

    z: FloatArray
    reach: int
    horizon: int

    @property
    def origins(self) -> IntArray:
        """Positions of the first values that are predicted, (origins,)."""
        last = len(self.z) - self.horizon
        first = max((self.reach + len(self.z)) // 2 - self.horizon, self.reach + 8)
        return np.unique(np.linspace(min(first, last), last, _ORIGINS).astype(np.int64))

    def rows(self, lags: tuple[int, ...], most: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return inputs, targets and the targets' positions, at most so many, evenly spaced."""
        n = len(self.z)
        at = np.unique(np.linspace(self.reach, n - 1, min(most, n - self.reach)).astype(np.int64))
        return self.z[at[:, None] - np.array(lags)], self.z[at], at

    def evidence(self, lags: tuple[int, ...]) -> Hyperparameters:
        """Return the best hyperparameters of the grid, and their evidence on common targets."""
        X, y, _ = self.rows(lags, _ROWS_GRID)
        return on_grid(X, y)

    def trial(self, lags: tuple[int, ...]) -> Trial:
        """Forecast from every origin; O(rows^3 + origins rows horizon lags)."""
        found = self.evidence(lags)
        n_compared = min(_ROWS_GRID, len(self.z) - self.reach)
        if self.horizon == 0:
            return Trial(np.array([-found.log_evidence]), found, n_compared)
        X, y, at = self.rows(lags, _ROWS)
        weights = self._weights(X, y, at, found)
        forecast = self._free_run(X, weights, np.array(lags), found.lengthscale)
        actual = self.z[self.origins[:, None] + np.arange(self.horizon)]
        errors = np.minimum(np.abs(forecast - actual), 1.0).mean(axis=1)
        return Trial(errors, found, n_compared)

    def _weights(
        self, X: FloatArray, y: FloatArray, at: IntArray, found: Hyperparameters
    ) -> FloatArray:  # (origins, rows)
        """Return the weights of the bumps, given the rows before each origin."""
        L = _factor(X, found)
        weights = np.zeros((len(self.origins), len(y)))
        for w, m in zip(weights, np.searchsorted(at, self.origins), strict=True):
            w[:m] = cho_solve((L[:m, :m], True), y[:m])
        return weights

    def _free_run(
        self, X: FloatArray, weights: FloatArray, lags: IntArray, lengthscale: float
    ) -> FloatArray:  # (origins, horizon)
        """Feed each prediction back as if it were known."""
        origins = self.origins
        past = self.z[origins[:, None] + np.arange(-lags[-1], 0)]
        values = np.concatenate([past, np.zeros((len(origins), self.horizon))], axis=1)
        scaled = X / lengthscale
        for k in range(lags[-1], values.shape[1]):
            squared = cdist(values[:, k - lags] / lengthscale, scaled, "sqeuclidean")
            f = (np.exp(-0.5 * squared) * weights).sum(axis=1)
            values[:, k] = np.clip(np.nan_to_num(f, nan=_RUNAWAY), -_RUNAWAY, _RUNAWAY)
        return values[:, lags[-1] :]


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
    for width in _WIDTHS:
        ell = width * float(np.sqrt(d))
        C = np.exp(-0.5 * squared / ell**2)
        for g in _NOISES:
            C.flat[:: n + 1] = 1.0 + g
            # The upper triangle in C order is LAPACK's lower one; C is symmetric.
            L, info = lapack.dpotrf(C.T, lower=1, clean=0)
            if info:
                continue
            half = lapack.dtrtrs(L, y, lower=1)[0]
            v = max(float(half @ half) / n, 1e-8)
            log_det = 2.0 * float(np.log(L.diagonal()).sum())
            evidence = -0.5 * (np.log(2.0 * np.pi * v) + 1.0 + log_det / n)
            if evidence > best.log_evidence:
                best = Hyperparameters(ell, v, g * v, float(evidence))
    return best


def _factor(X: FloatArray, found: Hyperparameters) -> FloatArray:
    """Return the Cholesky factor of C + g I, with more noise where there is none otherwise."""
    C = np.exp(-0.5 * cdist(X, X, "sqeuclidean") / found.lengthscale**2)
    for g in found.noise_var / found.variance * 10.0 ** np.arange(12):
        C.flat[:: len(C) + 1] = 1.0 + g
        L, info = lapack.dpotrf(C.T, lower=1, clean=1)
        if info == 0:
            return np.asarray(L, dtype=np.float64)
    raise np.linalg.LinAlgError("the covariance of the rows cannot be factored")
