"""A model that draws random numbers draws the same ones in every fit, unless it is told not to."""

from inspect import signature

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.models import GaussianProcess, ReducedRankGP, SparseGaussianProcess

CLASSES = [getattr(gf.models, name) for name in gf.models.__all__]
SEEDED = [cls for cls in CLASSES if "seed" in signature(cls).parameters]


def test_every_models_seed_is_0_by_default():
    assert {GaussianProcess, ReducedRankGP, SparseGaussianProcess} <= set(SEEDED)
    assert {cls: signature(cls).parameters["seed"].default for cls in SEEDED} == dict.fromkeys(
        SEEDED, 0
    )


@pytest.mark.parametrize(
    "model",
    [
        GaussianProcess(n_restarts=2),
        ReducedRankGP(n_support=8),
        SparseGaussianProcess(n_inducing=8, inducing="random"),
    ],
    ids=repr,
)
def test_two_fits_without_a_seed_agree(model):
    X = np.linspace(0.0, 6.0, 60)[:, None]
    y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).standard_normal(60)
    first = model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), first)
