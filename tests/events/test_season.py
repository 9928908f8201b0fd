"""The season as an input of a forecaster of classes, and the prior of its default model."""

import numpy as np
import pandas as pd
import pytest
from event_cases import binary, by_all_paths, fixed

import gpforecast as gf
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.events.fit import period_of
from gpforecast.models.events.event_evidence import EventEvidence
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.models.evidence import Evidence


def winters(n=120, seed=0, freq="MS"):
    """Events of half of the year, with one in ten turned around."""
    t, rng = np.arange(n), np.random.default_rng(seed)
    found = np.cos(2 * np.pi * t / 12) > 0
    found ^= rng.random(n) < 0.1
    return pd.Series(found, pd.date_range("2000-01-01", periods=n, freq=freq), name="frost")


def test_a_season_is_found_where_there_is_one_and_not_in_noise():
    forecaster = gf.EventForecaster(2).fit(winters())
    assert forecaster.fitted_.season == 12
    assert "a season of 12 steps is an input" in forecaster.notes_[0]
    p = forecaster.predict(12).probabilities[True].to_numpy()
    assert p[[0, 1, 11]].min() > 0.7
    assert p[5:8].max() < 0.3
    assert gf.EventForecaster(2).fit(binary()).fitted_.season is None
    assert gf.EventForecaster(2, season_length=1).fit(winters()).fitted_.season is None
    assert gf.EventForecaster(2).fit(winters().to_numpy()).fitted_.season is None
    given = gf.EventForecaster(2, season_length=12).fit(winters().to_numpy())
    np.testing.assert_allclose(given.predict(12).probabilities[True], p, atol=1e-12)


def test_a_forecast_with_a_season_is_the_sum_over_all_paths_at_its_phases():
    series = winters()
    forecaster = gf.EventForecaster(2, model=fixed(), season_length=12.5).fit(series)
    angle = 2 * np.pi * np.arange(120, 124) / 12.5
    inputs = np.column_stack([np.sin(angle), np.cos(angle)])
    expected = by_all_paths(forecaster, series.astype(int).tolist(), 4, exog=inputs)
    np.testing.assert_allclose(forecaster.predict(4).probabilities, expected, rtol=1e-9)


def test_a_season_stands_beside_inputs_and_their_lags():
    series = winters()
    u = pd.Series(np.random.default_rng(1).standard_normal(124), name="u")
    for lags in (None, [4], {"u": [0, 2]}):
        known = u[:120].set_axis(series.index)
        forecaster = gf.EventForecaster(1, exog_lags=lags, model=fixed(), season_length=12)
        forecaster.fit(series, exog=known)
        columns = 1 if lags is None else len(lags["u"] if isinstance(lags, dict) else lags)
        assert forecaster.model_.posterior_.n_inputs == 1 + columns + 2
        future = None if lags == [4] else u[120:].to_numpy()
        assert forecaster.predict(4, exog=future).probabilities.shape == (4, 2)


def test_origins_of_a_backtest_have_the_phases_of_their_times():
    series, horizon = winters(), 3
    forecaster = gf.EventForecaster(1, model=fixed(), season_length=12)
    found = forecaster.backtest(series, horizon, origins=[70, 93])
    fitted = gf.EventForecaster(1, model=fixed(), season_length=12).fit(series[:60])
    for origin, p in zip(found.origins, found.probabilities, strict=True):
        angle = 2 * np.pi * np.arange(origin, origin + horizon) / 12
        inputs = np.column_stack([np.sin(angle), np.cos(angle)])
        past = series[:origin].astype(int).tolist()
        np.testing.assert_allclose(p, by_all_paths(fitted, past, horizon, exog=inputs), rtol=1e-9)


@pytest.mark.parametrize(
    ("freq", "period"), [("MS", 12), ("h", 24), ("W", 52.1775), ("YS", None), ("2D", None)]
)
def test_the_season_of_an_index_is_that_of_its_frequency(freq, period):
    assert period_of(pd.date_range("2024-01-01", periods=9, freq=freq)) == period


def test_a_season_that_is_named_must_fit_into_the_series_twice():
    forecaster = gf.EventForecaster(2, season_length=12)
    with pytest.raises(ValueError, match="at most half as long as the series; got 12 and 23"):
        forecaster.fit(winters(23))
    assert forecaster.fit(winters(24)).fitted_.season == 12


def test_a_prior_of_some_width_is_a_normal_density_of_the_logarithms():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((25, 2)), (rng.random(25) < 0.5).astype(float)
    k, likelihood = SquaredExponential(1.0, 0.5) + Linear(0.3), Ordinal(np.array([0.1]))
    options = {"weak_prior": True, "prior_std": 0.7}
    problem = EventEvidence.started(X, y, k, 1.0, y_var=1.0, likelihood=likelihood, **options)
    flat = EventEvidence.started(X, y, k, 1.0, y_var=1.0, likelihood=likelihood)
    assert isinstance(problem, Evidence)
    theta = problem.start + 0.4 * rng.standard_normal(len(problem.start))
    off = (theta - problem.start) / [0.7, 0.7, 0.7, 2.0]
    # Both evidences are of one fixed point, to the tolerance of the sites.
    apart = problem.value(theta) - flat.value(theta)
    np.testing.assert_allclose(apart, 0.5 * off @ off, atol=1e-5)
    slopes = problem.negative(theta)[1] - flat.negative(theta)[1]
    np.testing.assert_allclose(slopes, off / [0.7, 0.7, 0.7, 2.0], atol=1e-3)
