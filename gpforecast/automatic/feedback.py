"""Inputs that the series sets, as a controller does: their effect is not told by simulations.

In a closed loop the input follows what the series did, and knows of its noise. A simulation of
held-out values with such an input is told what to find out, and effects that are fitted without
the past of the series are those of the controller. The past tells the effect only as far as the
input moved by itself (Ljung 1999, "System identification", sections 13.4 and 13.5), and not whether
the two answer each other within one step in this order or in the other.
"""

import numpy as np

from gpforecast.automatic import thresholds as th
from gpforecast.common.types import BoolArray, FloatArray


def set_by_series(
    y: FloatArray, U: FloatArray, period: int | None = None, *, at_once: bool = True
) -> BoolArray:
    """Return which inputs follow the series, (q,).

    Its past explains more of such an input than chance would beyond the past of all inputs and the
    season, by Schwarz's criterion. With its present it explains a good part, on the geometric mean
    of shares of what the other past leaves and of the input's variance: next to nothing is left of
    an input that is smooth.

    Parameters
    ----------
    y : ndarray (n,)
    U : ndarray (n, q)
        NaN where missing, as in y.
    period : int, optional
        Steps of a season.
    at_once : bool
        Whether an input may have an effect in the same step: otherwise the present of the series is
        among what it follows.
    """
    n, q = U.shape
    lags = th.LAGS_NEAR
    known = [_lagged(U, k) for k in lags] + [np.ones((n, 1))]
    if period is not None:
        known.append(np.eye(period)[np.arange(n) % period])
    before = np.hstack(known)
    whole = np.hstack([before, *(_lagged(y[:, None], k) for k in lags), y[:, None]])
    past = whole[:, :-1] if at_once else whole
    rows = ~np.isnan(np.hstack([whole, U])).any(axis=1)
    m, found = int(rows.sum()), np.zeros(q, dtype=bool)
    if m < th.VALUES_A_LAG * whole.shape[1]:
        return found
    n_more = past.shape[1] - before.shape[1]
    for j, u in enumerate(U[rows].T):
        own, with_past, left = (_left(H[rows], u) for H in (before, past, whole))
        spread = float(((u - u.mean()) ** 2).sum())
        gain = m * np.log(own / with_past) - n_more * np.log(m)
        found[j] = gain > 0.0 and own - left > th.FEEDBACK_SHARE * np.sqrt(own * spread)
    return found


def _lagged(X: FloatArray, k: int) -> FloatArray:
    """Return columns (n, d) k steps later, NaN before."""
    return np.vstack([np.full((k, X.shape[1]), np.nan), X[:-k]])


def _left(H: FloatArray, u: FloatArray) -> float:
    """Return the sum of squares of u (n,) that columns H (n, d) leave, but for rounding."""
    rest = u - H @ np.linalg.lstsq(H, u)[0]
    return max(float(rest @ rest), np.finfo(float).eps * float(u @ u), 1e-300)
