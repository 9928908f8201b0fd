"""Logarithm, Box-Cox and learned warps: there and back, moments, and forecasts through them."""

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats
from storage_cases import identical, reload
from transformed_cases import fixed

import gpforecast as gf
from gpforecast.results import Gaussian, Warped
from gpforecast.results.quadrature import warped_covariance, warped_crps, warped_mean_var
from gpforecast.scores import crps_log_normal
from gpforecast.transforms import BoxCox, Compose, Deterministic, Difference, LearnedWarp, Log, Warp
from gpforecast.transforms.warps import FittedBoxCox

# Logarithm and Box-Cox: there and back, moments by closed forms, quadrature and sampling


M = np.array([0.3, -0.5, 1.0, 2.0])
ROOT = np.array([[0.5, 0, 0, 0], [0.4, 0.3, 0, 0], [-0.2, 0.5, 0.6, 0], [0.3, -0.1, 0.2, 0.9]])
S = ROOT @ ROOT.T


@pytest.mark.parametrize(
    "warp", [Log(), FittedBoxCox(2.0), FittedBoxCox(0.0, 3.0), FittedBoxCox(0.4, 1e-3)], ids=repr
)
def test_warp_there_and_back_and_its_gradient(warp):
    y = np.array([1e-3, 0.2, 1.0, 7.0, 1e4])
    np.testing.assert_allclose(warp.backward(warp.forward(y)), y, rtol=1e-10)
    step = 1e-4 * y
    slope = (warp.forward(y + step) - warp.forward(y - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(warp.log_gradient(y)), slope, rtol=1e-5)
    assert np.isnan(warp.forward(np.array([np.nan]))).all()


def test_box_cox_is_scipys_and_its_lambda_the_most_likely():
    y = np.exp(np.random.default_rng(0).standard_normal(200)) ** 0.8 + 0.5
    fitted = BoxCox().fit(y)
    grid = np.linspace(0, 1, 201)
    best = grid[np.argmax([stats.boxcox_llf(g, y) for g in grid])]
    assert fitted.lmbda == pytest.approx(best, abs=0.006)
    for lmbda in (0.0, 0.4, 1.0):
        np.testing.assert_allclose(
            FittedBoxCox(lmbda).forward(y), special.boxcox(y, lmbda), rtol=1e-11, atol=1e-14
        )
        z = np.linspace(-0.9, 3, 9)
        np.testing.assert_allclose(
            FittedBoxCox(lmbda).backward(z), special.inv_boxcox(z, lmbda), rtol=1e-11
        )


def log_normal(m, S):
    """Mean and covariance of exp(z), z ~ N(m, S)."""
    mean = np.exp(m + np.diag(S) / 2)
    return mean, np.outer(mean, mean) * np.expm1(S)


@pytest.mark.parametrize("size", [1e-8, 4.0, 200.0])  # up to deviations of 13
def test_moments_of_the_logarithm_are_log_normal(size):
    mean, var = warped_mean_var(Log(), M, size * np.diag(S))
    covariance = warped_covariance(Log(), M, size * S)
    expected = log_normal(M, size * S)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-12)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-8, atol=1e-12 * size)
    np.testing.assert_allclose(var, np.diag(covariance), rtol=1e-12)


def test_mean_and_variance_of_box_cox_are_those_of_256_bit_quadrature():
    m, s, lmbda = 4.0, 0.7, 0.3
    with mpmath.workprec(256):

        def power(x, k):
            return (lmbda * (m + s * x) + 1) ** (k / mpmath.mpf(lmbda)) * mpmath.npdf(x)

        first, second = (mpmath.quad(lambda x, k=k: power(x, k), [-8, 0, 8]) for k in (1, 2))
        expected = float(first), float(second - first**2)
    found = warped_mean_var(FittedBoxCox(lmbda), np.array(m), np.array(s**2))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_covariance_of_box_cox_is_that_of_quadrature_in_two_dimensions():
    rho, warp, m, s = -0.9, FittedBoxCox(0.4), np.array([4.0, 6.0]), np.array([1.0, 0.5])
    S2 = np.outer(s, s) * np.array([[1, rho], [rho, 1]])
    covariance = warped_covariance(warp, m, S2)
    mean, _ = warped_mean_var(warp, m, s**2)

    def integrand(v, u):
        w = rho * u + np.sqrt(1 - rho**2) * v
        product = (warp.backward(m[0] + s[0] * u) - mean[0]) * (
            warp.backward(m[1] + s[1] * w) - mean[1]
        )
        return product * np.exp(-0.5 * (u**2 + v**2)) / (2 * np.pi)

    expected, _ = integrate.dblquad(integrand, -8, 8, -8, 8, epsabs=1e-9, epsrel=1e-9)
    assert covariance[0, 1] == pytest.approx(expected, rel=1e-7)


