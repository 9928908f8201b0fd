"""Trials of sets of lags, compared with explicit algebra."""

import numpy as np
import pytest

from gpforecast.automatic.grid import Hyperparameters
from gpforecast.automatic.lags.trial import Snapshots, tried


def covariance(A, B, found):
    squared = ((A[:, None] - B[None]) ** 2).sum(-1)
    return found.variance * np.exp(-0.5 * squared / found.lengthscale**2)


def wave(n, seed=0):
    z = np.sin(0.3 * np.arange(n)) + 0.1 * np.random.default_rng(seed).normal(size=n)
    return (z - z.mean()) / z.std()


def test_forecasts_are_those_of_a_process_fitted_before_the_origin():
    lags = (2, 3, 7)
    z = wave(120)
    trial = tried(z, lags, longest=20, horizon=15)
    found = trial.found
    want = []
    # Half of the targets lie before the end of the first forecast, and the last ends the series.
    for origin in np.linspace((20 + 120) // 2 - 15, 105, 12).astype(int):
        at = np.arange(20, origin)
        X = np.array([[z[t - lag] for lag in lags] for t in at])
        K = covariance(X, X, found) + found.noise_var * np.eye(len(at))
        weights = np.linalg.solve(K, z[at])
        values = list(z[:origin])
        for _ in range(15):
            x = np.array([[values[-lag] for lag in lags]])
            values.append(float((covariance(x, X, found) @ weights)[0]))
        want.append(np.abs(np.array(values[origin:]) - z[origin : origin + 15]).mean())
    # A leading block of the factor and a new fit differ by rounding, which fifteen steps of a
    # stable map do not blow up.
    np.testing.assert_allclose(trial.crps, np.exp(np.log(want).mean()), rtol=1e-6)
    assert trial.score == trial.crps + trial.crps_of_step


def test_the_crps_of_a_step_is_that_of_the_gaussian_of_the_evidence():
    z = np.random.default_rng(0).normal(size=400)
    one = tried((z - z.mean()) / z.std(), (1, 2), longest=2, horizon=0)
    # Noise of variance 1 on 200 rows, each lag at the price of 3 nats; sampling error of 10 %.
    assert one.crps_of_step == pytest.approx(np.exp(6 / 200) / np.sqrt(np.pi), rel=0.1)
    by_evidence = np.exp(6 / 200 - one.found.log_evidence) / np.sqrt(2 * np.pi * np.e)
    assert one.crps_of_step == pytest.approx(by_evidence / np.sqrt(np.pi), rel=1e-12)


def test_without_forecasts_one_step_is_the_score():
    trial = tried(wave(100), (1, 25), longest=25, horizon=0)
    assert trial.score == trial.crps_of_step
    assert np.isnan(trial.crps)


def test_a_set_that_runs_away_has_the_worst_score(monkeypatch):
    monkeypatch.setattr(Snapshots, "mean", lambda _, X: np.full(len(X), np.nan))
    assert tried(wave(100), (1, 2), longest=25, horizon=10).score == np.inf


def test_each_origin_has_weights_of_its_own():
    rng = np.random.default_rng(1)
    X, at = rng.normal(size=(7, 2)), rng.normal(size=(3, 2))
    weights = rng.normal(size=(3, 7))
    k = covariance(at, X, Hyperparameters(0.8, 1.0, 0.0, 0.0))
    found = Snapshots(X / 0.8, weights, 0.8).mean(at)
    np.testing.assert_allclose(found, (k * weights).sum(axis=1), rtol=1e-12)
