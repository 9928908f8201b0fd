"""Probabilities of classes over a horizon, against sums over every path; and the season in them."""

import numpy as np
import pandas as pd
import pytest
from event_cases import binary, by_all_paths, fixed, next_probabilities, ordered
from scipy.stats import norm

import gpforecast as gf
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.events.distributions import _above
from gpforecast.events.fit import period_of
from gpforecast.models.events.event_evidence import EventEvidence
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.models.evidence import Evidence
from gpforecast.propagation import MonteCarlo

# Probabilities of classes over a horizon, against sums over every path, and against sampling


METHODS = ["enumerate", "exact", "taylor", "cubature", "naive", MonteCarlo(200, seed=0)]
CASES = {"binary, lags 1 and 3": (binary, [1, 3]), "ordered": (ordered, 2)}


def forecast(series, lags, propagation, horizon, **options):
    forecaster = gf.EventForecaster(lags, model=fixed(), propagation=propagation, **options)
    forecaster.fit(series)
    return forecaster, forecaster.predict(horizon)


def codes(series):
    return pd.Series(series).astype("category").cat.codes.to_numpy()


def within_five_errors(share, p, n):
    error = np.sqrt(p * (1.0 - p) / n)
    assert (np.abs(share - p) <= 5.0 * error + 1e-12).all()


