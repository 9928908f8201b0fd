"""Trials of transforms and of lags, beside explicit algebra."""

import numpy as np
import pytest

from gpforecast.automatic.judge import LagJudge, parts_of
from gpforecast.automatic.judge import trial as trial_of_parts
from gpforecast.scores import crps
from gpforecast.series.embedding import LagEmbedding
from gpforecast.transforms import (
    BoxCox,
    Compose,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
)


def trial_of(y, transforms, lags, horizon):
    return trial_of_parts(parts_of(y, transforms, horizon), lags, horizon)


def trial(y, steps, lags, horizon):
    return trial_of(y, Compose(*steps), lags, horizon).crps


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
            scores.append(crps(y[t], x @ beta, s**2))
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


def test_a_root_is_scored_as_the_distribution_that_it_is():
    y = walk(200) ** 2 + 1.0
    rooted = trial(y, [BoxCox(0.5)], [1, 2], 6)
    # The same forecasts, scored by quantiles: of a root the median is the root's median, squared.
    assert 0.2 < rooted / trial(y, [], [1, 2], 6) < 5.0
    assert trial(1e3 * y, [BoxCox(0.5)], [1, 2], 6) == pytest.approx(1e3 * rooted, rel=1e-6)


def covariance(A, B, found):
    squared = ((A[:, None] - B[None]) ** 2).sum(-1)
    return found.variance * np.exp(-0.5 * squared / found.lengthscale**2)


def wave(n, seed=0):
    z = np.sin(0.3 * np.arange(n)) + 0.1 * np.random.default_rng(seed).normal(size=n)
    return (z - z.mean()) / z.std()


def test_forecasts_are_those_of_a_process_fitted_before_the_origin():
    lags = (2, 3, 7)
    z = wave(120)
    judge = LagJudge(z, longest=20, horizon=15)
    trial = judge.trial(lags)
    found = trial.found
    want = []
    for origin in judge.origins:
        at = np.arange(20, origin)
        X = np.array([[z[t - lag] for lag in lags] for t in at])
        K = covariance(X, X, found) + found.noise_var * np.eye(len(at))
        weights = np.linalg.solve(K, z[at])
        values = list(z[:origin])
        for _ in range(15):
            x = np.array([[values[-lag] for lag in lags]])
            values.append(float((covariance(x, X, found) @ weights)[0]))
        errors = np.abs(np.array(values[origin:]) - z[origin : origin + 15])
        want.append(np.minimum(errors, 1.0).mean())
    # A leading block of the factor and a new fit differ by rounding, which fifteen steps of a
    # stable map do not blow up.
    np.testing.assert_allclose(trial.errors, want, rtol=1e-6)


def test_all_sets_are_judged_on_the_same_targets():
    judge = LagJudge(wave(100), longest=25, horizon=10)
    _, y_few, at_few = judge.rows((1,), 1000)
    X, y_many, at_many = judge.rows((1, 25), 1000)
    np.testing.assert_array_equal(at_few, at_many)
    np.testing.assert_array_equal(y_few, y_many)
    rows = LagEmbedding([1, 25]).transform(judge.z)
    np.testing.assert_array_equal(X, rows.X)


def test_origins_leave_room_for_the_horizon():
    judge = LagJudge(wave(100), longest=25, horizon=10)
    assert judge.origins.min() == 52  # half of the targets lie before the end of its forecast
    assert judge.origins.max() == 90
