"""Seasons that the user knows: in the automatic choice, contradicted, and in simple forecasts."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.seasons import main_season, seasons_of
from gpforecast.automatic.settings import settings_for
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.backtesting.baselines import baselines
from gpforecast.backtesting.result import Backtest
from gpforecast.transforms import Deterministic, Difference, SeasonalDifference

T = np.arange(150)
NOISE = np.random.default_rng(0).standard_normal(150)


def weak(period=9):
    """A season with a tenth of the variance, which no test finds."""
    return pd.Series(10.0 + 0.45 * np.sin(2 * np.pi * T / period) + NOISE)


def test_a_season_that_is_too_weak_to_be_found_exists_if_it_is_named():
    assert settings_for(weak()).chain.period is None
    named = settings_for(weak(), gf.Forecaster(season_length=9).given)
    assert named.chain.period == 9
    assert "season_length=9 says that there is a season of 9 steps" in "".join(named.chain.reasons)


def test_a_season_without_dates_is_forecast_if_it_is_named():
    sales = gf.datasets.monthly_sales(seed=0)["units"].to_numpy()
    past, truth = sales[:60], sales[60:72]
    error = {
        length: abs(gf.Forecaster(season_length=length).fit(past).predict(12).mean - truth).mean()
        for length in (12, 1)
    }
    assert error[12] < 0.5 * abs(past[-12:].mean() - truth).mean()
    assert error[12] < 0.75 * error[1]


def test_a_length_of_one_is_no_season_though_the_index_suggests_one():
    index = pd.date_range("2010-01-01", periods=150, freq="MS")
    y = pd.Series(10.0 * np.sin(2 * np.pi * T / 12) + NOISE, index)
    assert settings_for(y).chain.period == 12
    none = settings_for(y, gf.Forecaster(season_length=1).given)
    assert none.chain.period is None
    ensemble = none.ensemble.value
    assert ensemble is None or all(c.posterior.period is None for c in ensemble.members)


def test_of_several_seasons_the_one_that_describes_most_is_the_period():
    t = np.arange(600)
    rng = np.random.default_rng(0)
    y = 0.3 * np.sin(2 * np.pi * t / 10) + 3 * np.sin(2 * np.pi * t / 35)
    y = pd.Series(y + 0.3 * rng.standard_normal(600))
    assert main_season(y, (35, 10)) == 35
    plan = choose_transforms(y, (35, 10)).value
    assert plan.period == 35
    assert [cycle.period for cycle in plan.cycles] == [10.0]
    first = plan.transforms.steps[0]
    assert isinstance(first, Deterministic)
    assert first.period == 10


def day_and_more(period, size, n=400):
    """Sines of a day of hours and of another season, and noise of variance 1."""
    t = np.arange(n)
    rest = size * np.sin(2 * np.pi * t / period + 1) + np.random.default_rng(0).standard_normal(n)
    return pd.Series(50 + 5 * np.sin(2 * np.pi * t / 24) + rest)


def test_a_week_beside_a_day_is_forecast():
    y = day_and_more(168, 3, 568)
    past, truth = y[:400], y[400:]
    error = {
        str(seasons): abs(
            gf.Forecaster(season_length=seasons).fit(past).predict(168).mean - truth
        ).mean()
        for seasons in (24, [24, 168])
    }
    assert error["[24, 168]"] < 0.7 * error["24"]


def test_transforms_or_inputs_of_the_user_leave_the_season_to_the_lags():
    given = settings_for(weak(), gf.Forecaster(transforms=None, season_length=9).given)
    assert given.chain.spec.steps == ()
    assert {9, 10} <= set(given.lags.value)
    assert not {9, 10} & set(settings_for(weak(), gf.Forecaster(transforms=None).given).lags.value)


@pytest.mark.parametrize("length", [0, -3, 12.5, 12.0, "monthly", [], [12, 0], True, np.nan])
def test_what_is_no_season_length_is_refused(length):
    with pytest.raises(ValueError, match="season_length must be a whole number of steps such as"):
        gf.Forecaster(season_length=length)
    with pytest.raises(ValueError, match="season_length must be a whole number"):
        gf.VectorForecaster(season_length=length)


def test_seasons_are_named_in_any_form():
    assert seasons_of([24, 168, 24]) == seasons_of((168, 24)) == (168, 24)
    assert seasons_of([1]) == seasons_of(1) == ()
    assert seasons_of(None) is seasons_of("auto") is None
    assert seasons_of(np.int64(7)) == (7,)


def test_a_season_must_fit_into_the_series_twice():
    fc = gf.Forecaster(4, season_length=12, transforms=None)
    with pytest.raises(ValueError, match="at most half as long as the series; got 12 and 23"):
        fc.fit(NOISE[:23])
    assert fc.fit(NOISE[:24]).n_rows_ == 20


@pytest.mark.parametrize("transforms", [SeasonalDifference(7), Deterministic(1, 3, 7)])
@pytest.mark.parametrize("length", [12, 1])
def test_transforms_of_another_season_contradict_it(transforms, length):
    with pytest.raises(ValueError, match=r"must agree on the season; got .* of 7 steps"):
        gf.Forecaster(transforms=[transforms], season_length=length)
    gf.Forecaster(transforms=[transforms, Difference()], season_length=[7, 28])


def test_a_parameter_is_not_set_if_it_contradicts_the_others(tmp_path):
    fc = gf.Forecaster(transforms=SeasonalDifference(7), season_length=7)
    with pytest.raises(ValueError, match="must agree"):
        fc.set_params(season_length=12)
    assert fc.get_params()["season_length"] == 7
    fc.set_params(season_length=[7, 28])
    fc.save(tmp_path / "f")
    assert gf.load(tmp_path / "f").seasons == (28, 7)
    assert "season_length=[7, 28]" in repr(fc)


def test_the_seasonal_naive_forecast_has_the_season_of_the_forecaster():
    fc = gf.Forecaster(4, transforms=None, model=gf.models.LinearAR(), season_length=9)
    found = gf.backtest(fc, weak(), 9, origins=[120])
    naive = found.baselines["seasonal naive"]
    np.testing.assert_array_equal(naive.mean[0], weak()[111:120])
    where = np.array([120])
    index = pd.date_range("2010-01-01", periods=150, freq="MS")
    months = weak().set_axis(index)
    assert "seasonal naive" in baselines(months, where, 9, where, kind=Backtest)
    assert "seasonal naive" not in baselines(months, where, 9, where, (), kind=Backtest)


def test_every_column_of_a_vector_has_the_season():
    frame = pd.DataFrame({"a": weak(), "b": weak()[::-1].to_numpy()})
    fc = gf.VectorForecaster(season_length=9, combine=None).fit(frame)
    assert [one.chain.period for one in fc.fitted_.columns] == [9, 9]
