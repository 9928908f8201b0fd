"""The front door: what goes in, what comes out, and what is refused."""

import copy
import dataclasses
import importlib
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess
from gpforecast.propagation import MonteCarlo, Taylor
from gpforecast.warnings import NumericalWarning


def fixed(noise_var=0.05, lengthscales=2.0):
    """A Gaussian process that keeps the hyperparameters it is given."""
    return GaussianProcess(
        SquaredExponential(lengthscales=lengthscales, variance=1.5),
        noise_var=noise_var,
        optimizer=None,
    )


def wave(n=80, seed=0):
    """A non-linear cycle of 12 steps with a little noise, around 50."""
    t = np.arange(n)
    noise = 0.2 * np.random.default_rng(seed).standard_normal(n)
    return 50 + 5 * np.sin(2 * np.pi * t / 12) + 2 * np.cos(2 * np.pi * t / 6) ** 2 + noise


def driven(n=160, seed=0):
    """y(t) = 0.6 y(t-1) + tanh(u(t)) - 0.5 v(t-2) + noise: a NARX series and its inputs."""
    rng = np.random.default_rng(seed)
    u, v = rng.standard_normal((2, n))
    y = np.zeros(n)
    for t in range(2, n):
        y[t] = 0.6 * y[t - 1] + np.tanh(u[t]) - 0.5 * v[t - 2] + 0.05 * rng.standard_normal()
    index = pd.date_range("2024-01-01", periods=n, freq="D")
    return pd.Series(y, index=index, name="y"), pd.DataFrame({"u": u, "v": v}, index=index)


def fitted(lags=3, y=None, **options):
    options = {"transforms": None, **options}
    return gf.Forecaster(lags, model=fixed(), **options).fit(wave() if y is None else y)


def same(a, b, rtol=1e-12):
    """Whether two forecasts say the same."""
    np.testing.assert_allclose(a.mean, b.mean, rtol=rtol)
    np.testing.assert_allclose(a.covariance, b.covariance, rtol=rtol, atol=1e-14)


# What goes in: any regular index, arrays and lists

INDEXES = {
    "daily": (
        pd.date_range("2024-01-30", periods=86, freq="D"),
        pd.DatetimeIndex,
    ),
    "month ends": (pd.date_range("2015-01-31", periods=86, freq="ME"), pd.DatetimeIndex),
    "hourly, with a time zone and its clock change": (
        pd.date_range("2024-03-28", periods=86, freq="h", tz="Europe/Berlin"),
        pd.DatetimeIndex,
    ),
    "business days": (pd.bdate_range("2024-01-01", periods=86), pd.DatetimeIndex),
    "quarters": (pd.period_range("1990Q1", periods=86, freq="Q"), pd.PeriodIndex),
    "range": (pd.RangeIndex(7, 7 + 5 * 86, 5), pd.RangeIndex),
    "integers": (pd.Index(np.arange(1900, 1986)), pd.Index),
    "numbers": (pd.Index(0.25 * np.arange(86)), pd.Index),
    "durations": (pd.timedelta_range("0s", periods=86, freq="30s"), pd.TimedeltaIndex),
}


@pytest.mark.parametrize(("index", "kind"), INDEXES.values(), ids=INDEXES)
def test_forecast_continues_any_regular_index(index, kind):
    y = pd.Series(wave(), index=index[:80], name="load")
    f = fitted(y=y).predict(6)
    assert isinstance(f.mean.index, kind)
    assert f.mean.index.dtype == index.dtype
    if index.dtype.kind == "f":
        np.testing.assert_allclose(f.mean.index, index[80:])
    else:
        assert list(f.mean.index) == list(index[80:])
    assert list(f.covariance.columns) == list(f.covariance.index) == list(f.index)
    pd.testing.assert_series_equal(f.history, y, check_freq=False)


def test_dates_without_a_freq_are_understood():
    index = pd.DatetimeIndex(list(pd.date_range("2024-01-31", periods=80, freq="ME")))
    assert index.freq is None
    f = fitted(y=pd.Series(wave(), index=index)).predict(2)
    assert [str(stamp.date()) for stamp in f.index] == ["2030-09-30", "2030-10-31"]


@pytest.mark.parametrize("make", [np.asarray, list, tuple, pd.Series, lambda y: y[:, None].ravel()])
def test_arrays_lists_and_series_forecast_alike(make):
    f = fitted(y=make(wave())).predict(5)
    assert list(f.index) == [80, 81, 82, 83, 84]
    same(f, fitted().predict(5))


def test_one_column_frame_is_a_series_and_integers_are_numbers():
    y = np.round(wave()).astype(int)
    same(fitted(y=pd.DataFrame({"y": y})).predict(4), fitted(y=y.astype(float)).predict(4))


