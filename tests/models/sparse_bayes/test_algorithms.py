"""The training algorithms: what they promise of the evidence, cycle by cycle."""

from dataclasses import replace

import numpy as np
import pytest
from oracles import weights_log_evidence
from scipy.optimize import minimize, minimize_scalar
from scipy.stats import multivariate_normal
from sparse_bayes_cases import falls, log_evidence, run, started, wave, with_function

from gpforecast.models import FastMarginalLikelihood, FullEM, SubspaceEM
from gpforecast.models.sparse_bayes.algorithms import best_first, presented
from gpforecast.models.sparse_bayes.machine import Machine, SingleChanges, entry_gain
from gpforecast.models.sparse_bayes.training import em_update

# --- updates --------------------------------------------------------------------------------------


@pytest.mark.parametrize("learn_noise", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_evidence_never_falls_under_em(bias, learn_noise):
    rows = wave(bias=bias)
    _, _, trace = run(rows, FullEM("em"), max_iter=300, tol=1e-9, learn_noise=learn_noise)
    assert len(trace) == 300
    assert falls(trace) == 0.0
    assert trace[-1] > trace[0] + 10.0


def test_one_precision_for_all_weights_has_the_greatest_evidence_of_a_ridge_regression():
    rows = wave(bias=False)
    model, converged, _ = run(rows, FullEM("shared"), max_iter=5000, tol=1e-13)
    assert converged
    assert np.ptp(model.alpha) == 0.0
    assert len(model) == rows.n  # nothing is pruned
    Phi = rows.functions(np.arange(rows.n), model.lengthscales)
    K, size = Phi @ Phi.T, rows.n

    def against(logs):
        cov = np.exp(logs[0]) * K + np.exp(logs[1]) * np.eye(size)
        return -multivariate_normal.logpdf(rows.y, np.zeros(size), cov)

    best = minimize(against, [0.0, -3.0], method="Nelder-Mead", options={"xatol": 1e-7})
    found = [-np.log(model.alpha[0]), np.log(model.noise_var)]
    np.testing.assert_allclose(-against(found), -best.fun, atol=1e-6)
    np.testing.assert_allclose(found, best.x, atol=1e-3)  # the evidence is flat there


@pytest.mark.parametrize("n_active", [None, 25])
def test_evidence_never_falls_under_subspace_em(n_active):
    algorithm = SubspaceEM(updates="em", n_new=7, n_cycles=3, n_active=n_active)
    _, _, trace = run(wave(), algorithm, max_iter=100, tol=1e-9)
    assert falls(trace) == 0.0
    assert trace[-1] > trace[0] + 10.0


def test_em_update_is_the_maximum_of_the_expected_log_joint():
    rows = wave()
    active = np.array([1, 5, 9, rows.n])
    model = Machine(rows, active, np.array([1.0, 2.0, 0.5, 3.0]), 0.1, np.ones(2))
    weights = model.quick_weights()
    Phi, Sigma = model.Phi, weights.covariance
    alpha, noise_var = em_update(weights)
    second = np.diag(Sigma) + weights.mean**2
    for j in range(4):  # (2.28) in each alpha
        best = minimize_scalar(lambda a, j=j: -(np.log(a) - a * second[j]), bounds=(1e-6, 1e3))
        np.testing.assert_allclose(alpha[j], best.x, rtol=1e-4)
    spread = np.trace(Phi.T @ Phi @ Sigma) + np.sum((rows.y - Phi @ weights.mean) ** 2)
    np.testing.assert_allclose(noise_var, spread / rows.n, rtol=1e-10)  # (2.30)


# --- entering the model ---------------------------------------------------------------------------


def test_the_gain_of_entering_is_the_rise_of_the_evidence_at_its_maximum():
    rows = wave()
    model = Machine(rows, np.array([3, 40, rows.n]), np.array([1.0, 0.5, 2.0]), 0.1, np.ones(2))
    at = rows.functions(model.active, np.ones(2))
    C = np.linalg.inv(0.1 * np.eye(rows.n) + (at / model.alpha) @ at.T)
    gained = 0
    for j in (0, 10, 20, 30, 50, 60, 70):
        phi = rows.functions(np.array([j]), np.ones(2))[:, 0]
        s, q = phi @ C @ phi, phi @ C @ rows.y

        def rise(log_alpha, j=j):
            return log_evidence(with_function(model, j, np.exp(log_alpha))) - log_evidence(model)

        best = minimize_scalar(lambda a: -rise(a), bounds=(-10.0, 20.0), method="bounded")
        gain = entry_gain(np.array([s]), np.array([q]))[0]
        np.testing.assert_allclose(gain, -best.fun, atol=1e-6)
        if q**2 > s:
            gained += 1
            np.testing.assert_allclose(s**2 / (q**2 - s), np.exp(best.x), rtol=1e-3)
    assert 0 < gained < 7  # both kinds were seen


def test_a_batch_enters_one_by_one_each_raising_the_evidence():
    rows = wave()
    model = started(rows)
    Phi = rows.functions(np.arange(60), model.lengthscales)
    at = rows.functions(model.active, model.lengthscales)
    C = np.linalg.inv(model.noise_var * np.eye(rows.n) + (at / model.alpha) @ at.T)
    chosen, alpha = best_first(Phi.T @ C @ Phi, Phi.T @ C @ rows.y)
    assert 3 < len(chosen) < 60
    assert len(set(chosen.tolist())) == len(chosen)
    sizes = range(len(chosen) + 1)
    values = [log_evidence(with_function(model, chosen[:k], alpha[:k])) for k in sizes]
    assert np.diff(values).min() > 0.0


# --- one change at a time -------------------------------------------------------------------------


def single_changes(model):
    """Of a machine, with all basis functions as candidates."""
    changes = SingleChanges(model, np.arange(model.basis.size))
    changes.enter(model)
    return changes


def test_what_is_kept_of_the_candidates_stays_true_through_many_changes():
    rows = wave()
    changes = single_changes(started(rows))
    kinds = set()
    for _ in range(40):
        before = changes.machine
        value = log_evidence(before)
        if not changes.change():
            break
        kinds.add(len(changes.machine.active) - len(before.active))
        assert log_evidence(changes.machine) > value - 1e-9
    assert kinds == {-1, 0, 1}  # additions, deletions and re-estimations were all seen
    fresh = single_changes(changes.machine)
    # The rounding of forty rank-one updates.
    np.testing.assert_allclose(changes.mu, fresh.mu, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(changes.Sigma, fresh.Sigma, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(changes.S, fresh.S, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(changes.Q, fresh.Q, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("bias", [True, False])
def test_em_starts_at_the_precisions_that_are_given_for_each_basis_function(bias):
    rows = wave(n=30, bias=bias)
    start = started(rows)
    units = tuple(10.0 ** np.random.default_rng(1).uniform(-2.0, 2.0, rows.size))
    trace = run(rows, FullEM(initial_precision=units), max_iter=1)[2]
    Phi = rows.functions(np.arange(rows.size), start.lengthscales)
    expected = weights_log_evidence(Phi, np.array(units) / rows.power, start.noise_var, rows.y)
    np.testing.assert_allclose(trace[0], expected, rtol=1e-9)
    with pytest.raises(ValueError, match=f"one for each of the {rows.size} basis functions"):
        run(rows, FullEM(initial_precision=units[1:]))


# --- all of them ----------------------------------------------------------------------------------


def test_the_best_of_all_changes_is_made():
    rows = wave(n=25)
    changes = single_changes(started(rows))
    for _ in range(6):
        changes.change()
    model = changes.machine
    base = log_evidence(model)

    def best_of(j):
        def value(log_alpha):
            return log_evidence(with_function(model, j, np.exp(log_alpha))) - base

        grid = np.linspace(-8.0, 20.0, 57)
        start = grid[int(np.argmax([value(a) for a in grid]))]
        found = minimize_scalar(
            lambda a: -value(a), bounds=(start - 1.0, start + 1.0), method="bounded"
        )
        return -found.fun

    best = max(best_of(j) for j in range(rows.size))
    changes.change()
    np.testing.assert_allclose(log_evidence(changes.machine) - base, best, rtol=1e-3, atol=1e-6)


def test_few_candidates_at_a_time_reach_what_all_of_them_do():
    rows = wave(n=200)
    full = run(rows, FastMarginalLikelihood(), max_iter=200)
    few = run(rows, FastMarginalLikelihood(n_candidates=40), max_iter=200)
    assert full[1]
    assert few[1]
    assert abs(full[2][-1] - few[2][-1]) < 0.05 * abs(full[2][-1])


def test_presenting_basis_functions_never_lowers_the_evidence():
    rows = wave()
    model = started(rows)
    for batch in np.array_split(np.arange(rows.n), 6):
        before = log_evidence(model)
        model = presented(model, batch)
        assert log_evidence(model) >= before
    np.testing.assert_allclose(model.gram, model.Phi.T @ model.Phi, rtol=1e-12)
    assert len(model) > 3


def test_the_gain_of_another_precision_is_the_rise_of_the_evidence():
    rows = wave()
    model = Machine(rows, np.array([3, 40, rows.n]), np.array([1.0, 0.5, 2.0]), 0.1, np.ones(2))
    changes = single_changes(model)
    best, gain = changes._inside()
    free = np.flatnonzero(np.isfinite(best))
    assert len(free)
    for j in free:
        moved = replace(model, alpha=np.where(np.arange(3) == j, best, model.alpha))
        np.testing.assert_allclose(gain[j], log_evidence(moved) - log_evidence(model), rtol=1e-6)
