"""A relevance vector machine and data it was not trained on."""

import numpy as np
import pytest
from oracles import weights_log_evidence
from relevance_vector_cases import brute_force, sinc

import gpforecast as gf
from gpforecast.models import RelevanceVectorMachine


@pytest.mark.parametrize("bias", [True, False])
def test_conditioning_keeps_the_basis_functions_and_learns_the_weights_anew(bias):
    X, y, _ = sinc()
    machine = RelevanceVectorMachine(bias=bias).fit(X, y + bias)
    before = machine.predict(X)
    more, values = X[::2] + 0.05, y[::2] + bias + 0.2
    other = machine.condition(more, values)
    mean, var = brute_force(machine, more, values).predict(X)
    np.testing.assert_allclose(other.predict(X), mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(other.predict(X, return_std=True)[1] ** 2, var, rtol=1e-5)
    np.testing.assert_array_equal(machine.predict(X), before)
    np.testing.assert_array_equal(other.relevance_vectors_, machine.relevance_vectors_)
    assert len(other.relevant_) == 0
    oracle = brute_force(machine, more, values)
    expected = weights_log_evidence(oracle.features(more), oracle.alpha, machine.noise_var_, values)
    np.testing.assert_allclose(other.log_marginal_likelihood_, expected, rtol=1e-9)
    assert other.report_.log_marginal_likelihood == other.log_marginal_likelihood_


def test_a_forecaster_updates_its_machine():
    series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    fc = gf.Forecaster(8, model=RelevanceVectorMachine()).fit(series[:250])
    centers = fc.model_.relevance_vectors_
    fc.update(series[250:])
    np.testing.assert_array_equal(fc.model_.relevance_vectors_, centers)
    assert fc.predict(5).mean.index[0] == series.index[-1] + 1
