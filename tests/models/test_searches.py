"""What searches for hyperparameters find, whatever the model."""

import numpy as np
import pytest
from scipy.optimize import minimize

from gpforecast.datasets import mackey_glass
from gpforecast.models import GaussianProcess, ReducedRankGP, SparseGaussianProcess

# With as many support or inducing inputs as rows, all three have the same evidence.
MODELS = {
    "full": lambda _: GaussianProcess(),
    "reduced rank": lambda X: ReducedRankGP(support=X),
    "sparse": lambda X: SparseGaussianProcess(inducing=X),
}


@pytest.fixture(scope="module")
def windows():
    series = mackey_glass(2016, normalise=True, noise_var=1e-3, seed=0).to_numpy()
    return np.lib.stride_tricks.sliding_window_view(series, 17)


def best_of_six(problem):
    """Return the greatest log evidence of searches to the last digit from random starts."""
    rng = np.random.default_rng(0)
    starts = problem.start + 0.7 * rng.standard_normal((6, len(problem.start)))
    tight = {"maxiter": 1000, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-6}
    searched = (
        minimize(problem.negative, start, jac=True, bounds=problem.log_bounds, options=tight)
        for start in starts
    )
    return -min(float(run.fun) for run in searched)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", [3, 17, 23, 43])
def test_inputs_that_were_switched_off_too_early_are_switched_on_again(windows, seed, name):
    """Where the logarithm of a great length-scale is flat, 0.3 to 1 nat used to be missing."""
    rows = windows[np.random.default_rng(seed).choice(len(windows), 100, replace=False)]
    X, y = rows[:, :16].copy(), rows[:, 16].copy()
    model = MODELS[name](X).fit(X, y)
    best = best_of_six(GaussianProcess().evidence_of(X, y))
    assert model.log_marginal_likelihood_ > best - 0.02
    assert model.report_.n_evaluations < 130
