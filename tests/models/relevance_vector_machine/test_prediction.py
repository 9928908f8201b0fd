"""What a relevance vector machine predicts: the Gaussian process it stands for."""

import numpy as np
import pytest
from oracles import mp_weights_log_evidence, quadrature_moments, weights_log_evidence
from relevance_vector_cases import ALGORITHMS, brute_force, sinc, surface

from gpforecast.models import RelevanceVectorMachine


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


def test_moments_at_an_uncertain_input_are_those_of_quadrature():
    X, y = surface()
    machine = RelevanceVectorMachine(np.array([1.0, 10.0, 3.0]), adapt=None).fit(X, y)
    u = np.array([[0.3, -5.0, 0.1], [1.0, 12.0, -2.0]])
    S = np.array([[[0.2, 0.5, 0.0], [0.5, 9.0, 0.0], [0.0, 0.0, 0.01]]] * 2)
    exact = machine.posterior_.moments(u, S)
    for i in range(2):
        mean, var, gradient = quadrature_moments(machine.posterior_, u[i], S[i], n_nodes=40)
        np.testing.assert_allclose(exact.mean[i], mean, rtol=1e-9)
        np.testing.assert_allclose(exact.var[i], var, rtol=1e-7)
        np.testing.assert_allclose(exact.gradient[i], gradient, rtol=1e-7, atol=1e-10)


def test_relevance_vectors_are_rows_of_the_inputs():
    X, y, _ = sinc()
    machine = RelevanceVectorMachine().fit(X, y)
    np.testing.assert_array_equal(machine.relevance_vectors_, X[machine.relevant_])
    assert (np.diff(machine.relevant_) > 0).all()
    assert len(machine.alpha_) == len(machine.relevant_) == machine.posterior_.n_basis


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
