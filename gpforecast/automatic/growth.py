"""Whether the spread of a series grows with its level, as a logarithm or a root would undo.

Two witnesses. Swings within a season that are larger in the seasons of a higher level (Guerrero)
are seen. Without a season there is only the likelihood of a linear autoregression, and that one
takes whatever it cannot explain for noise: of a chaotic series, whose swings are steeper where they
are larger, it says that the spread grows, where there is next to nothing to spread. So it is not
asked about a series that a few lags predict almost wholly, by whatever function.
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.automatic.lags.judging import on_grid
from gpforecast.common.types import FloatArray
from gpforecast.series.embedding import LagEmbedding

_NOISELESS = 1e-2  # of the variance of the steps
_LAGS = 8
_ROWS = 300  # the newest, on which noise is looked for
_NEAR_ZERO = 0.02  # of the largest value, or of the mean
_MOST_ZEROS = 0.2  # of the values; more are better taken for what they are


@dataclass(frozen=True)
class Growth:
    """What speaks for a warp.

    Attributes
    ----------
    why : str
        Empty if nothing does.
    gain : float
        How many times smaller the CRPS of a trial must be with the warp than without it. Below 1,
        the warp is trusted unless a trial without it is that much better.
    against : str
        Why what the likelihood says does not count, if it does not.
    """

    why: str = ""
    gain: float = 1.0
    against: str = ""


def grows(y: FloatArray, period: int | None) -> Growth:
    """Say why the spread of positive values grows with the level, and what a trial must gain.

    What is seen clearly, season by season, is trusted, unless forecasts are worse by half: the
    parts of a trial have little of the growth. Otherwise they must be better by a tenth or, where
    only the likelihood speaks, which a few large values may have decided, by a quarter; if it
    speaks loudly, it is trusted unless they are worse by a fifth.
    """
    if y.min() <= 0:
        return Growth()
    if period is not None and len(y) >= 4 * period:
        slope, error, ratio = _spread_by_level(y, period)
        if ratio > 1.5 and slope - 2 * error > 0.3:
            sure = ratio > 2.0 and slope - 4 * error > 0.3
            why = (
                f"the spread within a season grows as the {slope:.2g} ± {error:.1g}th power of "
                f"its level (Guerrero)"
            )
            return Growth(why, 1 / 1.5 if sure else 1.1)
        if slope + 2 * error < 0.5 or ratio < 1.5:
            return Growth()
    gain = _gain(y, period, 0.0)
    if gain <= max(10.0, 0.1 * len(y)) or y.max() <= 4 * y.min():
        return Growth()
    why = f"an autoregression of the logarithm is more likely by {gain:.0f} nats"
    return _believed(Growth(why, 1 / 1.2 if gain > 0.5 * len(y) else 1.25), np.log(y))


def roots(y: FloatArray, period: int | None) -> Growth:
    """Say why the square root suits a series that comes down to zero."""
    if y.min() < 0 or y.min() > _NEAR_ZERO * y.max() or np.mean(y == 0) > _MOST_ZEROS:
        return Growth()
    gain = _gain(y + _NEAR_ZERO * y.mean(), period, 0.5)
    if gain <= max(10.0, 0.1 * len(y)):
        return Growth()
    why = (
        f"it comes down to zero, and an autoregression of the square root is more likely by "
        f"{gain:.0f} nats"
    )
    return _believed(Growth(why), np.sqrt(y))


def _believed(growth: Growth, z: FloatArray) -> Growth:
    """Return what the likelihood says, unless the warped series has no noise to speak of."""
    noise = noise_left(z)
    if noise >= _NOISELESS:
        return growth
    against = (
        f"{growth.why}, but a few lags leave {noise:.1g} of the variance of its steps: no noise"
    )
    return Growth(against=against)


def noise_left(z: FloatArray) -> float:
    """Return the noise that a Gaussian process of a few lags finds, over the variance of the steps.

    About 1/2 for noise, 1 for a random walk, like `unexplained`, but 1e-3 for a chaotic map too,
    which no linear function predicts. 42 Cholesky factorisations of at most 300 rows.
    """
    z = z[-_ROWS - _LAGS :]
    lags = min(_LAGS, len(z) // 8)
    scale, steps = float(z.std()), float(np.diff(z).var())
    if lags == 0 or scale == 0:
        return 1.0
    rows = LagEmbedding(list(range(1, lags + 1))).transform((z - z.mean()) / scale)
    return on_grid(rows.X, rows.y).noise_var * scale**2 / steps


def _spread_by_level(y: FloatArray, period: int) -> tuple[float, float, float]:
    """Regress log spread on log level, season by season: slope, its error, range of levels."""
    blocks = y[len(y) % period :].reshape(-1, period)
    level = blocks.mean(axis=1)
    spread = np.diff(blocks, axis=1).std(axis=1)
    ok = spread > 0
    ratio = float(level.max() / level.min())
    if ok.sum() < 4 or ratio < 1.01:
        return 0.0, 0.0, ratio
    x, z = np.log(level[ok]), np.log(spread[ok])
    x = x - x.mean()
    slope = float(x @ z / (x @ x))
    residual = z - z.mean() - slope * x
    error = float(np.sqrt(residual @ residual / (len(x) - 2) / (x @ x)))
    return slope, error, ratio


def _gain(y: FloatArray, period: int | None, power: float) -> float:
    """Return how much more likely an autoregression of a power of y makes y than one of y itself.

    In nats; the power 0 stands for the logarithm.
    """
    n = len(y)
    lags = list(range(1, min(8, n // 8) + 1))
    if period is not None and period + 1 < n // 3:
        lags = sorted({*lags, period - 1, period, period + 1} - {0})

    def log_likelihood(z: FloatArray) -> float:
        p = max(lags)
        X = np.column_stack([np.ones(n - p), *(z[p - j : n - j] for j in lags)])
        residual = z[p:] - X @ np.linalg.lstsq(X, z[p:], rcond=None)[0]
        return -0.5 * (n - p) * float(np.log(max(residual.var(), 1e-300)))

    z = np.log(y) if power == 0.0 else y**power / power
    slope = (power - 1.0) * np.log(y[max(lags) :])  # log dz/dy
    return log_likelihood(z) + float(slope.sum()) - log_likelihood(y)
