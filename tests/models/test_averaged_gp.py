from itertools import product

import numpy as np
from oracles import BruteForceGP

from gpforecast.covariances import SquaredExponential
from gpforecast.models import AveragedGP, GaussianProcess


def few_rows(n=10, seed=0):
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-2, 2, n))[:, None]
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(n)


def by_quadrature(X, y, at):
    """Means and variances of f at inputs (q,), the three hyperparameters summed over a grid."""
    gp = GaussianProcess(prior="weak").fit(X, y)
    problem = gp.evidence_of(X, y)
    mode = np.append(gp.covariance_.log_parameters, np.log(gp.noise_var_))
    grids = [np.linspace(m - 5, m + 5, 19) for m in mode]
    grids = [
        g[(g >= lo) & (g <= hi)] for g, (lo, hi) in zip(grids, problem.log_bounds, strict=True)
    ]
    total = first = second = 0.0
    least = problem.value(mode)
    for theta in product(*grids):
        ell, variance, noise = np.exp(theta)
        gp = BruteForceGP(X, y, noise, SquaredExponential(ell, variance))
        m, v = gp.predict(at[:, None])
        off = (np.array(theta) - problem.start) / 2.0
        w = np.exp(gp.log_evidence() - 0.5 * off @ off + least)
        total, first, second = total + w, first + w * m, second + w * (v + m * m)
    mean = first / total
    return mean, second / total - mean**2


def test_prediction_is_the_integral_over_the_hyperparameters():
    X, y = few_rows()
    model = AveragedGP(n_draws=250, n_warmup=20, seed=1).fit(X, y)
    at = np.array([0.3, 2.6])
    mean, std = model.predict(at[:, None], return_std=True)
    exact_mean, exact_var = by_quadrature(X, y, at)
    # The spread of the parts' means over 250 draws, a third of them independent.
    spread = np.std([p.predict(at[:, None]).mean for p in model.predictive_.parts], axis=0)
    assert (np.abs(mean - exact_mean) < 5 * spread / np.sqrt(80) + 1e-3).all()
    np.testing.assert_allclose(std**2, exact_var, rtol=0.3)
