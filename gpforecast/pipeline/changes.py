r"""Changes of level or spread among the errors of forecasts.

**Several anomalies close together** are so many spikes, a new level, or a new spread.
Each explanation has a cost in nats: the negative log-likelihood of the standardised errors
:math:`z_i = e_i / s_i`, less what all have in common, and for each effect the prior odds against
one. With F of n values flagged,

.. math::

    \text{spikes:}\ \tfrac12 \sum_{i \notin F} z_i^2 + c\,|F|, \qquad
    \text{level:}\ \tfrac12 \sum_i (e_i - d)^2 / s_i^2 + c, \qquad
    \text{spread:}\ n \log r + \tfrac12 \sum_i z_i^2 / r^2 + c,

each at its most likely d or r. The least one is taken (Tsay, 1988, "Outliers, level shifts, and
variance changes in time series", Journal of Forecasting 7, compares the same three one by one).

**Runs of errors of one sign** are a change of level that no single value shows.
Cumulative sums of standardised errors z, one for each sign (Page 1954, "Continuous inspection
schemes", Biometrika 41),

.. math:: S_i = \max(0, S_{i-1} \pm z_i - k),

alarm where one of them passes h. With k = 1 they are quickest for a level two standard deviations
away, and such a run takes about h errors. h follows from how often ordinary errors may raise an
alarm: by Siegmund (1985, "Sequential Analysis", section 2.7), a sum passes h after

.. math:: \frac{e^{2kb} - 2kb - 1}{2k^2}, \qquad b = h + 1.166,

values on average.

That is for errors that are independent. Where a forecast is wider than usual because the model
knows little of the function there, neighbouring errors share what is not known. In standard
deviations,

.. math:: z_i = s_i a + \sqrt{1 - s_i^2}\, n_i, \qquad a \sim N(0, 1),

with one a for a run and :math:`1 - s_i^2` the usual variance in parts of that of the forecast. What
is added up is the error of each :math:`z_i` given those before it in the run, which is standard
normal and independent again. What is not known comes little by little: after a jump, an error of
four standard deviations, the errors of a run count in full. So a new level is found that takes the
series where the model knows little.
"""

from dataclasses import dataclass, field

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray

SPIKE, LEVEL, SPREAD = "spike", "level shift", "variance"
_COST = 7.0  # nats for each effect: the prior odds of 1 : 1000 that a value has one
_SLACK = 1.0  # k, in standard deviations: half the change that a run shows soonest
_LARGEST = 3.0  # standard deviations that one error counts at most: a spike is no run
_OVERSHOOT = 1.166  # Siegmund's correction of h
_MOST_SHARED = 0.999  # of a variance
_JUMP = 4.0  # standard deviations that what is not known does not make at once
_SHARE = 0.005  # of all false alarms that runs may add, were errors independent


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


@dataclass(eq=False)
class _Shared:
    """What the errors of a run so far say of a."""

    precision: float = 1.0
    weighted: float = 0.0  # mean times precision
    jumped: bool = False

    def left(self, z: float, s: float) -> float:
        """Take note of an error; return what those before it leave of it, standardised."""
        self.jumped = self.jumped or abs(z) >= _JUMP
        if self.jumped:
            return z
        own = 1.0 - s**2
        left = (z - s * self.weighted / self.precision) / np.sqrt(own + s**2 / self.precision)
        self.precision += s**2 / own
        self.weighted += s * z / own
        return float(left)


@dataclass(eq=False)
class Runs:
    """Cumulative sums of errors, and where each began.

    Attributes
    ----------
    limit : float
        The share of ordinary values that may be flagged at all; 0: no run is.
    overlap : int
        So many errors that follow each other are alike.
    """

    limit: float
    overlap: int = 1
    sums: dict[int, float] = field(default_factory=lambda: {1: 0.0, -1: 0.0})
    starts: dict[int, int] = field(default_factory=lambda: {1: 0, -1: 0})
    shared: dict[int, _Shared] = field(default_factory=lambda: {1: _Shared(), -1: _Shared()})

    @property
    def threshold(self) -> float:
        """The sum h that raises an alarm.

        Examples
        --------
        >>> round(Runs(0.001).threshold, 1)
        5.6
        """
        if self.limit == 0.0:
            return np.inf
        each = 2.0 / (_SHARE * self.limit)  # values, on average, of a sum of one sign
        return float(np.log(2.0 * _SLACK**2 * each) / (2.0 * _SLACK)) - _OVERSHOOT

    def add(self, i: int, z: float, share: float = 0.0) -> int | None:
        """Take note of the error of value i; return where a run began that is too long.

        Parameters
        ----------
        i : int
        z : float
            In standard deviations.
        share : float
            The part of its variance that neighbouring errors share.
        """
        found, s = None, float(np.sqrt(np.clip(share, 0.0, _MOST_SHARED)))
        if np.isnan(z):
            return None
        for sign in self.sums:
            if self.sums[sign] == 0.0:
                self.starts[sign], self.shared[sign] = i, _Shared()
            left = sign * self.shared[sign].left(z, s)
            step = (min(left, _LARGEST) - _SLACK) / self.overlap
            self.sums[sign] = max(self.sums[sign] + step, 0.0)
            if self.sums[sign] > self.threshold:
                found = self.starts[sign]
        return found

    def forget(self) -> None:
        """Begin again."""
        self.sums = dict.fromkeys(self.sums, 0.0)
