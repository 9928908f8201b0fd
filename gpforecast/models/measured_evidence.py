"""The marginal likelihood of rows whose lags were measured with noise, with its gradient."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray
from gpforecast.covariances import Covariance
from gpforecast.models.base import FitReport
from gpforecast.models.conditioning import Conditioned, conditioned
from gpforecast.models.evidence import FAILED, Evidence
from gpforecast.models.lag_errors import SPREAD, LagErrors
from gpforecast.models.search import Climber

_WEAK = 2.0  # standard deviation of the prior of the covariance's logarithms
_GAIN = 2e-3  # nats; a climb that gains less in three iterations has converged


@dataclass(frozen=True, eq=False)
class MeasuredEvidence:
    r"""log N(y | 0, K + H H' + f S + q I) of theta = (covariance's logarithms, log q, log f).

    S is the covariance of the lags' errors for a factor f = 1. The covariance has the weak prior;
    log q has a Gaussian around a hundredth of all noise, unless f is known: measurement and process
    noise are told apart by the correlation of neighbouring rows alone, and what cannot be told is
    measurement noise, which is what was asked for. f has none.

    Attributes
    ----------
    rows : Evidence
        Of the same rows without the errors; it starts from the hyperparameters of an earlier fit.
    errors : LagErrors
    start : ndarray (p + 1,)
    middle : ndarray (p + 1,)
        Of the prior.
    held : bool
        Whether the covariance stays as it is.
    """

    rows: Evidence
    errors: LagErrors
    start: FloatArray
    middle: FloatArray
    held: bool

    @property
    def log_bounds(self) -> FloatArray:
        """Lower and upper bound of every entry of theta, (p + 1, 2)."""
        factor = np.zeros(2)
        if not self.errors.known:
            factor = np.log(np.array([1e-9, 10.0]) * self.rows.y_var / self.errors.size)
        bounds = np.vstack([self.rows.log_bounds, factor])
        if self.held:
            bounds[:-2] = self.start[:-2, None]
        return bounds

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        return (*self.rows.names, "measurement noise variance")

    def negative(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return the negative log posterior of theta and its gradient."""
        rows, S = self.rows, self._per_factor
        factor = float(np.exp(theta[-1]))
        rows.workspace.correlated = factor * S
        try:
            value, rise, U = rows._with_root(*rows.unpack(theta[:-1]))
        except np.linalg.LinAlgError:
            return FAILED, np.zeros_like(theta)
        inverse = np.tril(rows.workspace.A)  # the other triangle is left over
        trace = float(np.sum((U @ S) * U)) - 2.0 * float(np.sum(inverse * S))
        trace += float(inverse.diagonal() @ S.diagonal())
        of_noise = np.inf if self.errors.known else SPREAD
        spread = np.append(np.full(len(theta) - 2, _WEAK), [of_noise, np.inf])
        off = (theta - self.middle) / spread
        slopes = off / spread - np.append(rise, 0.5 * factor * trace)
        return 0.5 * float(off @ off) - value, slopes

    def climbed(self, max_iter: int) -> tuple[FloatArray, FitReport]:
        """Return theta at its maximum, and how the search went."""
        low, high = self.log_bounds.T
        climber = Climber(self, np.ones_like(self.start), max_iter, _GAIN, lambda: None)
        run = climber.climb(np.clip(self.start, low, high))
        return run.theta, run.report

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float, float]:
        """Return covariance, process noise and the factor of the measurement noise."""
        return *self.rows.unpack(theta[:-1]), float(np.exp(theta[-1]))

    def conditioned(self, covariance: Covariance, noise_var: float, factor: float) -> Conditioned:
        """Return the process given the rows."""
        return conditioned(
            covariance, noise_var, self.rows.X, self.rows.y, factor * self._per_factor
        )

    @cached_property
    def _per_factor(self) -> FloatArray:
        return self.errors.covariance()