def test_where_the_mean_is_infinite_the_variance_is_too_and_no_nan():
    # y = (1 - z / 4)^-4: above z = 4 there is no end to it.
    mean, var = warped_mean_var(FittedBoxCox(-0.25), np.array([0.0, 0.0]), np.array([0.01, 9.0]))
    np.testing.assert_array_equal(np.isinf(mean), [False, True])
    np.testing.assert_array_equal(np.isinf(var), [False, True])
    assert not np.isnan(var).any()


def warped_nlpd(warp, y, mean, var):
    return Warped(Gaussian(mean, np.diag(var), var), warp).nlpd(y)


def crps_log_normal_in_many_digits(y, m, s):
    """Baran and Lerch (2015), "Log-normal distribution based EMOS models", eq. 4."""
    with mpmath.workdps(200):
        y, m, s = map(mpmath.mpf, (float(y), float(m), float(s)))
        w = (mpmath.log(y) - m) / s
        upper = mpmath.exp(m + s**2 / 2)
        inside = mpmath.ncdf(w - s) + mpmath.ncdf(s / mpmath.sqrt(2)) - 1
        return float(y * (2 * mpmath.ncdf(w) - 1) - 2 * upper * inside)


@pytest.mark.parametrize(("s", "at"), [(0.1, -6.0), (3.0, 0.7), (20.0, 12.0)])
def test_crps_of_a_log_normal_is_the_closed_form_however_heavy_its_tail(s, at):
    m = 0.2
    y = float(np.exp(m + s * at))
    expected = crps_log_normal_in_many_digits(y, m, s)
    found = warped_crps(Log(), np.array([y]), np.array([m]), np.array([s**2]))
    assert found[0] == pytest.approx(expected, rel=1e-9)
    assert crps_log_normal(y, m, s**2) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("y", [-0.5, 0.3])
def test_crps_of_a_clipped_box_cox_is_the_integral_of_its_definition(y):
    warp, m, s = FittedBoxCox(0.5), -0.5, 1.0

    def square(x):
        below = stats.norm.cdf((warp.forward(np.array(max(x, 0.0))) - m) / s) if x >= 0 else 0.0
        return (below - (x >= y)) ** 2

    expected = sum(
        integrate.quad(square, a, b, limit=200)[0]
        for a, b in ((-1, 0), (0, 0.3), (0.3, 2), (2, 30))
    )
    found = warped_crps(warp, np.array([y]), np.array([m]), np.array([s**2]))
    assert found[0] == pytest.approx(expected, rel=1e-7)


def test_density_of_a_log_normal_is_scipys_and_nothing_below_the_edge():
    y = np.array([0.1, 1.0, 5.0])
    found = warped_nlpd(Log(), y, np.full(3, 0.2), np.full(3, 0.36))
    np.testing.assert_allclose(found, -stats.lognorm(0.6, scale=np.exp(0.2)).logpdf(y), rtol=1e-12)
    beyond = warped_nlpd(Log(), np.array([0.0, -1.0]), np.zeros(2), np.ones(2))
    assert (beyond == np.inf).all()


# What is refused


@pytest.mark.parametrize("transform", [Log(), BoxCox(), BoxCox(0.0)], ids=repr)
@pytest.mark.parametrize("bad", [0.0, -1.0])
def test_values_that_are_not_positive_are_refused_with_a_sentence(transform, bad):
    with pytest.raises(ValueError, match=r"positive.*at position 1.*leave the transform out\."):
        transform.fit([1.0, bad, np.nan])


def test_a_power_takes_zeros_but_nothing_below():
    warp = BoxCox(0.5).fit([0.0, 1.0, 4.0])
    np.testing.assert_allclose(warp.forward([0.0, 4.0]), [-2.0, 2 * (2**0.5 - 1)])  # in units of 2
    with pytest.raises(ValueError, match=r"series must be 0 or more.*1 value of less than 0"):
        BoxCox(0.5).fit([1.0, -1.0])


