"""The choice of inducing inputs, against the model refitted with every candidate in turn."""

import numpy as np
import pytest
from reduced_rank_cases import NOISE, approximate_covariance, data
from scipy.stats import multivariate_normal

from gpforecast.covariances import Constant, Linear, Matern, SquaredExponential
from gpforecast.models.greedy import (
    GrowingSupport,
    distinct_rows,
    greedy_rows,
    information_gain_rows,
)
from gpforecast.models.inducing import (
    METHODS,
    choose_inducing,
    farthest_rows,
    kmeans_centers,
    random_rows,
)

COVARIANCES = {
    "SE": SquaredExponential(np.array([0.8, 1.7]), 1.4),
    "SE + linear + constant": SquaredExponential(0.9, 1.2) + Linear(0.6) + Constant(2.0),
    "Matern * linear": Matern(0.9, 1.2) * (Linear(0.6) + Constant(2.0)),
}


def log_evidence(covariance, X, y, rows, noise_var=NOISE):
    """log N(y | 0, sigma^2 I + K_NM K_MM^-1 K_MN), eq. (3.23), by explicit matrices."""
    Q = approximate_covariance(covariance, X, X[rows], noise_var)
    return multivariate_normal(np.zeros(len(y)), Q).logpdf(y)


def log_posterior(covariance, X, y, rows, noise_var=NOISE):
    """The negative of eq. (3.35), by explicit matrices."""
    if not len(rows):
        return 0.0
    K = covariance(X, X[rows])
    A = K.T @ K + noise_var * covariance(X[rows])
    return 0.5 * y @ K @ np.linalg.solve(A, K.T @ y)


def entropy(covariance, X, rows, noise_var=NOISE):
    """Of f at all rows given noisy observations at some, without its constant, in nats."""
    K = covariance(X)
    at = np.zeros((len(X), len(rows)))
    at[rows, np.arange(len(rows))] = 1.0
    # The precision of f: K^-1 and 1/sigma^2 for every observation; |K| is the same for all.
    return -0.5 * np.linalg.slogdet(np.eye(len(X)) + K @ at @ at.T / noise_var)[1]


def one_site_divergence(covariance, X, y, rows, i, noise_var=NOISE):
    """KL of two Gaussian posteriors of f at the support and at row i, by explicit matrices.

    The one has of every observation what the support says of f there; in the other, the
    observation of row i is of f at row i.
    """
    both = np.append(rows, i).astype(int)
    m = len(rows)
    P = np.zeros((len(y), m + 1))
    if m:
        P[:, :m] = covariance(X, X[rows]) @ np.linalg.inv(covariance(X[rows]))
    prior = np.linalg.inv(covariance(X[both]))

    def posterior(A):
        precision = prior + A.T @ A / noise_var
        return np.linalg.solve(precision, A.T @ y / noise_var), precision

    mean, precision = posterior(P)
    P[i] = 0.0
    P[i, m] = 1.0
    new_mean, new_precision = posterior(P)
    shift = new_mean - mean
    log_dets = np.linalg.slogdet(new_precision)[1] - np.linalg.slogdet(precision)[1]
    trace = np.trace(np.linalg.solve(new_precision, precision))
    return 0.5 * (log_dets + trace - (m + 1) + shift @ precision @ shift)


OBJECTIVES = {"sgev": log_evidence, "sggp": log_posterior}
CRITERIA = (*OBJECTIVES, "kl")


def brute_gains(criterion, covariance, X, y, chosen, candidates):
    if criterion == "kl":
        return np.array([one_site_divergence(covariance, X, y, chosen, i) for i in candidates])
    objective = OBJECTIVES[criterion]
    now = objective(covariance, X, y, chosen)
    return np.array([objective(covariance, X, y, [*chosen, int(i)]) - now for i in candidates])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("covariance", COVARIANCES.values(), ids=COVARIANCES)
