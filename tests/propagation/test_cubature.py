"""Cubature: exact where its rule is, and otherwise beside exact moments and Monte Carlo."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from posterior_cases import rows, se_posterior

from gpforecast.posteriors.extended_linear import Prediction
from gpforecast.propagation import Cubature, ExactMoments

RULES = {
    "unscented": Cubature(),
    "gauss-hermite": Cubature("gauss_hermite"),
    "gauss-hermite, one direction": Cubature("gauss_hermite", n_nodes=3, n_directions=1),
}
EXACT = ExactMoments()


@dataclasses.dataclass(frozen=True)
class Known:
    """Functions of the input taken for the mean and the variance: it is all cubature asks for."""

    mean: object
    slope: object
    var: object = staticmethod(lambda X: np.full(len(X), 0.3))
    lengthscales: np.ndarray = dataclasses.field(default_factory=lambda: np.ones(3))
    noise_var: float = 0.1

    @property
    def n_inputs(self):
        return len(self.lengthscales)

    def predict(self, X):
        return Prediction(self.mean(X), self.var(X))

    def gradient(self, X):
        return self.slope(X)


def gp(d):
    return se_posterior(*rows(20, d), 2.0, 1.5, 0.02)


def covariance(d, scale=0.3, seed=1):
    root = np.random.default_rng(seed).standard_normal((d, d))
    return scale * root @ root.T


B, Q = np.array([0.5, -1.0, 2.0]), np.array([[1.0, 0.3, 0.0], [0.3, -0.5, 0.2], [0.0, 0.2, 0.8]])
U, S = np.array([0.4, -1.0, 0.3]), covariance(3)
LINEAR = Known(lambda X: X @ B + 2.0, lambda X: np.broadcast_to(B, X.shape))


# --- where it is exact --------------------------------------------------------------------------


@pytest.mark.parametrize("method", RULES.values(), ids=RULES)
def test_linear_function_is_exact(method):
    f = method.moments(LINEAR, U[None], S[None])
    np.testing.assert_allclose(f.mean[0], U @ B + 2.0, rtol=1e-13)
    np.testing.assert_allclose(f.var[0], 0.3 + B @ S @ B, rtol=1e-13)
    np.testing.assert_allclose(f.gradient[0], B, rtol=1e-12)


@pytest.mark.parametrize("d", [1, 8])
def test_unscented_mean_and_gradient_of_a_quadratic_are_exact_in_any_dimension(d):
    rng = np.random.default_rng(d)
    H, b, u, cov = rng.standard_normal((d, d)), rng.standard_normal(d), rng.standard_normal(d), None
    H, cov = H + H.T, covariance(d)
    f = Cubature().moments(
        Known(
            lambda X: X @ b + np.einsum("nd,de,ne->n", X, H, X),
            lambda X: b + 2.0 * X @ H,
            lengthscales=rng.uniform(0.5, 2.0, d),
        ),
        u[None],
        cov[None],
    )
    np.testing.assert_allclose(f.mean[0], u @ b + u @ H @ u + np.trace(H @ cov), rtol=1e-11)
    np.testing.assert_allclose(f.gradient[0], b + 2.0 * H @ u, rtol=1e-9)


def test_quadratic_variance_is_averaged_exactly_by_every_rule():
    flat = Known(
        lambda X: np.zeros(len(X)),
        np.zeros_like,
        lambda X: 5.0 + X @ B + np.einsum("nd,de,ne->n", X, Q @ Q, X),
    )
    expected = 5.0 + U @ B + U @ Q @ Q @ U + np.trace(Q @ Q @ S)
    for method in RULES.values():
        np.testing.assert_allclose(method.moments(flat, U[None], S[None]).var, expected, rtol=1e-12)


def test_directions_beyond_the_product_are_added_exactly_where_f_is_a_sum_over_directions():
    """Axes apart, so the directions are the axes: a product rule in all of them says the same."""
    values = np.array([0.1, 0.4, 0.9])
    f = Known(
        lambda X: np.exp(0.3 * X[:, 2]) + X[:, 1] ** 2 - X[:, 0] ** 3 + X[:, 0],
        lambda X: np.stack(
            [1.0 - 3.0 * X[:, 0] ** 2, 2.0 * X[:, 1], 0.3 * np.exp(0.3 * X[:, 2])], axis=1
        ),
    )
    few = Cubature("gauss_hermite", n_nodes=3, n_directions=1)
    all_ = Cubature("gauss_hermite", n_nodes=3, n_directions=3)
    a, b = (m.moments(f, U[None], np.diag(values)[None]) for m in (few, all_))
    for name in ("mean", "var", "gradient"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-11)


# --- beside exact moments -----------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 3])
def test_more_nodes_converge_to_the_exact_moments_of_a_gp(d):
    posterior = gp(d)
    u, cov = np.full((1, d), 0.3), 0.5 * covariance(d)[None]
    exact = EXACT.moments(posterior, u, cov)
    errors = []
    for n in (3, 6, 12, 24):
        f = Cubature("gauss_hermite", n_nodes=n, n_directions=d).moments(posterior, u, cov)
        errors.append(
            max(
                np.abs(getattr(f, name) - getattr(exact, name)).max()
                for name in ("mean", "var", "gradient")
            )
        )
    assert errors[-1] < 1e-8
    assert all(b < 0.3 * a or b < 1e-10 for a, b in pairwise(errors))


@pytest.mark.parametrize("method", RULES.values(), ids=RULES)
def test_a_singular_covariance_matters_in_its_range_only(method):
    posterior = gp(4)
    root = 0.2 * np.random.default_rng(3).standard_normal((4, 2))
    u, cov = np.full((1, 4), 0.2), (root @ root.T)[None]
    f, exact = method.moments(posterior, u, cov), EXACT.moments(posterior, u, cov)
    np.testing.assert_allclose(f.mean, exact.mean, atol=0.05)
    np.testing.assert_allclose(f.var, exact.var, rtol=0.15)
    np.testing.assert_allclose(cov[0] @ f.gradient[0], cov[0] @ exact.gradient[0], atol=0.02)
    fine = Cubature("gauss_hermite", n_nodes=20, n_directions=2).moments(posterior, u, cov)
    np.testing.assert_allclose(fine.var, exact.var, rtol=1e-9)
    np.testing.assert_allclose(cov[0] @ fine.gradient[0], cov[0] @ exact.gradient[0], atol=1e-10)


# --- what a forecast needs ----------------------------------------------------------------------


def test_a_negative_sum_of_variances_is_set_to_zero_and_counted():
    peak = Known(
        lambda X: X @ B, lambda X: np.broadcast_to(B, X.shape),
        lambda X: np.exp(-5.0 * (X**2).sum(axis=1)),
    )  # fmt: skip
    additive = Cubature("gauss_hermite", n_nodes=2, n_directions=1)  # none of its nodes is at u
    f = additive.moments(peak, np.zeros((2, 3)), np.stack([4.0 * np.eye(3), np.zeros((3, 3))]))
    assert f.n_clipped == 1
    np.testing.assert_allclose(f.var, [4.0 * B @ B, 1.0], rtol=1e-12)
    assert Cubature().moments(peak, np.zeros((1, 3)), 4.0 * np.eye(3)[None]).n_clipped == 0


# --- what it is ---------------------------------------------------------------------------------


def test_the_points_of_the_unscented_rule_are_those_of_julier_and_uhlmann():
    seen = []

    def mean(X):
        seen.append(X.copy())
        return np.zeros(len(X))

    for d, reach in ((1, 3.0), (2, 3.0), (3, 3.0), (5, 5.0)):
        seen.clear()
        spy = Known(mean, np.zeros_like, lengthscales=np.ones(d))
        Cubature().moments(spy, np.zeros((1, d)), np.eye(d)[None])
        away = np.sort((seen[0] ** 2).sum(axis=1))
        np.testing.assert_allclose(away, [0.0] + 2 * d * [reach], rtol=1e-13)
