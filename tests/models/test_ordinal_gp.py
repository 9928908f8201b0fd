"""The Gaussian process of ordered classes: probabilities, labels, conditioning, selected rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gpforecast as gf
from gpforecast.covariances import Matern, SquaredExponential
from gpforecast.models import OrdinalGP

FIXED = {"covariance": SquaredExponential(1.5, 4.0), "optimizer": None}


def rows(n=80, seed=0, thresholds=(-1.0, 0.5)):
    """Inputs and classes cut out of a smooth function with noise of variance 1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 6, (n, 2))
    f = 2.0 * np.sin(1.3 * X[:, 0]) + np.cos(X[:, 1])
    return X, np.searchsorted(thresholds, f + rng.standard_normal(n))


def log_score(model, X, y):
    return float(np.log(model.predict_proba(X)[np.arange(len(y)), y]).mean())


@pytest.fixture(scope="module")
def fitted():
    return OrdinalGP(**FIXED).fit(*rows())


def test_probabilities_at_known_inputs_are_integrals_over_f(fitted):
    at = rows(5, seed=1)[0]
    mean, std = fitted.predict(at, return_std=True)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    edges = np.concatenate([[-np.inf], fitted.thresholds_, [np.inf]])
    f = mean[:, None] + std[:, None] * nodes
    cdf = stats.norm.cdf(edges - f[..., None])
    expected = np.einsum("k,nkc->nc", weights / weights.sum(), np.diff(cdf, axis=-1))
    np.testing.assert_allclose(fitted.predict_proba(at), expected, atol=1e-12)


@pytest.mark.parametrize("spread", [0.2, 0.6])
def test_probabilities_at_uncertain_inputs_are_nearly_those_of_draws(fitted, spread):
    """f at an uncertain input is not Gaussian; of one with its exact moments little is missing."""
    rng = np.random.default_rng(0)
    u, S = np.array([2.0, 3.0]), spread**2 * np.array([[1.0, 0.4], [0.4, 1.0]])
    x = rng.multivariate_normal(u, S, 40_000)
    drawn = fitted.predict_proba(x).mean(axis=0)
    found = fitted.predict_proba(u[None], S[None])[0]
    plugged = fitted.predict_proba(u[None])[0]
    assert np.abs(found - drawn).max() < 0.015
    assert np.abs(found - drawn).max() < 0.5 * np.abs(plugged - drawn).max()


def test_thresholds_and_signal_are_learned():
    X, y = rows(300, seed=3)
    model = OrdinalGP().fit(X, y)
    assert model.report_.converged
    np.testing.assert_allclose(np.diff(model.thresholds_), 1.5, atol=0.4)  # f may be shifted
    truth = OrdinalGP(**FIXED, thresholds=[-1.0, 0.5]).fit(X, y)
    assert model.log_marginal_likelihood_ > truth.log_marginal_likelihood_
    test = rows(1000, seed=4)
    shares = np.bincount(y) / len(y)
    assert log_score(model, *test) > np.log(shares[test[1]]).mean() + 0.2
    assert model.noise_var_ == model.posterior_.noise_var == 1.0


def test_conditioning_is_a_fit_with_the_hyperparameters_kept():
    X, y = rows(90)
    model = OrdinalGP().fit(X[:80], y[:80])
    kept = OrdinalGP(model.covariance_, thresholds=model.thresholds_, optimizer=None)
    for part in (slice(5, 90), slice(0, 30)):  # rows that go on, and a start
        found, expected = model.condition(X[part], y[part]), kept.fit(X[part], y[part])
        np.testing.assert_allclose(found.predict(X), expected.predict(X), atol=1e-5)
        np.testing.assert_allclose(
            found.log_marginal_likelihood_, expected.log_marginal_likelihood_, atol=1e-6
        )
    assert model.condition(X[:3], [0, 0, 0]).classes_ == (0, 1, 2)  # need not all occur


def test_labels_of_every_kind_give_the_same_model():
    X, y = rows()
    names = np.array(["calm", "warning", "alarm"])
    ordered = pd.Categorical(names[y], categories=names, ordered=True)
    expected = OrdinalGP(**FIXED).fit(X, y)
    for labels in (y + 5, 2.0 * y, ordered, pd.Series(ordered, index=range(7, 87))):
        np.testing.assert_array_equal(
            OrdinalGP(**FIXED).fit(X, labels).predict(X), expected.predict(X)
        )
    model = OrdinalGP(**FIXED).fit(X, ordered)
    assert model.classes_ == ("calm", "warning", "alarm")
    assert model.predict_class(X[:1])[0] == names[model.predict_proba(X[:1])[0].argmax()]
    flags = OrdinalGP(**FIXED).fit(X, y > 0)
    assert flags.classes_ == (False, True)


def test_a_forecaster_of_numbers_refuses_it():
    """Standardised, a series of two values would pass for two classes, and f for its forecast."""
    with pytest.raises(TypeError, match="model must predict numbers; got OrdinalGP"):
        gf.Forecaster(lags=2, transforms=None, model=OrdinalGP()).fit([0.0, 1.0, 1.0, 0.0] * 10)


def test_probabilities_need_a_fit_and_matching_inputs(fitted):
    with pytest.raises(RuntimeError, match="not fitted yet"):
        OrdinalGP().predict_proba([[0.0]])
    with pytest.raises(ValueError, match="S has 1 covariances but X has 2 rows"):
        fitted.predict_proba(np.zeros((2, 2)), np.eye(2)[None])
    with pytest.raises(ValueError, match="a variance, 0 or more"):
        fitted.probabilities([0.0], [-1.0])
    rough = OrdinalGP(Matern(1.5, 2.0), optimizer=None).fit(*rows())
    with pytest.raises(TypeError, match="no closed form"):
        rough.predict_proba(np.zeros((1, 2)), np.eye(2)[None])
