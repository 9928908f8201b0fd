"""Logarithm and Box-Cox: functions of single values that make spread independent of level."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from gpforecast.common.parameters import check_parameters, number, parameter
from gpforecast.common.types import ArrayLike, FloatArray, SeriesLike
from gpforecast.common.validation import array_without_infinities, counted
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
