r"""Runs of equal values that chance would not make: a beginning, an end, and stuck sensors.

A run of r values that are repeated with probability h is worth :math:`-(r - 1) \log h` nats, at the
price of an event (`gpforecast.automatic.events`): zeros that precede a launch, those that follow an
end, and what a stuck sensor repeats.
"""

import numpy as np

from gpforecast.automatic.events import COST, LAGS
from gpforecast.common.types import FloatArray, IntArray


def ties_in(values: FloatArray) -> tuple[list[IntArray], list[IntArray]]:
    r"""Return runs of equal values that chance would not make: between the others, and beyond them.

    A value is followed by itself with probability :math:`h = (k_v + 1) / (n_v + 1 / q)`, where it
    came n_v times elsewhere, k_v of them after itself, and q is the share of all other values that
    repeat the one that precedes them. Where it was kept elsewhere, in k runs of which the longest
    has l values, the run is worth no more than :math:`\log(k + 1) + 3 \log(r / l)`: droughts
    come in clumps.

    Returns
    -------
    lists of ndarray (r,)
        Positions of their values, NaN left out. A sensor may be stuck where other values lie on
        both sides: rain stops, and a tank is full.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:24] = values[20]
    >>> ties_in(values)
    ([array([20, 21, 22, 23])], [])
    """
    known = np.flatnonzero(~np.isnan(values))
    y, n = values[known], len(known)
    first = np.flatnonzero(np.append(True, y[1:] != y[:-1])[:n])
    length = np.diff(np.append(first, n))
    between, beyond = list[IntArray](), list[IntArray]()
    if len(first) < 2:
        return between, beyond
    _, level = np.unique(y[first], return_inverse=True)
    count, runs = np.bincount(level, length)[level], np.bincount(level)[level]
    share = (n - len(first) - (length - 1) + 1.0) / (n - length + 2.0)
    h = (count - length - (runs - 1) + 1.0) / (count - length + 1.0 / share)
    price = COST + np.log(n)
    for i in np.flatnonzero(-(length - 1.0) * np.log(h) > price).tolist():
        kept = np.delete(length, i)[np.delete((level == level[i]) & (length > 1), i)]
        if len(kept) and np.log(len(kept) + 1) + 3.0 * np.log(length[i] / kept.max()) < price:
            continue
        run = slice(first[i], first[i] + length[i])
        others = np.delete(y, run)
        inside = others.min() < y[first[i]] < others.max()
        (between if inside else beyond).append(known[run])
    return between, beyond


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
    known, begin, end = np.flatnonzero(~np.isnan(values)), 0, len(values)
    few = 2 * LAGS
    for run in ties_in(values)[1]:
        first, last = int(run[0]), int(run[-1])
        if last == known[-1] and last + 1 - first >= min(2 * few, len(values) // few):
            end = first
        if first == known[0] and known[-1] - last >= few:
            begin = last + 1
    return begin, end


def stuck_places(values: FloatArray) -> tuple[int, ...]:
    """Return the positions of what stuck sensors repeat: all but the first of each run.

    Examples
    --------
    >>> values = np.sqrt(np.arange(40.0))
    >>> values[20:24] = values[20]
    >>> stuck_places(values)
    (21, 22, 23)
    """
    return tuple(at for run in ties_in(values)[0] for at in run[1:].tolist())
