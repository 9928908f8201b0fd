"""Warped Gaussian processes: the warp, its evidence, and what is predicted through it."""

import numpy as np
import pytest
import warp_oracle as oracle
from oracles import central
from scipy import integrate, stats

import gpforecast as gf
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import GaussianProcess, WarpedGP
from gpforecast.models.tanh_warp import TanhWarp
from gpforecast.models.warped_evidence import WarpedEvidence

KINK = np.array([np.log(0.5), np.log(2.0), 0.7, 0.3, -0.4, 0.9, 0.2, -0.5, 0.6])  # two slopes
PSI = np.array([np.log(0.5), np.log(2.0), 0.3, -0.4, 0.2, -0.5])
BENT = TanhWarp(
    (2.0, 0.7), (1.5, 4.0), (0.4, -1.2), location=3.0, scale=2.0, shift=0.3, stretch=1.7
)
STEEP = TanhWarp((500.0, 1e-3), (8.0, 0.05), (0.0, 3.0))
# Newton's method alone jumps from one side of such a step to the other for ever.
APART = TanhWarp((500.0, 500.0), (8.0, 8.0), (0.0, -3000.0))
STRAIGHTS = [TanhWarp((0.0,), (1.0,), (0.0,)), TanhWarp((), (), (), -2.0, 0.1)]
# With two slopes, alone and with steps; the ratio of the last one's is 100.
KINKED = [
    TanhWarp((), (), (), 1.0, 2.0, rise=0.8, steepness=3.0, centre=0.5),
    TanhWarp((2.0,), (1.5,), (0.4,), location=3.0, scale=2.0, rise=-1.0, centre=-1.0),
    TanhWarp((0.3, 5.0), (8.0, 0.1), (0.0, 2.0), rise=2.3, steepness=8.0),
]
WARPS = [BENT, STEEP, APART, *STRAIGHTS, *KINKED]


def toy(n=101, seed=0, noise=0.1):
    """Snelson's toy, section 5.2: a sine with noise, whose cube root is observed."""
    x = np.linspace(-np.pi, np.pi, n)
    rng = np.random.default_rng(seed)
    return x[:, None], np.cbrt(np.sin(x) + noise * rng.standard_normal(n))


@pytest.fixture(scope="module")
def fitted():
    return WarpedGP(n_tanh=2).fit(*toy())


# --- the warp ---------------------------------------------------------------------------------


@pytest.mark.parametrize("warp", WARPS, ids=repr)
def test_a_warp_there_and_back_and_its_gradient(warp):
    y = np.concatenate([np.linspace(-9, 12, 301), [-1e6, 1e6, -1e-9, warp.location]])
    z = warp.forward(y)
    assert (np.diff(z[:301]) > 0).all()
    # Where steps are 500 high, digits of y are lost in z.
    np.testing.assert_allclose(warp.backward(z), y, rtol=1e-11, atol=1e-11)
    step = 1e-6
    slope = (warp.forward(y[:301] + step) - warp.forward(y[:301] - step)) / (2 * step)
    np.testing.assert_allclose(np.exp(warp.log_gradient(y[:301])), slope, rtol=1e-4)


@pytest.mark.parametrize("psi", [PSI, KINK, [*KINK[:2], -0.9, *KINK[3:]]])
def test_f_and_its_pullback_are_those_of_the_formula(psi):
    u, rng, psi = np.linspace(-3, 3, 25), np.random.default_rng(0), np.array(psi)
    two = len(psi) == len(KINK)
    f, slope = TanhWarp.of(psi, two_slopes=two).at(u)
    np.testing.assert_allclose(f, oracle.f_of(psi, u, two), rtol=1e-13)
    np.testing.assert_allclose(slope, oracle.slope_of(psi, u, two_slopes=two), rtol=1e-8)
    by_f, by_log = rng.standard_normal((2, 25))

    def total(psi):
        log_slope = np.log(oracle.slope_of(psi, u, two_slopes=two))
        return by_f @ oracle.f_of(psi, u, two) + by_log @ log_slope

    expected = central(total, psi, h=1e-4).reshape(3, -1)
    found = TanhWarp.of(psi, two_slopes=two).pullback(u, by_f, by_log)[:, : expected.shape[1]]
    np.testing.assert_allclose(found, expected, atol=1e-4)


