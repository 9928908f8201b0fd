"""A training set, and what is measured of machines that are trained on it."""

from dataclasses import replace

import numpy as np
from oracles import weights_log_evidence

from gpforecast.models.sparse_bayes.machine import Basis, first_machine
from gpforecast.models.sparse_bayes.training import Cycles


def wave(n=80, noise=0.1, seed=0, *, bias=True):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-4.0, 4.0, (n, 2))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.5 + noise * rng.standard_normal(n)
    return Basis(X - X.mean(axis=0), y, bias)


def started(rows, width=1.5):
    return first_machine(rows, np.full(rows.X.shape[1], width), 0.1)


def run(rows, algorithm, **settings):
    cycles = Cycles(**settings)
    machine, converged = algorithm.run(started(rows), cycles)
    return machine, converged, np.array([value for value, _ in cycles.trace])


def log_evidence(model):
    Phi = model.basis.functions(model.active, model.lengthscales)
    return weights_log_evidence(Phi, model.alpha, model.noise_var, model.basis.y)


def with_function(model, j, alpha):
    """The same machine with basis functions j, or with other precisions for them."""
    keep = ~np.isin(model.active, j)
    active, precisions = np.append(model.active[keep], j), np.append(model.alpha[keep], alpha)
    return replace(model, active=active, alpha=precisions)


def slope(model, h=1e-5, **directions):
    """Slope of the log evidence in the logarithm of parameters of a machine, by differences."""
    up, down = (
        log_evidence(
            replace(
                model,
                **{n: getattr(model, n) * np.exp(s * e) for n, e in directions.items()},
            )
        )
        for s in (h, -h)
    )
    return (up - down) / (2.0 * h)


def falls(values):
    """How far the evidence ever fell from one cycle to the next, beside its rounding."""
    return np.maximum(-np.diff(values) - 1e-10 * np.abs(values[:-1]), 0.0).max()
