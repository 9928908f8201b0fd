"""Where inducing inputs start: the one place that asks for a selection."""

from typing import Any

import numpy as np
from scipy.cluster.vq import ClusterError, kmeans2

from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.typing import FloatArray, IntArray, Seed

_CLUSTERED = 4000  # rows that k-means looks at
_ROUNDS = 20  # of k-means

METHODS = ("random", "kmeans")


def choose_inducing(
    method: str,
    X: FloatArray,
    y: FloatArray,  # noqa: ARG001
    n_inducing: int,
    *,
    covariance: Covariance,
    noise_var: float,  # noqa: ARG001
    seed: Seed,
) -> FloatArray:
    """Return inducing inputs (M, d): rows of X, or for "kmeans" the centres of clusters.

    Distances are measured in units of the covariance's length-scales. No two are the same; where
    X has fewer different rows than that, all of them are returned.
    """
    rng = np.random.default_rng(seed)
    rows = random_rows(X, n_inducing, rng)
    if method == "random" or len(rows) == len(X):
        return X[rows]
    scale = scale_of(covariance, X.shape[1])
    return clustered(X, X[rows], scale, rng)


def random_rows(X: FloatArray, n: int, rng: np.random.Generator) -> IntArray:
    """Return n different rows of X, or all that differ, in order."""
    chosen = np.arange(len(X)) if n >= len(X) else rng.permutation(len(X))
    if n < len(X) // 2:  # looking at a few more than needed is enough, unless many are equal
        few = chosen[: 2 * n]
        _, first = np.unique(X[few], axis=0, return_index=True)
        if len(first) >= n:
            return np.sort(few[np.sort(first)[:n]])
    _, first = np.unique(X[chosen], axis=0, return_index=True)
    return np.sort(chosen[np.sort(first)[:n]])


def clustered(
    X: FloatArray, start: FloatArray, scale: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Return the centres that k-means finds from these, on a part of the rows."""
    few = X if len(X) <= _CLUSTERED else X[np.sort(rng.choice(len(X), _CLUSTERED, replace=False))]
    try:
        centers, _ = kmeans2(
            few / scale, start / scale, iter=_ROUNDS, minit="matrix", missing="raise"
        )
    except ClusterError:  # a cluster lost all its rows: the start is as good
        return start
    found: FloatArray = centers * scale
    return found


def scale_of(covariance: Covariance, n_inputs: int) -> FloatArray:
    """Return the length-scale of each input; ones without any."""
    for term in covariance.terms:
        if isinstance(term, SquaredExponential):
            return term.values(n_inputs)[1]
    return np.ones(n_inputs)


def is_method(value: Any) -> bool:
    """Return whether it names a way of choosing inducing inputs."""
    return isinstance(value, str) and value in METHODS
