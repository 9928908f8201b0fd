"""What holds for every kind of posterior, by finite differences and by quadrature."""

import numpy as np
import pytest
from conditioned import gp_posterior
from conformance import (
    EVERY_MODEL,
    OPEN_COVARIANCES,
    check_exact_moments,
    check_expansion,
    embedded_series,
    fitted,
)
from posterior_cases import POSTERIORS, gaussian_inputs

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors import augmented, extended_linear, local_linear
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.joint import Joint

_, X, Y = embedded_series((1, 2))
U = X[[5, 20, 33]] + [0.03, -0.02]  # amid the rows
ROOTS = 0.3 * np.random.default_rng(2).standard_normal((3, 2, 2))
S = ROOTS @ np.swapaxes(ROOTS, 1, 2)
MIXED = ("averaged gp", "noisy-input gp")  # their moments are mixed after the expansion


@pytest.mark.parametrize("model", [model for model in EVERY_MODEL if model not in MIXED])
def test_the_expansion_of_every_model_is_that_of_finite_differences(model):
    # The augmented process solves systems whose condition costs a digit.
    check_expansion(fitted(model)._frozen(), U, S, rtol=1e-6 if "augmented" in model else 1e-7)


@pytest.mark.parametrize("name", OPEN_COVARIANCES)
def test_the_expansion_by_every_covariance_is_that_of_finite_differences(name):
    check_expansion(gp_posterior(OPEN_COVARIANCES[name], 0.05, X, Y)[0], U, S)


@pytest.mark.parametrize("name", POSTERIORS)
@pytest.mark.parametrize("rank", [1, None])
def test_the_expansion_of_every_posterior_is_that_of_finite_differences(name, rank):
    posterior = POSTERIORS[name]
    check_expansion(posterior, *gaussian_inputs(3, posterior.n_inputs, rank=rank))


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_exact_moments_of_every_model_are_those_of_quadrature(model):
    posterior = fitted(model)._frozen()
    if "exact" in posterior.supports:
        check_exact_moments(posterior, U, S)


@pytest.mark.parametrize("moments", ["moments", "taylor_moments"])
def test_moments_of_an_average_are_those_of_its_mixture(moments):
    parts = [gp_posterior(SquaredExponential(w, 1.5), 0.05 * w, X, Y)[0] for w in (1.0, 2.0, 5.0)]
    weights = np.array([0.2, 0.5, 0.3])
    each = [getattr(part, moments)(U, S) for part in parts]
    found = getattr(AveragedPosterior(tuple(parts), weights), moments)(U, S)
    mean = weights @ [p.mean for p in each]
    second = weights @ [p.var + p.mean**2 for p in each]
    slope = np.tensordot(weights, [p.gradient for p in each], axes=1)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.var, second - mean**2, rtol=1e-9)
    np.testing.assert_allclose(found.gradient, slope, rtol=1e-12)


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_inputs_in_blocks_are_answered_like_each_alone(model, monkeypatch):
    posterior = fitted(model)._frozen()
    X = np.concatenate([U, U + 0.2, U - 0.3])
    whole = posterior.predict(X), posterior.taylor_moments(U, S), posterior.gradient(X)
    for module in (augmented, extended_linear, local_linear):
        monkeypatch.setattr(module, "_BLOCK_ELEMENTS", 1)
    blocks = posterior.predict(X), posterior.taylor_moments(U, S), posterior.gradient(X)
    for one, other in zip(whole[:2], blocks[:2], strict=True):
        np.testing.assert_allclose(other.mean, one.mean, rtol=1e-10)
        np.testing.assert_allclose(other.var, one.var, rtol=1e-9)
    np.testing.assert_allclose(blocks[2], whole[2], rtol=1e-9)


def test_negative_variances_of_a_joint_distribution_are_set_to_zero_and_counted():
    cov = np.array([[-1e-9, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1e-12]])
    joint = Joint.gaussian(np.zeros(3), cov)
    assert joint.n_clipped == 2
    np.testing.assert_array_equal(joint.cov, [[0.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert Joint.mixture((joint, joint), np.array([0.5, 0.5])).n_clipped == 4
