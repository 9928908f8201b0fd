"""The plug-in path: the mean of the naive method, without anything else being computed."""

import numpy as np
import pytest
from conformance import EVERY_MODEL, embedded_series, fitted
from recursion_cases import NAIVE, linear_posterior, nonlinear_posterior, past_values

from gpforecast.covariances import Polynomial
from gpforecast.models import GaussianProcess
from gpforecast.posteriors.averaged import AveragedPosterior
from gpforecast.propagation import ExactMoments
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate


@pytest.mark.parametrize("model", EVERY_MODEL)
def test_it_is_the_mean_of_the_naive_method_for_every_model(model):
    series, predictive, inputs = embedded_series((1, 2))[0], fitted(model)._frozen(), Inputs((1, 2))
    start = Start(np.stack([series[10:12], series[30:32]]))
    path = propagate(Columns.of(predictive, inputs), PlugIn(), start, 15).mean
    naive = propagate(Columns.of(predictive, inputs), NAIVE, start, 15)
    # Rounding, grown by fifteen steps.
    np.testing.assert_allclose(path, naive.mean, rtol=1e-9, atol=1e-11)


def test_that_of_a_mixture_is_the_mean_of_its_parts_paths():
    parts, weights = (nonlinear_posterior(2), nonlinear_posterior(2, seed=5)), np.array([0.3, 0.7])
    inputs, start = Inputs((1, 2)), Start(past_values((1, 2), 3))
    path = propagate(Columns.of(AveragedPosterior(parts, weights), inputs), PlugIn(), start, 9).mean
    each = [propagate(Columns.of(part, inputs), PlugIn(), start, 9).mean for part in parts]
    np.testing.assert_allclose(path, 0.3 * each[0] + 0.7 * each[1], rtol=1e-13)


def test_a_path_that_runs_away_is_refused_at_the_step_where_it_does():
    line, start = Columns.of(linear_posterior([1e100]), Inputs((1,))), Start(np.ones((1, 1)))
    with pytest.raises(ValueError, match="no longer a finite number at step 4: the one-step model"):
        propagate(line, PlugIn(), start, 9)


@pytest.mark.filterwarnings("error")
def test_cubic_moments_that_run_away_are_said_by_one_error_and_by_no_warning_of_numpy():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (40, 1))
    cubic = GaussianProcess(Polynomial(degree=3), noise_var=1e-4, optimizer=None)
    fitted = cubic.fit(X, 3.0 * X[:, 0] ** 3)
    start = Start(np.full((1, 1), 1.5))
    with pytest.raises(ValueError, match="no longer a finite number at step"):
        propagate(Columns.of(fitted.posterior_, Inputs((1,))), ExactMoments(), start, 30)
