"""A mixture of distributions: its parts' closed forms, brute force by samples, its limits."""

import numpy as np
import pytest
from distribution_cases import KINDS, B, H, gaussian
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from gpforecast.results import Gaussian, Mixture, Warped
from gpforecast.transforms import Log

LEVELS = np.array([0.001, 0.1, 0.5, 0.975])
TRUTH = np.array([0.2, 0.9, 1.5, 3.0])
ONE = ["gaussian", "log-normal", "paths"]


def normal(mean, var):
    """A distribution of one step."""
    return Gaussian(np.array([mean]), np.array([[var]]), np.array([var]))


@pytest.mark.parametrize("kind", ONE)
def test_a_mixture_of_one_is_that_one(kind):
    part = KINDS[kind]()
    alone, y = Mixture(np.ones(1), (part,)), np.tile(TRUTH, (B, 1))
    for name in ("mean", "covariance", "var", "latent_var"):
        np.testing.assert_allclose(getattr(alone, name), getattr(part, name), rtol=1e-12)
    for name in ("cdf", "crps", "nlpd", "pit", "logpdf"):
        np.testing.assert_allclose(getattr(alone, name)(y), getattr(part, name)(y), rtol=1e-10)
    np.testing.assert_allclose(alone.quantile(LEVELS), part.quantile(LEVELS), rtol=1e-12)
    rngs = (np.random.default_rng(0) for _ in range(2))
    drawn, n = alone.sample(20_000, next(rngs)), 20_000
    assert (np.abs(drawn.mean(axis=-1) - part.mean) < 5 * np.sqrt(part.var / n)).all()


def test_samples_keep_a_whole_horizon_from_one_part():
    low, high = (Gaussian(np.full(H, m), 1e-6 * np.eye(H), np.ones(H)) for m in (-5.0, 5.0))
    drawn = Mixture(np.array([0.3, 0.7]), (low, high)).sample(4000, np.random.default_rng(0))
    signs = np.sign(drawn)
    assert (signs == signs[0]).all()
    assert abs((signs[0] > 0).mean() - 0.7) < 5 * np.sqrt(0.21 / 4000)


def test_densities_are_sums_of_the_parts():
    weights, parts = np.array([0.6, 0.4]), (gaussian(0, batch=None), gaussian(1, batch=None))
    mixed = Mixture(weights, parts)
    joint = [stats.multivariate_normal(p.mean, p.covariance).pdf(TRUTH) for p in parts]
    each = [stats.norm(p.mean, p.std).pdf(TRUTH) for p in parts]
    np.testing.assert_allclose(mixed.logpdf(TRUTH), np.log(weights @ joint), rtol=1e-10)
    np.testing.assert_allclose(mixed.nlpd(TRUTH), -np.log(weights @ each), rtol=1e-10)
    far = np.full(H, 500.0)  # where every density is too small for a number
    assert np.isfinite(mixed.nlpd(far)).all()
    assert np.isfinite(mixed.logpdf(far))


@settings(max_examples=20)
@given(
    means=st.tuples(st.floats(-20, 20), st.floats(-20, 20)),
    sds=st.tuples(st.floats(0.05, 20), st.floats(0.05, 20)),
    weight=st.floats(0.01, 0.99),
    level=st.floats(0.001, 0.999),
)
def test_quantile_is_the_inverse_of_the_probability(means, sds, weight, level):
    parts = tuple(normal(m, s**2) for m, s in zip(means, sds, strict=True))
    mixed = Mixture(np.array([weight, 1 - weight]), parts)
    found = mixed.quantile([level])[:, 0]
    least, most = sorted(part.quantile([level])[0, 0] for part in parts)
    assert least - 1e-9 <= found[0] <= most + 1e-9
    assert mixed.cdf(found)[0] == pytest.approx(level, abs=1e-9)


def disagreement(*parts, weights):
    """The sum of w_j w_k int (F_j - F_k)^2 dx over all pairs, on a fine grid."""
    grid = np.exp(np.linspace(-6, 8, 200_001))
    F = [
        np.array([d.over(np.array([k])).cdf(grid[:, None])[:, 0] for k in range(H)]) for d in parts
    ]
    return sum(
        weights[i] * weights[j] * integrate.trapezoid((F[i] - F[j]) ** 2, grid)
        for i in range(len(parts))
        for j in range(i)
    )


@pytest.mark.parametrize("n", [2, 8])
def test_the_score_is_the_average_of_the_components_less_what_they_differ_by(n):
    parts = tuple(Warped(gaussian(seed, batch=None), Log()) for seed in range(n))
    w = np.arange(1.0, n + 1.0) / (n * (n + 1) / 2)
    apart = disagreement(*parts, weights=w)
    for truth in (TRUTH, TRUTH + 1e3):
        expected = sum(p * part.crps(truth) for p, part in zip(w, parts, strict=True)) - apart
        np.testing.assert_allclose(Mixture(w, parts).crps(truth), expected, rtol=1e-6 * n**2)
    assert np.isnan(Mixture(w, parts).crps(np.full(H, np.nan))).all()


def test_a_component_without_weight_has_no_part_in_the_score_however_wide_it_is():
    part, wild = (Warped(Gaussian(np.zeros(H), v * np.eye(H), np.ones(H)), Log()) for v in (1, 1e4))
    mixed = Mixture(np.array([1.0, 0.0]), (part, wild))
    np.testing.assert_allclose(mixed.crps(TRUTH), part.crps(TRUTH), rtol=1e-10)


def test_the_note_of_a_mean_above_the_interval_is_of_the_mixture_and_not_of_a_part():
    mild = Warped(Gaussian(np.zeros(H), 16.0 * np.eye(H), np.ones(H)), Log())
    wild = Warped(Gaussian(np.zeros(H), 100.0 * np.eye(H), np.ones(H)), Log())
    mixed = Mixture(np.array([0.9, 0.1]), (mild, wild))
    times = (mixed.mean / mixed.quantile([0.5])[:, 0]).max()
    assert f"at {H} of {H} steps, up to {times:.2g} times the median" in mixed.remarks()[0]
    # Of a part that is half, the interval of both goes further than their mean.
    narrow = Warped(Gaussian(np.full(H, 12.0), 1e-2 * np.eye(H), np.ones(H)), Log())
    assert mild.remarks()
    assert Mixture(np.array([0.5, 0.5]), (narrow, mild)).remarks() == ()


@pytest.mark.parametrize(
    ("weights", "words"),
    [([0.5], "one for each part, 2; got 1"), ([0.5, 0.6], "sum 1"), ([1.5, -0.5], "sum 1"),
     ([np.nan, 1.0], "missing")],
)  # fmt: skip
def test_weights_that_are_no_probabilities_of_the_parts_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        Mixture(np.array(weights), (gaussian(), gaussian(1)))
