"""What a forecast is: equivariant, consistent, and a Gaussian process written out."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted, fixed, wave
from hypothesis import given, settings
from hypothesis import strategies as st

import gpforecast as gf
from gpforecast.propagation import MonteCarlo


@settings(max_examples=15)
@given(a=st.floats(1e-4, 1e4).flatmap(lambda a: st.sampled_from([a, -a])), b=st.floats(-1e3, 1e3))
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
    plain = {"transforms": None, "propagation": "exact"}
    f, g = (gf.Forecaster(3, **plain).fit(z).predict(10) for z in (y, a * y + b))
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


def test_trained_forecast_follows_the_cycle_and_its_interval_holds_the_truth():
    y = wave(132)
    f = gf.Forecaster(12).fit(y[:120]).predict(12)
    truth = pd.Series(y[120:])
    assert f.score(truth)["mae"] < 0.5
    assert f.score(truth)["coverage_95"] >= 10 / 12
    assert (f.std < y.std()).all()
