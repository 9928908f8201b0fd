"""What holds for every model: covariances at several inputs, drawn functions, conditioning."""

import numpy as np
import pytest
from conformance import AUGMENTED, EVERY_MODEL, embedded_series, fitted
from storage_cases import same_value

import gpforecast as gf
from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors.joint import Joint
from gpforecast.storage import decode, encode

_, X, Y = embedded_series((1, 2))
AT = np.concatenate([X[5:12] + 0.3, X[:2], X[5:6] + 0.3])  # with an input twice


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_every_model_has_the_covariance_of_f_at_several_inputs(name):
    model = fitted(name)
    mean, cov = model.predict(AT, return_cov=True)
    assert mean.shape == (10,)
    np.testing.assert_array_equal(cov, cov.T)
    values = np.linalg.eigvalsh(cov)
    assert values[0] > -1e-10 * values[-1]
    np.testing.assert_allclose(cov[0], cov[-1], rtol=1e-7, atol=1e-9)  # the same input
    for at in AT[:, None] if name in AUGMENTED else [AT]:
        mean, cov = model.predict(at, return_cov=True)
        expected, std = model.predict(at, return_std=True)
        np.testing.assert_allclose(mean, expected, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(cov.diagonal(), std**2, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_every_model_draws_functions_of_that_covariance(name):
    model, n = fitted(name), 4000
    f = model.sample(AT, n, seed=0)
    np.testing.assert_array_equal(f, model.sample(AT, n, seed=0))
    mean, cov = model.predict(AT, return_cov=True)
    assert f.shape == (n, 10)
    off = f - mean
    spread = np.sqrt(np.maximum(cov.diagonal(), 0.0))
    assert (np.abs(off.mean(axis=0)) < 5.0 * spread / np.sqrt(n) + 1e-9).all()
    products = off[:, :, None] * off[:, None]
    error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - cov) < 5.0 * error + 1e-9).all()
    np.testing.assert_allclose(f[:, 0], f[:, -1], atol=1e-4 * spread[0] + 1e-9)  # one function


# Of these, whichever a model has.
LEARNED = (
    "covariance_", "covariances_", "noise_var_", "noise_vars_", "weights_", "priors_", "prior_var_",
    "lengthscales_", "alpha_", "relevance_vectors_", "input_noise_var_", "support_", "ridge_",
    "projection_", "uncertainty_", "block_centers_",
)  # fmt: skip


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_conditioning_keeps_what_was_learned_and_on_the_same_rows_gives_the_same(name):
    model = fitted(name)
    before = model.predict(AT, return_cov=True)
    other = model.condition(X[:40], Y[:40])
    assert repr(other) == repr(model)
    assert np.abs(other.predict(AT) - before[0]).max() > 1e-3
    for learned in LEARNED:
        if hasattr(model, learned):
            same_value(getattr(other, learned), getattr(model, learned))
    again = other.condition(X, Y)
    for each in (again, model, decode(*encode(again, "model"))):  # the first is as it was
        for one, expected in zip(each.predict(AT, return_cov=True), before, strict=True):
            np.testing.assert_allclose(one, expected, rtol=1e-10, atol=1e-12)
        evidence = getattr(each, "log_marginal_likelihood_", None)
        assert evidence == pytest.approx(getattr(model, "log_marginal_likelihood_", None))


def test_a_mixture_has_the_total_covariance_and_draws_from_each_part():
    rng = np.random.default_rng(0)
    means, roots = rng.standard_normal((2, 3)), 0.1 * rng.standard_normal((2, 3, 3))
    covs, weights = roots @ np.swapaxes(roots, 1, 2), np.array([0.25, 0.75])
    parts = tuple(Joint.gaussian(m, C) for m, C in zip(means, covs, strict=True))
    found = Joint.mixture(parts, weights)
    second = sum(w * (C + np.outer(m, m)) for w, m, C in zip(weights, means, covs, strict=True))
    np.testing.assert_allclose(found.cov, second - np.outer(found.mean, found.mean), atol=1e-14)
    near = ((found.sample(4000, rng)[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert abs(near.mean() - 0.75) < 5.0 * np.sqrt(0.25 * 0.75 / 4000)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(RuntimeError, match="not fitted yet"):
        gf.models.GaussianProcess().sample(X)
    model = fitted("linear ar")
    with pytest.raises(ValueError, match="n must be a positive integer; got 0"):
        model.sample(X, 0)
    with pytest.raises(ValueError, match="X has 1 columns but the model was fitted to 2"):
        model.sample(X[:, :1])
    with pytest.raises(ValueError, match="return_std and return_cov exclude each other"):
        model.predict(X, return_std=True, return_cov=True)
    with pytest.raises(ValueError, match="X has 1 missing"):
        SquaredExponential(1.0, 1.0).sample([[np.nan]])
