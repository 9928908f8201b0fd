"""Generalised least squares with autoregressive errors on a regular grid with missing values.

The errors' precision matrix on the whole grid is W'W with a banded W (`whitened`): a quasi-
difference for every step, and for the first r steps the predictors of lower order. A missing value
takes the value that makes the whitened sum of squares least: its interpolation by the
autoregression. With missing rows filled in like this, the whitened sum of squares is that of the
known rows under the covariance of their own times.
"""

import numpy as np
import scipy

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.numerics.linear_algebra import condensed

_MOST_LAGS = 4
_LARGEST_ROOT = 0.999  # of the errors' autoregression
_MANY = 50_000  # values; more tell the autoregression of errors no better
_EDGE = 4.0  # tanh of which is the largest partial autocorrelation


def regressed(y: FloatArray, D: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Return coefficients, their covariance, and the autoregression of the errors.

    The order is Schwarz's choice among Burg's autoregressions of the residuals of ordinary least
    squares. The autoregression itself maximises the restricted likelihood: that of the
    residuals forgets too soon, by some p / n, and makes standard errors too small.

    Parameters
    ----------
    y : ndarray (n,)
        NaN where missing; at consecutive steps.
    D : ndarray (n, p)
        Independent columns, orthonormal on the known rows.

    Returns
    -------
    theta : ndarray (p,)
    V : ndarray (p, p)
        :math:`s^2 (D' \Omega^{-1} D)^{-1}`, with :math:`\Omega` of the known times.
    rho : ndarray (r,)
        Its roots at most 0.999.

    Notes
    -----
    Up to a hundred evaluations of the restricted likelihood, O(n (r p + p^2)) each. Of more than
    50,000 values the newest so many tell the autoregression. What the fit of p terms takes from
    their residuals does not count there. The coefficients are of all values.
    """
    known = ~np.isnan(y)
    first = D.T @ y if known.all() else D[known].T @ y[known]
    e = y - D @ first
    n, p = int(known.sum()), D.shape[1]
    spread = float(np.nanstd(e))
    if spread <= 1e-12 * float(np.nanmax(np.abs(y), initial=0.0)):  # nothing left but rounding
        return first, np.zeros((p, p)), np.zeros(0)
    e = e / spread
    columns, newest = (D, slice(None)) if len(y) <= _MANY else (D[:, :0], slice(-_MANY, None))
    partials = _burg(e[newest], max(min(_MOST_LAGS, (n - p) // 4 - 1), 0))
    while True:
        try:
            rho = _most_likely(e[newest], columns[newest], known[newest], partials)
            theta, V = generalised_least_squares(e, D, rho)
        except np.linalg.LinAlgError:  # too smooth to determine missing values; order 0 never is
            partials = partials[:-1]
        else:
            return first + spread * theta, spread**2 * V, rho


def generalised_least_squares(
    y: FloatArray, D: FloatArray, rho: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients and their covariance under a known autoregression of the errors.

    Parameters
    ----------
    y : ndarray (n,)
        NaN where missing.
    D : ndarray (n, p)
    rho : ndarray (r,)
        Stationary.

    Raises
    ------
    LinAlgError
        If double precision does not determine the missing values.
    """
    (n, p), known = D.shape, ~np.isnan(y)

    def white(begin: int, end: int) -> FloatArray:
        near = slice(max(begin - len(rho), 0), end)  # with the lags of its first row
        found, _ = whitened(np.column_stack([D[near], y[near]]), rho, known[near])
        return found[begin - near.start :]

    R = np.asarray(np.linalg.qr(condensed(n, white) if known.all() else white(0, n), mode="r"))
    theta = scipy.linalg.solve_triangular(R[:p, :p], R[:p, p])
    half = scipy.linalg.solve_triangular(R[:p, :p], np.eye(p))
    return theta, float(R[p, p]) ** 2 / (int(known.sum()) - p) * half @ half.T


def whitened(X: FloatArray, rho: FloatArray, known: BoolArray) -> tuple[FloatArray, float]:
    """Return W X (n, p), and the log determinant of the covariance of the known steps.

    W'W is the precision of a stationary autoregression of unit innovations.

    Parameters
    ----------
    X : ndarray (n, p)
        What its rows at missing steps hold is ignored: they are filled in.
    rho : ndarray (r,)
    known : ndarray (n,) of bool
        Which steps have a value; n > r.
    """
    r, n = len(rho), len(known)
    weights = np.ones((r + 1, n))  # entry (k, i) is the weight of step i in row i + k
    weights[1:] = -rho[:, None]
    phi, variance, log_det = rho, 1.0, 0.0
    for t in range(r)[::-1]:  # the best predictors of lower order, by Levinson's recursion
        last = phi[-1]
        phi = (phi[:-1] + last * phi[-2::-1]) / (1.0 - last**2)
        variance /= 1.0 - last**2  # of their errors
        weights[range(t + 1), range(t, -1, -1)] = np.append(1.0, -phi) / np.sqrt(variance)
        log_det += float(np.log(variance))
    W = scipy.sparse.dia_array((weights, -np.arange(r + 1)), shape=(n, n))
    X = np.where(known[:, None], X, 0.0)
    white: FloatArray = W @ X
    if known.all():
        return white, log_det
    of_missing = W.tocsc()[:, ~known]
    precision = of_missing.T @ of_missing
    m = precision.shape[0]
    bands = np.zeros((min(r + 1, m), m))
    for k, band in enumerate(bands):
        band[: m - k] = precision.diagonal(-k)
    factor = scipy.linalg.cholesky_banded(bands, lower=True)
    X[~known] = -scipy.linalg.cho_solve_banded((factor, True), of_missing.T @ white)
    return W @ X, log_det + 2.0 * float(np.log(factor[0]).sum())


def _most_likely(
    e: FloatArray, D: FloatArray, known: BoolArray, partials: FloatArray
) -> FloatArray:
    """Return the autoregression of largest restricted likelihood, from Burg's partials.

    Harville (1977), "Maximum likelihood approaches to variance component estimation", with the
    innovation variance at its best: minus the log likelihood of n values is
    ((n - p) log RSS + log |Omega| + log |D' Omega^-1 D|) / 2.
    """
    if len(partials) == 0:
        return partials
    both = np.column_stack([D, e])
    n, p = int(known.sum()), D.shape[1]

    def cost(x: FloatArray) -> float:
        """Return minus the log likelihood a value, of arctanh of the partials."""
        z, log_det = whitened(both, _autoregression(np.tanh(x)), known)
        L = np.linalg.cholesky(z.T @ z)  # its last entry squared is the RSS
        logs = np.log(L.diagonal())
        twice = 2.0 * (n - p) * logs[-1] + log_det + 2.0 * logs[:-1].sum()
        return 0.5 * float(twice) / n

    found = scipy.optimize.minimize(
        cost,
        np.clip(np.arctanh(partials), -_EDGE, _EDGE),
        method="L-BFGS-B",
        jac="3-point",  # a forward difference makes 1e-8 of a unit's rounding
        bounds=[(-_EDGE, _EDGE)] * len(partials),
        options={"maxiter": 30, "ftol": 1e-7},
    )
    return stationary(_autoregression(np.tanh(found.x)))


def _autoregression(partials: FloatArray) -> FloatArray:
    """Return the autoregression with some partial autocorrelations, by Levinson's recursion."""
    phi = partials[:0]
    for k in partials:
        phi = np.append(phi - k * phi[::-1], k)
    return phi


def _burg(e: FloatArray, most: int) -> FloatArray:
    """Return Burg's partial autocorrelations up to the order of least BIC; NaN drops out of sums.

    An error of order j is known where j + 1 values in a row are.
    """
    n = int((~np.isnan(e)).sum())
    ahead, back, variance = e, e, float(np.nanmean(e**2))
    partials: list[float] = []
    costs = [n * np.log(variance)]
    for j in range(1, most + 1):
        ahead, back = ahead[1:], back[:-1]
        power = float(np.nansum(np.where(np.isnan(ahead * back), np.nan, ahead**2 + back**2)))
        if power <= 0.0 or variance <= 1e-12:
            break
        k = 2.0 * float(np.nansum(ahead * back)) / power
        partials.append(float(np.clip(k, -np.tanh(_EDGE), np.tanh(_EDGE))))
        ahead, back = ahead - k * back, back - k * ahead
        variance *= 1.0 - partials[-1] ** 2
        costs.append(n * np.log(variance) + j * np.log(n))
    return np.array(partials[: int(np.argmin(costs))])


def carried(past: FloatArray, rho: FloatArray, horizon: int) -> FloatArray:
    """Return what an autoregression forecasts of columns from their past (b, r, p), (b, h, p)."""
    b, r, p = past.shape
    columns = np.concatenate([past, np.zeros((b, horizon, p))], axis=1)
    for k in range(r, r + horizon):
        for j, weight in enumerate(rho, start=1):
            columns[:, k] += weight * columns[:, k - j]
    return columns[:, r:]


def stationary(rho: FloatArray) -> FloatArray:
    """Return an autoregression with its roots drawn into the circle of radius 0.999."""
    roots = np.roots(np.concatenate([[1.0], -rho]))
    outside = np.abs(roots) > _LARGEST_ROOT
    if not outside.any():
        return rho
    roots[outside] *= _LARGEST_ROOT / np.abs(roots[outside])
    # Trailing coefficients of 0 are roots of 0, which np.roots leaves out.
    within = -np.real(np.poly(roots))[1:]
    return np.pad(within, (0, len(rho) - len(within)))
