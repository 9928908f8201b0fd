"""Outliers and level shifts: found, set aside and said; usual series left alone."""

import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic import settings_for
from gpforecast.automatic.ends import unusual_in
from gpforecast.automatic.outliers import find_unusual
from gpforecast.automatic.robust import seasonal
from gpforecast.automatic.unusual import _again, cleaned
from gpforecast.pipeline.pointers import as_holidays
from gpforecast.transforms import LevelShifts


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def days(y, start="2023-01-02"):
    return pd.Series(y, pd.date_range(start, periods=len(y), freq="D"))


def weekly(n, seed=0):
    """A week beside noise, in which weekends are high."""
    return 10 * np.resize([100, 80, 90, 110, 150, 260, 220.0], n) / 100 + noise(n, seed)


def heavy(rng, n):
    return rng.standard_t(5, n)


def arch(rng, n):
    y = np.zeros(n)
    for t in range(n):
        y[t] = np.sqrt(0.5 + 0.5 * y[t - 1] ** 2) * rng.standard_normal()
    return y


def counts(rng, n):
    return rng.poisson(0.7, n).astype(float)


def walk(rng, n):
    return np.cumsum(rng.standard_normal(n))


@pytest.mark.parametrize("draw", [heavy, arch, counts, walk])
def test_what_is_usual_for_a_series_is_hardly_ever_called_an_outlier(draw):
    found = [find_unusual(draw(np.random.default_rng(s), 200), None) for s in range(30)]
    assert sum(len(f.outliers) + len(f.shifts) > 0 for f in found) <= 3


@pytest.mark.parametrize(("share", "found"), [(0.04, True), (0.15, False)])
def test_what_happens_every_few_values_is_a_habit_and_no_outlier(share, found):
    for seed in range(5):
        rng, y = np.random.default_rng(seed), noise(200, seed)
        spiked = rng.permutation(200)[: int(share * 200)]
        y[spiked] += 12.0 * rng.choice([-1.0, 1.0], len(spiked))
        assert bool(len(find_unusual(y, None).outliers)) == found


def test_nothing_is_unusual_in_gaussian_noise_or_a_chaotic_series():
    for seed in range(30):
        found = find_unusual(noise(200, seed), 7)
        assert not len(found.outliers)
        assert not len(found.shifts)
    chaotic = gf.datasets.mackey_glass(500, seed=0).to_numpy()
    assert not len(find_unusual(chaotic, None).outliers)


def test_spike_and_run_are_found_with_what_was_expected():
    y = noise(200)
    y[50] += 12
    y[120:124] -= 12
    found = find_unusual(y, None)
    assert found.outliers.tolist() == [50, 120, 121, 122, 123]
    assert np.abs(found.expected).max() < 4
    assert not len(found.shifts)


def test_units_of_the_series_change_nothing_but_the_units():
    y = weekly(150)
    y[80] += 15
    first, second = find_unusual(y, 7), find_unusual(1e6 * y, 7)
    assert first.outliers.tolist() == second.outliers.tolist() == [80]
    np.testing.assert_allclose(1e6 * first.expected, second.expected, rtol=1e-6)


def test_shift_for_good_is_no_outlier_and_a_run_at_the_end_is_left_alone():
    y = noise(200)
    y[130:] += 12
    found = find_unusual(y, None)
    assert found.shifts.tolist() == [130]
    assert found.sizes == pytest.approx([12], abs=1)
    assert not len(found.outliers)
    late = noise(200)
    late[-5:] += 12
    found = find_unusual(late, None)
    assert not len(found.outliers)
    assert not len(found.shifts)


def test_season_by_medians_keeps_an_unusual_week_out():
    y = weekly(140)
    usual = seasonal(y, 7)
    y[70:77] += 30
    np.testing.assert_allclose(seasonal(y, 7), usual, atol=2.0)


def test_unusual_week_is_not_copied_into_the_forecast():
    errors = []
    for seed in range(2):
        y = days(weekly(228, seed))
        past, future = y[:200].copy(), y[200:]
        past.iloc[-11:-6] -= [8, 15, 12, 10, 8]
        pair = [gf.Forecaster(outliers=how).fit(past).predict(28) for how in ("auto", None)]
        errors.append([f.score(future)["mae"] for f in pair])
    careful, copied = np.mean(errors, axis=0)
    assert careful < 1.3
    assert careful < 0.8 * copied


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
    assert settings_for(y, outliers=None).outliers.value == ()
    assert settings_for(y, transforms=None).outliers.value == ()
    with pytest.raises(ValueError, match="outliers"):
        gf.Forecaster(outliers="all")


def test_shift_of_the_level_is_taken_away_and_said():
    y = days(50 + 2 * noise(200))
    y.iloc[130:] += 30
    fc = gf.Forecaster().fit(y[:180])
    step = fc.transforms_.spec.steps[0]
    assert isinstance(step, LevelShifts)
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


