"""Where training starts: hyperparameters from few rows, inducing inputs, blocks, a projection."""

import warnings
from dataclasses import replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Covariance
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.inducing import (
    choose_inducing,
    distinct_rows,
    kmeans_centers,
    random_rows,
)
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.plan import Plan
from gpforecast.models.sparse.row_parts import origin_of

_STARTED_ON = 512  # rows for the full GP that training starts from
_CHOSEN_FROM = 20_000  # rows among which greedy methods choose; from more, a random part
_LEAST_NOISE = 1e-8  # of the targets' mean square
_FIRST_H = 0.1  # h / k(z, z)


def first_parameters(plan: Plan, rng: np.random.Generator) -> tuple[Parameters, FloatArray | None]:
    """Return the parameters to start from, and the centres of blocks if there are any."""
    X = plan.full.X
    covariance, noise_var = _first_hyperparameters(plan, rng)
    Z = np.zeros((0, X.shape[1]))
    if plan.approximation.induced:
        Z = _first_inducing(plan, covariance, noise_var, rng)
    h = np.full(len(Z), _FIRST_H) if plan.model.variable_noise else None
    first = Parameters(covariance, noise_var, Z, uncertainty=h)
    centers = None
    if plan.approximation.residual == "blocks":
        centers = _block_centers(plan, first.scales, rng)
    Z, inside = Z - origin_of(first, X), covariance.in_scaled_inputs()
    if not plan.n_projected or inside is None:
        return replace(first, inducing=Z), centers
    P = plan.projection
    if P is None:
        P = first_projection(X, first.scales, plan.n_projected)
    return Parameters(inside, noise_var, Z @ P.T, P, h), centers


def _first_hyperparameters(plan: Plan, rng: np.random.Generator) -> tuple[Covariance, float]:
    """Return hyperparameters to start from.

    Those that are not given come from a full GP on a random part of the rows; where nothing is to
    be learned, from the spread of the data.
    """
    model, full = plan.model, plan.full
    covariance, noise_var = model.covariance, model.noise_var
    known = covariance is not None and not covariance.unset and noise_var is not None
    if known or model.optimizer is None:
        return full.covariance, full.noise_var
    few = np.sort(rng.permutation(len(full.y))[:_STARTED_ON])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)  # it is only a start
        gp = GaussianProcess(covariance, noise_var=noise_var).fit(full.X[few], full.y[few])
    return gp.covariance_, max(gp.noise_var_, _LEAST_NOISE * full.y_var)


def _first_inducing(
    plan: Plan, covariance: Covariance, noise_var: float, rng: np.random.Generator
) -> FloatArray:
    """Return inducing inputs, all of them different; all that differ, if those are fewer."""
    if plan.inducing is not None:
        return plan.inducing
    X, y, distinct = plan.full.X, plan.full.y, distinct_rows(plan.full.X)
    if plan.n_inducing >= len(distinct):
        return X[distinct]
    return choose_inducing(
        str(plan.model.inducing), X, y, plan.n_inducing,
        covariance=covariance, noise_var=noise_var, seed=rng, max_rows=_CHOSEN_FROM,
    )  # fmt: skip


def _block_centers(plan: Plan, scales: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the centres of blocks, (S, d): given, rows at random, or centres of clusters.

    Snelson (2007), section 3.2.3.
    """
    if plan.blocks is not None:
        return plan.blocks
    X = plan.full.X
    start = X[np.sort(random_rows(X, plan.n_blocks, seed=rng))]
    if plan.model.blocks == "random" or len(start) == len(X):
        return start
    return kmeans_centers(X, len(start), lengthscales=scales, seed=rng)


def first_projection(X: FloatArray, lengthscales: FloatArray, n: int) -> FloatArray:
    """Return the principal directions of the rows in units of their length-scales: (n, d).

    Inputs that do not matter have long scales, and no part in them.
    """
    scaled = (X - X.mean(axis=0)) / lengthscales
    _, V = np.linalg.eigh(scaled.T @ scaled)
    return np.asarray(V[:, ::-1][:, :n].T / lengthscales)
