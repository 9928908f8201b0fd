"""Forecasts from origins within a series, and missing values before them."""

import copy
import dataclasses

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted, wave
from transformed_cases import CHAINS, fixed, model_of, positive

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.propagation import MonteCarlo
from gpforecast.series import TimeAxis
from gpforecast.transforms import Deterministic, Difference, Log, SeasonalDifference

# Forecasts through transforms from many origins, by time and by row


def test_a_stretch_of_the_series_is_forecast_at_its_own_time():
    index = pd.date_range("2020-01-01", periods=150, freq="D")
    y = positive(150, index=index)
    fc = gf.Forecaster(2, transforms=Deterministic(1, 2, 7, [("D", "W")]), model=fixed())
    fc.fit(y[:100])
    whole = fc.predict_from(y, [130], 5)
    late = fc.predict_from(y[90:], [40], 5)
    np.testing.assert_allclose(whole.mean, late.mean, rtol=1e-10)


def test_time_is_counted_over_a_stamp_that_the_clock_skips():
    wall = pd.date_range("2018-10-03", periods=60, freq="D")
    days = wall.tz_localize("America/Sao_Paulo", nonexistent="shift_forward")
    y = positive(60, index=days)
    plain = y.set_axis(wall)
    for first in (0, 31, 32):  # the 32nd day has no midnight
        fc, same_days = (
            gf.Forecaster(2, transforms=Deterministic(1, 2, 7), model=fixed()).fit(s[first:])
            for s in (y, plain)
        )
        for begin in (first, first + 3):
            np.testing.assert_allclose(
                fc.predict_from(y[begin:], [10], 3).mean,
                same_days.predict_from(plain[begin:], [10], 3).mean,
            )


@pytest.mark.parametrize("chain", [Log(), [Log(), Difference()]], ids=["log", "difference"])
def test_a_zero_after_an_origin_stops_no_forecast_from_it(chain):
    y = positive(150)
    y[[140, 60]] = 0.0, np.nan
    fc = model_of(chain).fit(y[:120])
    got = fc.predict_from(y, [100, 64, 140], 3)
    alone = fc.predict_from(y[:140], [100, 64, 140], 3)
    np.testing.assert_array_equal(got.mean, alone.mean)
    result = gf.backtest(fc, y, horizon=5, origins=[125, 138])
    assert np.isfinite(result.crps).all()
    assert np.isposinf(result.nlpd[1, 2])
    with pytest.raises(ValueError, match=r"series must be positive.*position 140"):
        fc.predict_from(y, [145], 3)


