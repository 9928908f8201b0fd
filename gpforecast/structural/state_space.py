r"""Level, slope, season and short memory as one linear state-space model.

.. math::

    y_t &= \mu_t + \textstyle\sum_k \gamma_{k,t} + u_t + \varepsilon_t \\
    \mu_{t+1} &= \mu_t + \delta + \beta_t + \eta_t, \qquad
    \beta_{t+1} = \varphi \beta_t + \zeta_t \\
    u_{t+1} &= \rho u_t + \xi_t

and each harmonic :math:`\gamma_k` of the season turns by the angle :math:`2 \pi k / m` a step and
is disturbed. The drift :math:`\delta` lasts, the slope :math:`\beta` fades. All of it is a Gaussian
process over time, whose covariance is a sum of those of a level, a straight line, a slope that
fades, a season and a stationary part.

References
----------
Harvey (1989), "Forecasting, structural time series models and the Kalman filter", sections 2.3.4
and 6.1; Durbin and Koopman (2012), "Time series analysis by state space methods", section 3.2; for
the fading slope Gardner and McKenzie (1985), "Forecasting trends in time series".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp

import numpy as np

from gpforecast.common.types import FloatArray


@dataclass(frozen=True)
class Belief:
    """What is believed of a hyperparameter before there is a series: a normal distribution.

    Attributes
    ----------
    mean, std : float
        In the units of the search, logarithms or logits.
    """

    mean: float
    std: float


#: Learned from the development series of the M1 and M3 competitions (`everyday.py`).
BELIEFS: Mapping[str, Belief] = {
    "level": Belief(-1.0, 3.3),  # logit of the level's share of the variance of a step
    "memory": Belief(-2.0, 1.5),  # logit of the memory's share of what is left
    "rho": Belief(1.0, 1.0),  # logit of rho / 0.95
    "damping": Belief(0.0, 1.0),  # logit of (phi - 0.8) / 0.2
    "drift": Belief(-4.0, 1.0),  # logarithm of the variance of a drift that lasts
    "slope": Belief(-7.0, 1.0),  # logarithm of the variance of a slope's step
    "season": Belief(-6.0, 3.3),  # logarithm of the variance of a season's step
    "amplitude": Belief(1.3, 1.6),  # logarithm of the variance of a season at the start
}
LEAST_DAMPING = 0.8
_MOST_MEMORY = 0.95
_LEAST_NOISE = 1e-6
_SLOPE_AT_START = 0.2  # variance
_LEVEL_AT_START = 1e4  # variance: next to nothing is known of it


@dataclass(frozen=True, eq=False)
class StateSpace:
    """How the state moves, and what is known of it at the start; variances in units of the scale.

    The states are level, slope, drift, memory, and those of the season: for each harmonic one that
    is observed by a cosine and one by a sine of time; the last of an even period has the first
    alone.

    Attributes
    ----------
    phi, rho : float
        Factors of a step, of the slope and of the memory.
    q : ndarray (m,)
        Variances of the disturbances of the states.
    r : float
        Variance of the noise of an observation.
    start : ndarray (m,)
        Variances of the states at the first time; their means are 0.
    Z : ndarray (period, m)
        What an observation at time k, k + period, ... is of the states.
    """

    phi: float
    rho: float
    q: FloatArray
    r: float
    start: FloatArray
    Z: FloatArray

    @staticmethod
    def of(values: Mapping[str, float], period: int | None) -> "StateSpace":
        """Build the model of some hyperparameters, by name; a season of `period` steps or none."""
        level, memory = _logistic(values["level"]), _logistic(values["memory"])
        rho = _MOST_MEMORY * _logistic(values["rho"])
        phi = LEAST_DAMPING + (1.0 - LEAST_DAMPING) * _logistic(values["damping"])
        rest, Z = 1.0 - level, _observed(period)
        q, start = np.zeros(Z.shape[1]), np.zeros(Z.shape[1])
        q[:4] = level, exp(values["slope"]), 0.0, rest * memory * (1.0 - rho**2)
        start[:4] = _LEVEL_AT_START, _SLOPE_AT_START, exp(values["drift"]), rest * memory
        if period is not None:
            q[4:] = exp(values["season"])
            start[4:] = exp(values["amplitude"]) / (period // 2)
        noise = rest * (1.0 - memory) + _LEAST_NOISE
        return StateSpace(phi, rho, q, noise, start, Z)

    @staticmethod
    def slopes(values: Mapping[str, float], period: int | None) -> FloatArray:
        """Return derivatives of phi, rho, r, q and start (3 + 2m,) by each of the values, (d, ...).

        In the order of the values.
        """
        level, memory = _logistic(values["level"]), _logistic(values["memory"])
        share, rho = _logistic(values["rho"]), _MOST_MEMORY * _logistic(values["rho"])
        damping, rest, m = _logistic(values["damping"]), 1.0 - level, _observed(period).shape[1]
        by_level, by_memory = level * rest, memory * (1.0 - memory)
        by_rho, kept = rho * (1.0 - share), 1.0 - rho**2
        found = {name: np.zeros(3 + 2 * m) for name in values}
        q, start = 3, 3 + m
        found["level"][[q, q + 3, 2, start + 3]] = by_level * np.array(
            [1.0, -memory * kept, memory - 1.0, -memory]
        )
        found["memory"][[q + 3, 2, start + 3]] = rest * by_memory * np.array([kept, -1.0, 1.0])
        found["rho"][[1, q + 3]] = by_rho, -2.0 * rest * memory * rho * by_rho
        found["damping"][0] = (1.0 - LEAST_DAMPING) * damping * (1.0 - damping)
        found["slope"][q + 1] = exp(values["slope"])
        found["drift"][start + 2] = exp(values["drift"])
        if period is not None:
            found["season"][q + 4 : start] = exp(values["season"])
            found["amplitude"][start + 4 :] = exp(values["amplitude"]) / (period // 2)
        return np.array(list(found.values()))

    @property
    def moves(self) -> tuple[float, float, FloatArray, float, FloatArray]:
        """What the filter takes: phi, rho, q, r and Z."""
        return self.phi, self.rho, self.q, self.r, self.Z

    @property
    def first(self) -> tuple[FloatArray, FloatArray]:
        """Mean (m,) and covariance (m, m) of the state at the first time."""
        return np.zeros(len(self.q)), np.diag(self.start)


def _logistic(x: float) -> float:
    return 1.0 / (1.0 + exp(-x))


@lru_cache(maxsize=32)
def _observed(period: int | None) -> FloatArray:
    """Return what an observation is of the states, (period, m), or (1, m) without a season."""
    t = np.arange(period or 1)
    columns = [np.ones(len(t)), np.zeros(len(t)), np.zeros(len(t)), np.ones(len(t))]
    for k in range(1, (period or 0) // 2 + 1):
        angles = 2.0 * np.pi * k * t / len(t)
        columns.append(np.cos(angles))
        if 2 * k != period:  # at half the period the sine is 0 at every step
            columns.append(np.sin(angles))
    return np.column_stack(columns)
