"""Linear autoregression by least squares."""

import copy
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.parameters import FLAG, parameter
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.models.base import FitReport
from gpforecast.models.conditioning import linear_posterior
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import FAILED, column_spread, lbfgs
from gpforecast.models.measured import MeasuredWeights, Measurements, measured_density
from gpforecast.models.search import STUCK
from gpforecast.numerics.linear_algebra import condensed
from gpforecast.storage import storable

_UNDETERMINED = (
    "measurement noise cannot be found from the series, as its inputs do not determine the "
    'coefficients of the linear model: noise="process" does without it, and so do fewer inputs, '
    "where they are constant or repeat each other."
)
_EPS = float(np.finfo(np.float64).eps)
_TINY = 1e-290  # a variance, of values that are all 0


@storable
@dataclass(eq=False, repr=False)
class LinearAR(Estimator):
    r"""Linear regression on the lags, :math:`y = b'x + a + \epsilon`, by least squares.

    The classical autoregression, as a baseline. It is an extended linear model without basis
    functions, so its mean at a Gaussian input is exactly Gaussian. Its forecasts are exact, except
    for products of uncertain weights and uncertain inputs.

    The noise variance is RSS / (n - p) for p coefficients, the covariance of the coefficients
    :math:`\sigma^2 (X'X)^{-1}` (the posterior under a flat prior, with :math:`\sigma^2` taken as
    known). If the columns of X are linearly dependent, the solution is the one with the smallest
    coefficients, in units of the standard deviations of the columns. Directions in which the inputs
    did not vary then have no slope and no uncertainty; `report_` says so.

    Parameters
    ----------
    fit_intercept : bool
        Whether to fit the constant a.

    Attributes
    ----------
    posterior_ : Posterior
        The frozen result; ``posterior_.linear`` is b and ``posterior_.constant`` is a.
    noise_var_ : float
        Squared units of the target.
    rank_ : int
        Coefficients that the data determine, the constant included.
    report_ : FitReport

    Notes
    -----
    `fit` and `condition` cost O(n d^2). `condition` keeps the noise variance and estimates the
    coefficients from the other data. There is no marginal likelihood, because the coefficients have
    no proper prior; a `GaussianProcess` with the covariance ``Linear() + Constant()`` has one.

    References
    ----------
    Hamilton (1994), "Time Series Analysis", chapter 8.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 2))
    >>> ar = gf.models.LinearAR().fit(X, X @ [0.5, -0.3] + 1.0 + 0.1 * rng.standard_normal(200))
    >>> ar.posterior_.linear.round(1), round(ar.posterior_.constant, 1)
    (array([ 0.5, -0.3]), 1.0)
    """

    fit_intercept: bool = parameter(True, FLAG)

    def _train(self, X: FloatArray, y: FloatArray) -> None:
        self._solve(X, y, None)

    def _recondition(self, X: FloatArray, y: FloatArray) -> None:
        self._solve(X, y, self.noise_var_)

    def measured(
        self, X: FloatArray, y: FloatArray, measurements: Measurements, *, search: bool = True
    ) -> "LinearAR":
        r"""Return it fitted to a series that was measured with noise; see `LearnsMeasured`.

        The likelihood of an autoregression measured with noise, given the first values,
        :math:`N(y - X b - a \mid 0, R(b))`, is maximised over b, a and both noises. Without a
        search the noises stay, and b is that of generalised least squares at the slopes found
        before.

        Raises
        ------
        ValueError
            If the inputs do not determine b.
        """
        found, one = copy.copy(self), int(self.fit_intercept)
        n, d = X.shape
        if self.rank_ < d + one:  # rounding would decide whether a factorisation notices
            raise ValueError(_UNDETERMINED)
        H, center = np.column_stack([X, np.ones((n, one))]), self.posterior_
        start = np.append(center.linear, np.full(one, center.constant))
        noise_var = max(self.noise_var_, _EPS * float(y @ y / n), _TINY)  # of an exact fit, too
        log_noises = np.log([noise_var, self.measurement_var_ or 1.0])
        if search:
            found_here = self._searched(H, y, measurements, start, noise_var)
            start, log_noises, found.report_ = found_here
        q, factor = np.exp(log_noises)
        slopes = np.broadcast_to(start[:d], (n, d))
        R = measurements.errors(slopes).banded(factor, q)
        try:
            weights = MeasuredWeights.of(H, y, R, flat=True)
        except np.linalg.LinAlgError as error:
            raise ValueError(_UNDETERMINED) from error
        b = start if search else weights.mean
        root = np.zeros((d + 1, len(start)))
        root[: len(start)] = weights.root
        constant = float(b[d]) if one else 0.0
        found.posterior_ = linear_posterior(b[:d], constant, float(q), root)
        found.noise_var_, found.measurement_var_, found.rank_ = float(q), float(factor), len(start)
        return found

    def _searched(
        self,
        H: FloatArray,
        y: FloatArray,
        measurements: Measurements,
        start: FloatArray,
        noise_var: float,
    ) -> tuple[FloatArray, FloatArray, FitReport]:
        """Return coefficients and log noises of greatest likelihood, from several splits.

        The search is along the axes of the covariance of least squares, in its deviations: lags of
        a smooth series are nearly alike, and coefficients themselves would be a narrow ravine.
        """
        d = self.posterior_.n_inputs
        errors = measurements.errors(np.broadcast_to(start[:d], (len(y), d)))
        axes = np.linalg.qr(H / column_spread(H), mode="r")
        along = scipy.linalg.solve_triangular(axes, np.eye(len(axes))) / column_spread(H)[:, None]
        along *= np.sqrt(noise_var)

        def negative(theta: FloatArray) -> tuple[float, FloatArray]:
            b, (q, factor) = start + along @ theta[:-2], np.exp(theta[-2:])
            here = measurements.errors(np.broadcast_to(b[:d], (len(y), d)))
            try:
                value, slopes = measured_density(b, factor, q, H, y, here)
            except np.linalg.LinAlgError:
                return FAILED, np.zeros_like(theta)
            return -value, -np.concatenate([slopes[:-2] @ along, slopes[-2:]])

        low = np.log(1e-9 * noise_var)
        free = (0.0, 0.0) if errors.known else (low, 3.0 + np.log(noise_var / errors.size))
        anywhere = [(-np.inf, np.inf)] * len(start)
        bounds = np.array([*anywhere, (low, 3.0 + np.log(noise_var)), free])
        runs = []
        for share in (0.9, 0.1):  # of the noise that measurement explains, at first
            split = np.log([(1.0 - share) * noise_var, share * noise_var / errors.size])
            theta = np.append(np.zeros(len(start)), [split[0], 0.0 if errors.known else split[1]])
            runs.append(lbfgs(negative, theta, bounds))
        best = min(runs, key=lambda run: float(run.fun))
        counts = int(best.nit), sum(int(run.nfev) for run in runs), len(runs)
        message = str(best.message) if best.success else STUCK
        report = FitReport(bool(best.success), message, *counts, -float(best.fun))
        return start + along @ best.x[:-2], best.x[-2:], report

    def _solve(self, X: FloatArray, y: FloatArray, noise_var: float | None) -> None:
        """Find the coefficients, and without a noise variance that too."""
        n, d = X.shape
        one = int(self.fit_intercept)
        if n <= d + one:
            raise ValueError(
                f"X must have more rows than there are coefficients; got {n} rows for {d + one} "
                f"({d} inputs{' and a constant' if one else ''}). Pass a longer series or fewer "
                f"lags."
            )
        center, level = X.mean(axis=0) * one, float(y.mean()) * one
        scale = column_spread(X)
        # What follows needs memory for one block of the rows, however many there are.
        rows = condensed(n, lambda i, j: np.column_stack([X[i:j] - center, y[i:j] - level]))
        own, target = rows[:, :d], rows[:, d]
        U, singular, Vt = np.linalg.svd(own / scale, full_matrices=False)
        # Variation below the rounding of a column's offset does not count.
        floor = _EPS * max(n, d) * max(1.0, float((np.abs(center) / scale).max(initial=0.0)))
        kept = singular > floor * max(float(singular.max(initial=0.0)), 1.0)
        along = (Vt[kept] / singular[kept][:, None]).T / scale[:, None]  # (d, rank - one)
        slopes = along @ (U[:, kept].T @ target)
        rank = int(kept.sum()) + one
        if noise_var is None:
            residual = target - own @ slopes
            noise_var = float(residual @ residual) / (n - rank)
        # A root of (X'X)^-1, from slopes around the centre to slopes and a constant.
        root = np.zeros((d + 1, rank))
        root[:d, : rank - one] = along
        root[d, : rank - one] = -center @ along
        root[d, rank - one :] = 1.0 / np.sqrt(n)  # of the level; no column without a constant
        constant = level - float(center @ slopes)
        self.posterior_ = linear_posterior(slopes, constant, noise_var, np.sqrt(noise_var) * root)
        self.noise_var_, self.rank_ = noise_var, rank
        remarks = []
        if rank < d + one:
            remarks.append(
                f"the inputs determine only {rank} of the {d + one} coefficients of the linear "
                f"model, and the smallest that fit were taken"
            )
            warn_numerically(
                f"{remarks[0]}; inputs that are constant or repeat each other cause this. Leave "
                f"them out."
            )
        self.report_ = FitReport(True, "least squares", 0, 1, 1, remarks=tuple(remarks))
