"""Trends, cycles and calendar effects that are functions of time, and how sure they are."""

from dataclasses import dataclass, fields
from typing import TypeAlias

import numpy as np

from gpforecast.common.kinds import are_dates, has_dates
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted, is_number, positive_integer, shown
from gpforecast.numerics.linear_algebra import blocks, condensed, square_root
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable
from gpforecast.transforms.base import OfTimes
from gpforecast.transforms.regression import carried, regressed
from gpforecast.transforms.split import AtTimes, Split

CalendarTerm: TypeAlias = tuple[str, int | str]

MOST_PAIRS = 6  # of a sine and a cosine, for a season whose steps have no means of their own
_ROUNDING = 1e-9  # singular values below this part of the largest are rounding


@storable
@dataclass(frozen=True, repr=False)
class Deterministic(OfTimes["FittedDeterministic"]):
    r"""Subtract a function of time alone: z = y - D theta.

    D holds a constant, powers of time, sines and cosines of a period, and calendar terms. theta
    is found by generalised least squares with autoregressive errors of up to four lags, at the
    times of the known values, so that its covariance V holds where the residuals are
    autocorrelated, as those of a series are. A forecast of y(t+h) depends on theta through

        d(h) = D(t+h) - (the autoregression's forecast of D's own columns, from D(t), D(t-1), ...)

    because the residuals it starts from were taken with the same theta. The covariance gains
    d V d', and sample paths gain draws of theta.

    Combinations of terms that the known values do not identify (the twelve months with sines and
    cosines of a year; a month that is missing in every year) are left out of theta and are as
    uncertain as the series is spread. That affects a forecast only where they differ. The
    autoregression is kept stationary, its roots at most 0.999.

    Parameters
    ----------
    trend : int
        The degree of the polynomial in time: 0 a constant, 1 a line.
    fourier : int
        How many pairs of sine and cosine, of period, period/2, period/3, ...
    period : float or None
        Steps in a season, for `fourier`; need not be whole (365.25/7 for weeks of a year).
    calendar : sequence of (str, int) or (str, str)
        A pair of a pandas frequency and a number is statsmodels' ``CalendarFourier``: sines and
        cosines over that calendar unit, such as ``("YE", 2)``. A pair of frequencies is its
        ``CalendarSeasonality``: a level for each, such as ``("D", "W")`` for days of a week. These
        need an index of dates or periods.

    Raises
    ------
    ValueError
        If a number is out of its range.
    TypeError
        On fitting, if there are calendar terms but the index has no calendar.

    References
    ----------
    Goldberger (1962), "Best linear unbiased prediction in the generalized linear regression
    model", eq. 3.12: the variance of a forecast with autocorrelated errors. Harville (1977),
    "Maximum likelihood approaches to variance component estimation": the restricted likelihood.

    Notes
    -----
    The autoregression is that of largest restricted likelihood. Fitting costs O(n p^2) for p
    columns, some ten times; undoing O(horizon^2 p) for each origin.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> t = np.arange(50.0)
    >>> line = gf.transforms.Deterministic(trend=1).fit(3.0 + 0.5 * t)
    >>> bool(np.abs(line.transform(3.0 + 0.5 * t)).max() < 1e-10)
    True
    """

    trend: int = 1
    fourier: int = 0
    period: float | None = None
    calendar: tuple[CalendarTerm, ...] = ()

    def __repr__(self) -> str:
        """Return the call that makes it, without terms that it does not have."""
        named = ((f.name, vars(self)[f.name]) for f in fields(self))
        terms = (f"{name}={value!r}" for name, value in named if value or name == "trend")
        return f"{type(self).__name__}({', '.join(terms)})"

    def __post_init__(self) -> None:
        positive_integer(self.trend, "trend", least=0)
        positive_integer(self.fourier, "fourier", least=0)
        if self.fourier and not (is_number(self.period) and self.period >= 2 * self.fourier):
            raise ValueError(
                f"period must be a number of at least 2 * fourier ({2 * self.fourier}): a season "
                f"of that many steps has no more harmonics; got {shown(self.period)}."
            )
        if any(np.shape(t) != (2,) or not isinstance(t[0], str) for t in self.calendar):
            raise ValueError(
                f"calendar must hold pairs such as ('YE', 2) or ('D', 'W'); got {self.calendar!r}."
            )
        object.__setattr__(self, "calendar", tuple(tuple(term) for term in self.calendar))

    def fit_at(self, values: FloatArray, times: TimeAxis) -> "FittedDeterministic":
        """Find theta and its covariance from values (n,) that have been checked."""
        known = ~np.isnan(values)
        n, n_known = len(values), int(known.sum())
        self._check_number(n_known, self.trend + 1 + self.n_fourier)  # before they are made
        D = self.design(times, float(n))
        self._check_number(n_known, D.shape[1])
        basis, unknown = _identified(D if known.all() else D[known])
        D = D @ basis  # the memory of what it was is free again
        beta, C, rho = regressed(values, D)
        lost = float(values[known].std()) * unknown
        V = basis @ C @ basis.T + lost @ lost.T
        return FittedDeterministic(self, basis @ beta, V, rho, float(n), times.head)

    def _check_number(self, n_known: int, n_terms: int) -> None:
        """Refuse more terms than values can show."""
        if n_known < n_terms + 2:
            raise ValueError(
                f"series has {counted(n_known, 'value')} but {shown(self)} needs at least "
                f"{shown(n_terms + 2)} ({shown(n_terms)} terms and 2 for the error); pass a longer "
                f"series or fewer terms."
            )

    @property
    def n_fourier(self) -> int:
        """How many columns of sines and cosines of the period there are."""
        return 2 * self.fourier - (self.fourier > 0 and 2 * self.fourier == self.period)

    @property
    def n_steps(self) -> int:
        """How many of the last columns are steps of the level."""
        return 0

    def design(self, times: TimeAxis, length: float) -> FloatArray:
        """Return the columns of D at the times, (n, p); time is measured in units of `length`."""
        t, period = times.positions, self.period or np.inf
        columns = [(t / length) ** k for k in range(self.trend + 1)]
        for k in range(1, self.fourier + 1):
            angle = 2.0 * np.pi * k * t / period
            columns.append(np.cos(angle))
            if 2 * k != period:  # at half the period the sine is 0 at every step
                columns.append(np.sin(angle))
        return np.column_stack([*columns, *(_calendar_columns(c, times) for c in self.calendar)])


