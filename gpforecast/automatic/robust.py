"""The season of a series and what it remembers, by methods that outliers hardly move."""

import numpy as np
import pandas as pd
import scipy
from numpy.lib.stride_tricks import sliding_window_view

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.tails import scale_of
from gpforecast.common.types import FloatArray


def seasonal(z: FloatArray, period: int | None) -> FloatArray:
    """Return a season (n,) that may change: of each phase, the middle of the nearest cycles.

    The level is a running median, which keeps steps as they are. Of seven cycles the mean of the
    middle three is taken.
    """
    n = len(z)
    if period is None or n < th.OFFERED_CYCLES * period:
        return np.zeros(n)
    level = pd.Series(z).rolling(2 * period + 1, center=True, min_periods=period).median()
    left = z - level.to_numpy()
    cycles = n // period
    near = min(th.NEAREST_CYCLES, cycles)
    # The newest values have whole cycles behind them; the first incomplete one comes first.
    first = n - cycles * period
    blocks = left[first:].reshape(cycles, period)
    windows = np.sort(sliding_window_view(blocks, near, axis=0), axis=-1)
    aside = (near - 1) // 3
    middle = windows[..., aside : near - aside].mean(axis=-1)  # (cycles - near + 1, period)
    at = np.clip(np.arange(cycles) - near // 2, 0, len(middle) - 1)
    season = middle[at].ravel()
    return np.concatenate([season[:period][period - first :] if first else season[:0], season])


def without_season(z: FloatArray, period: int) -> FloatArray:
    """Return a series (n,) without its season, if an autoregression predicts what is left better.

    It does not for a smooth series without that season, such as tides by the week: what is taken
    away there has kinks, and echoes of each outlier a cycle before and after it.
    """
    p = min(th.UNUSUAL_LAGS, len(z) // 8)

    def unexpected(one: FloatArray) -> float:
        return scale_of(residuals(one, *robust_autoregression(one, p))[p:])

    adjusted = z - seasonal(z, period)
    return adjusted if unexpected(adjusted) < unexpected(z) else z


def steadier(y: FloatArray, logs: FloatArray, period: int | None) -> bool:
    """Return whether the steps of the logarithm are spread more evenly over low and high levels."""

    def uneven(z: FloatArray) -> float:
        adjusted = z - seasonal(z, period)
        steps = np.abs(np.diff(adjusted))
        level = pd.Series(adjusted).rolling(th.LONGEST_RUN, center=True, min_periods=1).median()
        high = (level > np.median(level)).to_numpy()[1:]
        if not high.any() or high.all():
            return 0.0
        a, b = float(np.median(steps[high])), float(np.median(steps[~high]))
        return abs(float(np.log(a / b))) if a > 0 and b > 0 else np.inf

    return uneven(logs) < uneven(y)


def robust_autoregression(z: FloatArray, p: int) -> tuple[FloatArray, float]:
    """Return coefficients (p,) and constant of an autoregression without its largest residuals."""
    windows = sliding_window_view(z, p + 1)  # oldest first
    X = np.column_stack([windows[:, -2::-1], np.ones(len(windows))])
    y = windows[:, -1]
    weights = np.ones(len(y))
    beta = np.zeros(p + 1)
    for _ in range(th.UNUSUAL_REWEIGHTED):
        root = np.sqrt(weights)
        beta = np.linalg.lstsq(X * root[:, None], y * root, rcond=None)[0]
        e = y - X @ beta
        s = scale_of(e)
        if s == 0.0:
            break
        widest = th.UNUSUAL_BISQUARE * s
        weights = (1.0 - (np.where(np.abs(e) < widest, e, widest) / widest) ** 2) ** 2
    return beta[:-1], float(beta[-1])


def residuals(z: FloatArray, phi: FloatArray, constant: float) -> FloatArray:
    """Return one-step residuals (n,), 0 where they are unknown."""
    e: FloatArray = scipy.signal.lfilter(np.concatenate([[1.0], -phi]), [1.0], z) - constant
    e[: len(phi)] = 0.0
    return e
