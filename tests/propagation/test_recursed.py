"""A long forecast forgets the covariance with earlier steps, and finds it again when asked."""

from functools import partial

import numpy as np
import pytest
from posterior_cases import with_all_parts
from recursion_cases import linear_posterior

from gpforecast.propagation import ExactMoments, Taylor
from gpforecast.propagation.curvature import non_gaussian
from gpforecast.propagation.joint_covariance import Recursed
from gpforecast.propagation.layout import Layout
from gpforecast.propagation.recursion import (
    Columns,
    GaussianNodes,
    Inputs,
    Start,
    iterate,
    propagate,
)
from gpforecast.transforms.differences import cumulated

H, LAGS = 420, (1, 2, 70)  # the last steps are moved to the beginning several times
ADDED = 0.02 * np.random.default_rng(1).standard_normal((4, 3))
LINE = linear_posterior([0.5, 0.2, 0.1], added=ADDED)
CURVED = with_all_parts(m=3, prior_var=0.0, chol=False)
MODELS = {
    "one line": (LINE, ExactMoments(n_paths=4)),
    "a line at each step": (LINE, ExactMoments(function="step")),
    "a line that is known": (linear_posterior([0.5, 0.2, 0.1]), ExactMoments()),
    "one curve": (CURVED, ExactMoments(n_paths=4)),
    "a curve at each step": (CURVED, Taylor(function="step")),
}


def start(*, known=True, b=2):
    rng = np.random.default_rng(0)
    past, root = rng.standard_normal((b, max(LAGS))), 0.1 * rng.standard_normal((b, 70, 70))
    return Start(past, past_cov=None if known else root @ np.swapaxes(root, 1, 2))


def nodes(name, *, whole, known=True):
    model, method = MODELS[name]
    if model is CURVED:  # which runs away on its own
        scale = 0.2 / abs(model.weights).sum()
        model = type(model)(**vars(model) | {
            "weights": scale * model.weights, "linear": np.array([0.3, 0.1, 0.1]),
            "added": 0.05 * model.added, "noise_var": 0.1,
        })  # fmt: skip
    layout = Layout(Columns.of(model, Inputs(LAGS)), start(known=known), H)
    made = GaussianNodes(method, layout, whole=whole)
    iterate(made.step, H, lambda: None)
    return made.result()


@pytest.mark.parametrize("known", [True, False], ids=["a known past", "an uncertain past"])
@pytest.mark.parametrize("name", MODELS)
def test_it_is_the_forecast_that_keeps_all(name, known):
    made, whole = (nodes(name, whole=one, known=known) for one in (False, True))
    np.testing.assert_allclose(made.mean, whole.mean, rtol=1e-12)
    np.testing.assert_allclose(made.var, whole.var, rtol=1e-11)
    np.testing.assert_allclose(made.latent_var, whole.latent_var, rtol=1e-11)
    np.testing.assert_allclose(made.covariance, whole.covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("known", [True, False], ids=["a known past", "an uncertain past"])
@pytest.mark.parametrize("name", MODELS)
def test_variances_of_sums_are_those_of_the_joint_covariance(name, known):
    made, sums = nodes(name, whole=False, known=known), partial(cumulated, back=7)
    summed = made.summed(sums, np.zeros((2, H)))
    np.testing.assert_allclose(
        summed.var, np.einsum("bhh->bh", sums(sums(made.covariance, 1), 2)), rtol=1e-8
    )


@pytest.mark.parametrize("known", [True, False], ids=["a known past", "an uncertain past"])
@pytest.mark.parametrize("name", MODELS)
def test_that_of_some_steps_alone_is_its_part(name, known):
    found, at = nodes(name, whole=False, known=known).joint, np.array([[0, 1, 70], [417, 419, 3]])
    parts = found.blocks(at)
    assert "matrix" not in vars(found.source)
    of_all = found.matrix[:, at[:, :, None], at[:, None, :]]
    np.testing.assert_allclose(parts, of_all, rtol=1e-9, atol=1e-12)


def test_a_long_forecast_computes_no_joint_covariance_for_its_variances(monkeypatch):
    def refuse(_):
        raise AssertionError("nobody asked for it")

    monkeypatch.setattr(Recursed, "compute", refuse)
    found = propagate(Columns.of(LINE, Inputs(LAGS)), ExactMoments(n_paths=4), start(), H)
    wide = found.scaled(2.0, 1.0).plus_noise(np.ones((2, H, 1)), seed=0).measured(0.1, seed=0)
    levels = wide.summed(partial(cumulated, back=1), np.zeros((2, H)))
    assert not non_gaussian(Columns.of(LINE, Inputs(LAGS)), start(), found)[0].any()
    assert np.isfinite(levels.var).all()
    with pytest.raises(AssertionError, match="nobody"):
        levels.covariance  # noqa: B018
