"""Functions of single values: logarithm, Box-Cox, and one that is learned from the series."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from gpforecast.common.parameters import check_parameters, number, parameter
from gpforecast.common.types import ArrayLike, FloatArray, IntArray, SeriesLike
from gpforecast.common.validation import array_without_infinities, counted, positive_integer
from gpforecast.models.evidence import evenly_spaced
from gpforecast.models.tanh_warp import TanhWarp
from gpforecast.models.warped_evidence import censored_at, learned_from_series
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.scaling import location_and_scale
from gpforecast.storage import storable

_LAMBDA = number("a number from 0 to 2", lambda v: 0 <= v <= 2)


class _Power:
    """z = ((y/u)^lambda - 1) / lambda, or log(y/u) where lambda is 0."""

    lmbda: float
    unit: float
    lowest: ClassVar[float] = 0.0
    _name: ClassVar[str] = "a Box-Cox transform"

    @property
    def lowest_warped(self) -> float:
        """Z of y = 0: below it, lambda z + 1 would be negative and have no root."""
        return -1.0 / self.lmbda if self.lmbda > 0 else -np.inf

    def check(self, values: FloatArray, name: str) -> None:
        """Refuse values that are not positive, but zero where lambda is."""
        zero = self.lmbda > 0
        bad = values < 0 if zero else values <= 0
        if bad.any():
            first = int(np.argmax(bad))
            least, range_ = ("0 or more", "less than 0") if zero else ("positive", "0 or less")
            raise ValueError(
                f"{name} must be {least} to have {self._name}; got "
                f"{counted(int(bad.sum()), 'value')} of {range_}, the first at position {first} "
                f"({float(values[first])!r}). Add a constant first, or leave the transform out."
            )

    def forward(self, values: ArrayLike) -> FloatArray:
        """Return z; NaN stays NaN, and what is negative becomes -inf."""
        y = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", over="ignore"):
            z = np.log(np.where(y < 0, 0.0, y) / self.unit)  # NaN compares as False and stays
            if self.lmbda:
                z = np.expm1(self.lmbda * z) / self.lmbda  # exact as lambda goes to 0
        return np.where(y < 0, -np.inf, z)

    def backward(self, warped: ArrayLike) -> FloatArray:
        """Return y, inf where that is too large for a number; below the edge, 0."""
        z = np.asarray(warped, dtype=np.float64)
        with np.errstate(over="ignore", divide="ignore"):
            if self.lmbda:
                z = np.log1p(np.maximum(self.lmbda * z, -1.0)) / self.lmbda
            y: FloatArray = np.exp(z)
            y *= self.unit
        return y

    def log_gradient(self, values: ArrayLike) -> FloatArray:
        """Return log dz/dy = (lambda - 1) log(y/u) - log(u); -inf where there is no density."""
        y = np.asarray(values, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (self.lmbda - 1.0) * np.log(y / self.unit)
            slope -= np.log(self.unit)
        return np.where(y <= 0, -np.inf, slope)


@storable
@dataclass(frozen=True)
class Log(_Power):
    """Take logarithms, z = log(y), where the spread of a series grows with its level.

    A Gaussian forecast of z makes y log-normal: never negative, skewed upwards, its mean above
    its median.

    Raises
    ------
    ValueError
        On fitting, if a value is not positive.

    Examples
    --------
    >>> import gpforecast as gf
    >>> log = gf.transforms.Log().fit([1.0, 10.0])
    >>> log.backward(log.forward([1.0, 10.0])).round(12)
    array([ 1., 10.])
    """

    lmbda: ClassVar[float] = 0.0  # type: ignore[misc]
    unit: ClassVar[float] = 1.0  # type: ignore[misc]
    _name: ClassVar[str] = "a logarithm"

    def fit(self, series: SeriesLike) -> "Log":
        """Check that the series is positive; there is nothing to learn."""
        self.check(array_without_infinities(series, "series", ndim=1), "series")
        return self


@dataclass(frozen=True)
class Identity:
    """The warp that leaves values as they are, where something else than a warp shapes them."""

    lowest: ClassVar[float] = -np.inf
    lowest_warped: ClassVar[float] = -np.inf

    def check(self, values: FloatArray, name: str) -> None:
        """Take every value."""

    def forward(self, values: FloatArray) -> FloatArray:
        """Return y."""
        return values

    def backward(self, warped: FloatArray) -> FloatArray:
        """Return z."""
        return warped

    def log_gradient(self, values: FloatArray) -> FloatArray:
        """Return log dz/dy = 0."""
        return np.zeros_like(values)


@storable
@dataclass(frozen=True)
class BoxCox:
    r"""Take a power, z = ((y/u)^lambda - 1) / lambda, or the logarithm where lambda is 0.

    The unit u is the geometric mean of the positive values of the series it is fitted to, so that
    the units of the series matter to nothing.

    Parameters
    ----------
    lmbda : float or None
        From 0 (the logarithm) to 2; 1 only shifts. ``None`` takes the most likely one between 0
        and 1 if the series were Gaussian noise around a constant (`scipy.stats.boxcox_llf`).
        A negative one is refused: the forecast would have no finite mean.

    Raises
    ------
    ValueError
        If `lmbda` is out of its range; on fitting, if a value is negative, or is 0 and `lmbda` is
        0 or is to be found.

    References
    ----------
    Box and Cox (1964), "An analysis of transformations", eq. 1.

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.transforms.BoxCox(0.5).fit([1.0, 16.0]).forward([1.0, 4.0, 16.0])
    array([-1.,  0.,  2.])
    """

    lmbda: float | None = parameter(None, _LAMBDA.or_none())

    lowest: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        check_parameters(self)

    def fit(self, series: SeriesLike) -> "FittedBoxCox":
        """Return the transform with its lambda, found if it was not given."""
        y = array_without_infinities(series, "series", ndim=1)
        positive = y[y > 0]  # leaves NaN out
        unit = float(np.exp(np.log(positive).mean())) if len(positive) else 1.0
        fitted = FittedBoxCox(float(self.lmbda or 0.0), unit)
        fitted.check(y, "series")
        if self.lmbda is not None:
            return fitted
        y = y[~np.isnan(y)]
        if len(y) < 2 or np.ptp(y) == 0:
            return FittedBoxCox(1.0, unit)
        found = scipy.optimize.minimize_scalar(
            lambda lmbda: -float(scipy.stats.boxcox_llf(lmbda, y / unit)),
            bounds=(0.0, 1.0),
            method="bounded",
        )
        return FittedBoxCox(float(found.x), unit)


@storable
@dataclass(frozen=True)
class FittedBoxCox(_Power):
    """A Box-Cox transform whose lambda is known.

    Attributes
    ----------
    lmbda : float
    unit : float
        What y is divided by first, in the units of the series.
    """

    lmbda: float
    unit: float = 1.0


_FEWEST = 30  # rows; fewer tell nothing of a shape


@storable
@dataclass(frozen=True)
class LearnedWarp:
    r"""Learn the function of the values after which a series is most nearly Gaussian.

    .. math:: w(y) \propto y + \sum_{i=1}^I a_i \tanh(b_i (y + c_i)) + \text{constant}

    of the standardised series. It is learned with the hyperparameters of a Gaussian process of the
    warped value given its warped lags, by the evidence of the series, the Jacobian included.
    Forecasts are made as with any other warp: Gaussian in units of w, with quantiles that are
    images of theirs.

    Use it where neither logarithm nor power fits: values that crowd at both ends or at the upper
    one, negative values, peaks above a base. It is not among the candidates of
    ``transforms="auto"``.

    Parameters
    ----------
    n_tanh : int
        I.
    lags : int or sequence of int
        Of the process by which it is learned: an int stands for the lags from 1 on. Name that of a
        season, if there is one; the forecaster's lags can be others.
    n_rows : int
        At most so many rows of lags are learned from, evenly spaced.
    n_restarts : int
        Further searches from random starting points.
    two_slopes : bool
        Replace the line y by one with a slope on its left and another on its right, learned too.
    seed : int
        For the restarts.

    Raises
    ------
    ValueError
        If a number is out of its range; on fitting, if more than a twentieth of the values are
        equal to the lowest or highest one. Such values look censored, and a warp that is learned
        would push them away from all others.

    Notes
    -----
    A series with fewer than 30 rows, or a constant one, has a straight line for its warp. A search
    takes some fifty evaluations of O(n_rows^3) each: 0.2 s for 256 rows.

    On both sides of the steps the warp is a straight line; nothing is known there. A lower limit of
    the values is not kept: `Log` and `BoxCox` do so, or ``Forecaster(support=)``.

    References
    ----------
    Snelson (2007), chapter 5; its lags are warped too, by the slopes of the evidence in its inputs,
    Quinonero-Candela (2004), eq. (4.35).

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> z = np.sin(np.arange(120) / 3) + 0.1 * np.random.default_rng(0).standard_normal(120)
    >>> warp = gf.transforms.LearnedWarp(n_tanh=2).fit(np.cbrt(z))
    >>> bool(np.corrcoef(warp.forward(np.cbrt(z)), z)[0, 1] > 0.99)
    True
    """

    n_tanh: int = 3
    lags: int | Sequence[int] = 4
    n_rows: int = 256
    n_restarts: int = 0
    two_slopes: bool = False
    seed: int = 0

    lowest: ClassVar[float] = -np.inf

    def __post_init__(self) -> None:
        positive_integer(self.n_tanh, "n_tanh")
        positive_integer(self.n_rows, "n_rows", least=_FEWEST)
        object.__setattr__(self, "lags", LagEmbedding(self.lags).lags)

    def fit(self, series: SeriesLike) -> TanhWarp:
        """Return the warp of a series; NaN marks missing values.

        Parameters
        ----------
        series : Series or array-like (n,)

        Returns
        -------
        TanhWarp
        """
        y = array_without_infinities(series, "series", ndim=1)
        known = y[~np.isnan(y)]
        location, scale = location_and_scale(known) if len(known) else (0.0, 1.0)
        line = TanhWarp((), (), (), location, scale)
        places = self._rows(y)
        if len(places) < _FEWEST or np.ptp(known) <= 1e-12 * np.abs(known).max():
            return line
        if censored := censored_at(known):
            raise ValueError(
                f"series has no warp to be learned: {censored}. They look censored, and the warp "
                f"would push them away from all others; leave LearnedWarp out, or set support=."
            )
        used, inverse = np.unique(places, return_inverse=True)
        tanhs, _ = learned_from_series(
            (y[used] - location) / scale,
            inverse.reshape(places.shape),
            n_tanh=self.n_tanh, n_restarts=self.n_restarts, seed=self.seed,
            two_slopes=self.two_slopes,
        )  # fmt: skip
        return tanhs.standardised(known, location, scale)

    def _rows(self, y: FloatArray) -> IntArray:
        """Return where the target and the lags of each row are, (rows, d + 1)."""
        lags = np.array([0, *LagEmbedding(self.lags).lags_])
        places: IntArray = np.arange(int(lags.max()), len(y))[:, None] - lags
        places = places[~np.isnan(y[places]).any(axis=1)]
        return np.asarray(places[evenly_spaced(len(places), self.n_rows)])
