"""The regression of effects of inputs: its other regressors, its estimates, their shrinkage."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import BoolArray, FloatArray, IntArray
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.damped_mean import DampedMean
from gpforecast.transforms.deterministic import MOST_PAIRS, Deterministic
from gpforecast.transforms.differences import Differences, cumulated, differenced, gaps
from gpforecast.transforms.regression import regressed

_CYCLES = 8  # of a season: with fewer, its means are too uncertain, and sines replace them
_ROUNDING = 1e-9  # what is left of a column, in parts of it, after the columns before
_CHANCE = 0.005  # probability, by each of two tests, that columns without any effect are kept
_SWEEPS = 200
_LEAST_RATIO = 2.0  # of the squared quality to the sparsity, below which a coefficient is left out


@storable
@dataclass(frozen=True, eq=False)
class LaterTerms:
    """The terms that are estimated with the effects of inputs: a level, lines, seasons.

    Attributes
    ----------
    later : tuple
        The transforms that follow the effects: functions of time and differences.
    length : float
        The unit of time of functions of time, in steps.
    """

    later: tuple[Deterministic | DampedMean | Differences, ...]
    length: float

    @staticmethod
    def of(later: Sequence[object], length: float) -> "LaterTerms":
        """Return the terms of a list of transforms, without those that are none of these."""
        kinds = Deterministic | DampedMean | Differences
        return LaterTerms(tuple(step for step in later if isinstance(step, kinds)), length)

    def backs(self, times: TimeAxis) -> list[IntArray]:
        """Return the steps back to the value that each difference subtracts, (n,) each."""
        return [times.back(gap) for gap in gaps(self.later)]

    @property
    def n_season(self) -> int:
        """How many of the columns are those of seasons."""
        periods = (one.period or 1 for one in self.later if isinstance(one, DampedMean))
        return sum(2 * self._pairs(m) or m - 1 for m in periods)

    def _pairs(self, period: int) -> int:
        """Return how many sines and cosines describe a season of few cycles; 0 if means do."""
        return 0 if _CYCLES * period <= self.length else min(MOST_PAIRS, period // 2)

    def columns(self, times: TimeAxis) -> FloatArray:
        """Return the regressors at some times, after the differences, (n, k).

        The first are those of seasons, the last is the constant. Those that come before a
        difference are NaN where it is.
        """
        n = len(times)
        seasons, found, passed = [np.empty((n, 0))], list[FloatArray](), list[IntArray]()
        for step in self.later:
            match step:
                case Deterministic():
                    found.append(_summed(step.design(times, self.length), passed))
                case DampedMean(period=int(period)):
                    seasons.append(_summed(self._season(times.phases(period), period), passed))
                case Differences():
                    passed.extend(times.back(period) for period in step.periods)
        every = np.column_stack([*seasons, *found])
        return np.column_stack([differenced(every, passed), np.ones(n)])

    def _season(self, phases: IntArray, period: int) -> FloatArray:
        """Return columns of a season by phases (n,): its sines, or one for each step but one."""
        if pairs := self._pairs(period):
            angles = 2.0 * np.pi / period * np.outer(phases, np.arange(1, pairs + 1))
            return np.hstack([np.cos(angles), np.sin(angles)])
        return np.equal.outer(phases, np.arange(1, period)).astype(np.float64)


def _summed(design: FloatArray, backs: Sequence[IntArray]) -> FloatArray:
    """Return columns (n, k) that are these after some differences."""
    for back in reversed(backs):
        design = cumulated(design, back=back)
    return design


def independent(columns: FloatArray) -> IntArray:
    """Return which columns are no combination of those before them."""
    size = np.sqrt((columns**2).sum(axis=0))
    kept: list[int] = []
    Q = np.empty((len(columns), 0))
    for j in np.flatnonzero(size > 0.0):
        left = columns[:, j] / size[j]
        for _ in range(2):  # once more for rounding
            left = left - Q @ (Q.T @ left)
        norm = float(np.sqrt(left @ left))
        if norm > np.sqrt(_ROUNDING):
            kept.append(int(j))
            Q = np.column_stack([Q, left / norm])
    return np.array(kept, dtype=np.int64)


def estimated(
    w: FloatArray, columns: FloatArray, k: int, row: BoolArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return coefficients, their covariance, its share of others, and an autoregression.

    Parameters
    ----------
    w : ndarray (n,)
    columns : ndarray (n, m + k)
        The others, the constant among them, and the columns themselves.
    k : int
    row : ndarray (n,) of bool
        What is known of them all.

    Returns
    -------
    beta : ndarray (k,)
    V : ndarray (k, k)
    G : ndarray (m, k)
        Coefficients of the columns on the others, by the same least squares: with an error of beta,
        those of the others are off by -G times it. The blocks of their joint covariance are in this
        proportion.
    rho : ndarray (r,)
        Of the errors.
    """
    m, both = columns.shape[1] - k, np.where(row[:, None], columns, 0.0)
    start = int(np.argmax(row))
    _, R = scipy.linalg.qr(both[row], mode="economic")
    inverse = scipy.linalg.solve_triangular(R, np.eye(len(R)))
    theta, C, rho = regressed(w[start:], both[start:] @ inverse)
    beta, V = inverse @ theta, inverse @ C @ inverse.T
    G = np.asarray(-np.linalg.lstsq(V[m:, m:], V[m:, :m], rcond=None)[0].T, dtype=np.float64)
    return beta[m:], V[m:, m:], G, rho


