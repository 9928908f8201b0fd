"""What holds for every kind of posterior, by finite differences and by linear algebra."""

from functools import cache

import numpy as np
import pytest
from conditioned import gp_posterior
from conformance import MODELS, MODELS_WITHOUT_POSTERIOR, embedded_series

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors import augmented, extended_linear, local_linear
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.posteriors.joint import Joint
from gpforecast.posteriors.local_linear import LocalLinear

KINDS = [
    "gp + linear + constant", "polynomial gp", "rvm", "average", "sparse + linear",
    "sparse, projected", "rvm*", "nearest neighbours", "reduced-rank gp, augmented", "sparse, pic",
    "sparse, local",
]  # fmt: skip
AUGMENTED = ["rvm*", "reduced-rank gp, augmented"]  # with a weight for each input
every_kind = pytest.mark.parametrize("kind", KINDS)
U = embedded_series((1, 2))[1][[5, 20, 33]] + [0.03, -0.02]  # amid the rows
ROOTS = 0.3 * np.random.default_rng(2).standard_normal((3, 2, 2))
S = ROOTS @ np.swapaxes(ROOTS, 1, 2)


@cache
def posterior_of(kind):
    _, X, y = embedded_series((1, 2))
    if kind == "average":
        widths = (1.0, 2.0, 5.0)
        parts = [gp_posterior(SquaredExponential(w, 1.5), 0.05 * w, X, y)[0] for w in widths]
        return AveragedPosterior(tuple(parts), np.array([0.2, 0.5, 0.3]))
    if kind in MODELS:
        return MODELS[kind]().fit(X, y).posterior_
    return MODELS_WITHOUT_POSTERIOR[kind]().fit(X, y).predictive_


def differences(f, u, steps):
    """First and second central differences of f (n, 2) -> (n,) along each row of steps (r, 2)."""
    forward, back = f(u + steps), f(u - steps)
    return 0.5 * (forward - back), forward - 2.0 * f(u[None]) + back


@every_kind
def test_the_gradient_is_the_slope_of_the_mean(kind):
    posterior, h = posterior_of(kind), 1e-4
    found = posterior.gradient(U)
    for u, gradient in zip(U, found, strict=True):
        slope = differences(lambda x: posterior.predict(x).mean, u, h * np.eye(2))[0] / h
        np.testing.assert_allclose(gradient, slope, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "average"])
def test_taylor_moments_are_those_of_finite_differences(kind):
    posterior, h = posterior_of(kind), 1e-3
    found = posterior.taylor_moments(U, S)
    for i, (u, root) in enumerate(zip(U, ROOTS, strict=True)):
        columns = h * root.T
        slopes = differences(lambda x: posterior.predict(x).mean, u, columns)[0] / h
        bends = differences(lambda x: posterior.predict(x).var, u, columns)[1] / h**2
        at = posterior.predict(u[None])
        np.testing.assert_allclose(found.mean[i], at.mean[0], rtol=1e-9)
        var = max(at.var[0] + 0.5 * bends.sum(), 0.0) + (slopes**2).sum()
        np.testing.assert_allclose(found.var[i], var, rtol=1e-4)
        np.testing.assert_allclose(root.T @ found.gradient[i], slopes, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("moments", ["moments", "taylor_moments"])
def test_moments_of_an_average_are_those_of_its_mixture(moments):
    posterior = posterior_of("average")
    parts = [getattr(part, moments)(U, S) for part in posterior.parts]
    found = getattr(posterior, moments)(U, S)
    for i in range(3):
        mean = sum(w * p.mean[i] for w, p in zip(posterior.weights, parts, strict=True))
        second = sum(
            w * (p.var[i] + p.mean[i] ** 2) for w, p in zip(posterior.weights, parts, strict=True)
        )
        slope = sum(w * p.gradient[i] for w, p in zip(posterior.weights, parts, strict=True))
        np.testing.assert_allclose(found.mean[i], mean, rtol=1e-12)
        np.testing.assert_allclose(found.var[i], second - mean**2, rtol=1e-9)
        np.testing.assert_allclose(found.gradient[i], slope, rtol=1e-12)


@every_kind
def test_the_joint_distribution_has_the_marginals_of_single_predictions(kind):
    posterior = posterior_of(kind)
    sets = U[:, None] if kind in AUGMENTED else [U]
    for X in sets:
        alone, joint = posterior.predict(X), posterior.joint(X)
        np.testing.assert_allclose(joint.mean, alone.mean, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(joint.cov.diagonal(), alone.var, rtol=1e-7, atol=1e-10)
    joint = posterior.joint(U)
    np.testing.assert_array_equal(joint.cov, joint.cov.T)
    assert np.linalg.eigvalsh(joint.cov)[0] > -1e-10


@every_kind
def test_inputs_in_blocks_are_answered_like_each_alone(kind, monkeypatch):
    posterior = posterior_of(kind)
    X = np.concatenate([U, U + 0.2, U - 0.3])
    whole = posterior.predict(X), posterior.taylor_moments(U, S), posterior.gradient(X)
    for module in (augmented, extended_linear, local_linear):
        monkeypatch.setattr(module, "_BLOCK_ELEMENTS", 1)
    blocks = posterior.predict(X), posterior.taylor_moments(U, S), posterior.gradient(X)
    for one, other in zip(whole[:2], blocks[:2], strict=True):
        np.testing.assert_allclose(other.mean, one.mean, rtol=1e-10)
        np.testing.assert_allclose(other.var, one.var, rtol=1e-9)
    np.testing.assert_allclose(blocks[2], whole[2], rtol=1e-9)


def test_a_plane_is_followed_no_farther_than_twice_as_far_as_its_neighbours_lie():
    rows, y = np.array([[-1.0], [0.0], [1.5], [50.0]]), np.array([3.0, 2.0, 1.0, 9.0])
    near = LocalLinear(rows, y, np.array([2.0]), 3, 1e-6, 0.1)
    center, reach = rows[:3].mean(), 2.0 * (1.5 - 0.5 / 3.0)
    slope = np.polyfit(rows[:3, 0], y[:3], 1)[0]
    x = np.array([-9.0, -2.4, 0.7, center + reach - 1e-3, center + reach + 1e-3])
    expected = 2.0 + slope * np.clip(x - center, -reach, reach)
    np.testing.assert_allclose(near.predict(x[:, None]).mean, expected, rtol=1e-4)
    slopes = near.gradient(x[:, None])[:, 0]
    np.testing.assert_allclose(slopes, slope * (np.abs(x - center) < reach), rtol=1e-4, atol=1e-9)


def test_negative_variances_of_a_joint_distribution_are_set_to_zero_and_counted():
    cov = np.array([[-1e-9, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1e-12]])
    joint = Joint.gaussian(np.zeros(3), cov)
    assert joint.n_clipped == 2
    np.testing.assert_array_equal(joint.cov, [[0.0, 0.1, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 0.0]])
    assert Joint.mixture((joint, joint), np.array([0.5, 0.5])).n_clipped == 4
