"""Relevance vector machines as a user meets them."""

import tracemalloc

import numpy as np
import pytest
from oracles import (
    BruteForceRVM,
    mp_weights_log_evidence,
    quadrature_moments,
    weights_log_evidence,
)

import gpforecast as gf
from gpforecast.models import FastMarginalLikelihood, FullEM, RelevanceVectorMachine, SubspaceEM

ALGORITHMS = ["subspace", "mackay", "em", "fast"]


def sinc(n=100, noise=0.1, seed=0):
    X = np.linspace(-10.0, 10.0, n)[:, None]
    y = np.sinc(X[:, 0] / np.pi)
    return X, y + noise * np.random.default_rng(seed).standard_normal(n), y


def surface(n=120, noise=0.05, seed=0):
    """Two inputs that matter, each on its own scale, and one that does not."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3.0, 3.0, (n, 3)) * [1.0, 10.0, 1.0]
    y = np.sin(2.0 * X[:, 0]) + np.cos(0.1 * X[:, 1])
    return X, y + noise * rng.standard_normal(n)


def brute_force(machine, X, y):
    alpha = machine.alpha_
    if machine.alpha_bias_ is not None:
        alpha = np.append(alpha, machine.alpha_bias_)
    return BruteForceRVM(
        X, y, machine.relevance_vectors_, machine.lengthscales_, alpha, machine.noise_var_
    )


# --- the result -----------------------------------------------------------------------------------


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
    assert len(machine.alpha_) == len(machine.relevant_) == machine.posterior_.n_bumps


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_noisy_sinc_is_learned_from_few_bumps(algorithm):
    X, y, truth = sinc(200)
    machine = RelevanceVectorMachine(algorithm=algorithm).fit(X, y)
    assert len(machine.relevant_) < 30
    assert np.sqrt(np.mean((machine.predict(X) - truth) ** 2)) < 0.05
    np.testing.assert_allclose(machine.noise_var_, 0.01, rtol=0.35)  # 3 standard errors


# --- what is learned ------------------------------------------------------------------------------


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


# --- the record -----------------------------------------------------------------------------------


def test_the_trace_and_the_report_tell_how_it_went():
    X, y, _ = sinc()
    machine = RelevanceVectorMachine(adapt=None, algorithm="mackay").fit(X, y)
    trace, sizes = machine.evidence_trace_, machine.n_relevant_trace_
    assert trace.shape == sizes.shape == (machine.report_.n_iterations,)
    np.testing.assert_allclose(trace[-1], machine.log_marginal_likelihood_, atol=0.2)
    assert sizes[-1] == len(machine.relevant_) + (machine.alpha_bias_ is not None)
    assert machine.report_.converged
    assert machine.report_.log_marginal_likelihood == machine.log_marginal_likelihood_
    cut = RelevanceVectorMachine(adapt=None, algorithm="mackay", max_iter=3).fit(X, y)
    assert not cut.report_.converged
    assert "max_iter" in cut.report_.message
    assert len(cut.evidence_trace_) == 4  # three cycles, and the tidying up


def test_a_forecast_says_that_training_stopped_early():
    series = gf.datasets.mackey_glass(200, noise_var=1e-4, seed=0)
    model = RelevanceVectorMachine(adapt=None, algorithm="mackay", max_iter=3)
    assert any("did not converge" in n for n in gf.Forecaster(4, model=model).fit(series).notes_)


def test_a_machine_that_uses_up_its_rows_says_so():
    X = np.arange(20.0)[:, None]
    y = np.random.default_rng(0).standard_normal(20)
    machine = RelevanceVectorMachine(0.01, adapt=None, algorithm="mackay").fit(X, y)
    assert "n_relevant" in machine.report_.at_bounds
    assert "n_relevant" not in RelevanceVectorMachine().fit(*sinc()[:2]).report_.at_bounds


def test_few_rows_for_many_inputs_are_remarked_on():
    series = gf.datasets.mackey_glass(60, noise_var=1e-4, seed=0)
    fc = gf.Forecaster(16, model=RelevanceVectorMachine()).fit(series)
    assert any("44 rows are few for 16 inputs" in note for note in fc.predict(3).notes)
    assert not gf.Forecaster(4, model=RelevanceVectorMachine()).fit(series).notes_


def test_a_machine_that_serves_many_more_rows_than_it_was_trained_on_says_so():
    series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    fc = gf.Forecaster(4, model=RelevanceVectorMachine()).fit(series[:100])
    assert not fc.update(series[100:110]).notes_
    assert any("chosen from 96 rows and now serve 296" in n for n in fc.update(series[110:]).notes_)


def test_an_offset_of_the_targets_is_the_biass_alone():
    X, y, _ = sinc()
    machine = RelevanceVectorMachine().fit(X, y + 101_325.0)
    plain = RelevanceVectorMachine().fit(X, y)
    assert 0 < len(machine.relevant_) < 30
    np.testing.assert_allclose(machine.predict(X) - 101_325.0, plain.predict(X), atol=0.05)


def test_a_failed_fit_leaves_all_as_it_was(monkeypatch):
    X, y, _ = sinc(40)
    machine = RelevanceVectorMachine().fit(X, y)
    before = dict(vars(machine))

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("gpforecast.models.relevance_vector_machine.conditioned", fail)
    with pytest.raises(MemoryError):
        machine.fit(X[:30], y[:30])
    assert vars(machine) == before


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


def test_progress_is_shown_when_asked_for(capsys):
    X, y, _ = sinc()
    RelevanceVectorMachine(progress=True).fit(X, y)
    assert "training" in capsys.readouterr().err
    RelevanceVectorMachine().fit(X, y)
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


def test_repr_is_the_call_that_makes_it():
    assert repr(RelevanceVectorMachine()) == "RelevanceVectorMachine()"
    machine = RelevanceVectorMachine(2.0, adapt=None, algorithm=SubspaceEM(n_active=500))
    assert repr(machine) == (
        "RelevanceVectorMachine(lengthscales=2.0, adapt=None, "
        "algorithm=SubspaceEM(n_new=None, n_cycles=None, n_active=500, updates='mackay', seed=0))"
    )


# --- more data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
def test_conditioning_keeps_the_bumps_and_learns_the_weights_anew(bias):
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


def test_a_forecaster_updates_its_machine():
    series = gf.datasets.mackey_glass(300, noise_var=1e-4, seed=0)
    fc = gf.Forecaster(8, model=RelevanceVectorMachine()).fit(series[:250])
    centers = fc.model_.relevance_vectors_
    fc.update(series[250:])
    np.testing.assert_array_equal(fc.model_.relevance_vectors_, centers)
    assert fc.predict(5).mean.index[0] == series.index[-1] + 1


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


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"adapt": "both"}, ValueError, "adapt must be 'ard', 'isotropic' or None"),
        ({"algorithm": "magic"}, ValueError, "algorithm must be one of 'subspace'"),
        ({"algorithm": 3}, TypeError, "algorithm must be one of .* or an instance such as"),
        ({"algorithm": FullEM}, TypeError, "an instance"),
        ({"noise_var": 0.0}, ValueError, "noise_var must be a positive number or None; got 0.0"),
        ({"noise_var": "big"}, ValueError, "noise_var"),
        ({"learn_noise": False}, ValueError, "give noise_var too"),
        (
            {"lengthscales": -1.0},
            ValueError,
            "lengthscales must be None, a positive number, or one",
        ),
        ({"lengthscales": [1.0, 2.0]}, ValueError, "each of the 1 inputs"),
        ({"lengthscales": np.nan}, ValueError, "got nan"),
        ({"lengthscales": "wide"}, ValueError, "got 'wide'"),
        ({"max_iter": 0}, ValueError, "max_iter must be a positive integer; got 0"),
        ({"n_passes": -2}, ValueError, "n_passes"),
        ({"width_steps": -1}, ValueError, "width_steps must be 0 or a positive integer"),
        ({"bias": "no"}, TypeError, "bias must be True or False"),
        ({"tol": 0.0}, ValueError, "tol must be a positive number"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_and_nothing_is_lost(parameters, error, message):
    X, y, _ = sinc(40)
    machine = RelevanceVectorMachine().fit(X, y)
    posterior = machine.posterior_
    for name, value in parameters.items():
        setattr(machine, name, value)
    with pytest.raises(error, match=message):
        machine.fit(X, y)
    assert machine.posterior_ is posterior


def test_data_that_make_no_sense_are_refused():
    X, y, _ = sinc(40)
    machine = RelevanceVectorMachine()
    with pytest.raises(ValueError, match="X has 40 rows but y has 39"):
        machine.fit(X, y[1:])
    with pytest.raises(ValueError, match="y"):
        machine.fit(X, np.where(y > 0.5, np.nan, y))
    with pytest.raises(RuntimeError, match="not fitted yet"):
        machine.predict(X)
    with pytest.raises(RuntimeError, match="not fitted yet"):
        machine.condition(X, y)
    machine.fit(X, y)
    with pytest.raises(ValueError, match="2 columns"):
        machine.predict(np.ones((3, 2)))
    with pytest.raises(ValueError, match="2 columns"):
        machine.condition(np.ones((3, 2)), np.ones(3))


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
