"""The process with one length-scale, beside explicit algebra."""

import numpy as np

from gpforecast.automatic.grid import Hyperparameters, on_grid


def covariance(A, B, found):
    squared = ((A[:, None] - B[None]) ** 2).sum(-1)
    return found.variance * np.exp(-0.5 * squared / found.lengthscale**2)


def log_normal(X, y, found):
    K = covariance(X, X, found) + found.noise_var * np.eye(len(y))
    sign, log_det = np.linalg.slogdet(K)
    assert sign > 0
    return -0.5 * (y @ np.linalg.solve(K, y) + log_det + len(y) * np.log(2 * np.pi))


def wave(n, seed=0):
    z = np.sin(0.3 * np.arange(n)) + 0.1 * np.random.default_rng(seed).normal(size=n)
    return (z - z.mean()) / z.std()


def test_the_evidence_of_the_grid_is_that_of_the_process():
    z = wave(90)
    X, y = np.column_stack([z[1:-1], z[:-2]]), z[2:]
    found = on_grid(X, y)
    np.testing.assert_allclose(len(y) * found.log_evidence, log_normal(X, y, found), rtol=1e-9)


def test_the_signal_variance_is_the_best_for_its_shape():
    z = wave(90)
    X, y = np.column_stack([z[1:-1], z[:-2]]), z[2:]
    found = on_grid(X, y)
    for factor in (0.9, 1.1):
        other = Hyperparameters(
            found.lengthscale, factor * found.variance, factor * found.noise_var, 0.0
        )
        assert log_normal(X, y, other) < log_normal(X, y, found)
