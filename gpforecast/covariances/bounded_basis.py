"""Gaussian basis functions whose centres lie in a range."""

from dataclasses import dataclass

import numpy as np
import scipy

from gpforecast.common.types import FloatArray
from gpforecast.common.validation import finite_array
from gpforecast.covariances.base import MatrixSlopes, Scaled
from gpforecast.numerics import jets

_ROOT_PI = float(np.sqrt(np.pi))
_ROOT_2 = float(np.sqrt(2.0))


@dataclass(frozen=True, eq=False)
class BoundedBasis(Scaled):
    r"""Sums of infinitely many Gaussian basis functions with centres between a and b.

    .. math::

        k(x, x') = v \prod_d e^{-(x_d - x'_d)^2 / 4 \ell_d^2}\, \tfrac12 \left[
            \operatorname{erf}\frac{b - m_d}{\ell_d} - \operatorname{erf}\frac{a - m_d}{\ell_d}
            \right], \qquad m_d = \tfrac12 (x_d + x'_d)

    Amid the range it is a squared exponential, of length-scales :math:`\sqrt2\, \ell_d`; beyond it
    functions go back to 0.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        Widths of the basis functions. As of `SquaredExponential`.
    variance : float or None
        v, the variance of f amid the range, in squared units of the target.
    low, high : float
        a and b, in the units of the inputs, the same for all of them. They are not learned.

    References
    ----------
    Lawrence (2011), the radial basis functions between a and b, over
    :math:`\gamma \sqrt{\pi \ell^2} = v`.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.BoundedBasis(lengthscales=1.0, variance=3.0, low=-5.0, high=5.0)
    >>> k.diag(np.array([[0.0], [5.0], [8.0]])).round(3)
    array([3. , 1.5, 0. ])
    """

    low: float = -1.0
    high: float = 1.0

    is_smooth = True

    def __post_init__(self) -> None:
        super().__post_init__()
        finite_array([self.low, self.high], "low and high")
        if not self.low < self.high:
            raise ValueError(f"low must be below high; got {self.low!r} and {self.high!r}.")

    def __call__(self, X: FloatArray, Z: FloatArray | None = None) -> FloatArray:
        variance, ells = self.values(X.shape[1])
        logs = np.zeros((len(X), len(X if Z is None else Z)))
        for ell, x, z in zip(ells, X.T, (X if Z is None else Z).T, strict=True):
            logs += self._log(x[:, None], z, ell)
        return np.asarray(variance * np.exp(logs))

    def diag(self, X: FloatArray) -> FloatArray:
        return self.pairs(X, X)

    def pairs(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        variance, ell = self.values(X.shape[1])
        return np.asarray(variance * np.exp(self._log(X, Z, ell).sum(axis=1)))

    def with_slopes(self, X: FloatArray, Z: FloatArray) -> MatrixSlopes:
        K, ells = self(X, Z), self.values(X.shape[1])[1]

        def parameters(G: FloatArray) -> FloatArray:
            H, each = G * K, zip(ells, X.T, Z.T, strict=True)
            by_input = np.array([np.sum(H * self._by_ell(x[:, None], z, e)) for e, x, z in each])
            return np.append(self._tied("lengthscales", by_input), H.sum())

        def towards(H: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
            each = zip(ells, A.T, B.T, strict=True)
            slopes = [(H * self._by_x(a[:, None], b, e)).sum(axis=1) for e, a, b in each]
            return np.column_stack(slopes)

        return MatrixSlopes(
            K,
            parameters,
            rows=lambda G: towards(G * K, X, Z),
            columns=lambda G: towards((G * K).T, Z, X),
        )

    def diag_slopes(self, X: FloatArray, g: FloatArray) -> FloatArray:
        h = g * self.diag(X)
        by_input = h @ self._by_ell(X, X, self.values(X.shape[1])[1])
        return np.append(self._tied("lengthscales", by_input), h.sum())

    def jets(self, u: FloatArray, directions: FloatArray, Z: FloatArray) -> FloatArray:
        found = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
        found[:, 0], ells = self.values(u.shape[1])
        for d, ell in enumerate(ells):
            x, z, along = u[:, d, None], Z[:, d], directions[:, d]  # (b, 1), (m,), (b, r)
            value = np.exp(self._log(x, z, ell))
            first, second = self._by_x(x, z, ell), self._by_xx(x, z, ell)
            found = jets.times(found, _of_one(along, value, first, second))
        return found

    def diag_jets(self, u: FloatArray, directions: FloatArray) -> FloatArray:
        found = np.zeros((len(u), directions.shape[2] + 2, 1))
        found[:, 0], ells = self.values(u.shape[1])
        for d, ell in enumerate(ells):
            x = u[:, d, None]
            p_low, p_high, low, high = self._ends(x, x, ell)
            first = (p_low - p_high) / (ell * _ROOT_PI)
            second = -2.0 * (high * p_high - low * p_low) / (ell**2 * _ROOT_PI)
            one = _of_one(directions[:, d], np.exp(self._log(x, x, ell)), first, second)
            found = jets.times(found, one)
        return found

    def input_scales(self, n_inputs: int) -> FloatArray:
        return np.asarray(_ROOT_2 * self._for_inputs("lengthscales", n_inputs))

    # The logarithm of one input's factor, and its derivatives over the factor.

    def _log(self, x: FloatArray, z: FloatArray, ell: FloatArray) -> FloatArray:
        return np.asarray(-(((x - z) / (2.0 * ell)) ** 2) + self._log_share(x, z, ell))

    def _log_share(self, x: FloatArray, z: FloatArray, ell: FloatArray) -> FloatArray:
        """Return the logarithm of half the difference of the error functions, in either tail."""
        m = 0.5 * (x + z)
        near = np.where(m > 0.5 * (self.low + self.high), m - self.high, self.low - m)
        to_near = scipy.special.log_ndtr(-_ROOT_2 * near / ell)
        to_far = scipy.special.log_ndtr(-_ROOT_2 * (near + self.high - self.low) / ell)
        return np.asarray(to_near + np.log1p(-np.exp(to_far - to_near)))

    def _ends(
        self, x: FloatArray, z: FloatArray, ell: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the densities at both ends over the share, and both ends from m, over ell."""
        m, log = 0.5 * (x + z), self._log_share(x, z, ell)
        low, high = (self.low - m) / ell, (self.high - m) / ell
        return np.exp(-(low**2) - log), np.exp(-(high**2) - log), low, high

    def _by_x(self, x: FloatArray, z: FloatArray, ell: FloatArray) -> FloatArray:
        p_low, p_high, *_ = self._ends(x, z, ell)
        return np.asarray((p_low - p_high) / (2.0 * ell * _ROOT_PI) - (x - z) / (2.0 * ell**2))

    def _by_xx(self, x: FloatArray, z: FloatArray, ell: FloatArray) -> FloatArray:
        p_low, p_high, low, high = self._ends(x, z, ell)
        pull, share = -(x - z) / (2.0 * ell**2), (p_low - p_high) / (2.0 * ell * _ROOT_PI)
        bend = -(high * p_high - low * p_low) / (2.0 * ell**2 * _ROOT_PI)
        return np.asarray(pull**2 - 1.0 / (2.0 * ell**2) + 2.0 * pull * share + bend)

    def _by_ell(self, x: FloatArray, z: FloatArray, ell: FloatArray) -> FloatArray:
        p_low, p_high, low, high = self._ends(x, z, ell)
        own = (x - z) ** 2 / (2.0 * ell**2)
        return np.asarray(own - (high * p_high - low * p_low) / _ROOT_PI)


def _of_one(
    along: FloatArray, value: FloatArray, first: FloatArray, second: FloatArray
) -> FloatArray:
    """Return the jets of a function of one input (b, m), whose steps are along (b, r)."""
    found = np.empty((len(value), along.shape[1] + 2, value.shape[1]))
    found[:, 0] = value
    found[:, 1] = value * second * (along**2).sum(axis=1)[:, None]
    found[:, 2:] = along[:, :, None] * (value * first)[:, None]
    return found
