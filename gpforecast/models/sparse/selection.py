"""Where inducing inputs start: the one place that asks for a selection."""

import numpy as np

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.models import inducing
from gpforecast.models.inducing import METHODS

__all__ = ["METHODS", "choose_inducing", "clustered", "random_rows", "scale_of"]

_FEW = 20_000  # rows among which greedy methods choose; from more, a random part


def choose_inducing(
    method: str,
    X: FloatArray,
    y: FloatArray,
    n_inducing: int,
    *,
    covariance: Covariance,
    noise_var: float,
    seed: np.random.Generator,
) -> FloatArray:
    """Return inducing inputs (M, d), all of them different.

    Where X has fewer different rows than asked for, all of them are returned.
    """
    if method not in ("random", "kmeans") and len(X) > _FEW:
        few = np.sort(seed.choice(len(X), _FEW, replace=False))
        X, y = X[few], y[few]
    distinct = inducing.distinct_rows(X)
    if n_inducing >= len(distinct):
        return X[distinct]
    return inducing.choose_inducing(
        method, X, y, n_inducing, covariance=covariance, noise_var=noise_var, seed=seed
    )


def random_rows(X: FloatArray, n: int, rng: np.random.Generator) -> IntArray:
    """Return n different rows of X, or all that differ, in order."""
    return np.sort(inducing.random_rows(X, n, seed=rng))


def clustered(
    X: FloatArray, start: FloatArray, scale: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the centres that k-means finds."""
    return inducing.kmeans_centers(X, len(start), lengthscales=scale, seed=rng)


def scale_of(covariance: Covariance, n_inputs: int) -> FloatArray:
    """Return the length-scale of each input; ones without any."""
    for term in covariance.terms:
        if isinstance(term, SquaredExponential):
            return term.values(n_inputs)[1]
    return np.ones(n_inputs)
