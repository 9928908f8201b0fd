"""The widths of the basis functions, and how the evidence moves them."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gpforecast.common.parameters import POSITIVE
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.models.evidence import column_spread, lbfgs
from gpforecast.models.sparse_bayes.machine import Machine

_NEAR, _FAR = 0.5, 3.0  # no logarithm moves further than this in one search
_MANY = 15_000  # evaluations; in effect the steps alone are limited
_STEP = 0.05  # first step of a direct search, of a logarithm


def pattern_search(
    f: Callable[[float], float], x: float, *, step: float, n_evaluations: int
) -> float:
    """Climb f from x by the direct search of Hooke and Jeeves (1961), in one dimension.

    An exploratory move tries a step to either side; a success is repeated with doubled step (the
    pattern move), a failure halves the step.

    Parameters
    ----------
    f : callable
        To be maximised.
    x : float
    step : float
    n_evaluations : int
        After which it stops.
    """
    best, left = f(x), n_evaluations - 1

    def climbs(move: float) -> bool:
        """Take a move if it leads upwards."""
        nonlocal x, best, left
        if left <= 0:
            return False
        left -= 1
        value = f(x + move)
        if value > best:
            x, best = x + move, value
            return True
        return False

    while left > 0:
        move = next((m for m in (step, -step) if climbs(m)), None)
        if move is None:
            step /= 2.0
            continue
        while climbs(move := 2.0 * move):  # the pattern move
            pass
    return x


def search_width(machine: Machine, narrowest: FloatArray, n_steps: int) -> Machine:
    """Move all widths by one factor, by direct search, precisions and noise held."""
    lowest = float(np.log(narrowest / machine.lengthscales).max())

    def moved(shift: float) -> Machine:
        return replace(machine, lengthscales=machine.lengthscales * np.exp(shift))

    def log_evidence(shift: float) -> float:
        return -np.inf if shift < lowest else moved(shift).weights.log_evidence

    shift = pattern_search(log_evidence, 0.0, step=_STEP, n_evaluations=2 * n_steps + 1)
    return moved(shift) if shift else machine


def climb(
    machine: Machine,
    narrowest: FloatArray,
    n_steps: int,
    *,
    shared: bool = False,
    widths_alone: bool = False,
    learn_noise: bool = True,
) -> Machine:
    """Climb the evidence in widths, precisions and noise together, the active set held.

    L-BFGS-B on the logarithms, with the gradients (2.22) and (2.38); an evaluation costs
    O(n m^2 + n m d).

    Parameters
    ----------
    machine : Machine
    narrowest : ndarray (d,)
        Lower bounds of the widths.
    n_steps : int
    shared : bool
        Whether one factor moves the widths of all inputs.
    widths_alone : bool
        Hold precisions and noise, and do not go far.
    learn_noise : bool
    """
    basis, width = machine.basis, machine.lengthscales
    k = 1 if shared else len(width)
    m = 0 if widths_alone else len(machine.alpha)
    n_noise = int(learn_noise and not widths_alone)

    def unpacked(theta: FloatArray) -> Machine:
        return replace(
            machine,
            alpha=np.exp(theta[k : k + m]) if m else machine.alpha,
            noise_var=float(np.exp(theta[-1])) if n_noise else machine.noise_var,
            lengthscales=width * np.exp(theta[:k]),
        )

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        value, by_width, by_alpha, by_noise = evidence_slopes(unpacked(theta))
        if shared:
            by_width = by_width.sum(keepdims=True)
        return -value, -np.concatenate([by_width, by_alpha[:m], [by_noise] * n_noise])

    noise = np.log([machine.noise_var] * n_noise)
    start = np.concatenate([np.zeros(k), np.log(machine.alpha[:m]), noise])
    sizes, furthest = (k, m, n_noise), _NEAR if widths_alone else _FAR
    room = np.log(narrowest / width)
    lowest = np.repeat(np.log([1.0, basis.min_precision, basis.min_noise]), sizes)
    lowest[:k] = room.max() if shared else room
    highest = np.repeat([np.inf, np.log(basis.max_precision), np.inf], sizes)
    lower, upper = np.maximum(start - furthest, lowest), np.minimum(start + furthest, highest)
    n_evaluations = 2 * n_steps + 3 if widths_alone else _MANY
    bounds = np.column_stack([lower, upper])
    start = np.clip(start, lower, upper)
    found = lbfgs(negative, start, bounds, maxiter=n_steps, maxfun=n_evaluations, maxcor=20)
    return unpacked(found.x)


def evidence_slopes(machine: Machine) -> tuple[float, FloatArray, FloatArray, float]:
    r"""Return the log evidence, and its slopes by log theta (d,), log alpha (m,), log sigma^2.

    With :math:`D = (y - \Phi\mu)\mu' - \Phi\Sigma`, eq. (2.38) reads

    .. math::

        \frac{\partial L}{\partial \log\theta_d} = \sigma^{-2} \sum_{ij} D_{ij}\, \phi_j(x_i)
            (X_{id} - X_{jd})^2 / \theta_d^2

    and the others are (2.22). Costs O(n m^2 + n m d) time and O(n m) memory.
    """
    basis, alpha, noise_var = machine.basis, machine.alpha, machine.noise_var
    Phi, weights = machine.Phi, machine.weights
    at_row = machine.active < basis.n
    centers = basis.X[machine.active[at_row]]
    half = weights.half
    D = np.outer(basis.y - Phi @ weights.mean, weights.mean[at_row])
    D -= (Phi @ half.T) @ half[:, at_row]
    D *= Phi[:, at_row] / noise_var
    # sum_ij D_ij (x_i - x_j)^2, multiplied out; X is centred.
    moment = D.sum(axis=1) @ basis.X**2 + D.sum(axis=0) @ centers**2
    moment -= 2.0 * np.einsum("jd,jd->d", D.T @ basis.X, centers)
    gamma = weights.gamma
    by_alpha = 0.5 * (gamma - alpha * weights.mean**2)
    by_noise = 0.5 * (weights.squares / noise_var + float(gamma.sum()) - weights.n)
    return weights.log_evidence, moment / machine.lengthscales**2, by_alpha, by_noise


def widths_of(given: ArrayLike | None, X: FloatArray) -> FloatArray:
    """Return widths (d,): those given, or the spread of each input times the root of d."""
    d = X.shape[1]
    if given is None:
        return column_spread(X) * math.sqrt(d)
    widths = np.atleast_1d(np.array(given, dtype=object))
    if widths.shape not in ((1,), (d,)) or not all(map(POSITIVE.holds, widths)):
        raise ValueError(
            f"lengthscales must be None, a positive number, or one for each of the {d} "
            f"inputs; got {given!r}."
        )
    return np.full(d, widths.astype(np.float64))
