"""Forecasts within a support: quadrature, sums and orthant probabilities, and what they keep."""

from itertools import pairwise

import numpy as np
import pytest
from distribution_cases import KINDS, WITH_ATOMS, B, H, gaussian
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from gpforecast.results import Censored, Gaussian, Paths, Support
from gpforecast.results.censored import within

LEVELS = np.array([0.001, 0.025, 0.3, 0.5, 0.8, 0.999])
POSITIVE, COUNT = Support(0.0), Support(0.0, whole=True)


def normal(mean, std):
    """A Gaussian of one step."""
    return Gaussian(np.array([mean]), np.array([[std**2]]), np.array([0.9 * std**2]))


def integral(function, edges):
    """An integral between edges, where the function may have kinks."""
    edges = np.unique(edges)
    return sum(integrate.quad(function, a, b, epsabs=1e-13)[0] for a, b in pairwise(edges))


@settings(max_examples=20, deadline=None)
@given(mean=st.floats(-3, 6), std=st.floats(0.2, 5), top=st.floats(0.5, 9), truth=st.floats(-1, 10))
@pytest.mark.parametrize("bounded", [False, True])
def test_moments_and_score_of_a_censored_gaussian_are_integrals(mean, std, top, truth, bounded):
    d = Censored(normal(mean, std), Support(0.0, top if bounded else np.inf))
    x = stats.norm(mean, std)
    high = top if bounded else max(mean + 9 * std, 1.0)
    cuts = np.clip([0.0, high, *(mean + k * std for k in range(-8, 9, 2))], 0.0, high)
    first = integral(x.sf, cuts)
    second = integral(lambda y: 2 * y * x.sf(y), cuts)
    assert d.mean[0] == pytest.approx(first, rel=1e-8, abs=1e-10)
    assert d.var[0] == pytest.approx(second - first**2, rel=1e-7, abs=1e-10)
    inside = np.clip(truth, 0.0, high)
    score = integral(lambda y: (x.cdf(y) - (y >= inside)) ** 2, [*cuts, inside])
    expected = score + abs(truth - inside)
    assert d.crps(np.array([truth]))[0] == pytest.approx(expected, rel=1e-7, abs=1e-10)


@settings(max_examples=20, deadline=None)
@given(mean=st.floats(-3, 20), std=st.floats(0.2, 8), truth=st.integers(0, 30))
def test_counts_are_sums_over_whole_numbers(mean, std, truth):
    d, k = Censored(normal(mean, std), COUNT), np.arange(200)
    F = stats.norm(mean, std).cdf(k + 0.5)
    p = np.diff(F, prepend=0.0)
    assert d.mean[0] == pytest.approx(p @ k, rel=1e-9, abs=1e-12)
    assert d.var[0] == pytest.approx(p @ (k - p @ k) ** 2, rel=1e-8, abs=1e-12)
    y = np.array([float(truth)])
    assert d.crps(y)[0] == pytest.approx(((F - (k >= truth)) ** 2).sum(), rel=1e-9, abs=1e-12)
    assert d.cdf(y)[0] == pytest.approx(F[truth], abs=1e-14)
    np.testing.assert_allclose(np.exp(-d.nlpd(y)), p[truth], rtol=1e-6, atol=1e-14)
    assert d.nlpd(y + 0.5)[0] == np.inf


@pytest.mark.parametrize("kind", WITH_ATOMS)
def test_nothing_lies_outside_the_support(kind):
    d = KINDS[kind]()
    for values in (d.quantile(LEVELS), d.sample(500, np.random.default_rng(0))):
        assert d.support.contains(values).all()
    assert (d.mean >= d.support.low).all()
    assert (d.mean <= d.support.high).all()
    far = np.full((B, H), -1e3)
    np.testing.assert_array_equal(d.cdf(far), 0.0)
    np.testing.assert_allclose(d.crps(far) - d.crps(far + 100.0), 100.0, rtol=1e-9)
    if d.paths is None:
        np.testing.assert_array_equal(d.nlpd(far), np.inf)
        np.testing.assert_array_equal(d.logpdf(far), -np.inf)


@pytest.mark.parametrize("kind", WITH_ATOMS)
def test_a_quantile_is_the_least_value_of_its_probability(kind):
    d = KINDS[kind]()
    coarse = 1e-9 if d.paths is None else 1.01 / d.paths.shape[-1]
    for i, level in enumerate(LEVELS):
        q = d.quantile(LEVELS)[..., i]
        assert (d.cdf(q) >= level - coarse).all()
        assert (d.cdf(q - 1e-9) <= level + max(coarse, 1e-7)).all()