@pytest.mark.parametrize("method", METHODS[:-1], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_the_first_step_is_what_the_model_itself_says(case, method):
    make, lags = CASES[case]
    series = make()
    forecaster, f = forecast(series, lags, method, 3)
    expected = next_probabilities(forecaster, codes(series))
    np.testing.assert_allclose(f.probabilities.iloc[0], expected, rtol=1e-12)
    assert (f.probabilities.to_numpy() >= 0.0).all()
    np.testing.assert_allclose(f.probabilities.sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_enumeration_is_the_sum_over_all_paths(case):
    make, lags = CASES[case]
    series = make()
    forecaster, f = forecast(series, lags, "enumerate", 5)
    np.testing.assert_allclose(
        f.probabilities, by_all_paths(forecaster, codes(series), 5), rtol=1e-12
    )


@pytest.mark.parametrize(
    ("case", "method", "apart"),
    [
        ("binary, lags 1 and 3", "taylor", 0.05),
        ("binary, lags 1 and 3", "exact", 0.03),
        ("ordered", "exact", 0.05),
    ],
)
def test_moments_of_indicators_are_near_the_sum_over_all_paths(case, method, apart):
    make, lags = CASES[case]
    series = make()
    forecaster, f = forecast(series, lags, method, 5)
    p = by_all_paths(forecaster, codes(series), 5)
    assert np.abs(f.probabilities.to_numpy() - p).max() < apart
    plug_in = forecast(series, lags, "naive", 5)[1].probabilities.to_numpy()
    assert np.abs(plug_in[1:] - p[1:]).max() > 1e-3  # the uncertain lag does matter


def test_slopes_of_the_indicators_are_differences_of_their_means():
    """dP(c > i) / dm, with which a class moves with all that came before."""
    likelihood, h = Ordinal(np.array([-0.4, 0.3, 1.5])), 1e-5
    mean, var = np.array([-1.0, 0.2, 2.5]), np.array([0.1, 1.0, 3.0])
    q, slopes = _above(likelihood, mean, var)
    expected = norm.sf((likelihood.thresholds - mean[:, None]) / np.sqrt(1.0 + var[:, None]))
    np.testing.assert_allclose(q, expected, rtol=1e-12)
    up, down = (_above(likelihood, mean + d, var)[0] for d in (h, -h))
    np.testing.assert_allclose(slopes, (up - down) / (2.0 * h), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_monte_carlo_agrees_with_enumeration_within_five_standard_errors(case):
    make, lags = CASES[case]
    series, n = make(), 4000
    p = forecast(series, lags, "enumerate", 6)[1].probabilities.to_numpy()
    f = forecast(series, lags, MonteCarlo(n, seed=1), 6)[1]
    within_five_errors(f.probabilities.to_numpy(), p, n)


@pytest.mark.parametrize(
    ("method", "apart"), [("enumerate", 0.0), ("exact", 0.03), (MonteCarlo(4000, seed=4), 0.0)]
)
def test_steps_of_a_path_depend_on_each_other_as_in_the_chain(method, apart):
    """P(event at steps 1 and 2) of drawn paths, against the product along the chain."""
    series, n = binary(), 4000
    forecaster, f = forecast(series, 1, method, 2)
    past = list(codes(series))
    p = next_probabilities(forecaster, past)[1] * next_probabilities(forecaster, [*past, 1])[1]
    share = f.sample(n, seed=5).astype(bool).all(axis=0).mean()
    assert abs(share - p) < 5.0 * np.sqrt(p * (1.0 - p) / n) + apart
    apart_from_independence = p - f.probabilities[True].prod()
    assert apart_from_independence > 0.02  # else the test could not tell


@pytest.mark.parametrize("method", ["enumerate", "exact"])
def test_inputs_stand_beside_the_indicators_of_several_classes(method):
    rng = np.random.default_rng(4)
    u = pd.DataFrame({"u": rng.standard_normal(124), "v": rng.standard_normal(124)})
    y = pd.Series(np.digitize(u["u"] - u["v"] + 0.3 * rng.standard_normal(124), [-0.7, 0.7]))
    forecaster = gf.EventForecaster(2, model=fixed(), propagation=method)
    p = forecaster.fit(y[:120], exog=u[:120]).predict(4, exog=u[120:]).probabilities.to_numpy()
    scaled = ((u - u[:120].mean()) / u[:120].std(ddof=0))[120:].to_numpy()
    expected = by_all_paths(forecaster, codes(y[:120]), 4, scaled)
    np.testing.assert_allclose(p[0], expected[0], rtol=1e-9)
    np.testing.assert_allclose(p, expected, atol=1e-9 if method == "enumerate" else 0.05)


def test_lagged_inputs_come_from_the_past_and_the_future():
    rng = np.random.default_rng(2)
    u = pd.Series(rng.standard_normal(210), name="u")
    y = u.shift(2).fillna(0.0) > 0.0
    forecaster = gf.EventForecaster([1], exog_lags=[2]).fit(y[:200], exog=u[:200])
    p = forecaster.predict(4, exog=u[200:204]).probabilities[True]
    assert ((p > 0.5) == y[200:204]).all()
    # Two steps ahead the inputs are known by now, and none is asked for.
    both = forecaster.predict(2), forecaster.predict(2, exog=u[200:202])
    pd.testing.assert_frame_equal(*(f.probabilities for f in both))
    np.testing.assert_array_equal(
        forecaster.predict(4, exog=[*u[200:202], np.nan, np.nan]).probabilities[True], p
    )
    with pytest.raises(ValueError, match="fitted with exogenous inputs"):
        forecaster.predict(3)
    with pytest.raises(ValueError, match="exog must be known at each of its lags; got a missing"):
        forecaster.predict(4, exog=[0.0, np.nan, 0.0, 0.0])


def test_automatic_propagation_enumerates_few_pasts_and_takes_moments_of_many():
    series = binary()
    few = gf.EventForecaster(3, model=fixed()).fit(series)
    assert few.predict(20).propagation == "auto: enumerate"
    many = gf.EventForecaster(14, model=fixed()).fit(series)
    assert many.predict(5).propagation == "auto: enumerate"
    assert many.predict(20).propagation == "auto: exact"
    seasonal = gf.EventForecaster([1, 24], model=fixed()).fit(series)
    assert seasonal.predict(20).propagation == "auto: enumerate"  # lag 24 is known


def test_a_forecast_of_many_steps_begins_as_one_of_few():
    forecaster = gf.EventForecaster(2, model=fixed()).fit(ordered())
    for method in ("enumerate", "exact"):
        forecaster.propagation = method
        few, many = forecaster.predict(4), forecaster.predict(9)
        np.testing.assert_allclose(few.probabilities, many.probabilities.iloc[:4], rtol=1e-9)


def test_the_relevance_vector_classifier_can_be_the_model():
    model = gf.models.RelevanceVectorClassifier(2.0)
    f = gf.EventForecaster(2, model=model, propagation="exact").fit(binary()).predict(3)
    np.testing.assert_allclose(f.probabilities.sum(axis=1), 1.0)


# The season as an input of a forecaster of classes, and the prior of its default model


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