@storable
@dataclass(frozen=True, eq=False)
class FittedDeterministic(AtTimes):
    """Deterministic terms with their coefficients.

    Attributes
    ----------
    terms : Deterministic
    theta : ndarray (p,)
    V : ndarray (p, p)
        Covariance of theta's error.
    rho : ndarray (r,)
        Autoregression of the residuals.
    length : float
        The unit of time, in steps.
    axis : TimeAxis
        The first times of the fitted series.
    """

    terms: Deterministic
    theta: FloatArray
    V: FloatArray
    rho: FloatArray
    length: float
    axis: TimeAxis

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return values - D theta, (n,)."""
        parts = (times.part(begin, end) for begin, end in blocks(len(values)))
        each = [self.terms.design(part, self.length) @ self.theta for part in parts]
        return values - np.concatenate(each)

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution of z + D theta, with theta uncertain."""
        horizon, begin = z.mean.shape[1], max(int(ends.min()) - len(self.rho), 0)
        near, ends = times.part(begin, int(ends.max()) + horizon), ends - begin
        D = self.terms.design(near, self.length)  # (steps of it, p)
        ahead = D[ends[:, None] + np.arange(horizon)]  # (b, h, p)
        back = np.maximum(ends[:, None] + np.arange(-len(self.rho), 0), 0)
        d = ahead - carried(D[back], self.rho, horizon)
        return z.scaled(1.0, ahead @ self.theta).plus_noise(d @ square_root(self.V), seed=1962)

    def split(self, found: Split, end: int, times: TimeAxis) -> Split:
        """Return trend and season with the polynomial and steps in one, the rest in the other.

        What calendar terms have of a level, over the times before, belongs to the trend.
        """
        n, terms = len(found.trend), self.terms
        D = terms.design(times, self.length)[: end + n]
        cycles = np.zeros(D.shape[1], dtype=bool)
        cycles[terms.trend + 1 : D.shape[1] - terms.n_steps] = True
        calendar = cycles.copy()
        calendar[: terms.trend + 1 + terms.n_fourier] = False
        season, trend = D[end:] * cycles, D[end:] * ~cycles
        level = D[:end].mean(axis=0) * calendar
        root = square_root(self.V)
        season, trend = season - level, trend + level
        own = Split(trend @ self.theta, season @ self.theta, trend @ root, season @ root)
        return found.plus(own)


