"""Logarithm and Box-Cox: there and back, moments by closed forms, quadrature and sampling."""

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

from gpforecast.propagation.recursion import Propagated
from gpforecast.results import Gaussian, Warped
from gpforecast.results.quadrature import warped_covariance, warped_crps, warped_mean_var
from gpforecast.results.warped import distribution_of
from gpforecast.scores import crps_log_normal
from gpforecast.transforms import BoxCox, Compose, Deterministic, Difference, Log
from gpforecast.transforms.warps import FittedBoxCox

M = np.array([0.3, -0.5, 1.0, 2.0])
ROOT = np.array([[0.5, 0, 0, 0], [0.4, 0.3, 0, 0], [-0.2, 0.5, 0.6, 0], [0.3, -0.1, 0.2, 0.9]])
S = ROOT @ ROOT.T
# Far enough from the edge for its clipping not to be seen.
FAR = np.array([4.0, 5.0, 6.0, 4.5])


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


@pytest.mark.parametrize("size", [1e-8, 4.0])
def test_moments_of_the_logarithm_are_log_normal(size):
    mean, _ = warped_mean_var(Log(), M, size * np.diag(S))
    covariance = warped_covariance(Log(), M, size * S)
    expected = log_normal(M, size * S)
    np.testing.assert_allclose(mean, expected[0], rtol=1e-12)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-8, atol=1e-12 * size)


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


@pytest.mark.parametrize("s", [1.0, 13.0])
def test_moments_of_a_heavy_log_normal_are_its_integrals(s):
    m, rho = 0.2, 0.4

    def expected(power, spread):
        """E[exp(p (m + t x))] for x ~ N(0, 1), around where it has its weight."""

        def density(x):
            return mpmath.exp(power * (m + spread * x)) * mpmath.npdf(x)

        centre = power * spread
        return mpmath.quad(density, [centre - 12, centre, centre + 12])

    covariance = s**2 * np.array([[1.0, rho], [rho, 1.0]])
    found = warped_covariance(Log(), np.full(2, m), covariance)
    mean, var = warped_mean_var(Log(), np.full(2, m), np.diag(covariance))
    once = expected(1, s)
    np.testing.assert_allclose(mean, float(once), rtol=1e-10)
    assert found[0, 0] == pytest.approx(float(expected(2, s) - once**2), rel=1e-10)
    # The sum of both logarithms has the variance 2 (1 + rho) s^2.
    together = expected(2, s * np.sqrt((1 + rho) / 2))
    assert found[0, 1] == pytest.approx(float(together - once**2), rel=1e-10)
    np.testing.assert_allclose(var, np.diag(found), rtol=1e-12)


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


@pytest.mark.parametrize("warp", [Log(), FittedBoxCox(0.4)], ids=repr)
def test_mean_median_quantiles_covariance_and_samples_agree(warp):
    mean = M if isinstance(warp, Log) else FAR
    p = Propagated(mean[None], S[None], np.diag(S)[None] - 0.01)
    joint, n = distribution_of(p, warp).at(0), 100_000
    drawn = joint.sample(n, np.random.default_rng(1))
    assert (np.abs(drawn.mean(axis=1) - joint.mean) < 5 * np.sqrt(joint.var / n)).all()
    off = drawn - joint.mean[:, None]
    products = off[:, None] * off[None]
    error = products.std(axis=-1) / np.sqrt(n)
    assert (np.abs(products.mean(axis=-1) - joint.covariance) < 5 * error).all()
    q = np.array([0.025, 0.5, 0.9])
    below = (drawn[:, :, None] < joint.quantile(q)[:, None]).mean(axis=1)
    assert (np.abs(below - q) < 5 * np.sqrt(q * (1 - q) / n)).all()
    assert (joint.quantile([0.5])[:, 0] < joint.mean).all()  # skewed upwards
    # The density integrates to the probability of a quantile range.
    low, high = joint.quantile([0.1, 0.9])[0]
    grid = np.linspace(low, high, 20_001)
    one = Warped(Gaussian(mean[:1], S[:1, :1], np.diag(S)[:1]), warp)
    density = np.exp(-one.nlpd(grid[:, None]))[:, 0]
    assert integrate.trapezoid(density, grid) == pytest.approx(0.8, rel=1e-6)


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
