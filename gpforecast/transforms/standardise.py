"""Location and scale: what lets one set of hyperparameter bounds serve every series."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gpforecast.common.parameters import POSITIVE, number
from gpforecast.common.types import ArrayLike, FloatArray, IntArray
from gpforecast.common.validation import real_array
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.scaling import location_and_scale
from gpforecast.series.time_axis import TimeAxis
from gpforecast.storage import storable


@storable
@dataclass(frozen=True)
class Standardise:
    """Shift and scale a series to mean 0 and variance 1: z = (y - location) / scale.

    Parameters
    ----------
    location : float
        What is subtracted, in the units of the series.
    scale : float
        What the difference is divided by, positive, in the units of the series.

    Raises
    ------
    ValueError
        If `location` is not finite, or `scale` not finite and positive.

    Examples
    --------
    >>> z = Standardise(location=10.0, scale=2.0)
    >>> z.transform([10.0, 14.0])
    array([0., 2.])
    >>> z.inverse_mean([0.0, 2.0]), z.inverse_var([1.0])
    (array([10., 14.]), array([4.]))
    """

    location: float
    scale: float

    n_lost: ClassVar[int] = 0

    def __post_init__(self) -> None:
        number("a finite number", lambda _: True)(self.location, "location")
        POSITIVE(self.scale, "scale")

    @classmethod
    def fit(cls, values: ArrayLike) -> "Standardise":
        """Take location and scale from the mean and standard deviation (ddof=0) of values.

        A spread below 1e-13 of the largest magnitude is rounding, not information: such a series
        counts as constant. Its value stands in for the spread it lacks, so that its units disappear
        all the same: the scale is ``abs(value)``, or 1 where that is 0 or its square, in which
        variances are measured, would overflow or vanish.

        Parameters
        ----------
        values : array-like
            Finite, at least one, of any shape; in the units of the series.

        Returns
        -------
        Standardise

        Raises
        ------
        TypeError, ValueError
            If `values` is empty or holds anything but finite numbers.

        Examples
        --------
        >>> Standardise.fit([1.0, 3.0])
        Standardise(location=2.0, scale=1.0)
        >>> Standardise.fit([0.1, 0.1, 0.1])
        Standardise(location=0.1, scale=0.1)
        """
        return cls(*location_and_scale(values))

    def transform(self, values: ArrayLike) -> FloatArray:
        """Return (values - location) / scale.

        Parameters
        ----------
        values : array-like
            In the units of the series, any shape; NaN stays NaN.

        Returns
        -------
        ndarray
            Without units, of the same shape.
        """
        return (real_array(values, "values") - self.location) / self.scale

    def apply(self, values: FloatArray, times: TimeAxis) -> FloatArray:
        """Return the standardised values (n,), as every step of a chain does."""
        return self.transform(values)

    def undo(self, z: Propagated, past: FloatArray, ends: IntArray, times: TimeAxis) -> Propagated:
        """Return the joint distribution in the units of the series."""
        return z.scaled(self.scale, self.location)

    def inverse_mean(self, m: ArrayLike) -> FloatArray:
        """Return scale * m + location: means, medians and quantiles, in the units of the series.

        Parameters
        ----------
        m : array-like
            Standardised values, any shape.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        return real_array(m, "m") * self.scale + self.location

    def inverse_var(self, v: ArrayLike) -> FloatArray:
        """Return scale^2 v: variances, in the squared units of the series.

        Parameters
        ----------
        v : array-like
            Variances of standardised values, any shape.

        Returns
        -------
        ndarray
            Of the same shape.
        """
        return real_array(v, "v") * self.scale**2


def standardised(z: FloatArray, before: FloatArray | None) -> tuple[Standardise, float]:
    """Return the standardisation of what linear steps leave (k,), and how much of it is rounding.

    If they leave nothing but rounding of what was `before` (n,), the scale is the spread of that.
    """
    if len(z) == 0:
        return Standardise(0.0, 1.0), 0.0
    size = 0.0 if before is None else float(np.abs(before).max())
    rounding = 1e-13 * size
    if before is None or size == 0.0 or np.ptp(z) > rounding:
        return Standardise.fit(z), 0.0
    if np.abs(z).max() > rounding:
        return Standardise.fit(z.mean()), rounding  # constant, but for rounding
    return Standardise(0.0, Standardise.fit(before).scale), rounding
