import numpy as np
import pytest

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models.conditioning import conditioned, overlap, reconditioned


def test_overlap_counts_the_rows_that_are_gone():
    old = np.arange(12.0).reshape(6, 2)
    more = np.vstack([old, [[20.0, 21.0]]])
    assert overlap(old, more) == 0
    assert overlap(old, more[2:]) == 2
    assert overlap(old, old[:3]) is None  # the rest of the old rows is not all there
    assert overlap(old, more[::-1]) is None
    assert overlap(old, more + 1.0) is None
    assert overlap(old[:0], more) is None


COVARIANCES = {
    "kernel": SquaredExponential([1.0, 2.0], 1.5),
    "kernel, linear and constant": SquaredExponential(1.0, 1.5) + Linear(0.3) + Constant(2.0),
}


@pytest.mark.parametrize("noise_var", [1e-2, 1e-6])
@pytest.mark.parametrize("covariance", COVARIANCES.values(), ids=COVARIANCES)
@pytest.mark.parametrize("gone", [0, 3])
def test_updating_equals_conditioning_from_scratch(covariance, gone, noise_var):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((90, 2)), rng.standard_normal(90)
    old = conditioned(covariance, noise_var, X[:80], y[:80]).posterior
    got = reconditioned(old, covariance, X[gone:], y[gone:])
    scratch = conditioned(covariance, noise_var, X[gone:], y[gone:])
    at = rng.standard_normal((20, 2))
    mean, var, _ = (got.posterior.predict(at).__dict__[k] for k in ("mean", "var", "n_clipped"))
    expected = scratch.posterior.predict(at)
    # Two ways to solve the same system may differ by its condition times the rounding.
    condition = np.linalg.cond(covariance(X[gone:], X[gone:]) + noise_var * np.eye(90 - gone))
    rounding = 16 * condition * np.finfo(float).eps * np.abs(y).max()
    np.testing.assert_allclose(mean, expected.mean, rtol=0, atol=rounding)
    np.testing.assert_allclose(var, expected.var, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(got.log_evidence, scratch.log_evidence, rtol=1e-9)
    u, S = at[:1], 0.1 * np.eye(2)[None]
    np.testing.assert_allclose(
        got.posterior.moments(u, S).var, scratch.posterior.moments(u, S).var, rtol=1e-7
    )


def test_rows_that_do_not_continue_are_left_to_a_new_factorisation():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    covariance = COVARIANCES["kernel"]
    old = conditioned(covariance, 0.1, X[:30], y[:30]).posterior
    assert reconditioned(old, covariance, X[::-1], y) is None
    assert reconditioned(old, covariance, X[25:], y[25:]) is None  # more new than old
    linear = conditioned(Linear(1.0), 0.1, X[:30], y[:30]).posterior
    assert reconditioned(linear, Linear(1.0), X, y) is None
