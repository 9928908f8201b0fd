"""Where training starts: hyperparameters from few rows, inducing inputs, blocks, a projection."""

import warnings

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Covariance, SquaredExponential
from gpforecast.models.evidence import column_spread
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.sparse.blocks import assign, block_centers, members_of
from gpforecast.models.sparse.plan import Plan
from gpforecast.models.sparse.problem import State
from gpforecast.models.sparse.selection import choose_inducing, scale_of
from gpforecast.models.sparse.streaming import Rows, in_blocks, in_parts

_STARTED_ON = 512  # rows for the full GP that training starts from
_LEAST_NOISE = 1e-8  # of the targets' mean square
_FIRST_H = 0.1  # h / variance


def first_hyperparameters(
    X: FloatArray, y: FloatArray, plan: Plan, noise_var: float | None, rng: np.random.Generator
) -> tuple[Covariance, float]:
    """Return hyperparameters to start from.

    Those that are not given come from a full GP on a random part of the rows; where nothing is to
    be learned, from the spread of the data.
    """
    power = float(np.mean(y**2)) or 1.0
    if not plan.free_hyperparameters or (not plan.covariance.unset and noise_var is not None):
        covariance = plan.covariance.started(column_spread(X), power)
        covariance.diag(X[:1])  # says so if what was given is for another number of inputs
        return covariance, 0.01 * power if noise_var is None else float(noise_var)
    few = np.sort(rng.permutation(len(y))[:_STARTED_ON])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)  # it is only a start
        gp = GaussianProcess(plan.covariance, noise_var=noise_var).fit(X[few], y[few])
    return gp.covariance_, max(gp.noise_var_, _LEAST_NOISE * power)


def first_state(
    X: FloatArray,
    y: FloatArray,
    plan: Plan,
    noise_var: float | None,
    rng: np.random.Generator,
    *,
    variable_noise: bool,
) -> tuple[State, FloatArray | None]:
    """Return the state to start from, and the centres of blocks if there are any."""
    d = X.shape[1]
    covariance, noise_var = first_hyperparameters(X, y, plan, noise_var, rng)
    Z = np.zeros((0, d))
    if isinstance(plan.inducing, np.ndarray):
        Z = plan.inducing
    elif plan.approximation.induced:
        Z = choose_inducing(
            plan.inducing,
            X,
            y,
            plan.n_inducing,
            covariance=covariance,
            noise_var=noise_var,
            seed=rng,
        )
    scale = scale_of(covariance, d)
    centers = None
    if plan.approximation.residual == "blocks":
        centers = block_centers(plan.blocks, X, plan.n_blocks, scale, rng)
    h = np.full(len(Z), _FIRST_H) if variable_noise else None
    Z = Z - X.mean(axis=0)
    if plan.n_projected is None:
        return State(covariance, noise_var, Z, None, h), centers
    P = plan.projection
    if P is None:
        P = first_projection(X, scale, plan.n_projected)
    return State(SquaredExponential(1.0, variance_of(covariance)), noise_var, Z @ P.T, P, h), None


def first_projection(X: FloatArray, lengthscales: FloatArray, n: int) -> FloatArray:
    """Return the principal directions of the rows in units of their length-scales: (n, d).

    Inputs that do not matter have long scales, and no part in them.
    """
    scaled = (X - X.mean(axis=0)) / lengthscales
    _, V = np.linalg.eigh(scaled.T @ scaled)
    top: FloatArray = V[:, ::-1][:, :n].T / lengthscales
    return top


def rows_for(X: FloatArray, y: FloatArray, state: State, centers: FloatArray | None) -> Rows:
    """Return the rows cut into parts, or sorted into the blocks around the centres."""
    if centers is None:
        return in_parts(X, y, len(state.inducing))
    labels = assign(X, centers, scale_of(state.covariance, X.shape[1]))
    return in_blocks(X, y, members_of(labels, len(centers)))


def regrouped(
    X: FloatArray, y: FloatArray, state: State, centers: FloatArray | None
) -> tuple[Rows, FloatArray | None]:
    """Return the rows around the centres that have any, in units of the state's length-scales.

    New inputs are assigned by the length-scales that were learned; so must the rows be.
    """
    if centers is not None:
        labels = assign(X, centers, scale_of(state.covariance, X.shape[1]))
        centers = centers[np.unique(labels)]
    return rows_for(X, y, state, centers), centers


def variance_of(covariance: Covariance) -> float:
    """Return the variance of the bumps' covariance."""
    bumps = next(t for t in covariance.terms if isinstance(t, SquaredExponential))
    return float(np.asarray(bumps.variance))
