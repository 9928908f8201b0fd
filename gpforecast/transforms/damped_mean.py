"""The mean of a series, shrunk by a prior and fading along a forecast."""

from dataclasses import dataclass, fields

import numpy as np

from gpforecast.common.parameters import POSITIVE, check_parameters, number, parameter
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted, is_integer
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.base import OfTimes
from gpforecast.transforms.split import AtTimes, Split

_ROUNDING = 1e-9  # of the mean; values that spread less are all the same, and their mean is known
_SEASON = number("an integer from 2 up", lambda v: is_integer(v) and v >= 2)
_MOST_CORRELATED = 0.8  # neighbours, as far as it counts for the error of a mean


@storable
@dataclass(frozen=True, repr=False)
class DampedMean(OfTimes["FittedDampedMean"]):
    r"""Subtract the mean of each season, and let what is left of the mean fade in a forecast.

    After `Difference` the mean is a slope, so that this is a damped trend: of differences
    :math:`z = \Delta y` the forecast is

    .. math:: z(t+k) = b\,\phi^k + s(t+k) + e(t+k),

    with b the mean of the newest differences, s the deviation of each season from it, and e what
    the model forecasts of the rest. Both are shrunk to zero: b by a prior, s by the share of the
    variance between seasons that chance explains. What remains uncertain of b and s is part of the
    forecast.

    Parameters
    ----------
    damping : float
        :math:`\phi`, by which the mean fades with each step ahead; 1 keeps it.
    period : int or None
        Steps in a season, at least 2; None for one mean.
    halflife : float or None
        Steps over which a value's weight in b is halved; None for the same weight for all.
    prior : float or None
        Standard deviation of b's prior, in those of single values. None for no prior, as a level
        needs: only a slope is as likely negative as positive.

    Raises
    ------
    ValueError
        If a number is out of its range.

    References
    ----------
    Gardner and McKenzie (1985), "Forecasting trends in time series", Management Science 31,
    1237-1246 (damped trends); Miller and Williams (2003), "Shrinkage estimators of time series
    seasonal factors and their effect on forecasting accuracy", International Journal of
    Forecasting 19, 669-684 (of James and Stein).

    Examples
    --------
    >>> import gpforecast as gf
    >>> from gpforecast.transforms import Compose, DampedMean, Difference
    >>> y = [1.0, 2.1, 2.9, 4.0, 5.2, 6.0, 6.9, 8.1]
    >>> slope = Compose(Difference(), DampedMean(0.9))
    >>> fc = gf.Forecaster(lags=1, transforms=slope).fit(y)
    >>> fc.predict(3).mean.round(1).tolist()
    [8.9, 9.6, 10.3]
    """

    damping: float = parameter(1.0, number("a number from 0 to 1", lambda v: 0 <= v <= 1))
    period: int | None = parameter(None, _SEASON.or_none())
    halflife: float | None = parameter(None, POSITIVE.or_none())
    prior: float | None = parameter(1.0, POSITIVE.or_none())

    def __repr__(self) -> str:
        """Return the call that makes it, with what differs from the defaults."""
        named = {
            f.name: vars(self)[f.name] for f in fields(self) if f.default != vars(self)[f.name]
        }
        terms = (f"{name}={value!r}" for name, value in named.items() if name != "damping")
        return f"DampedMean({', '.join([f'{self.damping:.3g}', *terms])})"

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit_at(self, values: FloatArray, times: TimeAxis) -> "FittedDampedMean":
        """Find the means and how sure they are from values (n,) that have been checked."""
        known = ~np.isnan(values)
        if known.sum() < 2:
            raise ValueError(
                f"series has {counted(int(known.sum()), 'value')} but {self!r} needs at least 2; "
                f"pass a longer series or leave the transform out."
            )
        mean = float(values[known].mean())
        off, place = values[known] - mean, times.phases(self.period or 1)[: len(values)][known]
        season, season_var = self._season(off, place)
        off = off - season[place]
        at = np.flatnonzero(known)
        age = (at[-1] - at).astype(np.float64)
        weights = np.ones(len(age)) if self.halflife is None else 0.5 ** (age / self.halflife)
        weights /= weights.sum()
        variance, late = float(off.var()), mean + float(weights @ off)
        error = _inflation(off) * float(weights @ weights)  # of the mean, in variances of a value
        kept = 1.0
        if self.prior is not None and variance > (_ROUNDING * mean) ** 2:
            kept = 1.0 / (1.0 + error / self.prior**2)
        b_var = kept * error * variance
        return FittedDampedMean(self, mean, season, season_var, kept * late, b_var, times.head)

    def _season(self, off: FloatArray, place: IntArray) -> tuple[FloatArray, float]:
        """Return deviations of the seasons from the mean, (period,), and their error's variance."""
        m = self.period or 1
        count = np.bincount(place, minlength=m)
        has = count > 0  # no value is known of closed times
        if m == 1 or (count[has] < 2).any():  # one value does not tell a season from chance
            return np.zeros(m), 0.0
        season = np.bincount(place, off, minlength=m) / np.maximum(count, 1)
        season = np.where(has, season - season[has].mean(), 0.0)
        rest = off - season[place]
        error = float(rest @ rest) / max(len(off) - int(has.sum()), 1) / float(count[has].mean())
        between = max(float(season[has].var()) - error, 0.0)
        kept = between / (between + error) if between > 0.0 else 0.0
        return kept * season, kept * error