def test_nothing_that_is_passed_is_modified():
    y, exog = driven()
    model = fixed()
    before = y.copy(), exog.copy(), copy.deepcopy(vars(model))
    future = exog.iloc[-5:]
    fc = gf.Forecaster(2, exog_lags=[0, 2], model=model).fit(y.iloc[:-5], exog.iloc[:-5])
    fc.predict(5, exog=future)
    fc.update(y.iloc[-5:], exog=future)
    pd.testing.assert_series_equal(y, before[0])
    pd.testing.assert_frame_equal(exog, before[1])
    assert vars(model) == before[2]


def test_fit_keeps_a_copy_of_the_series():
    y = wave()
    fc = fitted(y=y)
    before = fc.predict(5)
    y[:] = 0.0
    same(fc.predict(5), before)


def test_editing_the_history_changes_no_forecast():
    fc = fitted()
    before = fc.predict(5)
    history = fc.history_
    history.iloc[:] = 0.0
    history.index.name = "when"
    same(fc.predict(5), before)
    assert fc.predict(5).index.name is None
    np.testing.assert_array_equal(fc.history_, wave())
    same(copy.deepcopy(fc).predict(5), before)
    assert not hasattr(gf.Forecaster(2), "history_")


@pytest.mark.parametrize("method", ["exact", "taylor", MonteCarlo(20, seed=0)])
def test_clipped_variances_are_warned_of_and_exact_moments_advised_to_other_methods(
    method, monkeypatch
):
    module = importlib.import_module("gpforecast.outlook")
    plain = module.propagate
    monkeypatch.setattr(
        module, "propagate", lambda *a, **k: dataclasses.replace(plain(*a, **k), n_clipped=2)
    )
    with pytest.warns(NumericalWarning, match=r"2 of 5 variances by the \w+ method") as caught:
        f = fitted(propagation=method).predict(5)
    assert ("Exact moments do not need this" in str(caught[0].message)) == (method != "exact")
    assert "2 of 5 variances" in f.notes[-1]


def test_parameters_stay_as_they_were_given_and_show_in_the_repr():
    fc = gf.Forecaster([1, 12], propagation="taylor", max_rows=50)
    assert repr(fc) == "Forecaster(lags=[1, 12], propagation='taylor', max_rows=50)"
    fc.fit(wave())
    assert fc.lags == [1, 12]
    assert fc.lags_ == (1, 12)
    assert fc.model is None


# Equivariance and consistency


@settings(max_examples=15)
@given(
    a=st.floats(1e-4, 1e4).flatmap(lambda a: st.sampled_from([a, -a])),
    b=st.floats(-1e3, 1e3),
)
@pytest.mark.parametrize("method", ["exact", "taylor"])
def test_forecast_of_scaled_series_is_the_scaled_forecast(method, a, b):
    y = wave(60)
    f = fitted(y=y, propagation=method).predict(10)
    g = fitted(y=a * y + b, propagation=method).predict(10)
    # Adding b to a small a*y rounds the series itself by eps*|b|, relative to |a| std(y).
    rounding = 1 + abs(b) / abs(a)
    tolerance = max(1e-8, 1e-13 * rounding)
    np.testing.assert_allclose(
        g.mean, a * f.mean + b, rtol=tolerance, atol=abs(a) * y.std() * tolerance
    )
    size = a**2 * f.covariance.to_numpy().max()
    np.testing.assert_allclose(
        g.covariance, a**2 * f.covariance, rtol=tolerance, atol=size * tolerance
    )
    np.testing.assert_allclose(g.latent_var, a**2 * f.latent_var, rtol=10 * tolerance)


@pytest.mark.parametrize(("a", "b"), [(1000.0, -7.0), (-0.01, 3.0)])
def test_after_training_too_the_forecast_of_a_scaled_series_is_the_scaled_forecast(a, b):
    y = wave(70)
    f = gf.Forecaster(3).fit(y).predict(10)
    g = gf.Forecaster(3).fit(a * y + b).predict(10)
    # The search for hyperparameters stops where rounding lets it.
    np.testing.assert_allclose(g.mean, a * f.mean + b, atol=1e-2 * abs(a) * y.std())
    np.testing.assert_allclose(g.std, abs(a) * f.std, rtol=1e-2)


@pytest.mark.parametrize("method", ["exact", "taylor", "naive", MonteCarlo(40, seed=3)])
@pytest.mark.parametrize("lags", [4, [1, 2, 12]])
def test_forecast_of_50_is_the_start_of_a_forecast_of_100(method, lags):
    fc = fitted(lags, propagation=method)
    short, long = fc.predict(50), fc.predict(100)
    np.testing.assert_array_equal(short.mean, long.mean.iloc[:50])
    np.testing.assert_allclose(
        short.covariance, long.covariance.iloc[:50, :50], rtol=1e-12, atol=1e-14
    )
    np.testing.assert_allclose(short.latent_var, long.latent_var.iloc[:50], rtol=1e-12)
    assert list(short.index) == list(long.index[:50])


