"""Where training starts: hyperparameters from few rows, inducing inputs, blocks, a projection."""

import warnings
from dataclasses import replace

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.common.warnings import NumericalWarning
from gpforecast.covariances import Covariance
from gpforecast.covariances.base import scales_of
from gpforecast.covariances.weight_space import Parts
from gpforecast.models.gaussian_process import GaussianProcess
from gpforecast.models.inducing import choose_inducing, distinct_rows
from gpforecast.models.sparse.blocks import assign, block_centers, members_of
from gpforecast.models.sparse.parameters import Parameters
from gpforecast.models.sparse.plan import Plan
from gpforecast.models.sparse.row_parts import RowParts, in_blocks, in_parts

_STARTED_ON = 512  # rows for the full GP that training starts from
_CHOSEN_FROM = 20_000  # rows that a greedy choice looks at; of more, a random part
_LEAST_NOISE = 1e-8  # of the targets' mean square
_FIRST_H = 0.1  # h / k(z, z)


def first_hyperparameters(
    X: FloatArray, y: FloatArray, plan: Plan, rng: np.random.Generator
) -> tuple[Covariance, float]:
    """Return hyperparameters to start from.

    Those that are not given come from a full GP on a random part of the rows; where nothing is to
    be learned, from the spread of the data.
    """
    power, noise_var = float(np.mean(y**2)) or 1.0, plan.noise_var
    if not plan.free_hyperparameters or (not plan.covariance.unset and noise_var is not None):
        return plan.started, 0.01 * power if noise_var is None else noise_var
    few = np.sort(rng.permutation(len(y))[:_STARTED_ON])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumericalWarning)  # it is only a start
        gp = GaussianProcess(plan.covariance, noise_var=noise_var).fit(X[few], y[few])
    return gp.covariance_, max(gp.noise_var_, _LEAST_NOISE * power)


def first_parameters(
    X: FloatArray, y: FloatArray, plan: Plan, rng: np.random.Generator
) -> tuple[Parameters, FloatArray | None]:
    """Return the parameters to start from, and the centres of blocks if there are any."""
    d = X.shape[1]
    covariance, noise_var = first_hyperparameters(X, y, plan, rng)
    first = Parameters(Parts.of(covariance, d), noise_var, np.zeros((0, d)))
    scale, centers = scales_of(first.kernel, np.ones(d)), None
    if plan.approximation.induced:
        Z = _first_inducing(X, y, plan, first, rng)
        h = np.full(len(Z), _FIRST_H) if plan.variable_noise else None
        first = replace(first, inducing=Z, uncertainty=h)
    if plan.approximation.residual == "blocks":
        centers = block_centers(plan.blocks, X, plan.n_blocks, scale, rng)
    if plan.n_projected is not None:
        P = plan.projection
        if P is None:
            P = first_projection(X, scale, plan.n_projected)
        inside = replace(covariance, lengthscales=1.0)  # type: ignore[type-var]
        Z = (first.inducing - X.mean(axis=0)) @ P.T
        first = replace(first, inducing=Z, projection=P).with_covariance(inside)
    return first, centers


def _first_inducing(
    X: FloatArray, y: FloatArray, plan: Plan, first: Parameters, rng: np.random.Generator
) -> FloatArray:
    """Return inducing inputs (M, d); all rows that differ, where they are no more than M."""
    if plan.inducing.given is not None:
        return plan.inducing.given
    if plan.inducing.method not in ("random", "kmeans") and len(X) > _CHOSEN_FROM:
        few = np.sort(rng.choice(len(X), _CHOSEN_FROM, replace=False))
        X, y = X[few], y[few]
    distinct = distinct_rows(X)
    if plan.n_inducing >= len(distinct):
        return X[distinct]
    return choose_inducing(
        plan.inducing.method,
        X,
        y,
        plan.n_inducing,
        covariance=first.parts.whole,
        noise_var=first.noise_var,
        seed=rng,
    )


def first_projection(X: FloatArray, lengthscales: FloatArray, n: int) -> FloatArray:
    """Return the principal directions of the rows in units of their length-scales: (n, d).

    Inputs that do not matter have long scales, and no part in them.
    """
    scaled = (X - X.mean(axis=0)) / lengthscales
    _, V = np.linalg.eigh(scaled.T @ scaled)
    top: FloatArray = V[:, ::-1][:, :n].T / lengthscales
    return top


def rows_for(X: FloatArray, y: FloatArray, p: Parameters, centers: FloatArray | None) -> RowParts:
    """Return the rows cut into parts, or sorted into the blocks around the centres.

    A projection is one of the rows around their middle.
    """
    if centers is None:
        at_origin = X if p.projection is None else X - X.mean(axis=0)
        return in_parts(at_origin, y, len(p.inducing))
    labels = assign(X, centers, scales_of(p.kernel, np.ones(X.shape[1])))
    return in_blocks(X, y, members_of(labels, len(centers)))


def regrouped(
    X: FloatArray, y: FloatArray, p: Parameters, centers: FloatArray | None
) -> tuple[RowParts, FloatArray | None]:
    """Return the rows around the centres that have any, in units of the present length-scales.

    New inputs are assigned by the length-scales that were learned; so must the rows be.
    """
    if centers is not None:
        labels = assign(X, centers, scales_of(p.kernel, np.ones(X.shape[1])))
        centers = centers[np.unique(labels)]
    return rows_for(X, y, p, centers), centers
