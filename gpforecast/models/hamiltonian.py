"""Hamiltonian Monte Carlo in the few dimensions of a model's hyperparameters."""

from collections.abc import Callable

import numpy as np

from gpforecast.common.progress import SILENT
from gpforecast.common.types import FloatArray

Negative = Callable[[FloatArray], tuple[float, FloatArray]]

_STEP = 0.25  # in posterior standard deviations, times d^(-1/4)
_LEAPS = 8  # leapfrog steps of a trajectory, on average
_BOUNCES = 100  # reflections of one leapfrog step, above which the trajectory is refused


def laplace_root(negative: Negative, mode: FloatArray, *, floor: float) -> FloatArray:
    """Return R with R R' the covariance of the Gaussian that matches a density's mode.

    The curvature comes from central differences of the gradient, 2 p evaluations; no eigenvalue of
    it is taken to be less than `floor`, so that R stays finite where the density is flat. A mode on
    a bound has a slope there: the density falls like an exponential of it, whose variance is the
    inverse of the slope squared.

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
    curvature += np.diag(negative(mode)[1] ** 2)
    values, vectors = np.linalg.eigh(curvature)
    return np.asarray(vectors / np.sqrt(np.maximum(values, floor)))


def sample(
    negative: Negative,
    mode: FloatArray,
    root: FloatArray,
    bounds: FloatArray,
    *,
    n_draws: int,
    n_warmup: int,
    rng: np.random.Generator,
    on_draw: Callable[[], object] = SILENT.update,
) -> tuple[FloatArray, float]:
    """Draw from a density by Hamiltonian trajectories in the coordinates that `root` whitens.

    Each draw is the end of one trajectory of random length. The bounds reflect it as walls do,
    which keeps energy and volume and can be run backwards, so that the draws have the density
    within the bounds, and a mode on one of them costs no acceptance. One evaluation of the gradient
    a leapfrog step, so about 8 (n_draws + n_warmup).

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
    on_draw : callable
        Called after every draw, those left out too.

    Returns
    -------
    draws : ndarray (n_draws, p)
    acceptance : float
        Fraction of the proposals that were accepted, between 0 and 1.

    References
    ----------
    Neal (2011), MCMC using Hamiltonian dynamics, sections 5.2 and 5.5.1.5 (constraints).
    """
    middle = np.clip(mode, *bounds.T)
    step = _STEP / len(mode) ** 0.25

    def theta(z: FloatArray) -> FloatArray:
        return np.clip(middle + root @ z, *bounds.T)  # rounding does not carry it out of the bounds

    def at(z: FloatArray) -> tuple[float, FloatArray]:
        value, slopes = negative(theta(z))
        return value, root.T @ slopes

    z, (value, slope) = np.zeros_like(mode), at(np.zeros_like(mode))
    draws, accepted = [], 0
    for k in range(n_warmup + n_draws):
        p = rng.standard_normal(len(z))
        energy = value + 0.5 * p @ p
        new, new_value, new_slope = z, value, slope
        epsilon = step * rng.uniform(0.7, 1.3)  # no trajectory ends where it began
        for _ in range(rng.integers(_LEAPS // 2, _LEAPS + _LEAPS // 2 + 1)):
            p = p - 0.5 * epsilon * new_slope
            new, p, inside = _moved(new, p, epsilon, middle, root, bounds)
            new_value, new_slope = at(new) if inside else (np.inf, slope)
            if not np.isfinite(new_value):
                break
            p = p - 0.5 * epsilon * new_slope
        if np.log(rng.uniform()) < energy - new_value - 0.5 * p @ p:
            z, value, slope = new, new_value, new_slope
            accepted += k >= n_warmup
        if k >= n_warmup:
            draws.append(theta(z))
        on_draw()
    return np.array(draws), accepted / n_draws


def _moved(
    z: FloatArray,
    p: FloatArray,
    duration: float,
    middle: FloatArray,
    root: FloatArray,
    bounds: FloatArray,
) -> tuple[FloatArray, FloatArray, bool]:
    """Move z along p for a while, reflected by every bound of theta = middle + root z on the way.

    Each bound is a plane across z with a row of the root for its normal.

    Returns
    -------
    z, p : ndarray (p,)
    inside : bool
        False if there were too many reflections, as there would be on the way back.
    """
    for _ in range(_BOUNCES):
        theta, speed = middle + root @ z, root @ p
        room = np.where(speed > 0, bounds[:, 1] - theta, theta - bounds[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(speed == 0, np.inf, np.maximum(room, 0.0) / np.abs(speed))
        i = int(np.argmin(times))
        if times[i] >= duration:
            return z + duration * p, p, True
        z, duration = z + times[i] * p, duration - times[i]
        normal = root[i] / np.linalg.norm(root[i])
        p = p - 2.0 * (p @ normal) * normal
    return z, p, False
