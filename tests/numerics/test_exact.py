"""The compiled exact moments against their plain twin, which subtracts and inverts."""

import numpy as np
import pytest
from twins.moments import extended_linear_moments

from gpforecast.posteriors.extended_linear import Posterior


def model(m, d, *, gp, linear, seed=0):
    """A random extended linear model, and its w, B and c."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((m, d))
    ell = rng.uniform(0.8, 2.0, d)
    n = m + d + 1
    w = np.concatenate([rng.standard_normal(m), linear * rng.standard_normal(d + 1)])
    A = 0.1 * rng.standard_normal((n, 5))
    A[m:] *= linear
    B, chol, c = A @ A.T, None, 0.0
    if gp:
        c = 1.5
        K = np.exp(-0.5 * (((centers[:, None] - centers) / ell) ** 2).sum(axis=2))
        chol = np.linalg.cholesky((c * K + 0.3 * np.eye(m)) / c**2)
        B[:m, :m] -= np.linalg.inv(chol @ chol.T)
    posterior = Posterior(
        centers, ell, w[:m], w[m:-1], float(w[-1]), prior_var=c, chol=chol, added=A
    )
    return posterior, w, B, c


@pytest.mark.parametrize("linear", [0.0, 1.0])
@pytest.mark.parametrize("gp", [True, False])
@pytest.mark.parametrize(("m", "d", "rank"), [(5, 1, 1), (33, 3, 2), (40, 5, 5), (7, 2, 0)])
def test_moments_are_those_of_the_plain_twin(m, d, rank, gp, linear):
    posterior, w, B, c = model(m, d, gp=gp, linear=linear)
    rng = np.random.default_rng(1)
    u = rng.standard_normal((2, d))
    root = 0.5 * rng.standard_normal((2, d, rank))
    S = root @ np.swapaxes(root, 1, 2)
    found = posterior.moments(u, S)
    for b in range(2):
        mean, var, cross = extended_linear_moments(
            u[b], S[b], posterior.centers, posterior.lengthscales, w, B, c
        )
        np.testing.assert_allclose(found.mean[b], mean, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(found.var[b], var, rtol=1e-8, atol=1e-11)
        np.testing.assert_allclose(S[b] @ found.gradient[b], cross, rtol=1e-9, atol=1e-12)
