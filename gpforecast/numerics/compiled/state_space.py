"""Kalman filter, its gradient, and forecasts of level, slope, drift, memory and season, compiled.

The first four states move by

    level += slope + drift,  slope *= phi,  memory *= rho

and the states of the season stand still: what turns is the vector z that observes them. Their
disturbances are as large in all directions, so the process is that of turning states, and a step
moves four rows and columns of a covariance instead of all.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import matrix, vector
from gpforecast.numerics.compiled.compiling import SUMS, compiled
from gpforecast.numerics.compiled.panels import inner


@compiled(flags=SUMS, helper=True)
def move(phi: float, rho: float, x: FloatArray) -> None:
    """Move a state x (m,) by one step."""
    x[0] += x[1] + x[2]
    x[1] *= phi
    x[3] *= rho


@compiled(flags=SUMS, helper=True)
def move_back(phi: float, rho: float, x: FloatArray) -> None:
    """Carry derivatives x (m,) by a state back over one step."""
    x[2] += x[0]
    x[1] = phi * x[1] + x[0]
    x[3] *= rho


@compiled(flags=SUMS, helper=True)
def observe(P: FloatArray, z: FloatArray, gain: FloatArray) -> None:
    """Write P z (m,)."""
    for i in range(len(z)):
        gain[i] = inner(P[i], z)


@compiled(flags=SUMS, helper=True)
def given(
    y: float, z: FloatArray, r: float, a: FloatArray, P: FloatArray, gain: FloatArray
) -> tuple[float, float]:
    """Condition a state N(a, P) on a value y of z'x and noise of variance r; write P z to `gain`.

    Returns the error of the prediction of y, and its variance.
    """
    observe(P, z, gain)
    error, f = y - inner(a, z), r + inner(gain, z)
    for i in range(len(z)):
        share = gain[i] / f
        a[i] += share * error
        for j in range(len(z)):
            P[i, j] -= share * gain[j]
    return error, f


@compiled(flags=SUMS, helper=True)
def moved(phi: float, rho: float, q: FloatArray, a: FloatArray, P: FloatArray) -> None:
    """Move a state N(a, P) by one step; P is symmetric."""
    move(phi, rho, a)
    level, slope, drift, memory = P[0], P[1], P[2], P[3]
    for j in range(len(a)):
        level[j] += slope[j] + drift[j]
        slope[j] *= phi
        memory[j] *= rho
    for i in range(len(a)):
        move(phi, rho, P[i])  # columns
        P[i, i] += q[i]


@compiled(flags=SUMS)
def filtered(
    y: FloatArray,  # (n,)
    phi: float,
    rho: float,
    q: FloatArray,  # (m,)
    r: float,
    Z: FloatArray,  # (period, m)
    first: int,
    a: FloatArray,  # (m,)
    P: FloatArray,  # (m, m)
    kept: FloatArray,  # (n, 3 m + 4), or (0, 0)
) -> tuple[float, float, int]:
    r"""Condition a state on values one after another; it ends as that of the time after the last.

    Parameters
    ----------
    y : ndarray (n,)
    phi, rho : float
    q : ndarray (m,)
        Variances of the disturbances of the states.
    r : float
        Variance of the noise of an observation.
    Z : ndarray (period, m)
        Row k observes the states at times k, k + period, ...
    first : int
        The time of the first value.
    a, P : ndarray (m,) and (m, m)
        Of the state at that time; they are replaced.
    kept : ndarray (n, 3 m + 4)
        Written for `gradients`: the gain, the covariances of slope and of memory given the value,
        the error and its variance, slope and memory. Without rows, nothing is kept.

    Returns
    -------
    log_sum : float
        :math:`\sum_t \log f_t` over the known values, with f the predictive variances.
    square_sum : float
        :math:`\sum_t v_t^2 / f_t`, with v the errors of the predictions.
    count : int
        How many values are known.
    """
    log_sum, square_sum, count = 0.0, 0.0, 0
    m, error, f = len(q), 0.0, 0.0
    gain = vector(m)
    for t in range(len(y)):
        if not np.isnan(y[t]):
            error, f = given(y[t], Z[(first + t) % len(Z)], r, a, P, gain)
            log_sum += np.log(f)
            square_sum += error * error / f
            count += 1
        if len(kept):
            row = kept[t]
            for j in range(m):
                row[j], row[m + j], row[2 * m + j] = gain[j], P[1, j], P[3, j]
            row[3 * m], row[3 * m + 1], row[3 * m + 2], row[3 * m + 3] = error, f, a[1], a[3]
        moved(phi, rho, q, a, P)
    return log_sum, square_sum, count


@compiled(flags=SUMS)
def gradients(
    y: FloatArray,  # (n,)
    phi: float,
    rho: float,
    q: FloatArray,  # (m,)
    r: float,  # noqa: ARG001 (the moves of a state, as for `filtered`)
    Z: FloatArray,  # (period, m)
    kept: FloatArray,  # (n, 3 m + 4)
    share: float,
) -> FloatArray:
    r"""Return the derivatives of a loss by phi, rho, r, q and the variances of the first state.

    The loss is :math:`\tfrac12 \sum \log f_t + \tfrac{\nu + n}{2}
    \log \frac{\nu s_0 + \sum v_t^2 / f_t}{\nu + n}` over the n known values, from a first state of
    mean 0. Its derivatives by the moments of each state are carried backwards from the last time to
    the first, which costs about as much as the filter.

    Parameters
    ----------
    y, phi, rho, q, r, Z
        As for `filtered`, from time 0.
    kept : ndarray (n, 3 m + 4)
        What `filtered` kept of each time.
    share : float
        :math:`(\nu + n) / (\nu s_0 + \sum v_t^2 / f_t)`.

    Returns
    -------
    ndarray (3 + 2 m,)
    """
    n, m = len(y), len(q)
    found = vector(3 + 2 * m)  # by phi, rho, r, q, start
    da, dP, side = vector(m), matrix(m, m), vector(m)
    by_level, by_slope, by_drift, by_memory = dP[0], dP[1], dP[2], dP[3]
    for t in range(n - 1, -1, -1):
        here = kept[t]
        gain, slope, memory = here[:m], here[m : 2 * m], here[2 * m : 3 * m]
        error, f = here[3 * m], here[3 * m + 1]
        for i in range(m):
            found[3 + i] += dP[i, i]
        found[0] += da[1] * here[3 * m + 2]
        found[1] += da[3] * here[3 * m + 3]
        move_back(phi, rho, da)
        for j in range(m):
            by_slope[j] = phi * by_slope[j] + by_level[j]
            by_drift[j] += by_level[j]
            by_memory[j] *= rho
        for i in range(m):
            row = dP[i]
            found[0] += 2.0 * slope[i] * row[1]
            found[1] += 2.0 * memory[i] * row[3]
            move_back(phi, rho, row)  # columns
        if not np.isnan(y[t]):
            z = Z[t % len(Z)]
            observe(dP, gain, side)
            by_mean, by_gain = inner(da, gain), inner(side, gain)
            by_f = by_gain / f - error * by_mean / f + 0.5 - 0.5 * share * error * error / f
            by_f /= f
            found[2] += by_f
            for i in range(m):
                side[i] = (0.5 * error * da[i] - side[i]) / f + 0.5 * by_f * z[i]
            by_error = (by_mean + share * error) / f
            for i in range(m):
                da[i] -= by_error * z[i]
                row, z_i, side_i = dP[i], z[i], side[i]
                for j in range(m):
                    row[j] += side_i * z[j] + z_i * side[j]
    for i in range(m):
        found[3 + m + i] = dP[i, i]
    return found


@compiled(flags=SUMS)
def steps_ahead(
    phi: float,
    rho: float,
    q: FloatArray,  # (m,)
    r: float,
    Z: FloatArray,  # (period, m)
    first: int,
    a: FloatArray,  # (m,)
    P: FloatArray,  # (m, m)
    mean: FloatArray,  # (h,)
    covariance: FloatArray,  # (h, h), or (h, 1) for the variances
) -> None:
    """Write the joint distribution of the next h observations of a state N(a, P), which moves."""
    h, width = len(mean), covariance.shape[1]
    earlier = matrix(width, len(q))  # covariance of the state with earlier observations
    for t in range(h):
        z, last = Z[(first + t) % len(Z)], min(t, width - 1)
        observe(P, z, earlier[last])
        mean[t] = inner(a, z)
        for j in range(last + 1):
            covariance[t, j] = inner(earlier[j], z)
            move(phi, rho, earlier[j])
        for j in range(last):
            covariance[j, t] = covariance[t, j]
        covariance[t, last] += r
        moved(phi, rho, q, a, P)