def brute_force_naive(y, lags, horizon, noise_var=0.05, lengthscale=2.0, variance=1.5):
    """Condition a Gaussian process by explicit inverses and iterate its mean."""
    shift, scale = y.mean(), y.std()
    z = list((y - shift) / scale)
    X = np.array([[z[t - lag] for lag in lags] for t in range(max(lags), len(z))])
    target = np.array(z[max(lags) :])

    def k(A, B):
        return variance * np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(-1) / lengthscale**2)

    inverse = np.linalg.inv(k(X, X) + noise_var * np.eye(len(X)))
    var = []
    for _ in range(horizon):
        x = np.array([[z[-lag] for lag in lags]])
        cross = k(x, X)[0]
        z.append(cross @ inverse @ target)
        var.append(variance - cross @ inverse @ cross + noise_var)
    return shift + scale * np.array(z[-horizon:]), scale**2 * np.array(var)


@pytest.mark.parametrize("lags", [[1, 2, 3], [2, 5], [1, 12]])
def test_naive_forecast_equals_a_gaussian_process_written_out(lags):
    y = wave()
    f = fitted(lags, propagation="naive").predict(20)
    mean, var = brute_force_naive(y, lags, 20)
    np.testing.assert_allclose(f.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(f.var, var, rtol=1e-8)
    off_diagonal = f.covariance.to_numpy() - np.diag(f.var)
    assert not off_diagonal.any()


def test_first_step_is_the_same_by_every_gaussian_method():
    fc = fitted()
    one = [fc.predict(1, propagation=m) for m in ("exact", "taylor", "naive")]
    for f in one[1:]:
        np.testing.assert_allclose(f.mean, one[0].mean, rtol=1e-12)
        np.testing.assert_allclose(f.var, one[0].var, rtol=1e-9)


def test_observation_variance_is_latent_variance_and_noise_in_the_units_of_the_series():
    y = wave()
    f = fitted(y=y).predict(10)
    np.testing.assert_allclose(f.var - f.latent_var, 0.05 * y.var(), rtol=1e-9)


def test_joint_covariance_agrees_with_monte_carlo_over_a_few_steps():
    # Little noise: what goes in stays nearly Gaussian, and the exact moments nearly exact.
    fc = gf.Forecaster(3, model=fixed(noise_var=1e-3)).fit(wave(140))
    f = fc.predict(5)
    n = 4000
    drawn = fc.predict(5, propagation=MonteCarlo(n, seed=0))
    assert (np.abs(f.mean - drawn.mean) < 5 * np.sqrt(f.var / n)).all()
    # The variance of a sample covariance of Gaussians is (S_ii S_jj + S_ij^2) / n.
    S, sampled = f.covariance.to_numpy(), drawn.covariance.to_numpy()
    band = 5 * np.sqrt((np.outer(np.diag(S), np.diag(S)) + S**2) / n)
    assert (np.abs(S - sampled) < band).all()
    assert (np.abs(S) > band).any(where=~np.eye(5, dtype=bool))  # there is something to see


# Options


def test_max_rows_trains_on_so_many_and_says_so():
    fc = fitted(3, max_rows=20)
    assert fc.n_rows_ == 20
    assert fc.notes_ == ("trained on 20 of 77 rows, chosen at random (max_rows)",)
    assert fc.predict(3).notes == fc.notes_
    same(fc.predict(3), fitted(3, max_rows=20).predict(3))
    other = fitted(3, max_rows=20, seed=1).predict(3)
    assert not np.allclose(other.mean, fc.predict(3).mean, rtol=1e-6)
    assert fitted(3, max_rows=77).notes_ == fitted(3, max_rows=None).notes_ == ()


def test_method_can_be_chosen_for_one_call():
    fc = fitted()
    assert fc.predict(4).propagation == "exact"
    f = fc.predict(4, propagation="taylor")
    assert f.propagation == "taylor"
    same(f, fitted(propagation=Taylor()).predict(4))
    assert fc.predict(4).propagation == "exact"


def test_monte_carlo_with_a_seed_repeats_itself():
    fc = fitted(propagation=MonteCarlo(30, seed=5))
    f, g = fc.predict(6), fc.predict(6)
    pd.testing.assert_frame_equal(f.paths, g.paths)
    assert f.paths.shape == (6, 30)
    other = fc.predict(6, propagation=MonteCarlo(30, seed=6))
    assert not np.allclose(f.paths, other.paths)


@pytest.mark.parametrize("season", [5, 12])
def test_lags_auto_finds_the_season(season):
    noise = np.random.default_rng(0).standard_normal(400)
    y = noise.copy()
    for t in range(season, len(y)):
        y[t] += 0.8 * y[t - season]
    assert season not in gf.Forecaster("auto", model=fixed()).fit(noise).lags_
    fc = gf.Forecaster("auto", transforms=None, model=fixed()).fit(y)
    assert fc.lags_[0] == 1
    assert season in fc.lags_


def test_trained_forecast_follows_the_cycle_and_its_interval_holds_the_truth():
    y = wave(132)
    f = gf.Forecaster(12).fit(y[:120]).predict(12)
    truth = pd.Series(y[120:])
    assert f.score(truth)["mae"] < 0.5
    assert f.score(truth)["coverage_95"] >= 10 / 12
    assert (f.std < y.std()).all()


# update


def test_update_equals_conditioning_on_all_rows_at_the_same_hyperparameters():
    y = wave(90)
    fc = gf.Forecaster([1, 3], model=GaussianProcess()).fit(y[:70])
    covariance, noise_var = fc.model_.covariance_, fc.model_.noise_var_
    scale, shift = y[:70].std(), y[:70].mean()
    fc.update(y[70:75]).update(list(y[75:]))
    z = (y - shift) / scale
    rows = gf.embedding.LagEmbedding([1, 3]).transform(z)
    scratch = GaussianProcess(covariance, noise_var=noise_var, optimizer=None).fit(rows.X, rows.y)
    assert fc.n_rows_ == len(rows.y)
    assert fc.model_.covariance_ == covariance
    assert fc.model_.noise_var_ == noise_var
    at = scratch.posterior_.predict(np.array([[z[-1], z[-3]]]))
    f = fc.predict(1)
    np.testing.assert_allclose(f.mean, shift + scale * at.mean, rtol=1e-8)
    np.testing.assert_allclose(f.latent_var, scale**2 * at.var, rtol=1e-8)


def test_update_continues_from_the_new_values_on_their_index():
    index = pd.date_range("2024-01-01", periods=90, freq="D")
    y = pd.Series(wave(90), index=index)
    fc = fitted(y=y.iloc[:80])
    assert fc.update(y.iloc[80:]) is fc
    pd.testing.assert_series_equal(fc.history_, y)
    assert fc.predict(1).index[0] == pd.Timestamp("2024-03-31")


def test_update_with_exog_equals_a_forecaster_that_knew_them():
    y, exog = driven()
    options = {"exog_lags": {"u": [0], "v": [2]}, "model": fixed()}
    fc = gf.Forecaster(1, **options).fit(y.iloc[:120], exog.iloc[:120])
    fc.update(y.iloc[120:150], exog=exog.iloc[120:150, ::-1])
    f = fc.predict(10, exog=exog.iloc[150:])
    # The scales were learned from the first 120 values: give another forecaster the same.
    other = gf.Forecaster(1, **options).fit(y.iloc[:120], exog.iloc[:120])
    other.update(y.iloc[120:140], exog=exog.iloc[120:140])
    other.update(y.iloc[140:150], exog=exog.iloc[140:150])
    same(f, other.predict(10, exog=exog.iloc[150:]), rtol=1e-8)
    assert f.score(y.iloc[150:])["mae"] < 0.15


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "at least one value"),
        ([1.0, np.inf], "infinite"),
        (["a"], "real numbers"),
        (pd.Series([1.0], index=[pd.Timestamp("2024-03-22")]), "continue.*2024-03-21.*2024-03-22"),
        (pd.Series([1.0], index=pd.period_range("2024-03-21", periods=1)), "continue"),
        (pd.Series([1.0, 2.0], index=pd.to_datetime(["2024-03-21", "2024-03-23"])), "position 1"),
        (pd.Series([1.0], index=[80]), "continue"),
    ],
)
def test_update_refuses_values_that_do_not_follow_and_changes_nothing(values, words):
    y = pd.Series(wave(), index=pd.date_range("2024-01-01", periods=80, freq="D"))
    fc = fitted(y=y)
    before = fc.predict(4)
    with pytest.raises((ValueError, TypeError), match=words):
        fc.update(values)
    same(fc.predict(4), before)


