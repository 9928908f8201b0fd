"""Moments at Gaussian inputs against the plain twin, quadrature and Monte Carlo."""

import numpy as np
import pytest
from posterior_cases import POSTERIORS, gaussian_inputs, with_all_parts
from twins.moments import extended_linear_moments


def reference_of(posterior, u, S):
    m = posterior.n_basis
    w = np.concatenate([posterior.weights, posterior.linear, [posterior.constant]])
    B = np.zeros((len(w), len(w)))
    if posterior.chol is not None:
        B[:m, :m] = -np.linalg.inv(posterior.chol @ posterior.chol.T)
    if posterior.added is not None:
        B += posterior.added @ posterior.added.T
    return extended_linear_moments(
        u, S, posterior.centers, posterior.lengthscales, w, B, posterior.prior_var
    )


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("rank", [1, None])
def test_every_kind_of_posterior_matches_the_plain_twin(name, rank):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(4, posterior.n_inputs, rank=rank)
    f = posterior.moments(u, S)
    for i in range(len(u)):
        mean, var, cross = reference_of(posterior, u[i], S[i])
        # The twin subtracts: its own error is a few hundred roundings of numbers of order one.
        np.testing.assert_allclose(f.mean[i], mean, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(f.var[i], var, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(S[i] @ f.gradient[i], cross, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("m", "d", "p"), [(31, 2, 33), (32, 5, 32), (33, 4, 1), (70, 17, 40)])
def test_sizes_around_those_of_a_panel_match_the_plain_twin(m, d, p):
    posterior = with_all_parts(m=m, d=d, p=p)
    u, S = gaussian_inputs(3, d)
    f = posterior.moments(u, S)
    for i in range(len(u)):
        mean, var, cross = reference_of(posterior, u[i], S[i])
        np.testing.assert_allclose(f.mean[i], mean, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(f.var[i], var, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(S[i] @ f.gradient[i], cross, rtol=1e-9, atol=1e-11)


def test_inputs_of_other_shapes_are_refused_before_compiled_code_reads_them():
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(4, posterior.n_inputs)
    for mean, cov in ((u[0], S[0]), (u, S[:2]), (u[:, :1], S[:, :1, :1]), (u[0], S)):
        with pytest.raises(ValueError, match=r"^u and S must be means .* pass u\[None\], S\[None"):
            posterior.moments(mean, cov)