def shrunk(beta: FloatArray, V: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Return mean and covariance of coefficients with a prior variance for each.

    With :math:`\hat\beta \sim N(\beta, V)` and :math:`\beta_j \sim N(0, a_j)`, the evidence of
    :math:`C = V + \operatorname{diag}(a)` is maximised coordinate by coordinate: with s and q the
    sparsity and the quality of a coefficient, computed without its own :math:`a_j`,
    :math:`a_j = (q^2 - s) / s^2` where :math:`q^2 > s` and 0 elsewhere (Tipping and Faul 2003,
    eqs. 18-20). Here a coefficient is left out up to :math:`q^2 = 2 s`, which Akaike's criterion
    would do too: for a single one, up to :math:`\sqrt 2` standard errors.

    All are left out where nothing speaks for any of them: where by chance alone the largest ratio
    of a coefficient to its standard error, and :math:`\beta' V^{-1} \beta`, would be as large in
    more than 1 of 200 cases each.

    Parameters
    ----------
    beta : ndarray (p,)
    V : ndarray (p, p)
        Covariance of its error, positive definite; zero if it is known exactly.

    Examples
    --------
    >>> mean, cov = shrunk(np.array([10.0, 0.5]), np.eye(2))
    >>> mean.round(2), cov.diagonal().round(2)
    (array([9.9, 0. ]), array([0.99, 0.  ]))
    """
    size = np.sqrt(V.diagonal())
    if len(beta) == 0 or not size.all():
        return beta, V
    b, R = beta / size, V / size[:, None] / size
    R = R + 1e-12 * np.eye(len(b))
    if _by_chance(b, R):
        return np.zeros_like(beta), np.zeros_like(V)
    a = np.zeros(len(b))
    for _ in range(_SWEEPS):
        before = a.copy()
        for j in range(len(b)):
            a[j] = 0.0
            solved = np.linalg.solve(R + np.diag(a), np.column_stack([np.eye(len(b))[j], b]))
            s, q = solved[j]
            a[j] = (q**2 - s) / s**2 if q**2 > _LEAST_RATIO * s else 0.0
        if np.abs(a - before).max() <= 1e-9 * max(float(a.max()), 1.0):
            break
    gain = np.linalg.solve(R + np.diag(a), np.diag(a)).T  # A C^-1
    cov = np.diag(a) - gain @ np.diag(a)
    return size * (gain @ b), size[:, None] * 0.5 * (cov + cov.T) * size


def _by_chance(b: FloatArray, R: FloatArray) -> bool:
    """Whether ratios b of coefficients to their standard errors are such as chance makes.

    R is the correlation of the errors. The largest is judged by Bonferroni's bound, for all
    together by the chi-squared distribution.
    """
    one = len(b) * scipy.special.chdtrc(1, float((b**2).max()))
    together = scipy.special.chdtrc(len(b), float(b @ np.linalg.solve(R, b)))
    return bool(min(one, together) > _CHANCE)
