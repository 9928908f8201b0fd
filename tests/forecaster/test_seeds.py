"""One seed for all that is drawn at random, whatever the model and the propagation method."""

import numpy as np
import pytest
from conformance import MODELS, MODELS_WITHOUT_POSTERIOR

import gpforecast as gf
from gpforecast.models import (
    AveragedGP,
    GaussianProcess,
    NoisyInputGP,
    ReducedRankGP,
    RelevanceVectorMachine,
    SparseGaussianProcess,
    SubspaceEM,
)

Y = gf.datasets.mackey_glass(40, noise_var=1e-2, seed=0)
METHODS = ("auto", "exact", "taylor", "cubature", "mixture", "naive", "monte_carlo")
EVERY = MODELS | MODELS_WITHOUT_POSTERIOR
DRAWING = {
    "averaged gp": AveragedGP(n_draws=4, n_warmup=4),
    "averaged gp that starts anew": AveragedGP(
        GaussianProcess(n_restarts=1), n_draws=4, n_warmup=4
    ),
    "noisy-input gp": NoisyInputGP(n_iter=3, n_chains=2, n_draws=2, n_warmup=4),
    "reduced-rank gp": ReducedRankGP(n_support=8, optimizer=None),
    "sparse": SparseGaussianProcess(n_inducing=8, inducing="random", optimise_inducing=False),
    "sparse, subset": SparseGaussianProcess(approximation="sd", n_inducing=20),
    "sparse, blocks": SparseGaussianProcess(approximation="pitc", n_inducing=8, n_blocks=3),
    "rvm": RelevanceVectorMachine(algorithm=SubspaceEM(n_new=5), n_passes=1),
}


def forecast(model, seed, propagation="taylor", **options):
    fc = gf.Forecaster(4, model=model, transforms=None, noise="process", seed=seed, **options)
    return fc.fit(Y).predict(4, propagation=propagation)


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
@pytest.mark.parametrize("name", EVERY)
def test_two_fits_with_the_same_seed_are_equal_for_every_method(name):
    one, other = (
        gf.Forecaster(4, model=EVERY[name](), transforms=None, noise="process", seed=7).fit(Y)
        for _ in range(2)
    )
    n_answered = 0
    for method in METHODS:
        try:
            f = one.predict(2, propagation=method)
        except TypeError:  # the method needs more than the model has
            continue
        g = other.predict(2, propagation=method)
        np.testing.assert_array_equal(f.mean, g.mean)
        np.testing.assert_array_equal(f.covariance, g.covariance)
        n_answered += 1
    assert n_answered >= 4


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
@pytest.mark.parametrize("name", DRAWING)
def test_the_seed_reaches_what_a_model_draws(name):
    assert not np.array_equal(
        forecast(DRAWING[name], 1).covariance, forecast(DRAWING[name], 2).covariance
    )


def test_a_seed_of_the_models_own_stays():
    model = ReducedRankGP(n_support=8, optimizer=None, seed=5)
    np.testing.assert_array_equal(forecast(model, 1).mean, forecast(model, 2).mean)
    assert gf.Forecaster(4, model=model, seed=1).fit(Y).model_.seed == 5
    assert model.seed == 5


def test_the_seed_reaches_the_model_that_is_selected():
    walk = np.cumsum(np.random.default_rng(0).standard_normal(1100))
    fc = gf.Forecaster([1, 2], transforms=None, noise="process", combine=None, seed=3).fit(walk)
    assert isinstance(fc.model_, SparseGaussianProcess)
    assert fc.model_.seed == 3