def test_update_takes_a_series_that_only_counts_its_rows_as_an_array():
    y = pd.Series(wave(), index=pd.date_range("2024-01-01", periods=80, freq="D"))
    a = fitted(y=y).update(pd.Series([50.0, 51.0])).predict(3)
    same(a, fitted(y=y).update([50.0, 51.0]).predict(3))


def test_update_of_numbered_rows_checks_their_numbers():
    y = pd.Series(wave(90))
    assert len(fitted(y=y.iloc[:80]).update(y.iloc[80:]).history_) == 90
    assert len(fitted(y=y.iloc[:80]).update(y[y.index >= 80]).history_) == 90
    with pytest.raises(ValueError, match="continue the series at 80"):
        fitted(y=y.iloc[:80]).update(y.iloc[85:])


def test_update_refuses_the_whole_series_over_again():
    y = pd.Series(wave(90))
    fc = fitted(y=y.iloc[:30])
    with pytest.raises(ValueError, match="continue the series at 30; at position 0 they have 0"):
        fc.update(y)
    # An index that was reset is no such claim, however long.
    fc.update(y.iloc[30:].reset_index(drop=True))
    np.testing.assert_array_equal(fc.history_, y)


def test_update_takes_a_frame_of_one_column_and_checks_its_index():
    index = pd.date_range("2024-01-01", periods=90, freq="D")
    y = pd.Series(wave(90), index=index, name="load")
    a = fitted(y=y.iloc[:80]).update(y.iloc[80:])
    b = fitted(y=y.iloc[:80]).update(y.iloc[80:].to_frame())
    same(a.predict(3), b.predict(3))
    assert len(fitted(y=y.iloc[:80]).update(y.iloc[80:81].to_frame()).history_) == 81
    with pytest.raises(ValueError, match=r"continue the series at 2024-03-21"):
        fitted(y=y.iloc[:80]).update(y.iloc[81:].to_frame())
    with pytest.raises(ValueError, match=r"new_values must be one column.*2 columns"):
        a.update(pd.DataFrame({"a": [1.0], "b": [2.0]}))


