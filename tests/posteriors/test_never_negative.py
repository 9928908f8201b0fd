"""A variance is never negative, and what is clipped is counted."""

import numpy as np
import pytest
from conditioned import gp_posterior
from hypothesis import example, given, settings
from hypothesis import strategies as st
from posterior_cases import with_all_parts

import gpforecast.posteriors.extended_linear as module
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.posteriors.extended_linear import Posterior


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 12),
    d=st.integers(1, 4),
    log_noise=st.floats(-8.0, 0.0),
    log_signal=st.floats(-2.0, 2.0),
    log_scale=st.floats(-14.0, 6.0),
    rank=st.integers(0, 4),
    away=st.floats(0.0, 20.0),
    kind=st.sampled_from(["gp", "gp with linear terms", "generic"]),
)
@example(0, 12, 1, -8.0, 2.0, -14.0, 1, 0.0, "gp")
@example(0, 12, 2, -8.0, 2.0, 6.0, 2, 0.0, "gp with linear terms")
@settings(max_examples=60)
def test_variance_is_never_negative_nor_infinite(
    seed, m, d, log_noise, log_signal, log_scale, rank, away, kind
):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((m, d)), rng.standard_normal(m)
    covariance = SquaredExponential(np.exp(0.5 * rng.standard_normal(d)), 10.0**log_signal)
    if kind == "generic":
        posterior = with_all_parts(seed, m, d)
    else:
        if kind != "gp":
            covariance = covariance + Linear(1.0) + Constant(1.0)
        posterior, _ = gp_posterior(covariance, 10.0**log_noise * 10.0**log_signal, X, y)
    root = rng.standard_normal((2, d, min(rank, d)))
    S = 10.0**log_scale * root @ np.swapaxes(root, 1, 2)
    u = away * rng.standard_normal((2, d))
    for f in (posterior.moments(u, S), posterior.taylor_moments(u, S)):
        assert np.isfinite(f.mean).all()
        assert np.isfinite(f.gradient).all()
        assert np.isfinite(f.var).all()
        assert (f.var >= 0.0).all()
        floor = np.einsum("bd,bde,be->b", f.gradient, S, f.gradient)
        assert (f.var >= floor * (1.0 - 1e-12)).all()  # what keeps the joint covariance PSD
        assert 0 <= f.n_clipped <= 2


@pytest.mark.parametrize("method", ["moments", "taylor_moments"])
def test_a_variance_that_comes_out_negative_is_set_to_its_floor_and_counted(method, monkeypatch):
    """A factor too small by far: prior 1, but the data are said to remove 4."""
    broken = Posterior(
        centers=np.zeros((1, 1)),
        lengthscales=np.ones(1),
        weights=np.zeros(1),
        linear=np.zeros(1),
        prior_var=1.0,
        chol=np.array([[0.5]]),
    )
    u = np.array([[0.0], [0.0], [9.0]])
    f = getattr(broken, method)(u, np.full((3, 1, 1), 1e-6))
    assert f.n_clipped == 2
    np.testing.assert_allclose(f.var, [0.0, 0.0, 1.0])
    at = broken.predict(u)
    assert at.n_clipped == 2
    np.testing.assert_allclose(at.var, [0.0, 0.0, 1.0])
    monkeypatch.setattr(module, "_BATCH_ELEMENTS", 1)  # one input after the other
    assert getattr(broken, method)(u, np.full((3, 1, 1), 1e-6)).n_clipped == 2
