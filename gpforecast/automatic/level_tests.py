"""Two tests of a level: KPSS, that it is constant, and ADF, that it wanders like a random walk.

statsmodels has them, too, to the same digits. Its own warn of what changes in a later version or of
a table that ends, which cannot be silenced in one thread alone, and take a regression for every
number of lags.
"""

from typing import Literal, TypeAlias

import numpy as np

from gpforecast.automatic.thresholds import CONSTANT
from gpforecast.common.types import FloatArray
from gpforecast.numerics.condensing import triangle

Around: TypeAlias = Literal["c", "ct"]
"""A constant, or a straight line."""

# Statistics of KPSS at these p-values: Kwiatkowski et al. (1992), table 1.
_KPSS_P = (0.10, 0.05, 0.025, 0.01)
_KPSS: dict[Around, tuple[float, ...]] = {
    "c": (0.347, 0.463, 0.574, 0.739),
    "ct": (0.119, 0.146, 0.176, 0.216),
}


def kpss(y: FloatArray, around: Around) -> float:
    r"""Return the p-value of a level that is constant, or a line, from 0.01 to 0.1.

    .. math:: \eta = \frac{\sum_t S_t^2}{n^2 s^2}, \qquad S_t = \sum_{i \le t} e_i,

    with s^2 the long-run variance of the residuals e, with as many lags as Hobijn et al. choose.

    Parameters
    ----------
    y : ndarray (n,)
        Not constant.
    around : {"c", "ct"}

    References
    ----------
    Kwiatkowski, Phillips, Schmidt and Shin (1992), "Testing the null hypothesis of stationarity
    against the alternative of a unit root", J. Econometrics 54. Hobijn, Franses and Ooms (2004),
    "Generalizations of the KPSS-test for stationarity", Statistica Neerlandica 58.
    """
    n = len(y)
    t = np.linspace(-1.0, 1.0, n)
    e = y - y.mean()
    if around == "ct":
        e = e - t * (t @ e / (t @ t))
    if e @ e <= n * (CONSTANT * np.abs(y).max()) ** 2:
        return _KPSS_P[0]
    products = _autocovariances(e, int(n ** (2.0 / 9.0)))
    slope = 2.0 * np.arange(len(products)) @ products
    total = products[0] + 2.0 * products[1:].sum()
    with np.errstate(divide="ignore"):
        most = 1.1447 * ((slope / total) ** 2 * n) ** (1.0 / 3.0)
    products = _autocovariances(e, int(min(most, n - 1)))
    weights = 1.0 - np.arange(len(products)) / len(products)
    long_run = 2.0 * weights @ products - products[0]
    statistic = (np.cumsum(e) ** 2).mean() / n / long_run
    return float(np.interp(statistic, _KPSS[around], _KPSS_P))


def _autocovariances(e: FloatArray, largest: int) -> FloatArray:
    """Return the mean products of values that are 0 to `largest` apart, (largest + 1,)."""
    n = len(e)
    return np.array([e[k:] @ e[: n - k] for k in range(largest + 1)]) / n


def adf(y: FloatArray, around: Around) -> float:
    r"""Return the p-value of a level that wanders, against one around a constant or a line.

    It is that of the t-ratio of a in

    .. math:: y_t - y_{t-1} = a y_{t-1} + \sum_{k=1}^p b_k (y_{t-k} - y_{t-k-1}) + c + d t + e_t,

    with the p of least AIC. What is left of a series without noise counts as its rounding at least.

    Parameters
    ----------
    y : ndarray (n,)
        Not constant.
    around : {"c", "ct"}

    References
    ----------
    Dickey and Fuller (1979), "Distribution of the estimators for autoregressive time series with a
    unit root", JASA 74; p-values by MacKinnon (1994), J. Business & Economic Statistics 12.
    """
    from statsmodels.tsa.adfvalues import mackinnonp  # costs a third of a second to import

    size = np.abs(y).max()
    z = (y - y.mean()) / size
    fixed = len(around)
    most = min(int(np.ceil(12.0 * (len(y) / 100.0) ** 0.25)), len(y) // 2 - fixed - 1)
    n, R = _regression(z, around, most, level_last=False)
    left = np.cumsum(R[::-1, -1] ** 2)[::-1][fixed + 1 :]  # with 0 to `most` lags
    rounding = n * CONSTANT**2
    lags = int(np.argmin(n * np.log(np.maximum(left, rounding)) + 2.0 * np.arange(len(left))))
    n, R = _regression(z, around, lags, level_last=True)
    variance = max(R[-1, -1] ** 2, rounding) / (n - len(R) + 1)
    statistic = R[-2, -1] * np.sign(R[-2, -2]) / np.sqrt(variance)
    return float(mackinnonp(statistic, around))


def _regression(
    z: FloatArray, around: Around, lags: int, *, level_last: bool
) -> tuple[int, FloatArray]:
    """Return the number of rows, and R of the QR decomposition of regressors and steps."""
    steps, n = np.diff(z), len(z) - lags - 1
    t = np.linspace(-1.0, 1.0, n)

    def rows(begin: int, end: int) -> FloatArray:
        now = slice(begin + lags, end + lags)
        fixed = np.column_stack([np.ones(end - begin), t[begin:end]])[:, : len(around)]
        before = [steps[begin + lags - k : end + lags - k] for k in range(1, lags + 1)]
        middle = [*before, z[now]] if level_last else [z[now], *before]
        return np.column_stack([fixed, *middle, steps[now]])

    return n, triangle(n, rows)
