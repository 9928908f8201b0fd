"""Inputs beside a series of its own trend and season: found with them, known or forecast ahead."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import same
from series_cases import autoregression

import gpforecast as gf
from gpforecast.series.calendars import DayOfWeek, Event, MonthOfYear


def passengers(effect=0.0, seed=0, n=120):
    """Return a series of months that grows, with a season and a promotion of some effect."""
    rng = np.random.default_rng(seed)
    index = pd.period_range("2010-01", periods=n, freq="M")
    t, promo = np.arange(n), (rng.uniform(size=n) < 0.25).astype(float)
    season = 0.2 * np.sin(2 * np.pi * t / 12) + 0.1 * np.cos(4 * np.pi * t / 12)
    noise = np.convolve(0.02 * rng.standard_normal(n), 0.7 ** np.arange(20))[:n]
    y = pd.Series(100.0 * np.exp(0.015 * t + season + noise + effect * promo), index)
    return y, pd.DataFrame({"promo": promo}, index=index)


def days(effects, seed=0, n=200):
    """Return a series of days with a week, and days of its own that lower it."""
    rng = np.random.default_rng(seed)
    index = pd.date_range("2023-01-01", periods=n)
    off = [str(day.date()) for day in index[np.arange(5, n, 13) + rng.integers(0, 8, n // 13)]]
    week = np.array([0, 1, 1, 1, 2, 4, 3.0])[index.day_of_week]
    y = 20.0 + week + 0.5 * rng.standard_normal(n)
    return pd.Series(y + effects * index.isin(pd.to_datetime(off)), index), Event("closed", off)


def fitted(y, exog=None, n=96, **options):
    given = None if exog is None else exog.iloc[:n]
    return gf.Forecaster(progress=False, **options).fit(y.iloc[:n], exog=given)


def test_a_column_without_effect_leaves_the_forecast_as_it_is_without_the_column():
    y, promo = passengers()
    alone, beside = fitted(y), fitted(y, promo)
    same(beside.predict(24, exog=promo.iloc[96:]), alone.predict(24))
    assert "explain no more than chance: promo" in beside.notes_[-1]
    assert beside.transforms_.spec == alone.transforms_.spec
    assert beside.effects_.empty


def test_a_column_with_an_effect_is_found_beside_trend_and_season_and_forecasts_better():
    y, promo = passengers(effect=0.3)
    alone, beside = fitted(y), fitted(y, promo)
    truth = y.iloc[96:]
    without = alone.predict(24).score(truth)
    found = beside.predict(24, exog=promo.iloc[96:]).score(truth)
    assert found["mae"] < 0.6 * without["mae"]
    assert found["coverage_95"] >= 0.9
    effect, std_error, unit = beside.effects_.loc["promo"]
    true = 100 * np.expm1(0.3)
    assert unit == "%"
    assert abs(effect - true) < 3 * std_error < 0.2 * true
    assert beside.fitted_.ensemble is not None  # nothing of the automatic choice is off
    assert "promo +" in beside.notes_[-1]
    assert "InputEffects(promo)" in beside.summary()


def test_a_forecast_moves_with_its_future_inputs_by_their_effect():
    y, promo = passengers(effect=0.3)
    fc = fitted(y, promo, combine=None)
    off, on = (fc.predict(3, exog=np.full((3, 1), value)).median for value in (0.0, 1.0))
    assert fc.transforms_.warp is not None
    np.testing.assert_allclose(on / off, np.exp(fc.transforms_.effects.beta[0]), rtol=1e-6)


def test_updates_fitted_values_and_missing_ones_know_the_inputs():
    y, promo = passengers(effect=0.3)
    fc = fitted(y, promo)
    residual = fc.predict_in_sample()["residual"].dropna()
    inside = promo["promo"].iloc[:96].loc[residual.index]
    spread = residual.std()
    assert abs(residual[inside == 1].mean() - residual[inside == 0].mean()) < spread
    place = int(np.flatnonzero(promo["promo"])[10])
    holes = y.copy()
    holes.iloc[place] = np.nan
    filled = fitted(holes, promo).fill_missing()["mean"].iloc[place]
    assert abs(filled / y.iloc[place] - 1.0) < 0.1  # without the input it would be 0.26
    fc.update(y.iloc[96:108], exog=promo.iloc[96:108])
    found = fc.predict(12, exog=promo.iloc[108:]).score(y.iloc[108:])
    assert found["mae"] < 0.1 * y.mean()


def test_a_calendar_needs_nothing_from_the_user_at_predict(tmp_path):
    y, closed = days(-6.0)
    fc = fitted(y, n=160, calendar=closed)
    truth = y.iloc[160:]
    found = fc.predict(40)
    alone = fitted(y, n=160).predict(40)
    assert found.score(truth)["mae"] < 0.7 * alone.score(truth)["mae"]
    fc.save(tmp_path / "fc")
    same(gf.load(tmp_path / "fc").predict(40), found)
    fc.update(y.iloc[160:180])
    assert fc.predict(20).score(y.iloc[180:])["mae"] < 1.0
    quick = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}
    result = gf.backtest(
        gf.Forecaster(calendar=closed, **quick), y, horizon=20, origins=[140, 180], refit=None
    )
    assert result.summary().loc["mae"].mean() < 1.0


def test_categories_are_columns_of_zeros_and_ones():
    y, _ = passengers()
    rng = np.random.default_rng(8)
    weather = pd.Series(rng.choice(["sun", "rain", "snow"], 120, p=[0.6, 0.3, 0.1]), y.index)
    y = y * np.exp(0.3 * (weather == "rain") - 0.2 * (weather == "snow"))
    by_hand = pd.DataFrame(
        {f"weather={c}": (weather == c).astype(float) for c in ("rain", "snow")}, index=y.index
    )
    named, dummies = weather.to_frame("weather"), by_hand
    quick = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}
    quick["transforms"] = gf.transforms.InputEffects()
    a, b = fitted(y, named, **quick), fitted(y, dummies, **quick)
    same(a.predict(24, exog=named.iloc[96:]), b.predict(24, exog=dummies.iloc[96:]))
    assert a.transforms_.effects.spec.names == ("weather=rain", "weather=snow")
    kinds = named.astype("category")
    c = fitted(y, kinds, **quick)
    same(c.predict(24, exog=kinds.iloc[96:]), a.predict(24, exog=named.iloc[96:]))
    lagged = fitted(y, named, exog_lags={"weather": [0, 1]}, **quick)
    assert len(lagged.transforms_.effects.beta) == 4
    hail = pd.DataFrame({"weather": ["sun", "hail"]})
    with pytest.raises(ValueError, match="'rain', 'snow', 'sun'; got 'hail' at 1"):
        a.predict(2, exog=hail)


def test_unknown_future_inputs_are_forecast_with_their_covariance():
    rng = np.random.default_rng(9)
    x = autoregression(160, 0.9, seed=rng)
    y = np.cumsum(0.3 * rng.standard_normal(160)) + 2.0 * x
    y, x = pd.Series(y), pd.Series(x, name="x")
    steps = [gf.transforms.InputEffects(), gf.transforms.Difference()]
    fc = gf.Forecaster(transforms=steps, progress=False).fit(y[:140], exog=x[:140])
    ahead = gf.Forecaster(progress=False).fit(x[:140]).predict(20)
    by_hand = fc.predict(20, exog=ahead.mean, exog_cov=ahead.covariance.to_numpy())
    found = fc.predict(20, exog="forecast")
    same(found, by_hand)
    known = fc.predict(20, exog=ahead.mean)
    assert (found.std > known.std).all()
    beta = fc.transforms_.effects.beta[0]
    gain = beta**2 * ahead.covariance.to_numpy()
    np.testing.assert_allclose(found.covariance - known.covariance, gain, rtol=1e-8)
    with pytest.raises(ValueError, match='exog="forecast" in predict'):
        fc.predict(20)
    with pytest.raises(ValueError, match=r"or 'forecast' to have them .* past; got 'yes'\."):
        fc.predict(20, exog="yes")
    with pytest.raises(ValueError, match="no exog_cov"):
        fc.predict(20, exog="forecast", exog_cov=np.ones((20, 1)))
    with pytest.raises(ValueError, match=r"^exog='forecast' .* it needs inputs at the fit"):
        gf.Forecaster(2).fit(y).predict(2, exog="forecast")


def test_calendars_are_refused_where_they_are_none():
    with pytest.raises(TypeError, match="calendar must be a calendar"):
        gf.Forecaster(calendar=MonthOfYear)
    with pytest.raises(TypeError, match="calendar must be a calendar"):
        gf.Forecaster(calendar="DE")
    with pytest.raises(TypeError, match="index of dates or periods"):
        gf.Forecaster(calendar=DayOfWeek()).fit(np.arange(50.0))
    y, _ = days(-6.0)
    with pytest.raises(ValueError, match="distinct column names; got 'Sunday' twice"):
        gf.Forecaster(calendar=DayOfWeek()).fit(
            y, exog=pd.DataFrame({"Sunday": y * 0.0}, index=y.index)
        )


def test_lags_that_explain_nothing_are_named_together():
    y, promo = passengers()
    beside = fitted(y, promo, exog_lags=[0, 1, 2, 3])
    assert "no more than chance: promo at lags 0 to 3" in beside.notes_[0]