# --- the evidence -----------------------------------------------------------------------------


def regression_problem(**two_slopes):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((20, 2)), rng.standard_normal(20)
    k = SquaredExponential([0.7, 1.3], 1.5)
    return WarpedEvidence.started(X, y, k, 0.1, **{"psi": PSI, **two_slopes})


def series_problem(**two_slopes):
    rng = np.random.default_rng(2)
    values = np.cumsum(rng.standard_normal(24))
    values = (values - values.mean()) / values.std()
    places = np.arange(3, 24)[:, None] - np.array([0, 1, 3])
    rows = values[places]
    k = SquaredExponential(1.2, 0.8) + Linear(0.4)
    options = {"psi": PSI, "values": values, "places": places, **two_slopes}
    return WarpedEvidence.started(rows[:, 1:], rows[:, 0], k, 0.1, **options)


def by_dense_algebra(theta, problem):
    two = problem.two_slopes
    psi, rest = theta[: len(problem.psi)], np.exp(theta[len(problem.psi) :])
    if problem.places is not None:
        values, targets = problem.values, problem.places[:, 0]
        z, s = oracle.standardised(psi, values, two)
        K = oracle.gram(z[problem.places[:, 1:]], *rest[:3])
    else:
        values, targets = problem.y, np.arange(len(problem.y))
        z, s = oracle.standardised(psi, values, two)
        K = oracle.gram(problem.X, rest[:2], rest[2])
    negative = oracle.negative_log_evidence(psi, values, targets, z, K, rest[-1], s, two)
    return negative - oracle.log_prior(psi, two)


@pytest.mark.parametrize("options", [{}, {"psi": KINK, "two_slopes": True}])
@pytest.mark.parametrize("make", [regression_problem, series_problem])
def test_the_evidence_with_its_jacobian_is_that_of_explicit_matrices(make, options):
    problem = make(**options)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        theta = problem.start + 0.3 * rng.standard_normal(len(problem.start))
        value, slopes = problem.negative(theta)
        np.testing.assert_allclose(value, by_dense_algebra(theta, problem), rtol=1e-8)
        # Central differences of numbers with 9 digits, themselves by differences.
        expected = central(lambda t: by_dense_algebra(t, problem), theta, h=1e-4)
        np.testing.assert_allclose(slopes, expected, rtol=1e-4, atol=1e-4)
        exact = central(problem.value, theta)
        np.testing.assert_allclose(slopes, exact, rtol=1e-6, atol=1e-6)
        assert len(problem.names) == len(theta)
        assert (problem.log_bounds[:, 0] <= theta).all()


def test_the_evidence_of_a_fit_is_that_of_its_targets_in_their_units(fitted):
    X, y = toy()
    k = fitted.covariance_
    Q = oracle.gram(X, *np.exp(k.log_parameters)) + fitted.noise_var_ * np.eye(101)
    z = fitted.warp_.forward(y)
    h = 1e-6
    slope = (fitted.warp_.forward(y + h) - fitted.warp_.forward(y - h)) / (2 * h)
    expected = stats.multivariate_normal(np.zeros(101), Q).logpdf(z) + np.log(slope).sum()
    np.testing.assert_allclose(fitted.log_marginal_likelihood_, expected, rtol=1e-6)
    np.testing.assert_allclose([z.mean(), z.std()], [0.0, 1.0], atol=1e-12)


# --- predictions ------------------------------------------------------------------------------


AT = np.array([[-2.5], [-0.8], [0.0], [0.9], [2.0]])


def test_a_density_integrates_to_one_and_its_moments_are_the_mean_and_variance(fitted):
    mean, std = fitted.predict(AT, return_std=True)
    for i, x in enumerate(AT):
        low, high = fitted.predict_quantile([x], [1e-12, 1 - 1e-12])[0]
        y = np.linspace(low, high, 20_001)
        p = np.exp(fitted.log_density(np.repeat([x], len(y), axis=0), y))
        np.testing.assert_allclose(integrate.simpson(p, x=y), 1.0, atol=1e-8)
        m = integrate.simpson(p * y, x=y)
        # 64 nodes see a cube root's steepest point only so well.
        np.testing.assert_allclose(mean[i], m, atol=1e-3)
        np.testing.assert_allclose(std[i] ** 2, integrate.simpson(p * (y - m) ** 2, x=y), rtol=5e-3)