def test_update_keeps_no_more_rows_than_max_rows_and_says_so_once():
    y = wave(120)
    fc = fitted(3, y=y[:40], max_rows=50)
    fc.update(y[40:45])
    assert (fc.n_rows_, fc.notes_) == (42, ())
    fc.update(y[45:60]).update(y[60:])
    assert fc.n_rows_ == 50
    assert fc.notes_ == ("update dropped the oldest rows beyond 50 (max_rows)",)
    # What is left are the newest rows, on the scale of the fit.
    scale, shift = y[:40].std(), y[:40].mean()
    z = (y - shift) / scale
    rows = gf.embedding.LagEmbedding(3).transform(z)
    gp = fixed().fit(rows.X[-50:], rows.y[-50:])
    at = gp.posterior_.predict(np.array([z[[-1, -2, -3]]]))
    np.testing.assert_allclose(fc.predict(1).mean, shift + scale * at.mean, rtol=1e-8)
    many = fitted(3, y=y[:40], max_rows=None).update(y[40:])
    assert (many.n_rows_, many.notes_) == (117, ())


def test_update_on_a_float_index_forgives_rounding():
    y = pd.Series(wave(90), index=0.1 * np.arange(90))
    assert len(fitted(y=y.iloc[:80]).update(y.iloc[80:]).history_) == 90


# Exogenous inputs


def test_driven_series_is_forecast_much_better_with_its_input():
    y, exog = driven()
    train, test = slice(0, 140), slice(140, 160)
    alone = gf.Forecaster(2).fit(y.iloc[train]).predict(20)
    fc = gf.Forecaster(2, exog_lags={"u": [0], "v": [2]}).fit(y.iloc[train], exog.iloc[train])
    both = fc.predict(20, exog=exog.iloc[test])
    truth = y.iloc[test]
    assert both.score(truth)["mae"] < 0.3 * alone.score(truth)["mae"]
    assert both.score(truth)["coverage_95"] >= 0.8


def test_lags_of_exog_are_respected():
    y, exog = driven(70)
    plan = {"u": [0, 3], "v": [1]}
    fc = gf.Forecaster([1, 2], exog_lags=plan, model=fixed(), propagation="naive")
    fc.fit(y.iloc[:60], exog.iloc[:60])
    f = fc.predict(10, exog=exog.iloc[60:])

    z = list((y.iloc[:60] - y.iloc[:60].mean()) / y.iloc[:60].std(ddof=0))
    scaled = (exog - exog.iloc[:60].mean()) / exog.iloc[:60].std(ddof=0)
    u, v = scaled["u"].to_numpy(), scaled["v"].to_numpy()

    def inputs(t):
        return [z[t - 1], z[t - 2], u[t], u[t - 3], v[t - 1]]

    X = np.array([inputs(t) for t in range(3, 60)])
    gp = fixed().fit(X, np.array(z[3:]))
    for t in range(60, 70):
        z.append(float(gp.predict([inputs(t)])[0]))
    expected = y.iloc[:60].mean() + y.iloc[:60].std(ddof=0) * np.array(z[60:])
    np.testing.assert_allclose(f.mean, expected, rtol=1e-9, atol=1e-12)


def exog_forecaster(n=100):
    y, exog = driven()
    fc = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=fixed())
    return fc.fit(y.iloc[:n], exog.iloc[:n]), exog.iloc[n : n + 5]


