"""Linear autoregression by least squares."""

import warnings
from typing import Any, Self

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.models.base import FitReport, check_rows
from gpforecast.models.estimator import Estimator
from gpforecast.models.evidence import column_spread
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

_EPS = float(np.finfo(np.float64).eps)


@storable
class LinearAR(Estimator):
    r"""Linear regression on the lags, :math:`y = b'x + a + \epsilon`, by least squares.

    The classical autoregression, and the baseline of every comparison. It is an extended linear
    model without bumps, so a Gaussian input leaves it exactly Gaussian in the mean, and its
    forecast of any horizon is exact but for the products of uncertain weights with uncertain
    inputs.

    The noise variance is RSS / (n - p) for p coefficients, the covariance of the coefficients
    :math:`\sigma^2 (X'X)^{-1}` (the posterior under a flat prior, with :math:`\sigma^2` taken as
    known). If the columns of X are linearly dependent, the solution is the one with the smallest
    coefficients, counted in standard deviations of the columns; directions in which the inputs
    never varied then have no slope and no uncertainty, which `report_` says.

    Parameters
    ----------
    fit_intercept : bool
        Whether there is a constant a.

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
    Costs O(n d^2). There is no marginal likelihood: the coefficients have no proper prior. For
    that, take a `GaussianProcess` with the covariance ``Linear() + Constant()``.

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

    def __init__(self, fit_intercept: bool = True) -> None:
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any) -> Self:
        """Find the coefficients and the noise variance.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        LinearAR
            Itself, fitted.

        Raises
        ------
        TypeError, ValueError
            If X and y are not finite numbers of matching shapes, or there are no more rows than
            coefficients. Nothing fitted before is lost.
        """
        return self._fit(X, y, noise_var=None)

    def condition(self, X: Any, y: Any) -> "LinearAR":
        """Return a fitted model with the same noise variance, its coefficients from other data.

        Parameters
        ----------
        X : array-like (n, d)
        y : array-like (n,)

        Returns
        -------
        LinearAR
            A new object.
        """
        self._frozen()
        return self._unfitted()._fit(X, y, noise_var=self.noise_var_)

    def _fit(self, X: Any, y: Any, noise_var: float | None) -> Self:
        if not isinstance(self.fit_intercept, (bool, np.bool_)):
            raise TypeError(f"fit_intercept must be True or False; got {self.fit_intercept!r}.")
        X, y = check_rows(X, y)
        n, d = X.shape
        one = int(self.fit_intercept)
        if n <= d + one:
            raise ValueError(
                f"X must have more rows than there are coefficients; got {n} rows for {d + one} "
                f"({d} inputs{' and a constant' if one else ''}). Pass a longer series or fewer "
                f"lags."
            )
        center = X.mean(axis=0) * one
        level = float(y.mean()) * one
        scale = column_spread(X)
        U, singular, Vt = np.linalg.svd((X - center) / scale, full_matrices=False)
        # What a column's offset rounds away is no variation of it.
        floor = _EPS * max(n, d) * max(1.0, float((np.abs(center) / scale).max(initial=0.0)))
        kept = singular > floor * max(float(singular.max(initial=0.0)), 1.0)
        along = (Vt[kept] / singular[kept][:, None]).T / scale[:, None]  # (d, rank)
        slopes = along @ (U[:, kept].T @ (y - level))
        rank = int(kept.sum()) + one
        if noise_var is None:
            residual = y - level - (X - center) @ slopes
            noise_var = float(residual @ residual) / (n - rank)
        self.posterior_ = _posterior(along, slopes, center, level, noise_var, n if one else None)
        self.noise_var_, self.rank_ = noise_var, rank
        self.report_ = _report(rank, d + one)
        return self


def _posterior(
    along: FloatArray,  # (d, rank)
    slopes: FloatArray,  # (d,)
    center: FloatArray,  # (d,)
    level: float,
    noise_var: float,
    n: int | None,
) -> Posterior:
    """Write slopes around the centre as slopes and a constant; without n there is no constant."""
    d, rank = along.shape
    if n is None:
        root = np.concatenate([along, np.zeros((1, rank))])
    else:
        root = np.zeros((d + 1, rank + 1))
        root[:d, :rank] = along
        root[d, :rank] = -center @ along
        root[d, rank] = 1.0 / np.sqrt(n)
    return Posterior(
        centers=np.zeros((0, d)),
        lengthscales=np.ones(d),
        weights=np.zeros(0),
        linear=slopes,
        constant=level - float(center @ slopes),
        noise_var=noise_var,
        added=np.sqrt(noise_var) * root,
    )


def _report(rank: int, p: int) -> FitReport:
    remarks: tuple[str, ...] = ()
    if rank < p:
        remark = (
            f"the inputs determine only {rank} of the {p} coefficients of the linear model, whose "
            f"smallest solution was taken"
        )
        remarks = (remark,)
        warnings.warn(
            f"{remark}; inputs that are constant or repeat each other cause this. Leave them out.",
            NumericalWarning,
            stacklevel=4,
        )
    return FitReport(True, "least squares", 0, 1, 1, float("nan"), remarks=remarks)
