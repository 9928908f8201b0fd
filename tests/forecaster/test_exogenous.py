"""Exogenous inputs: their lags, names, order and uncertainty."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, exog_forecaster, fixed, same

import gpforecast as gf
from gpforecast.propagation import MonteCarlo


def test_update_with_exog_equals_a_forecaster_that_knew_them():
    y, exog = driven()
    options = {"exog_lags": {"u": [0], "v": [2]}, "model": fixed(), "noise": "process"}
    fc = gf.Forecaster(1, **options).fit(y.iloc[:120], exog.iloc[:120])
    fc.update(y.iloc[120:150], exog=exog.iloc[120:150, ::-1])
    f = fc.predict(10, exog=exog.iloc[150:])
    # The scales were learned from the first 120 values: give another forecaster the same.
    other = gf.Forecaster(1, **options).fit(y.iloc[:120], exog.iloc[:120])
    other.update(y.iloc[120:140], exog=exog.iloc[120:140])
    other.update(y.iloc[140:150], exog=exog.iloc[140:150])
    same(f, other.predict(10, exog=exog.iloc[150:]), rtol=1e-8)
    assert f.score(y.iloc[150:])["mae"] < 0.15


def test_driven_series_is_forecast_much_better_with_its_input():
    y, exog = driven()
    train, test = slice(0, 140), slice(140, 160)
    alone = gf.Forecaster(2).fit(y.iloc[train]).predict(20)
    fc = gf.Forecaster(2, exog_lags={"u": [0], "v": [2]}).fit(y.iloc[train], exog.iloc[train])
    both = fc.predict(20, exog=exog.iloc[test])
    truth = y.iloc[test]
    assert both.score(truth)["mae"] < 0.3 * alone.score(truth)["mae"]
    assert both.score(truth)["coverage_95"] >= 0.8


def test_lags_of_exog_are_respected():
    y, exog = driven(70)
    plan = {"u": [0, 3], "v": [1]}
    fc = gf.Forecaster([1, 2], exog_lags=plan, model=fixed(), transforms=None, propagation="naive")
    fc.fit(y.iloc[:60], exog.iloc[:60])
    f = fc.predict(10, exog=exog.iloc[60:])

    z = list((y.iloc[:60] - y.iloc[:60].mean()) / y.iloc[:60].std(ddof=0))
    scaled = (exog - exog.iloc[:60].mean()) / exog.iloc[:60].std(ddof=0)
    u, v = scaled["u"].to_numpy(), scaled["v"].to_numpy()

    def inputs(t):
        return [z[t - 1], z[t - 2], u[t], u[t - 3], v[t - 1]]

    X = np.array([inputs(t) for t in range(3, 60)])
    gp = fixed().fit(X, np.array(z[3:]))
    for t in range(60, 70):
        z.append(float(gp.predict([inputs(t)])[0]))
    expected = y.iloc[:60].mean() + y.iloc[:60].std(ddof=0) * np.array(z[60:])
    np.testing.assert_allclose(f.mean, expected, rtol=1e-9, atol=1e-12)


def test_order_and_kind_of_the_exog_columns_and_further_ones_do_not_matter():
    fc, future = exog_forecaster()
    f = fc.predict(5, exog=future)
    same(fc.predict(5, exog=future[["v", "u"]]), f)
    same(fc.predict(5, exog=future.assign(a="shop")[["v", "a", "u"]]), f)
    same(fc.predict(5, exog=future.to_numpy()), f)
    same(fc.predict(5, exog=future.reset_index(drop=True)), f)
    y, exog = driven()
    other = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=fixed())
    other.fit(y.iloc[:100], exog.iloc[:100, ::-1])
    same(other.predict(5, exog=future), f, rtol=1e-9)


def test_exog_with_its_index_reset_is_taken_in_order():
    y, exog = driven()
    y, exog = y.reset_index(drop=True), exog.reset_index(drop=True)
    fc = gf.Forecaster(1, model=fixed()).fit(y.iloc[:100], exog.iloc[:100])
    future = exog.iloc[100:110]
    same(fc.predict(10, exog=future.reset_index(drop=True)), fc.predict(10, exog=future))
    with pytest.raises(ValueError, match="There is no row for 100"):
        fc.predict(10, exog=exog.iloc[101:111])


@pytest.mark.parametrize("method", ["exact", "taylor", MonteCarlo(400, seed=0)])
def test_uncertain_exog_raises_the_variance_and_certain_exog_does_not(method):
    fc, future = exog_forecaster()
    known = fc.predict(5, exog=future, propagation=method)
    certain = fc.predict(5, exog=future, exog_cov=np.zeros((5, 2)), propagation=method)
    unsure = fc.predict(5, exog=future, exog_cov=np.full((5, 2), 0.3), propagation=method)
    if isinstance(method, str):  # Monte Carlo draws other numbers once there is something to draw
        same(certain, known, rtol=1e-9)
    assert (unsure.var > 1.1 * known.var).all()


@pytest.mark.parametrize("joint", [False, True], ids=["variances", "joint covariance"])
def test_uncertainty_of_exog_is_in_the_squared_units_of_its_columns(joint):
    y, exog = driven()
    root = np.random.default_rng(5).standard_normal((10, 10))
    cov = 0.1 * root @ root.T if joint else np.full((5, 2), 0.3)
    forecasts = []
    for unit in (np.ones(2), np.array([100.0, 0.01])):
        fc = gf.Forecaster(1, exog_lags={"u": [0], "v": [0, 2]}, model=fixed())
        fc.fit(y.iloc[:100], unit * exog.iloc[:100])
        future = unit * exog.iloc[100:105]
        squared = np.outer(np.tile(unit, 5), np.tile(unit, 5)) if joint else unit**2
        forecasts.append(fc.predict(5, exog=future, exog_cov=squared * cov))
    same(*forecasts, rtol=1e-9)


def test_beside_effects_of_inputs_the_intervals_have_the_width_of_the_noise():
    rng, hours = np.random.default_rng(0), pd.date_range("2023-01-01", periods=1500, freq="h")
    heat = pd.DataFrame({"heat": np.abs(rng.normal(5.0, 3.0, 1500))}, hours)
    day = 60.0 * np.sin(2.0 * np.pi * hours.hour / 24)
    y = pd.Series(500.0 + day + 3.0 * heat["heat"] + rng.normal(0.0, 6.0, 1500), hours)
    f = gf.Forecaster().fit(y[:1450], exog=heat[:1450]).predict(50, exog=heat[1450:])
    assert 5.5 < f.std.mean() < 7.5
