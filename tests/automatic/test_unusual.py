"""Outliers and level shifts: found, set aside and said; usual series left alone."""

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic import settings_for
from gpforecast.automatic.cleaned import cleaned
from gpforecast.automatic.events import events_in
from gpforecast.transforms import LevelShifts


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def days(y, start="2023-01-02"):
    return pd.Series(y, pd.date_range(start, periods=len(y), freq="D"))


def weekly(n, seed=0):
    """A week beside noise, in which weekends are high."""
    return 10 * np.resize([100, 80, 90, 110, 150, 260, 220.0], n) / 100 + noise(n, seed)


def test_nothing_is_unusual_in_gaussian_noise_or_a_chaotic_series():
    for seed in range(5):
        found = events_in(noise(200, seed), 7)
        assert not len(found.outliers)
        assert not len(found.shifts)
    chaotic = gf.datasets.mackey_glass(500, seed=0).to_numpy()
    assert not len(events_in(chaotic, None).outliers)


def test_spike_and_run_are_found_with_what_was_expected():
    y = noise(200)
    y[50] += 12
    y[120:124] -= 12
    found = events_in(y, None)
    assert found.outliers.tolist() == [50, 120, 121, 122, 123]
    assert np.abs(found.expected).max() < 4
    assert not len(found.shifts)


def test_units_of_the_series_change_nothing_but_the_units():
    y = weekly(150)
    y[80] += 15
    first, second = events_in(y, 7), events_in(1e6 * y, 7)
    assert first.outliers.tolist() == second.outliers.tolist() == [80]
    np.testing.assert_allclose(1e6 * first.expected, second.expected, rtol=1e-6)


def test_shift_for_good_is_no_outlier_and_a_run_at_the_end_is_left_alone():
    y = noise(200)
    y[130:] += 12
    found = events_in(y, None)
    assert found.shifts.tolist() == [130]
    assert found.sizes == pytest.approx([12], abs=1)
    assert not len(found.outliers)
    late = noise(200)
    late[-5:] += 12
    found = events_in(late, None)
    assert not len(found.outliers)
    assert not len(found.shifts)


@pytest.fixture(scope="module")
def spiked():
    y = days(noise(150) + 20)
    y.iloc[60] = 45.0
    return y, gf.Forecaster().fit(y)


def test_outliers_are_said_with_date_and_value_and_kept_in_the_history(spiked):
    y, fc = spiked
    (note,) = (note for note in fc.predict(3).notes if "outlier" in note)
    assert "1 outlier among 150 values" in note
    assert "2023-03-03 (45 where" in note
    assert note in " ".join(fc.summary().split())
    assert fc.history_.equals(y)
    assert fc.fill_missing()["mean"].equals(y.astype(float).rename("mean"))
    assert settings_for(y).outliers.value == (60,)


def test_forecasts_from_an_origin_know_the_outliers_of_the_fitted_series(spiked):
    y, fc = spiked
    at_end = fc.predict_from(y, [len(y)], 5)
    np.testing.assert_allclose(at_end.mean[0], fc.predict(5).mean)
    part = fc.predict_from(y[40:], [21], 1).mean[0, 0]
    assert abs(part - 20) < 2  # the spike right before it does not count


def test_outliers_survive_an_update_and_saving(spiked, tmp_path):
    y, _ = spiked
    fc = gf.Forecaster().fit(y).update([20.0, 21.0])
    assert fc.n_rows_ < len(y)
    fc.save(tmp_path / "spiked.gpf")
    again = gf.load(tmp_path / "spiked.gpf")
    assert again.predict(4).mean.equals(fc.predict(4).mean)
    assert again.notes_ == fc.notes_


def test_outliers_are_kept_if_the_user_says_so_or_chose_the_transforms(spiked):
    y, _ = spiked
    assert settings_for(y, gf.Forecaster(outliers=None).given).outliers.value == ()
    assert settings_for(y, gf.Forecaster(transforms=None).given).outliers.value == ()
    with pytest.raises(ValueError, match="outliers"):
        gf.Forecaster(outliers="all")


