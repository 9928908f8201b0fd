"""What a relevance vector machine says of its training."""

import numpy as np
from relevance_vector_cases import sinc

import gpforecast as gf
from gpforecast.models import RelevanceVectorMachine, SubspaceEM


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
    assert any(
        "training stopped before" in n for n in gf.Forecaster(4, model=model).fit(series).notes_
    )


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


def test_noise_at_its_lower_bound_is_reported():
    X, y, truth = sinc()
    assert "noise_var" in RelevanceVectorMachine().fit(X, truth).report_.at_bounds
    assert "noise_var" not in RelevanceVectorMachine().fit(X, y).report_.at_bounds


def test_noise_below_what_double_precision_resolves_is_raised_and_remarked_on():
    X, y, _ = sinc()
    machine = RelevanceVectorMachine(noise_var=1e-30, learn_noise=False).fit(X, y)
    assert machine.noise_var_ > 1e-12 * np.mean(y**2)
    assert "noise_var=1.0e-30 is below what double precision" in machine.report_.remarks[0]
    kept = RelevanceVectorMachine(noise_var=0.01, learn_noise=False).fit(X, y)
    assert kept.report_.remarks == ()
