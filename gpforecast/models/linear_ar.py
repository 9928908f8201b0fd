"""Linear autoregression by least squares."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.parameters import FLAG, parameter
from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.models.base import FitReport
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import column_spread
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_EPS = float(np.finfo(np.float64).eps)


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
        U, singular, Vt = np.linalg.svd((X - center) / scale, full_matrices=False)
        # Variation below the rounding of a column's offset does not count.
        floor = _EPS * max(n, d) * max(1.0, float((np.abs(center) / scale).max(initial=0.0)))
        kept = singular > floor * max(float(singular.max(initial=0.0)), 1.0)
        along = (Vt[kept] / singular[kept][:, None]).T / scale[:, None]  # (d, rank - one)
        slopes = along @ (U[:, kept].T @ (y - level))
        rank = int(kept.sum()) + one
        if noise_var is None:
            residual = y - level - (X - center) @ slopes
            noise_var = float(residual @ residual) / (n - rank)
        # A root of (X'X)^-1, from slopes around the centre to slopes and a constant.
        root = np.zeros((d + 1, rank))
        root[:d, : rank - one] = along
        root[d, : rank - one] = -center @ along
        root[d, rank - one :] = 1.0 / np.sqrt(n)  # of the level; no column without a constant
        self.posterior_ = Posterior(
            centers=np.zeros((0, d)),
            lengthscales=np.ones(d),
            weights=np.zeros(0),
            linear=slopes,
            constant=level - float(center @ slopes),
            noise_var=noise_var,
            added=np.sqrt(noise_var) * root,
        )
        self.noise_var_, self.rank_ = noise_var, rank
        remarks = []
        if rank < d + one:
            remarks.append(
                f"the inputs determine only {rank} of the {d + one} coefficients of the linear "
                f"model, whose smallest solution was taken"
            )
            warn_numerically(
                f"{remarks[0]}; inputs that are constant or repeat each other cause this. Leave "
                f"them out."
            )
        self.report_ = FitReport(True, "least squares", 0, 1, 1, remarks=tuple(remarks))
