"""What every one-step model has from the base they share."""

import inspect
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import gpforecast as gf
from gpforecast import models
from gpforecast.common.parameters import number, parameter
from gpforecast.models import LinearAR
from gpforecast.models.estimator import Estimator
from gpforecast.posteriors.base import Prediction

# Each with a parameter that is not its default, which its repr must show.
CHANGED = (
    models.AveragedGP(n_draws=3),
    models.BayesianAR(largest_sum=0.5),
    models.GaussianProcess(noise_var=0.25),
    models.LinearAR(fit_intercept=False),
    models.MinnesotaAR(n_own=1),
    models.NearestNeighbours(n_neighbors=3),
    models.NoisyInputGP(method="cleaning", input_noise_var=0.1),
    models.NullCategoryGP(rates=(0.5, 0.9)),
    models.OrdinalGP(n_active=30),
    models.ReducedRankGP(n_support=7, seed=1),
    models.RelevanceVectorClassifier(scheme="tap"),
    models.RelevanceVectorMachine(adapt=None, progress=False),
    models.RelevanceVectorMachineStar(prior_var=2.0),
    models.SparseGaussianProcess(n_inducing=5, approximation="fitc"),
    models.WarpedGP(n_tanh=2),
)
every_model = pytest.mark.parametrize("model", CHANGED, ids=lambda m: type(m).__name__)
X = np.linspace(0, 6, 40)[:, None]
y = np.sin(X[:, 0])


@dataclass(eq=False, repr=False)
class Borrowed(Estimator):
    """The least a model can be."""

    slope: float = parameter(1.0, number("a number that is not zero", lambda v: v != 0))

    def _train(self, X, y):
        self.slope_seen_ = self.slope
        self._recondition(X, y)

    def _recondition(self, X, y):
        if len(y) == 13:
            raise MemoryError
        self.posterior_ = LinearAR().fit(X, self.slope * y).posterior_


class Clipping(Estimator):
    """A model whose variances come out negative."""

    class Always:
        n_inputs = 1

        def predict(self, X):
            return Prediction(np.zeros(len(X)), np.zeros(len(X)), n_clipped=2)

    def _train(self, *_):
        self.posterior_ = self.Always()

    _recondition = _train


def test_all_models_are_tested_here():
    public = {getattr(models, name) for name in models.__all__}
    assert {m for m in public if issubclass(m, Estimator)} == {type(m) for m in CHANGED}


@every_model
def test_its_parameters_are_those_of_init_and_nothing_else(model):
    assert list(vars(model)) == list(inspect.signature(type(model)).parameters)


@every_model
def test_its_repr_is_the_call_that_makes_it(model):
    again = eval(repr(model), vars(models))
    assert vars(again) == vars(model)
    assert repr(type(model)()) == f"{type(model).__name__}()"


@every_model
def test_it_refuses_to_predict_before_fit_in_a_sentence(model):
    sentence = f"this {type(model).__name__} is not fitted yet; call fit"
    with pytest.raises(RuntimeError, match=sentence):
        model.predict(X)
    with pytest.raises(RuntimeError, match=sentence):
        model.condition(X, y)


@pytest.mark.parametrize("use", ["fit", "condition"])
def test_what_fails_half_way_leaves_the_model_as_it_was(use):
    model = Borrowed().fit(X, y)
    before = dict(vars(model))
    model.slope = 3.0
    with pytest.raises(MemoryError):
        getattr(model, use)(X[:13], y[:13])
    assert vars(model) == {**before, "slope": 3.0}


def test_a_trained_model_refuses_other_inputs():
    model = Borrowed().fit(X, y)
    for use in (lambda: model.predict(np.ones((3, 2))), lambda: model.condition(X @ [[1, 1]], y)):
        with pytest.raises(ValueError, match="X has 2 columns but the model was fitted to 1"):
            use()


def test_clipped_variances_are_reported_once_and_where_they_were_requested():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Clipping().fit(X, y)
        model.predict(X[:5])
        assert not caught
        model.predict(X[:5], return_std=True)
    assert len(caught) == 1
    assert caught[0].category is gf.NumericalWarning
    assert str(caught[0].message).startswith("2 of 5 variances came out negative")
    assert caught[0].filename == __file__
