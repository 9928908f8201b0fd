"""Seasonal differences of a year: to the same date a year before, across leap days."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from transformed_cases import ahead_of

import gpforecast as gf
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import (
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    InputEffects,
    SeasonalDifference,
)
from gpforecast.transforms.bridging import bridge
from gpforecast.transforms.differences import n_back
from gpforecast.transforms.effect_design import LaterTerms
from gpforecast.transforms.split import split

YEAR = SeasonalDifference(365)
DAYS = pd.date_range("2017-01-01", "2026-12-31")
WALK = np.random.default_rng(0).standard_normal(366).cumsum()
WALK[59] = WALK[58]  # 29 February is as the 28th
A_YEAR = pd.DateOffset(years=1)


def by_date(index):
    """Return values that repeat by date."""
    dates = pd.DatetimeIndex(index.strftime("2020-%m-%d"))
    return pd.Series(WALK[dates.day_of_year - 1], index)


def year_before(index):
    """Return the position of the same date a year before each, -1 if that comes earlier."""
    return index.get_indexer(index - A_YEAR)


def model(*steps, lags=(1, 2)):
    own = gf.models.BayesianAR()
    return gf.Forecaster(list(lags), transforms=[YEAR, *steps], model=own, combine=None)


@pytest.mark.parametrize("start", ["2019-02-28", "2019-03-01", "2019-06-01", "2020-02-29", "2021"])
def test_a_difference_is_to_the_same_date_a_year_before(start):
    y = pd.Series(np.random.default_rng(1).standard_normal(len(DAYS)), DAYS)[start:]
    expected = y - [y.get(day - A_YEAR, np.nan) for day in y.index]
    found = YEAR.fit(y)
    np.testing.assert_array_equal(found.transform(y), expected)
    assert np.isnan(expected[: found.n_lost]).all()
    assert not np.isnan(expected[found.n_lost :]).any()
    np.testing.assert_array_equal(found.transform(y.to_period("D")), expected)


def test_hours_of_a_year_are_those_of_the_same_date():
    hours = pd.date_range("2023-02-28 05:00", "2025-03-02", freq="h")
    y = pd.Series(np.random.default_rng(2).standard_normal(len(hours)), hours)
    expected = y - y.reindex(hours - A_YEAR).to_numpy()
    found = SeasonalDifference(8760).fit(y)
    np.testing.assert_array_equal(found.transform(y), expected)
    assert found.n_lost == 8784


@pytest.mark.parametrize(("freq", "period"), [("D", 7), ("D", 364), ("7D", 52), ("2D", 365)])
def test_other_seasons_count_steps(freq, period):
    axis = TimeAxis.of(pd.date_range("2019-01-01", periods=1000, freq=freq))
    assert set(axis.back(period)) == {period}


def test_a_difference_is_undone_from_every_origin_as_the_calendar_says():
    horizon, rng = 800, np.random.default_rng(3)
    n = DAYS.get_indexer(["2023-12-01", "2024-02-29", "2024-09-01", "2025-02-28", "2021-06-01"])
    n = n[n + horizon <= len(DAYS)]
    y, mean = rng.standard_normal(len(DAYS)), rng.standard_normal((len(n), horizon))
    root = rng.standard_normal((horizon, 5))
    z = Propagated(mean, np.tile(root @ root.T, (len(n), 1, 1)), np.ones_like(mean))
    times, before = TimeAxis.of(DAYS), year_before(DAYS)
    past = y[n[:, None] + np.arange(-n_back(YEAR, times), 0)]
    found = YEAR.undo(z, past, n, times)
    for i, end in enumerate(n):
        path, A = y[:end].tolist(), np.zeros((end + horizon, horizon))
        for k in range(horizon):
            path.append(path[before[end + k]] + mean[i, k])
            A[end + k] = A[before[end + k]] + np.eye(horizon)[k]
        np.testing.assert_allclose(found.mean[i], path[end:], rtol=1e-12, atol=1e-12)
        S = A[end:] @ root
        np.testing.assert_allclose(found.covariance[i], S @ S.T, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(found.var[i], (S**2).sum(axis=1), rtol=1e-10)


def test_a_fixed_season_of_hours_or_of_periods_goes_by_date():
    hours = pd.date_range("2023-06-01 05:00", "2025-05-31", freq="h")
    phase = TimeAxis.of(hours).phases(8760)
    time = hours.strftime("%m-%d %H").str.replace("02-29", "02-28")
    assert pd.Series(phase).groupby(time).nunique().max() == 1
    assert len(np.unique(phase)) == time.nunique() == 8760
    days = DAYS.to_period("D")
    np.testing.assert_array_equal(TimeAxis.of(days).phases(365), TimeAxis.of(DAYS).phases(365))


ENDS = ["2024-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2025-02-28", "2025-03-01"]


@pytest.mark.parametrize("more", [[], [Difference()], [DampedMean(1.0)]], ids=str)
def test_what_repeats_by_date_is_forecast_to_rounding_across_leap_days(more):
    for start, end in [*pairwise(["2022-12-30", *ENDS[:1]]), *(("2021-03-01", e) for e in ENDS)]:
        f = model(*more).fit(by_date(DAYS)[start:end]).predict(500)
        np.testing.assert_allclose(f.mean, by_date(f.index), atol=1e-9)


def test_updates_know_the_leap_day_that_the_fit_did_not():
    y = by_date(DAYS)
    for end in ENDS:
        fc = model().fit(y["2021-03-01":"2023-12-31"]).update(y["2024-01-01":end])
        f = fc.predict(400)
        np.testing.assert_allclose(f.mean, by_date(f.index), atol=1e-9)


def test_a_backtest_has_each_date_of_every_origin_at_its_place():
    y = by_date(DAYS)["2021-03-01":"2025-12-31"]
    fc = model().fit(y["2021-03-01":"2023-12-31"])
    origins = y.index.get_indexer(ENDS)
    mean = fc.predict_from(y, origins, 280).mean
    np.testing.assert_allclose(mean, y.to_numpy()[origins[:, None] + np.arange(280)], atol=1e-9)
    found = gf.backtest(model(), y, 30, [*origins], refit=None, progress=False)
    np.testing.assert_allclose(found.mean, found.truth, atol=1e-9)


def test_missing_values_around_a_leap_day_are_those_of_the_same_dates():
    y = by_date(DAYS)["2021-03-01":"2025-12-31"]
    holes = y.copy()
    for day in ["2023-02-27", "2024-02-28", "2024-02-29", "2024-03-01", "2025-02-28"]:
        holes[day] = np.nan
    chain, values = Compose(YEAR).fit(y + np.arange(len(y))), holes.to_numpy()
    found = bridge(chain, values, TimeAxis.of(y.index))
    gaps, start = np.flatnonzero(np.isnan(values)), np.nan_to_num(values)
    unit, times = np.eye(len(y))[gaps], TimeAxis.of(y.index)
    D = np.column_stack([chain.apply(e, times) - chain.apply(0 * e, times) for e in unit])
    rows = ~np.isnan(D).any(axis=1)
    expected = -np.linalg.lstsq(D[rows], chain.apply(start, times)[rows])[0]
    np.testing.assert_allclose(found.mean, expected, rtol=1e-8)
    part, day = times.part(822, len(y)), y.index.get_loc("2024-05-31")  # from 1 June 2023
    early = y.to_numpy()[822:].copy()
    early[day - 822] = np.nan  # without a difference, on that part
    usual = y.iloc[day] - chain.linear[-1].location
    np.testing.assert_allclose(bridge(chain, early, part).mean, usual, rtol=1e-8)
    np.testing.assert_allclose(model().fit(holes).fill_missing()["mean"], y, atol=1e-6)
    for end in ENDS:
        f = model().fit(holes[:end]).predict(60)
        np.testing.assert_allclose(f.mean, by_date(f.index), atol=1e-6)


def test_an_error_of_an_effect_counts_as_far_as_inputs_differ_from_those_of_the_date():
    n, h = DAYS.get_indexer(["2024-02-29"])[0], 450
    u = (np.random.default_rng(4).uniform(size=len(DAYS)) < 0.2).astype(float)
    y = by_date(DAYS) + 3.0 * u + np.random.default_rng(5).standard_normal(len(DAYS))
    steps = [InputEffects(), YEAR]
    own = gf.models.BayesianAR()
    fc = gf.Forecaster([1, 2], transforms=steps, model=own, combine=None).fit(y[:n], exog=u[:n])
    effects, times = fc.transforms_.effects, TimeAxis.of(DAYS)
    found = ahead_of(effects.given(u[:, None]), n, h, times)
    carried, before = u[:n].tolist(), year_before(DAYS)
    for k in range(h):
        carried.append(carried[before[n + k]])
    d = u[n : n + h] - carried[n:]
    assert effects.beta[0] == pytest.approx(3.0, abs=0.3)
    np.testing.assert_allclose(found.var[0], effects.V[0, 0] * d**2, atol=1e-3)


def test_lines_and_seasons_that_are_estimated_with_effects_are_differenced_by_date():
    times, later = TimeAxis.of(DAYS), (Deterministic(1), YEAR, DampedMean(1.0, 7))
    n = len(DAYS)
    found = LaterTerms(later, float(n)).columns(times)[366:]
    back = np.arange(len(DAYS)) - year_before(DAYS)
    days_of_week = np.equal.outer(times.phases(7), np.arange(1, 7))
    np.testing.assert_allclose(found[:, :6], days_of_week[366:], atol=1e-12)
    assert any(np.allclose(n * column, back[366:], rtol=1e-9) for column in found[:, 6:-1].T)


def test_holidays_of_a_fixed_date_keep_their_effects_beside_a_year_of_few_cycles():
    """A mean for each day of three years would take what the holiday of that day explains."""
    days, rng = DAYS[:1000], np.random.default_rng(2)
    named = {"May": (5, 1), "October": (10, 3), "Christmas": (12, 25)}
    u = pd.DataFrame({k: (days.month == m) & (days.day == d) for k, (m, d) in named.items()}, days)
    season = 0.3 * np.sin(2 * np.pi * days.day_of_year / 365.25)
    y = pd.Series(season + 0.1 * rng.standard_normal(1000) - 1.6 * u.any(axis=1), days)
    steps = [InputEffects(), DampedMean(1.0, 7, prior=None), DampedMean(0.0, 365)]
    fc = gf.Forecaster([1, 2], transforms=steps, model=gf.models.BayesianAR(), combine=None)
    found = fc.fit(y, exog=u.astype(float)).effects_
    assert (found["effect"] + 1.6).abs().max() < 0.2
    assert found["std_error"].max() < 0.1


def test_trend_and_season_are_together_the_forecast_of_a_model_of_zeros():
    n, h = DAYS.get_indexer(["2024-02-29"])[0], 900
    y = by_date(DAYS).to_numpy() + 0.01 * np.arange(len(DAYS))
    chain, times = Compose(YEAR).fit(pd.Series(y, DAYS)[:n]), TimeAxis.of(DAYS)
    levels = chain.levels(y[:n], times)
    found = split(chain.linear, chain.period, levels, n, h, times)
    whole = chain.undo(Propagated.certain(np.zeros((1, h))), levels, np.array([n]), times)
    np.testing.assert_allclose(found.trend + found.season, whole.mean[0], rtol=1e-10)


def test_files_panels_and_several_series_keep_the_calendar(tmp_path):
    y = by_date(DAYS)["2021-03-01":"2024-01-31"]
    fc = model().fit(y)
    fc.save(tmp_path / "a.zip")
    loaded = gf.load(tmp_path / "a.zip").update(by_date(DAYS)["2024-02-01":"2024-02-29"])
    f = loaded.predict(30)
    np.testing.assert_allclose(f.mean, by_date(f.index), atol=1e-9)
    wide = pd.DataFrame({"a": y, "b": 2.0 * y})
    panel = gf.forecast_panel(wide, 60, forecaster=model(), keep=True, progress=False)
    f = gf.VectorForecaster([1, 2], transforms=YEAR, model=gf.models.BayesianAR()).fit(wide)
    joint = f.predict(60)
    expected = by_date(joint["a"].index)
    for name, factor in [("a", 1.0), ("b", 2.0)]:
        np.testing.assert_allclose(joint[name].mean, factor * expected, atol=1e-8)
        np.testing.assert_allclose(panel[name].mean, factor * expected, atol=1e-8)


@pytest.mark.parametrize(("end", "missing"), [("02-28", "02-28"), ("02-29", "03-01")])
def test_columns_of_a_frame_without_the_value_a_year_before_are_forecast(end, missing):
    y = by_date(DAYS)["2021-03-01" : f"2024-{end}"]
    wide = pd.DataFrame({"a": y, "b": 2.0 * y})
    wide.loc["2023-03-01", "a"] = np.nan
    f = gf.VectorForecaster([1, 2], transforms=YEAR, model=gf.models.BayesianAR()).fit(wide)
    a = f.predict(3)["a"].mean
    np.testing.assert_allclose(a, by_date(a.index), atol=1e-6)


def test_without_a_leap_day_dates_are_positions():
    days = DAYS[DAYS.get_loc("2021-03-01") :][:900]
    y = pd.Series(np.random.default_rng(6).standard_normal(900).cumsum(), days)
    y.iloc[[400, 899]] = np.nan
    dated, plain = model().fit(y), model().fit(y.to_numpy())
    f, g = dated.predict(100), plain.predict(100)
    np.testing.assert_array_equal(f.mean, g.mean)
    np.testing.assert_array_equal(f.covariance, g.covariance)
    filled = [fc.fill_missing().to_numpy() for fc in (dated, plain)]
    np.testing.assert_array_equal(*filled)
