"""How a series depends on its own past, and the lags that follow from it.

Partial autocorrelations see linear dependence lag by lag. Average mutual information says how far
apart the coordinates of a delay embedding should be, false neighbours how many there should be.
"""

from statistics import NormalDist

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.grid import evenly
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted, finite_array, positive_integer
from gpforecast.common.warnings import quietly
from gpforecast.series.scaling import ROUNDING


def average_mutual_information(series: FloatArray, max_lag: int) -> FloatArray:
    r"""Return the average mutual information of y[t] and y[t + k], for k = 1 to `max_lag`.

    .. math:: I(k) = \sum_{ab} p_{ab}(k) \log \frac{p_{ab}(k)}{p_a p_b}

    over the cells of a histogram whose bins each hold the same share of the values, so that no
    monotone function of the series changes it. The bins are about the cube root of n.

    Parameters
    ----------
    series : array-like (n,)
        Finite values; n at least `max_lag` + 2.
    max_lag : int

    Returns
    -------
    ndarray (max_lag,)
        In nats. Chance alone leaves about (bins - 1)^2 / 2n.

    References
    ----------
    Fraser and Swinney (1986), "Independent coordinates for strange attractors from mutual
    information", Physical Review A 33, 1134-1140.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.sin(0.1 * np.arange(500)) + 0.3 * rng.normal(size=500)
    >>> average_mutual_information(y, 31)[[0, 14, 30]].round(1)  # period 62.8
    array([0.6, 0.2, 0.6])
    """
    y = finite_array(series, "series", ndim=1)
    largest = positive_integer(max_lag, "max_lag")
    n = len(y)
    if n < largest + 2:
        raise ValueError(
            f"series has {counted(n, 'value')} but max_lag={largest} needs {largest + 2}."
        )
    bins = _n_bins(n)
    edges = np.quantile(y, np.linspace(0, 1, bins + 1)[1:-1])
    cell = np.searchsorted(edges, y, side="right")  # (n,)
    information = np.empty(largest)
    for k in range(1, largest + 1):
        joint = np.bincount(cell[:-k] * bins + cell[k:], minlength=bins**2).reshape(bins, bins)
        p = joint / joint.sum()
        apart = p.sum(axis=1, keepdims=True) * p.sum(axis=0)
        filled = p > 0
        information[k - 1] = (p[filled] * np.log(p[filled] / apart[filled])).sum()
    return information