@pytest.mark.parametrize("kind", ["gaussian", "power", "paths", "mixture of kinds"])
def test_without_bounds_nothing_changes(kind):
    source = KINDS[kind]()
    d, y = Censored(source, Support()), np.full((B, H), 1.3)
    for name in ("mean", "var", "latent_var"):
        np.testing.assert_allclose(getattr(d, name), getattr(source, name), rtol=1e-3)
    for name in ("cdf", "nlpd", "logpdf"):
        np.testing.assert_allclose(getattr(d, name)(y), getattr(source, name)(y), rtol=1e-9)
    np.testing.assert_allclose(d.crps(y), source.crps(y), rtol=1e-3)
    np.testing.assert_array_equal(d.quantile(LEVELS), source.quantile(LEVELS))


def test_covariance_is_that_of_bivariate_integrals():
    m, s, rho = np.array([0.3, -0.4]), np.array([1.0, 2.0]), 0.7
    S = np.array([[1.0, rho * 2], [rho * 2, 4.0]])
    d = Censored(Gaussian(m, S, np.diag(S)), Support(0.0))
    # E[y1 y2] is the integral of P(x1 > a, x2 > b) over a, b > 0.
    t, w = np.polynomial.legendre.leggauss(40)
    a, b = (0.5 * (t + 1.0) * (mean + 8 * std) for mean, std in zip(m, s, strict=True))
    x = stats.multivariate_normal(-m, S)
    both = x.cdf(np.stack(np.meshgrid(-a, -b, indexing="ij"), axis=-1))
    weight = np.outer(w, w) * 0.25 * (m[0] + 8 * s[0]) * (m[1] + 8 * s[1])
    expected = (weight * both).sum() - d.mean.prod()
    np.testing.assert_allclose(d.covariance[0, 1], expected, rtol=1e-3)


def test_joint_density_is_that_of_the_source_inside_and_none_at_a_bound():
    source = gaussian(batch=None, size=1.5)
    d = Censored(source, Support(0.5))
    above = np.array([1.7, 0.6, 2.0, 3.0])
    assert d.logpdf(above) == pytest.approx(source.logpdf(above), rel=1e-9)
    with pytest.raises(ValueError, match="have no joint density"):
        d.logpdf(np.array([1.7, 0.5, 2.0, 0.5]))


def test_the_transform_of_many_equal_truths_is_uniform():
    n = 20_000
    many = Gaussian(np.full((n, 1), 0.2), np.ones((n, 1, 1)), np.ones((n, 1)))
    d = Censored(many, COUNT)
    truth = d.sample(1, np.random.default_rng(3))[..., 0]
    assert len(np.unique(truth)) < 8
    assert stats.kstest(d.pit(truth)[:, 0], "uniform").pvalue > 1e-3


# What a forecast becomes


@settings(max_examples=20, deadline=None)
@given(mean=st.floats(0.05, 20), ratio=st.floats(0.05, 4))
def test_mean_and_variance_stay_where_many_values_were_at_the_bound(mean, ratio):
    std = ratio * mean
    d = within(normal(mean, std), Support(0.0, at_low=1.0))
    assert d.mean[0] == pytest.approx(mean, rel=1e-4)
    assert d.var[0] == pytest.approx(std**2, rel=1e-3)


@settings(max_examples=20, deadline=None)
@given(mean=st.floats(-20, 20), std=st.floats(0.01, 30), share=st.floats(0, 1))
def test_a_forecast_keeps_its_width_and_puts_no_more_at_the_bound_than_there_was(mean, std, share):
    d = within(normal(mean, std), Support(0.0, at_low=share))
    assert d.source.std[0] >= std * (1 - 1e-12)
    at_bound = max(share, stats.norm(mean, std).cdf(0.0))
    assert d.cdf(np.zeros(1))[0] <= at_bound + 1e-6


def test_paths_move_with_their_moments():
    rng = np.random.default_rng(0)
    drawn = 0.3 + 0.7 * rng.standard_normal((2, 4000))
    d = within(Paths.of(drawn, 0.4 * np.ones(2)), Support(0.0, at_low=0.9))
    np.testing.assert_allclose(d.mean, 0.3, atol=0.02)
    np.testing.assert_array_equal(d.paths, np.maximum(d.source.paths, 0.0))