def test_order_and_kind_of_the_exog_columns_do_not_matter():
    fc, future = exog_forecaster()
    f = fc.predict(5, exog=future)
    same(fc.predict(5, exog=future[["v", "u"]]), f)
    same(fc.predict(5, exog=future.to_numpy()), f)
    same(fc.predict(5, exog=future.reset_index(drop=True)), f)
    y, exog = driven()
    other = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=fixed())
    other.fit(y.iloc[:100], exog.iloc[:100, ::-1])
    same(other.predict(5, exog=future), f, rtol=1e-9)


def test_exog_columns_named_by_numbers_are_told_by_their_names_too(tmp_path):
    y, exog = driven()
    numbered = exog.set_axis([0, 1], axis=1)
    fc = gf.Forecaster(1, exog_lags={0: [0], 1: [2]}, model=fixed())
    fc.fit(y.iloc[:100], numbered.iloc[:100])
    future = numbered.iloc[100:105]
    f = fc.predict(5, exog=future)
    same(fc.predict(5, exog=future[[1, 0]]), f)
    fc.save(tmp_path / "fc")
    for model in (fc, gf.load(tmp_path / "fc")):
        with pytest.raises(ValueError, match="columns of the fit"):
            model.predict(5, exog=exog.iloc[100:105])
    fc.fit(y.iloc[:100], numbered.iloc[:100].to_numpy())  # had no names: any will do
    same(fc.predict(5, exog=exog.iloc[100:105]), f)


@pytest.mark.parametrize("kind", ["array", "frame"])
def test_editing_exog_after_the_fit_changes_no_forecast(kind):
    y, exog = driven()
    given = exog.iloc[:100].to_numpy().copy() if kind == "array" else exog.iloc[:100].copy()
    fc = gf.Forecaster(1, exog_lags=[1], model=fixed()).fit(y.iloc[:100], given)
    f = fc.predict(1, exog=np.zeros((1, 2)))
    given[:] = 99.0
    same(fc.predict(1, exog=np.zeros((1, 2))), f)


def test_exog_with_its_index_reset_is_taken_in_order():
    y, exog = driven()
    y, exog = y.reset_index(drop=True), exog.reset_index(drop=True)
    fc = gf.Forecaster(1, model=fixed()).fit(y.iloc[:100], exog.iloc[:100])
    future = exog.iloc[100:110]
    same(fc.predict(10, exog=future.reset_index(drop=True)), fc.predict(10, exog=future))
    with pytest.raises(ValueError, match="position 0"):
        fc.predict(10, exog=exog.iloc[101:111])


def test_single_exog_series_equals_a_frame_of_one_column():
    y, exog = driven()
    f = gf.Forecaster(2, model=fixed()).fit(y.iloc[:100], exog["u"].iloc[:100])
    g = gf.Forecaster(2, model=fixed()).fit(y.iloc[:100], exog[["u"]].iloc[:100])
    h = gf.Forecaster(2, model=fixed()).fit(y.iloc[:100], exog["u"].iloc[:100].to_numpy())
    future = exog["u"].iloc[100:110]
    same(f.predict(10, exog=future), g.predict(10, exog=future.to_frame()))
    same(f.predict(10, exog=future), h.predict(10, exog=list(future)))


@pytest.mark.parametrize("method", ["exact", "taylor", MonteCarlo(400, seed=0)])
def test_uncertain_exog_raises_the_variance_and_certain_exog_does_not(method):
    fc, future = exog_forecaster()
    known = fc.predict(5, exog=future, propagation=method)
    certain = fc.predict(5, exog=future, exog_cov=np.zeros((5, 2)), propagation=method)
    unsure = fc.predict(5, exog=future, exog_cov=np.full((5, 2), 0.3), propagation=method)
    if isinstance(method, str):  # Monte Carlo draws other numbers once there is something to draw
        same(certain, known, rtol=1e-9)
    assert (unsure.var > 1.1 * known.var).all()


def test_uncertainty_of_exog_is_in_the_squared_units_of_its_columns():
    y, exog = driven()
    units = np.array([100.0, 0.01])
    cov = np.full((5, 2), 0.3)
    forecasts = []
    for unit in (np.ones(2), units):
        fc = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=fixed())
        fc.fit(y.iloc[:100], unit * exog.iloc[:100])
        future = unit * exog.iloc[100:105]
        forecasts.append(fc.predict(5, exog=future, exog_cov=unit**2 * cov))
    same(*forecasts, rtol=1e-9)


