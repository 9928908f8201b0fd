"""An increasing function of single values, a line with smooth steps, and its inverse."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.storage import storable

_EPS = float(np.finfo(np.float64).eps)
_NODES = 1025  # of the table that inverting starts from
_MOST = 200  # iterations; halving alone needs 60


class TanhSum(NamedTuple):
    """f(u) = u + sum_i a_i tanh(b_i (u + c_i)); a, b and c are (I,) each, a >= 0 and b > 0."""

    a: FloatArray
    b: FloatArray
    c: FloatArray

    @classmethod
    def of(cls, psi: FloatArray) -> "TanhSum":
        """Return those of psi = (log a, log b, c), (3 I,)."""
        log_a, log_b, c = psi.reshape(3, -1)
        return cls(np.exp(log_a), np.exp(log_b), c)

    def at(self, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return f(u) and f'(u) = 1 + sum_i a_i b_i sech^2(b_i (u + c_i)), of any shape.

        Snelson (2007), eq. (5.11).
        """
        f, slope = u.copy(), np.ones_like(u)
        for a, b, c in zip(*self, strict=True):
            th = np.tanh(b * (u + c))
            f += a * th
            slope += a * b * (1.0 - th**2)
        return f, slope

    def inverse(self, t: FloatArray) -> FloatArray:
        """Return u with f(u) = t, of any shape.

        Newton's method, and halving where it would leave the interval that is known to hold u: as
        |f(u) - u| is less than the sum of heights, u is no farther than that from t.
        """
        reach = float(self.a.sum())
        known = np.where(np.isfinite(t), t, 0.0)
        low, high = known - reach, known + reach
        u = np.clip(np.interp(known, *self._table), low, high)
        for _ in range(_MOST):
            f, slope = self.at(u)
            off = f - known
            low, high = np.where(off < 0.0, u, low), np.where(off > 0.0, u, high)
            new = u - off / slope
            new = np.where((new < low) | (new > high), 0.5 * (low + high), new)
            moved, u = np.abs(new - u), new
            if (moved <= 4.0 * _EPS * (np.abs(u) + reach)).all():
                break
        return np.where(np.isfinite(t), u, t)

    def standardised(self, y: FloatArray, location: float, scale: float) -> "TanhWarp":
        """Return the warp that takes values y (n,) to values of mean 0 and variance 1."""
        f, _ = self.at((y - location) / scale)
        a, b, c = (tuple(part.tolist()) for part in self)
        return TanhWarp(a, b, c, location, scale, float(f.mean()), float(f.std()))

    @property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        """Values of f, and where it has them: over all steps, three widths beyond each."""
        ends = np.concatenate([[0.0], -self.c - 3.0 / self.b, -self.c + 3.0 / self.b])
        u = np.linspace(ends.min(), ends.max(), _NODES)
        return self.at(u)[0], u

    def pullback(self, u: FloatArray, by_f: FloatArray, by_log_slope: FloatArray) -> FloatArray:
        """Return the slopes in psi, (3 I,), of what has these in f(u) and in log f'(u), (n,)."""
        x = u[:, None] + self.c  # (n, I)
        th = np.tanh(self.b * x)
        rise = self.a * self.b * (1.0 - th**2)
        over = by_log_slope / (1.0 + rise.sum(axis=1))
        by_f = by_f[:, None]
        bend = over[:, None] * (-2.0 * self.b * th)
        of_a = self.a * (by_f * th).sum(axis=0) + over @ rise
        of_b = (x * rise * (by_f + bend)).sum(axis=0) + over @ rise
        of_c = (rise * (by_f + bend)).sum(axis=0)
        return np.concatenate([of_a, of_b, of_c])


@storable
@dataclass(frozen=True)
class TanhWarp:
    r"""A line with smooth steps that was learned: z = w(y), increasing and onto all numbers.

    .. math::

        w(y) = \frac{f(u) - m}{s}, \qquad u = \frac{y - \text{location}}{\text{scale}}, \qquad
        f(u) = u + \sum_i a_i \tanh(b_i (u + c_i))

    It is a `gpforecast.transforms.Warp`. Beyond its steps it is a straight line.

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

    References
    ----------
    Snelson (2007), eq. (5.11).

    Examples
    --------
    >>> import numpy as np
    >>> from gpforecast.models.warping.tanh_warp import TanhWarp
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

    lowest: ClassVar[float] = -np.inf
    lowest_warped: ClassVar[float] = -np.inf

    def __post_init__(self) -> None:
        if not len(self.a) == len(self.b) == len(self.c):
            raise ValueError(
                f"a, b and c must have the same length; got {len(self.a)}, {len(self.b)} and "
                f"{len(self.c)} numbers."
            )
        if min(self.a, default=0.0) < 0.0 or min(self.b, default=1.0) <= 0.0:
            raise ValueError(
                f"a must not be negative and b must be positive, or the warp would not increase; "
                f"got a={self.a} and b={self.b}."
            )
        if not (self.scale > 0.0 and self.stretch > 0.0):
            raise ValueError(
                f"scale and stretch must be positive; got {self.scale} and {self.stretch}."
            )

    @cached_property
    def sum(self) -> TanhSum:
        """The function f."""
        return TanhSum(np.array(self.a), np.array(self.b), np.array(self.c))

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
