"""Relevance vector machines: what they predict, learn, keep and report."""

import numpy as np
import pytest
from oracles import mp_weights_log_evidence, weights_log_evidence
from relevance_vector_cases import ALGORITHMS, brute_force, sinc, surface

from gpforecast.models import FastMarginalLikelihood, FullEM, RelevanceVectorMachine


@pytest.mark.parametrize("bias", [True, False])
def test_prediction_is_that_of_the_gp_with_the_machines_covariance(bias):
    X, y, _ = sinc()
    y = y + 3.0 * bias
    machine = RelevanceVectorMachine(bias=bias).fit(X, y)
    assert (machine.alpha_bias_ is not None) == bias
    oracle = brute_force(machine, X, y)
    at = np.linspace(-12.0, 12.0, 9)[:, None]
    # Thesis eq. (2.43): k(x, x') = sum_k phi_k(x) phi_k(x') / alpha_k, by N x N algebra.
    Phi, star = oracle.features(X), oracle.features(at)
    K, k = (Phi / oracle.alpha) @ Phi.T, (star / oracle.alpha) @ Phi.T
    inverse = np.linalg.inv(K + machine.noise_var_ * np.eye(len(y)))
    mean, std = machine.predict(at, return_std=True)
    np.testing.assert_allclose(mean, k @ inverse @ y, rtol=1e-6, atol=1e-9)
    var = (star**2 / oracle.alpha).sum(axis=1) - np.einsum("nm,mk,nk->n", k, inverse, k)
    np.testing.assert_allclose(std**2, var, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(
        machine.log_marginal_likelihood_,
        weights_log_evidence(Phi, oracle.alpha, machine.noise_var_, y),
        rtol=1e-9,
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_noisy_sinc_is_learned_from_few_basis_functions(algorithm):
    X, y, truth = sinc(200)
    machine = RelevanceVectorMachine(algorithm=algorithm).fit(X, y)
    assert len(machine.relevant_) < 30
    assert np.sqrt(np.mean((machine.predict(X) - truth) ** 2)) < 0.05
    np.testing.assert_allclose(machine.noise_var_, 0.01, rtol=0.35)  # 3 standard errors


def test_evidence_of_noise_free_data_is_that_of_many_digits():
    """Cholesky of I + A^-1/2 Phi'Phi A^-1/2 / s2 passes here with hundreds of nats lost."""
    t = np.arange(150.0)
    s = np.sin(t / 5.0) + 0.5 * np.sin(t / 3.1)
    X = np.stack([s[7 - i : -1 - i] for i in range(8)], axis=1)
    for algorithm in ("subspace", "mackay"):
        machine = RelevanceVectorMachine(algorithm=algorithm, n_passes=4).fit(X, s[8:])
        oracle = brute_force(machine, X, s[8:])
        expected = mp_weights_log_evidence(
            oracle.features(X), oracle.alpha, machine.noise_var_, s[8:]
        )
        np.testing.assert_allclose(machine.log_marginal_likelihood_, expected, atol=0.1)


@pytest.mark.parametrize(
    ("algorithm", "width_steps"), [("subspace", 0), ("mackay", 2), ("fast", 0)]
)
def test_an_input_that_does_not_matter_gets_a_long_width(algorithm, width_steps):
    X, y = surface()
    machine = RelevanceVectorMachine(algorithm=algorithm, width_steps=width_steps).fit(X, y)
    relative = machine.lengthscales_ / X.std(axis=0)
    assert relative[2] > 3.0 * relative[0]
    assert np.mean((machine.predict(X) - y) ** 2) < 0.05**2 * 1.3


def test_isotropic_widths_keep_their_ratios():
    X, y = surface()
    machine = RelevanceVectorMachine([1.0, 7.0, 2.0], adapt="isotropic", width_steps=2).fit(X, y)
    ratios = machine.lengthscales_ / machine.lengthscales_[0]
    np.testing.assert_allclose(ratios, [1.0, 7.0, 2.0], rtol=1e-12)


@pytest.mark.parametrize(
    ("algorithm", "adapt"),
    [("subspace", "ard"), ("mackay", "isotropic"), ("em", None), (FastMarginalLikelihood(), "ard")],
)
def test_awkward_data_give_finite_answers(algorithm, adapt):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    awkward = {
        "all zero": (X, np.zeros(30)),
        "constant": (X, np.full(30, 5.0)),
        "two rows": (X[:2], np.array([1.0, 2.0])),
        "duplicates": (np.repeat(X[:5], 6, axis=0), rng.standard_normal(30)),
        "inputs that do not vary": (np.ones((30, 2)), rng.standard_normal(30)),
        "huge": (1e6 * X, 1e8 * X[:, 0]),
        "tiny": (1e-8 * X, 1e-9 * np.sin(X[:, 0])),
        "one outlier": (X, np.append(np.zeros(29), 1e6)),
        "no noise": (X, np.sin(X[:, 0])),
    }
    for name, (inputs, targets) in awkward.items():
        machine = RelevanceVectorMachine(adapt=adapt, algorithm=algorithm, n_passes=2, max_iter=30)
        mean, std = machine.fit(inputs, targets).predict(inputs, return_std=True)
        assert np.isfinite(mean).all(), name
        assert np.isfinite(std).all(), name
        assert np.isfinite(machine.log_marginal_likelihood_), name


def test_a_prior_on_the_noise_keeps_it_from_becoming_tiny_and_is_at_its_maximum():
    X, y, _ = sinc(20, seed=0)
    rng = np.random.default_rng([0, 1])
    precisions, noise_var = 10.0 ** rng.uniform(-3.0, 3.0, 20), 10.0 ** rng.uniform(-8.0, 0.0)
    start = FullEM(initial_precision=tuple(np.mean(y**2) * precisions))
    options = {"adapt": None, "bias": False, "noise_var": noise_var, "tol": 1e-6, "max_iter": 9000}
    flat = RelevanceVectorMachine(1.0, algorithm=start, **options).fit(X, y)
    held = RelevanceVectorMachine(1.0, algorithm=start, noise_prior=0.01, **options).fit(X, y)
    assert flat.noise_var_ < 1e-5
    assert held.noise_var_ > 1e-4
    assert held.report_.at_bounds == () or "noise_var" not in held.report_.at_bounds
    Phi = np.exp(-0.5 * (X - held.relevance_vectors_.T) ** 2)

    def log_posterior(log_noise):
        s2 = np.exp(log_noise)
        prior = -0.5 * (log_noise + 0.01 * np.mean(y**2) / s2)
        return weights_log_evidence(Phi, held.alpha_, s2, y) + prior

    at, h = np.log(held.noise_var_), 1e-3
    slope = (log_posterior(at + h) - log_posterior(at - h)) / (2 * h)
    assert abs(slope) < 0.02  # nats; that of the evidence alone is -0.5 and more
    alone = weights_log_evidence(Phi, held.alpha_, held.noise_var_, y)
    np.testing.assert_allclose(held.log_marginal_likelihood_, alone, rtol=1e-8)
    np.testing.assert_allclose(
        held.evidence_trace_.max(), log_posterior(at) - 0.5 * np.log(2 * np.pi), atol=0.01
    )


def test_the_trace_and_the_report_describe_the_training():
    X, y, _ = sinc()
    machine = RelevanceVectorMachine(adapt=None, algorithm="mackay").fit(X, y)
    trace, sizes = machine.evidence_trace_, machine.n_relevant_trace_
    assert trace.shape == sizes.shape == (machine.report_.n_iterations,)
    np.testing.assert_allclose(trace[-1], machine.log_marginal_likelihood_, atol=0.2)
    assert sizes[-1] == len(machine.relevant_) + (machine.alpha_bias_ is not None)
    assert machine.report_.converged
    other = machine.condition(X[::2], y[::2])
    assert len(other.relevant_) == 0  # rows that its basis functions are not at
    for one in (machine, other):
        assert one.report_.log_marginal_likelihood == one.log_marginal_likelihood_
    cut = RelevanceVectorMachine(adapt=None, algorithm="mackay", max_iter=3).fit(X, y)
    assert not cut.report_.converged
    assert "max_iter" in cut.report_.message
    assert len(cut.evidence_trace_) == 4  # three cycles, and the tidying up
