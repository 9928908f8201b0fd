"""Components of a forecast: they add up exactly, and are closed forms where there are any."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven
from series_cases import autoregression
from transformed_cases import CHAINS, fixed, model_of, positive

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.propagation import MonteCarlo
from gpforecast.transforms import (
    DampedMean,
    Deterministic,
    Difference,
    LevelShifts,
    Log,
    SeasonalDifference,
)


def adds_up(f):
    """Whether components and variance parts are those of the forecast, to rounding."""
    np.testing.assert_allclose(f.components.total, f.mean, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(f.variance_parts.sum(axis=1), f.var, rtol=1e-12)
    assert (f.variance_parts.ge(-1e-12 * f.var, axis=0)).all(axis=None)
    assert (f.components.std >= 0.0).all(axis=None)
    return f.components


def line_of(model):
    """Slope and constant of a linear model of one lag."""
    at = model.posterior_.mean(np.array([[0.0], [1.0]]))
    return at[1] - at[0], at[0]


SEASON = {"transforms": [Log(), SeasonalDifference(6)], "lags": 2}
CASES = {
    **{name: {"transforms": steps} for name, steps in CHAINS.items()},
    "calendar": {"transforms": Deterministic(1, calendar=(("D", "W"),))},
    "steps": {"transforms": LevelShifts(at=[60], trend=1)},
    "differences, then a season": {"transforms": [Difference(), Deterministic(0, 2, 6)]},
    "differences, then of a season": {"transforms": [Difference(), SeasonalDifference(7)]},
    "spread by variances": SEASON | {"calibrate": "variance"},
    "spread by quantiles": SEASON | {"calibrate": "conformal"},
    "support": SEASON | {"support": (5.0, 34.0)},
    "paths": SEASON | {"propagation": MonteCarlo(200, seed=0)},
    "mixture": SEASON | {"propagation": "mixture"},
}


@pytest.mark.parametrize("options", CASES.values(), ids=CASES)
def test_components_add_up_after_any_transforms_for_any_kind_of_forecast(options):
    y = positive(index=pd.date_range("2024-01-01", periods=120, freq="D"))
    fc = gf.Forecaster(**{"lags": [1, 2, 6], "model": fixed()} | options)
    found = adds_up(fc.fit(y).predict(15))
    assert next(iter(found.mean)) == "trend"
    assert "memory" in found.mean


def test_a_path_that_runs_away_has_components():
    y = gf.datasets.mackey_glass(120, normalise=True, noise_var=1e-3, seed=3)
    model = gf.models.GaussianProcess(gf.covariances.Polynomial(20.0, 1.0))
    fc = gf.Forecaster(3, transforms=None, model=model, propagation="cubature").fit(y)
    adds_up(fc.predict(6))


def test_a_line_a_cycle_and_an_autoregression_are_their_closed_forms():
    t = np.arange(150.0)
    y = 20.0 + 0.3 * t + 4.0 * np.cos(2 * np.pi * t / 12) + autoregression(150, 0.7)
    fc = gf.Forecaster(
        1, model=LinearAR(), transforms=Deterministic(1, 1, 12), noise="process"
    ).fit(y)
    found = adds_up(fc.predict(30)).mean
    terms, unit = fc.transforms_.linear
    ahead = np.arange(150.0, 180.0)
    constant, slope, cos, sin = terms.theta
    angle = 2 * np.pi * ahead / 12
    np.testing.assert_allclose(found["season"], cos * np.cos(angle) + sin * np.sin(angle))
    phi, level = line_of(fc.model_)
    settles = unit.location + unit.scale * level / (1.0 - phi)
    line = constant + slope * ahead / 150.0 + settles
    np.testing.assert_allclose(found["trend"], line, rtol=1e-10)
    last = y[-1] - constant - slope * 149.0 / 150.0
    last -= cos * np.cos(2 * np.pi * 149.0 / 12) + sin * np.sin(2 * np.pi * 149.0 / 12)
    memory = (last - settles) * phi ** np.arange(1, 31)
    # The mean of a linear model with uncertain weights depends on them a little: none is fed back.
    np.testing.assert_allclose(found["memory"], memory, atol=1e-8)


def test_trend_and_memory_of_differences_are_those_of_beveridge_and_nelson():
    y = np.cumsum(0.5 + autoregression(150, 0.5))
    fc = gf.Forecaster(1, model=LinearAR(), transforms=Difference(), noise="process").fit(y)
    found = adds_up(fc.predict(20)).mean
    unit = fc.transforms_.linear[-1]
    phi, level = line_of(fc.model_)
    drift = unit.location + unit.scale * level / (1.0 - phi)
    k, off = np.arange(1, 21), y[-1] - y[-2] - drift
    trend = y[-1] + drift * k + phi / (1.0 - phi) * off
    np.testing.assert_allclose(found["trend"], trend, rtol=1e-9)
    np.testing.assert_allclose(found["memory"], -(phi ** (k + 1)) / (1.0 - phi) * off, atol=1e-7)
    assert "season" not in found


@pytest.mark.parametrize(
    "chain",
    [
        [SeasonalDifference(12)],
        [Difference(), SeasonalDifference(12)],
        [SeasonalDifference(12), Difference()],
        [Difference(), Deterministic(0, 3, 12)],
        [Difference(), DampedMean(1.0, period=12, prior=None)],
    ],
    ids=str,
)
def test_differences_give_back_a_line_and_a_season_without_noise(chain):
    t = np.arange(96)
    season = 3.0 * np.cos(2 * np.pi * t / 12) + np.sin(2 * np.pi * t / 4)
    y = 50.0 + 0.5 * t + season
    fc = gf.Forecaster(2, model=fixed(), transforms=chain).fit(y[:73])  # 72 differences
    found = adds_up(fc.predict(23)).mean
    np.testing.assert_allclose(found["trend"], 50.0 + 0.5 * t[73:], rtol=1e-9)
    np.testing.assert_allclose(found["season"], season[73:], atol=1e-8)
    np.testing.assert_allclose(found["memory"], 0.0, atol=1e-8)


def test_through_a_logarithm_the_season_is_multiplied_and_the_mean_above_the_middle():
    y, chain = positive(), Deterministic(1, 1, 6)
    through = model_of([Log(), chain]).fit(y).predict(12)
    logs = model_of(chain).fit(np.log(y)).predict(12).components
    found = adds_up(through).mean
    np.testing.assert_allclose(found["trend"], np.exp(logs.mean["trend"]), rtol=1e-10)
    middle = through.median
    mean_of_logs = (middle - found["trend"]) / np.log(middle / found["trend"])
    for name in ("season", "memory"):
        np.testing.assert_allclose(found[name], mean_of_logs * logs.mean[name], rtol=1e-7)
    np.testing.assert_allclose(found["skew"], through.mean - middle, rtol=1e-6)
    assert (found["skew"] > 0.0).all()


def test_inputs_are_what_they_change_beside_their_means():
    y, exog = driven()
    fc = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=LinearAR(), transforms=None)
    fc.fit(y[:140], exog[:140])
    cov = np.full((20, 2), 0.1)
    f = fc.predict(20, exog=exog[140:], exog_cov=cov)
    found = adds_up(f)
    unit = fc.transforms_.linear[-1].scale
    inputs = (exog - exog[:140].mean()) / exog[:140].std(ddof=0)
    by_lag, by_u, by_v = fc.model_.posterior_.gradient(np.zeros((1, 3)))[0]
    expected = np.zeros(21)
    for k in range(20):
        new = by_u * inputs["u"].iloc[140 + k] + by_v * inputs["v"].iloc[138 + k]
        expected[k + 1] = by_lag * expected[k] + new
    np.testing.assert_allclose(found.mean["inputs"], unit * expected[1:], rtol=1e-9)
    np.testing.assert_allclose(found.std["inputs"] ** 2, f.variance_parts["inputs"], rtol=1e-9)
    known = fc.predict(20, exog=exog[140:])
    assert (known.variance_parts["inputs"] == 0.0).all()
    wider = fc.predict(20, exog=exog[140:], exog_cov=4.0 * cov).variance_parts["inputs"]
    # But for the covariance of the weights with the inputs, squared.
    np.testing.assert_allclose(wider, 4.0 * f.variance_parts["inputs"], rtol=1e-2)


def test_only_missing_values_and_measurement_noise_make_the_past_uncertain():
    y = positive()
    gap = y.copy()
    gap[-2:] = np.nan
    plain = gf.Forecaster([1, 2, 6], transforms=None, model=fixed(), noise="process")
    assert (plain.fit(y).predict(5).variance_parts["past"] == 0.0).all()
    f = plain.fit(gap).predict(5)
    adds_up(f)
    assert (f.variance_parts["past"] > 0.0).all()
    noisy = gf.Forecaster(2, model=LinearAR(), transforms=None, noise=0.5).fit(y).predict(5)
    adds_up(noisy)
    assert (noisy.variance_parts["past"] > 0.0).all()
    assert (noisy.variance_parts["noise"] >= 0.5).all()


@pytest.mark.parametrize("gap", [[-1, -2], [-3], [-1, -9, -10]], ids=str)
def test_after_a_gap_of_differences_the_bridge_is_of_the_past(gap):
    y = positive()
    y.iloc[gap] = np.nan
    f = model_of(SeasonalDifference(6)).fit(y).predict(9)
    found = adds_up(f).mean
    assert (f.variance_parts["past"] > 0.0).any()
    assert abs(found["season"].iloc[:6].mean()) < 0.2 * found["season"].abs().max()


def test_a_forecast_made_from_another_and_a_direct_one_have_no_components():
    f = model_of(None).fit(positive()).predict(6)
    direct = gf.Forecaster(2, model=fixed(), strategy="direct", max_horizon=6).fit(positive())
    for made in (f.given({121: 10.0}), f.cumsum(), f.linear(np.eye(6)), direct.predict(6)):
        with pytest.raises(ValueError, match="not of one that was made from it"):
            _ = made.components


def test_intervals_of_components_are_gaussian_and_named():
    found = model_of(Deterministic(1, 1, 6)).fit(positive()).predict(6).components
    table = found.interval(0.95)
    assert table.columns.tolist() == [
        (name, side) for name in found.mean for side in ("lower", "upper")
    ]
    half = 0.5 * (table["memory"]["upper"] - table["memory"]["lower"])
    np.testing.assert_allclose(half, 1.959964 * found.std["memory"], rtol=1e-6)
    assert repr(found).startswith("Components of the mean of 6 steps\n")


def test_what_a_column_explains_beside_trend_and_season_is_the_part_of_the_inputs():
    rng, t = np.random.default_rng(0), np.arange(132)
    index = pd.date_range("2012-01-01", periods=132, freq="MS")
    x = pd.DataFrame({"promo": (rng.random(132) < 0.2).astype(float)}, index)
    y = 100.0 + t + 10.0 * np.sin(2.0 * np.pi * t / 12) + rng.standard_normal(132)
    y = pd.Series(y, index) + 15.0 * x["promo"]
    fc = gf.Forecaster().fit(y.iloc[:120], exog=x.iloc[:120])
    f = fc.predict(12, exog=x.iloc[120:])
    found = adds_up(f).mean
    level = 15.0 * x["promo"].iloc[:120].mean()
    np.testing.assert_allclose(found["inputs"], 15.0 * x["promo"].iloc[120:] - level, atol=1.0)
    np.testing.assert_allclose(found["trend"], 100.0 + t[120:] + level, atol=1.5)
    np.testing.assert_allclose(found["season"], 10 * np.sin(2 * np.pi * t[120:] / 12), atol=1.5)


@pytest.mark.parametrize("transforms", ["auto", "given"])
def test_uncertain_inputs_of_effects_are_a_source_of_their_own(transforms):
    rng, t = np.random.default_rng(0), np.arange(123)
    u = rng.standard_normal(123)
    y = 10.0 * np.sin(2.0 * np.pi * t / 12) + rng.standard_normal(123).cumsum() + 5.0 * u
    steps = [gf.transforms.InputEffects(), Difference()] if transforms == "given" else "auto"
    fc = gf.Forecaster(transforms=steps, support=None).fit(y[:120], exog=u[:120])
    assert (fc.fitted_.ensemble is None) == (transforms == "given")
    known = fc.predict(3, exog=u[120:])
    f = fc.predict(3, exog=u[120:], exog_cov=np.full((3, 1), 0.25))
    adds_up(f)
    assert (known.variance_parts["inputs"] == 0.0).all()
    more = f.var - known.var
    if transforms == "given":
        np.testing.assert_allclose(more, 0.25 * fc.transforms_.effects.beta[0] ** 2, rtol=1e-9)
    np.testing.assert_allclose(f.variance_parts["inputs"], more, rtol=1e-6)
    others = ["noise", "past", "map", "coefficients"]
    np.testing.assert_allclose(f.variance_parts[others], known.variance_parts[others], rtol=1e-6)
    of_part = f.components.std["inputs"] ** 2 - known.components.std["inputs"] ** 2
    np.testing.assert_allclose(of_part, more, rtol=1e-6)
