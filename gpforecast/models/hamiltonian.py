"""Hamiltonian Monte Carlo: in the few dimensions of hyperparameters, and in many of unit scale."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gpforecast.common.progress import SILENT
from gpforecast.common.types import FloatArray

Negative: TypeAlias = Callable[[FloatArray], tuple[float, FloatArray]]
State: TypeAlias = tuple[FloatArray, float, FloatArray]
"""Where a chain is, the negative log density there, and its slope."""
Move: TypeAlias = Callable[[FloatArray, FloatArray, float], tuple[FloatArray, FloatArray, bool]]
"""Carries position and momentum along for a while; False if there is no way to go back."""

_STEP = 0.25  # in posterior standard deviations, times d^(-1/4)
_LEAPS = (4, 12)  # leapfrog steps of a trajectory, at least and at most
_MANY_LEAPS = (10, 15)  # in many dimensions
_TARGET = 0.65  # acceptance that a chain's step is adapted to
_GAIN = 0.15  # of the step's logarithm, for each unit of acceptance
_DIGITS = 20  # binary ones of a standard deviation that draws depend on
_BOUNCES = 100  # reflections of one leapfrog step, above which the trajectory is refused


def in_six_digits(values: FloatArray) -> FloatArray:
    """Return values without the digits that draws must not depend on.

    Trajectories amplify differences: two series that are the same but for rounding, such as one in
    other units, would have other draws. Values are rounded to a power of two that is about
    1e-6 of the standard deviation of a column. With the same rows the draws are then the same, but
    for the rare value within rounding of the middle between two.

    Parameters
    ----------
    values : ndarray (n,) or (n, d)

    Examples
    --------
    >>> y = np.array([0.1, 0.2, 0.4])
    >>> bool((in_six_digits(y) == in_six_digits(y * 49 / 49)).all())
    True
    """
    # Standard deviations are often 1, where rounding decides between two powers; 1.4 are not.
    exponent = np.frexp(1.4 * values.std(axis=0))[1] - _DIGITS
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent))


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

    def move(z: FloatArray, p: FloatArray, duration: float) -> tuple[FloatArray, FloatArray, bool]:
        return _moved(z, p, duration, middle, root, bounds)

    state, draws, accepted = (np.zeros_like(mode), *at(np.zeros_like(mode))), [], 0
    for k in range(n_warmup + n_draws):
        before, (state, _) = state, _transition(at, state, step, _LEAPS, rng, move)
        accepted += k >= n_warmup and state is not before
        if k >= n_warmup:
            draws.append(theta(state[0]))
        on_draw()
    return np.array(draws), accepted / n_draws


@dataclass
class MarkovChain:
    """A chain of Hamiltonian trajectories in many unbounded dimensions, all of unit scale.

    Attributes
    ----------
    z : ndarray (p,)
        Where the chain is.
    rng : Generator
    step : float
        Of the leapfrog.
    n_evaluations : int
        Of the density, so far.
    """

    z: FloatArray
    rng: np.random.Generator
    step: float = 0.3
    n_evaluations: int = 0

    def move(self, negative: Negative, n: int, *, adapt: bool = False) -> tuple[FloatArray, float]:
        """Go along n trajectories.

        Parameters
        ----------
        negative : callable
            Carries z (p,) to the negative log density and its gradient. It may be another one at
            every call.
        n : int
        adapt : bool
            Whether the step follows the acceptance, towards 65 %. Draws of a chain that adapts
            have the density only approximately.

        Returns
        -------
        draws : ndarray (n, p)
            The end of each.
        acceptance : float
            Mean probability that a trajectory's end is accepted.
        """

        def counted(z: FloatArray) -> tuple[float, FloatArray]:
            self.n_evaluations += 1
            return negative(z)

        state, draws, odds = (self.z, *counted(self.z)), [], []
        for _ in range(n):
            state, odd = _transition(counted, state, self.step, _MANY_LEAPS, self.rng, _free)
            if adapt:
                self.step *= float(np.exp(_GAIN * (odd - _TARGET)))
            draws.append(state[0])
            odds.append(odd)
        self.z = state[0]
        return np.array(draws), float(np.mean(odds))


def _transition(
    at: Negative,
    state: State,
    step: float,
    leaps: tuple[int, int],
    rng: np.random.Generator,
    move: Move,
) -> tuple[State, float]:
    """Return the state after one trajectory, and the probability that its end is accepted."""
    z, value, slope = state
    p = rng.standard_normal(len(z))
    energy = value + 0.5 * p @ p
    new, new_value, new_slope = z, value, slope
    epsilon = step * rng.uniform(0.7, 1.3)  # no trajectory ends where it began
    for _ in range(rng.integers(leaps[0], leaps[1] + 1)):
        p = p - 0.5 * epsilon * new_slope
        new, p, inside = move(new, p, epsilon)
        new_value, new_slope = at(new) if inside else (np.inf, slope)
        if not np.isfinite(new_value):
            break
        p = p - 0.5 * epsilon * new_slope
    gain = float(energy - new_value - 0.5 * p @ p)
    accepted = np.log(rng.uniform()) < gain
    return (new, new_value, new_slope) if accepted else state, float(np.exp(min(gain, 0.0)))


def _free(z: FloatArray, p: FloatArray, duration: float) -> tuple[FloatArray, FloatArray, bool]:
    return z + duration * p, p, True


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
