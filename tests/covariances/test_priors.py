"""What the functions of a covariance are: weights, increments and hidden units."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest

import gpforecast as gf
from gpforecast.covariances import (
    BoundedBasis,
    Constant,
    NeuralNetwork,
    Polynomial,
    SquaredExponential,
    Wiener,
)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_a_polynomial_is_a_sum_of_monomials_with_independent_weights(degree):
    """Each monomial of degree up to g, with its multinomial coefficient as prior variance."""
    ell, X = np.array([0.7, 1.5, 3.0]), np.random.default_rng(0).standard_normal((6, 3))
    K = np.zeros((6, 6))
    for powers in itertools.product(range(degree + 1), repeat=3):
        left = degree - sum(powers)
        if left < 0:
            continue
        ways = math.factorial(degree) / math.prod(map(math.factorial, (*powers, left)))
        phi = np.prod((X / ell) ** np.array(powers), axis=1)
        K += 1.7 * ways * np.outer(phi, phi)
    np.testing.assert_allclose(Polynomial(ell, 1.7, degree)(X), K, rtol=1e-12)


def test_a_neural_network_is_the_covariance_of_a_hidden_unit_with_random_weights():
    """E[erf(w'x) erf(w'x')] over w ~ N(0, diag(b, 1/ell^2) / 2), by quadrature."""
    ell, b, x, z = 0.8, 0.6, 0.7, -1.1
    rule = [np.polynomial.hermite_e.hermegauss(120)[i] for i in (0, 1)]
    w0, w1 = np.meshgrid(rule[0] * np.sqrt(b / 2.0), rule[0] / (np.sqrt(2.0) * ell))
    weight = np.outer(rule[1], rule[1]) / (2.0 * np.pi)
    erf = np.vectorize(math.erf)
    expected = np.sum(weight * erf(w0 + w1 * x) * erf(w0 + w1 * z))
    found = NeuralNetwork(ell, 3.0, b)(np.array([[x]]), np.array([[z]]))[0, 0]
    assert found == pytest.approx(3.0 * expected, rel=1e-8)


def test_the_variance_of_a_neural_network_keeps_its_digits_far_away():
    k, x = NeuralNetwork(0.3, 2.0, 0.5), 1e4
    with mp.workdps(40):
        size = mp.mpf("0.5") + (mp.mpf(x) / mp.mpf("0.3")) ** 2
        expected = float(4 / mp.pi * mp.asin(size / (1 + size)))
    assert k.diag(np.array([[x]]))[0] == pytest.approx(expected, rel=1e-7)
    assert expected < 2.0


def test_a_bounded_basis_is_a_sum_of_basis_functions_with_centres_in_its_range():
    """gamma times the integral of exp(-(x-c)^2/2l^2) exp(-(z-c)^2/2l^2) over c in [a, b]."""
    ell, a, b, v = 0.6, -1.0, 2.0, 1.3
    k = BoundedBasis(ell, v, a, b)
    with mp.workdps(30):
        for x, z in [(0.3, 0.9), (-1.2, -0.8), (2.5, 1.0), (7.0, 7.5), (-9.0, -8.0)]:

            def both(c, x=x, z=z):
                return mp.exp(-((x - c) ** 2 + (z - c) ** 2) / (2 * mp.mpf(ell) ** 2))

            integral = mp.quad(both, mp.linspace(a, b, 9)) / mp.sqrt(mp.pi * mp.mpf(ell) ** 2)
            found = k(np.array([[x]]), np.array([[z]]))[0, 0]
            assert found == pytest.approx(float(v * integral), rel=1e-9)
    wide = BoundedBasis(ell, v, -50.0, 50.0)
    X = np.random.default_rng(0).standard_normal((5, 2))
    expected = SquaredExponential(np.sqrt(2.0) * ell, v)(X)
    np.testing.assert_allclose(wide(X), expected, rtol=1e-12)


def test_a_process_conditioned_on_a_wiener_prior_interpolates_on_straight_lines():
    x, y = np.array([[0.5], [1.0], [3.0]]), np.array([1.0, -1.0, 2.0])
    k = Wiener(2.0) + Constant(1e6)
    gp = gf.models.GaussianProcess(k, noise_var=1e-12, optimizer=None).fit(x, y)
    at = np.array([0.75, 2.0, 9.0])  # beyond the last value it stays there
    np.testing.assert_allclose(gp.predict(at[:, None]), np.interp(at, x[:, 0], y), atol=1e-5)
