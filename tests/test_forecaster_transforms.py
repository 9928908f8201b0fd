"""Forecasts through transforms: closed forms of ARIMA models, many origins, files, gaps."""

import copy
import dataclasses
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess, LinearAR
from gpforecast.propagation import MonteCarlo
from gpforecast.transforms import (
    BoxCox,
    Compose,
    Deterministic,
    Difference,
    Log,
    SeasonalDifference,
    Standardise,
)


def fixed(noise_var=0.05):
    return GaussianProcess(
        SquaredExponential(lengthscales=2.0, variance=1.5), noise_var=noise_var, optimizer=None
    )


def positive(n=120, seed=0, index=None):
    """Trend, season and noise, all growing with the level."""
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    y = np.exp(2 + 0.01 * t + 0.3 * np.sin(2 * np.pi * t / 6) + 0.05 * rng.standard_normal(n))
    return pd.Series(y, index=index, name="sales")


CHAINS = {
    "difference": Difference(),
    "two differences": [Difference(2)],
    "season": [SeasonalDifference(6), Difference()],
    "line and cycle": Deterministic(1, 2, 6),
    "log": Log(),
    "log and season": [Log(), SeasonalDifference(6)],
    "box-cox and line": Compose(BoxCox(0.3), Deterministic(1, 3, 6)),
}


def model_of(chain):
    return gf.Forecaster([1, 2, 6], transforms=chain, model=fixed())


def same(a, b, rtol=1e-9):
    np.testing.assert_allclose(a.mean, b.mean, rtol=rtol)
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=rtol, atol=1e-12)


# Closed forms


def test_random_walk_with_drift_has_its_exact_mean_and_variance():
    # y(t+h) ~ N(y(t) + h drift, h s^2); the differences' mean and spread are estimated.
    y = 3 + 0.4 * np.arange(200) + np.cumsum(np.random.default_rng(0).standard_normal(200))
    fc = gf.Forecaster([1], transforms=Difference(), model=LinearAR()).fit(y)
    posterior = fc.model_.posterior_
    drift, s = np.diff(y).mean(), np.diff(y).std()
    f = fc.predict(30)
    # An autoregression of order 1 in the differences, ARIMA(1, 1, 0), iterated by hand.
    phi, c = float(posterior.linear[0]), float(posterior.constant)
    z, level, var_of = (np.diff(y)[-1] - drift) / s, y[-1], []
    expected = []
    for h in range(1, 31):
        z = c + phi * z
        level = level + drift + s * z
        expected.append(level)
        # psi weights of the integrated process: sums of phi^j
        psi = np.array([(1 - phi ** (j + 1)) / (1 - phi) for j in range(h)])
        var_of.append((psi**2).sum() * s**2 * posterior.noise_var)
    np.testing.assert_allclose(f.mean, expected, rtol=1e-9)
    # With 198 rows the uncertainty of the weights adds about 2 / 198 at each step.
    assert (f.var.to_numpy() > np.array(var_of)).all()
    np.testing.assert_allclose(f.var[:5], var_of[:5], rtol=0.08)


@pytest.mark.parametrize("seed", range(3))
def test_statsmodels_arima_agrees(seed):
    from statsmodels.tsa.arima.model import ARIMA

    rng = np.random.default_rng(seed)
    z = np.zeros(3000)
    for t in range(1, 3000):
        z[t] = 0.6 * z[t - 1] + rng.standard_normal()
    y = np.cumsum(z)
    f = gf.Forecaster([1], transforms=Difference(), model=LinearAR(), max_rows=None).fit(y)
    f = f.predict(20)
    theirs = ARIMA(y, order=(1, 1, 0)).fit().get_forecast(20)
    spread = np.sqrt(theirs.var_pred_mean)
    # They leave the drift out; ours is estimated, to 1 / sqrt(3000) of 2.5 a step.
    assert (np.abs(f.mean - theirs.predicted_mean) < 0.15 * np.arange(1, 21)).all()
    np.testing.assert_allclose(f.std, spread, rtol=0.03)


