"""Moments at known and at Gaussian inputs against definitions and the plain twin."""

import numpy as np
import pytest
from oracles import posterior_covariance
from posterior_cases import POSTERIORS, assert_moments, gaussian_inputs, with_all_parts
from twins.moments import extended_linear_moments


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_a_known_input_gives_the_plain_prediction(name, method):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(5, posterior.n_inputs)
    f = getattr(posterior, method)(u, np.zeros_like(S))
    at = posterior.predict(u)
    # The same sums in another order; a variance cancels against numbers of order one to ten.
    assert_moments(f, at.mean, at.var, posterior.gradient(u), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", POSTERIORS)
def test_predicted_variance_is_the_definition(name):
    posterior = POSTERIORS[name]
    X = np.random.default_rng(4).standard_normal((6, posterior.n_inputs))
    expected = np.diag(posterior_covariance(posterior, X))
    # The oracle subtracts from c = O(1) what is nearly c: rounding leaves some 1e-13 of c.
    np.testing.assert_allclose(posterior.predict(X).var, expected, rtol=1e-11, atol=1e-12)


def assert_twin(posterior, u, S, *, rtol, atol):
    found = posterior.moments(u, S)
    for i in range(len(u)):
        mean, var, cross = reference_of(posterior, u[i], S[i])
        np.testing.assert_allclose(found.mean[i], mean, rtol=rtol, atol=atol)
        np.testing.assert_allclose(found.var[i], var, rtol=1e-9, atol=atol)
        np.testing.assert_allclose(S[i] @ found.gradient[i], cross, rtol=10 * rtol, atol=atol)


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
    # The twin subtracts: its own error is a few hundred roundings of numbers of order one.
    assert_twin(posterior, u, S, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("m", "d", "p"), [(31, 2, 33), (32, 5, 32), (33, 4, 1), (70, 17, 40)])
def test_sizes_around_those_of_a_panel_match_the_plain_twin(m, d, p):
    assert_twin(with_all_parts(m=m, d=d, p=p), *gaussian_inputs(3, d), rtol=1e-10, atol=1e-11)


def test_inputs_of_other_shapes_are_refused_before_compiled_code_reads_them():
    posterior = POSTERIORS["all parts"]
    u, S = gaussian_inputs(4, posterior.n_inputs)
    for mean, cov in ((u[0], S[0]), (u, S[:2]), (u[:, :1], S[:, :1, :1]), (u[0], S)):
        with pytest.raises(ValueError, match=r"^u and S must be means .* pass u\[None\], S\[None"):
            posterior.moments(mean, cov)
