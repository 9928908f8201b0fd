"""Second-order jets against finite differences."""

import numpy as np
import pytest

from gpforecast.covariances import SquaredExponential
from gpforecast.numerics import jets

ELL = np.array([0.7, 1.5, 2.0])
RNG = np.random.default_rng(0)
CENTERS = RNG.standard_normal((5, 3))
U = RNG.standard_normal((2, 3))
DIRECTIONS = 0.6 * RNG.standard_normal((2, 3, 2))
MIX = RNG.standard_normal((5, 4))

# Each as a function of basis functions k, and the same on jets.
FUNCTIONS = {
    "basis functions": (lambda k: k, lambda k: k),
    "linear map": (lambda k: k @ MIX, lambda k: k @ MIX),
    "constant": (lambda k: k + 2.0, lambda k: jets.plus(k, 2.0)),
    "product": (
        lambda k: (k @ MIX) * (k @ MIX[:, ::-1]),
        lambda k: jets.times(k @ MIX, k @ MIX[:, ::-1]),
    ),
    "quotient": (
        lambda k: (k @ MIX) / (1.5 + k @ np.abs(MIX)),
        lambda k: jets.over(k @ MIX, jets.plus(k @ np.abs(MIX), 1.5)),
    ),
    "sum of squares": (
        lambda k: ((k @ MIX) ** 2).sum(axis=-1, keepdims=True),
        lambda k: jets.sum_of_squares(k @ MIX),
    ),
    "product by one function": (lambda k: k * k[..., :1], lambda k: jets.times(k, k[..., :1])),
}


def basis_functions(x):
    return np.exp(-0.5 * (((x[:, None] - CENTERS) / ELL) ** 2).sum(axis=2))


def basis_jets(directions):
    """The jets at U along directions in length-scales."""
    return SquaredExponential(ELL, 1.0).jets(U, ELL[:, None] * directions, CENTERS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_value_laplacian_and_slopes_are_those_of_finite_differences(name):
    plain, on_jets = FUNCTIONS[name]
    jet = on_jets(basis_jets(DIRECTIONS))

    def f(*steps):
        return plain(basis_functions(U + ELL * np.einsum("bdr,r->bd", DIRECTIONS, np.array(steps))))

    h = 1e-4
    np.testing.assert_allclose(jet[:, 0], f(0.0, 0.0), rtol=1e-13)
    # Truncation of order h^2; rounding 1e-16/h and 1e-16/h^2, of values of order one.
    for r, (a, b) in enumerate([(h, 0.0), (0.0, h)]):
        slope = (f(a, b) - f(-a, -b)) / (2.0 * h)
        np.testing.assert_allclose(jet[:, 2 + r], slope, rtol=1e-6, atol=1e-7)
    around = f(h, 0.0) + f(-h, 0.0) + f(0.0, h) + f(0.0, -h) - 4.0 * f(0.0, 0.0)
    np.testing.assert_allclose(jet[:, 1], around / h**2, rtol=1e-5, atol=1e-5)
