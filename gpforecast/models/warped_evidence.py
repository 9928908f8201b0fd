r"""The evidence of targets of a warped Gaussian process, with its gradient.

With z = w(y), standardised over the values that w is learned from,

.. math:: \log p(y) = \log N(z \mid 0, K + \sigma^2 I) + \sum_n \log w'(y_n)

which is eq. (5.4) of Snelson (2007). z has mean 0 and variance 1 whatever the steps are. This loses
no generality, because the variances of signal and noise are free. It prevents heights,
length-scales and variances from growing together.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gpforecast.common.types import FloatArray, IntArray, Seed
from gpforecast.covariances import Covariance, Linear, SquaredExponential
from gpforecast.models.base import FitReport
from gpforecast.models.evidence import Evidence, column_spread, evenly_spaced, evidence_slopes
from gpforecast.models.search import Search, optimise
from gpforecast.models.tanh_warp import TanhWarp
from gpforecast.numerics.threads import one_blas_thread

# Medians of a and b in the prior, in standard deviations of the targets, the standard deviations of
# their logarithms, and that of c.
_HEIGHT, _HEIGHT_SPREAD = 0.3, 2.5
_SLOPE, _SLOPE_SPREAD = 1.0, 0.7
_CENTRE_SPREAD = 2.0
_BOUNDS = np.log([[1e-4, 1e3], [0.05, 8.0]])  # of log a and log b
# Of half the logarithm of the ratio of two slopes: its standard deviation, and its bound.
_RISE_SPREAD, _MOST_RISE = 1.0, float(np.log(10.0))


@dataclass(frozen=True, eq=False)
class WarpedEvidence(Evidence):
    """The log evidence of warped targets, of theta = (psi, covariance's logarithms, log noise).

    psi = (log a, log b, c) has a normal prior. Without it the density has no bound: it grows with b
    where a step falls onto a value that occurs again and again.

    Attributes
    ----------
    y : ndarray (n,)
        Standardised, not warped.
    psi : ndarray (3 I,)
        Where the search for the warp starts.
    two_slopes : bool
        Whether the line below the steps has two slopes; psi then has three entries more, as in
        `TanhWarp.of`.
    values : ndarray (T,) or None
        All values of the rows of a series, standardised: their lags are warped as the targets are.
    places : ndarray (n, d + 1) or None
        Where in `values` the target and the lags of each row are.
    """

    psi: FloatArray
    two_slopes: bool = False
    values: FloatArray | None = None
    places: IntArray | None = None

    @property
    def start(self) -> FloatArray:
        """Theta of the warp, covariance and noise it was made with; the noise is off zero."""
        return np.concatenate([self.psi, super().start])

    @property
    def _bounds(self) -> FloatArray:
        n = len(self.psi) // 3
        centres = [[-1.0 - self.sample.max(), 1.0 - self.sample.min()]]
        of_warp = np.repeat(np.concatenate([_BOUNDS, centres]), n, axis=0)
        if self.two_slopes:
            of_warp[n - 1] = -_MOST_RISE, _MOST_RISE
        return np.concatenate([of_warp, super()._bounds])

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each entry of theta."""
        n = len(self.psi) // 3
        return (*("warp a",) * n, *("warp b",) * n, *("warp c",) * n, *super().names)

    @property
    def sample(self) -> FloatArray:
        """The values over which z is standardised."""
        return self.y if self.values is None else self.values

    def on_few_rows(self, n_rows: int) -> Self:
        """Return the same function of theta for at most so many of the rows, evenly spaced."""
        few = super().on_few_rows(n_rows)
        if self.places is None or few is self:
            return few
        return replace(few, places=self.places[evenly_spaced(len(self.y), n_rows)])

    def unpack(self, theta: FloatArray) -> tuple[Covariance, float]:
        """Return the covariance and the noise variance that theta stands for."""
        return super().unpack(theta[len(self.psi) :])

    def at(self, theta: FloatArray) -> Self:
        """Return the same function, to start from theta."""
        return replace(super().at(theta), psi=theta[: len(self.psi)])

    def warp_of(self, theta: FloatArray) -> TanhWarp:
        """Return the function f that theta stands for."""
        return TanhWarp.of(theta[: len(self.psi)], two_slopes=self.two_slopes)

    def _height(self, theta: FloatArray) -> float:
        return self._rise(theta)[0]

    def _rise(self, theta: FloatArray) -> tuple[float, FloatArray]:
        tanhs, u = self.warp_of(theta), self.sample
        f, slope = tanhs.at(u)
        s = float(f.std()) or 1.0  # few rows may have one value only
        z = (f - f.mean()) / s
        log_evidence, rise, by_z = self._of_warped(z, *self.unpack(theta))
        counts = np.ones(len(u))  # how many rows have each value for their target
        if self.places is not None:
            counts = np.bincount(self.places[:, 0], minlength=len(u)).astype(np.float64)
        jacobian = float(counts @ np.log(slope)) - len(self.y) * np.log(s)
        # Moving f moves its mean and s too; the last term is that of -n log s.
        by_f = (by_z - by_z.mean() - z * np.mean(by_z * z) - len(self.y) * z / len(u)) / s
        by_psi = tanhs.pullback(u, by_f, counts)[:, : len(self.psi) // 3].ravel()
        return log_evidence + jacobian, np.append(by_psi, rise)

    def _of_warped(
        self, z: FloatArray, covariance: Covariance, noise_var: float
    ) -> tuple[float, FloatArray, FloatArray]:
        """Return log N(z | 0, K_y) and its slopes, in theta without psi and in z."""
        if self.places is None:
            log_evidence, rise, U = self._with_root(covariance, noise_var, z)
            return log_evidence, rise, -U[0]
        rows = z[self.places]
        log_evidence, rise, by_lags, by_targets = evidence_slopes(
            covariance, noise_var, rows[:, 1:], rows[:, 0]
        )
        by_z = np.zeros_like(z)
        np.add.at(by_z, self.places, np.column_stack([by_targets, by_lags]))
        return log_evidence, rise, by_z

    @property
    def prior(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of theta: psi always has some."""
        middle, spread = super().prior
        n, k = len(self.psi) // 3, len(self.psi)
        middle[:k] = np.repeat([np.log(_HEIGHT), np.log(_SLOPE), 0.0], n)
        spread[:k] = np.repeat([_HEIGHT_SPREAD, _SLOPE_SPREAD, _CENTRE_SPREAD], n)
        if self.two_slopes:
            middle[n - 1], spread[n - 1] = 0.0, _RISE_SPREAD
        return middle, spread


_EQUAL = 0.05  # share of values at an edge from which on they look censored
_COUNT = 3  # with so few no remark is made
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
    """Return where many values are equal at an edge of their range; empty if nowhere."""
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
) -> tuple[TanhWarp, FitReport]:
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
        Whether the line below the steps has two slopes.

    Returns
    -------
    TanhWarp
    FitReport
    """
    X, y = u[places[:, 1:]], u[places[:, 0]]
    n_lags = X.shape[1]
    width = float(np.mean(column_spread(X))) * np.sqrt(n_lags)
    covariance = SquaredExponential(width, 0.5) + Linear(1.0 / n_lags)
    psi = first_psi(u, n_tanh, two_slopes=two_slopes)
    problem = WarpedEvidence.started(
        X, y, covariance, None, psi=psi, values=u, places=places, two_slopes=two_slopes
    )
    with one_blas_thread():
        found, report = optimise(problem, Search(covariance, None, _MAX_ITER, n_restarts, seed))
    return found.warp_of(found.start), report
