"""Series that once ended in an error of another library, in silence or in NaN, by name."""

import warnings

import numpy as np
import pandas as pd
import pytest
from fuzz.test_front_door import answered_or_refused

import gpforecast as gf
from gpforecast.automatic.support import support_named
from gpforecast.backtesting.result import Backtest
from gpforecast.propagation.propagated import Propagated
from gpforecast.results.censored import within
from gpforecast.results.distribution import Gaussian
from gpforecast.results.warped import distribution_of
from gpforecast.transforms import Log

T = np.arange(90)
GROWTH = 10.0 * np.exp(0.03 * T)
SINE = np.sin(T / 3.0)


def ending(y, last):
    return np.r_[y[:-1], last]


def forecast_or_refuse(y, horizon=6, **options):
    return answered_or_refused(lambda: gf.Forecaster(**options).fit(y).predict(horizon), horizon)


@pytest.mark.parametrize(
    ("y", "options"),
    [
        (np.exp(5.0 * T[:70]), {"lags": 3, "transforms": None}),
        (np.exp(5.0 * T[:70]), {"transforms": "log"}),
    ],
)
def test_a_forecast_that_leaves_the_range_of_numbers_is_refused(y, options):
    fc = gf.Forecaster(**options).fit(y)
    with pytest.raises(ValueError, match=r"leaves the range of numbers.*in larger units\.$"):
        fc.predict(8)


@pytest.mark.parametrize(
    "y",
    [np.exp(5.0 * T[:70]), np.logspace(-150, 150, 70), np.cumprod(np.r_[1.0, np.arange(1, 90)])],
)
def test_a_total_that_grows_to_the_largest_numbers_goes_on_without_explosion(y):
    f = forecast_or_refuse(y, 8)
    assert y[-1] < f.mean.iloc[0] < f.mean.iloc[-1] < 10.0 * y[-1]


def test_an_interval_of_a_constant_in_the_largest_units_has_a_width():
    small, large = (forecast_or_refuse(np.full(30, c), 400) for c in (1.0, 1e150))
    np.testing.assert_allclose(large.std / 1e150, small.std, rtol=1e-6)
    assert (large.interval()["lower"] < large.interval()["upper"]).all()


@pytest.mark.parametrize("last", [1e12, 1e13, 1e15, -1e12])
@pytest.mark.parametrize("y", [GROWTH, SINE], ids=["growth", "sine"])
def test_a_last_value_far_beyond_the_others_is_no_matrix_of_another_library(y, last):
    forecast_or_refuse(ending(y, last), lags=6, transforms=None)


@pytest.mark.parametrize("last", [1e12, 1e30])
def test_a_logarithm_that_would_make_infinite_quantiles_is_refused(last):
    noisy = GROWTH * np.exp(0.05 * np.random.default_rng(0).standard_normal(90))
    assert forecast_or_refuse(ending(noisy, last), transforms="log") is None


@pytest.mark.parametrize(
    "y", [np.where(T == 44, 50.0, 2.0), ending(np.ones(90), 7.0)], ids=["within", "last"]
)
def test_one_spike_divides_nothing_by_zero_and_is_no_shift_of_the_level(y):
    f = forecast_or_refuse(y)
    assert not any("level shifts" in note for note in f.notes)


@pytest.mark.parametrize("amplitude", [1e-4, 1e-5])
def test_a_wave_at_the_rounding_of_its_level_is_refused_by_its_cause(amplitude):
    with pytest.raises(ValueError, match=r"too few digits.*Subtract the level first"):
        gf.Forecaster().fit(1e9 + amplitude * SINE)


def test_whole_numbers_that_repeat_have_nothing_outside_what_is_possible():
    f = forecast_or_refuse((T % 7).astype(float), 14)
    np.testing.assert_array_equal(f.quantile(0.5), np.arange(90, 104) % 7)
    assert not any("outside what is possible" in note for note in f.notes)


