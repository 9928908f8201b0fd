"""A line with one slope on its left and another on its right, spliced smoothly."""

from typing import NamedTuple

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

_WIDTHS = 8.0  # over which a table has the splice


class TwoSlopes(NamedTuple):
    r"""g(u), with the slope exp(-rise) far on the left and exp(rise) far on the right.

    .. math::

        g(u) = \frac1\beta \log\bigl[e^{\beta m_1 x} + e^{\beta m_2 x}\bigr]
             = m_1 x + \frac{m_2 - m_1}{k} \log(1 + e^{k x}), \qquad x = u - d

    which is eq. (5.12) of Snelson (2007) with :math:`\beta = k / (m_2 - m_1)`. In terms of k, the
    steepness of the splice, nothing happens where the two slopes are equal and beta is infinite.
    The product of the slopes is 1: a warp is standardised, so that only their ratio matters.

    Attributes
    ----------
    rise : float
        Half the logarithm of the ratio of the slopes. 0: a straight line.
    steepness : float
        k, positive.
    centre : float
        d.
    """

    rise: float = 0.0
    steepness: float = 1.0
    centre: float = 0.0

    @property
    def slopes(self) -> tuple[float, float]:
        """The slopes far on the left and far on the right."""
        return float(np.exp(-self.rise)), float(np.exp(self.rise))

    def at(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return g(u) and g'(u), of any shape."""
        left, right = self.slopes
        x = u - self.centre
        if left == right:
            return x, np.ones_like(x)
        g = left * x + (right - left) * self._turn(x)
        return g, left + (right - left) * scipy.special.expit(self.steepness * x)

    @property
    def distance(self) -> float:
        """How far g is at most from the two straight lines that meet at the centre."""
        left, right = self.slopes
        return abs(right - left) * float(np.log(2.0)) / self.steepness

    def where_lines_are(self, t: FloatArray) -> FloatArray:
        """Return u at which these two lines have the value t, of any shape."""
        left, right = self.slopes
        return self.centre + np.where(t < 0.0, t / left, t / right)

    @property
    def ends(self) -> list[float]:
        """Beyond which g is straight; none if it is everywhere."""
        half = _WIDTHS / self.steepness
        return [self.centre - half, self.centre + half] if self.rise else []

    def pullback(self, u: FloatArray, by_g: FloatArray, by_slope: FloatArray) -> FloatArray:
        """Return the slopes in (rise, log steepness, -centre) of what has these in g and g'."""
        left, right = self.slopes
        k, x, apart = self.steepness, u - self.centre, right - left
        s, turn = scipy.special.expit(k * x), self._turn(x)
        curve = apart * k * s * (1.0 - s)  # g''
        of_rise = by_g @ ((left + right) * turn - left * x) + by_slope @ ((left + right) * s - left)
        of_steepness = by_g @ (apart * (x * s - turn)) + by_slope @ (x * curve)
        of_place = by_g @ (left + apart * s) + by_slope @ curve
        return np.array([of_rise, of_steepness, of_place])

    def _turn(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.logaddexp(0.0, self.steepness * x) / self.steepness)


STRAIGHT = TwoSlopes()
