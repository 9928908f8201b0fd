import numpy as np
import pytest

from gpforecast.automatic.lags.judging import Hyperparameters, Judge, on_grid
from gpforecast.series.embedding import LagEmbedding


def covariance(A, B, found):
    squared = ((A[:, None] - B[None]) ** 2).sum(-1)
    return found.variance * np.exp(-0.5 * squared / found.lengthscale**2)


def log_normal(X, y, found):
    K = covariance(X, X, found) + found.noise_var * np.eye(len(y))
    sign, log_det = np.linalg.slogdet(K)
    assert sign > 0
    return -0.5 * (y @ np.linalg.solve(K, y) + log_det + len(y) * np.log(2 * np.pi))


def wave(n, seed=0):
    z = np.sin(0.3 * np.arange(n)) + 0.1 * np.random.default_rng(seed).normal(size=n)
    return (z - z.mean()) / z.std()


def test_the_evidence_of_the_grid_is_that_of_the_process():
    z = wave(90)
    X, y = np.column_stack([z[1:-1], z[:-2]]), z[2:]
    found = on_grid(X, y)
    np.testing.assert_allclose(len(y) * found.log_evidence, log_normal(X, y, found), rtol=1e-9)


def test_the_signal_variance_is_the_best_for_its_shape():
    z = wave(90)
    X, y = np.column_stack([z[1:-1], z[:-2]]), z[2:]
    found = on_grid(X, y)
    for factor in (0.9, 1.1):
        other = Hyperparameters(
            found.lengthscale, factor * found.variance, factor * found.noise_var, 0.0
        )
        assert log_normal(X, y, other) < log_normal(X, y, found)


def test_white_noise_is_explained_by_noise():
    rng = np.random.default_rng(0)
    found = on_grid(rng.normal(size=(150, 3)), rng.normal(size=150))
    assert found.noise_var > 0.3


def test_forecasts_are_those_of_a_process_fitted_before_the_origin():
    lags = (2, 3, 7)
    z = wave(120)
    judge = Judge(z, reach=20, horizon=15)
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
    judge = Judge(wave(100), reach=25, horizon=10)
    _, y_few, at_few = judge.rows((1,), 1000)
    X, y_many, at_many = judge.rows((1, 25), 1000)
    np.testing.assert_array_equal(at_few, at_many)
    np.testing.assert_array_equal(y_few, y_many)
    rows = LagEmbedding([1, 25]).transform(judge.z)
    np.testing.assert_array_equal(X, rows.X)


def test_origins_leave_room_for_the_horizon():
    judge = Judge(wave(100), reach=25, horizon=10)
    assert judge.origins.min() == 52  # half of the targets lie before the end of its forecast
    assert judge.origins.max() == 90


def test_a_perfect_map_has_next_to_no_error_and_noise_much():
    clean = np.sin(0.37 * np.arange(200)) * np.sqrt(2)
    assert Judge(clean, 20, 30).trial((1, 2)).score < 1e-3
    noise = np.random.default_rng(0).normal(size=200)
    assert 0.5 < Judge(noise, 20, 30).trial((1, 2)).score < 0.9


def test_without_a_horizon_the_score_is_minus_the_evidence():
    judge = Judge(wave(100), 10, 0)
    trial = judge.trial((1, 2))
    assert trial.score == -trial.found.log_evidence
    assert trial.score == pytest.approx(-judge.evidence((1, 2)).log_evidence)
