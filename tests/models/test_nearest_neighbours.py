"""Local linear prediction against a plain loop, and on the benchmark it is known for."""

import numpy as np
import pytest

from gpforecast.models import NearestNeighbours

SCALES = np.array([1.0, 20.0, 0.1])


def data(n=80, d=3, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, d))
    y = np.sin(X[:, 0]) + 0.3 * X.sum(axis=1) + noise * rng.standard_normal(n)
    return X * SCALES[:d], y


def by_hand(X, y, x, k, ridge, scale, without=None):
    """Mean, |h|^2 and slopes of one local plane, in the primal form: d x d."""
    A = X / scale
    away = ((A - x / scale) ** 2).sum(axis=1)
    if without is not None:
        away[without] = np.inf
    near = np.argsort(away)[:k]
    Z = A[near] - A[near].mean(axis=0)
    lam = ridge * (Z**2).sum() / k
    B = np.linalg.pinv(Z.T @ Z + lam * np.eye(len(x))) @ Z.T  # (d, k); one row has no slope
    off = x / scale - A[near].mean(axis=0)
    reach = 2.0 * np.linalg.norm(Z, axis=1).max()
    turn = np.eye(len(x))
    if np.linalg.norm(off) > reach:  # counts as the nearest point of a ball; its Jacobian
        way = off / np.linalg.norm(off)
        turn = reach / np.linalg.norm(off) * (turn - np.outer(way, way))
        off = reach * way
    b = B @ (y[near] - y[near].mean())
    h = 1.0 / k + off @ B
    return y[near].mean() + b @ off, h @ h, turn @ b / scale


@pytest.mark.parametrize("ridge", [1e-3, 0.5])
@pytest.mark.parametrize("k", [1, 2, 5, 20])
def test_prediction_is_that_of_a_plain_loop(k, ridge):
    X, y = data()
    model = NearestNeighbours(k, ridge=ridge).fit(X, y)
    scale = X.std(axis=0)
    at = data(15, seed=1)[0] * 1.3
    expected = [by_hand(X, y, x, k, ridge, scale) for x in at]
    mean, std = model.predict(at, return_std=True)
    np.testing.assert_allclose(mean, [e[0] for e in expected], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(std**2, [model.noise_var_ * e[1] for e in expected], rtol=1e-9)
    gradient = model.predictive_.gradient(at)
    np.testing.assert_allclose(gradient, [e[2] for e in expected], rtol=1e-8, atol=1e-11)


def test_noise_variance_comes_from_predicting_each_row_without_itself():
    X, y = data(40)
    model = NearestNeighbours(6, ridge=1e-3).fit(X, y)
    scale = X.std(axis=0)
    left_out = [by_hand(X, y, X[i], 6, 1e-3, scale, without=i) for i in range(40)]
    expected = np.mean([(y[i] - m) ** 2 / (1.0 + g) for i, (m, g, _) in enumerate(left_out)])
    np.testing.assert_allclose(model.noise_var_, expected, rtol=1e-9)


def test_predictions_at_several_inputs_share_the_noise_of_the_targets():
    X, y = data(30)
    at = data(6, seed=2)[0]
    unit = np.stack(
        [NearestNeighbours(ridge=1e-3).fit(X, e).predict(at) for e in np.eye(30)], axis=1
    )
    model = NearestNeighbours(ridge=1e-3).fit(X, y)
    mean, cov = model.predict(at, return_cov=True)
    np.testing.assert_allclose(mean, model.predict(at), rtol=1e-12)
    np.testing.assert_allclose(cov, model.noise_var_ * unit @ unit.T, rtol=1e-9, atol=1e-12)


def test_conditioning_keeps_the_noise_and_takes_the_new_rows():
    model = NearestNeighbours(ridge=1e-3).fit(*data())
    X, y = data(seed=5)
    again = model.condition(X, y)
    assert again.noise_var_ == model.noise_var_
    x = X[3]
    expected = by_hand(X, y, x, 5, 1e-3, data()[0].std(axis=0))[0]
    np.testing.assert_allclose(again.predict(x[None])[0], expected, rtol=1e-10)


def test_the_ridge_is_selected_by_leaving_rows_out():
    X, y = data(200, d=2, noise=0.0)
    smooth, noisy = (
        NearestNeighbours().fit(X, y + s * np.random.default_rng(1).standard_normal(200))
        for s in (0.0, 1.0)
    )
    assert noisy.ridge_ > smooth.ridge_
    assert NearestNeighbours(ridge=0.5).fit(X, y).ridge_ == 0.5
