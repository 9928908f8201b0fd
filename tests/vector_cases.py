"""Vector autoregressions that are known, and a model whose coefficients are certain."""

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from gpforecast.models import LinearAR
from gpforecast.posteriors.extended_linear import Posterior
from gpforecast.storage import storable

A1 = np.array([[0.5, 0.2, 0.0], [0.1, 0.3, 0.1], [0.0, -0.2, 0.4]])
A2 = np.array([[-0.2, 0.0, 0.1], [0.0, 0.2, 0.0], [0.1, 0.0, -0.3]])
NOISE = np.array([[1.0, 0.5, -0.3], [0.5, 0.8, 0.1], [-0.3, 0.1, 0.6]])


def var2(n, seed=0):
    """A VAR(2) of three columns with correlated noise."""
    rng = np.random.default_rng(seed)
    e = rng.standard_normal((n + 50, 3)) @ np.linalg.cholesky(NOISE).T
    y = np.zeros((n + 50, 3))
    for t in range(2, n + 50):
        y[t] = A1 @ y[t - 1] + A2 @ y[t - 2] + e[t]
    return pd.DataFrame(y[50:], columns=["a", "b", "c"])


@storable
@dataclass(eq=False)
class Certain:
    """Least squares, its coefficients taken for the truth."""

    posterior_: Posterior | None = field(default=None, init=False)

    def fit(self, X, y):
        """Fit, and forget how sure the coefficients are."""
        self.posterior_ = replace(LinearAR().fit(X, y).posterior_, added=None)
        return self

    def predict(self, X):
        """Return the mean."""
        return self.posterior_.mean(np.asarray(X))

    def condition(self, X, y):  # noqa: ARG002
        """Return itself: nothing is learned."""
        return self


def reduced(forecaster):
    """The matrices, the constant and the noise of a fitted VAR, in the units of the series.

    Own code: B0 y = B1 y(-1) + B2 y(-2) + ... + c + e with diagonal noise, solved for y.
    """
    fitted = forecaster.fitted_
    m = len(fitted.columns)
    order = max(lag for sources in fitted.sources for _, lag in sources)
    B = np.zeros((order + 1, m, m))
    c, D = np.zeros(m), np.zeros(m)
    for i, (one, sources) in enumerate(zip(fitted.columns, fitted.sources, strict=True)):
        p = one.model.posterior_
        for (other, lag), slope in zip(sources, p.linear, strict=True):
            B[lag, i, other] = slope
        c[i], D[i] = p.constant, p.noise_var
    solve = np.linalg.inv(np.eye(m) - B[0])
    scale = np.array([one.chain.linear[-1].scale for one in fitted.columns])
    place = np.array([one.chain.linear[-1].location for one in fitted.columns])
    back = scale[:, None] / scale
    A = [(solve @ one) * back for one in B[1:]]
    noise = (solve * scale[:, None]) @ np.diag(D) @ (solve * scale[:, None]).T
    constant = scale * (solve @ c) + place - sum(one @ place for one in A)
    return A, constant, noise


def closed_form(A, constant, noise, past, h):
    """Mean (h m,) and covariance of the next h times, by the companion matrix."""
    m, p = len(constant), len(A)
    F = np.zeros((m * p, m * p))
    F[:m] = np.hstack(A)
    F[m:, :-m] = np.eye(m * (p - 1))
    state = np.concatenate([past[-1 - k] for k in range(p)])
    mean = []
    for _ in range(h):
        state = F @ state
        state[:m] += constant
        mean.append(state[:m].copy())
    psi = [np.linalg.matrix_power(F, k)[:m, :m] for k in range(h)]
    S = np.zeros((h * m, h * m))
    for i in range(h):
        for j in range(h):
            S[i * m : i * m + m, j * m : j * m + m] = sum(
                psi[i - k] @ noise @ psi[j - k].T for k in range(min(i, j) + 1)
            )
    return np.concatenate(mean), S


def conditioned(mean, S, at, values):
    """The dense Gaussian formula: mean and covariance given some entries."""
    K = S[:, at] @ np.linalg.inv(S[np.ix_(at, at)])
    return mean + K @ (values - mean[at]), S - K @ S[at]