@storable
@dataclass(frozen=True, eq=False)
class FittedDampedMean(AtTimes):
    """The means of a series, subtracted and added again.

    Attributes
    ----------
    spec : DampedMean
    mean : float
        Of the known values: what is taken from them.
    season : ndarray (period,)
        Deviations from it.
    season_var : float
        Variance of their error.
    ahead : float
        The mean from which a forecast starts to fade.
    ahead_var : float
        Variance of its error.
    axis : TimeAxis
        The first times of the fitted series.
    """

    spec: DampedMean
    mean: float
    season: FloatArray
    season_var: float
    ahead: float
    ahead_var: float
    axis: TimeAxis

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return values less their means, (n,)."""
        place = times.phases(len(self.season))[: len(values)]
        return values - self.mean - self.season[place]

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution of z and its means, these uncertain too."""
        trend, season, trend_root, season_root = self._ahead(ends, z.mean.shape[1], times)
        return z.scaled(1.0, trend + season).plus_noise(trend_root + season_root, seed=1985)

    def split(self, found: Split, end: int, times: TimeAxis) -> Split:
        """Return trend and season with the mean that fades and the seasons from `end` on."""
        trend, *ahead = self._ahead(np.array([end]), len(found.trend), times)
        return found.plus(Split(trend, *(each[0] for each in ahead)))

    def _ahead(self, ends: IntArray, n: int, times: TimeAxis) -> tuple[FloatArray, ...]:
        """Return the mean that fades (n,), seasons (b, n) and the roots of their errors."""
        m, fading = len(self.season), self.spec.damping ** np.arange(1, n + 1)
        place = times.phases(m)[ends[:, None] + np.arange(n)]  # (b, n)
        trend_root, season_root = np.zeros((2, *place.shape, m + 1))
        trend_root[:, :, m] = np.sqrt(self.ahead_var) * fading
        if m > 1:  # deviations sum to zero
            season_root[:, :, :m] = np.sqrt(self.season_var) * (np.eye(m) - 1.0 / m)[place]
        trend = np.asarray(self.ahead * fading, dtype=np.float64)
        return trend, self.season[place], trend_root, season_root


def _inflation(off: FloatArray) -> float:
    """Return by how much neighbours that resemble each other widen the error of a mean."""
    total = float(off @ off)
    r = float(off[1:] @ off[:-1]) / total if total > 0.0 else 0.0
    r = float(np.clip(r, 0.0, _MOST_CORRELATED))
    return (1.0 + r) / (1.0 - r)
