"""A mean that fades, and the standardisation that every chain ends with."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformed_cases import ahead_of

import gpforecast as gf
from gpforecast.series import TimeAxis
from gpforecast.transforms import Compose, DampedMean, Deterministic, Difference, Standardise

# A mean that fades: a damped trend after a difference


def test_without_a_prior_the_mean_is_that_of_the_values_and_its_error_that_of_textbooks():
    y = np.random.default_rng(0).standard_normal(400) + 3.0
    fitted = DampedMean(0.5, prior=None).fit(y)
    np.testing.assert_allclose(fitted.transform(y), y - y.mean())
    found = ahead_of(fitted, 400, 4)
    np.testing.assert_allclose(found.mean[0], y.mean() * 0.5 ** np.arange(1, 5))
    fading = 0.5 ** np.arange(1, 5)
    np.testing.assert_allclose(
        found.covariance[0], y.var() / 400 * np.outer(fading, fading), rtol=0.15
    )


def test_a_prior_shrinks_the_mean_of_few_values_more_than_that_of_many():
    for n, kept in ((4, 0.8), (99, 0.99)):
        y = np.resize([1.0, -1.0], n) + 5.0
        fitted = DampedMean(prior=1.0).fit(y)
        assert fitted.ahead == pytest.approx(kept * y.mean(), rel=1e-2)


def test_the_newest_values_count_most_with_a_halflife():
    bent = np.concatenate([np.full(30, 2.0), np.zeros(15)])
    bent = bent + 0.01 * np.random.default_rng(0).standard_normal(45)
    assert DampedMean(prior=None).fit(bent).ahead > 1.2
    assert DampedMean(prior=None, halflife=3.0).fit(bent).ahead < 0.1


def test_seasons_of_noise_are_shrunk_away_and_clear_ones_are_kept():
    e = np.random.default_rng(1).standard_normal(96)
    season = np.array([3.0, 0.0, 0.0, -3.0])
    noise = DampedMean(1.0, 4).fit(e)
    clear = DampedMean(1.0, 4).fit(e + np.resize(season, 96))
    assert np.abs(noise.season).max() < 0.15
    np.testing.assert_allclose(clear.season, season, atol=0.35)
    found = ahead_of(clear, 97, 4)  # a forecast begins in the second season
    cov, level = found.covariance[0], clear.ahead
    np.testing.assert_allclose(found.mean[0] - level, np.resize(np.roll(clear.season, -1), 4))
    assert np.linalg.eigvalsh(cov).min() > -1e-12
    assert np.diag(cov).min() > 0


def test_a_damped_trend_bends_and_holds_what_is_known_of_its_slope():
    y = pd.Series(2.0 * np.arange(40.0) + 0.1 * np.random.default_rng(2).standard_normal(40))
    fc = gf.Forecaster(lags=1, transforms=Compose(Difference(), DampedMean(0.8))).fit(y)
    steps = np.diff(fc.predict(30).mean)
    assert steps[0] == pytest.approx(2 * 0.8**2, abs=0.1)
    assert abs(steps[-1]) < 0.02


def test_a_season_of_a_year_of_days_has_each_date_at_its_place_across_leap_days():
    index = pd.date_range("2019-01-01", "2023-12-31")
    season = np.random.default_rng(0).standard_normal(366)  # by dates of a leap year
    season[59] = season[58]  # 29 February is as the day before it
    dates = pd.DatetimeIndex(index.strftime("2020-%m-%d")).day_of_year - 1
    y = pd.Series(season[dates], index)
    found = DampedMean(period=365, prior=None).fit(y)
    assert np.ptp(found.apply(y.to_numpy(), TimeAxis.of(index))) < 1e-5


RNG = np.random.default_rng(0)
Y = RNG.gamma(2.0, size=200)


@given(a=st.floats(1e-6, 1e6), sign=st.sampled_from([-1.0, 1.0]), b=st.floats(-1e3, 1e3, width=32))
@settings(deadline=None)
def test_units_disappear_and_come_back(a, sign, b):
    scaled = sign * a * Y + b
    plain, fitted = Standardise.fit(Y), Standardise.fit(scaled)
    z = plain.transform(Y)
    # Y + b / a is held to eps |b / a|, of a spread of order one.
    lost = 1e-14 * (1 + abs(b) / a) * 10
    np.testing.assert_allclose(fitted.transform(scaled), sign * z, atol=lost, rtol=1e-12)
    m = z[:4]
    np.testing.assert_allclose(
        fitted.inverse_mean(sign * m),
        sign * a * plain.inverse_mean(m) + b,
        rtol=1e-12,
        atol=lost * a * 10,
    )
    np.testing.assert_allclose(
        fitted.inverse_var(z[:4] ** 2), a**2 * plain.inverse_var(m**2), rtol=1e-12 + 10 * lost
    )


@pytest.mark.parametrize("scale", [0.0, np.nan])
def test_scale_must_be_positive(scale):
    with pytest.raises(ValueError, match="scale must be a positive number; got"):
        Standardise(0.0, scale)


@pytest.mark.parametrize("before", [(), (Difference(),), (Difference(), Difference())])
def test_a_chain_that_ends_with_a_location_and_a_scale_keeps_them(before):
    z = Compose(*before, Standardise(location=2.0, scale=4.0)).fit(Y).transform(Y)
    expected = (np.diff(Y, len(before)) - 2.0) / 4.0
    np.testing.assert_allclose(z[len(before) :], expected, rtol=1e-12, atol=1e-14)


def test_single_values_are_undone_where_they_were_standardised_about_a_line():
    y = pd.Series(5.0 * RNG.standard_normal(60) + 0.7 * np.arange(60))
    chain = gf.Forecaster(lags=1, transforms=[Deterministic(trend=1)]).fit(y).transforms_
    times = TimeAxis.of(y.index[20:30])
    mean, var = RNG.standard_normal(10), RNG.uniform(1.0, 2.0, 10)
    back, var_back = chain.undo_one_by_one(mean, var, times)
    np.testing.assert_allclose(chain.apply(back, times), mean)
    slope = chain.apply(back + 1.0, times) - chain.apply(back, times)
    np.testing.assert_allclose(var_back, var / slope**2)
