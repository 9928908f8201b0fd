"""One prediction at a Gaussian input, by every method that has one."""

import numpy as np
import pytest
from propagation_cases import S, U, gp

from gpforecast.propagation import ExactMoments, MonteCarlo, UncertainPrediction, predict_uncertain


@pytest.mark.parametrize("method", ["exact", "taylor", "cubature", "naive", "monte_carlo"])
def test_every_method_has_the_same_fields_and_at_a_known_input_the_models_prediction(method):
    model = gp()
    f = predict_uncertain(model, U, S, method)
    assert isinstance(f, UncertainPrediction)
    assert type(f.mean) is type(f.var) is float
    assert f.cross_cov.shape == (2,)
    assert f.var > 0.0
    if method != "monte_carlo":
        f = predict_uncertain(model, U, np.zeros((2, 2)), method)
        mean, std = model.predict(U[None], return_std=True)
        np.testing.assert_allclose(f.mean, mean[0], rtol=1e-13)
        np.testing.assert_allclose(f.var, std[0] ** 2, rtol=1e-11)
        np.testing.assert_array_equal(f.cross_cov, 0.0)


@pytest.mark.parametrize("kind", ["step", "function"])
def test_draws_have_the_exact_moments(kind):
    model, n = gp(), 40_000
    f = predict_uncertain(model, U, S, MonteCarlo(n, kind, seed=0))
    exact = predict_uncertain(model, U, S)
    assert abs(f.mean - exact.mean) < 5 * np.sqrt(exact.var / n)
    # f is not Gaussian, but near enough for the error of a sample variance.
    assert abs(f.var - exact.var) < 5 * exact.var * np.sqrt(2 / n)
    spread = np.sqrt((exact.var * np.diag(S) + exact.cross_cov**2) / n)
    assert (np.abs(f.cross_cov - exact.cross_cov) < 5 * spread).all()


def test_model_posterior_and_lists_are_all_welcome():
    model = gp()
    f = predict_uncertain(model, U, S, ExactMoments())
    g = predict_uncertain(model.posterior_, U.tolist(), S.tolist())
    assert (f.mean, f.var) == (g.mean, g.var)
    moments = model.posterior_.moments(U[None], S[None])
    assert (f.mean, f.var) == (moments.mean[0], moments.var[0])
    np.testing.assert_allclose(f.cross_cov, S @ moments.gradient[0], rtol=1e-14)