@storable
@dataclass(frozen=True, repr=False)
class LevelShifts(Deterministic):
    """Subtract steps of the level at known positions, and other functions of time.

    Their sizes are coefficients of `Deterministic`, found together with the others; a forecast is
    of the newest level, and includes what is not known of it.

    Parameters
    ----------
    trend : int
        The degree of the polynomial in time.
    fourier, period, calendar
        As for `Deterministic`.
    at : sequence of int
        Positions, counted from the first value of the fitted series, from which on the level is
        another.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> y = np.r_[np.zeros(40), np.full(40, 3.0)]
    >>> flat = gf.transforms.LevelShifts(at=[40]).fit(y).transform(y)
    >>> bool(np.ptp(flat) < 1e-9)
    True
    """

    trend: int = 0
    at: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        for place in self.at:
            positive_integer(place, "at")
        object.__setattr__(self, "at", tuple(int(place) for place in self.at))

    @property
    def n_steps(self) -> int:
        """How many of the last columns are steps of the level."""
        return len(self.at)

    def design(self, times: TimeAxis, length: float) -> FloatArray:
        """Return the columns of D at the times, (n, p): those of `Deterministic`, then steps."""
        steps = times.positions[:, None] >= np.array(self.at, dtype=np.float64)
        return np.hstack([super().design(times, length), steps.astype(np.float64)])


def _identified(D: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return which combinations of terms the rows of D identify, and which they do not.

    Returns
    -------
    ndarray (p, r)
        Combinations of terms that make D's columns orthonormal.
    ndarray (p, p - r)
        Combinations whose column vanishes; each moves the terms by 1 where terms are of size 1.
    """
    size = np.sqrt(np.einsum("np,np->p", D, D) / len(D))
    size = np.where(size > 0, size, 1.0)
    few = condensed(len(D), lambda begin, end: D[begin:end] / size)
    _, s, Vt = np.linalg.svd(np.linalg.qr(few, mode="r"))
    known = s > _ROUNDING * s[0]
    directions = Vt.T / size[:, None]
    return directions[:, known] / s[known], directions[:, ~known]


def _calendar_columns(term: CalendarTerm, times: TimeAxis) -> FloatArray:
    from statsmodels.tsa.deterministic import CalendarFourier, CalendarSeasonality

    index = times.index
    if not has_dates(index):
        raise TypeError(
            f"calendar terms need a series on an index of dates or periods; got "
            f"{type(index).__name__}. Use fourier= and period= instead."
        )
    if are_dates(index):
        index = index.tz_localize(None)
    freq, what = term
    if isinstance(what, str):
        # The constant stands for the first level.
        return np.asarray(CalendarSeasonality(freq, what).in_sample(index))[:, 1:]
    return np.asarray(CalendarFourier(freq, int(what)).in_sample(index))
