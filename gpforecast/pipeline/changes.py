r"""What several anomalies close together are: so many spikes, a new level, or a new spread.

Each explanation has a cost in nats: the negative log-likelihood of the standardised errors
:math:`z_i = e_i / s_i`, less what all have in common, and for each effect the prior odds against
one. With F of n values flagged,

.. math::

    \text{spikes:}\ \tfrac12 \sum_{i \notin F} z_i^2 + c\,|F|, \qquad
    \text{level:}\ \tfrac12 \sum_i (e_i - d)^2 / s_i^2 + c, \qquad
    \text{spread:}\ n \log r + \tfrac12 \sum_i z_i^2 / r^2 + c,

each at its most likely d or r. The least one is taken (Tsay, 1988, "Outliers, level shifts, and
variance changes in time series", Journal of Forecasting 7, compares the same three one by one).
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray

SPIKE, LEVEL, SPREAD = "spike", "level shift", "variance"
_COST = 7.0  # nats for each effect: the prior odds of 1 : 1000 that a value has one


@dataclass(frozen=True)
class Change:
    """What a few values show.

    Attributes
    ----------
    kind : {"spike", "level shift", "variance"}
    shift : float
        Of the level, in the units of the errors.
    scale : float
        Factor of the standard deviations.
    """

    kind: str
    shift: float = 0.0
    scale: float = 1.0


def change_among(error: FloatArray, std: FloatArray, flagged: BoolArray) -> Change:
    """Return the likeliest explanation of some values of which several are flagged.

    Parameters
    ----------
    error, std : ndarray (n,)
        Observed less expected, and its standard deviation, of neighbouring values in order.
    flagged : ndarray of bool (n,)

    Examples
    --------
    >>> change_among(np.array([8.0, 7.5, 8.4, 8.1]), np.ones(4), np.ones(4, bool))
    Change(kind='level shift', shift=8.0, scale=1.0)
    """
    z = error / std
    shift = float((z / std).sum() / (1.0 / std**2).sum())
    scale = max(float(np.sqrt(np.mean(z**2))), 1.0)
    costs = {
        SPIKE: 0.5 * (z[~flagged] ** 2).sum() + _COST * flagged.sum(),
        LEVEL: 0.5 * ((z - shift / std) ** 2).sum() + _COST,
        SPREAD: len(z) * np.log(scale) + 0.5 * (z**2).sum() / scale**2 + _COST,
    }
    kind = min(costs, key=costs.__getitem__)
    return Change(kind, shift if kind == LEVEL else 0.0, scale if kind == SPREAD else 1.0)
