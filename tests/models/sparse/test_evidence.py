"""Evidence and gradient of every approximation, against N x N matrices and finite differences."""

import tracemalloc

import numpy as np
import pytest
from sparse_oracle import ExplicitSparseGP

from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.models.evidence import FAILED
from gpforecast.models.sparse.approximations import APPROXIMATIONS
from gpforecast.models.sparse.evidence import factor_inducing
from gpforecast.models.sparse.problem import SparseProblem, State
from gpforecast.models.sparse.streaming import Rows, in_blocks, in_parts

ELL = np.array([1.0, 1.5, 2.0])
COVARIANCES = {
    "ard": SquaredExponential(ELL, 1.3),
    "one length-scale": SquaredExponential(1.2, 1.3),
    "with linear terms": SquaredExponential(ELL, 1.3) + Linear([0.2, 0.3, 0.4]) + Constant(0.5),
}
KINDS = [name for name in APPROXIMATIONS if name != "sd"]
LABELS = np.random.default_rng(5).integers(0, 3, 40)


def data(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 1.0
    return X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)


def problem(kind, covariance, *, uncertainty=False, projected=False, noise_var=0.1, M=7):
    """A problem on 40 rows with all that can be free, in two parts or three blocks."""
    X, y = data()
    approximation = APPROXIMATIONS[kind]
    Z = X[:M] + 0.1 if approximation.induced else np.zeros((0, 3))
    if approximation.residual == "blocks":
        rows = in_blocks(X, y, [np.flatnonzero(b == LABELS) for b in range(3)])
    else:
        rows = in_parts(X, y, M)
        rows = Rows(rows.X, rows.y, rows.middle, (slice(0, 15), slice(15, 40)))
    Z = Z - rows.middle
    P = np.random.default_rng(1).standard_normal((2, 3)) if projected else None
    if P is not None:
        Z = Z @ P.T
    h = np.linspace(0.1, 1.0, len(Z)) if uncertainty else None
    state = State(covariance, noise_var, Z, P, h)
    return SparseProblem(
        rows, approximation, state, X.std(axis=0), 1.0, True, approximation.induced
    )


def explicit(kind, problem):
    X, y = data()
    s = problem.first
    variance, ell, slopes, level = None, None, None, 0.0
    for term in s.covariance.terms:
        if isinstance(term, SquaredExponential):
            variance, ell = term.variance, np.broadcast_to(term.lengthscales, X.shape[1])
        elif isinstance(term, Linear):
            slopes = term.variances
        else:
            level = term.variance
    middle = problem.rows.middle
    shift = middle if s.projection is None else s.projection @ middle
    return ExplicitSparseGP(
        kind, X, y, s.inducing + shift, variance,
        ell if s.projection is None else np.ones(2), s.noise_var, slopes, level, LABELS,
        P=s.projection, h=0.0 if s.uncertainty is None else s.uncertainty,
    )  # fmt: skip


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("kind", KINDS)
def test_evidence_is_that_of_the_full_matrix(kind, covariance):
    made = problem(kind, COVARIANCES[covariance])
    expected = explicit(kind, made).log_evidence()
    np.testing.assert_allclose(made.factors(made.first).log_evidence, expected, rtol=1e-11)


@pytest.mark.parametrize("kind", ["dtc", "vfe", "fitc"])
def test_evidence_in_a_projected_space_is_that_of_the_full_matrix(kind):
    made = problem(kind, SquaredExponential(1.0, 1.3), projected=True)
    expected = explicit(kind, made).log_evidence()
    np.testing.assert_allclose(made.factors(made.first).log_evidence, expected, rtol=1e-11)


def test_evidence_with_uncertain_inducing_variables_is_that_of_the_full_matrix():
    made = problem("fitc", COVARIANCES["ard"], uncertainty=True)
    expected = explicit("fitc", made).log_evidence()
    np.testing.assert_allclose(made.factors(made.first).log_evidence, expected, rtol=1e-11)


def assert_gradient(made):
    theta, h = made.start, 1e-5
    steps = h * np.eye(len(theta))
    ends = [(made.negative(theta + e)[0], made.negative(theta - e)[0]) for e in steps]
    differences = np.array([(a - b) / (2.0 * h) for a, b in ends])
    gradient = made.negative(theta)[1]
    # Central differences: h^2 of truncation, and 1e-15/h of rounding of an evidence of some 50.
    scale = np.abs(differences).max()
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-7 * scale)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("kind", KINDS)
def test_gradient_in_everything_matches_finite_differences(kind, covariance):
    assert_gradient(problem(kind, COVARIANCES[covariance]))


