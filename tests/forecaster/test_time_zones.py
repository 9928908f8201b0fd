"""Forecasts of series with a time zone: seasons by the clock, results at moments."""

import zoneinfo

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf

ZONES = sorted(zoneinfo.available_timezones())
CHANGES = {"spring": "2024-03-31 01:00", "autumn": "2024-10-27 01:00"}


def of_the_clock(index):
    """Return values that follow from the time of day alone."""
    hour = np.asarray(index.hour + index.minute / 60)
    angle = 2.0 * np.pi * hour / 24.0
    return pd.Series(
        5.0 + np.sin(angle) + 0.5 * np.cos(2.0 * angle) + 0.3 * np.sin(5.0 * angle), index
    )


def around(change, freq="h", zone="Europe/Paris", days=(20, 3)):
    at = pd.Timestamp(CHANGES[change], tz="UTC").tz_convert(zone)
    before, after = (pd.Timedelta(n, unit="D") for n in days)
    return of_the_clock(pd.date_range((at - before).floor("h"), at + after, freq=freq))


def seasonal(period=24):
    difference = gf.transforms.SeasonalDifference(period)
    return gf.Forecaster([1, 2], transforms=difference, model=gf.models.BayesianAR())


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("freq", "period"), [("h", 24), ("30min", 48), ("15min", 96)])
def test_what_the_clock_determines_is_forecast_to_rounding_across_its_changes(change, freq, period):
    y = around(change, freq)
    n = len(y) - 4 * period
    f = seasonal(period).fit(y[:n]).predict(4 * period)
    pd.testing.assert_index_equal(f.index, y.index[n:])
    np.testing.assert_allclose(f.mean, y[n:], rtol=1e-7)


@pytest.mark.parametrize("change", CHANGES)
def test_updates_through_the_night_of_a_change_follow_its_moments(change):
    y = around(change, "30min")
    n = int((y.index < pd.Timestamp(CHANGES[change], tz="UTC")).sum()) - 5
    labelled, counted = seasonal(48).fit(y[:n]), seasonal(48).fit(y[:n])
    for k in range(n, n + 12):
        f = labelled.predict(6)
        pd.testing.assert_index_equal(f.index, y.index[k : k + 6])
        np.testing.assert_allclose(f.mean, y[k : k + 6], rtol=1e-7)
        labelled.update(y[k : k + 1])
        counted.update(y[k : k + 1].to_numpy())
    for one in (labelled, counted):
        pd.testing.assert_series_equal(one.history_, y[: n + 12], check_freq=False)


PLAIN = {"transforms": None, "model": gf.models.BayesianAR()}
KINDS = {
    "automatic": {},
    "direct": PLAIN | {"strategy": "direct", "max_horizon": 4},
    "adaptive": PLAIN | {"calibrate": "adaptive"},
    "inputs": PLAIN | {"exog_lags": [0]},
}


@pytest.mark.parametrize("kind", KINDS)
def test_updates_value_by_value_know_both_values_of_a_repeated_step(kind):
    y = around("autumn", "30min", days=(9, 1))
    y += 0.3 * np.random.default_rng(0).standard_normal(len(y))
    u = pd.DataFrame({"u": np.sin(np.arange(len(y)) ** 1.2)}, y.index)
    inputs = (lambda *part: {"exog": u[slice(*part)]}) if kind == "inputs" else lambda *_: {}
    n = int((y.index < pd.Timestamp(CHANGES["autumn"], tz="UTC")).sum()) - 3
    each, whole = (
        gf.Forecaster([1, 2, 48], **KINDS[kind]).fit(y[:n], **inputs(0, n)) for _ in range(2)
    )
    for k in range(n, n + 9):
        each.update(y[k : k + 1], **inputs(k, k + 1))
    whole.update(y[n : n + 9], **inputs(n, n + 9))
    pd.testing.assert_series_equal(each.history_, whole.history_)
    f, g = (one.predict(4, **inputs(n + 9, n + 13)) for one in (each, whole))
    np.testing.assert_allclose(f.mean, g.mean, rtol=1e-9)
    np.testing.assert_allclose(f.interval(0.9), g.interval(0.9), rtol=1e-9)