def embedding_delay(series: FloatArray, max_lag: int, *, alpha: float = 0.05) -> int:
    """Return the lag of the first minimum of the average mutual information.

    There two values share little information without being independent. The curve is first
    averaged over the lags within a quarter of each. A minimum counts only once the information has
    fallen half of the way from lag 1 to its lowest, so that small ripples do not. Without a minimum
    it is the first lag with no more information than chance would leave, or `max_lag`.

    Parameters
    ----------
    series : array-like (n,)
    max_lag : int
    alpha : float
        The probability that chance alone leaves more.

    Returns
    -------
    int
        From 1 to `max_lag`. For a noisy sine, about a quarter of its period.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> embedding_delay(np.sin(0.1 * np.arange(500)) + 0.3 * rng.normal(size=500), 60)
    15
    """
    raw = average_mutual_information(series, max_lag)
    bins = _n_bins(len(series))
    by_chance = scipy.stats.chi2.isf(alpha, (bins - 1) ** 2) / (2 * len(series))
    if raw[0] <= by_chance:
        return 1
    widths = [-(-lag // 4) for lag in range(1, len(raw) + 1)]
    smooth = np.array([raw[max(i - w, 0) : i + w + 1].mean() for i, w in enumerate(widths)])
    halfway = 0.5 * (smooth[0] + smooth.min())
    found = smooth <= by_chance
    found[:-1] |= (np.diff(smooth) > 0) & (smooth[:-1] < halfway)
    found[-1] = True
    return int(np.argmax(found)) + 1


def false_neighbours(
    series: FloatArray,
    delay: int,
    max_dimension: int = 8,
    *,
    r_tol: float = 15.0,
    a_tol: float = 2.0,
) -> FloatArray:
    r"""Return the share of false nearest neighbours in embeddings of growing dimension.

    In too few coordinates :math:`(y_t, y_{t-\tau}, \dots, y_{t-(m-1)\tau})` points look close that
    are not. The nearest neighbour of a point, at a distance R, is false if the next coordinate
    adds more than `r_tol` R, or takes the two further apart than `a_tol` standard deviations of the
    series.
    Neighbours within one delay of each other in time are passed over.

    Parameters
    ----------
    series : array-like (n,)
    delay : int
        :math:`\tau`, in steps.
    max_dimension : int
    r_tol, a_tol : float
        The tolerances of eqs. (4) and (5).

    Returns
    -------
    ndarray (max_dimension,)
        From dimension 1 on; NaN where fewer than 24 points are left.

    References
    ----------
    Kennel, Brown and Abarbanel (1992), "Determining embedding dimension for phase-space
    reconstruction using a geometrical construction", Physical Review A 45, 3403-3411, eqs. (4)
    and (5).

    Notes
    -----
    One search for neighbours a dimension, O(n log n) where it is small. At most 3000 points, evenly
    spaced, are looked at.

    Examples
    --------
    >>> share = false_neighbours(np.sin(0.1 * np.arange(500)), 16, 3)
    >>> bool(share[0] > 0.5), bool(share[1] < 0.01)  # a circle lies in the plane
    (True, True)
    """
    y = finite_array(series, "series", ndim=1)
    tau = positive_integer(delay, "delay")
    most = positive_integer(max_dimension, "max_dimension")
    share = np.full(most, np.nan)
    spread = y.std()
    for m in range(1, most + 1):
        n = len(y) - m * tau  # points that have a further coordinate
        if n < th.SHORTEST:
            break
        if spread == 0.0:
            share[m - 1] = 0.0
            continue
        points = np.column_stack([y[(m - j) * tau : (m - j) * tau + n] for j in range(m)])
        further = y[:n]
        queried = evenly(0, n - 1, th.NEWEST_VALUES)
        # Up to 2 tau + 1 points are close in time alone.
        count = min(n, 2 * tau + 2)
        found = scipy.spatial.cKDTree(points).query(points[queried], k=list(range(1, count + 1)))
        distance, near = (np.asarray(part) for part in found)
        apart = np.abs(near - queried[:, None]) > tau
        rows = np.flatnonzero(apart.any(axis=1))
        first = np.argmax(apart[rows], axis=1)
        R = distance[rows, first]
        added = np.abs(further[queried[rows]] - further[near[rows, first]])
        false = (added > r_tol * R) & (added > ROUNDING * spread)
        false |= np.hypot(R, added) > a_tol * spread
        share[m - 1] = false.mean() if len(rows) else np.nan
    return share


def embedding_dimension(
    series: FloatArray, delay: int, max_dimension: int = 8, *, share: float = 0.01
) -> int:
    """Return the first dimension with no larger share of false neighbours, or the one with fewest.

    Parameters
    ----------
    series : array-like (n,)
    delay : int
        In steps.
    max_dimension : int
    share : float
        Of the neighbours, that may be false.

    Returns
    -------
    int

    Examples
    --------
    >>> embedding_dimension(np.sin(0.1 * np.arange(500)), 16)
    2
    """
    false = false_neighbours(series, delay, max_dimension)
    if np.isnan(false).all():
        return 1
    enough = np.flatnonzero(false <= share)
    return int(enough[0] if len(enough) else np.nanargmin(false)) + 1


def _n_bins(n: int) -> int:
    return max(4, int(np.rint(np.cbrt(n))))


def by_partial_autocorrelation(
    y: FloatArray, max_lag: int | None = None, *, alpha: float = 0.05, max_lags: int | None = None
) -> list[int]:
    """Return lag 1 and those whose partial autocorrelation is too large for chance.

    Lag k is kept if Burg's estimate of the partial autocorrelation at k lies outside
    ±z / sqrt(n), with z the normal quantile of 1 - alpha / 2: the band within which it falls with
    probability 1 - alpha when an autoregression of order k - 1 is enough (Quenouille, 1949). Of
    more than `max_lags` such lags the largest partial autocorrelations win.

    Parameters
    ----------
    y : ndarray (n,)
        Finite.
    max_lag : int, optional
        Less than n / 2. By default 10 log10(n), but no more than n / 4, so that three quarters of
        the series remain as rows.
    alpha : float
        Between 0 and 1.
    max_lags : int, optional

    Returns
    -------
    list of int
        In increasing order.

    Raises
    ------
    ValueError
        If there are fewer than 3 values, or an option is out of its range.

    Examples
    --------
    >>> by_partial_autocorrelation(np.random.default_rng(0).normal(size=400).cumsum(), 5)
    [1]
    """
    most = None if max_lags is None else positive_integer(max_lags, "max_lags")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
    n = len(y)
    if n < 3:
        raise ValueError(f"series has {counted(n, 'value')} but choosing lags needs at least 3.")
    supported = max((n - 1) // 2, 1)
    usual = min(int(10 * np.log10(n)), max(n // 4, 1), supported)
    largest = usual if max_lag is None else positive_integer(max_lag, "max_lag")
    if largest > supported:
        raise ValueError(
            f"max_lag must be at most {supported} for a series of {n} values; got {largest}."
        )
    strength = np.abs(_partial_autocorrelations(y, largest))  # (largest,), from lag 1
    strength[0] = np.inf  # which is always kept
    significant = np.flatnonzero(strength > NormalDist().inv_cdf(1 - alpha / 2) / np.sqrt(n))
    strongest = significant[np.argsort(-strength[significant], kind="stable")][:most]
    return sorted((strongest + 1).tolist())


def _partial_autocorrelations(y: FloatArray, largest: int) -> FloatArray:  # (largest,)
    """Burg's estimates at lags 1 to `largest`, 0 where there is nothing left to explain."""
    from statsmodels.tsa.stattools import pacf_burg  # costs half a second to import

    scale = np.abs(y - y[0]).max()
    if scale == 0 or largest >= len(y) - 1:
        return np.zeros(largest)
    with quietly(), np.errstate(all="ignore"):
        phi, innovation_var = pacf_burg((y - y[0]) / scale, nlags=largest)
    # A deterministic series is explained up to rounding at some lag. What follows is rounding
    # noise of any size.
    left = np.concatenate([[1.0], innovation_var[1:-1] / innovation_var[0]])
    known = np.isfinite(phi[1:]) & (np.minimum.accumulate(left) > ROUNDING)
    return np.where(known, phi[1:], 0.0)
