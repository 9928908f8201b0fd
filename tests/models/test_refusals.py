"""What makes no sense is refused in a sentence that names it, and what was fitted is kept."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sparse_cases import ALL

from gpforecast import models
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.models.inducing import choose_inducing

X = np.random.default_rng(0).standard_normal((60, 2))
Y = np.sin(X[:, 0])
K = SquaredExponential(1.0, 1.0)


@pytest.mark.parametrize(
    ("X", "y", "error", "says"),
    [
        ([[0.0], [np.nan]], [0.0, 1.0], ValueError, "X has 1 missing"),
        ([[0.0], [np.inf]], [0.0, 1.0], ValueError, "X has 1 infinite"),
        ([[0.0], [1.0]], [0.0, np.nan], ValueError, "y has 1 missing"),
        ([[0.0], [1.0]], [0.0], ValueError, "2 rows but y has 1"),
        ([[0.0]], [0.0], ValueError, "at least 2 rows"),
        ([0.0, 1.0], [0.0, 1.0], ValueError, "X must be an array with 2 axes"),
        ([["a"], ["b"]], [0.0, 1.0], TypeError, "X must hold real numbers"),
    ],
)
def test_bad_data_are_named_and_the_old_fit_is_kept(X, y, error, says):
    gp = models.GaussianProcess(K, noise_var=0.1, optimizer=None).fit([[0.0], [1.0]], [0.0, 1.0])
    before = dict(vars(gp))
    with pytest.raises(error, match=says):
        gp.fit(X, y)
    assert vars(gp).keys() == before.keys()
    assert all(value is before[name] for name, value in vars(gp).items())


@pytest.mark.parametrize("cls", [getattr(models, name) for name in models.__all__])
def test_every_checked_parameter_is_refused_by_its_name(cls):
    y = Y > 0 if hasattr(cls, "predict_proba") else Y
    for field in fields(cls) if hasattr(cls, "fit") and hasattr(cls, "condition") else ():
        if "check" in field.metadata:
            with pytest.raises((TypeError, ValueError), match=f"^{field.name} must be"):
                cls(**{field.name: object()}).fit(X, y)


SPARSE, RVM = models.SparseGaussianProcess, models.RelevanceVectorMachine


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (models.GaussianProcess(SquaredExponential([1.0] * 3)), "3 values but the inputs have 2"),
        (models.GaussianProcess(Linear(1.0), noise_var=0.0, optimizer=None), "needs noise_var > 0"),
        (models.ReducedRankGP(support="best"), "support must be one of"),
        (models.ReducedRankGP(support=np.zeros((3, 5))), "each of the 2 inputs"),
        (models.ReducedRankGP(Linear(1.0)), "needs a covariance such as"),
        (SPARSE(inducing="best"), "inducing must be one of"),
        (SPARSE(inducing=[[1.0]]), "a column for each of the 2 inputs"),
        (SPARSE(variable_noise=True), "needs approximation='fitc'"),
        (SPARSE(projection=3), "between 1 and 2 dimensions"),
        (SPARSE(projection=1, approximation="pitc"), "projection needs"),
        (SPARSE(ALL, projection=1), "one covariance with length-scales"),
        (SPARSE(projection=1, optimise_inducing=False), "left as it"),
        (SPARSE(approximation="local", optimise_inducing=True), "no inducing inputs"),
        (SPARSE(approximation="sd", inducing=np.eye(2)), "no inducing inputs"),
        (SPARSE(ALL, approximation="local"), "use 'pic'"),
        (SPARSE(Linear(1.0)), "needs a covariance such as"),
        (SPARSE(K, approximation="pic", blocks=[[0.0, 0.0], [90.0, 90.0]]), "1 of 2 blocks"),
        (RVM(learn_noise=False), "give noise_var too"),
        (RVM(noise_prior=0.1, noise_var=0.1, learn_noise=False), "a noise that is learned"),
        (RVM([1.0, 2.0, 3.0]), "each of the 2 inputs"),
        (RVM(np.nan), "got nan"),
        (RVM(algorithm=models.FullEM(initial_precision=(1.0, 2.0))), "one for each of the 61"),
        (models.NoisyInputGP(method="cleaning"), "input_noise_var must be given"),
        (models.NoisyInputGP(input_noise_var=[0.1] * 3), "one for each of the 2 inputs"),
        (models.NoisyInputGP(input_noise_var=[0.1, -0.1]), "one for each of the 2 inputs"),
        (models.NearestNeighbours(60), "more rows than n_neighbors=60"),
        (models.BayesianAR((1.0,)), "a number for each of the 2 inputs"),
        (models.MinnesotaAR((1, 2, 3)), "a number for each of the 2 inputs"),
        (models.MinnesotaAR(n_own=3), "a number for each of the 2 inputs"),
    ],
)
@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
def test_parameters_that_do_not_fit_the_data_or_each_other_are_refused(model, says):
    with pytest.raises(ValueError, match=says):
        model.fit(X, Y)
    assert not hasattr(model, "posterior_")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: models.FullEM("newton"), "updates"),
        (lambda: models.FullEM(initial_precision=(1.0, 0.0)), "or a tuple of them"),
        (lambda: models.SubspaceEM(n_new=0), "n_new must be a positive integer"),
        (lambda: models.FastMarginalLikelihood(n_candidates=2.5), "n_candidates"),
        (lambda: choose_inducing("best", X, Y, 3), "method must be one of"),
        (lambda: choose_inducing("kmeans", X, Y, 61), "only 60 distinct rows"),
        (lambda: choose_inducing("sgev", X, Y, 3, noise_var=0.1), "'sgev' needs a covariance"),
        (lambda: choose_inducing("kl", X, Y, 3, covariance=K), "and noise_var"),
        (lambda: models.tanh_warp.TanhWarp((-1.0,), (1.0,), (0.0,)), "a must not be negative"),
        (lambda: models.tanh_warp.TanhWarp((1.0,), (0.0,), (0.0,)), "must be positive"),
        (lambda: models.tanh_warp.TanhWarp((1.0,), (), ()), "the same length"),
        (lambda: models.WarpedGP().fit(X, np.full(60, 7.0)), "different values"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


ORDINAL, NULL = models.OrdinalGP(K, optimizer=None), models.NullCategoryGP(K, optimizer=None)


@pytest.mark.parametrize(
    ("model", "y", "says"),
    [
        (ORDINAL, [1] * 6, "two classes or more; got only 1"),
        (ORDINAL, [0, 1, 3, 0, 1, 3], "not whole numbers in equal steps"),
        (ORDINAL, [0, 1, None, 0, 1, 1], "1 missing value, the first at position 2"),
        (ORDINAL, list("abcabc"), "not whole numbers"),
        (ORDINAL, pd.Categorical(list("abcabc")), "without an order"),
        (ORDINAL, pd.Categorical(list("ababab"), list("abc"), ordered=True), "never has the class"),
        (ORDINAL, np.arange(150_000) / 7, "at most 20 classes; got 150000 distinct"),
        (ORDINAL, [0.1, 0.5, 0.9, 0.1, 0.5, 0.9], "whole numbers"),
        (ORDINAL, ["a", 1, "a", 1, "a", 1], "of one kind"),
        (ORDINAL, [1, 0, 1], "6 rows but y has 3"),
        (models.OrdinalGP(thresholds=[1.0, 0.0]), [0, 1, 2] * 2, "thresholds must be 2 increasing"),
        (NULL, [0, 1, 2, None, 0, 1], "two classes; got 3"),
        (NULL, [None] * 6, "two classes or more; got none"),
        (models.NullCategoryGP(rates=(0.0, 2.0)), [0, 1, None] * 2, "rates must be two prob"),
        (models.RelevanceVectorClassifier(), [0, 1, 2] * 2, "two classes; got 3"),
    ],
)
def test_bad_classes_are_refused(model, y, says):
    with pytest.raises((TypeError, ValueError), match=says):
        model.fit(np.arange(12.0).reshape(6, 2), y)
