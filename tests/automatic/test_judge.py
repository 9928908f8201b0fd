"""Trials of sets of lags, compared with explicit algebra."""

import numpy as np

from gpforecast.automatic.judge import LagJudge
from gpforecast.series.embedding import LagEmbedding


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