def test_interval_of_a_random_walk_holds_at_step_50():
    inside = []
    for seed in range(40):
        y = np.cumsum(np.random.default_rng(seed).standard_normal(350))
        fc = gf.Forecaster(2, transforms=Difference(), model=LinearAR()).fit(y[:300])
        low, high = fc.predict(50).interval(0.95).iloc[-1]
        inside.append(low < y[349] < high)
    assert sum(inside) >= 34  # 38 expected; 34 or fewer has a probability of 5 %


# Equivariance, consistency


@pytest.mark.parametrize("chain", [Difference(), [SeasonalDifference(6)], Deterministic(1, 2, 6)])
@pytest.mark.parametrize(("a", "b"), [(100.0, -7.0), (-0.01, 3.0)])
def test_linear_chains_are_affinely_equivariant(chain, a, b):
    y = positive()
    f, g = model_of(chain).fit(y).predict(10), model_of(chain).fit(a * y + b).predict(10)
    np.testing.assert_allclose(g.mean, a * f.mean + b, rtol=1e-7)
    np.testing.assert_allclose(g.covariance, a**2 * f.covariance, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("chain", [Log(), [Log(), SeasonalDifference(6)], BoxCox(0.3), BoxCox(1.0)])
def test_logarithm_or_power_is_equivariant_to_scale(chain):
    y = positive()
    f = model_of(chain).fit(y).predict(10)
    for size in (1e3, 1e-15):
        g = model_of(chain).fit(size * y).predict(10)
        np.testing.assert_allclose(g.mean, size * f.mean, rtol=1e-7)
        np.testing.assert_allclose(g.quantile(0.9), size * f.quantile(0.9), rtol=1e-7)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("method", ["exact", MonteCarlo(30, seed=0)], ids=["exact", "paths"])
def test_forecast_of_10_is_the_start_of_a_forecast_of_20(chain, method):
    fc = model_of(chain).fit(positive())
    short, long = (fc.predict(h, propagation=method) for h in (10, 20))
    np.testing.assert_allclose(short.mean, long.mean.iloc[:10], rtol=1e-10)
    np.testing.assert_allclose(short.covariance, long.covariance.iloc[:10, :10], rtol=1e-8)
    np.testing.assert_allclose(short.latent_var, long.latent_var.iloc[:10], rtol=1e-8)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_latent_variance_is_smaller_and_intervals_hold_the_median(chain):
    f = model_of(chain).fit(positive()).predict(15)
    assert (f.latent_var < f.var).all()
    assert (f.interval(0.5)["lower"] < f.median).all()
    assert (f.median < f.interval(0.5)["upper"]).all()
    assert np.linalg.eigvalsh(f.covariance).min() > 0


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_samples_have_the_moments_and_quantiles_of_the_forecast(chain):
    f, n = model_of(chain).fit(positive()).predict(8), 40_000
    drawn = f.sample(n, seed=0).to_numpy()
    assert (np.abs(drawn.mean(axis=1) - f.mean) < 5 * f.std / np.sqrt(n)).all()
    off = drawn - f.mean.to_numpy()[:, None]
    products = off[:, None] * off[None]
    error = products.std(axis=-1) / np.sqrt(n)
    assert (np.abs(products.mean(axis=-1) - f.covariance) < 5 * error).all(axis=None)
    below = (drawn < f.quantile(0.9).to_numpy()[:, None]).mean(axis=1)
    assert (np.abs(below - 0.9) < 5 * np.sqrt(0.09 / n)).all()
    total = f.sum()
    assert total.mean == pytest.approx(drawn.sum(axis=0).mean(), abs=5 * total.std / np.sqrt(n))
    assert total.quantile(0.9) == pytest.approx(np.quantile(drawn.sum(axis=0), 0.9), rel=0.02)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_monte_carlo_agrees_with_exact_moments(chain):
    # Little noise: what goes in stays nearly Gaussian.
    fc = gf.Forecaster([1, 2, 6], transforms=chain, model=fixed(1e-3)).fit(positive())
    f, n = fc.predict(2), 4000
    drawn = fc.predict(2, propagation=MonteCarlo(n, seed=0))
    assert (np.abs(f.mean - drawn.mean) < 5 * f.std / np.sqrt(n)).all()
    np.testing.assert_allclose(drawn.std, f.std, rtol=0.08)
    np.testing.assert_allclose(drawn.quantile(0.1), f.quantile(0.1), rtol=0.02)


def test_density_of_a_warped_forecast_has_the_jacobian_and_scores_agree():
    y = positive(130)
    f = model_of([Log(), SeasonalDifference(6)]).fit(y[:120]).predict(10)
    g = model_of(SeasonalDifference(6)).fit(np.log(y[:120])).predict(10)
    truth = y[120:]
    np.testing.assert_allclose(np.log(f.median), g.mean, rtol=1e-10)
    expected = g.logpdf(np.log(truth)) - np.log(truth).sum()
    assert f.logpdf(truth) == pytest.approx(expected, rel=1e-9)
    score, of_log = f.score(truth), g.score(np.log(truth))
    assert score["nlpd"] == pytest.approx(of_log["nlpd"] + np.log(truth).mean(), rel=1e-9)
    assert score["coverage_95"] == of_log["coverage_95"]
    sampled = gf.scores.crps_samples(truth.to_numpy(), f.sample(20_000, seed=1).to_numpy())
    assert score["crps"] == pytest.approx(sampled, rel=0.02)
    assert f.logpdf(-truth) == -np.inf


# Many origins


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("method", ["exact", "naive"])
def test_many_origins_equal_one_at_a_time(chain, method):
    y = positive(150)
    fc = model_of(chain).fit(y[:120])
    batch = fc.predict_from(y, [120, 60, 140], 7, propagation=method)
    for i, origin in enumerate((120, 60, 140)):
        one = fc.predict_from(y[:origin], [origin], 7, propagation=method)
        np.testing.assert_allclose(batch.mean[i], one.mean[0], rtol=1e-9)
        np.testing.assert_allclose(batch.covariance[i], one.covariance[0], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(batch.mean[0], fc.predict(7, propagation=method).mean, rtol=1e-9)


def test_a_stretch_of_the_series_is_forecast_at_its_own_time():
    index = pd.date_range("2020-01-01", periods=150, freq="D")
    y = positive(150, index=index)
    fc = gf.Forecaster(2, transforms=Deterministic(1, 2, 7, ("D", "W")), model=fixed())
    fc.fit(y[:100])
    whole = fc.predict_from(y, [130], 5)
    late = fc.predict_from(y[90:], [40], 5)
    np.testing.assert_allclose(whole.mean, late.mean, rtol=1e-10)


@pytest.mark.parametrize(
    "index",
    [pd.RangeIndex(1960, 2020), pd.RangeIndex(30, 630, 10), np.arange(1960.0, 2020.0)],
    ids=["years", "tens", "floats"],
)
def test_an_array_begins_where_the_fit_began(index):
    y = positive(60, index=pd.Index(index))
    fc = gf.Forecaster(2, transforms=Deterministic(1), model=fixed()).fit(y.iloc[:45])
    expected = fc.predict_from(y, [50], 2).mean
    np.testing.assert_allclose(fc.predict_from(y.to_numpy(), [50], 2).mean, expected)
    known = gf.backtest(fc, y, horizon=2, origins=[50]).mean
    np.testing.assert_allclose(gf.backtest(fc, y.to_numpy(), horizon=2, origins=[50]).mean, known)


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


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_backtest_scores_what_predict_says(chain):
    y = positive(150)
    fc = model_of(chain).fit(y[:120])
    result = gf.backtest(fc, y, horizon=5, origins=[120, 130])
    f = fc.predict(5)
    truth = y[120:125]
    np.testing.assert_allclose(result.mean[0], f.mean, rtol=1e-9)
    np.testing.assert_allclose(result.lower[95.0][0], f.interval(0.95)["lower"], rtol=1e-9)
    assert result.crps[0].mean() == pytest.approx(f.score(truth)["crps"], rel=1e-9)
    assert result.nlpd[0].mean() == pytest.approx(f.score(truth)["nlpd"], rel=1e-9)
    inside = (result.pit[0] > 0.025) & (result.pit[0] < 0.975)
    np.testing.assert_array_equal(inside, result.losses["coverage_95"][0] == 1)


def test_backtest_with_refit_keeps_the_transforms_and_fits_them_anew():
    y = positive(150)
    fc = gf.Forecaster([1, 6], model=fixed(), transforms=[BoxCox(), SeasonalDifference(6)])
    fc.fit(y[:100])
    result = gf.backtest(fc, y, horizon=5, origins=[100, 140, 120], refit=20)
    by_hand = gf.Forecaster([1, 6], model=fixed(), transforms=fc.transforms_.spec).fit(y[:120])
    np.testing.assert_allclose(result.mean[2], by_hand.predict(5).mean, rtol=1e-8)
    assert by_hand.transforms_.warp.lmbda != fc.transforms_.warp.lmbda


# update, save, missing values


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_update_equals_many_origins_with_the_transforms_of_the_fit(chain):
    y = positive(150)
    fc = model_of(chain).fit(y[:120])
    rows = fc.n_rows_
    before = fc.transforms_
    fc.update(y[120:140])
    assert fc.n_rows_ == rows + 20
    assert fc.transforms_ is before
    f = fc.predict(5)
    np.testing.assert_allclose(f.mean, fc.predict_from(y, [140], 5).mean[0], rtol=1e-9)


@pytest.mark.parametrize("chain", [*CHAINS.values(), "auto", None], ids=[*CHAINS, "auto", "None"])
def test_it_comes_back_from_a_file(chain, tmp_path):
    index = pd.date_range("2020-01-01", periods=120, freq="MS")
    fc = gf.Forecaster([1, 2, 6], transforms=chain, model=fixed()).fit(positive(index=index))
    fc.save(tmp_path / "fc")
    again = gf.load(tmp_path / "fc")
    assert again.summary() == fc.summary()
    assert repr(again) == repr(fc)
    pd.testing.assert_frame_equal(again.predict(9).covariance, fc.predict(9).covariance)
    a, b = (f.update([30.0, 31.0]).predict(3).mean for f in (again, fc))
    pd.testing.assert_series_equal(a, b)


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_rows_that_touch_a_missing_value_are_left_out_and_counted(chain):
    y = positive()
    y[50] = np.nan
    fc = model_of(chain).fit(y)
    assert "1 of 120 values are missing" in fc.notes_
    (note,) = [n for n in fc.notes_ if n.startswith("left out ")]
    whole = model_of(chain).fit(positive())
    dropped = int(note.split()[2])
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


@pytest.mark.parametrize("gap", [[117], [110, 111, 117]])
def test_gaps_before_an_origin_are_bridged(gap):
    y = positive()
    holes = y.copy()
    holes[gap] = np.nan
    fc = model_of(SeasonalDifference(6)).fit(y)
    origins = [100, 120, 116]
    got = fc.predict_from(holes, origins, 3)
    whole = fc.predict_from(y, origins, 3)
    np.testing.assert_array_equal(got.mean[0], whole.mean[0])  # nothing is missing there
    assert got.mean.shape == (3, 3)
    filled = holes.copy()
    filled[gap] = fc.fit(holes).fill_missing()["mean"].to_numpy()[gap]
    assert np.abs(filled[gap] - y[gap]).max() < 2 * y.std()
    np.testing.assert_allclose(got.mean[1], whole.mean[1], atol=2 * y.std())


@pytest.mark.parametrize("gap", [[113], [110, 111, 114, 117]])
@pytest.mark.parametrize("steps", [Difference(), [SeasonalDifference(6), Difference()]])
def test_uncertainty_of_bridged_values_goes_through_a_linear_model_exactly(gap, steps):
    # Values beside the gap known, the forecast is an affine function of the missing ones, which
    # are conditionally Gaussian given the others: the law of total variance, by brute force.
    y = positive()
    holes = y.copy()
    holes[gap] = np.nan
    fc = gf.Forecaster([1, 2, 6], transforms=steps, model=LinearAR()).fit(holes)
    chain = fc.transforms_
    times = chain.clock.times(holes.index)
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


def test_a_month_that_was_never_seen_is_forecast_as_uncertain_as_the_series():
    t = np.arange(96)
    y = 100 + 50 * np.sin(2 * np.pi * t / 12) + np.random.default_rng(0).standard_normal(96)
    y[t % 12 == 3] = np.nan
    std = gf.Forecaster(2, transforms=SeasonalDifference(12)).fit(y).predict(12).std.to_numpy()
    assert 0.9 * np.nanstd(y) < std[3] < 1.5 * np.nanstd(y)
    assert np.delete(std, 3).max() < 10


def test_a_trajectory_after_gaps_is_the_naive_mean():
    y = positive()
    y[[114, 119]] = np.nan
    fc = model_of(CHAINS["season"]).fit(y)
    f, naive = fc.predict(12), fc.predict(12, propagation="naive")
    assert np.isfinite(f.trajectory).all()
    np.testing.assert_allclose(f.trajectory, naive.mean, rtol=1e-12)


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
    vars(other)["history_"] = fc.history_[:-1]
    other._exog = dataclasses.replace(fc._exog, past=fc._exog.past[:-1])
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


def test_too_few_known_values_before_an_origin_are_refused():
    y = positive()
    y[:95] = np.nan
    fc = model_of(SeasonalDifference(6)).fit(positive())
    with pytest.raises(ValueError, match="too few known values before position 97, 2"):
        fc.predict_from(y, [97], 3)


# What is visible, what is refused


def test_summary_says_what_was_chosen_and_why():
    y = positive(index=pd.date_range("2020-01-01", periods=120, freq="MS"))
    y.iloc[10] = np.nan
    text = gf.Forecaster([1, 2], model=fixed(), max_rows=60).fit(y).summary()
    assert "120 values, 1 missing, 2020-01-01" in text
    assert "Log()" in text
    assert "Guerrero" in text
    for word in ("lags", "1, 2", "model", "rows", "60", "noise", "left out", "max_rows"):
        assert word in text
    assert max(map(len, text.splitlines())) < 400


def test_trajectory_is_the_naive_mean_and_costs_no_distribution():
    y = positive()
    fc = model_of(CHAINS["season"]).fit(y)
    f = fc.predict(12)
    naive = fc.predict(12, propagation="naive")
    np.testing.assert_allclose(f.trajectory, naive.mean, rtol=1e-12)
    assert f.trajectory.name == "trajectory"
    assert not np.allclose(f.trajectory, f.mean, rtol=1e-6)
    warped = model_of(Log()).fit(y)
    f, naive = warped.predict(12), warped.predict(12, propagation="naive")
    np.testing.assert_allclose(f.trajectory, naive.median, rtol=1e-12)


@pytest.mark.parametrize("chain", [Log(), BoxCox(0.0), [Log(), Difference()]])
def test_logarithm_of_what_is_not_positive_is_refused_and_nothing_changes(chain):
    fc = model_of(chain).fit(positive())
    state, before = dict(vars(fc)), fc.predict(3)
    with pytest.raises(ValueError, match="series must be positive"):
        fc.fit(positive() - 10)
    assert vars(fc) == state
    with pytest.raises(ValueError, match=r"new_values must be positive.*position 1"):
        fc.update([3.0, 0.0])
    same(fc.predict(3), before)


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


@pytest.mark.parametrize("level", [1e6, 1e14, 1e16])
def test_gaps_are_filled_alike_at_any_level(level):
    y = 1 + 1e-3 * np.sin(np.arange(80) / 4)
    y += 1e-5 * np.random.default_rng(0).standard_normal(80)
    y[40] = np.nan
    fc = gf.Forecaster(3, transforms=None, model=fixed(1e-4))
    one = fc.fit(y).fill_missing().iloc[40]
    many = fc.fit(level * y).fill_missing().iloc[40] / level
    # The values have 16 digits, of which the spread leaves 13.
    np.testing.assert_allclose(many["mean"] - 1, one["mean"] - 1, rtol=1e-8)
    np.testing.assert_allclose(many["std"], one["std"], rtol=1e-8)


@pytest.mark.parametrize("slope", [0.0, 0.3])
@pytest.mark.parametrize(
    "chain",
    [
        Deterministic(1),
        Difference(),
        [SeasonalDifference(6), Difference()],
        [Deterministic(1), Difference()],
    ],
    ids=str,
)
def test_a_line_that_transforms_leave_nothing_of_is_no_surer_than_a_constant(chain, slope):
    y = 5.1 + slope * np.arange(40)
    f = gf.Forecaster(2, transforms=chain).fit(y).predict(3)
    constant = gf.Forecaster(2, transforms=None).fit(np.full(40, 5.1)).predict(1)
    np.testing.assert_allclose(f.mean, 5.1 + slope * np.arange(40, 43), rtol=1e-9)
    # What is left has no scale, and is given that of the series or of its steps.
    assert f.std.min() > (0.3 / 5.1 if slope else 1) * 0.2 * constant.std.iloc[0]
    assert f.std.iloc[0] < 10 * (1 + slope * 8) * constant.std.iloc[0]


def test_a_standardisation_with_numbers_of_its_own_is_used():
    y = positive()
    fc = gf.Forecaster(2, transforms=[Log(), Standardise(1.0, 2.0)], model=fixed()).fit(y)
    np.testing.assert_allclose(fc.transforms_.transform(y), (np.log(y) - 1) / 2, rtol=1e-12)
    plain = gf.Forecaster(2, transforms=[Log(), Standardise], model=fixed()).fit(y)
    same(plain.predict(3), gf.Forecaster(2, transforms=Log(), model=fixed()).fit(y).predict(3))
    assert "Log() -> Standardise(location=1.0, scale=2.0)\n" in fc.summary()
    assert "Log() -> Standardise\n" in plain.summary()


@pytest.mark.parametrize(
    ("transforms", "words"),
    [
        ("log", '"auto", None, a transform'),
        ([Difference(), Log()], "must come first"),
        (3, "transforms must hold"),
        ([Difference], "Write Difference()"),
        ([Standardise(0.0, 1.0), Difference()], "Standardise must come last"),
        ([Standardise, Difference()], "Standardise must come last"),
    ],
)
def test_transforms_that_make_no_sense_are_refused_at_once(transforms, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        gf.Forecaster(2, transforms=transforms)
    assert words in str(caught.value)


def test_series_too_short_for_its_transforms_is_refused():
    with pytest.raises(ValueError, match="5 values but SeasonalDifference"):
        model_of(SeasonalDifference(6)).fit(positive(5))


def test_exogenous_inputs_go_with_differences():
    rng = np.random.default_rng(0)
    u = rng.standard_normal(200)
    y = np.cumsum(np.tanh(u) + 0.05 * rng.standard_normal(200))
    fc = gf.Forecaster(1, transforms=Difference()).fit(y[:180], u[:180])
    f = fc.predict(20, exog=u[180:])
    assert f.score(y[180:])["mae"] < 0.3
    assert f.score(y[180:])["coverage_95"] >= 0.8


AIR = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "classic" / "AirPassengers.csv"


@pytest.mark.skipif(not AIR.exists(), reason="the shared data are not here")
@pytest.mark.parametrize("dated", [True, False])
def test_default_forecast_of_the_airline_passengers_errs_by_five_per_cent(dated):
    y = pd.read_csv(AIR).iloc[:, 0]
    if dated:
        y.index = pd.date_range("1949-01", periods=len(y), freq="MS")
    truth = y.iloc[-24:]
    f = gf.Forecaster().fit(y.iloc[:-24]).predict(24)
    assert ((f.median - truth) / truth).abs().mean() <= 0.05
    assert f.score(truth)["coverage_95"] >= 0.9
