"""Likelihoods averaged over a Gaussian, against quadrature in 30 digits and finite differences."""

import mpmath
import numpy as np
import pytest
from oracles import central

from gpforecast.models.events.likelihoods import NullCategory, Ordinal, log_between

ORDINAL = Ordinal(np.array([-0.8, 0.1, 1.5]))
NULL = NullCategory(0.3, 0.04, (0.3, 0.6))
PROBIT = Ordinal(np.array([0.2]))
CASES = [
    *((PROBIT, c) for c in (0, 1)),
    *((ORDINAL, c) for c in (0, 1, 2, 3)),
    *((NULL, c) for c in (-1, 0, 1)),
]


def p(likelihood, y, f):
    """The likelihood of a class as it is defined, in mpmath."""
    if isinstance(likelihood, Ordinal):
        edges = [-mpmath.inf, *map(mpmath.mpf, likelihood.thresholds.tolist()), mpmath.inf]
        return mpmath.ncdf(edges[y + 1] - f) - mpmath.ncdf(edges[y] - f)
    g, s = f + likelihood.bias, mpmath.sqrt(likelihood.noise_var)
    sides = mpmath.ncdf(-(g + 0.5) / s), mpmath.ncdf((g - 0.5) / s)
    if y >= 0:
        return sides[y]
    return likelihood.rates[0] * sides[0] + likelihood.rates[1] * sides[1]


def moments(likelihood, y, mean, var):
    """Z and mean and variance of f given the class, by quadrature."""
    s = mpmath.sqrt(var)
    cuts = [mean + k * s for k in range(-12, 13)]

    def integral(power):
        return mpmath.quad(lambda f: f**power * p(likelihood, y, f) * mpmath.npdf(f, mean, s), cuts)

    Z, first, second = (integral(k) for k in (0, 1, 2))
    return float(mpmath.log(Z)), float(first / Z), float(second / Z - (first / Z) ** 2)


@pytest.mark.parametrize(("likelihood", "y"), CASES)
def test_tilted_moments_are_those_of_quadrature(likelihood, y):
    mean, var = -0.7, 0.6
    t = likelihood.tilted(np.array([y]), np.array([mean]), np.array([var]))
    log_z, first, second = moments(likelihood, y, mean, var)
    np.testing.assert_allclose(t.log_z, log_z, rtol=1e-12)
    np.testing.assert_allclose(mean + var * t.slope, first, rtol=1e-12)
    np.testing.assert_allclose(var + var**2 * t.curvature, second, rtol=1e-11)


@pytest.mark.parametrize(("likelihood", "y"), CASES)
def test_slopes_in_the_parameters_are_those_of_differences(likelihood, y):
    at = np.array([y]), np.array([0.7]), np.array([0.9])
    theta = likelihood.parameters
    differences = central(lambda t: likelihood.with_parameters(t).tilted(*at).log_z[0], theta)
    slopes = likelihood.parameter_slopes(*at)[0]
    np.testing.assert_allclose(slopes, differences, rtol=1e-8, atol=1e-10)


def test_parameters_make_the_same_likelihood_again():
    np.testing.assert_allclose(
        ORDINAL.with_parameters(ORDINAL.parameters).thresholds, ORDINAL.thresholds, rtol=1e-14
    )
    again = NULL.with_parameters(NULL.parameters)
    assert (again.bias, again.rates) == (NULL.bias, NULL.rates)
    np.testing.assert_allclose(again.noise_var, NULL.noise_var, rtol=1e-14)


def test_probabilities_are_those_of_the_tilted_normalisers_and_sum_to_one():
    mean, var = np.array([0.3, -2.0, 40.0]), np.array([1.0, 0.5, 2.0])
    found = ORDINAL.probabilities(mean, var)
    for c in range(4):
        log_z = ORDINAL.tilted(np.full(3, c), mean, var).log_z
        np.testing.assert_allclose(found[:, c], np.exp(log_z), rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-15)
    both = NULL.probabilities(mean, var)
    z = [NULL.tilted(np.full(3, c), mean, var).log_z for c in (0, 1)]
    np.testing.assert_allclose(both[:, 1], np.exp(z[1] - np.logaddexp(*z)), rtol=1e-12)


@pytest.mark.parametrize(("low", "high"), [(-40.0, -39.0), (39.0, 40.0), (-np.inf, -38.0), (8, 9)])
def test_the_logarithm_of_an_interval_keeps_its_digits_in_both_tails(low, high):
    with mpmath.workdps(400):
        a, b = (mpmath.mpf(v) for v in (low, high))
        expected = float(mpmath.log(mpmath.ncdf(b) - mpmath.ncdf(a)))
    np.testing.assert_allclose(log_between(np.array([low]), np.array([high])), expected, rtol=1e-13)


def test_classes_far_from_their_place_stay_log_concave():
    mean, var = np.array([-200.0, 200.0, 1e6]), np.array([1.0, 9.0, 1e-3])
    for c in range(4):
        t = ORDINAL.tilted(np.full(3, c), mean, var)
        assert np.isfinite(t.log_z).all()
        assert (t.curvature <= 0.0).all()
        assert (1.0 + t.curvature * var > 0.0).all()


def test_thresholds_from_shares_give_these_shares():
    shares = np.array([0.2, 0.5, 0.3])
    found = Ordinal.of_shares(shares, 3.0).probabilities(np.zeros(1), np.array([3.0]))
    np.testing.assert_allclose(found[0], shares, rtol=1e-12)
