"""Linear and non-linear models to iterate, with their lags and past values."""

import numpy as np
from conditioned import gp_posterior
from oracles import linear_gaussian

from gpforecast.covariances import SquaredExponential
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.propagation import ExactMoments, Naive, Taylor
from gpforecast.propagation.recursion import Inputs

EXACT, TAYLOR, NAIVE = ExactMoments(), Taylor(), Naive()
STEP, STEP_TAYLOR = ExactMoments(function="step"), Taylor(function="step")
NOISE = 0.3


def linear_posterior(weights, *, constant=0.0, noise_var=NOISE, added=None):
    d = len(weights)
    return Posterior(
        centers=np.zeros((0, d)),
        lengthscales=np.ones(d),
        weights=np.zeros(0),
        linear=np.asarray(weights, float),
        constant=constant,
        noise_var=noise_var,
        added=added,
    )


def past_values(lags, b=1, seed=0):
    return np.random.default_rng(seed).standard_normal((b, max(lags)))


def assert_moments(found, mean, covariance, *, rtol, atol=0.0):
    """Of the whole horizon, the covariance to a tenth of the accuracy of the mean."""
    np.testing.assert_allclose(found.mean, mean, rtol=rtol, atol=atol)
    np.testing.assert_allclose(found.covariance, covariance, rtol=10 * rtol, atol=atol)


def within_five_standard_errors(result, mean, covariance):
    """Sample moments of Gaussian paths: their errors are known from the covariance itself."""
    n = result.paths.shape[-1]
    variances = np.diag(covariance)
    assert (np.abs(result.mean[0] - mean) < 5.0 * np.sqrt(variances / n)).all()
    error = np.sqrt((np.outer(variances, variances) + covariance**2) / (n - 1))
    assert (np.abs(result.covariance[0] - covariance) < 5.0 * error).all()


EXOG_TERMS = ((0, 0), (1, 1), (0, 3))
AR_LAGS, AR_WEIGHTS = (1, 3), [0.6, 0.2]


def exog_problem(horizon=12, b=1, seed=0):
    rng = np.random.default_rng(seed)
    inputs = Inputs(AR_LAGS, EXOG_TERMS)
    exog = rng.standard_normal((b, inputs.n_past_exog + horizon, 2))
    root = rng.standard_normal((2 * horizon, 4))
    return inputs, past_values(AR_LAGS, b), exog, 0.3 * root @ root.T


AR2 = np.array([0.9, -0.4])


def ar2(n, seed=0):
    """Values of the autoregression on two lags."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n)
    for t in range(2, n):
        y[t] = AR2[0] * y[t - 1] + AR2[1] * y[t - 2] + np.sqrt(NOISE) * rng.standard_normal()
    return y


def smoothed(y, noise=0.0):
    """Mean and covariance of that autoregression given values y with noise, NaN where missing."""
    n, known = len(y), np.flatnonzero(~np.isnan(y))
    terms = {t: [(AR2[0], t - 1), (AR2[1], t - 2)] for t in range(2, n)}
    mean, prior = linear_gaussian(terms, np.zeros(n), np.diag([1.0, 1.0, *np.full(n - 2, NOISE)]))
    total = prior[np.ix_(known, known)] + np.diag(np.broadcast_to(noise, n)[known])
    gain = np.linalg.solve(total, prior[known]).T
    return mean + gain @ (y - mean)[known], prior - gain @ prior[known]


def nonlinear_posterior(d, *, noise_var=1e-2, seed=0, exog=False):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (30, d))
    y = 1.2 * np.sin(X[:, 0]) - 0.4 * X[:, 1] + 0.2 * np.cos(X[:, -1])
    covariance = SquaredExponential(np.full(d, 2.0 if not exog else 3.0), 1.0)
    return gp_posterior(covariance, noise_var, X, y)[0]


def clipping_posterior():
    """Every variance comes out negative: it claims to remove a variance of 4 from a prior of 1."""
    return Posterior(
        centers=np.zeros((1, 1)),
        lengthscales=np.array([1e6]),
        weights=np.zeros(1),
        linear=np.zeros(1),
        noise_var=1e-3,
        prior_var=1.0,
        chol=np.array([[0.5]]),
    )
