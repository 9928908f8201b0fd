"""Predictions at known inputs: means, variances, gradients."""

import numpy as np
import pytest
from oracles import posterior_covariance
from posterior_cases import POSTERIORS, gaussian_inputs


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_a_known_input_gives_the_plain_prediction(name, method):
    posterior = POSTERIORS[name]
    u, S = gaussian_inputs(5, posterior.n_inputs)
    f = getattr(posterior, method)(u, np.zeros_like(S))
    at = posterior.predict(u)
    # The same sums in another order; a variance cancels against numbers of order one to ten.
    np.testing.assert_allclose(f.mean, at.mean, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(f.var, at.var, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(f.gradient, posterior.gradient(u), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", POSTERIORS)
def test_predicted_variance_is_the_definition(name):
    posterior = POSTERIORS[name]
    X = np.random.default_rng(4).standard_normal((6, posterior.n_inputs))
    expected = np.diag(posterior_covariance(posterior, X))
    # The oracle subtracts from c = O(1) what is nearly c: rounding leaves some 1e-13 of c.
    np.testing.assert_allclose(posterior.predict(X).var, expected, rtol=1e-11, atol=1e-12)