@pytest.mark.parametrize("noise", ["process", "measurement"])
def test_origins_with_two_inputs_are_those_of_a_forecast(noise):
    """With measurement noise a backtest had 2.3 times the error of the forecasts themselves."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=150)
    exog = pd.DataFrame({"a": rng.uniform(size=150), "b": rng.uniform(size=150)}, index=days)
    y = np.zeros(150)
    for t in range(1, 150):
        y[t] = 0.8 * y[t - 1] + exog["a"].iloc[t] - 2.0 * exog["b"].iloc[t]
    y = pd.Series(y + 0.3 * rng.standard_normal(150), index=days)
    options = {"transforms": None, "model": gf.models.LinearAR(), "noise": noise}
    fc = gf.Forecaster(lags=2, **options).fit(y[:120], exog=exog[:120])
    f, late = fc.predict(3, exog=exog), fc.predict_from(y, [120], 3, exog=exog)
    np.testing.assert_allclose(late.mean[0], f.mean, rtol=1e-6)
    np.testing.assert_allclose(late.std[0], f.std, rtol=1e-6)


# A batch of origins forecast at once equals each forecast alone


@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_number_of_threads_does_not_change_a_batch(n_jobs):
    y = wave(120)
    fc = fitted(y=y[:80])
    batch = fc.predict_from(y, np.arange(85, 92), 5, n_jobs=n_jobs)
    plain = fc.predict_from(y, np.arange(85, 92), 5, n_jobs=1)
    # Matrix products of other shapes round otherwise: to the last digits of the largest entry.
    atol = 1e-12 * np.abs(plain.covariance).max()
    np.testing.assert_allclose(batch.covariance, plain.covariance, rtol=0, atol=atol)


@pytest.mark.parametrize("origins", [[2], [-1], [121], [], [20.5], [True], [[20]]])
def test_origins_outside_the_series_are_refused(origins):
    with pytest.raises(ValueError, match="origins must"):
        fitted().predict_from(wave(120), origins, 5)


# Missing values under transforms: left out of training, bridged before an origin


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_rows_that_touch_a_missing_value_are_left_out_and_counted(chain):
    y = positive()
    y[50] = np.nan
    fc = model_of(chain).fit(y)
    assert "1 of 120 values is missing" in fc.notes_
    (note,) = [n for n in fc.notes_ if n.startswith("not learned from: ")]
    whole = model_of(chain).fit(positive())
    dropped = int(note.split()[3])
    assert fc.n_rows_ == whole.n_rows_ - dropped
    assert dropped >= 4
    f = fc.predict(5)
    assert np.isfinite(f.covariance).all(axis=None)
    np.testing.assert_allclose(f.mean, whole.predict(5).mean, rtol=0.2)


def test_values_missing_at_the_end_are_forecast_along():
    y = positive()
    gap = y.copy()
    gap[-2:] = np.nan
    fc, shorter = (
        model_of(SeasonalDifference(6)).fit(gap),
        model_of(SeasonalDifference(6)).fit(y[:-2]),
    )
    got, expected = fc.predict(5), shorter.predict(7)
    np.testing.assert_allclose(got.mean, expected.mean[2:], rtol=1e-12)
    np.testing.assert_allclose(got.covariance, expected.covariance.iloc[2:, 2:], rtol=1e-10)
    paths = fc.predict(5, propagation=gf.propagation.MonteCarlo(50, seed=0)).paths
    assert paths.shape == (5, 50)


GAP = [110, 111, 117]


def by_months(values, drift):
    """Missing values of a walk with a drift for each of six months: lines between the known."""
    filled = values.copy()
    for month in range(6):
        own, at = filled[month::6], np.arange(len(filled[month::6]))
        known = np.flatnonzero(~np.isnan(own))
        after = drift * np.maximum(at - known[-1], 0)
        filled[month::6] = np.interp(at, known, own[known]) + after
    return filled


def test_gaps_before_an_origin_are_bridged():
    y = positive()
    holes = y.copy()
    holes[GAP] = np.nan
    fc = model_of(SeasonalDifference(6)).fit(y)
    drift = np.mean(y.to_numpy()[6:] - y.to_numpy()[:-6])
    for origin in (100, 116, 120):
        filled = y.to_numpy().copy()
        filled[:origin] = by_months(holes.to_numpy()[:origin], drift)
        got = fc.predict_from(holes, [origin], 6, propagation="naive")
        expected = fc.predict_from(filled, [origin], 6, propagation="naive")
        np.testing.assert_allclose(got.mean, expected.mean, rtol=1e-10)
    certain = fc.predict_from(y, [120], 6, propagation="naive")
    assert np.abs(got.mean - certain.mean).max() > 0.5  # the forecast looks at the bridged values


def test_filled_values_lie_between_those_of_their_month():
    holes = positive()
    holes[GAP] = np.nan
    values = holes.to_numpy()
    filled = model_of(SeasonalDifference(6)).fit(holes).fill_missing()["mean"].to_numpy()
    expected = by_months(values, np.nanmean(values[6:] - values[:-6]))
    np.testing.assert_allclose(filled, expected, rtol=1e-10)


@pytest.mark.parametrize("steps", [Difference(), [SeasonalDifference(6), Difference()]])
def test_uncertainty_of_bridged_values_goes_through_a_linear_model_exactly(steps):
    # Values beside the gap known, the forecast is an affine function of the missing ones, which
    # are conditionally Gaussian given the others: the law of total variance, by brute force.
    holes, gap = positive(), [*GAP, 114]
    holes[gap] = np.nan
    fc = gf.Forecaster([1, 2, 6], transforms=steps, model=LinearAR()).fit(holes)
    chain = fc.transforms_
    times = TimeAxis.of(holes.index)
    zero = chain.apply(np.zeros(120), times)[chain.n_lost :]
    D = np.column_stack([chain.apply(e, times)[chain.n_lost :] - zero for e in np.eye(120)])
    C = np.linalg.inv((D.T @ D)[np.ix_(gap, gap)])
    mean = fc.fill_missing()["mean"].to_numpy()[gap]

    def given(values):
        filled = holes.copy()
        filled[gap] = values
        return fc.predict_from(filled, [120], 8)

    base = given(mean)
    J = np.column_stack([(given(mean + e).mean - base.mean)[0] for e in np.eye(len(gap))])
    got = fc.predict(8)
    np.testing.assert_allclose(got.mean, base.mean[0], rtol=1e-9)
    gained = got.covariance.to_numpy() - base.covariance[0]
    np.testing.assert_allclose(gained, J @ C @ J.T, rtol=1e-6, atol=1e-8 * got.var.max())
    np.testing.assert_allclose(
        got.latent_var - base.latent_var[0], np.diag(gained), rtol=1e-6, atol=1e-8 * got.var.max()
    )
    assert gained.diagonal().max() > 1e-3 * got.var.max()
    drawn = fc.predict(8, propagation=MonteCarlo(20_000, seed=0))
    np.testing.assert_allclose(drawn.std, got.std, rtol=5 / np.sqrt(2 * 20_000) + 1e-3)


@pytest.mark.parametrize("given", [None, 0.3])
def test_inputs_missing_with_the_value_before_an_origin_are_as_uncertain_as_their_column(given):
    rng = np.random.default_rng(0)
    u = rng.standard_normal(80)
    y = np.cumsum(u + 0.1 * rng.standard_normal(80))
    y[-1] = u[-1] = np.nan
    fc = gf.Forecaster(1, transforms=Difference(), exog_lags=[0], model=LinearAR()).fit(y, u)
    cov = None if given is None else np.full((2, 1), given)
    got = fc.predict(2, exog=np.zeros(2), exog_cov=cov)
    # The same, the missing input given as a forecast of its own: mean and variance of the column.
    other = copy.copy(fc)
    exog = fc.fitted_.exog
    other.fitted_ = dataclasses.replace(
        fc.fitted_, history=fc.history_[:-1], exog=dataclasses.replace(exog, past=exog.past[:-1])
    )
    column = u[:-1]
    ahead = np.r_[column.mean(), 0, 0], np.r_[column.var(), np.full(2, given or 0.0)]
    expected = other.predict(3, exog=ahead[0], exog_cov=ahead[1][:, None])
    np.testing.assert_allclose(got.mean, expected.mean[1:], rtol=1e-9)
    np.testing.assert_allclose(got.covariance, expected.covariance.iloc[1:, 1:], rtol=1e-9)
    assert got.std.iloc[0] > 0.8 * column.std()


def test_predictions_in_sample_begin_where_enough_values_are_known():
    y = positive()
    y[[4, 50]] = np.nan
    fc = model_of(SeasonalDifference(6)).fit(y)
    table = fc.predict_in_sample()
    assert np.isnan(table["mean"].iloc[0])  # 11 of the 12 values it needs are known
    assert np.isfinite(table["mean"].iloc[1:]).all()
    later = fc.predict_from(y, [51], 1)
    assert table["mean"].loc[51] == pytest.approx(later.mean[0, 0], rel=1e-12)


def test_predictions_in_sample_begin_where_every_member_of_an_ensemble_has_enough_values():
    y = gf.datasets.load_co2()[-150:].astype(float)
    y.iloc[[2, 3, 5]] = np.nan
    fc = gf.Forecaster().fit(y)
    least = max(one.n_back for one in fc.fitted_.others)
    assert least > fc.fitted_.n_back  # one has differences over a year, the first has none
    mean = fc.predict_in_sample()["mean"]
    n_known = y.notna().cumsum().shift(fill_value=0)[mean.index]
    assert (mean.isna() == (n_known < least)).all()


def test_too_few_known_values_before_an_origin_are_refused():
    y = positive()
    y[:95] = np.nan
    fc = model_of(SeasonalDifference(6)).fit(positive())
    with pytest.raises(ValueError, match="too few known values before position 97, 2"):
        fc.predict_from(y, [97], 3)