def business_days(n, first=0):
    """A series on periods of business days; their making warns, which is not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        index = pd.period_range("2024-01-01", periods=first + n, freq="B")[first:]
        return pd.Series(SINE[first : first + n], index)


def test_periods_of_business_days_are_dates_and_warn_of_nothing(tmp_path):
    y, later = business_days(60), business_days(3, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fc = gf.Forecaster(lags=2, model=gf.models.LinearAR()).fit(y)
        f = fc.predict(5)
        f.plot()
        f.plot(history=y, truth=later)
        f.score(later)
        assert len(fc.predict("2024-04-05")) == 10
        fc.save(tmp_path / "forecaster.zip")
        gf.load(tmp_path / "forecaster.zip").predict(2)
        fc.update(later)
        gf.backtest(gf.Forecaster(lags=2, model=gf.models.LinearAR()), y, horizon=2, origins=3)
    assert list(f.index) == list(pd.bdate_range("2024-03-25", periods=5))


def spike_among(values, at, size=1e8):
    return np.where(np.arange(len(values)) == at, size, values)


@pytest.mark.parametrize("calibrate", ["conformal", "variance"])
@pytest.mark.parametrize("propagation", ["mixture", "auto"])
def test_a_spike_that_calibrates_intervals_beyond_all_numbers_is_refused(calibrate, propagation):
    y = 1e120 * spike_among(np.random.default_rng(1928).random(60), 57)
    options = {"lags": [1, 2, 12], "transforms": gf.transforms.BoxCox(), "propagation": propagation}
    linear = gf.models.LinearAR()
    fc = gf.Forecaster(**options, model=linear, calibrate=calibrate).fit(y)
    with pytest.raises(ValueError, match=r"^the forecast leaves .* at step 1: errors .*=None"):
        fc.predict(1)
    assert forecast_or_refuse(y, 1, **options, model=linear, calibrate=None) is not None


def test_a_spike_after_many_missing_values_is_no_singular_matrix():
    r = np.random.default_rng(1000 + 1403)
    y = spike_among(r.random(90), 87)
    y[r.random(90) < 0.5] = np.nan
    assert np.isnan(y).sum() == 51
    assert forecast_or_refuse(y, 1, combine=None) is not None


@pytest.mark.parametrize("support", ["positive", "count", (0.0, 10.0)])
def test_a_support_makes_no_nan_of_infinite_moments(support):
    source = distribution_of(
        Propagated(np.zeros((1, 2)), 800.0 * np.eye(2)[None], np.ones((1, 2))), Log()
    )
    found = within(source, support_named(support)).at(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for moment in (found.mean, found.var, found.moments.covariance, found.latent_var):
            assert not np.isnan(moment).any()


def test_standard_errors_of_scores_do_not_overflow_in_their_squares():
    error = 1e100 * np.random.default_rng(0).standard_normal((5, 2))
    made = Backtest.of(
        Gaussian(np.zeros((5, 2)), np.eye(2)[None].repeat(5, 0), np.ones((5, 2))),
        error,
        np.arange(5),
        "m",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(made.standard_errors["mse"]).all()
        assert np.isfinite(made.summary().loc["mse"]).all()
        assert np.isfinite(gf.scores.crps(error, 0.0, 1e-30)).all()


LINE = np.arange(60.0)
EXACT = {
    "line": (LINE, {"model": gf.models.LinearAR(), "lags": 3}),
    "constant": (np.full(60, 3.0), {"model": gf.models.LinearAR(), "lags": 2, "transforms": None}),
    "zeros": (np.zeros(60), {"transforms": "sqrt", "support": "count"}),
    "paths": (np.zeros(8), {"propagation": "monte_carlo", "support": "positive", "noise": 1e-6}),
}


@pytest.mark.parametrize(("y", "options"), EXACT.values(), ids=EXACT)
def test_intervals_without_a_width_are_said_to_have_none(y, options):
    f = forecast_or_refuse(y, 5, **options)
    assert f.var.min() < 1e-25
    assert any("the intervals have no width, and are not to be trusted" in n for n in f.notes)


@pytest.mark.parametrize("y", [LINE, np.full(60, 3.0), np.zeros(60), (LINE > 40.0) * 1.0])
def test_the_default_call_has_intervals_with_a_width(y):
    f = forecast_or_refuse(y, 5)
    assert f.var.min() > 0.0
    assert not any("are not to be trusted" in note for note in f.notes)


@pytest.mark.parametrize("last", [1, 4])
@pytest.mark.parametrize("level", [0.3, 1e12, 1e15])
def test_values_that_differ_by_a_few_roundings_are_forecast_as_one_value(level, last):
    y = np.full(100, level)
    y[50] += last * np.spacing(level)
    f, even = forecast_or_refuse(y, 5), forecast_or_refuse(np.full(100, level), 5)
    assert any("but for the rounding of numbers of that size" in note for note in f.notes)
    np.testing.assert_array_equal(f.mean, even.mean)
    np.testing.assert_array_equal(f.std, even.std)


@pytest.mark.parametrize("roundings", [9, 30, 300, 1000])
def test_between_a_few_roundings_and_three_digits_a_series_is_refused(roundings):
    y = 1e12 + roundings * np.spacing(1e12) * 0.5 * (SINE + 1.0)
    with pytest.raises(ValueError, match=r"too few digits.*Subtract the level first"):
        gf.Forecaster().fit(y)


@pytest.mark.parametrize(("level", "amplitude"), [(1e9, 1e-3), (1e12, 1.0), (1e6, 1e-6)])
def test_a_series_of_four_digits_on_a_level_is_forecast_within_its_range(level, amplitude):
    noise = np.random.default_rng(0).standard_normal(90)
    y = level + amplitude * (SINE + 0.05 * noise)
    f = forecast_or_refuse(y, 12)
    assert f.std.max() < np.ptp(y)
    assert np.abs(f.quantile(0.5) - level).max() < np.ptp(y)


def test_an_index_without_room_for_the_steps_is_refused_in_a_sentence():
    y = pd.Series(np.sin(T), pd.Index(1e306 * (1.0 + T)))
    fc = gf.Forecaster(lags=2, model=gf.models.LinearAR()).fit(y)
    with pytest.raises(ValueError, match="there are no labels for the next 200 steps"):
        fc.predict(200)
