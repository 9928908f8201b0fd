import numpy as np

from gpforecast.models.hamiltonian import laplace_root, sample

_PRECISION = np.array([[4.0, 1.0], [1.0, 0.5]])
_MODE = np.array([1.0, -2.0])
_ANYWHERE = np.array([[-np.inf, np.inf]] * 2)


def gaussian(theta):
    off = theta - _MODE
    return 0.5 * off @ _PRECISION @ off, _PRECISION @ off


def test_laplace_root_of_a_gaussian_is_a_root_of_its_covariance():
    root = laplace_root(gaussian, _MODE, floor=1e-3)
    np.testing.assert_allclose(root @ root.T, np.linalg.inv(_PRECISION), rtol=1e-7)


def test_laplace_root_stays_finite_where_the_density_is_flat_or_curves_up():
    def saddle(theta):
        return 0.5 * (theta[0] ** 2 - theta[1] ** 2), np.array([theta[0], -theta[1]])

    root = laplace_root(saddle, np.zeros(2), floor=0.25)
    np.testing.assert_allclose(root @ root.T, np.diag([1.0, 4.0]), rtol=1e-6)


def test_chain_has_the_moments_of_a_density_that_is_not_gaussian():
    # log-gamma: x = log g with g ~ Gamma(3, 1), so E[e^x] = 3, and E[x] = digamma(3).
    def log_gamma(theta):
        return float(np.exp(theta[0]) - 3.0 * theta[0]), np.exp(theta) - 3.0

    mode = np.log([3.0])
    root = laplace_root(log_gamma, mode, floor=1e-3)
    chain = sample(
        log_gamma, mode, root, np.array([[-np.inf, np.inf]]),
        n_draws=4000, n_warmup=50, rng=np.random.default_rng(0),
    )  # fmt: skip
    assert chain.acceptance > 0.9
    # Standard deviations 0.63 and 1.73; 4000 draws of an autocorrelation below 0.5 count as 1300.
    assert abs(chain.draws.mean() - 0.9227843350984671) < 5 * 0.63 / np.sqrt(1300)
    assert abs(np.exp(chain.draws).mean() - 3.0) < 5 * 1.73 / np.sqrt(1300)


def test_chain_has_the_covariance_of_a_gaussian_whatever_the_root():
    chain = sample(
        gaussian, _MODE, np.diag([0.5, 1.0]), _ANYWHERE,
        n_draws=6000, n_warmup=20, rng=np.random.default_rng(1),
    )  # fmt: skip
    np.testing.assert_allclose(np.cov(chain.draws.T), np.linalg.inv(_PRECISION), atol=0.35)


def test_draws_stay_within_the_bounds():
    bounds = np.array([[0.9, 1.1], [-5.0, -1.9]])
    chain = sample(
        gaussian, _MODE, 0.3 * np.eye(2), bounds,
        n_draws=200, n_warmup=0, rng=np.random.default_rng(2),
    )  # fmt: skip
    assert (chain.draws >= bounds[:, 0]).all()
    assert (chain.draws <= bounds[:, 1]).all()
    assert 0.05 < chain.acceptance < 1.0
