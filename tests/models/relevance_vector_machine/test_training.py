"""What a relevance vector machine learns: widths, noise, which rows matter."""

import tracemalloc

import numpy as np
import pytest
from oracles import weights_log_evidence
from relevance_vector_cases import ALGORITHMS, sinc, surface

import gpforecast as gf
from gpforecast.models import FastMarginalLikelihood, FullEM, RelevanceVectorMachine


@pytest.mark.parametrize("width_steps", [0, 2])
@pytest.mark.parametrize("algorithm", ["subspace", "mackay", "fast"])
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


def test_without_adapting_widths_stay():
    X, y, _ = sinc()
    for width in (1.3, [1.3]):
        machine = RelevanceVectorMachine(width, adapt=None).fit(X, y)
        np.testing.assert_array_equal(machine.lengthscales_, [1.3])


def test_adapting_raises_the_evidence():
    X, y = surface()
    fixed = RelevanceVectorMachine(adapt=None).fit(X, y)
    shared = RelevanceVectorMachine(adapt="isotropic").fit(X, y)
    each = RelevanceVectorMachine(adapt="ard").fit(X, y)
    found = [m.log_marginal_likelihood_ for m in (fixed, shared, each)]
    assert found[0] + 10.0 < found[1]
    assert found[1] + 10.0 < found[2]


def test_any_guess_of_the_width_leads_to_the_same_error():
    """Thesis, figure 2.6, over more than a decade of starting widths."""
    z = gf.datasets.mackey_glass(1500, normalise=True).to_numpy()
    t = np.arange(96, len(z))
    X = np.stack([z[t - 6 * k] for k in range(1, 17)], axis=1)
    rows = np.random.default_rng(0).permutation(len(t))
    train, test = rows[:200], rows[200:]
    for adapt in ("isotropic", "ard"):
        errors = []
        for width in (0.7, 3.0, 20.0):
            machine = RelevanceVectorMachine(width, adapt=adapt, n_passes=4)
            mean = machine.fit(X[train], z[t[train]]).predict(X[test])
            errors.append(np.mean((mean - z[t[test]]) ** 2))
        assert max(errors) < 2.0 * min(errors)
        assert max(errors) < 2e-3


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_noise_is_fixed_or_learned(algorithm):
    X, y, _ = sinc()
    fixed = RelevanceVectorMachine(
        2.0, adapt=None, noise_var=0.04, learn_noise=False, algorithm=algorithm
    ).fit(X, y)
    assert fixed.noise_var_ == 0.04
    learned = RelevanceVectorMachine(2.0, adapt=None, noise_var=0.04, algorithm=algorithm).fit(X, y)
    assert abs(learned.noise_var_ - 0.01) < 0.004
    assert learned.log_marginal_likelihood_ > fixed.log_marginal_likelihood_


@pytest.mark.parametrize("algorithm", ["subspace", "mackay", "fast"])
def test_scaling_the_problem_scales_the_answer(algorithm):
    X, y, _ = sinc()
    one = RelevanceVectorMachine(algorithm=algorithm).fit(X, y)
    other = RelevanceVectorMachine(algorithm=algorithm).fit(1024.0 * X, 0.125 * y)
    at = np.linspace(-9.0, 9.0, 7)[:, None]
    (m1, s1), (m2, s2) = (
        one.predict(at, return_std=True),
        other.predict(1024.0 * at, return_std=True),
    )
    # Searches magnify rounding.
    np.testing.assert_allclose(m2, 0.125 * m1, atol=5e-4)
    np.testing.assert_allclose(s2, 0.125 * s1, rtol=3e-2)


def test_an_offset_of_the_targets_is_the_biass_alone():
    X, y, _ = sinc()
    machine = RelevanceVectorMachine().fit(X, y + 101_325.0)
    plain = RelevanceVectorMachine().fit(X, y)
    assert 0 < len(machine.relevant_) < 30
    np.testing.assert_allclose(machine.predict(X) - 101_325.0, plain.predict(X), atol=0.05)


def test_memory_grows_with_rows_times_relevance_vectors():
    n = 3000
    rng = np.random.default_rng(0)
    X = rng.uniform(-3.0, 3.0, (n, 2))
    y = np.sin(X[:, 0]) * np.cos(X[:, 1]) + 0.1 * rng.standard_normal(n)
    tracemalloc.start()
    try:
        machine = RelevanceVectorMachine(1.0, adapt=None).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    widest = machine.n_relevant_trace_.max() + 59
    assert peak < 8 * 8 * n * widest
    assert peak < 0.6 * 8 * n * n  # one n x n matrix would be more


@pytest.mark.parametrize("adapt", [None, "isotropic", "ard"])
@pytest.mark.parametrize("algorithm", ["subspace", "mackay", "em", FastMarginalLikelihood()])
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