@pytest.mark.parametrize("n_chosen", [0, 7])
def test_gain_is_that_of_the_model_refitted_with_the_candidate(criterion, covariance, n_chosen):
    X, y = data()
    chosen = np.random.default_rng(1).permutation(len(y))[:n_chosen]
    support = GrowingSupport(covariance, NOISE, X, y, 10)
    for row in chosen:
        support.add(row)
    candidates = np.setdiff1d(np.arange(len(y)), chosen)
    expected = brute_gains(criterion, covariance, X, y, list(chosen), candidates)
    # The explicit inverse of K_MM costs the oracle some digits, not us.
    gains = support.gains(criterion, candidates)
    np.testing.assert_allclose(gains, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("covariance", COVARIANCES.values(), ids=COVARIANCES)
def test_each_row_by_information_gain_lowers_the_entropy_most_of_all(covariance):
    X, _ = data(25)
    rows = information_gain_rows(X, 8, covariance=covariance, noise_var=NOISE)
    for j in range(8):
        chosen = list(rows[:j])
        now = entropy(covariance, X, chosen)
        rest = np.setdiff1d(np.arange(25), chosen)
        gains = [now - entropy(covariance, X, [*chosen, int(i)]) for i in rest]
        np.testing.assert_allclose(gains[list(rest).index(rows[j])], max(gains), rtol=1e-12)


def gained(criterion, covariance, noise_var, X, y, rows):
    """What rows add to the objective, one after another."""
    support, total = GrowingSupport(covariance, noise_var, X, y, len(rows)), 0.0
    for row in rows:
        total += support.gains(criterion, np.array([row]))[0]
        support.add(int(row))
    return total


def test_a_support_that_tells_everything_is_not_added_to():
    # Five places, each four times; and a smooth function, whose covariance has little rank.
    X = np.repeat(np.arange(5.0), 4)[:, None]
    y = np.sin(X[:, 0])
    k = SquaredExponential(1.0, 1.0)
    rows = greedy_rows("sggp", X, y, 20, covariance=k, noise_var=0.1)
    assert sorted(X[rows, 0]) == [0.0, 1.0, 2.0, 3.0, 4.0]
    X = np.linspace(0.0, 1.0, 60)[:, None]
    y = np.sin(X[:, 0])
    rows = greedy_rows("sgev", X, y, 60, covariance=k, noise_var=1e-4)
    assert 3 < len(rows) < 20
    full = multivariate_normal(np.zeros(60), k(X) + 1e-4 * np.eye(60)).logpdf(y)
    none = multivariate_normal(np.zeros(60), 1e-4 * np.eye(60)).logpdf(y)
    # What is left out is below 1e-10 of the prior variance a row, 1e-6 of the noise.
    np.testing.assert_allclose(gained("sgev", k, 1e-4, X, y, rows), full - none, rtol=1e-7)


def test_sparse_choice_keeps_its_digits_at_little_noise():
    X, y = data(60)
    k, noise = COVARIANCES["SE"], 1e-8
    rows = greedy_rows("sggp", X, y, 25, covariance=k, noise_var=noise)
    # y'K (K'K + s2 K_MM)^-1 K'y by least squares on an orthonormal basis: s2 is next to nothing.
    Q, _ = np.linalg.qr(k(X, X[rows]))
    expected = 0.5 * np.sum((Q.T @ y) ** 2)
    np.testing.assert_allclose(gained("sggp", k, noise, X, y, rows), expected, rtol=1e-4)


def test_each_of_the_farthest_rows_is_the_one_farthest_from_those_before_it():
    X = np.random.default_rng(2).standard_normal((60, 3)) * [1.0, 5.0, 0.2]
    scales = np.array([1.0, 5.0, 0.2])
    chosen = farthest_rows(X, 12, lengthscales=scales, seed=3)
    for k in range(1, 12):
        apart = [min(np.linalg.norm((x - c) / scales) for c in X[chosen[:k]]) for x in X]
        assert chosen[k] == np.argmax(apart)


def test_random_rows_are_distinct_inputs_and_every_one_can_be_chosen():
    X = np.array([[0.0], [1.0], [0.0], [2.0], [1.0]])
    np.testing.assert_array_equal(distinct_rows(X), [0, 1, 3])
    drawn = {tuple(sorted(random_rows(X, 2, seed=s))) for s in range(40)}
    assert drawn == {(0, 1), (0, 3), (1, 3)}


def test_kmeans_finds_the_clusters_in_units_of_the_lengthscales():
    rng = np.random.default_rng(0)
    places = np.array([[0.0, 0.0], [0.0, 5.0], [5.0, 0.0], [5.0, 5.0]])
    X = np.repeat(places, 20, axis=0) + 0.01 * rng.standard_normal((80, 2))
    centers = kmeans_centers(X, 4, lengthscales=np.ones(2), seed=0)
    order = np.lexsort(centers.round().T[::-1])
    np.testing.assert_allclose(centers[order], places, atol=0.02)
    # An input that does not matter does not part the clusters.
    centers = kmeans_centers(X, 2, lengthscales=np.array([1.0, 1e6]), seed=0)
    np.testing.assert_allclose(np.sort(centers[:, 0]), [0.0, 5.0], atol=0.02)
    np.testing.assert_allclose(centers[:, 1], 2.5, atol=0.02)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_so_many_inputs_and_repeats_itself(method):
    X, y = data(300)
    k = COVARIANCES["SE"]
    first, again = (
        choose_inducing(method, X, y, 12, covariance=k, noise_var=NOISE, seed=7) for _ in range(2)
    )
    assert first.shape == (12, 2)
    assert first.dtype == np.float64
    assert len(np.unique(first, axis=0)) == 12
    np.testing.assert_array_equal(first, again)
    rows = (X[:, None] == first).all(axis=2).any(axis=0)
    assert rows.all() == (method != "kmeans")  # all others choose among the rows