def test_joint_covariance_of_exog_with_no_correlation_equals_its_variances():
    fc, future = exog_forecaster()
    variances = np.linspace(0.1, 0.5, 10).reshape(5, 2)
    a = fc.predict(5, exog=future, exog_cov=variances)
    b = fc.predict(5, exog=future, exog_cov=np.diag(variances.ravel()))
    same(a, b, rtol=1e-10)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: None, "fitted with exogenous inputs.*'u', 'v'.*pass exog"),
        (lambda x: x.iloc[:4], "one row for each of the 5"),
        (lambda x: x.to_numpy().T, "Transpose"),
        (lambda x: x[["u"]], "2 columns of the fit.*got 1"),
        (lambda x: x.rename(columns={"v": "w"}), r"columns of the fit, \['u', 'v'\]; got.*'w'"),
        (lambda x: x.shift(freq="D"), "position 0"),
        (lambda x: x.assign(u=np.nan), "missing"),
        (lambda x: x.assign(u="a"), "real numbers"),
    ],
)
def test_wrong_future_exog_is_refused_with_a_reason(change, words):
    fc, future = exog_forecaster()
    before = fc.predict(5, exog=future)
    with pytest.raises((ValueError, TypeError), match=words):
        fc.predict(5, exog=change(future))
    same(fc.predict(5, exog=future), before)


@pytest.mark.parametrize(
    ("cov", "words"),
    [
        (np.zeros((4, 2)), r"shape \(5, 2\).*got \(4, 2\)"),
        (-np.ones((5, 2)), "negative"),
        (np.triu(np.ones((10, 10))), "symmetric"),
        (np.full((5, 2), np.nan), "missing"),
    ],
)
def test_wrong_exog_cov_is_refused_with_a_reason(cov, words):
    fc, future = exog_forecaster()
    with pytest.raises(ValueError, match=words):
        fc.predict(5, exog=future, exog_cov=cov)


def test_exog_where_none_is_wanted_is_refused():
    fc = fitted()
    with pytest.raises(ValueError, match="fitted without"):
        fc.predict(2, exog=np.zeros((2, 1)))
    with pytest.raises(ValueError, match="fitted without"):
        fc.predict(2, exog_cov=np.zeros((2, 1)))
    with pytest.raises(ValueError, match="exog_lags is given but exog is not"):
        gf.Forecaster(2, exog_lags=[0]).fit(wave())


def test_exog_of_another_length_than_the_series_is_refused():
    y, exog = driven()
    with pytest.raises(ValueError, match=r"one row for each of the 160.*\(150, 2\)"):
        gf.Forecaster(2).fit(y, exog.iloc[:150])


# Bad input: a sentence, and nothing changes

DAYS = pd.date_range("2024-01-01", periods=20, freq="D")
SHORT = wave(20)
BAD_SERIES = {
    "nothing but NaN": (np.full(20, np.nan), ValueError, "at least one value; all 20 are missing"),
    "infinite": (np.r_[np.inf, SHORT], ValueError, "infinite.*position 0"),
    "too short": (SHORT[:4], ValueError, "4 values but lags=3 needs at least 5"),
    "empty": ([], ValueError, "0 values"),
    "an empty Series": (pd.Series([], dtype=float), ValueError, "0 values"),
    "text": (["a", "b", "c"] * 5, TypeError, "real numbers"),
    "numbers as text": (pd.Series(["1", "2", "3"] * 5), TypeError, "to_numeric"),
    "complex": (SHORT + 1j, TypeError, "real numbers"),
    "a number": (3.0, ValueError, "one column"),
    "two columns": (pd.DataFrame({"a": SHORT, "b": SHORT}), ValueError, "2 columns"),
    "a matrix": (SHORT.reshape(10, 2), ValueError, "one column"),
    "duplicated": (pd.Series(SHORT, index=DAYS[[0, *range(19)]]), ValueError, "duplicated"),
    "unsorted": (pd.Series(SHORT, index=DAYS[::-1]), ValueError, "increasing order"),
    "irregular": (
        pd.Series(
            SHORT[:19], index=DAYS.delete(7) + pd.to_timedelta(1 * (np.r_[0:19] > 6), unit="h")
        ),
        ValueError,
        "regular index.*2024-01-07",
    ),
    "text index": (pd.Series(SHORT, index=list("abcdefghijklmnopqrst")), TypeError, "dates"),
}


@pytest.mark.parametrize(("series", "error", "words"), BAD_SERIES.values(), ids=BAD_SERIES)
def test_bad_series_gets_a_sentence_and_leaves_the_fit_as_it_was(series, error, words):
    fc = fitted(3)
    before, state = fc.predict(4), dict(vars(fc))
    with pytest.raises(error, match=words) as caught:
        fc.fit(series)
    assert str(caught.value).endswith(".")
    assert vars(fc) == state
    same(fc.predict(4), before)


@pytest.mark.parametrize("horizon", [0, -1, 2.5, 3.0, True, "5", None, np.nan])
def test_horizon_must_be_a_positive_integer(horizon):
    fc = fitted()
    with pytest.raises(ValueError, match=r"horizon must be a positive integer; got .*\."):
        fc.predict(horizon)
    with pytest.raises(ValueError, match="horizon must be a positive integer"):
        fc.predict_from(wave(), [20], horizon)