def test_nothing_alarms_after_a_change():
    y = around("spring", days=(20, 6))
    y += np.random.default_rng(0).normal(0.0, 0.05, len(y))
    n = len(y) - 6 * 24
    found = seasonal().fit(y[:n]).surprise(y[n:])
    assert found.table.index.equals(y.index[n:])
    assert found.table["flagged"].sum() <= 1


def test_inputs_of_the_skipped_hour_are_not_needed_and_of_the_repeated_hour_are_its_first():
    for change in CHANGES:
        y = around(change)
        u = pd.DataFrame({"u": np.sin(np.arange(len(y)) ** 1.2)}, y.index)
        y, n = y + u["u"], len(y) - 80
        model = gf.models.BayesianAR()
        fc = gf.Forecaster([1, 24], exog_lags=[0], transforms=None, model=model)
        fc.fit(y[:n], exog=u[:n])
        f = fc.predict(80, exog=u[n:])
        pd.testing.assert_index_equal(f.index, y.index[n:])
        np.testing.assert_array_equal(fc.predict(80, exog=u[n:].to_numpy()).mean, f.mean)
        with pytest.raises(ValueError, match="80 times of the forecast"):
            fc.predict(80, exog=u[n - 1 : -1])


def test_days_without_a_midnight_have_their_inputs():
    wall = pd.date_range("2018-09-01", periods=90)
    days = wall.tz_localize("America/Sao_Paulo", nonexistent="shift_forward")  # on 4 November
    u = pd.DataFrame({"u": np.sin(np.arange(90) ** 1.2)}, days)
    y = 3.0 * u["u"] + 0.01 * np.cos(np.arange(90) ** 1.3)
    options = {"transforms": None, "model": gf.models.BayesianAR(), "exog_lags": [0]}
    fc = gf.Forecaster(1, **options).fit(y[:60], exog=u[:60])
    f = fc.predict(10, exog=u)
    np.testing.assert_allclose(f.mean, y[60:70], atol=0.1)
    pd.testing.assert_index_equal(f.index, days[60:70], exact="equiv")
    later = fc.update(y[60:80], exog=u[60:80]).predict(10, exog=u[80:])
    whole = gf.Forecaster(1, **options).fit(y[:80], exog=u[:80]).predict(10, exog=u)
    np.testing.assert_allclose(later.mean, whole.mean, atol=0.01)


def test_a_repeated_hour_has_one_forecast_and_one_density():
    y = around("autumn")
    n = len(y) - 80
    f = seasonal().fit(y[:n] + 0.1 * np.random.default_rng(0).standard_normal(n)).predict(80)
    twice = f.index.tz_localize(None).duplicated(keep=False)
    assert twice.sum() == 2
    assert len(set(f.mean[twice])) == 1
    once = ~f.index.tz_localize(None).duplicated()
    assert f.logpdf(y[n:]) == pytest.approx(f[once].logpdf(y[n:][once]))


def test_components_and_gaps_are_at_moments():
    y = around("spring")
    n = len(y) - 30
    y.iloc[40] = np.nan
    fc = gf.Forecaster(progress=False).fit(y[:n])
    f = fc.predict(30)
    np.testing.assert_allclose(f.components.total, f.mean)
    pd.testing.assert_index_equal(fc.fill_missing().index, y.index[:n], exact="equiv")
    assert fc.notes_[0] == f"1 of {n} values is missing"


def test_several_series_keep_their_hours():
    y = around("autumn", days=(10, 3))
    n = len(y) - 50
    both = pd.DataFrame({"a": y, "b": 2.0 * y + 0.1 * np.cos(np.arange(len(y)) ** 1.3)})
    joint = gf.VectorForecaster().fit(both[:n])
    f = joint.predict(50)
    pd.testing.assert_index_equal(f["a"].mean.index, y.index[n:])
    np.testing.assert_allclose(f["a"].mean, y[n:], atol=0.1)
    joint.update(both[n : n + 30])
    pd.testing.assert_index_equal(joint.history_.index, y.index[: n + 30], exact="equiv")


