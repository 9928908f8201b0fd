"""What of a structural forecast is level, season and memory, and where its variance comes from."""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.state_space import filtered, steps_ahead
from gpforecast.structural.model import StructuralModel, StructuralPosterior, space_at

_STATES = {"trend": slice(0, 3), "season": slice(4, None), "memory": slice(3, 4)}


@dataclass(frozen=True, eq=False)
class StructuralParts:
    """Parts of a forecast of h steps from one origin, in the units of the structural model.

    Attributes
    ----------
    mean, std : dict of ndarray (h,)
        Of ``trend`` (level, slope and drift), ``season`` and ``memory``, as those of the states at
        each step, later disturbances included. Means add up to that of the forecast.
    noise, past, map : ndarray (h,)
        Variances, which add up to that of the forecast: of later disturbances and of noise; of the
        states at the origin; of the hyperparameters.
    """

    mean: dict[str, FloatArray]
    std: dict[str, FloatArray]
    noise: FloatArray
    past: FloatArray
    map: FloatArray


def structural_parts(
    posterior: StructuralPosterior, y: FloatArray, end: int, horizon: int
) -> StructuralParts:
    """Return the parts of what `StructuralPosterior.ahead` forecasts from one origin.

    Parameters
    ----------
    posterior : StructuralPosterior
    y : ndarray (n,)
        The series from its first value on, NaN where missing.
    end : int
        Position of the first value that is forecast.
    horizon : int
    """
    base, unit, model = y[np.argmin(np.isnan(y))], posterior.unit, StructuralModel(posterior.period)
    n, names = len(posterior.points), [*_STATES]
    means, variances = np.zeros((2, n, len(names), horizon))
    totals, noise, past = np.zeros((n, horizon)), np.zeros(horizon), np.zeros(horizon)
    for i, (point, scale) in enumerate(zip(posterior.points, posterior.scales, strict=True)):
        space, weight = space_at(point, model), posterior.weights[i]
        a, P = space.first
        filtered((y[:end] - base) / unit, *space.moves, 0, a, P, np.empty((0, 0)))

        def ahead(q: FloatArray, r: float, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
            mean, var = np.empty(horizon), np.empty((horizon, 1))
            state = a.copy(), P.copy()  # noqa: B023
            steps_ahead(space.phi, space.rho, q, r, Z, end, *state, mean, var)  # noqa: B023
            return mean, var[:, 0]

        totals[i], var = ahead(space.q, space.r, space.Z)
        _, of_state = ahead(np.zeros_like(space.q), 0.0, space.Z)
        past += weight * scale * of_state
        noise += weight * scale * (var - of_state)
        for j, name in enumerate(names):
            Z = np.zeros_like(space.Z)
            Z[:, _STATES[name]] = space.Z[:, _STATES[name]]
            means[i, j], var = ahead(space.q, 0.0, Z)
            variances[i, j] = scale * var
    mean = np.einsum("i,ijh->jh", posterior.weights, means)
    spread = np.einsum("i,ijh->jh", posterior.weights, variances + (means - mean) ** 2)
    off = totals - posterior.weights @ totals
    found = dict(zip(names, unit * mean, strict=True))
    found["trend"] = found["trend"] + base
    return StructuralParts(
        found,
        dict(zip(names, unit * np.sqrt(spread), strict=True)),
        unit**2 * noise,
        unit**2 * past,
        unit**2 * (posterior.weights @ off**2),
    )
