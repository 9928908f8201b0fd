"""Learning the warp of a series, and what both kinds of learning share."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import column_spread
from gpforecast.models.search import Search, optimise
from gpforecast.models.warping.tanh_warp import TanhSum
from gpforecast.models.warping.warped_evidence import WarpedSeriesEvidence
from gpforecast.numerics.threads import one_blas_thread

_EQUAL = 0.05  # share of values at an edge from which on they look censored
_COUNT = 3  # of so few nothing is said
_MAX_ITER = 200


def first_psi(u: FloatArray, n_tanh: int, *, two_slopes: bool = False) -> FloatArray:
    """Return (log a, log b, c) to start from: gentle steps spread over values u (n,).

    With two slopes these start equal, and would part in the middle.
    """
    centres = np.quantile(u, (np.arange(n_tanh) + 0.5) / n_tanh)
    psi = np.array([np.full(n_tanh, np.log(0.3)), np.zeros(n_tanh), -centres])
    if two_slopes:
        psi = np.column_stack([psi, [0.0, 0.0, -np.median(u)]])
    return psi.ravel()


def censored_at(y: FloatArray) -> str:
    """Say where many values are equal at an edge of their range; empty if nowhere."""
    for edge, name in ((y.min(), "lowest"), (y.max(), "highest")):
        n = int(np.sum(y == edge))
        if n > max(_EQUAL * len(y), _COUNT):
            return f"{n} of {len(y)} values are equal to the {name}, {edge:g}"
    return ""


def learned_from_series(
    u: FloatArray,
    places: IntArray,
    *,
    n_tanh: int,
    n_restarts: int,
    seed: Seed,
    two_slopes: bool = False,
) -> tuple[TanhSum, FitReport]:
    """Learn f from rows of a series, targets and lags warped alike.

    The process has one length-scale and one slope variance for all lags. More of them would change
    the warp little.

    Parameters
    ----------
    u : ndarray (T,)
        The values of the rows, standardised.
    places : ndarray (n, d + 1)
        Where in `u` the target and the lags of each row are.
    n_tanh : int
    n_restarts : int
    seed : int, Generator or None
    two_slopes : bool
        Whether the line beside the steps has two slopes.

    Returns
    -------
    TanhSum
    FitReport
    """
    X, y = u[places[:, 1:]], u[places[:, 0]]
    n_lags = X.shape[1]
    width = float(np.mean(column_spread(X))) * np.sqrt(n_lags)
    covariance = SquaredExponential(width, 0.5) + Linear(1.0 / n_lags)
    psi = first_psi(u, n_tanh, two_slopes=two_slopes)
    problem = WarpedSeriesEvidence.started(
        X, y, covariance, None, psi=psi, values=u, places=places, two_slopes=two_slopes
    )
    with one_blas_thread():
        found, report = optimise(problem, Search(covariance, None, _MAX_ITER, n_restarts, seed))
    return found.warp_of(found.start), report
