"""The Mackey-Glass delay differential equation, integrated with a fixed step.

    dz/dt = -b z(t) + a z(t - tau) / (1 + z(t - tau)^exponent),    z(t) = x0 for t <= 0

The step is a whole fraction of the delay, tau / n_sub. The solution is smooth except at 0, tau,
2 tau, ..., where its first, second, third, ... derivative jumps; these breaking points are then
grid points, whatever the delay, and the method keeps its fourth order. It matters because the
system is chaotic: an error made early grows, it is not forgotten.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.compiling import compiled

_NONE: frozenset[str] = frozenset()  # a chaotic series shows every change of rounding


@compiled(helper=True, flags=_NONE)
def production(z: float, a: float, exponent: float) -> float:
    """Return the delayed term a z / (1 + z^exponent)."""
    term: float = a * z / (1.0 + z**exponent)
    return term


@compiled(helper=True, flags=_NONE)
def hermite(z0: float, z1: float, d0: float, d1: float, h: float, theta: float) -> float:
    """Return the cubic through z0, z1 with slopes d0, d1, a fraction theta along a step h."""
    rest = 1.0 - theta
    bend = rest * (d0 * h - (z1 - z0)) - theta * (d1 * h - (z1 - z0))
    # Hairer, Norsett & Wanner (1993), Solving Ordinary Differential Equations I, eq. II.6.7
    return rest * z0 + theta * z1 + theta * rest * bend


@compiled(flags=_NONE)
def integrate_mackey_glass(
    n: int,
    tau: float,
    a: float,
    b: float,
    exponent: float,
    x0: float,
    start: float,
    period: float,
    n_sub: int,
) -> FloatArray:
    """Return z at the times start, start + period, ..., start + (n - 1) period.

    Classical Runge-Kutta steps of tau / n_sub. Delayed values at the two ends of a step are grid
    values; the one in its middle, and output times that fall between grid points, come from the
    cubic through the values and slopes at both ends (local error of the order of the step to the
    fourth).

    Parameters
    ----------
    n : int
        Number of values, at least 1.
    tau : float
        Delay, positive, in time units.
    a, b, exponent : float
        Rates (per time unit) and exponent of the equation.
    x0 : float
        The constant history, positive.
    start, period : float
        Time of the first value (not negative) and spacing of the values (positive).
    n_sub : int
        Steps to a delay, at least 1.

    Returns
    -------
    ndarray
        Shape (n,), in the units of x0.
    """
    h = tau / n_sub
    size = n_sub + 1  # the ring holds z and dz/dt at steps k - n_sub, ..., k
    z_ring = np.full(size, x0)
    d_ring = vector(size)
    out = vector(n)

    history = production(x0, a, exponent)
    z = x0
    delayed = history  # the production of z(t_k - tau)
    d_ring[0] = delayed - b * z
    k = 0  # step k leads from k h to (k + 1) h
    filled = 0
    place = start / h  # of the next output, in steps
    while True:
        old = (k + 1) % size  # slot of step k - n_sub
        new = (k + 2) % size  # slot of step k + 1 - n_sub
        if k < n_sub:
            middle, end = history, history
        else:
            between = hermite(z_ring[old], z_ring[new], d_ring[old], d_ring[new], h, 0.5)
            middle = production(between, a, exponent)
            end = production(z_ring[new], a, exponent)

        k1 = delayed - b * z
        k2 = middle - b * (z + 0.5 * h * k1)
        k3 = middle - b * (z + 0.5 * h * k2)
        k4 = end - b * (z + h * k3)
        z_next = z + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        d_next = end - b * z_next

        while place <= k + 1:
            out[filled] = hermite(z, z_next, k1, d_next, h, place - k)
            filled += 1
            if filled == n:
                return out
            place = (start + filled * period) / h

        z_ring[old] = z_next
        d_ring[old] = d_next
        z = z_next
        delayed = end
        k += 1
