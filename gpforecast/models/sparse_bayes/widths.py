"""The widths of the basis functions: where they start, and how the evidence moves them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import Bounds, minimize

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse_bayes.basis import Basis, Machine, first_machine
from gpforecast.models.sparse_bayes.cycles import ActiveSet, Cycles
from gpforecast.models.sparse_bayes.full import FullEM
from gpforecast.models.sparse_bayes.subspace import SubspaceEM
from gpforecast.models.sparse_bayes.weights import evidence_slopes, weights_of

_NEAR, _FAR = 0.5, 3.0  # a search moves no logarithm further than this
_MANY = 15_000  # evaluations of a search that its steps alone limit
_STEP = 0.05  # first step of a direct search, of a logarithm
_SMALL = 300  # rows for which all basis functions at once are quick
_SUBSET = 1000  # rows on which starting widths are compared
_FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)


def starting_width(
    basis: Basis, lengthscales: FloatArray, noise_var: float, *, learn_noise: bool = True
) -> FloatArray:
    """Compare multiples of widths by how well they predict rows left out; return half of the best.

    The evidence is no judge of widths that are far apart: basis functions so narrow that each
    covers one row have the highest of all, and predict nothing (thesis, figure 2.3). The best is
    the widest that is no worse than any other by more than a standard error. Half, because from
    basis functions that are a little too narrow the search finds higher evidence than from those
    too wide.
    """
    order = np.random.default_rng(0).permutation(basis.n)
    half = min(_SUBSET, basis.n - basis.n // 2)
    seen, left_out = np.sort(order[:half]), np.sort(order[half : 2 * half])
    subset = Basis(basis.X[seen], basis.y[seen], basis.bias)
    cycles = Cycles(learn_noise, max_iter=30, tol=1.0)
    quick = FullEM() if subset.n <= _SMALL else SubspaceEM()

    def log_densities(factor: float) -> FloatArray:
        """Of the targets left out, but for a constant."""
        active = ActiveSet(subset, first_machine(subset, factor * lengthscales, noise_var))
        quick.run(active, cycles)
        machine = active.machine
        weights = weights_of(subset, machine)
        Phi = subset.functions(machine.active, machine.lengthscales, basis.X[left_out])
        var = machine.noise_var + ((Phi @ weights.half.T) ** 2).sum(axis=1)
        values: FloatArray = (basis.y[left_out] - Phi @ weights.mean) ** 2 / var + np.log(var)
        return -0.5 * values

    table = np.array([log_densities(factor) for factor in _FACTORS])
    lead = table[int(np.argmax(table.mean(axis=1)))] - table  # of the best, row by row
    error = lead.std(axis=1) / np.sqrt(lead.shape[1])
    widest = int(np.flatnonzero(lead.mean(axis=1) <= error)[-1])
    return 0.5 * _FACTORS[widest] * lengthscales


def pattern_search(
    f: Callable[[float], float], x: float, *, step: float, n_evaluations: int
) -> float:
    """Climb f from x by the direct search of Hooke and Jeeves (1961), in one dimension.

    An exploratory move tries a step to either side; a success is repeated with doubled reach (the
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


def search_width(active: ActiveSet, narrowest: FloatArray, n_steps: int) -> None:
    """Move all widths by one factor, by direct search, precisions and noise held."""
    machine = active.machine
    lowest = float(np.log(narrowest / machine.lengthscales).max())

    def moved(shift: float) -> Machine:
        return replace(machine, lengthscales=machine.lengthscales * np.exp(shift))

    def log_evidence(shift: float) -> float:
        return -np.inf if shift < lowest else weights_of(active.basis, moved(shift)).log_evidence

    shift = pattern_search(log_evidence, 0.0, step=_STEP, n_evaluations=2 * n_steps + 1)
    if shift:
        active.move(moved(shift))


def climb_widths(active: ActiveSet, narrowest: FloatArray, n_steps: int) -> None:
    """Take a few line searches along the gradient (2.38), precisions and noise held."""
    active.move(climb(active.basis, active.machine, narrowest, n_steps, widths_alone=True))


def climb(
    basis: Basis,
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
    basis : Basis
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
    width = machine.lengthscales
    k = 1 if shared else len(width)
    m = 0 if widths_alone else len(machine.alpha)
    n_noise = int(learn_noise and not widths_alone)

    def unpacked(theta: FloatArray) -> Machine:
        return Machine(
            machine.active,
            np.exp(theta[k : k + m]) if m else machine.alpha,
            float(np.exp(theta[-1])) if n_noise else machine.noise_var,
            width * np.exp(theta[:k]),
        )

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        value, by_width, by_alpha, by_noise = evidence_slopes(basis, unpacked(theta))
        if shared:
            by_width = by_width.sum(keepdims=True)
        return -value, -np.concatenate([by_width, by_alpha[:m], [by_noise] * n_noise])

    noise = np.log([machine.noise_var] * n_noise)
    start = np.concatenate([np.zeros(k), np.log(machine.alpha[:m]), noise])
    reach = _NEAR if widths_alone else _FAR
    lower, upper = start - reach, start + reach
    room = np.log(narrowest / width)
    lower[:k] = np.maximum(lower[:k], room.max() if shared else room)
    lower[k : k + m] = np.maximum(lower[k : k + m], np.log(basis.min_precision))
    upper[k : k + m] = np.minimum(upper[k : k + m], np.log(basis.max_precision))
    lower[k + m :] = np.maximum(lower[k + m :], np.log(basis.min_noise))
    n_evaluations = 2 * n_steps + 3 if widths_alone else _MANY
    found = minimize(
        negative,
        np.clip(start, lower, upper),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(lower, upper),
        options={"maxiter": n_steps, "maxcor": 20, "maxfun": n_evaluations},
    )
    return unpacked(found.x)
