"""Data for relevance vector machines, and their predictions by brute force."""

import numpy as np
from oracles import BruteForceRVM

ALGORITHMS = ["subspace", "mackay", "em", "fast"]


def sinc(n=100, noise=0.1, seed=0):
    X = np.linspace(-10.0, 10.0, n)[:, None]
    y = np.sinc(X[:, 0] / np.pi)
    return X, y + noise * np.random.default_rng(seed).standard_normal(n), y


def surface(n=120, noise=0.05, seed=0):
    """Two inputs that matter, each on its own scale, and one that does not."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3.0, 3.0, (n, 3)) * [1.0, 10.0, 1.0]
    y = np.sin(2.0 * X[:, 0]) + np.cos(0.1 * X[:, 1])
    return X, y + noise * rng.standard_normal(n)


def brute_force(machine, X, y):
    alpha = machine.alpha_
    if machine.alpha_bias_ is not None:
        alpha = np.append(alpha, machine.alpha_bias_)
    return BruteForceRVM(
        X, y, machine.relevance_vectors_, machine.lengthscales_, alpha, machine.noise_var_
    )
