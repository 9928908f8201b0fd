"""Where the inducing inputs of a sparse Gaussian process lie."""

import numpy as np
import pytest
from sparse_cases import data, fixed

from gpforecast.covariances import SquaredExponential
from gpforecast.models import GaussianProcess, SparseGaussianProcess
from gpforecast.models.events.assumed_density import informative_rows
from gpforecast.models.events.likelihoods import Tilted


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


class GaussianNoise:
    """The likelihood N(y | f, noise_var) of numbers, for the filter of classes."""

    def __init__(self, targets, noise_var):
        self.targets, self.noise_var = targets, noise_var

    def tilted(self, rows, mean, var):
        s2, off = var + self.noise_var, self.targets[rows] - mean
        log_z = -0.5 * np.log(2.0 * np.pi * s2) - 0.5 * off**2 / s2
        return Tilted(log_z, off / s2, -1.0 / s2)


def entropy_falls(K, noise_var, chosen):
    """-1/2 log(1 - nu zeta) of every row, with explicit inverses; Lawrence (2011), eq. (2)."""
    zeta = K.diagonal().copy()
    if chosen:
        k = K[:, chosen]
        zeta -= np.einsum(
            "nm,mk,nk->n",
            k,
            np.linalg.inv(K[np.ix_(chosen, chosen)] + noise_var * np.eye(len(chosen))),
            k,
        )
    falls = -0.5 * np.log(1.0 - zeta / (zeta + noise_var))
    falls[chosen] = -np.inf
    return falls


def test_a_subset_by_information_gain_is_the_informative_vector_machine():
    X, y = data(80)
    k, noise_var = SquaredExponential(np.array([0.8, 1.7]), 1.4), 0.1
    options = {"noise_var": noise_var, "optimizer": None}
    model = SparseGaussianProcess(
        k, approximation="sd", inducing="information_gain", n_inducing=12, **options
    ).fit(X, y)
    rows: list[int] = []
    for _ in range(12):
        rows.append(int(np.argmax(entropy_falls(k(X), noise_var, rows))))
    # The selection that classes have, with a Gaussian likelihood of rows 0, 1, 2, ...
    likelihood = GaussianNoise(y, noise_var)
    by_filter = informative_rows(k, likelihood, X, np.arange(80), 12)
    assert by_filter.rows.tolist() == rows
    np.testing.assert_array_equal(model.inducing_, X[np.sort(rows)])
    gp = GaussianProcess(k, **options).fit(X[np.sort(rows)], y[np.sort(rows)])
    np.testing.assert_array_equal(model.predict(X), gp.predict(X))
    # The sum of log p(y_j | rows before j) is the evidence of the rows taken.
    np.testing.assert_allclose(by_filter.log_evidence, model.log_marginal_likelihood_, rtol=1e-10)


@pytest.mark.parametrize("inducing", ["sgev", "sggp", "kl", "information_gain"])
def test_a_subset_is_selected_as_it_says_and_again_for_other_data(inducing):
    X, y = data(300)
    model = SparseGaussianProcess(approximation="sd", n_inducing=40, inducing=inducing, seed=0).fit(
        X, y
    )
    at, true = data(300, seed=1, noise=0.0)
    plain = SparseGaussianProcess(approximation="sd", n_inducing=40, seed=0).fit(X, y)
    assert not np.array_equal(model.inducing_, plain.inducing_)
    assert np.mean((model.predict(at) - true) ** 2) < 0.2 * true.var()
    other = model.condition(X[150:], y[150:])
    assert len(other.inducing_) == 40
    assert {tuple(row) for row in other.inducing_} <= {tuple(row) for row in X[150:]}


def test_a_subset_by_information_gain_predicts_better_than_a_random_one():
    ratios = []
    for seed in range(5):
        X, y = data(600, seed=seed)
        at, true = data(400, seed=seed + 10, noise=0.0)
        errors = [
            np.mean(
                (
                    SparseGaussianProcess(
                        approximation="sd", n_inducing=40, inducing=way, seed=seed
                    )
                    .fit(X, y)
                    .predict(at)
                    - true
                )
                ** 2
            )
            for way in ("information_gain", "random")
        ]
        ratios.append(errors[0] / errors[1])
    assert np.median(ratios) < 0.8
