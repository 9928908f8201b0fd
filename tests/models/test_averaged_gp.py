from itertools import product

import numpy as np

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
        K = variance * np.exp(-0.5 * (X - X.T) ** 2 / ell**2)
        k = variance * np.exp(-0.5 * np.subtract.outer(at, X[:, 0]) ** 2 / ell**2)
        Ky = K + noise * np.eye(len(X))
        _, log_det = np.linalg.slogdet(Ky)
        alpha = np.linalg.solve(Ky, y)
        log_p = -0.5 * (y @ alpha + log_det + len(y) * np.log(2 * np.pi))
        off = (np.array(theta) - problem.start) / 2.0
        w = np.exp(log_p - 0.5 * off @ off + least)
        m, v = k @ alpha, variance - np.sum(k.T * np.linalg.solve(Ky, k.T), axis=0)
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


def test_conditioning_keeps_the_draws():
    X, y = few_rows(14)
    model = AveragedGP(n_draws=4, n_warmup=4).fit(X[:10], y[:10])
    more = model.condition(X, y)
    assert more.covariances_ == model.covariances_
    again = GaussianProcess(
        more.covariances_[2], noise_var=more.noise_vars_[2], optimizer=None
    ).fit(X, y)
    np.testing.assert_allclose(
        more.predictive_.parts[2].predict(X).mean, again.predict(X), rtol=1e-12
    )
    assert len(model.predictive_.parts[0].weights) == 10
