"""The Mackey-Glass equation by the method of steps: slow, adaptive, very accurate.

On [j tau, (j + 1) tau] the delayed value is a known function, the solution on the interval
before, so the equation is an ordinary one there; SciPy's eighth-order solver takes it interval by
interval, and its dense output is the delayed function of the next.
"""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

from gpforecast.common.types import FloatArray


def mackey_glass_by_steps(
    times: FloatArray, tau: float, a: float, b: float, exponent: float, x0: float
) -> FloatArray:
    """Return z at increasing `times`, for z(t) = x0 up to t = 0.

    Parameters
    ----------
    times : ndarray
        Shape (n,), increasing, not negative, in time units.
    tau, a, b, exponent, x0 : float
        As in `gpforecast.numerics.compiled.delay.integrate_mackey_glass`.

    Returns
    -------
    ndarray
        Shape (n,), in the units of x0.
    """

    def first(_: float) -> FloatArray:
        return np.array([x0])

    def slope(t: float, z: FloatArray, lagged: Callable[[float], FloatArray]) -> FloatArray:
        before = lagged(t - tau)
        with np.errstate(over="ignore"):  # of a trial step that older versions of scipy reject
            return a * before / (1.0 + before**exponent) - b * z

    out, z, lagged = np.full(len(times), x0), np.array([x0]), first
    for j in range(int(np.ceil(times[-1] / tau))):
        left, right = j * tau, (j + 1) * tau
        # The interpolant is of a lower order than the steps, which are kept short for it.
        solution = solve_ivp(
            slope, (left, right), z, method="DOP853", dense_output=True, args=(lagged,),
            max_step=1.0, rtol=1e-11, atol=1e-13,
        )  # fmt: skip
        z, lagged = solution.y[:, -1], solution.sol
        inside = (times > left) & (times <= right)
        if inside.any():
            out[inside] = lagged(times[inside])[0]
    return out
