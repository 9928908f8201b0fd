"""A forecaster within a support: every number of a forecast, in every way to make one."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.results import Censored

# A forecaster within a support: every number of a forecast, in every way to make one


RNG = np.random.default_rng(4)
SOLD = pd.Series(RNG.poisson(0.35, 120).astype(float))
RAIN = pd.Series(
    np.where(RNG.random(120) < 0.35, RNG.gamma(0.8, 10.0, 120), 0.0),
    pd.date_range("2020-01-01", periods=120, freq="D"),
)
FAST = {"lags": 3, "transforms": None, "model": gf.models.LinearAR(), "noise": "process"}


def test_an_intermittent_series_keeps_its_rate_and_has_whole_intervals_that_hold():
    truth = RNG.poisson(0.35, 40)
    fc = gf.Forecaster(lags=1, model=gf.models.LinearAR(), noise="process").fit(SOLD)
    f = fc.predict(40)
    assert abs(f.mean.mean() / SOLD.mean() - 1.0) < 0.1
    table = f.to_frame()
    intervals = table.drop(columns="mean")
    assert (intervals == intervals.round()).all(axis=None)
    assert (intervals >= 0).all(axis=None)
    for level, least in ((80, 0.8), (95, 0.9)):
        held = (truth >= table[f"lo-{level}"]) & (truth <= table[f"hi-{level}"])
        assert held.mean() >= least
    drawn = f.sample(200, seed=0)
    assert set(np.unique(drawn)) <= set(range(9))
    assert abs((drawn == 0).mean(axis=None) - (SOLD == 0).mean()) < 0.1
    assert "counts" in fc.summary()
    assert "whole numbers from 0" in fc.summary()
    assert any("outside what is possible" in note for note in f.notes)


@pytest.mark.parametrize("method", ["taylor", gf.propagation.MonteCarlo(n_paths=200, seed=0)])
@pytest.mark.parametrize("calibrate", [None, "variance", "conformal"])
def test_rain_is_never_negative_by_any_method_with_any_calibration(method, calibrate):
    fc = gf.Forecaster(**FAST, propagation=method, calibrate=calibrate, support="positive")
    f = fc.fit(RAIN).predict(5)
    assert f.interval(0.99)["lower"].min() >= 0.0
    assert f.sample(50, seed=0).min(axis=None) >= 0.0
    assert f.mean.min() > 0.0
    assert f.trajectory.min() >= 0.0
    assert f.sum().interval(0.95)[0] >= 0.0
    assert np.isfinite(f.score(RAIN.to_numpy()[:5])).all()
    assert f.sum().mean == pytest.approx(f.mean.sum())


def test_bounds_are_kept_and_explicit_settings_stay_as_they_were():
    humid = pd.Series(np.clip(RNG.normal(85.0, 20.0, 120), 0, 100))
    bounded = gf.Forecaster(**FAST, support=(0, 100)).fit(humid).predict(4)
    free = gf.Forecaster(**FAST).fit(humid).predict(4)
    assert bounded.quantile(0.99).max() <= 100.0 < free.quantile(0.99).max()
    assert not isinstance(free.distribution, Censored)


def test_a_panel_keeps_every_series_within_its_own_support():
    table = pd.concat(
        pd.DataFrame({"unique_id": name, "ds": range(120), "y": y.to_numpy()})
        for name, y in (("sold", SOLD), ("rain", RAIN))
    )
    for mode in ("local", "global"):
        forecaster = gf.Forecaster(lags=2, model=gf.models.LinearAR(), noise="process")
        frame = gf.forecast_panel(table, 3, forecaster=forecaster, mode=mode, n_jobs=1).frame
        assert (frame.drop(columns=["unique_id", "ds"]) >= 0).all(axis=None)
        sold = frame[frame["unique_id"] == "sold"]
        assert (sold["hi-95"] == sold["hi-95"].round()).all()


def test_new_values_outside_a_declared_support_are_refused_and_end_a_detected_one():
    fc = gf.Forecaster(**FAST, support="positive").fit(RAIN)
    with pytest.raises(ValueError, match="new_values must hold values at least 0"):
        fc.update([1.0, -3.0])
    detected = gf.Forecaster(lags=2, model=gf.models.LinearAR()).fit(RAIN)
    detected.update([1.0, -3.0])
    assert detected.fitted_.support is None
    assert any("no longer kept to" in note for note in detected.notes_)


# Forecasts of counts are not negative, however large the counts are


WEEK = np.array([1.0, 1.1, 1.05, 1.0, 1.3, 0.7, 0.5])


def sold(outage=6, n=210, seed=3):
    """Sales of a shop with a week, and days without any."""
    rng = np.random.default_rng(seed)
    y = rng.poisson(40.0 * WEEK[np.arange(n) % 7]).astype(float)
    y[150 : 150 + outage] = 0.0
    return pd.Series(y, pd.date_range("2024-01-01", periods=n))


def test_counts_with_an_outage_have_no_negative_interval_and_the_summary_says_so():
    options = {"lags": 7, "model": gf.models.LinearAR(), "outliers": None}
    free = gf.Forecaster(support=None, **options).fit(sold()).predict(14)
    assert free.interval(0.999)["lower"].min() < 0.0
    fc = gf.Forecaster(**options).fit(sold())
    f = fc.predict(14)
    assert f.interval(0.999)["lower"].min() >= 0.0
    assert "not negative: all values are whole numbers from 0" in fc.summary()
    np.testing.assert_allclose(f.mean, free.mean, rtol=0.02)