@pytest.mark.parametrize("kind", ["dtc", "vfe", "fitc"])
def test_gradient_in_a_projection_matches_finite_differences(kind):
    assert_gradient(problem(kind, SquaredExponential(1.0, 1.3), projected=True))


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_gradient_in_the_uncertainties_and_of_the_penalty_matches_finite_differences(covariance):
    made = problem("fitc", COVARIANCES[covariance], uncertainty=True)
    assert_gradient(made)
    penalty, slope = made._penalty(made.start + 0.3)
    assert penalty > 0.0
    assert (slope != 0.0).any()


@pytest.mark.parametrize("kind", ["vfe", "fitc", "pitc"])
def test_gradient_at_little_noise_matches_finite_differences(kind):
    assert_gradient(problem(kind, COVARIANCES["ard"], noise_var=1e-3))


@pytest.mark.parametrize("kind", ["vfe", "fitc", "pitc"])
def test_rows_that_are_not_kept_give_the_same(kind, monkeypatch):
    made = problem(kind, COVARIANCES["ard"])
    value, slopes = made.negative(made.start)
    monkeypatch.setattr("gpforecast.models.sparse.streaming._KEPT_ELEMENTS", 0)
    again, slopes_again = made.negative(made.start)
    assert again == value
    np.testing.assert_array_equal(slopes_again, slopes)


def test_vfe_is_a_lower_bound_that_more_inducing_inputs_raise():
    X, y = data()
    full = ExplicitSparseGP("vfe", X, y, X, 1.3, ELL, 0.1).log_evidence()
    values = []
    for M in (3, 7, 20, 40):
        made = problem("vfe", COVARIANCES["ard"], M=M)
        values.append(made.factors(made.first).log_evidence)
    assert values == sorted(values)
    assert values[-1] < full


@pytest.mark.parametrize("kind", ["dtc", "vfe", "fitc", "pitc"])
def test_all_rows_as_inducing_inputs_give_the_full_evidence(kind):
    X, y = data()
    made = problem(kind, COVARIANCES["ard"])
    first = State(COVARIANCES["ard"], 0.1, X - made.rows.middle)
    C = 1.3 * np.exp(-0.5 * (((X[:, None] - X) / ELL) ** 2).sum(axis=2)) + 0.1 * np.eye(40)
    expected = -0.5 * (y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + 40 * np.log(2 * np.pi))
    # The inducing variables' nugget of 1e-8 moves each of 40 rows by at most 1e-8 / 0.1.
    np.testing.assert_allclose(made.factors(first).log_evidence, expected, atol=1e-5)


def test_coinciding_inducing_inputs_need_no_jitter_and_crowds_record_theirs():
    made = problem("vfe", COVARIANCES["ard"])
    p = made.first.parameters(3)
    at_z = p.space.inducing(np.repeat(p.inducing, 2, axis=0))
    twice = State(COVARIANCES["ard"], 0.1, np.repeat(made.first.inducing, 2, axis=0))
    assert factor_inducing(twice.parameters(3), at_z)[2] == 0.0
    one = made.factors(made.first).log_evidence
    np.testing.assert_allclose(made.factors(twice).log_evidence, one, rtol=1e-6)


def test_a_matrix_that_cannot_be_factored_is_no_more_than_a_bad_value(monkeypatch):
    made = problem("vfe", COVARIANCES["ard"])
    monkeypatch.setattr("gpforecast.models.sparse.evidence._LADDER", (-3.0,))
    value, slopes = made.negative(made.start)
    assert value == FAILED
    assert not slopes.any()


def test_memory_is_that_of_the_parts():
    rng = np.random.default_rng(0)
    n, d, M = 6000, 40, 30
    X = rng.standard_normal((n, d))
    rows = in_parts(X, X[:, 0], M)
    state = State(SquaredExponential(np.full(d, 6.0), 1.0), 0.1, rows.X[:M].copy())
    made = SparseProblem(rows, APPROXIMATIONS["fitc"], state, np.ones(d), 1.0, True, True)
    theta = made.start
    tracemalloc.start()
    try:
        made.negative(theta)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6 * n * (M + d) * 8  # n x M x d would be 57 MB
