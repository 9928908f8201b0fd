"""What every one-step model, posterior and propagation method must satisfy: one list of each.

To test a new one, add it to its list. Covariances have theirs in `covariance_conformance`.
"""

import re
from functools import cache

import numpy as np
import pytest
from oracles import quadrature_moments, row_slopes

import gpforecast as gf
from gpforecast.covariances import (
    BoundedBasis,
    Constant,
    Linear,
    Matern,
    NeuralNetwork,
    Periodic,
    Polynomial,
    RationalQuadratic,
    SquaredExponential,
    Wiener,
)
from gpforecast.propagation.base import predictive_of
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate


def _sparse(approximation, **options):
    options = {
        "covariance": SquaredExponential(2.0, 1.5),
        "noise_var": 0.05,
        "n_inducing": 15,
        "optimizer": None,
        "seed": 0,
        **options,
    }
    return lambda: gf.models.SparseGaussianProcess(approximation=approximation, **options)


MODELS = {
    "gp": lambda: gf.models.GaussianProcess(SquaredExponential(2.0, 1.5), noise_var=0.05),
    "gp, trained": lambda: gf.models.GaussianProcess(max_iter=60),
    "gp + linear + constant": lambda: gf.models.GaussianProcess(
        SquaredExponential(2.0, 1.0) + Linear(0.3) + Constant(0.5), noise_var=0.05, optimizer=None
    ),
    "linear gp": lambda: gf.models.GaussianProcess(
        Linear(0.3) + Constant(0.5), noise_var=0.05, optimizer=None
    ),
    "polynomial gp": lambda: gf.models.GaussianProcess(
        Polynomial(2.0, 0.5, degree=1) + Linear(0.3), noise_var=0.05, optimizer=None
    ),
    "rvm": lambda: gf.models.RelevanceVectorMachine(n_passes=2),
    "rvm, no bias": lambda: gf.models.RelevanceVectorMachine(
        2.0, adapt=None, bias=False, algorithm="mackay"
    ),
    "linear ar": lambda: gf.models.LinearAR(),
    "bayesian ar": lambda: gf.models.BayesianAR(),
    "minnesota ar": lambda: gf.models.MinnesotaAR(),
    "averaged gp": lambda: gf.models.AveragedGP(n_draws=4, n_warmup=4),
    "noisy-input gp": lambda: gf.models.NoisyInputGP(n_iter=3, n_chains=2, n_draws=2, n_warmup=4),
    "reduced-rank gp": lambda: gf.models.ReducedRankGP(
        SquaredExponential(2.0, 1.5) + Linear(0.3) + Constant(0.5),
        n_support=12,
        augmented=False,
        noise_var=0.05,
        optimizer=None,
        seed=0,
    ),
    **{f"sparse, {name}": _sparse(name) for name in ("sd", "sr", "dtc", "vfe", "fitc", "pitc")},
    "sparse + linear": _sparse("vfe", covariance=SquaredExponential(2.0, 1.0) + Linear(0.3)),
    "sparse, variable noise": _sparse("fitc", variable_noise=True, optimizer="L-BFGS-B"),
    "sparse, projected": _sparse("vfe", projection=2),
}

# Their features depend on the test input, so they have no exact moments.
MODELS_WITHOUT_POSTERIOR = {
    "rvm*": lambda: gf.models.RelevanceVectorMachineStar(
        gf.models.RelevanceVectorMachine(n_passes=2)
    ),
    "nearest neighbours": lambda: gf.models.NearestNeighbours(6, ridge=0.1),
    "reduced-rank gp, augmented": lambda: gf.models.ReducedRankGP(
        SquaredExponential(2.0, 1.5), n_support=12, support="sgev", noise_var=0.05, seed=0
    ),
    "sparse, pic": _sparse("pic", n_blocks=4),
    "sparse, local": _sparse("local", n_blocks=3),
}
EVERY_MODEL = {**MODELS, **MODELS_WITHOUT_POSTERIOR}
# The model that they have at several inputs depends on these inputs.
AUGMENTED = ("rvm*", "reduced-rank gp, augmented")

# Covariances without exact moments; Taylor expansion works with the smooth ones.
OPEN_COVARIANCES = {
    "matern 5/2": Matern(2.0, 1.5, nu=2.5),
    "matern 3/2": Matern(2.0, 1.5),
    "matern 1/2": Matern(2.0, 1.5, nu=0.5),
    "rational quadratic + linear": RationalQuadratic(2.0, 1.5, 0.7) + Linear(0.3),
    "periodic": Periodic(1.0, 1.5, 7.0),
    "neural network": NeuralNetwork(2.0, 1.5, 0.5),
    "bounded basis": BoundedBasis(1.5, 1.5, -2.0, 2.0),
    "wiener + constant": Wiener(0.4) + Constant(0.5),
    "polynomial of degree 4": Polynomial(4.0, 0.5, degree=4),
    "two squared exponentials": SquaredExponential(2.0, 1.0) + SquaredExponential(5.0, 1.0),
    "squared exponential x periodic": SquaredExponential(3.0, 1.5) * Periodic(1.0, 1.0, 7.0),
}

