"""Half-widths of intervals that follow the errors of forecasts as they become known."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted, per_cent
from gpforecast.pipeline.calibration import Calibration, increasing
from gpforecast.storage import storable

# What one miss adds to the logarithm of a half-width of one step. Quantile losses of simulated
# errors over those of widths which know the noise: 1.28 without following, 1.14 with half this
# rate, 1.12 with this and 1.11 with twice it (benchmarks/accuracy/adaptive.py --rates). The paper's
# step, a tenth of the largest recent score, is of the same size.
_RATE = 0.1
# No half-width falls below this share of what was learned at the fit: after a stretch without any
# error, such as a meter that stood still, intervals must open again soon.
_LEAST = 0.01


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
    n_followed : int
        How many values have come since the fit.

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
    n_followed: int = 0

    @classmethod
    def after(cls, fit: Calibration) -> Self:
        """Return one that starts from what was learned at the fit, and has seen no forecast."""
        h, k = fit.values.shape
        nothing = np.full((h, h), np.nan), np.full((h, h, k), np.nan)
        first = fit.factors, fit.knots, fit.values, fit.n_origins, fit.values
        return cls("adaptive", *first, np.zeros((h, k)), *nothing)

    @property
    def without_forecasts(self) -> Self:
        """The same, for another series: the forecasts that were made do not concern it."""
        return replace(self, mean=self.mean + np.nan, half=self.half + np.nan)

    def followed(self, mean: FloatArray, std: FloatArray, value: float) -> Self:
        """Return the calibration after one more value.

        Parameters
        ----------
        mean, std : ndarray (up to h,)
            The forecast from the last value known so far, in the units of the warp, before
            calibration. NaN where none was made.
        value : float
            The value that came, in the units of the warp; NaN if it is missing.
        """
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
            values=increasing(self.start * np.exp(rate * excess)),
            excess=excess,
            mean=made,
            half=half,
            n_followed=self.n_followed + 1,
        )

    @property
    def moves(self) -> str:
        """How the 95 % intervals, or the widest there are, have moved since the fit, in words."""
        what = "intervals follow the errors of forecasts as they become known"
        if not self.n_followed:
            return f"{what}; no value has come since the fit"
        levels = 1.0 - 2.0 * scipy.special.ndtr(-self.knots)
        at = int(np.argmin(np.abs(levels - 0.95)))
        share = self.values[:, at] / self.start[:, at] - 1.0
        first, last = (
            f"{per_cent(abs(s))} {'narrower' if s < 0.0 else 'wider'}" for s in share[[0, -1]]
        )
        return (
            f"{what}: over {counted(self.n_followed, 'value')} since the fit, the "
            f"{100 * levels[at]:.0f} % "
            f"interval has become {first} at step 1 and {last} at step {self.horizon}"
        )
