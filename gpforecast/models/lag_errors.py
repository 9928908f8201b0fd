r"""Rows of a series that was measured with noise: one wrong value is a target and many lags.

The values are :math:`y_t = z_t + e_t` with measurement noise :math:`e_t \sim N(0, s_t)`, and
:math:`z_t = f(z_{t-1}, \dots) + \epsilon_t` with process noise :math:`\epsilon_t \sim N(0, q)`.
With X the measured lags and g the slopes of f there, to first order in e

.. math::

    y = f(X) + G e + \epsilon, \qquad (G e)_t = e_t - \sum_j g_{tj}\, e_{t-j},

a regression whose noise is correlated between rows, with the covariance
:math:`R = G\, \mathrm{diag}(s)\, G' + q I`. The rows stay at the measured lags: around them slopes
are determined, while smoothed lags lie close to a surface on which any slope off it fits. McHutchon
and Rasmussen (2011), "Gaussian process training with input noise", treat rows whose errors are
independent of each other this way.
"""

from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.models.base import OneStepModel

ROUNDS = 2  # of finding slopes, and then everything else given them
FACTOR = 0.01  # of all noise: the process noise that the prior expects
SPREAD = 1.0  # its standard deviation in the logarithm


@dataclass(frozen=True, eq=False)
class Measurements:
    """Where the rows of a series were taken from, and what is known of its measurement noise.

    Attributes
    ----------
    places : ndarray (n,)
        The position of each row's target in the series.
    lags : tuple of int
        Of the first inputs; other inputs are known exactly.
    variances : ndarray (T,)
        Of the measurement noise of every value, in squared units of the targets; ones if it is to
        be found.
    known : bool
        Whether the variances are known; otherwise they are, but for one factor.
    """

    places: IntArray
    lags: tuple[int, ...]
    variances: FloatArray
    known: bool = False

    def errors(self, slopes: FloatArray) -> "LagErrors":
        """Return what the noise does to rows with these slopes of f, (n, d)."""
        n, lags = len(self.places), np.array(self.lags, dtype=np.int64)
        columns = np.column_stack([self.places, self.places[:, None] - lags])
        weights = np.column_stack([np.ones(n), -slopes[:, : len(lags)]])
        rows = np.repeat(np.arange(n), columns.shape[1])
        shape = (n, len(self.variances))
        G = scipy.sparse.csr_matrix((weights.ravel(), (rows, columns.ravel())), shape=shape)
        return LagErrors(G, columns[:, 1:], self.variances, self.known)


@dataclass(frozen=True, eq=False)
class LagErrors:
    """What noise of the measured values adds to the rows: G e.

    Attributes
    ----------
    G : sparse matrix (n, T)
    lag_places : ndarray (n, n_lags)
        The positions of the lags in the series.
    variances : ndarray (T,)
        Of e, but for the factor that is to be found.
    known : bool
        Whether that factor is known to be 1.
    """

    G: "scipy.sparse.csr_matrix"
    lag_places: IntArray
    variances: FloatArray
    known: bool

    @property
    def sparse(self) -> "scipy.sparse.csr_matrix":
        """Its covariance (n, n), for a factor of 1; row i and j share nothing at distant times."""
        return scipy.sparse.csr_matrix(self.G.multiply(self.variances[None]) @ self.G.T)

    def covariance(self) -> FloatArray:
        """Return its covariance (n, n), for a factor of 1."""
        return np.asarray(self.sparse.toarray())

    def banded(self, factor: float, noise_var: float) -> FloatArray:
        """Return the lower diagonals of R (w, n), for rows in order of time."""
        S = self.sparse.tocoo()
        below = S.row - S.col
        R = np.zeros((int(below.max(initial=0)) + 1, len(self.G.indptr) - 1))
        R[below[below >= 0], S.col[below >= 0]] = factor * S.data[below >= 0]
        R[0] += noise_var
        return R

    @property
    def size(self) -> float:
        """The mean of its variances, for a factor of 1."""
        return float(self.sparse.diagonal().mean())

    def split(self, noise_var: float) -> tuple[float, float]:
        """Return where to start from: process noise and factor that make up a noise variance."""
        factor = 1.0 if self.known else 0.8 * noise_var / self.size
        return max(noise_var - factor * self.size, 0.2 * noise_var), factor


@runtime_checkable
class LearnsMeasured(OneStepModel, Protocol):
    """A fitted model that can tell measurement noise from process noise."""

    noise_var_: float
    measurement_var_: float

    def condition(self, X: FloatArray, y: FloatArray) -> Self:
        """Return the model with the same hyperparameters, conditioned on other rows."""
        ...

    def measured(
        self, X: FloatArray, y: FloatArray, measurements: Measurements, *, search: bool = True
    ) -> Self:
        """Return the model fitted anew with both noises; without a search only conditioned.

        X (n, d) and y (n,) are in order of time. Afterwards ``noise_var_`` is the variance of the
        process noise, and ``measurement_var_`` the factor of ``measurements.variances``.
        """
        ...
