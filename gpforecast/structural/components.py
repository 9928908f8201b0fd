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

import numpy as np
from scipy.special import expit

from gpforecast.common.types import FloatArray


@dataclass(frozen=True)
class Belief:
    """What is believed of a hyperparameter before a series is seen: a normal distribution.

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

    Attributes
    ----------
    F : ndarray (b, 2, 2)
        The blocks of the transition: level and slope, drift, memory, one for each harmonic.
    q : ndarray (2b,)
        Variances of the disturbances of the states.
    r : float
        Variance of the noise of an observation.
    start : ndarray (2b,)
        Variances of the states at the first time.
    """

    F: FloatArray
    q: FloatArray
    r: float
    start: FloatArray

    @staticmethod
    def of(values: Mapping[str, float], period: int | None) -> "StateSpace":
        """Build the model of some hyperparameters, by name; a season of `period` steps or none."""
        level, memory = float(expit(values["level"])), float(expit(values["memory"]))
        rho = _MOST_MEMORY * float(expit(values["rho"]))
        phi = LEAST_DAMPING + (1.0 - LEAST_DAMPING) * float(expit(values["damping"]))
        rest = 1.0 - level
        blocks = [[[1.0, 1.0], [0.0, phi]], [[1.0, 1.0], [0.0, 1.0]], [[rho, 0.0], [0.0, 0.0]]]
        q = [level, np.exp(values["slope"]), 0.0, 0.0, rest * memory * (1.0 - rho**2), 0.0]
        start = [_LEVEL_AT_START, _SLOPE_AT_START, 0.0, np.exp(values["drift"]), rest * memory, 0.0]
        n_harmonics = 0 if period is None else period // 2
        for k in range(1, n_harmonics + 1):
            angle = 2.0 * np.pi * k / (period or 1)
            c, s = np.cos(angle), np.sin(angle)
            blocks.append([[c, s], [-s, c]])
            whole = 0.0 if 2 * k == period else 1.0  # the last of an even period only alternates
            q += [np.exp(values["season"])] * 2
            start += [np.exp(values["amplitude"]) / n_harmonics] * 2
            q[-1] *= whole
            start[-1] *= whole
        noise = rest * (1.0 - memory) + _LEAST_NOISE
        return StateSpace(np.array(blocks), np.array(q), noise, np.array(start))

    @property
    def first(self) -> tuple[FloatArray, FloatArray]:
        """Mean (2b, 1) and covariance (2b, 2b) of the state at the first time."""
        return np.zeros((len(self.q), 1)), np.diag(self.start)
