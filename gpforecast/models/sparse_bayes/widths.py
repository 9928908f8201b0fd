"""Adapting the widths of the bumps to the data, by the evidence."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.optimize import Bounds, minimize

from gpforecast.common.types import FloatArray
from gpforecast.models.sparse_bayes.evidence import Rows, Sparse, infer, slopes
from gpforecast.models.sparse_bayes.working import (
    MAX_PRECISION,
    MIN_NOISE,
    MIN_PRECISION,
    Settings,
    Working,
)

_FARTHEST = 3.0  # a search moves no logarithm further than this


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
    best, used = f(x), 1
    while used < n_evaluations:
        for move in (step, -step):
            value = f(x + move)
            used += 1
            if value > best:
                x, best = x + move, value
                while used < n_evaluations:  # the pattern move
                    move *= 2.0
                    value = f(x + move)
                    used += 1
                    if value <= best:
                        break
                    x, best = x + move, value
                step = abs(step)
                break
            if used >= n_evaluations:
                break
        else:
            step /= 2.0
    return x


def search_width(
    work: Working, narrowest: FloatArray, *, step: float = 0.05, n_evaluations: int = 5
) -> None:
    """Move all widths by one factor, by direct search, precisions and noise held."""
    model = work.model
    lowest = float(np.log(narrowest / model.lengthscales).max())

    def log_evidence(shift: float) -> float:
        if shift < lowest:
            return -np.inf
        moved = replace(model, lengthscales=model.lengthscales * np.exp(shift))
        Phi = work.rows.bumps(model.active, moved.lengthscales)
        return infer(Phi, Phi.T @ Phi, work.rows.y, model.alpha, model.noise_var).log_evidence

    shift = pattern_search(log_evidence, 0.0, step=step, n_evaluations=n_evaluations)
    if shift:
        work.move(replace(model, lengthscales=model.lengthscales * np.exp(shift)))


def climb_widths(work: Working, narrowest: FloatArray, *, n_steps: int = 2) -> None:
    """Take a few line searches along the gradient (2.38), precisions and noise held."""
    model = work.model
    start = np.log(model.lengthscales)

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        at = replace(model, lengthscales=np.exp(theta))
        value, by_width, _, _ = _slopes_at(work.rows, at)
        return -value, -by_width

    found = minimize(
        negative,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(np.maximum(start - 0.5, np.log(narrowest)), start + 0.5),
        options={"maxiter": n_steps, "maxfun": 2 * n_steps + 3},
    )
    work.move(replace(model, lengthscales=np.exp(found.x)))


def climb_everything(
    rows: Rows,
    model: Sparse,
    settings: Settings,
    narrowest: FloatArray,
    *,
    shared: bool,
    n_steps: int,
) -> Sparse:
    """Climb the evidence in widths, precisions and noise together, the active set held.

    L-BFGS-B on the logarithms, with the gradients (2.22) and (2.38); an evaluation costs
    O(n m^2 + n m d).

    Parameters
    ----------
    rows : Rows
    model : Sparse
    settings : Settings
    narrowest : ndarray (d,)
        Lower bounds of the widths.
    shared : bool
        Whether all inputs have one width.
    n_steps : int
    """
    d, m = len(model.lengthscales), len(model.alpha)
    k = 1 if shared else d
    width = model.lengthscales  # a shared search moves them by one factor

    def unpacked(theta: FloatArray) -> Sparse:
        return Sparse(
            active=model.active,
            alpha=np.exp(theta[k : k + m]),
            noise_var=float(np.exp(theta[-1])) if settings.learn_noise else model.noise_var,
            lengthscales=width * np.exp(theta[:k]),
        )

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        value, by_width, by_alpha, by_noise = _slopes_at(rows, unpacked(theta))
        if shared:
            by_width = np.array([by_width.sum()])
        noise = np.full(n_noise, by_noise)
        return -value, -np.concatenate([by_width, by_alpha, noise])

    n_noise = int(settings.learn_noise)
    noise = np.full(n_noise, np.log(model.noise_var))
    start = np.concatenate([np.zeros(k), np.log(model.alpha), noise])
    lower, upper = start - _FARTHEST, start + _FARTHEST
    room = np.log(narrowest / width)
    lower[:k] = np.maximum(lower[:k], room.max() if shared else room)
    lower[k : k + m] = np.maximum(lower[k : k + m], np.log(MIN_PRECISION / rows.power))
    upper[k : k + m] = np.minimum(upper[k : k + m], np.log(MAX_PRECISION / rows.power))
    if settings.learn_noise:
        lower[-1] = max(lower[-1], np.log(MIN_NOISE * rows.power))
    found = minimize(
        negative,
        np.clip(start, lower, upper),
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(lower, upper),
        options={"maxiter": n_steps, "maxcor": 20},
    )
    return unpacked(found.x)


def _slopes_at(rows: Rows, model: Sparse) -> tuple[float, FloatArray, FloatArray, float]:
    Phi = rows.bumps(model.active, model.lengthscales)
    weights = infer(Phi, Phi.T @ Phi, rows.y, model.alpha, model.noise_var)
    return weights.log_evidence, *slopes(rows, model, Phi, weights)
