"""Posteriors of regions against the N x N algebra of the prior that they approximate."""

import numpy as np
import pytest
from conformance import embedded_series

from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models import SparseGaussianProcess

WIDTH, VARIANCE, SLOPE, NOISE = 1.1, 1.5, 0.3, 0.2


def explicit(posterior, linear, X, y, at):
    """Mean and covariance under k_lin + Q + (k - Q) within blocks; Snelson (2007), eq. 3.6."""

    def k(A, B):
        away = (((A[:, None] - B) / WIDTH) ** 2).sum(axis=2)
        return VARIANCE * np.exp(-0.5 * away)

    def block(A):
        centers = posterior.block_centers
        return ((A[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)

    def prior(A, B):
        M = posterior.inducing
        K = k(M, M) + 1e-8 * VARIANCE * np.eye(len(M))  # its nugget
        Q = k(A, M) @ np.linalg.inv(K) @ k(M, B) if len(M) else 0.0 * k(A, B)
        own = np.where(block(A)[:, None] == block(B), k(A, B) - Q, 0.0)
        return Q + own + (SLOPE * A @ B.T if linear else 0.0)

    across = prior(at, X) @ np.linalg.inv(prior(X, X) + NOISE * np.eye(len(X)))
    return across @ y, prior(at, at) - across @ prior(X, at)


@pytest.mark.parametrize(
    ("approximation", "linear"), [("pic", False), ("pic", True), ("local", False)]
)
def test_a_piecewise_posterior_is_the_process_with_full_covariances_within_blocks(
    approximation, linear
):
    _, X, y = embedded_series((1, 2), n=50)
    covariance = SquaredExponential(WIDTH, VARIANCE)
    model = SparseGaussianProcess(
        covariance=covariance + Linear(SLOPE) if linear else covariance,
        approximation=approximation, noise_var=NOISE, n_inducing=6, n_blocks=4, optimizer=None,
        seed=0,
    )  # fmt: skip
    posterior = model.fit(X, y).predictive_
    at = np.random.default_rng(0).uniform(-2.0, 2.0, (8, 2))
    mean, cov = explicit(posterior, linear, X, y, at)
    found, joint = posterior.predict(at), posterior.joint(at)
    np.testing.assert_allclose(found.mean, mean, atol=1e-6)
    np.testing.assert_allclose(found.var, cov.diagonal(), atol=1e-6)
    np.testing.assert_allclose(joint.mean, mean, atol=1e-6)
    np.testing.assert_allclose(joint.cov, cov, atol=1e-6)
