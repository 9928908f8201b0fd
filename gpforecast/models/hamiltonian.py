"""Hamiltonian Monte Carlo in the few dimensions of a model's hyperparameters."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpforecast.typing import FloatArray

Negative = Callable[[FloatArray], tuple[float, FloatArray]]

_STEP = 0.25  # in posterior standard deviations, times d^(-1/4)
_LEAPS = 8  # leapfrog steps of a trajectory, on average


@dataclass(frozen=True)
class Chain:
    """Draws of theta, and how often a proposal was accepted.

    Attributes
    ----------
    draws : ndarray (n, p)
    acceptance : float
        Fraction of the proposals, between 0 and 1.
    """

    draws: FloatArray  # (n, p)
    acceptance: float


def laplace_root(negative: Negative, mode: FloatArray, *, floor: float) -> FloatArray:
    """Return R with R R' the covariance of the Gaussian that matches a density's mode.

    The curvature comes from central differences of the gradient, 2 p evaluations; no eigenvalue of
    it is taken to be less than `floor`, so that R stays finite where the density is flat.

    Parameters
    ----------
    negative : callable
        Carries theta (p,) to the negative log density and its gradient.
    mode : ndarray (p,)
    floor : float
        Positive.

    Returns
    -------
    ndarray (p, p)
    """
    h = 1e-4
    steps = h * np.eye(len(mode))
    rows = [(negative(mode + e)[1] - negative(mode - e)[1]) / (2.0 * h) for e in steps]
    curvature = 0.5 * (np.array(rows) + np.array(rows).T)
    values, vectors = np.linalg.eigh(curvature)
    root: FloatArray = vectors / np.sqrt(np.maximum(values, floor))
    return root


def sample(
    negative: Negative,
    mode: FloatArray,
    root: FloatArray,
    bounds: FloatArray,
    *,
    n_draws: int,
    n_warmup: int,
    rng: np.random.Generator,
) -> Chain:
    """Draw from a density by Hamiltonian trajectories in the coordinates that `root` whitens.

    Each draw is the end of one trajectory of random length. Proposals beyond the bounds are
    refused. One evaluation of the gradient a leapfrog step, so about 8 (n_draws + n_warmup).

    Parameters
    ----------
    negative : callable
        Carries theta (p,) to the negative log density and its gradient.
    mode : ndarray (p,)
        Where the chain starts.
    root : ndarray (p, p)
        theta = mode + root z; see `laplace_root`.
    bounds : ndarray (p, 2)
    n_draws, n_warmup : int
        Kept, and left out at the start.
    rng : Generator

    Returns
    -------
    Chain

    References
    ----------
    Neal (2011), MCMC using Hamiltonian dynamics, section 5.2.
    """
    step = _STEP / len(mode) ** 0.25

    def at(z: FloatArray) -> tuple[float, FloatArray]:
        theta = mode + root @ z
        if (theta < bounds[:, 0]).any() or (theta > bounds[:, 1]).any():
            return np.inf, np.zeros_like(z)
        value, slopes = negative(theta)
        return value, root.T @ slopes

    z, (value, slope) = np.zeros_like(mode), at(np.zeros_like(mode))
    draws, accepted = [], 0
    for k in range(n_warmup + n_draws):
        p = rng.standard_normal(len(z))
        energy = value + 0.5 * p @ p
        new, new_value, new_slope = z, value, slope
        epsilon = step * rng.uniform(0.7, 1.3)  # so that no trajectory closes on itself
        for _ in range(rng.integers(_LEAPS // 2, _LEAPS + _LEAPS // 2 + 1)):
            p = p - 0.5 * epsilon * new_slope
            new = new + epsilon * p
            new_value, new_slope = at(new)
            if not np.isfinite(new_value):
                break
            p = p - 0.5 * epsilon * new_slope
        if np.log(rng.uniform()) < energy - new_value - 0.5 * p @ p:
            z, value, slope = new, new_value, new_slope
            accepted += k >= n_warmup
        if k >= n_warmup:
            draws.append(mode + root @ z)
    return Chain(np.array(draws), accepted / n_draws)
