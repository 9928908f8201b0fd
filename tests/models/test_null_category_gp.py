"""Two classes with few labels: the boundary avoids rows."""

import numpy as np
import pytest

from gpforecast.covariances import SquaredExponential
from gpforecast.models import NullCategoryGP, OrdinalGP
from gpforecast.models.ordinal_gp import rows_to_search
from gpforecast.storage import decode, encode


def crescents(n, seed):
    """Two interlocking half circles, and whose each point is."""
    rng = np.random.default_rng(seed)
    side, angle = rng.integers(0, 2, n), rng.uniform(0, np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[side == 1] = np.array([1.0, 0.5]) - X[side == 1]
    return X + 0.1 * rng.standard_normal((n, 2)), side


def few_labels(n, seed, share=0.1):
    X, side = crescents(n, seed)
    known = np.random.default_rng(seed + 1).random(n) < share
    return X, np.where(known, side.astype(float), np.nan)


FIXED = {"covariance": SquaredExponential(0.6, 15.0), "optimizer": None}


def test_unlabelled_rows_lower_the_errors_on_crescents():
    errors = np.zeros(2)
    for seed in range(3):
        X, y = few_labels(400, seed)  # as published: 400 points, each labelled with probability .1
        known = np.isfinite(y)
        X_test, side = crescents(1000, 100 + seed)
        for k, model in enumerate(
            (OrdinalGP(**FIXED).fit(X[known], y[known]), NullCategoryGP(**FIXED).fit(X, y))
        ):
            errors[k] += (model.predict_proba(X_test).argmax(axis=1) != side).mean()
    assert errors[1] < errors[0]


def test_hyperparameters_are_learned():
    X, y = few_labels(120, 3, share=0.2)
    model = NullCategoryGP(n_rounds=4).fit(X, y)
    start = NullCategoryGP(n_rounds=1).fit(X, y)
    assert model.log_marginal_likelihood_ > start.log_marginal_likelihood_
    again = decode(*encode(model, "model"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    few = NullCategoryGP(model.covariance_, optimizer=None, n_active=40).fit(X, y)
    assert len(few.active_) == 40


@pytest.mark.parametrize("n", [2, 10, 60, 100])
def test_the_part_has_labels_of_both_classes_however_rare_one_is(n):
    y = np.full(100, -1.0)
    y[:8], y[50] = 0.0, 1.0
    rows = rows_to_search(y, n)
    assert len(rows) == len(set(rows)) == n
    assert set(y[rows]) >= {0.0, 1.0}


def test_text_with_missing_labels_is_taken():
    X, y = few_labels(60, 0, share=0.3)
    names = np.where(np.isnan(y), None, np.where(y == 1.0, "in", "out"))
    model = NullCategoryGP(**FIXED).fit(X, names)
    assert model.classes_ == ("in", "out")
    expected = NullCategoryGP(**FIXED).fit(X, np.where(y == 1.0, 0.0, np.where(y == 0.0, 1.0, y)))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    part = model.condition(X[:40], names[:40])
    np.testing.assert_allclose(part.predict(X[:5]), part.predict(X)[:5])
