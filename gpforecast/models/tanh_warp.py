"""Warps of the targets: a sum of tanh steps on a line with one or two slopes."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import scipy

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.storage import storable

_WIDTHS = 8.0  # over which a table has the splice
_EPS = float(np.finfo(np.float64).eps)
_NODES = 1025  # of the table that inverting starts from
_MOST = 200  # iterations; halving alone needs 60


@storable
@dataclass(frozen=True)
class TanhWarp:
    r"""A line with smooth steps that was learned: z = w(y), increasing and onto all numbers.

    .. math::

        w(y) = \frac{f(u) - m}{s}, \qquad u = \frac{y - \text{location}}{\text{scale}}, \qquad
        f(u) = g(u) + \sum_i a_i \tanh(b_i (u + c_i))

    It is a `gpforecast.transforms.Warp`. g is a line, or two of them with a smooth splice:

    .. math::

        g(u) = \frac1\beta \log\bigl[e^{\beta m_1 x} + e^{\beta m_2 x}\bigr]
             = m_1 x + \frac{m_2 - m_1}{k} \log(1 + e^{k x}), \qquad x = u - d

    which is eq. (5.12) of Snelson (2007) with :math:`\beta = k / (m_2 - m_1)`. In terms of k, the
    steepness of the splice, nothing happens where the two slopes are equal and beta is infinite.
    The product of the slopes is 1: a warp is standardised, so that only their ratio matters.

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
        Half the logarithm of the ratio of the slopes of g: exp(-rise) far on the left and exp(rise)
        far on the right. 0: a straight line.
    steepness : float
        k: how fast the one becomes the other, positive; 1 / k is a width, in units of u.
    centre : float
        d: where it does, in units of u.

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

    @classmethod
    def of(cls, psi: FloatArray, *, two_slopes: bool = False) -> Self:
        """Return f alone, of psi = (log a, log b, c), (3 I,).

        With two slopes psi has three entries more, each the last of its kind: the line's rise, the
        logarithm of its steepness, and less its centre.
        """
        log_a, log_b, c = psi.reshape(3, -1).tolist()
        n = len(c) - two_slopes
        line = {"rise": log_a[-1], "steepness": math.exp(log_b[-1]), "centre": -c[-1]}
        a, b = (tuple(map(math.exp, logs[:n])) for logs in (log_a, log_b))
        return cls(a, b, tuple(c[:n]), **(line if two_slopes else {}))

    def standardised(self, y: FloatArray, location: float, scale: float) -> Self:
        """Return the warp by the same f that takes y (n,) to values of mean 0 and variance 1."""
        f, _ = self.at((y - location) / scale)
        shift, stretch = float(f.mean()), float(f.std())
        return replace(self, location=location, scale=scale, shift=shift, stretch=stretch)

    def check(self, values: FloatArray, name: str) -> None:
        """Take every value."""

    def forward(self, values: ArrayLike) -> FloatArray:
        """Return w(y), of any shape; NaN stays NaN."""
        return (self.at(self._u(values))[0] - self.shift) / self.stretch

    def backward(self, warped: ArrayLike) -> FloatArray:
        """Return the value y with w(y) = z, of any shape."""
        t = np.asarray(warped, dtype=np.float64) * self.stretch + self.shift
        return self._inverse(t) * self.scale + self.location

    def log_gradient(self, values: ArrayLike) -> FloatArray:
        """Return log dw/dy."""
        slope = self.at(self._u(values))[1]
        return np.asarray(np.log(slope) - np.log(self.scale) - np.log(self.stretch))

    def _u(self, values: ArrayLike) -> FloatArray:
        return (np.asarray(values, dtype=np.float64) - self.location) / self.scale

    @property
    def _slopes(self) -> tuple[float, float]:
        """m_1 and m_2."""
        return math.exp(-self.rise), math.exp(self.rise)

    def at(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f(u) and f'(u) = g'(u) + sum_i a_i b_i sech^2(b_i (u + c_i)), of any shape."""
        (left, right), x = self._slopes, u - self.centre
        f, slope = left * x, np.full_like(x, left)
        if self.rise:
            f += (right - left) * self._turn(x)
            slope += (right - left) * scipy.special.expit(self.steepness * x)
        for a, b, c in zip(self.a, self.b, self.c, strict=True):
            th = np.tanh(b * (u + c))
            f += a * th
            slope += a * b * (1.0 - th**2)
        return f, slope

    def _inverse(self, t: FloatArray) -> FloatArray:
        """Return u with f(u) = t, of any shape.

        Newton's method, and halving where it would leave the interval that is known to hold u: f(u)
        is at most the sum of heights from g(u), and g(u) not far from its straight parts.
        """
        left, right = self._slopes
        width = sum(self.a) + (abs(right - left) * math.log(2.0) / self.steepness)
        known = np.where(np.isfinite(t), t, 0.0)
        low, high = (
            self.centre + np.where(on_line < 0.0, on_line / left, on_line / right)
            for on_line in (known - width, known + width)
        )
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

    @property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Values of f, and where it has them: over all steps, three widths beyond each."""
        b, c = np.array(self.b), np.array(self.c)
        half = _WIDTHS / self.steepness
        line = [self.centre - half, self.centre + half] if self.rise else []
        ends = np.concatenate([[0.0], -c - 3.0 / b, -c + 3.0 / b, line])
        u = np.linspace(ends.min(), ends.max(), _NODES)
        return self.at(u)[0], u

    def pullback(self, u: FloatArray, by_f: FloatArray, by_log_slope: FloatArray) -> FloatArray:
        """Return the slopes in psi of what has these in f(u) and in log f'(u), (n,) each.

        They are those of log a, log b and c, (3, I + 1), with the line's as the last column.
        """
        (left, right), k, x = self._slopes, self.steepness, u - self.centre
        s, turn, apart = scipy.special.expit(k * x), self._turn(x), right - left
        over, curve = by_log_slope / self.at(u)[1], apart * k * s * (1.0 - s)  # 1 / f', g''
        of_line = [
            by_f @ ((left + right) * turn - left * x) + over @ ((left + right) * s - left),
            by_f @ (apart * (x * s - turn)) + over @ (x * curve),
            by_f @ (left + apart * s) + over @ curve,
        ]
        a, b, x = np.array(self.a), np.array(self.b), u[:, None] + self.c  # (n, I)
        th = np.tanh(b * x)
        rise = a * b * (1.0 - th**2)
        bent = rise * (by_f[:, None] - 2.0 * over[:, None] * b * th)
        of_a = a * (by_f @ th) + over @ rise
        of_b = (x * bent).sum(axis=0) + over @ rise
        return np.column_stack([[of_a, of_b, bent.sum(axis=0)], of_line])

    def _turn(self, x: FloatArray) -> FloatArray:
        return np.asarray(np.logaddexp(0.0, self.steepness * x) / self.steepness)