def test_a_truth_on_the_edge_scores_by_the_probability_of_all_that_lies_below():
    warp, mean, var = FittedBoxCox(0.5), np.array([-1.0, 3.0]), np.array([1.5, 0.5])
    expected = -stats.norm(mean, np.sqrt(var)).logcdf(-2.0)
    np.testing.assert_allclose(warped_nlpd(warp, np.zeros(2), mean, var), expected, rtol=1e-10)
    assert (warped_nlpd(warp, np.full(2, -1e-9), mean, var) == np.inf).all()
    assert (warped_nlpd(Log(), np.zeros(2), mean, var) == np.inf).all()


@pytest.mark.parametrize(
    "steps", [[Difference(), Log()], [Log(), BoxCox()], [Deterministic(), BoxCox(0.2)]]
)
def test_warp_that_is_not_nearest_to_the_data_is_refused(steps):
    with pytest.raises(ValueError, match="a logarithm or power comes first"):
        Compose(*steps)


@pytest.mark.parametrize("step", [3, "log", Log, None])
def test_something_that_is_no_transform_is_refused(step):
    with pytest.raises(TypeError, match="transforms must hold"):
        Compose(step)


# A warp that is learned with a process of the series: what it finds, and forecasts through it


def latent(n=250, seed=0):
    """An autoregression with Gaussian noise."""
    rng = np.random.default_rng(seed)
    z = np.zeros(n + 50)
    for t in range(2, len(z)):
        z[t] = 1.2 * z[t - 1] - 0.4 * z[t - 2] + 0.5 * rng.standard_normal()
    return z[50:]


SHAPES = {"cube root": np.cbrt, "saturating at both ends": lambda z: np.tanh(0.8 * z)}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shape_that_hides_a_gaussian_series_is_found(shape):
    z = latent()
    y = SHAPES[shape](z)
    warp = LearnedWarp().fit(y)
    assert isinstance(warp, Warp)
    found = np.corrcoef(warp.forward(y), z)[0, 1]
    assert found > 0.98
    assert 1.0 - found < 0.5 * (1.0 - np.corrcoef(y, z)[0, 1])


def test_few_rows_and_constant_series_keep_a_straight_line():
    for y in ([], [1.0], [3.0] * 90, [np.nan] * 90, np.arange(20.0)):
        warp = LearnedWarp().fit(y)
        assert warp.a == ()
        np.testing.assert_array_equal(warp.log_gradient(np.arange(3.0)), -np.log(warp.scale))


# --- forecasts --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forecaster():
    y = pd.Series(np.cbrt(latent()), name="y")
    return gf.Forecaster(lags=2, transforms=LearnedWarp(), model=fixed()).fit(y)


def test_forecasts_are_images_of_gaussian_ones(forecaster):
    forecast = forecaster.predict(10)
    joint = forecast.distribution
    assert isinstance(joint, Warped)
    warp, z = joint.warp, joint.gaussian
    expected = warp.backward(stats.norm(z.mean, np.sqrt(z.var)).ppf(0.9))
    np.testing.assert_allclose(joint.quantile([0.9])[:, 0], expected, rtol=1e-9)
    low, high = joint.quantile([1e-10, 1 - 1e-10])[3]
    y = np.linspace(low, high, 20_001)
    density = np.exp(-Warped(z.over(np.array([3])), warp).nlpd(y[:, None])[:, 0])
    np.testing.assert_allclose(integrate.simpson(density, x=y), 1.0, atol=1e-6)
    mean = integrate.simpson(y * density, x=y)
    # 96 nodes miss 0.3 % of a spread of 0.8 where the inverse is nearly a cube root.
    np.testing.assert_allclose(forecast.mean.iloc[3], mean, atol=4e-3)
    var = integrate.simpson((y - mean) ** 2 * density, x=y)
    np.testing.assert_allclose(joint.var[3], var, rtol=5e-3)


def test_a_forecaster_is_saved_updated_and_described(forecaster, tmp_path):
    again = reload(forecaster, tmp_path)
    identical(again.predict(5), forecaster.predict(5))
    assert "LearnedWarp" in repr(again)
    assert again.update([0.1, 0.2]).predict(3).mean.index[0] == 252
    summary = " ".join(forecaster.summary().split())
    assert "A learned function of the values." in summary
    assert "of a learned function of the values a step" in summary


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("edge", ["lowest", "highest"])
def test_series_that_look_censored_are_refused(edge):
    y = latent()
    y = np.maximum(y, -0.7) if edge == "lowest" else np.minimum(y, 0.7)
    with pytest.raises(ValueError, match=f"values are equal to the {edge}.*look censored"):
        LearnedWarp().fit(y)
