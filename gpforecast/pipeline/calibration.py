"""Spread corrected by how large the errors of earlier forecasts of the same series were."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import scipy

from gpforecast.common.shapes import check_shapes
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.propagation.recursion import Propagated
from gpforecast.results.distribution import Distribution
from gpforecast.results.step_warps import CalibrationWarp
from gpforecast.results.warped import check_range, distribution_of
from gpforecast.storage import storable
from gpforecast.transforms.base import Warp
from gpforecast.transforms.warps import Identity

_WIDTH = 0.5  # of the smoothing over steps, in their logarithm
_NEAR = 1.25  # ratio of steps whose errors are put together for quantiles
_LEVELS = np.array([0.25, 0.5, 0.65, 0.8, 0.9, 0.95, 0.99])
# What one miss adds to the logarithm of a half-width of one step (benchmarks/accuracy/adaptive.py
# --rates); the paper's step, a tenth of the largest recent score, is of the same size.
_RATE = 0.1
_LEAST = 0.01  # share of the half-width at the fit below which none falls: it must open again soon


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
    (`Adaptive`).

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
    learns: ClassVar[bool] = False

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
            return Calibration.widened(np.sqrt(_smoothed(np.nanmean(residuals**2, axis=0), b)), b)
        most = int((~np.isnan(residuals)).sum(axis=0).max())
        levels = _LEVELS[np.ceil((most + 1) * _LEVELS) <= most]
        knots = scipy.special.ndtri(0.5 + 0.5 * levels)
        values = np.array([_quantiles(residuals, k, levels) for k in range(h)])
        return Calibration(kind, np.ones(h), knots, _increasing(values), b)

    @staticmethod
    def widened(factors: FloatArray, n_origins: int) -> "Calibration":
        """Return what multiplies the standard deviations by factors (h,)."""
        return Calibration("variance", factors, np.empty(0), np.empty((len(factors), 0)), n_origins)

    @property
    def horizon(self) -> int:
        """How many steps it was learned from; later ones are treated as the last."""
        return len(self.factors)

    @property
    def without_forecasts(self) -> Self:
        """The same, for another series: the forecasts that were made do not concern it."""
        return self

    def followed(self, mean: FloatArray, std: FloatArray, value: float) -> Self:  # noqa: ARG002
        """Return the calibration after one more value: the same, unless it `learns`.

        Parameters
        ----------
        mean, std : ndarray (up to h,)
            The forecast from the last value known so far, in the units of the warp, before
            calibration. NaN where none was made.
        value : float
            The value that came, in the units of the warp; NaN if it is missing.
        """
        return self

    def joint(self, p: Propagated, warp: Warp | None) -> Distribution:
        """Return the calibrated distribution of w^-1(z) from that of z."""
        steps = np.minimum(np.arange(p.mean.shape[-1]), self.horizon - 1)
        if self.kind == "variance":
            p = p.widened(self.factors[steps])
        else:
            std = np.maximum(np.sqrt(p.var), np.finfo(float).tiny)
            values, inner = self.values[..., steps, :], Identity() if warp is None else warp
            warp = CalibrationWarp(inner, p.mean, std, self.knots, values)
        check_range(p, warp, calibrated=True)
        return distribution_of(p, warp)

    def __str__(self) -> str:
        """Say in a line what it does."""
        sizes, what = self.factors, "standard deviations are"
        if len(self.knots):
            level = 100 * (1 - 2 * scipy.special.ndtr(-self.knots[-1]))
            sizes, what = self.values[:, -1] / self.knots[-1], f"{level:.0f} % intervals are"
        return (
            f"{what} {sizes[0]:.2f} times as wide at step 1 and {sizes[-1]:.2f} times at step "
            f"{self.horizon}, by the errors of {counted(self.n_origins, 'forecast')} of the "
            f"series' own past"
        )


@storable
@dataclass(frozen=True, eq=False)
class Adaptive(Calibration):
    r"""Split-conformal half-widths at the fit that move when the truth of a forecast arrives.

    For step k and level p, with q_0 learned at the fit and a_t = 1 if the value at t lay outside
    the interval that was forecast for it k values before, 0 if inside,

    .. math:: q_t = q_0 \exp(\eta_k x_t), \qquad x_t = x_{t-1} + a_t - (1 - p), \quad
              \eta_k = 0.1 / \sqrt{k}.

    x counts the misses above those expected, so that this is the error integration of conformal
    PID control, with an exponential for its saturation function: every miss widens by the same
    share, and widths stay positive. A forecast of k steps is judged k values after it was made, by
    the width that it was given. As the errors of overlapping forecasts are moving averages of
    order k - 1, they miss several times in a row: later steps move less.

    If no |r| exceeds c, then x never exceeds :math:`\max(0, \log(c/q_0) / \eta_k) + k`, whatever
    the series does, and over T values the share of misses is at most 1 - p plus that bound over T.
    Where widths of two levels cross, both take the larger, which keeps the bound.

    Attributes
    ----------
    kind, factors, knots, values, n_origins
        As in `Calibration`; `values` are the half-widths of the next forecast.
    start : ndarray (h, k)
        q_0.
    excess : ndarray (h, k)
        x.
    mean : ndarray (h, h)
        Earlier forecasts, in the units of the warp: row i is what was forecast i + 1 values before
        the last one known. NaN where none was made.
    half : ndarray (h, h, k)
        Half-widths of their intervals.

    References
    ----------
    Angelopoulos, Candes and Tibshirani (2023), "Conformal PID control for time series prediction",
    section 2. Wang and Hyndman (2024), "Online conformal inference for multi-step time series
    forecasting" (arXiv 2410.13115). Their scorecaster, which forecasts the errors themselves, is
    left out: the errors of a good forecast of k steps are not correlated with those known when it
    is made.

    Examples
    --------
    >>> errors = np.random.default_rng(0).standard_normal((200, 1))
    >>> made = Adaptive.after(Calibration.of("conformal", errors))
    >>> for _ in range(10):  # errors of five standard deviations
    ...     made = made.followed(np.zeros(1), np.ones(1), 5.0)
    >>> (made.values[0] / made.start[0]).round(1)
    array([1.3, 1.6, 1.9, 2.2, 2.5, 2.6, 2.2])
    """

    start: FloatArray
    excess: FloatArray
    mean: FloatArray
    half: FloatArray
    learns: ClassVar[bool] = True

    @classmethod
    def after(cls, fit: Calibration) -> Self:
        """Return one that starts from what was learned at the fit, without any forecast."""
        h, k = fit.values.shape
        nothing = np.full((h, h), np.nan), np.full((h, h, k), np.nan)
        first = fit.factors, fit.knots, fit.values, fit.n_origins, fit.values
        return cls("adaptive", *first, np.zeros((h, k)), *nothing)

    @property
    def without_forecasts(self) -> Self:
        """The same without the forecasts that were made."""
        return replace(self, mean=self.mean + np.nan, half=self.half + np.nan)

    def followed(self, mean: FloatArray, std: FloatArray, value: float) -> Self:
        """Return the calibration after one more value, by the misses of the forecasts of it."""
        n = min(len(mean), self.horizon)
        made, half = np.full(self.horizon, np.nan), np.full(self.values.shape, np.nan)
        made[:n], half[:n] = mean[:n], std[:n, None] * self.values[:n]
        made, half = np.vstack([made, self.mean[:-1]]), np.stack([half, *self.half[:-1]])
        # The forecast of k steps for this value was made k values ago.
        k = np.arange(self.horizon)
        error = np.abs(value - made[k, k])[:, None]
        change = np.where(error > half[k, k], 1.0, 0.0) - 2.0 * scipy.special.ndtr(-self.knots)
        known = np.isfinite(error) & (half[k, k] > 0.0)
        rate = _RATE / np.sqrt(k + 1.0)[:, None]
        excess = np.maximum(self.excess + np.where(known, change, 0.0), np.log(_LEAST) / rate)
        return replace(
            self,
            values=_increasing(self.start * np.exp(rate * excess)),
            excess=excess,
            mean=made,
            half=half,
        )


def _increasing(values: FloatArray) -> FloatArray:
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