def test_classes_keep_their_hours_and_the_skipped_one_has_the_class_before_it():
    y = around("spring", days=(8, 3)) > 5.0
    n = len(y) - 24 * 3 - 3
    forecaster = gf.EventForecaster(lags=12).fit(y[:n])
    assert forecaster.predict(60).score(y[n : n + 60])["brier"] < 0.05
    for k in range(n, n + 6):
        forecaster.update(y[k : k + 1])
        assert forecaster.predict(1).index[0] == y.index[k + 1]
    pd.testing.assert_index_equal(forecaster.history_.index, y.index[: n + 6], exact="equiv")


def test_both_values_of_a_repeated_hour_can_be_given_and_origins_are_steps_of_the_clock():
    y = around("autumn")
    n = len(y) - 80
    y += 0.1 * np.random.default_rng(0).standard_normal(len(y))
    fc = seasonal().fit(y[:n])
    g = fc.predict(80).given(y[n : n + 40])
    once = ~g.index[:40].tz_localize(None).duplicated(keep=False)
    np.testing.assert_allclose(g.mean[:40][once], y[n : n + 40][once])
    joint = fc.predict_from(y, [n, n + 30], 5)
    np.testing.assert_allclose(joint.mean[0], fc.predict(5).mean)


def test_times_written_with_their_offsets_are_told_how_to_become_dates():
    y = around("autumn")
    with pytest.raises(TypeError, match=r"utc=True\)\.tz_convert\('Europe/Paris'\)"):
        seasonal().fit(y.set_axis(y.index.astype(str)))


def test_new_values_without_a_zone_are_refused_where_the_series_has_one():
    fc = seasonal().fit(around("autumn"))
    later = pd.Series([1.0, 2.0], fc.predict(2).index.tz_localize(None))
    with pytest.raises(
        ValueError, match="dates without a time zone, and those of the series dates"
    ):
        fc.update(later)


def changes_of(zone, year):
    """Return the first hours after changes of the clocks of a zone in a year."""
    hours = pd.date_range(f"{year}-01-02", f"{year}-12-30", freq="h", tz="UTC").tz_convert(zone)
    offset = hours.tz_localize(None) - hours.tz_convert("UTC").tz_localize(None)
    return hours[1:][np.diff(offset.to_numpy()) != np.timedelta64(0)]


@settings(max_examples=15, deadline=None)
@given(
    zone=st.sampled_from(ZONES),
    step=st.sampled_from(["15min", "30min", "1h", "2h", "3h", "6h", "12h", "24h"]),
    year=st.integers(2015, 2030),
    hours=st.integers(0, 40),
)
def test_clocks_of_any_zone_are_followed_across_every_change(zone, step, year, hours):
    size = pd.Timedelta(step)
    days = 40 if step == "24h" else 12
    for change in changes_of(zone, year):
        wall = change.tz_localize(None).normalize()
        begin, day = wall - pd.Timedelta(days, unit="D"), pd.Timedelta(1, unit="D")
        at = pd.date_range(begin, periods=(days + 8) * day // size, freq=size)
        first = np.ones(len(at), dtype=bool)
        index = at.tz_localize(zone, ambiguous=first, nonexistent="NaT")
        y = of_the_clock(at) + (at.day_of_week == 2) * (step == "24h")
        y = y.set_axis(index)[index.notna()]
        n = int((y.index < change - pd.Timedelta(hours, unit="h")).sum())
        period = 7 if step == "24h" else day // size
        f = seasonal(period).fit(y[:n]).predict(y.index[-1])
        np.testing.assert_allclose(f.mean[y.index[n:]], y[n:], rtol=1e-7)
