"""Warps of the targets: a sum of tanh steps on a line with one or two slopes."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy

from gpforecast.common.cached import cached_property
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.storage import storable

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


_EPS = float(np.finfo(np.float64).eps)
_NODES = 1025  # of the table that inverting starts from
_MOST = 200  # iterations; halving alone needs 60


class TanhSum(NamedTuple):
    """f(u) = g(u) + sum_i a_i tanh(b_i (u + c_i)); a, b and c are (I,) each, a >= 0 and b > 0.

    g(u) = u, or a line with two slopes.
    """

    a: FloatArray
    b: FloatArray
    c: FloatArray
    line: TwoSlopes = STRAIGHT

    @classmethod
    def of(cls, psi: FloatArray, *, two_slopes: bool = False) -> "TanhSum":
        """Return those of psi = (log a, log b, c), (3 I,).

        With two slopes psi has three entries more, each the last of its kind: the line's rise, the
        logarithm of its steepness, and less its centre.
        """
        log_a, log_b, c = psi.reshape(3, -1)
        if not two_slopes:
            return cls(np.exp(log_a), np.exp(log_b), c)
        line = TwoSlopes(float(log_a[-1]), float(np.exp(log_b[-1])), -float(c[-1]))
        return cls(np.exp(log_a[:-1]), np.exp(log_b[:-1]), c[:-1], line)

    def at(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f(u) and f'(u) = g'(u) + sum_i a_i b_i sech^2(b_i (u + c_i)), of any shape.

        Snelson (2007), eqs. (5.11) and (5.12).
        """
        f, slope = self.line.at(u)
        for a, b, c in zip(self.a, self.b, self.c, strict=True):
            th = np.tanh(b * (u + c))
            f += a * th
            slope += a * b * (1.0 - th**2)
        return f, slope

    def inverse(self, t: FloatArray) -> FloatArray:
        """Return u with f(u) = t, of any shape.

        Newton's method, and halving where it would leave the interval that is known to hold u: f(u)
        is at most the sum of heights from g(u), and g(u) not far from its straight parts.
        """
        width = float(self.a.sum()) + self.line.distance
        known = np.where(np.isfinite(t), t, 0.0)
        low, high = (self.line.where_lines_are(known + r) for r in (-width, width))
        u = np.clip(np.interp(known, *self._table), low, high)
        for _ in range(_MOST):
            f, slope = self.at(u)
            off = f - known
            low, high = np.where(off < 0.0, u, low), np.where(off > 0.0, u, high)
            new = u - off / slope
            new = np.where((new < low) | (new > high), 0.5 * (low + high), new)
            moved, u = np.abs(new - u), new
            if (moved <= 4.0 * _EPS * (np.abs(u) + width)).all():
                break
        return np.where(np.isfinite(t), u, t)

    def standardised(self, y: FloatArray, location: float, scale: float) -> "TanhWarp":
        """Return the warp that takes values y (n,) to values of mean 0 and variance 1."""
        f, _ = self.at((y - location) / scale)
        a, b, c = (tuple(part.tolist()) for part in (self.a, self.b, self.c))
        return TanhWarp(a, b, c, location, scale, float(f.mean()), float(f.std()), *self.line)

    @property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Values of f, and where it has them: over all steps, three widths beyond each."""
        around = -self.c - 3.0 / self.b, -self.c + 3.0 / self.b
        ends = np.concatenate([[0.0], *around, self.line.ends])
        u = np.linspace(ends.min(), ends.max(), _NODES)
        return self.at(u)[0], u

    def pullback(self, u: FloatArray, by_f: FloatArray, by_log_slope: FloatArray) -> FloatArray:
        """Return the slopes in psi of what has these in f(u) and in log f'(u), (n,) each.

        They are those of log a, log b and c, (3, I + 1), with the line's as the last column.
        """
        x = u[:, None] + self.c  # (n, I)
        th = np.tanh(self.b * x)
        rise = self.a * self.b * (1.0 - th**2)
        over = by_log_slope / (self.line.at(u)[1] + rise.sum(axis=1))
        of_line = self.line.pullback(u, by_f, over)
        by_f = by_f[:, None]
        bend = over[:, None] * (-2.0 * self.b * th)
        of_a = self.a * (by_f * th).sum(axis=0) + over @ rise
        of_b = (x * rise * (by_f + bend)).sum(axis=0) + over @ rise
        of_c = (rise * (by_f + bend)).sum(axis=0)
        return np.column_stack([[of_a, of_b, of_c], of_line])


@storable
@dataclass(frozen=True)
class TanhWarp:
    r"""A line with smooth steps that was learned: z = w(y), increasing and onto all numbers.

    .. math::

        w(y) = \frac{f(u) - m}{s}, \qquad u = \frac{y - \text{location}}{\text{scale}}, \qquad
        f(u) = g(u) + \sum_i a_i \tanh(b_i (u + c_i))

    It is a `gpforecast.transforms.Warp`. g(u) is u, or a line with two slopes (`rise`); beyond its
    steps w is straight.

    Attributes
    ----------
    a : tuple of float (I,)
        Half the heights of the steps, 0 or more. All 0: w is linear.
    b : tuple of float (I,)
        How steep they are, positive: 1 / b is half a width, in units of u.
    c : tuple of float (I,)
        They are centred at u = -c.
    location, scale : float
        Of y, in its units.
    shift, stretch : float
        m and s: with them the values that w was learned from have mean 0 and variance 1.
    rise : float
        The slope of g is exp(-rise) far on the left and exp(rise) far on the right.
    steepness : float
        How fast the one becomes the other, positive: 1 / steepness is a width, in units of u.
    centre : float
        Where it does, in units of u.

    References
    ----------
    Snelson (2007), eqs. (5.11) and (5.12).

    Examples
    --------
    >>> import numpy as np
    >>> from gpforecast.models.tanh_warp import TanhWarp
    >>> w = TanhWarp(a=(2.0,), b=(1.0,), c=(0.0,))
    >>> w.forward([0.0, 1.0]).round(2)
    array([0.  , 2.52])
    >>> w.backward(w.forward([0.0, 1.0])).round(12)
    array([0., 1.])
    """

    a: tuple[float, ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    location: float = 0.0
    scale: float = 1.0
    shift: float = 0.0
    stretch: float = 1.0
    rise: float = 0.0
    steepness: float = 1.0
    centre: float = 0.0

    lowest: ClassVar[float] = -np.inf
    lowest_warped: ClassVar[float] = -np.inf

    def __post_init__(self) -> None:
        increases = min(self.a, default=0.0) >= 0.0 and min(self.b, default=1.0) > 0.0
        positive = min(self.scale, self.stretch, self.steepness) > 0.0
        if not (len(self.a) == len(self.b) == len(self.c) and increases and positive):
            raise ValueError(
                f"a, b and c must have the same length, a must not be negative, and b, scale, "
                f"stretch and steepness must be positive, or the warp would not increase; got "
                f"{self!r}."
            )

    @cached_property
    def sum(self) -> TanhSum:
        """The function f."""
        line = TwoSlopes(self.rise, self.steepness, self.centre)
        return TanhSum(np.array(self.a), np.array(self.b), np.array(self.c), line)

    def check(self, values: FloatArray, name: str) -> None:
        """Take every value."""

    def forward(self, values: ArrayLike) -> FloatArray:
        """Return w(y), of any shape; NaN stays NaN."""
        return (self.sum.at(self._u(values))[0] - self.shift) / self.stretch

    def backward(self, warped: ArrayLike) -> FloatArray:
        """Return the value y with w(y) = z, of any shape."""
        t = np.asarray(warped, dtype=np.float64) * self.stretch + self.shift
        return self.sum.inverse(t) * self.scale + self.location

    def log_gradient(self, values: ArrayLike) -> FloatArray:
        """Return log dw/dy."""
        slope = self.sum.at(self._u(values))[1]
        return np.asarray(np.log(slope) - np.log(self.scale) - np.log(self.stretch))

    def _u(self, values: ArrayLike) -> FloatArray:
        return (np.asarray(values, dtype=np.float64) - self.location) / self.scale