def test_quantiles_are_images_of_gaussian_quantiles_and_halve_the_density(fitted):
    levels = [0.025, 0.5, 0.9]
    found = fitted.predict_quantile(AT, levels)
    f = fitted.posterior_.predict(AT)
    s = np.sqrt(f.var + fitted.noise_var_)
    for j, level in enumerate(levels):
        expected = stats.norm(f.mean, s).ppf(level)
        np.testing.assert_allclose(fitted.warp_.forward(found[:, j]), expected, atol=1e-12)
    low, median = fitted.predict_quantile(AT[1:2], [1e-12, 0.5])[0]
    y = np.linspace(low, median, 20_001)
    p = np.exp(fitted.log_density(np.repeat(AT[1:2], len(y), axis=0), y))
    np.testing.assert_allclose(integrate.simpson(p, x=y), 0.5, atol=1e-8)


def test_the_toy_of_the_thesis_has_the_density_of_the_prototype():
    """Section 5.2, noise of 0.1: -0.53 for a Gaussian process, -1.43 warped, in nats a value."""
    at = np.linspace(-np.pi, np.pi, 999)[:, None]
    plain, warped = [], []
    for seed in range(3):
        X, y = toy(seed=seed)
        truth = toy(999, seed=100 + seed)[1]
        gp = GaussianProcess().fit(X, y)
        mean, std = gp.predict(at, return_std=True)
        spread = np.sqrt(std**2 + gp.noise_var_)
        plain.append(-stats.norm(mean, spread).logpdf(truth).mean())
        model = WarpedGP(n_tanh=2).fit(X, y)
        warped.append(-model.log_density(at, truth).mean())
        assert model.log_marginal_likelihood_ > gp.log_marginal_likelihood_ + 90.0
        assert model.report_.converged
        # The steps mimic a cube over the range of the targets.
        assert np.corrcoef(model.warp_.forward(y), y**3)[0, 1] > 0.99
    assert np.mean(plain) > -0.7
    assert np.mean(warped) < -1.35


def test_conditioning_keeps_warp_and_hyperparameters(fitted):
    X, y = toy(seed=5)
    other = fitted.condition(X[:90], y[:90])
    assert other.warp_ == fitted.warp_
    assert other.noise_var_ == fitted.noise_var_
    longer = other.condition(X, y)  # by an update of the factor
    np.testing.assert_allclose(longer.predict(AT), fitted.condition(X, y).predict(AT), atol=1e-9)
    np.testing.assert_allclose(
        longer.log_marginal_likelihood_, fitted.condition(X, y).log_marginal_likelihood_, rtol=1e-9
    )


# --- what is refused or reported ------------------------------------------------------------------


def test_censored_targets_are_among_the_remarks():
    X, y = toy()
    model = WarpedGP(n_tanh=2).fit(X, np.maximum(y, -0.8))
    assert any("values are equal to the lowest, -0.8" in note for note in model.report_.remarks)
    kept = model.condition(X[:60:2], y[:60:2])
    assert kept.report_.remarks == ()


def test_what_it_lacks_is_refused_in_a_sentence(fitted):
    with pytest.raises(TypeError, match="no covariance of y"):
        fitted.predict(AT, return_cov=True)
    with pytest.raises(RuntimeError, match="WarpedGP is not fitted yet"):
        WarpedGP().sample(AT)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        fitted.predict_quantile(AT, [95])
    with pytest.raises(ValueError, match="X has 5 rows but y has 2"):
        fitted.log_density(AT, [0.0, 1.0])
    with pytest.raises(TypeError, match="warps its targets but not the lags"):
        gf.Forecaster(lags=2, transforms=None, model=WarpedGP()).fit(toy()[1])
