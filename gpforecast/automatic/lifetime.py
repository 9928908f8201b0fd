r"""Runs of equal values that chance would not make: a beginning, an end, and stuck sensors.

A run of r values that are repeated with probability h is worth :math:`-(r - 1) \log h` nats, at the
price of an event (`gpforecast.automatic.events`): zeros that precede a launch, those that follow an
end, and what a stuck sensor repeats.
"""

from dataclasses import dataclass

import numpy as np

from gpforecast.automatic.events import COST, SHIFT_FEWEST
from gpforecast.common.types import FloatArray, IntArray


@dataclass(frozen=True)
class Tie:
    """A run of equal values that chance would not make.

    Attributes
    ----------
    first, last : int
        Positions of its first and its last value.
    extreme : bool
        Whether all other values lie on one side of it.
    """

    first: int
    last: int
    extreme: bool


def ties_in(values: FloatArray) -> list[Tie]:
    r"""Return the runs of equal values, NaN left out, that chance would not make.

    A value is followed by itself with probability :math:`h = (k_v + 1) / (n_v + 1 / q)`, where it
    came n_v times elsewhere, k_v of them after itself, and q is the share of all other values that
    repeat the one that precedes them. Where it was kept elsewhere, in k runs of which the longest
    has l values, the run is worth no more than :math:`\log(k + 1) + 3 \log(r / l)`: droughts
    come in clumps.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:30] = values[20]
    >>> ties_in(values)
    [Tie(first=20, last=29, extreme=False)]
    """
    known = np.flatnonzero(~np.isnan(values))
    y, n = values[known], len(known)
    first, length = runs_of_equals(y)
    if len(first) < 2:
        return []
    _, level = np.unique(y[first], return_inverse=True)
    count, runs = np.bincount(level, length)[level], np.bincount(level)[level]
    share = (n - len(first) - (length - 1) + 1.0) / (n - length + 2.0)
    h = (count - length - (runs - 1) + 1.0) / (count - length + 1.0 / share)
    gain = -(length - 1.0) * np.log(h)
    found = []
    price = np.log(n) + COST
    for i in np.flatnonzero(gain > price).tolist():
        kept = length[(level == level[i]) & (length > 1) & (np.arange(len(level)) != i)]
        if len(kept) and np.log(len(kept) + 1) + 3.0 * np.log(length[i] / kept.max()) < price:
            continue
        a, b = int(first[i]), int(first[i] + length[i]) - 1
        others = np.concatenate([y[:a], y[b + 1 :]])
        extreme = bool(y[a] <= others.min() or y[a] >= others.max())
        found.append(Tie(int(known[a]), int(known[b]), extreme))
    return found


def runs_of_equals(y: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where each run of equal values begins, and how many it has.

    Examples
    --------
    >>> runs_of_equals(np.array([1.0, 1.0, 1.0, 2.0, 1.0]))
    (array([0, 3, 4]), array([3, 1, 1]))
    """
    first = np.flatnonzero(np.append(True, y[1:] != y[:-1])[: len(y)])
    return first, np.diff(np.append(first, len(y)))


def lifetime(values: FloatArray) -> tuple[int, int]:
    """Return where a series begins after a constant, and where it ends in one: 0 and n by default.

    The constant is the least or the largest of all values. A series has begun after as many values
    as show a shift of the level; it has ended after twice as many, or a twelfth of its values.

    Examples
    --------
    >>> values = np.r_[np.zeros(20), 50.0 + np.random.default_rng(0).standard_normal(30)]
    >>> lifetime(values)
    (20, 50)
    """
    known, first, last = np.flatnonzero(~np.isnan(values)), 0, len(values)
    for tie in ties_in(values):
        lasts = tie.last + 1 - tie.first >= min(2 * SHIFT_FEWEST, len(values) // SHIFT_FEWEST)
        if tie.extreme and tie.last == known[-1] and lasts:
            last = tie.first
        if tie.extreme and tie.first == known[0] and known[-1] - tie.last >= SHIFT_FEWEST:
            first = tie.last + 1
    return first, last


def stuck_runs(values: FloatArray) -> list[tuple[int, int]]:
    """Return the first and the last place of each run in which a sensor may be stuck.

    Its value lies between others: rain stops, and a tank is full.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:30] = values[20]
    >>> stuck_runs(values)
    [(20, 29)]
    """
    return [(tie.first, tie.last) for tie in ties_in(values) if not tie.extreme]


def stuck_places(values: FloatArray) -> tuple[int, ...]:
    """Return the positions of stuck readings, but for the first of each run."""
    return tuple(at for first, last in stuck_runs(values) for at in range(first + 1, last + 1))
