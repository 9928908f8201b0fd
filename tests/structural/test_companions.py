"""Companions of a one-step model: mixtures, and what has no logarithm."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from gpforecast.results import Gaussian, Mixture, Warped
from gpforecast.structural import Companion, Companions, StructuralModel
from gpforecast.transforms import Log

Y = np.exp(2.0 + 0.3 * np.random.default_rng(0).standard_normal(40).cumsum())
ENDS = np.array([30, 40])


def companion(y=Y, warp=None, period=None):
    return Companion(StructuralModel(period).fit(y if warp is None else np.log(y)), warp)


def test_a_companion_of_the_logarithm_is_log_normal():
    found = companion(warp=Log())
    joint = found.joint(Y, ENDS, 4)
    assert isinstance(joint, Warped)
    z = found.posterior.ahead(np.log(Y), ENDS, 4)
    std = np.sqrt(np.einsum("bhh->bh", z.covariance))
    levels = [0.05, 0.5, 0.9]
    expected = [stats.lognorm(std, scale=np.exp(z.mean)).ppf(level) for level in levels]
    np.testing.assert_allclose(joint.quantile(levels), np.stack(expected, axis=-1), rtol=1e-10)


def test_what_has_no_logarithm_counts_as_missing():
    found, holes = companion(warp=Log()), Y.copy()
    holes[[10, 35]] = np.nan
    expected = found.joint(holes, ENDS, 4)
    for nothing in (0.0, -3.0):
        y = np.where(np.isnan(holes), nothing, holes)
        np.testing.assert_array_equal(found.joint(y, ENDS, 4).mean, expected.mean)


def test_the_mixture_has_the_parts_and_their_weights():
    companions = Companions((companion(), companion(warp=Log())), np.array([0.5, 0.2, 0.3]))
    own = Gaussian(np.zeros((2, 4)), np.tile(np.eye(4), (2, 1, 1)), np.ones((2, 4)))
    joint = companions.joint(own, Y, ENDS, 4)
    assert isinstance(joint, Mixture)
    parts = (own, *(each.joint(Y, ENDS, 4) for each in companions.companions))
    expected = sum(w * part.cdf(np.full((2, 4), 7.0)) for w, part in zip(
        companions.weights, parts, strict=True
    ))  # fmt: skip
    np.testing.assert_allclose(joint.cdf(np.full((2, 4), 7.0)), expected, rtol=1e-12)
    mean = sum(w * part.mean for w, part in zip(companions.weights, parts, strict=True))
    np.testing.assert_allclose(joint.mean, mean, rtol=1e-12)


@pytest.mark.parametrize(
    ("period", "warp", "words"),
    [
        (None, None, "level and slope"),
        (12, None, "level and slope and a season of 12"),
        (4, Log(), "level and slope and a season of 4 of the logarithm"),
    ],
)
def test_a_companion_says_in_words_what_it_is(period, warp, words):
    assert str(companion(warp=warp, period=period)) == words


def test_a_spread_widens_a_forecast_around_the_same_mean():
    plain, wide = companion(), replace(companion(), spread=1.5)
    one, other = (each.joint(Y, ENDS, 4) for each in (plain, wide))
    np.testing.assert_allclose(other.mean, one.mean, rtol=1e-12)
    np.testing.assert_allclose(other.covariance, 1.5**2 * one.covariance, rtol=1e-12)
    logs = (companion(warp=Log()), replace(companion(warp=Log()), spread=1.5))
    medians = [each.joint(Y, ENDS, 4).quantile([0.5]) for each in logs]
    np.testing.assert_allclose(medians[1], medians[0], rtol=1e-10)
