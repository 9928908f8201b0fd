"""Evidence and gradient of every approximation, against N x N matrices and finite differences."""

from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest
from covariance_conformance import COVARIANCES as CASES
from oracles import central
from sparse_oracle import ExplicitSparseGP

from gpforecast.covariances import Constant, Linear, Matern, SquaredExponential
from gpforecast.covariances.combinations import Parts
from gpforecast.models.evidence import FAILED, Evidence
from gpforecast.models.sparse.approximations import (
    APPROXIMATIONS,
    Parameters,
    RowParts,
    in_blocks,
)
from gpforecast.models.sparse.likelihood import factorise
from gpforecast.models.sparse.training import (
    SparseObjective,
    free_hyperparameters,
    free_inducing,
    free_uncertainty,
)

ELL = np.array([1.0, 1.5, 2.0])
COVARIANCES = {
    "ard": SquaredExponential(ELL, 1.3),
    "one length-scale": SquaredExponential(1.2, 1.3),
    "with linear terms": SquaredExponential(ELL, 1.3) + Linear([0.2, 0.3, 0.4]) + Constant(0.5),
}
OPEN = {
    name: case.covariance
    for name, case in CASES.items()
    if Parts.of(case.covariance, 3).kernel is not None
}
KINDS = [name for name in APPROXIMATIONS if name != "sd"]
PAIRS = [(kind, k, {}) for kind in KINDS for k in COVARIANCES.values()] + [
    # A covariance of all linear functions has rank 4.
    (kind, k, {"M": 4} if "polynomial" in name else {})
    for kind, (name, k) in zip(cycle(["vfe", "pic"]), OPEN.items())
]
PROJECTED = [
    (kind, k, {"projected": True})
    for kind in ("dtc", "vfe", "fitc")
    for k in (SquaredExponential(1.0, 1.3), Matern(1.0, 1.3))
]
LABELS = np.random.default_rng(5).integers(0, 3, 40)


def data(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 1.0
    return X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n)


def problem(kind, covariance, *, uncertainty=False, projected=False, noise_var=0.1, M=7):
    """An objective on 40 rows with all that can be free, in two parts or three blocks."""
    X, y = data()
    approximation = APPROXIMATIONS[kind]
    Z = X[:M] + 0.1 if approximation.induced else np.zeros((0, 3))
    origin = Parameters(covariance, noise_var, Z).origin(X)
    if approximation.residual == "blocks":
        rows = in_blocks(X, y, origin, LABELS)
    else:
        rows = RowParts(X - origin, y, origin, (slice(0, 15), slice(15, 40)))
    Z = Z - origin
    P = np.random.default_rng(1).standard_normal((2, 3)) if projected else None
    if P is not None:
        Z = Z @ P.T
    h = np.linspace(0.1, 1.0, len(Z)) if uncertainty else None
    first = Parameters(covariance, noise_var, Z, P, h)
    free = free_hyperparameters(first, Evidence.started(X, y, None, None))
    if approximation.induced:
        free.append(free_inducing(first))
    if h is not None:
        free.append(free_uncertainty(h))
    return SparseObjective(rows, approximation, first, free)


def log_evidence(made, p=None):
    return factorise(p or made.first, made.rows, made.approximation).log_evidence


def assert_explicit(kind, made):
    """The evidence is that of the full matrix."""
    X, y = data()
    p = made.first
    expected = ExplicitSparseGP(
        kind, X, y, p.inducing + p.at(made.rows.origin), p.covariance, p.noise_var, LABELS,
        P=p.projection, h=0.0 if p.uncertainty is None else p.uncertainty,
    )  # fmt: skip
    # The full matrix itself loses digits in proportion to its condition: 1e-16 of 1e5 and more.
    rtol = 1e-16 * max(1e5, np.linalg.cond(expected.training_covariance()))
    assert rtol < 1e-9
    np.testing.assert_allclose(log_evidence(made), expected.log_evidence(), rtol=rtol)


def assert_gradient(made):
    differences = central(lambda theta: made.negative(theta)[0], made.start)
    gradient = made.negative(made.start)[1]
    # Central differences: h^2 of truncation, and 1e-15/h of rounding of an evidence of some 50.
    scale = np.abs(differences).max()
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-7 * scale)


@pytest.mark.parametrize(("kind", "covariance", "options"), [*PAIRS, *PROJECTED])
def test_evidence_is_that_of_the_full_matrix_with_its_slopes(kind, covariance, options):
    made = problem(kind, covariance, **options)
    assert_explicit(kind, made)
    assert_gradient(made)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_uncertain_inducing_variables_have_the_evidence_its_slopes_and_the_penalty(covariance):
    made = problem("fitc", COVARIANCES[covariance], uncertainty=True)
    assert_explicit("fitc", made)
    assert_gradient(made)
    moved = made.start + 0.3
    penalty = made.negative(moved)[0] + log_evidence(made, made.unpack(moved))
    held = len(COVARIANCES[covariance].log_parameters)
    off = np.append(np.full(held, 0.3 / 0.5), (moved[-7:] - np.log(0.1)) / 2.0)
    np.testing.assert_allclose(penalty, 0.5 * off @ off, rtol=1e-9)


def test_coinciding_inducing_inputs_need_no_jitter_and_crowds_record_theirs():
    made = problem("vfe", COVARIANCES["ard"])
    twice = replace(made.first, inducing=np.repeat(made.first.inducing, 2, axis=0))
    factors = factorise(twice, made.rows, made.approximation)
    assert factors.jitter == 0.0
    np.testing.assert_allclose(factors.log_evidence, log_evidence(made), rtol=1e-6)


def test_a_matrix_that_cannot_be_factored_is_no_more_than_a_bad_value(monkeypatch):
    made = problem("vfe", COVARIANCES["ard"])
    monkeypatch.setattr(Parameters, "jitters", (-3.0,))
    value, slopes = made.negative(made.start)
    assert value == FAILED
    assert not slopes.any()
