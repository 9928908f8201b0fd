"""The judge: all candidates forecast the same steps of a series' past, from the same origins."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast import scores
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import Candidate
from gpforecast.automatic.prior import InTrials
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.warnings import on_trial

_ORIGINS = 4
_STEPS = 300  # of a forecast, at most
_SHORT = 18  # of a short one
_WITHOUT_SEASON = 6  # the same where there is no season
_RAREST = 1e-4  # probability: nothing is less likely under a mixture
_AHEAD = 5  # horizons of a trial, within which a logarithm may not become too wide
_WIDEST_LOG = 1.5  # standard deviations of a logarithm, beyond which its mean means little


def horizon_of(n: int, period: int | None) -> int:
    """Return the steps of trial forecasts: a season and a half, at most a quarter of the values."""
    usual = _WITHOUT_SEASON if period is None else max(3 * period // 2, _WITHOUT_SEASON)
    return max(min(usual, _STEPS, n // 4), 1)


def origins_of(n: int, period: int | None, horizon: int) -> IntArray:
    """Return the origins of trial forecasts, (b,), in increasing order.

    The last is near the end, for what changed lately: the steps of its forecast that lie beyond are
    not judged. The first is a horizon before the end, or further, so that origins are half a short
    forecast apart.
    """
    short = min(horizon, _SHORT)
    most = max(min(_ORIGINS, 1 + 2 * (n // 3) // short), 1)
    far = max(horizon, short + (most - 1) * short // 2)
    least = th.SHORTEST + (0 if period is None else max(period - 2, 0))
    found = n - np.linspace(far, short, most).astype(int)
    found = found[found >= least]
    return found if len(found) else np.array([n - horizon])


@dataclass(frozen=True, eq=False)
class Scores:
    """Trial forecasts of candidates, all from the same origins.

    Attributes
    ----------
    crps, z : ndarray (c, b, h)
        CRPS in the units of the series, and standardised errors in those of the warp; NaN beyond
        the end of the series, and for a candidate that could not be tried.
    """

    crps: FloatArray
    z: FloatArray

    @property
    def mean(self) -> FloatArray:
        """The mean CRPS of each candidate, (c,); inf where there is none."""
        return _mean(self.crps)[0]

    @property
    def n(self) -> float:
        """How many values each candidate forecast."""
        return float(_mean(self.crps)[1].max(initial=0.0))

    def of_mixture(self, weights: FloatArray) -> InTrials:
        """Return what the trials show of a mixture.

        Its error at a value is the normal quantile of the mixture's distribution function there.

        Parameters
        ----------
        weights : ndarray (c,)
            Their sum is 1.
        """
        w, z = weights[weights > 0.0], self.z[weights > 0.0]
        below = np.tensordot(w, scipy.special.ndtr(z), axes=1)
        error = scipy.special.ndtri(np.clip(below, _RAREST, 1.0 - _RAREST))
        apart = np.tensordot(w, (z - np.tensordot(w, z, axes=1)) ** 2, axes=1)
        (square, between), (count, _) = _mean(np.array([error**2, np.log1p(apart)]))
        if count == 0.0:
            square, between = 1.0, 0.0
        entropy = float(scipy.special.entr(w).sum())
        return InTrials(float(np.sqrt(square)), float(count), float(between), entropy)


def _mean(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means (c,) of what is known of x (c, b, h), and how much that is."""
    count, total = np.isfinite(x).sum(axis=(1, 2)).astype(float), np.nansum(x, axis=(1, 2))
    return np.divide(total, count, out=np.full(len(x), np.inf), where=count > 0.0), count


def judge(
    tried: Sequence[Candidate],
    y: FloatArray,
    origins: IntArray,
    horizon: int,
    *,
    truth: FloatArray | None = None,
    ahead: int = _AHEAD,
) -> Scores:
    """Forecast the past of a series by every candidate.

    Parameters
    ----------
    tried : sequence of Candidate
    y : ndarray (n,)
        Without gaps.
    origins : ndarray (b,)
    horizon : int
    truth : ndarray (n,), optional
        What forecasts are scored by, NaN where by nothing; y by default.
    ahead : int
        How many horizons from the end no forecast of a logarithm may become too wide; 0 for no
        such test.

    Notes
    -----
    Some 3 milliseconds an origin for an autoregression, 20 for a structural model, and up to two
    seconds for a process, whose lags are selected first.
    """
    truth = np.append(y if truth is None else truth, np.full(horizon, np.nan))
    truth = truth[origins[:, None] + np.arange(horizon)]
    crps, z = np.full((2, len(tried), *truth.shape), np.nan)
    for c, candidate in enumerate(tried):
        warp = candidate.warp
        try:
            with on_trial():
                mean, var = candidate.forecast(y, origins, horizon)
                if warp is not None and ahead and _is_wide(candidate, y, ahead * horizon):
                    continue
        except ValueError:  # too short for it, or a forecast that runs away
            continue
        var = np.maximum(var, np.finfo(np.float64).tiny)
        warped = truth if warp is None else warp.forward(truth)
        of = scores.crps if warp is None else scores.crps_log_normal
        crps[c], z[c] = of(truth, mean, var, axis=()), (warped - mean) / np.sqrt(var)
    return Scores(crps, z)


def _is_wide(candidate: Candidate, y: FloatArray, horizon: int) -> bool:
    """Return whether forecasts of a logarithm become so wide that their means mean little."""
    var = candidate.forecast(y, np.array([len(y)]), horizon)[1]
    return not var.max() < _WIDEST_LOG**2
