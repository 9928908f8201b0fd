"""The polynomial covariance: polynomials of the inputs up to a degree."""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import scipy

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import positive_integer
from gpforecast.covariances.inner_product import InnerProduct


@dataclass(frozen=True, eq=False)
class Polynomial(InnerProduct):
    r"""Polynomials of the inputs: :math:`v\, (1 + \sum_d x_d x'_d / \ell_d^2)^g`.

    f is a polynomial of degree g with independent Gaussian coefficients of all monomials up to
    that degree, so that f is known everywhere from few rows. It grows without bounds
    away from the data, and with it its variance: iterated over many steps, a noisy polynomial of
    degree 2 or more can run away.

    Up to degree 3 its moments at Gaussian inputs are exact, cov(f, x) too; see
    `gpforecast.propagation.ExactMoments`.

    Parameters
    ----------
    lengthscales : float, sequence of float (d,) or None
        The distance from the origin at which terms of all degrees count alike, in the units of the
        inputs. One number is shared by all inputs; a sequence gives each input its own; ``None``
        gives each input its own and starts it from the data.
    variance : float or None
        v, the variance of f at the origin, in squared units of the target.
    degree : int
        g, at least 1. It is not learned.

    References
    ----------
    Quinonero-Candela (2004), section 4.2.5 and paper E, footnote 3; Rasmussen and Williams (2006),
    section 4.2.2.

    Examples
    --------
    >>> import numpy as np
    >>> import gpforecast as gf
    >>> k = gf.covariances.Polynomial(lengthscales=1.0, variance=2.0, degree=3)
    >>> k(np.array([[0.0], [1.0]]))
    array([[ 2.,  2.],
           [ 2., 16.]])
    """

    degree: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_integer(self.degree, "degree")

    @property
    def polynomial_degree(self) -> int:
        return self.degree

    def monomials(self, n_inputs: int) -> tuple[IntArray, FloatArray]:
        variance, ell = self.values(n_inputs)
        chosen = combinations_with_replacement(range(n_inputs + 1), self.degree)
        powers = np.array([[row.count(j) for j in range(n_inputs + 1)] for row in chosen])
        ways = scipy.special.factorial(self.degree) / scipy.special.factorial(powers).prod(axis=1)
        return powers[:, 1:], variance * ways * np.prod(ell ** (-2.0 * powers[:, 1:]), axis=1)

    def profile(self, t: FloatArray) -> FloatArray:
        return np.asarray(t**self.degree)

    def slope(self, t: FloatArray) -> FloatArray:
        return np.asarray(self.degree * t ** (self.degree - 1))

    def curvature(self, t: FloatArray) -> FloatArray:
        return np.asarray(self.degree * (self.degree - 1) * t ** max(self.degree - 2, 0))
