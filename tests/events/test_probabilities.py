"""Probabilities of classes over a horizon, against sums over every path, and against sampling."""

import numpy as np
import pandas as pd
import pytest
from event_cases import binary, by_all_paths, fixed, next_probabilities, ordered
from scipy.stats import norm

import gpforecast as gf
from gpforecast.events.distributions import _above
from gpforecast.models.events.likelihoods import Ordinal
from gpforecast.propagation import MonteCarlo

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
