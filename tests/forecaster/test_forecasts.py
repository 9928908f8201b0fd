"""What every fitted forecaster must satisfy, and a Gaussian process written out."""

import copy
from functools import cache

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted as fitted_to
from forecaster_cases import wave
from hypothesis import given, settings
from hypothesis import strategies as st
from storage_cases import identical, reload
from transformed_cases import CHAINS, fixed, positive

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.transforms import ClosedTimes, LearnedWarp, Log

# What every fitted forecaster must satisfy, whatever its options: one list of them


N = 120
PLAIN = {"lags": [1, 2, 6], "transforms": None, "model": LinearAR(), "noise": "process"}
EXACT = PLAIN | {"model": fixed(), "propagation": "exact"}
KINDS = {
    **{name: EXACT | {"transforms": steps} for name, steps in CHAINS.items()},
    "values": EXACT,
    "automatic": {},
    "automatic transforms": {"lags": [1, 2, 6], "model": fixed()},
    "learned warp": PLAIN | {"transforms": LearnedWarp(), "model": fixed()},
    "support": PLAIN | {"support": "positive"},
    "direct": PLAIN | {"strategy": "direct", "max_horizon": 10},
    "direct processes": PLAIN | {"strategy": "direct", "max_horizon": 10, "model": fixed()},
    "spread by variances": PLAIN | {"calibrate": "variance"},
    "spread by quantiles": PLAIN | {"calibrate": "conformal", "transforms": Log()},
    "spread that adapts": PLAIN | {"calibrate": "adaptive"},
    "measurement noise": EXACT | {"noise": "measurement"},
    "known noise": PLAIN | {"noise": 0.05},
    "closed times": PLAIN | {"transforms": ClosedTimes(6), "lags": 2},
    "time zone": PLAIN | {"lags": [1, 24]},
}


def every_kind_but(*some):
    return pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in some])


every_kind = every_kind_but()


@cache
def series(kind):
    y = positive(150)
    if kind == "closed times":
        return y.where(np.arange(150) % 6 > 0, 0.0)
    if kind == "time zone":  # the clocks change at its end
        return y.set_axis(
            pd.date_range("2024-03-25 01:00", periods=150, freq="h", tz="Europe/Paris")
        )
    return y


@cache
def fitted(kind):
    return gf.Forecaster(**KINDS[kind]).fit(series(kind)[:N])


@every_kind
def test_a_saved_one_forecasts_and_goes_on_to_the_last_bit(kind, tmp_path):
    fc, new = copy.deepcopy(fitted(kind)), series(kind)[N : N + 5]
    again = reload(fc, tmp_path)
    assert repr(again) == repr(fc)
    assert again.summary() == fc.summary()
    identical(again.predict(9), fc.predict(9))
    identical(again.update(new).predict(3), fc.update(new).predict(3))


@every_kind
def test_many_origins_are_forecast_as_one_by_one(kind):
    fc, y = fitted(kind), series(kind)
    origins = [N, 60, 140]
    batch = fc.predict_from(y, origins, 7)
    levels, rtol = [0.1, 0.5, 0.9], 1e-6 if kind == "measurement noise" else 1e-9
    for i, origin in enumerate(origins):
        one = fc.predict_from(y[:origin], [origin], 7)
        np.testing.assert_allclose(batch.mean[i], one.mean[0], rtol=rtol)
        np.testing.assert_allclose(batch.covariance[i], one.covariance[0], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(batch.quantile(levels)[i], one.quantile(levels)[0], rtol=rtol)
    np.testing.assert_allclose(batch.mean[0], fc.predict(7).mean, rtol=rtol)


@every_kind
def test_a_forecast_of_few_steps_is_the_start_of_one_of_many(kind):
    short, long = (fitted(kind).predict(h) for h in (5, 10))
    np.testing.assert_allclose(short.mean, long.mean.iloc[:5], rtol=1e-10)
    np.testing.assert_allclose(short.covariance, long.covariance.iloc[:5, :5], rtol=1e-8)
    np.testing.assert_allclose(short.latent_var, long.latent_var.iloc[:5], rtol=1e-8)


@every_kind
def test_a_backtest_scores_what_predict_says(kind):
    fc, y = fitted(kind), series(kind)
    result, f, truth = gf.backtest(fc, y, horizon=5, origins=[N, 130]), fc.predict(5), y[N : N + 5]
    np.testing.assert_allclose(result.mean[0], f.mean, rtol=1e-9)
    np.testing.assert_allclose(result.lower[95.0][0], f.interval(0.95)["lower"], rtol=1e-9)
    assert np.nanmean(result.losses["crps"][0]) == pytest.approx(f.score(truth)["crps"], rel=1e-9)
    assert np.nanmean(result.losses["nlpd"][0]) == pytest.approx(f.score(truth)["nlpd"], rel=1e-9)
    inside = (result.pit[0] > 0.025) & (result.pit[0] < 0.975)
    held = result.losses["coverage_95"][0]
    np.testing.assert_array_equal(inside[~np.isnan(held)], held[~np.isnan(held)] == 1)


ONLY_IN_PROPORTION = ("log", "box", "automatic", "support", "quantiles", "closed")


@every_kind_but("learned warp")  # whose search ends elsewhere
def test_a_series_in_other_units_has_the_same_forecast_in_these(kind):
    free = not any(word in kind for word in ONLY_IN_PROPORTION)
    options, y = KINDS[kind], series(kind)[: N + 5]
    f = copy.deepcopy(fitted(kind)).update(y[N:]).predict(6)
    for a, b in [(1000.0, -7.0), (-0.01, 3.0)] if free else [(1e-6, 0.0), (1000.0, 0.0)]:
        if kind == "known noise":
            options = options | {"noise": 0.05 * a**2}
        z = a * y + b
        g = gf.Forecaster(**options).fit(z[:N]).update(z[N:]).predict(6)
        np.testing.assert_allclose(g.mean, a * f.mean + b, rtol=1e-6)
        np.testing.assert_allclose(g.covariance / a**2, f.covariance, rtol=1e-5, atol=1e-12)


# What a forecast is: equivariant, consistent, and a Gaussian process written out


@settings(max_examples=15)
@given(a=st.floats(1e-4, 1e4).flatmap(lambda a: st.sampled_from([a, -a])), b=st.floats(-1e3, 1e3))
@pytest.mark.parametrize("method", ["exact", "taylor"])
def test_forecast_of_scaled_series_is_the_scaled_forecast(method, a, b):
    y = wave(60)
    f = fitted_to(y=y, propagation=method).predict(10)
    g = fitted_to(y=a * y + b, propagation=method).predict(10)
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
    f = fitted_to(lags, propagation="naive").predict(20)
    mean, var = brute_force_naive(y, lags, 20)
    np.testing.assert_allclose(f.mean, mean, rtol=1e-9)
    np.testing.assert_allclose(f.var, var, rtol=1e-8)
    off_diagonal = f.covariance.to_numpy() - np.diag(f.var)
    assert not off_diagonal.any()


def test_observation_variance_is_latent_variance_and_noise_in_the_units_of_the_series():
    y = wave()
    f = fitted_to(y=y).predict(10)
    np.testing.assert_allclose(f.var - f.latent_var, 0.05 * y.var(), rtol=1e-9)
