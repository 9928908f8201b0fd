import numpy as np
import pytest

import gpforecast as gf
from gpforecast.plotting import lag_relevance


def heights(ax):
    return np.array([bar.get_height() for bar in ax.patches])


def labels(ax):
    return [text.get_text() for text in ax.get_xticklabels()]


@pytest.fixture(scope="module")
def linear():
    """A model of y = 2 a - b + 0 c, inputs of spreads 1, 3 and 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 3.0, 1.0]
    y = X @ [2.0, -1.0, 0.0] + 1e-3 * rng.normal(size=200)
    return gf.models.LinearAR().fit(X, y), X


def test_of_a_linear_model_the_shares_are_squared_slopes_by_variances(linear):
    model, X = linear
    want = X.var(axis=0) * np.array([4.0, 1.0, 0.0])
    # The slopes are known to about 1e-3 / sqrt(200).
    np.testing.assert_allclose(heights(lag_relevance(model, X=X)), want / want.sum(), atol=1e-3)


def test_the_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(60, 2))
    model = gf.models.GaussianProcess().fit(X, np.sin(2 * X[:, 0]) + 0.2 * X[:, 1] ** 2)
    h = 1e-4
    raw = []
    for d in range(2):
        step = h * np.eye(2)[d]
        slope = (model.predict(X + step) - model.predict(X - step)) / (2 * h)
        raw.append(X[:, d].var() * np.mean(slope**2))
    got = heights(lag_relevance(model))
    # Noise-free data make large weights of both signs; a difference keeps few of their digits.
    np.testing.assert_allclose(got, np.array(raw) / sum(raw), rtol=1e-4)


def test_lengthscales_give_automatic_relevance_determination():
    X = np.random.default_rng(0).normal(size=(50, 2)) * [1.0, 2.0]
    k = gf.covariances.SquaredExponential(lengthscales=[1.0, 4.0], variance=1.0)
    model = gf.models.GaussianProcess(k, noise_var=0.1, optimizer=None).fit(X, X[:, 0])
    want = X.var(axis=0) / np.array([1.0, 16.0])
    got = heights(lag_relevance(model, measure="lengthscale"))
    np.testing.assert_allclose(got, want / want.sum(), rtol=1e-12)


def test_inputs_beyond_the_lags_are_numbered():
    rng = np.random.default_rng(0)
    u = rng.normal(size=80)
    fc = gf.Forecaster(lags=[1, 4], transforms=None, exog_lags=[0]).fit(
        np.roll(u, 1) + 0.01 * rng.normal(size=80), exog=u
    )
    assert labels(lag_relevance(fc)) == ["1", "4", "input 3"]


def test_what_cannot_be_drawn_is_refused(linear):
    model, X = linear
    with pytest.raises(TypeError, match="call fit first"):
        lag_relevance(gf.Forecaster())
    with pytest.raises(ValueError, match="X must be given"):
        lag_relevance(model)
    with pytest.raises(ValueError, match="3 columns, one for each input"):
        lag_relevance(model, X=X[:, :2])
    with pytest.raises(ValueError, match="measure must be one of"):
        lag_relevance(model, X=X, measure="ard")