def test_numpy_integers_are_integers():
    fc = gf.Forecaster(np.int64(3), transforms=None, model=fixed()).fit(wave())
    same(fc.predict(np.int32(2)), fitted().predict(2))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"lags": 0}, "lags must be a positive integer; got 0"),
        ({"lags": 2.5}, "positive integer"),
        ({"lags": True}, "positive integer"),
        ({"lags": []}, "empty"),
        ({"lags": [0, 1]}, "positive integers"),
        ({"lags": [2, 1]}, "increasing"),
        ({"lags": "all"}, 'list of ints or "auto"'),
        ({"lags": 2, "max_rows": 0}, "max_rows"),
        (
            {"lags": 2, "propagation": "magic"},
            "'exact', 'taylor', 'cubature', 'naive', 'monte_carlo'",
        ),
        ({"lags": 2, "propagation": MonteCarlo}, "name or an instance"),
        ({"lags": 2, "exog_lags": [-1]}, "exog_lags"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_at_once(options, words):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        gf.Forecaster(**options)


@pytest.mark.parametrize("model", ["gp", GaussianProcess, 3])
def test_model_must_be_a_one_step_model(model):
    with pytest.raises(TypeError, match="one-step model"):
        gf.Forecaster(2, model=model).fit(wave())


@pytest.mark.parametrize(
    "call",
    [
        lambda fc: fc.predict(3),
        lambda fc: fc.update([1.0]),
        lambda fc: fc.predict_from(wave(), [20], 3),
        lambda fc: fc.n_past,
    ],
)
def test_nothing_works_before_fit_and_it_says_so(call):
    with pytest.raises(RuntimeError, match="not fitted yet; call fit"):
        call(gf.Forecaster(3))


def test_wrong_method_for_one_call_is_refused():
    fc = fitted()
    with pytest.raises(ValueError, match="propagation must be one of"):
        fc.predict(3, propagation="magic")


# Strange but possible series


@pytest.mark.parametrize("level", [0.0, 5.0, -1e6])
def test_constant_series_is_forecast_to_stay(level):
    f = gf.Forecaster(2).fit(np.full(30, level)).predict(10)
    np.testing.assert_allclose(f.mean, level, rtol=1e-9, atol=1e-9)
    assert (f.std > 0).all()
    assert (f.std < 1e-3 * (abs(level) or 1.0)).all()  # the smallest noise a model is given


@pytest.mark.parametrize("scale", [1e-9, -0.3, 1e6])
def test_forecast_of_a_scaled_constant_series_is_the_scaled_forecast(scale):
    f = fitted(y=np.full(30, 5.0)).predict(10)
    g = fitted(y=scale * np.full(30, 5.0)).predict(10)
    np.testing.assert_allclose(g.mean, scale * f.mean, rtol=1e-9)
    np.testing.assert_allclose(g.std, abs(scale) * f.std, rtol=1e-9)


@pytest.mark.parametrize("lags", [1, 3])
def test_shortest_series_possible_is_forecast_within_reason(lags):
    y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])[: lags + 2]
    f = gf.Forecaster(lags).fit(y).predict(5)
    assert np.isfinite(f.mean).all()
    assert (f.std > 0).all()
    assert (f.mean > y.min() - 5 * np.ptp(y)).all()
    assert (f.mean < y.max() + 5 * np.ptp(y)).all()


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1e9, 1e140])
def test_tiny_and_huge_units_are_no_trouble(scale):
    f, g = fitted().predict(5), fitted(y=scale * wave()).predict(5)
    np.testing.assert_allclose(g.mean / scale, f.mean, rtol=1e-8)
    np.testing.assert_allclose(g.std / scale, f.std, rtol=1e-8)


# predict_from


def test_batch_of_origins_equals_forecasters_that_end_there():
    y = wave(120)
    fc = fitted([1, 4], y=y[:80])
    batch = fc.predict_from(y, [90, 85, 120], 6)
    for i, origin in enumerate([90, 85, 120]):
        single = fc.predict_from(y[:origin], [origin], 6)
        np.testing.assert_allclose(batch.mean[i], single.mean[0], rtol=1e-12)
        np.testing.assert_allclose(batch.covariance[i], single.covariance[0], rtol=1e-9)
    end = fc.predict_from(y[:80], [80], 6)
    f = fc.predict(6)
    np.testing.assert_allclose(end.mean[0], f.mean, rtol=1e-12)
    np.testing.assert_allclose(end.covariance[0], f.covariance, rtol=1e-9)


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


def test_a_column_of_text_among_inputs_is_shown_by_its_text():
    exog = pd.DataFrame({"good": np.arange(40.0), "bad": "much"})
    with pytest.raises(TypeError, match="'much'"):
        gf.Forecaster(2).fit(np.arange(40.0), exog)
