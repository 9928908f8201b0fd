"""Whether the spread of a series grows with its level, as a logarithm or a root would undo.

With a season it can be seen: swings within a season are larger in seasons of a higher level
(Guerrero). Without one there is only the likelihood of a linear autoregression, for which all that
it cannot explain is noise. Chaotic series without noise mislead it, because their swings are
steeper where they are larger. So it does not count where a few lags predict a series almost wholly,
by whatever function.
"""

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import left_by
from gpforecast.automatic.judge import noise_left
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import per_cent
from gpforecast.propagation.propagated import Propagated
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Log

NO_WARP = Decision(np.inf)  # where nothing speaks for a warp


def margin_for_logarithm(y: FloatArray, period: int | None) -> Decision[float]:
    """Return how many times better forecasts of positive values must be with a logarithm.

    Below 1, the logarithm is taken unless forecasts without it are better by the reciprocal; inf,
    if it is not to be tried. Growth that is seen clearly, season by season, has the smallest.
    """
    if period is not None and len(y) >= th.GUERRERO_SEASONS * period:
        slope, error, ratio = _spread_by_level(y, period)
        if ratio > th.GUERRERO_LEVELS and slope - 2 * error > th.GUERRERO_SLOPE:
            sure = ratio > th.GUERRERO_LEVELS_SURE and slope - 4 * error > th.GUERRERO_SLOPE
            why = (
                f"the swings within a season grow with its level, as the level to the power "
                f"{slope:.2g} ± {error:.1g}"
            )
            return Decision(th.LOG_MARGIN_SURE if sure else th.LOG_MARGIN_SEEN, why)
        if slope + 2 * error < th.GUERRERO_SLOPE_OF_A_ROOT or ratio < th.GUERRERO_LEVELS:
            return NO_WARP
    if y.max() <= th.LOG_LEVELS * y.min():
        return NO_WARP
    gain = _gain(y, period, 0.0)
    loud = gain > th.LIKELIHOOD_LOUD * len(y)
    margin = th.LOG_MARGIN_LOUD if loud else th.LOG_MARGIN_LIKELIHOOD
    return _by_likelihood(margin, gain, np.log(y), "a linear model of the logarithm")


def margin_for_root(y: FloatArray, period: int | None) -> Decision[float]:
    """Return 1 if a series that comes down to zero should have its square root taken, else inf."""
    near_zero = 0 <= y.min() <= th.NEAR_ZERO * y.max()
    if not near_zero or np.mean(y == 0) > th.MOST_ZEROS:
        return NO_WARP
    gain = _gain(y + th.NEAR_ZERO * y.mean(), period, 0.5)
    share = per_cent(float(y.min() / y.max()))
    comes = f"comes close to zero, as its smallest value is {share} of its largest"
    comes = comes if y.min() > 0 else "comes down to zero"
    what = f"the series {comes}, and a linear model of its square root"
    return _by_likelihood(1.0, gain, np.sqrt(y), what)


def hopeless(y: FloatArray, transforms: Compose) -> str:
    """Say that forecasts of a logarithm from the last value would mean nothing; empty if not.

    What is left of the logarithm counts as noise: one last value that is many times all others
    makes it large, and trials have not seen it.
    """
    if Log() not in transforms.steps:
        return ""
    n, h = len(y), th.TRIAL_STEPS
    times = TimeAxis.rows(n)
    chain = transforms.fit_at(y, times)
    levels = chain.levels(y, times)
    noise = float(np.nanvar(levels[-1][chain.n_lost :]))
    ahead = Propagated(np.zeros((1, h)), noise * np.eye(h)[None], np.zeros((1, h)))
    found = chain.undo(ahead, levels, np.array([n]), TimeAxis.rows(n + h))
    std = float(np.sqrt(found.covariance[0, -1, -1]))
    if std <= th.LOG_HOPELESS:
        return ""
    return (
        f"no logarithm: its changes up to the last value are so large that forecasts of {h} steps "
        f"would mean nothing (standard deviation {std:.2g})"
    )


def _by_likelihood(margin: float, gain: float, z: FloatArray, what: str) -> Decision[float]:
    """Return the margin if the gain of likelihood is large and the warped series has noise."""
    if gain <= max(th.LIKELIHOOD_GAIN, th.LIKELIHOOD_GAIN_A_VALUE * len(z)):
        return NO_WARP
    why = f"{what} fits better (AIC lower by {2 * gain:.0f})"
    noise = noise_left(z)
    if noise < th.NOISELESS:
        why += (
            f", but that says little, as a few past values predict all but {100 * noise:.1g} % of "
            f"the variance of its steps"
        )
        return Decision(np.inf, why)
    return Decision(margin, why)


def _spread_by_level(y: FloatArray, period: int) -> tuple[float, float, float]:
    """Regress log spread on log level, season by season: slope, its error, range of levels."""
    blocks = y[len(y) % period :].reshape(-1, period)
    level = blocks.mean(axis=1)
    spread = np.diff(blocks, axis=1).std(axis=1)
    ok = spread > 0
    ratio = float(level.max() / level.min())
    if ok.sum() < th.GUERRERO_SEASONS or ratio < th.GUERRERO_LEVELS:
        return 0.0, 0.0, ratio
    line = scipy.stats.linregress(np.log(level[ok]), np.log(spread[ok]))
    return float(line.slope), float(line.stderr), ratio


def _gain(y: FloatArray, period: int | None, power: float) -> float:
    """Return how much more likely an autoregression of a power of y makes y than one of y itself.

    In nats; the power 0 stands for the logarithm.
    """
    n = len(y)
    lags = list(range(1, min(th.NOISE_LAGS, n // 8) + 1))
    if period is not None and period + 1 < n // 3:
        lags = sorted({*lags, period - 1, period, period + 1} - {0})

    def log_likelihood(z: FloatArray) -> float:
        rows = n - lags[-1]
        return -0.5 * rows * float(np.log(max(left_by(z, lags) / rows, 1e-300)))

    z = np.log(y) if power == 0.0 else y**power / power
    slope = (power - 1.0) * np.log(y[lags[-1] :])  # log dz/dy
    return log_likelihood(z) + float(slope.sum()) - log_likelihood(y)
