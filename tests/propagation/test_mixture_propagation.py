"""A forecast as a mixture of Gaussians, against quadrature and against exact moments."""

import numpy as np
import pytest
from conditioned import gp_posterior
from recursion_cases import nonlinear_posterior, past_values
from scipy.stats import norm

from gpforecast.covariances import SquaredExponential
from gpforecast.propagation import ExactMoments, GaussianMixture
from gpforecast.propagation.curvature import curvature
from gpforecast.propagation.mixture import Components
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate
from gpforecast.results.warped import distribution_of

STEPWISE = ExactMoments(function="step")
MIXTURE, UNSPLIT = GaussianMixture(), GaussianMixture(tolerance=0.9999)
ONE_LAG = Inputs((1,))


def folded_posterior(noise_var=1e-4):
    """A Gaussian process that has seen 1 - 1.8 x^2, a map that folds its inputs."""
    x = np.linspace(-1.1, 1.1, 30)[:, None]
    return gp_posterior(SquaredExponential(1.0, 4.0), noise_var, x, 1.0 - 1.8 * x[:, 0] ** 2)[0]


def densities(posterior, mean, var, horizon, n=2501):
    """Marginal cdfs of each step on a grid: p(y) = integral of p(y | x) p(x) dx, one lag."""
    grid = np.linspace(-4.0, 3.0, n)
    at = posterior.predict(grid[:, None])
    std = np.sqrt(at.var + posterior.noise_var)
    if var:
        weights = norm.pdf(grid, mean, np.sqrt(var)) * (grid[1] - grid[0])
    else:
        weights = np.zeros(n)
        weights[np.argmin(np.abs(grid - mean))] = 1.0
    found = []
    for _ in range(horizon):
        near = weights > 1e-9
        density = norm.pdf(grid[:, None], at.mean[near], std[near]) @ weights[near]
        weights = density * (grid[1] - grid[0])
        found.append(np.cumsum(weights))
    return grid, np.array(found)


@pytest.mark.parametrize(("x", "past_var", "horizon"), [(0.35, 0.0, 7), (0.1, 0.04, 3)])
def test_it_follows_a_fold_where_exact_moments_do_not(x, past_var, horizon):
    posterior = folded_posterior()
    past_cov = np.full((1, 1, 1), past_var) if past_var else None
    start = Start(np.array([[x]]), past_cov=past_cov)
    grid, truth = densities(posterior, x, past_var, horizon)
    off = {}
    for method in (MIXTURE, STEPWISE):
        found = distribution_of(
            propagate(Columns.of(posterior, ONE_LAG), method, start, horizon), None
        )
        cdf = np.array([found.at(0).cdf(np.full(horizon, y)) for y in grid[::20]]).T
        off[method.name] = np.abs(cdf - truth[:, ::20]).mean(axis=1) * (grid[-1] - grid[0])
    # The Wasserstein distances from the truth, whose last step spreads over 0.3 or more.
    assert off["mixture"].max() < 0.05
    assert off["exact"].max() > 3.0 * off["mixture"].max()


def test_without_a_split_it_is_exact_moments():
    posterior, inputs = nonlinear_posterior(2), Inputs((1, 2))
    start = Start(past_values((1, 2), 3))
    got = propagate(Columns.of(posterior, inputs), UNSPLIT, start, 8)
    expected = propagate(Columns.of(posterior, inputs), STEPWISE, start, 8)
    assert got.parts == ()
    for name in ("mean", "covariance", "latent_var"):
        np.testing.assert_allclose(
            getattr(got, name), getattr(expected, name), rtol=1e-10, atol=1e-14
        )


def test_splitting_preserves_mean_and_covariance():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((2, 5, 5))
    S = root @ np.swapaxes(root, 1, 2)
    whole = Components(np.arange(2), np.ones(2), rng.standard_normal((2, 5)), S)
    rows = np.array([1, 4])
    a = rng.standard_normal((2, 2))
    a /= np.sqrt(np.einsum("ni,nij,nj->n", a, S[:, rows[:, None], rows], a))[:, None]
    parts = whole.split(rows, a)
    for i in range(2):
        own = parts.origin == i
        w, m = parts.weight[own], parts.mean[own]
        mean = w @ m
        off = m - mean
        covariance = np.tensordot(w, parts.covariance[own], axes=1) + (w * off.T) @ off
        np.testing.assert_allclose(mean, whole.mean[i], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(covariance, S[i], rtol=1e-12, atol=1e-13)
        assert all(np.linalg.eigvalsh(C)[0] > -1e-12 for C in parts.covariance[own])


def test_curvature_of_a_quadratic_is_the_part_of_its_variance_beyond_the_linear_one():
    H, g = np.array([[1.0, 0.4], [0.4, -0.7]]), np.array([0.3, -0.2])
    S, u = np.array([[0.5, 0.2], [0.2, 0.4]]), np.array([0.1, 0.7])

    class Quadratic:
        n_inputs, noise_var, lengthscales = 2, 0.1, np.array([1.0, 3.0])

        def gradient(self, X):
            return X @ H + g

    got = curvature(Quadratic(), u[None], S[None])
    slope = H @ u + g
    np.testing.assert_allclose(got.linear_var[0], slope @ S @ slope, rtol=1e-12)
    np.testing.assert_allclose(got.std[0] ** 2, 0.5 * np.trace(H @ S @ H @ S), rtol=1e-12)
    a = got.direction[0]
    np.testing.assert_allclose(a @ S @ a, 1.0, rtol=1e-12)
    # The direction of most curvature: S H (S a) is a multiple of S a, by the largest eigenvalue.
    values = np.linalg.eigvals(S @ H)
    most = values[np.abs(values).argmax()]
    np.testing.assert_allclose(S @ H @ S @ a, most * S @ a, rtol=1e-10, atol=1e-12)


def test_the_parts_of_a_forecast_have_its_moments_also_through_transforms():
    start = Start(np.array([[0.35], [-0.6]]))
    found = propagate(Columns.of(folded_posterior(), ONE_LAG), MIXTURE, start, 9)
    factor, offset = np.linspace(1.0, 2.0, 9), np.ones((2, 9))
    root = np.random.default_rng(0).standard_normal((2, 9, 3))

    def sums(values, axis):
        return values.cumsum(axis=axis)

    for p in (
        found,
        found.scaled(factor, offset),
        found.summed(sums, offset),
        found.plus_noise(root, 0),
        found.ahead(np.array([1]), 3),
    ):
        mixture = distribution_of(p, None)
        np.testing.assert_allclose(mixture.mean, p.mean, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(mixture.covariance, p.covariance, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(mixture.latent_var, p.latent_var, rtol=1e-9, atol=1e-11)
        assert len(p.parts) > 3
        assert all((np.einsum("bhh->bh", part.covariance) > 0.0).all() for part in p.parts)