def test_places_that_come_again_are_those_of_every_pair():
    rng = np.random.default_rng(0)
    for _ in range(300):
        m = int(rng.integers(2, 30))
        places = np.sort(rng.choice(200, int(rng.integers(0, 14)), replace=False))
        apart = np.abs(places[:, None] - places)
        again = ((apart % m <= 1) | (apart % m == m - 1)) & (apart >= m - 1)
        power = rng.integers(0, 4, len(places))  # of the size: 3, 9, 27 or 81, and a little more
        off = rng.choice([-1.1, 1.1], len(places)) * 3.0**power
        same_side = off[:, None] * off > 0.0
        alike = same_side & (np.abs(power[:, None] - power) <= 1)
        got = _again(places, off, m)
        np.testing.assert_array_equal(got, (again & alike).any(axis=1))


def test_a_spike_is_no_season_for_a_small_change_that_is_a_season_away():
    """A week after or before a spike of 60 degrees, one of 2 kept the spike in the series."""
    t = np.arange(432)
    index = pd.date_range("2025-01-06", periods=432, freq="h")  # less than three weeks
    y = pd.Series(19 + 2 * np.sin(2 * np.pi * t / 24) + 0.1 * noise(432), index)
    y.iloc[200] += 60
    y.iloc[200 + 168] += 2
    assert set(settings_for(y).outliers.value) == {200, 368}


def with_christmas(freq="D"):
    """Three years of days with a week in them, and a low on each Christmas Day."""
    t = np.arange(1096)
    e = np.random.default_rng(0).standard_normal(1096)
    y = pd.Series(500 + 20 * np.sin(2 * np.pi * t / 7) + 5 * e, pd.date_range("2021", periods=1096))
    y[(y.index.month == 12) & (y.index.day == 25)] = 100.0
    return y.set_axis(pd.date_range("2021", periods=1096, freq=freq))


def noted(fc):
    return " ".join(note for note in fc.notes_ if "outlier" in note)


def test_outliers_of_days_that_come_again_are_pointed_to_as_holidays():
    said = "; if these are holidays, pass calendar=gf.calendars.Holidays(...)"
    quick = {"model": gf.models.LinearAR(), "combine": None}
    assert noted(gf.Forecaster(7, **quick).fit(with_christmas())).endswith(said)
    hours = noted(gf.Forecaster(7, **quick).fit(with_christmas("h")))
    assert "outliers among" in hours
    assert "holidays" not in hours


def test_a_few_outliers_of_days_that_do_not_come_again_are_not_taken_for_holidays():
    days = pd.date_range("2022-01-01", "2024-12-31")
    assert as_holidays(days, [5, 100, 300]) == ""
    assert as_holidays(days, list(range(5, 100, 10))).startswith("if these are holidays")
    assert as_holidays(pd.RangeIndex(300), list(range(5, 100, 10))) == ""
    assert as_holidays(days.to_period("D"), list(range(5, 100, 10))).startswith("if these are")


def test_an_outlier_is_named_by_digits_that_can_be_searched_for():
    y = pd.Series(150.0 + np.random.default_rng(0).standard_normal(100).round(2))
    y[30], y[70] = 99_999.0, 12_345.67
    said = cleaned(y).outliers.reason
    assert "30 (99999 where about 15" in said
    assert "70 (12345.7 where about 1" in said


def test_the_end_of_a_stuck_sensor_is_no_shift_of_the_level():
    t = np.arange(3000)
    wander = lfilter([0.12], [1.0, -0.995], noise(3000))
    y = 48 + 4 * np.sin(2 * np.pi * t / 144) + wander + 0.15 * noise(3000, 1)
    y = y.round(2)
    y[1200:1272] = y[1200]
    at = pd.date_range("2026-03-02", periods=3000, freq="10min")
    assert find_unusual(y, 144).shifts.tolist() == [1272]  # if it did not look stuck
    assert cleaned(pd.Series(y, at)).unusual.shifts.tolist() == []
    y[2000:] += 8.0  # and what shifts is found all the same
    assert cleaned(pd.Series(y, at)).unusual.shifts.tolist() == [2000]


def test_a_shift_right_after_a_stuck_sensor_is_found():
    for seed in (0, 2, 3):
        rest = noise(100, seed)
        y = np.concatenate([rest[:50], np.full(10, 0.3), 20 + rest[50:]])
        assert unusual_in(y, None).shifts.tolist() == [60]


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


def test_a_digit_too_many_takes_no_peak_beside_it_along():
    """Three weeks of Christmas, one of them with an amount ten times too large."""
    rng = np.random.default_rng(11)
    y = 12000 + 450 * noise(156, 11) + 4500 * np.isin(np.arange(156) % 52, (48, 49, 50))
    y[rng.integers(0, 156, 12)] += 2600
    y[48 + 52] *= 10
    found = find_unusual(y, 52)
    assert found.outliers.tolist() == [100]
    assert not len(found.shifts)
