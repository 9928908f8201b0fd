import numpy as np
import pytest

from gpforecast.models.hamiltonian import MarkovChain, laplace_root, sample

_PRECISION = np.array([[4.0, 1.0], [1.0, 0.5]])
_MODE = np.array([1.0, -2.0])


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


def test_chain_of_many_dimensions_adapts_its_step_and_has_the_moments():
    # Ten times log g with g ~ Gamma(3, 1), so E[e^x] = 3 and E[x] = digamma(3).
    def log_gamma(z):
        return float(np.sum(np.exp(z) - 3.0 * z)), np.exp(z) - 3.0

    chain = MarkovChain(np.zeros(10), np.random.default_rng(0), step=2.0)
    chain.move(log_gamma, 200, adapt=True)
    draws, acceptance = chain.move(log_gamma, 1500)
    assert 0.4 < acceptance < 0.9  # its aim is 0.65
    np.testing.assert_array_equal(draws[-1], chain.z)
    # Standard deviations as below; 15000 values of an autocorrelation below 0.8 count as 1600.
    assert abs(draws.mean() - 0.9227843350984671) < 5 * 0.63 / np.sqrt(1600)
    assert abs(np.exp(draws).mean() - 3.0) < 5 * 1.73 / np.sqrt(1600)


def moments_within(bounds, negative=gaussian):
    """Mean and covariance of a density of two parameters cut off at bounds, by quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(120)
    axes = [0.5 * (b - a) * nodes + 0.5 * (a + b) for a, b in bounds]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    mass = np.exp([-negative(theta)[0] for theta in grid]) * np.outer(weights, weights).ravel()
    mass /= mass.sum()
    mean = mass @ grid
    return mean, ((grid - mean).T * mass) @ (grid - mean)


@pytest.mark.parametrize(
    ("start", "bounds"),
    [
        ([1.5, -3.0], [[1.5, 5.0], [-10.0, -1.0]]),  # on a bound near the mode: a slope there
        ([1.0, -2.0], [[0.9, 1.1], [-4.0, -1.9]]),  # a trajectory crosses the box several times
    ],
)
def test_draws_of_a_truncated_gaussian_have_its_moments(start, bounds):
    bounds, start = np.array(bounds), np.array(start)
    draws, acceptance = sample(
        gaussian, start, laplace_root(gaussian, start, floor=0.25), bounds,
        n_draws=2000, n_warmup=50, rng=np.random.default_rng(3),
    )  # fmt: skip
    assert acceptance > 0.8
    assert ((draws >= bounds[:, 0]) & (draws <= bounds[:, 1])).all()
    mean, covariance = moments_within(bounds)
    # Five standard errors, if 2000 draws of some autocorrelation count as 500.
    std = np.sqrt(np.diag(covariance))
    np.testing.assert_array_less(abs(draws.mean(axis=0) - mean), 5 * std / np.sqrt(500))
    off = (np.cov(draws.T) - covariance) / np.outer(std, std)
    np.testing.assert_array_less(abs(off), 5 * np.sqrt(2 / 500))
