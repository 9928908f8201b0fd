"""Relevance vectors of classes: few of them, probabilities, conditioning, refusals."""

import numpy as np
import pytest

from gpforecast import scores
from gpforecast.models import OrdinalGP, RelevanceVectorClassifier


def rows(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 6, (n, 2))
    f = 2 * np.sin(1.3 * X[:, 0]) + np.cos(X[:, 1])
    return X, (f + rng.standard_normal(n) > 0.3).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return RelevanceVectorClassifier().fit(*rows(200, 0))


def test_few_rows_predict_nearly_as_well_as_a_process_of_all(fitted):
    X, y = rows(2000, 99)
    ours = scores.log_score(y, fitted.predict_proba(X))
    process = OrdinalGP().fit(*rows(200, 0))
    shares = np.log(2)  # near those of either class
    assert len(fitted.relevance_vectors_) < 40
    assert ours < scores.log_score(y, process.predict_proba(X)) + 0.08
    assert ours < shares - 0.15
    assert fitted.evidence_trace_.max() < fitted.log_marginal_likelihood_ + 1.0


def test_moments_at_uncertain_inputs_are_those_of_draws(fitted):
    rng = np.random.default_rng(0)
    u, S = np.array([2.0, 3.0]), np.array([[0.3, 0.1], [0.1, 0.4]])
    mean, std = fitted.predict(rng.multivariate_normal(u, S, 100_000), return_std=True)
    found = fitted.posterior_.moments(u[None], S[None])
    np.testing.assert_allclose(found.mean, mean.mean(), atol=5 * mean.std() / 300)
    np.testing.assert_allclose(found.var, mean.var() + (std**2).mean(), rtol=0.03)


def test_classes_that_can_be_told_apart_stay_finite():
    X = np.linspace(-3, 3, 60)[:, None]
    model = RelevanceVectorClassifier().fit(X, X[:, 0] > 0)
    assert np.isfinite(model.predict(X)).all()
    assert model.predict_class([[-2.0], [2.0]]) == [False, True]