METHODS = {
    "exact": gf.propagation.ExactMoments(),
    "taylor": gf.propagation.Taylor(),
    "cubature, unscented": gf.propagation.Cubature(),
    "cubature, gauss-hermite": gf.propagation.Cubature("gauss_hermite", n_nodes=4, n_directions=2),
    "naive": gf.propagation.Naive(),
    "auto": gf.propagation.Automatic(gf.propagation.MonteCarlo(n_paths=40, seed=0)),
    "mixture": gf.propagation.GaussianMixture(n_components=6, tolerance=0.02),
    "monte carlo, step": gf.propagation.MonteCarlo(n_paths=40, seed=0),
    "monte carlo, function": gf.propagation.MonteCarlo(n_paths=40, kind="function", seed=0),
}
# What a method needs beside predictions and their slopes.
NEEDS = {"exact": "exact", "taylor": "taylor", "monte carlo, function": "function"}


def embedded_series(lags, n=60, seed=0):
    """A bounded non-linear series and its lag embedding, by a plain loop: (series, X, y)."""
    rng = np.random.default_rng(seed)
    z = np.zeros(n + 50)
    for t in range(2, len(z)):
        z[t] = 1.6 * np.sin(z[t - 1]) - 0.5 * z[t - 2] + 0.1 * rng.standard_normal()
    z = z[50:]
    first = max(lags)
    X = np.array([[z[t - lag] for lag in lags] for t in range(first, n)])
    return z, X, z[first:]


@cache
def fitted(model, lags=(1, 2)):
    """One of the models, fitted to the embedded series."""
    return EVERY_MODEL[model]().fit(*embedded_series(lags)[1:])


def check_propagated(result, n_origins, horizon):
    """Shapes, finiteness, and a symmetric, positive semi-definite joint covariance."""
    assert result.mean.shape == (n_origins, horizon)
    assert result.covariance.shape == (n_origins, horizon, horizon)
    assert result.latent_var.shape == (n_origins, horizon)
    for values in (result.mean, result.covariance, result.latent_var):
        assert np.isfinite(values).all()
    assert (result.latent_var >= 0.0).all()
    for Sigma in result.covariance:
        np.testing.assert_allclose(Sigma, Sigma.T, rtol=1e-14, atol=1e-15)
        values = np.linalg.eigvalsh(Sigma)
        assert values[0] > -1e-12 * values[-1]
        assert (np.diag(Sigma) > 0.0).all()


def check_forecast(fitted, method, lags, horizon):
    """Forecast from two origins: what `check_propagated` says, and the model's own first mean."""
    z = embedded_series(lags)[0]
    past = np.stack([z[-max(lags) :], z[-max(lags) - 5 : -5]])
    result = propagate(
        Columns.of(predictive_of(fitted), Inputs(lags)), method, Start(past), horizon
    )
    check_propagated(result, 2, horizon)
    paths = result.paths is not None  # as the automatic method may have, too
    if paths:
        assert result.paths.shape == (2, horizon, 40)
    assert paths or not isinstance(method, gf.propagation.MonteCarlo)
    at = fitted.predict(past[:, [-lag for lag in lags]])
    band = 5.0 * np.sqrt(result.covariance[:, 0, 0] / 40) if paths else 1e-12
    assert (np.abs(result.mean[:, 0] - at) < band).all()


def check_method(fitted, name, lags, horizon):
    """A forecast by a method that suits the model, else a refusal that names what does."""
    frozen = fitted._frozen()
    suits = NEEDS.get(name) in (None, *getattr(frozen, "supports", ()))
    if suits:
        check_forecast(fitted, METHODS[name], lags, horizon)
    else:
        model = getattr(frozen, "model", type(frozen).__name__)
        says = f"{re.escape(model)}.*'cubature', 'monte_carlo' or 'naive'"
        with pytest.raises(TypeError, match=says):
            propagate(
                Columns.of(frozen, Inputs(lags)), METHODS[name], Start(np.zeros((1, max(lags)))), 3
            )
    return suits


def check_expansion(predictive, u, S, *, rtol=1e-7):
    """Gradient and any Taylor moments at u (b, d) with covariances S, by differences of `predict`.

    `rtol` is that of the gradient; second differences, of the variance, lose more of the digits.
    """
    at, gradient = predictive.predict(u), predictive.gradient(u)
    slopes = row_slopes(lambda X: predictive.predict(X).mean, u)
    np.testing.assert_allclose(gradient, slopes, rtol=rtol, atol=1e-8 * max(1.0, abs(slopes).max()))
    if "taylor" not in predictive.supports:
        return
    found = predictive.taylor_moments(u, S)
    values, vectors = np.linalg.eigh(S)
    # tr(S Hess v) is the sum of the second derivatives along the columns of a root of S.
    steps = 1e-3 * np.moveaxis(vectors * np.sqrt(np.maximum(values, 0.0))[:, None], 2, 0)
    sides = sum(predictive.predict(u + h).var + predictive.predict(u - h).var for h in steps)
    var = at.var + 0.5 * (sides - 2.0 * len(steps) * at.var) / 1e-6
    total = np.maximum(var, 0.0) + np.einsum("bd,bde,be->b", gradient, S, gradient)
    np.testing.assert_allclose(found.mean, at.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.gradient, gradient, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.var, total, rtol=1e-5, atol=1e-6)
    assert found.n_clipped == (var < 0.0).sum()


def check_exact_moments(posterior, u, S, *, n_nodes=40):
    """Moments at inputs N(u, S) of one or two dimensions against quadrature of `predict`."""
    found = posterior.moments(u, S)
    for i in range(len(u)):
        mean, var, gradient = quadrature_moments(posterior, u[i], S[i], n_nodes=n_nodes)
        np.testing.assert_allclose(found.mean[i], mean, rtol=1e-9)
        np.testing.assert_allclose(found.var[i], var, rtol=1e-8)
        np.testing.assert_allclose(found.gradient[i], gradient, rtol=1e-8, atol=1e-10)
