"""Spread corrected by how large the errors of earlier forecasts of the same series were."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.pipeline.reach import check_calibrated_reach
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.step_warps import CalibrationWarp
from gpforecast.results.warped import distribution_of
from gpforecast.storage import storable
from gpforecast.transforms.base import Warp
from gpforecast.transforms.warps import Identity

_WIDTH = 0.5  # of the smoothing over steps, in their logarithm
_NEAR = 1.25  # ratio of steps whose errors are put together for quantiles
_LEVELS = np.array([0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99])


@storable
@dataclass(frozen=True, eq=False)
class Calibration:
    r"""What the errors of forecasts say of their standard deviations, step by step.

    With r the errors of backtest forecasts over the standard deviations they were given, in the
    units of the warp:

    ``"variance"``: :math:`\Sigma \to D \Sigma D`, where :math:`d_k^2` is the mean of r^2 over
    origins, smoothed over steps.

    ``"conformal"``: the half-width of the central interval at level p becomes
    :math:`s_k\, q_k(p)` with q the :math:`\lceil (n+1) p \rceil`-th smallest of n values of |r|;
    between levels it is interpolated. The steps keep their dependence.

    ``"adaptive"``: these half-widths move with the errors of later forecasts
    (`gpforecast.pipeline.adaptive.Adaptive`).

    Attributes
    ----------
    kind : {"variance", "conformal", "adaptive"}
    factors : ndarray (h,)
        d for ``"variance"``; ones otherwise.
    knots : ndarray (k,)
        Half-widths, in standard deviations, of a Gaussian's intervals; empty for ``"variance"``.
    values : ndarray ([b,] h, k)
        The half-widths that take their place; those of a batch may be its own for each origin.
    n_origins : int
        How many forecasts it was learned from.

    References
    ----------
    Lei, G'Sell, Rinaldo, Tibshirani and Wasserman (2018), "Distribution-free predictive inference
    for regression", section 5.2: split-conformal intervals of locally weighted residuals. Errors
    of overlapping forecasts are not exchangeable, so that the coverage is approximate here.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> errors = 2.0 * rng.standard_normal((500, 3))  # twice as large as forecast
    >>> Calibration.of("variance", errors).factors.round(1)
    array([2., 2., 2.])
    """

    kind: str
    factors: FloatArray
    knots: FloatArray
    values: FloatArray
    n_origins: int

    def __post_init__(self) -> None:
        h, k = len(self.factors), len(self.knots)
        check_shapes(self, factors=(h,), knots=(k,), values=(*self.values.shape[:-2], h, k))

    @staticmethod
    def of(kind: str, residuals: FloatArray) -> "Calibration":
        """Learn from standardised errors.

        Parameters
        ----------
        kind : {"variance", "conformal"}
        residuals : ndarray (b, h)
            Error over standard deviation from b origins in order of time, NaN where the truth is
            not known; every step has some that are.
        """
        b, h = residuals.shape
        if kind == "variance":
            factors = np.sqrt(_smoothed(np.nanmean(residuals**2, axis=0), b))
            return Calibration(kind, factors, np.empty(0), np.empty((h, 0)), b)
        most = int((~np.isnan(residuals)).sum(axis=0).max())
        levels = _LEVELS[np.ceil((most + 1) * _LEVELS) <= most]
        knots = scipy.special.ndtri(0.5 + 0.5 * levels)
        values = np.array([_quantiles(residuals, k, levels) for k in range(h)])
        return Calibration(kind, np.ones(h), knots, increasing(values), b)

    @property
    def horizon(self) -> int:
        """How many steps it has seen; later ones are treated as the last."""
        return len(self.factors)

    @property
    def moves(self) -> str:
        """How it has moved since the fit, in words; empty if it does not."""
        return ""

    def joint(self, p: Propagated, warp: Warp | None) -> Distribution:
        """Return the calibrated distribution of w^-1(z) from that of z."""
        steps = np.minimum(np.arange(p.mean.shape[-1]), self.horizon - 1)
        if self.kind == "variance":
            d = self.factors[steps]
            scaled = p.scaled(d, p.mean * (1.0 - d))
            check_calibrated_reach(scaled, warp)
            return distribution_of(scaled, warp)
        std = np.sqrt(np.einsum("...hh->...h", p.covariance))
        std = np.maximum(std, np.finfo(float).tiny)
        warp = Identity() if warp is None else warp
        values = self.values[..., steps, :]
        remapped = CalibrationWarp(warp, p.mean, std, self.knots, values)
        check_calibrated_reach(p, remapped)
        return distribution_of(p, remapped)

    def __str__(self) -> str:
        """Say in a line what it does."""
        if self.kind == "variance":
            sizes, what = self.factors, "standard deviations are"
        else:
            level = 100 * (1 - 2 * scipy.special.ndtr(-self.knots[-1]))
            sizes = self.values[:, -1] / self.knots[-1]
            what = f"{level:.0f} % intervals are"
        first, last = f"{sizes[0]:.2f}", f"{sizes[-1]:.2f}"
        return (
            f"{what} {first} times as wide at step 1 and {last} times at step {self.horizon}, by "
            f"the errors of {counted(self.n_origins, 'forecast')} of the series' own past"
        )


def increasing(values: FloatArray) -> FloatArray:
    """Return half-widths (..., k) that increase strictly, so that every marginal has a density."""
    growth = (1.0 + 1e-4) ** np.arange(values.shape[-1])
    least = np.maximum(values, 1e-6) / growth
    increased: FloatArray = np.maximum.accumulate(least, axis=-1) * growth
    return increased


def _smoothed(squares: FloatArray, n_origins: int) -> FloatArray:
    """Return a moving average over steps, in the logarithm of the step.

    Forecasts of k steps from b neighbouring origins overlap; they hold about as much information
    as b / k that do not, which is the weight of a step.
    """
    steps = np.arange(1, len(squares) + 1)
    near = np.exp(-0.5 * (np.log(steps[:, None] / steps) / _WIDTH) ** 2)
    weights = near * np.maximum(n_origins / steps, 1.0)
    average: FloatArray = weights @ squares / weights.sum(axis=1)
    # A model without error would have no spread at all.
    return np.maximum(average, 1e-12)


def _quantiles(residuals: FloatArray, k: int, levels: FloatArray) -> FloatArray:
    """Return quantiles of |r| at step k (from 0) and steps near it, with the corrected levels."""
    steps = np.arange(1, residuals.shape[1] + 1)
    near = (steps * _NEAR >= k + 1) & (steps <= (k + 1) * _NEAR)
    pool = np.abs(residuals[:, near])
    n = int((~np.isnan(pool)).sum())
    corrected = np.minimum(np.ceil((n + 1) * levels) / n, 1.0)
    # The ceil(n p)-th smallest, but for what rounding adds to n p.
    found: FloatArray = np.nanquantile(pool, corrected - 1e-12, method="inverted_cdf")
    return found
