"""Points that stand for the posterior of hyperparameters, where its density is known in full."""

import numpy as np

from gpforecast.structural import StructuralModel, model

D = len(StructuralModel().names)
BEST = model._Search(np.zeros(3), StructuralModel()).means + 0.3


def precision(seed=0):
    root = np.random.default_rng(seed).normal(size=(D, D))
    return root @ root.T + 2.0 * np.eye(D)


def around(monkeypatch, loss):
    """The points around the best, of a loss that is given."""
    monkeypatch.setattr(model._Search, "_loss_and_scale", lambda _, point: (loss(point), 1.0))
    return model._Search(np.zeros(3), StructuralModel()).around(BEST)


def test_of_a_normal_density_all_lie_at_the_same_distance_and_the_evidence_is_its_integral(
    monkeypatch,
):
    A, least = precision(), 7.0

    def loss(point):
        return least + 0.5 * (point - BEST) @ A @ (point - BEST)

    points, weights, scales, log_evidence = around(monkeypatch, loss)
    off = points - BEST
    np.testing.assert_allclose(off[0], 0.0)
    np.testing.assert_allclose(off[1 : D + 1], -off[D + 1 :], rtol=1e-9)
    distances = np.sqrt(np.einsum("ki,ij,kj->k", off, A, off))
    np.testing.assert_allclose(distances[1:], model._SPREAD, rtol=1e-7)
    crossed = off[1 : D + 1] @ A @ off[1 : D + 1].T
    np.testing.assert_allclose(crossed, model._SPREAD**2 * np.eye(D), atol=1e-6)
    np.testing.assert_allclose(weights, [3.0, *np.ones(2 * D)] / np.float64(3 + 2 * D), rtol=1e-7)
    np.testing.assert_array_equal(scales, 1.0)
    stds = model._Search(np.zeros(3), StructuralModel()).stds
    integral = -least + 0.5 * np.linalg.slogdet(2.0 * np.pi * np.linalg.inv(A))[1]
    belief = np.log(np.sqrt(2.0 * np.pi) * stds).sum()  # what makes its density integrate to 1
    np.testing.assert_allclose(log_evidence, integral - belief, rtol=1e-7)


def test_points_weigh_as_much_as_their_densities_and_none_outweighs_the_others(monkeypatch):
    A, lean = precision(1), np.random.default_rng(2).normal(size=D)

    def loss(point):
        off = point - BEST
        return 0.5 * off @ A @ off + 0.1 * np.tanh(lean @ off)

    points, weights, _, _ = around(monkeypatch, loss)
    ratio = np.log(weights[1 : D + 1] / weights[D + 1 :])
    losses = np.array([loss(point) for point in points])
    np.testing.assert_allclose(ratio, losses[D + 1 :] - losses[1 : D + 1], rtol=1e-9)
    assert abs(ratio).max() > 0.05
    np.testing.assert_allclose(weights.sum(), 1.0, rtol=1e-12)


def test_a_point_of_much_more_density_than_the_best_does_not_stand_alone(monkeypatch):
    A = precision(1)

    def loss(point):
        off = point - BEST
        return 0.5 * off @ A @ off - 40.0 * max(off[0] - 0.2, 0.0)

    _, weights, _, _ = around(monkeypatch, loss)
    assert weights.max() <= model._MOST_WEIGHT * np.median(weights) * (1.0 + 1e-12)
