"""Where the inducing inputs of a sparse Gaussian process lie."""

import numpy as np
import pytest
from sparse_cases import data, fixed

from gpforecast.models import SparseGaussianProcess


@pytest.mark.parametrize("kind", ["vfe", "fitc"])
def test_moving_the_inducing_inputs_raises_the_evidence_and_lowers_the_error(kind):
    X, y = data(600)
    at, true = data(300, seed=1, noise=0.0)
    errors, evidence = [], []
    for optimise in (False, True):
        model = SparseGaussianProcess(
            approximation=kind, n_inducing=15, inducing="random", optimise_inducing=optimise, seed=0
        ).fit(X, y)
        errors.append(np.mean((model.predict(at) - true) ** 2))
        evidence.append(model.log_marginal_likelihood_)
    assert evidence[1] > evidence[0] + 50.0
    assert errors[1] < 0.75 * errors[0]


@pytest.mark.parametrize("inducing", ["random", "kmeans", "sgev", "sggp", "kl", "information_gain"])
def test_inducing_inputs_differ_from_one_another_and_repeat_with_their_seed(inducing):
    X, y = data(100)
    X = np.concatenate([X, X[:50]])
    y = np.concatenate([y, y[:50]])
    made = [
        fixed("vfe", inducing=inducing, n_inducing=60, seed=1).fit(X, y).inducing_ for _ in "ab"
    ]
    assert len(np.unique(made[0], axis=0)) == len(made[0]) == 60
    np.testing.assert_array_equal(*made)


def test_more_inducing_inputs_than_rows_are_all_rows():
    X, y = data(30)
    assert fixed("vfe", inducing="random", n_inducing=500).fit(X, y).inducing_.shape == (30, 2)
