"""Closed times: found where there is no chance of another reason, and forecast without doubt."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.propagation.recursion import Propagated
from gpforecast.series import TimeAxis
from gpforecast.transforms import (
    BoxCox,
    ClosedTimes,
    Compose,
    DampedMean,
    Deterministic,
    Difference,
    SeasonalDifference,
)

_DAYS = (1.0, 0.9, 0.9, 1.0, 1.2, 1.6, 0.0)  # from Monday on


def shop(weeks=6, seed=0):
    """Visits of a shop that is open from 9 to 19, but for Sundays."""
    rng = np.random.default_rng(seed)
    index = pd.date_range("2024-01-01", periods=168 * weeks, freq="h")
    hour = index.hour.to_numpy()
    open_ = (hour >= 9) & (hour < 19)
    level = open_ * (50 + 30 * np.sin((hour - 9) / 10 * np.pi))
    level *= np.repeat(np.resize(_DAYS, 7 * weeks), 24)
    noise = np.zeros(len(index))
    for t in range(1, len(index)):
        noise[t] = 0.7 * noise[t - 1] + 0.08 * rng.standard_normal()
    return pd.Series((level * np.exp(noise)).round(1), index)


def closed_in(values, period, freq=None):
    index = pd.RangeIndex(len(values))
    if freq is not None:
        index = pd.date_range("2024-01-01", periods=len(values), freq=freq)
    return ClosedTimes(period).fit_at(np.asarray(values, dtype=float), TimeAxis.of(index)).closed


def test_times_that_always_had_the_smallest_value_are_closed():
    y = shop()
    hours = closed_in(y, 24, "h")
    np.testing.assert_array_equal(np.flatnonzero(~hours), np.arange(9, 19))
    week = closed_in(y, 168, "h").reshape(7, 24)
    assert week[6].all()
    assert (week[:6] == hours).all()


def test_missing_values_say_nothing_of_a_time():
    y = np.tile([0.0, 3.0, 4.0, 5.0], 8)
    y[::4] = np.nan
    y[[0, 4, 8]] = 0.0
    assert not closed_in(y, 4).any()  # three values are known
    y[12] = 0.0
    assert closed_in(y, 4).tolist() == [True, False, False, False]


def test_an_hour_beside_dusk_is_not_closed():
    """At the hour before the night power is often 0 already; the days become longer."""
    y = np.tile([0.0, 0.0, 0.0, 0.0, 2.0, 5.0, 5.0, 2.0], 20)
    y[4::40] = 0.0  # every fifth morning
    assert np.flatnonzero(closed_in(y, 8)).tolist() == [0, 1, 2]
    # An hour are two steps.
    assert np.flatnonzero(closed_in(y, 8, "30min")).tolist() == [0, 1]


def test_the_way_back_is_a_product_with_a_diagonal_matrix():
    rng = np.random.default_rng(0)
    y = np.tile([0.0, 3.0, 4.0, 5.0], 8)
    fitted = ClosedTimes(4).fit(y)
    root = rng.standard_normal((2, 6, 6))
    S = root @ np.swapaxes(root, 1, 2)
    mean, latent = rng.standard_normal((2, 6)), np.einsum("bhh->bh", S)
    z = Propagated(mean, S, latent, mean[:, :, None] + rng.standard_normal((2, 6, 9)))
    found = fitted.undo(z, np.empty((2, 0)), np.array([32, 33]), TimeAxis.rows(40))
    for i, first in enumerate((32, 33)):
        M = np.diag([float(t % 4 != 0) for t in range(first, first + 6)])
        np.testing.assert_array_equal(found.mean[i], M @ mean[i])
        np.testing.assert_array_equal(found.covariance[i], M @ S[i] @ M)
        np.testing.assert_array_equal(found.latent_var[i], M @ latent[i])
        np.testing.assert_array_equal(found.paths[i], M @ z.paths[i])
    np.testing.assert_array_equal(fitted.transform(y), y)


def test_the_level_is_that_of_the_warp():
    y = shop()
    chain = Compose(BoxCox(0.5), ClosedTimes(168)).fit(y)
    assert chain.backward(np.array(chain.closing.level)) == 0.0
    steps, model = [BoxCox(0.5), ClosedTimes(168)], gf.models.LinearAR()
    f = gf.Forecaster(lags=3, transforms=steps, model=model).fit(y[:-168]).predict(24)
    low, high = f.interval(0.95).to_numpy().T
    closed = (f.index.hour < 9) | (f.index.hour >= 19)
    np.testing.assert_array_equal(high[closed], 0.0)
    assert (high > low)[~closed].all()


def test_nothing_is_learned_from_closed_times():
    y, model = shop(), gf.models.LinearAR()
    fc = gf.Forecaster(lags=3, transforms=ClosedTimes(168), model=model).fit(y)
    n_open = int((y.index.hour >= 9).sum() - (y.index.hour >= 19).sum()) * 6 // 7
    assert fc.n_rows_ == n_open
    open_ = ~fc.transforms_.closing.at(TimeAxis(y.index))
    assert fc.transforms_.unit == pytest.approx(y[open_].std(ddof=0), rel=1e-12)


@pytest.mark.parametrize(
    "steps", [[], [SeasonalDifference(168)], [DampedMean(1, 24, prior=None)], [Deterministic(1)]]
)
def test_a_forecast_goes_on_from_what_is_known_of_closed_times(steps):
    """After a night it does not depend on the evening before, whose hours are no lags any more."""
    y = shop()
    lags, transforms = (1, 2), Compose(ClosedTimes(168), *steps)
    fc = gf.Forecaster(lags, transforms=transforms, model=gf.models.LinearAR(), noise="process")
    fc.fit(y[: 5 * 168])  # ends on a Sunday at midnight
    whole = fc.predict_from(y, [5 * 168], 48).at(0)
    night = fc.predict_from(y, [5 * 168 + 24], 24).at(0)  # Monday is known
    if steps and isinstance(steps[0], Deterministic):  # whose line is less sure further ahead
        np.testing.assert_allclose(whole.mean[24:], night.mean, rtol=1e-2)
        return
    np.testing.assert_allclose(whole.mean[24:], night.mean, rtol=1e-9, atol=1e-9)
    # Correlations of f between steps are estimated by paths that are drawn.
    np.testing.assert_allclose(whole.var[24:], night.var, rtol=1e-2, atol=1e-9)


def test_new_values_at_closed_times_open_them():
    y = shop()
    fc = gf.Forecaster((1, 24), transforms=ClosedTimes(168), outliers=None).fit(y[: 5 * 168])
    new = y[5 * 168 : 6 * 168].copy()
    new.iloc[20] = 30.0  # open until 21 once
    assert fc.update(y[5 * 168 : 5 * 168]).transforms_.closing.closed.sum() == 108
    note = fc.update(new).notes_[-1]
    assert note == "107 of every 168 steps were always 0, and are forecast to be"
    assert sum("of every" in note for note in fc.notes_) == 1
    assert fc.predict(24).std.iloc[20] > 0.0


def test_a_shop_opens_by_the_clock_on_the_wall():
    """Summer time begins on March 31."""
    hours = pd.date_range("2024-01-29", periods=24 * 77, freq="h", tz="Europe/Paris")
    open_ = (hours.hour >= 9) & (hours.hour < 19) & (hours.day_of_week < 6)
    y = pd.Series(open_ * (50.0 + np.random.default_rng(0).integers(0, 20, len(hours))), hours)
    assert hours[0].utcoffset() != hours[-1].utcoffset()
    n = 24 * 56
    fc = gf.Forecaster((1, 24, 168), transforms=ClosedTimes(168), model=gf.models.LinearAR())
    f = fc.fit(y[:n]).predict(24 * 14)
    np.testing.assert_array_equal(f.std.to_numpy() == 0.0, ~open_[n : n + 24 * 14])


@pytest.mark.parametrize("steps", [[], [SeasonalDifference(168)], [Difference()]])
def test_missing_values_at_closed_times_are_known_all_the_same(steps):
    y = shop()
    gone = y.copy()
    gone.iloc[5 * 168 + 24 : 5 * 168 + 33] = np.nan  # the night before a Tuesday
    options = {"transforms": [ClosedTimes(168), *steps], "model": gf.models.LinearAR()}
    fc = gf.Forecaster((1, 2), noise="process", **options).fit(y[: 5 * 168])
    seen, unseen = (fc.predict_from(one, [5 * 168 + 33], 10).at(0) for one in (y, gone))
    np.testing.assert_allclose(unseen.mean, seen.mean, rtol=1e-9)
    np.testing.assert_allclose(unseen.var, seen.var, rtol=1e-9)
    again = gf.Forecaster((1, 2), noise="process", **options).fit(gone)
    filled = again.fill_missing().iloc[5 * 168 + 24 : 5 * 168 + 33]
    np.testing.assert_array_equal(filled, 0.0)


@pytest.mark.parametrize(
    "steps", [[Difference(), ClosedTimes(4)], [Deterministic(1), ClosedTimes(4)]]
)
def test_closed_times_are_of_values_as_they_were_observed(steps):
    with pytest.raises(ValueError, match=r"ClosedTimes\(period=4\) must not follow"):
        Compose(*steps)