def test_every_shift_is_found_and_is_a_factor_where_the_logarithm_is_steady():
    t = np.arange(240)
    y = np.exp(5.0 + 0.05 * noise(240) + 0.7 * (t >= 90) - 0.4 * (t >= 170))
    clean = cleaned(days(y))
    assert clean.events.in_logs
    assert clean.events.shifts.tolist() == [90, 170]
    np.testing.assert_allclose(clean.events.sizes, [0.7, -0.4], atol=0.05)
    newest = y * np.exp(0.7 * (t < 90) - 0.4 * (t < 170))
    np.testing.assert_allclose(clean.steady, newest, rtol=0.08)
    (said,) = clean.outliers.reason.splitlines()
    assert said.startswith("the level shifts by 99 % at 2023-04-02, by -34 %")


def test_a_shift_of_the_level_hardly_widens_a_forecast_and_is_part_of_the_trend():
    rng, t = np.random.default_rng(1), np.arange(260)
    usual = pd.Series(
        100.0 + 8.0 * np.sin(2.0 * np.pi * t / 7) + 4.0 * rng.standard_normal(260),
        pd.date_range("2023-01-01", periods=260),
    )
    steady, shifted = (
        gf.Forecaster().fit(y).predict(14) for y in (usual, usual + 50.0 * (t >= 200))
    )
    np.testing.assert_allclose(shifted.mean, steady.mean + 50.0, atol=4.0)
    assert (shifted.std < 1.3 * steady.std).all()
    parts = shifted.components.mean
    assert (np.abs(parts["season"]) < 12.0).all()


def test_shift_of_the_level_is_taken_away_and_said():
    y = days(50 + 2 * noise(200))
    y.iloc[130:] += 30
    fc = gf.Forecaster().fit(y[:180])
    (step,) = (one for one in fc.transforms_.spec.steps if isinstance(one, LevelShifts))
    assert step.at == (130,)
    assert any("the level shifts by 3" in note and "2023-05-12" in note for note in fc.notes_)
    score = fc.predict(20).score(y[180:])
    assert score["crps"] < 2.0
    assert score["coverage_95"] >= 0.8


def test_spikes_that_come_again_after_a_season_are_no_outliers():
    y = pd.Series(20 + noise(36), pd.date_range("2020-01-01", periods=36, freq="MS"))
    y.iloc[[11, 23, 35]] += 20
    assert settings_for(y).outliers.value == ()
    y.iloc[[11, 35]] -= 20
    assert settings_for(y).outliers.value == (23,)


def test_inputs_and_missing_values_beside_outliers():
    y = days(weekly(150))
    y.iloc[70] += 40
    y.iloc[[20, 21, 149]] = np.nan
    assert 70 in settings_for(y).outliers.value
    holiday = pd.DataFrame({"holiday": np.zeros(150)}, index=y.index)
    holiday.iloc[70] = 1.0
    fc = gf.Forecaster(lags=7).fit(y, exog=holiday)
    assert fc.fitted_.set_aside == ()  # the input may explain it
    assert np.isfinite(fc.predict(5, exog=np.zeros((5, 1))).mean).all()


def test_the_end_of_a_stuck_sensor_is_no_shift_of_the_level():
    t = np.arange(3000)
    wander = lfilter([0.12], [1.0, -0.995], noise(3000))
    y = 48 + 4 * np.sin(2 * np.pi * t / 144) + wander + 0.15 * noise(3000, 1)
    y = y.round(2)
    y[1200:1272] = y[1200]
    at = pd.date_range("2026-03-02", periods=3000, freq="10min")
    assert events_in(y, 144).shifts.tolist() == [1272]  # if it did not look stuck
    assert cleaned(pd.Series(y, at)).events.shifts.tolist() == []
    y[2000:] += 8.0  # and what shifts is found all the same
    assert cleaned(pd.Series(y, at)).events.shifts.tolist() == [2000]


def test_nights_do_not_make_outliers_of_days():
    """More than half of the values are 0 and predicted exactly; a day off was no end of a run."""
    rng, hours = np.random.default_rng(0), pd.date_range("2024-01-01", periods=8 * 168, freq="h")
    open_ = (hours.hour >= 9) & (hours.hour < 19) & (hours.day_of_week < 6)
    y = pd.Series(open_ * rng.poisson(30.0, len(hours)).astype(float), hours)
    assert not cleaned(y).outliers.value
    odd = y.copy()
    odd.iloc[5 * 168 + 34] = 300.0  # a Tuesday at 10
    assert cleaned(odd).outliers.value == (5 * 168 + 34,)
    odd[hours.normalize() == "2024-01-16"] = np.nan
    assert cleaned(odd).outliers.value == (5 * 168 + 34,)
