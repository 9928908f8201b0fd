"""The quick trial of transforms, beside explicit algebra and quadrature."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from gpforecast.automatic.trial import crps_log_normal, crps_normal, trial
from gpforecast.transforms import Deterministic, Difference, Log, SeasonalDifference


def by_quadrature(distribution, y):
    """The integral of (F(x) - 1[x >= y])^2."""
    below = quad(lambda x: distribution.cdf(x) ** 2, distribution.ppf(1e-13), y, epsabs=1e-10)[0]
    above = quad(lambda x: distribution.sf(x) ** 2, y, distribution.isf(1e-13), epsabs=1e-10)[0]
    return below + above


@pytest.mark.parametrize(("y", "mean", "s"), [(0.3, 0.0, 1.0), (2.0, -1.0, 0.7), (-1.0, 0.5, 2.0)])
def test_crps_of_a_normal_distribution_is_its_integral(y, mean, s):
    expected = by_quadrature(stats.norm(mean, s), y)
    np.testing.assert_allclose(crps_normal(y, mean, s), expected, rtol=1e-7)


@pytest.mark.parametrize(("y", "mean", "s"), [(1.3, 0.0, 0.5), (0.2, 0.4, 0.8), (5.0, 1.0, 0.3)])
def test_crps_of_a_log_normal_distribution_is_its_integral(y, mean, s):
    expected = by_quadrature(stats.lognorm(s, scale=np.exp(mean)), y)
    np.testing.assert_allclose(crps_log_normal(y, mean, s), expected, rtol=1e-7)


def test_a_log_normal_forecast_that_is_far_too_wide_is_as_bad_as_can_be():
    assert crps_log_normal(np.array(1.0), np.array(0.0), np.array(60.0)) == np.inf


def walk(n=120, seed=0):
    return np.cumsum(np.random.default_rng(seed).standard_normal(n))


def test_one_step_of_an_autoregression_is_scored_as_by_hand():
    y = walk()
    scores = []
    for start, stop in ((84, 96), (96, 108), (108, 120)):
        X = np.column_stack([np.ones(start - 1), y[: start - 1]])
        beta, rss = np.linalg.lstsq(X, y[1:start], rcond=None)[:2]
        noise = rss[0] / (start - 3)
        V = noise * np.linalg.inv(X.T @ X)
        for t in np.unique(np.linspace(start, min(stop, 119), 8).astype(int)):
            x = np.array([1.0, y[t - 1]])
            s = np.sqrt(x @ V @ x + noise)
            scores.append(crps_normal(y[t], x @ beta, s))
    np.testing.assert_allclose(trial(y, [], [1], 1), np.mean(scores), rtol=1e-6)


def test_what_suits_a_series_scores_best():
    y = walk(300)
    assert trial(y, [Difference()], [1], 12) < trial(y, [], [1], 12)
    t = np.arange(240)
    noisy = np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(1).standard_normal(240)
    fixed = trial(noisy, [Deterministic(1, 6, 12)], [1], 24)
    assert fixed < trial(noisy, [SeasonalDifference(12)], [1], 24) < trial(noisy, [], [1], 24)
    grown = np.exp(0.01 * t + 0.1 * walk(240, 2))
    assert trial(grown, [Log(), Difference()], [1], 12) < trial(grown, [Difference()], [1], 12)


def test_units_of_the_series_are_those_of_the_score():
    y = walk(200)
    for steps in ([], [Difference()], [SeasonalDifference(12)]):
        once, scaled = trial(y, steps, [1, 2], 12), trial(1e3 * y + 5e4, steps, [1, 2], 12)
        np.testing.assert_allclose(scaled, 1e3 * once, rtol=1e-5)


def test_what_a_short_series_cannot_pay_for_is_infinitely_bad():
    assert trial(walk(30), [SeasonalDifference(24)], [1], 4) == np.inf
    assert trial(walk(30), [], list(range(1, 13)), 4) == np.inf
