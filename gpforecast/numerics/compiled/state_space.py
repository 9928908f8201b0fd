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
    gain = vector(len(q))
    for t in range(len(y)):
        if not np.isnan(y[t]):
            error, f = given(y[t], Z[(first + t) % len(Z)], r, a, P, gain)
            log_sum += np.log(f)
            square_sum += error * error / f
            count += 1
        moved(phi, rho, q, a, P)
    return log_sum, square_sum, count


@compiled(flags=SUMS)
def gradients(
    y: FloatArray,  # (n,)
    phi: float,
    rho: float,
    q: FloatArray,  # (m,)
    r: float,
    Z: FloatArray,  # (period, m)
    start: FloatArray,  # (m,)
    freedom: float,
    scale: float,
) -> tuple[float, FloatArray]:
    r"""Return a loss, and its derivatives by phi, rho, r, q and the variances of the first state.

    The loss is :math:`\tfrac12 \sum \log f_t + \tfrac{\nu + n}{2}
    \log \frac{\nu s_0 + \sum v_t^2 / f_t}{\nu + n}` over the n known values, from a first state of
    mean 0. Its derivatives by the moments of each
    state are carried backwards from the last time to the first, which costs about two filters.

    Parameters
    ----------
    y, phi, rho, q, r, Z
        As for `filtered`, from time 0.
    start : ndarray (m,)
    freedom, scale : float
        nu and s_0.

    Returns
    -------
    loss : float
    derivatives : ndarray (3 + 2m,)
    """
    n, m = len(y), len(q)
    a, P = vector(m), matrix(m, m)
    for i in range(m):
        P[i, i] = start[i]
    gains, errors, variances = matrix(n, m), vector(n), vector(n)
    # Of the state given the value: slope and memory, and their covariances with all.
    slopes, memories = matrix(n, m + 1), matrix(n, m + 1)
    log_sum, square_sum, count = 0.0, 0.0, 0
    for t in range(n):
        if not np.isnan(y[t]):
            error, f = given(y[t], Z[t % len(Z)], r, a, P, gains[t])
            errors[t], variances[t] = error, f
            log_sum += np.log(f)
            square_sum += error * error / f
            count += 1
        slope, memory = slopes[t], memories[t]
        for j in range(m):
            slope[j], memory[j] = P[1, j], P[3, j]
        slope[m], memory[m] = a[1], a[3]
        moved(phi, rho, q, a, P)
    total = square_sum + freedom * scale
    share = (count + freedom) / total
    loss = 0.5 * (log_sum - (count + freedom) * np.log(share))

    found = vector(3 + 2 * m)  # by phi, rho, r, q, start
    da, dP, side = vector(m), matrix(m, m), vector(m)
    by_level, by_slope, by_drift, by_memory = dP[0], dP[1], dP[2], dP[3]
    for t in range(n - 1, -1, -1):
        for i in range(m):
            found[3 + i] += dP[i, i]
        slope, memory = slopes[t], memories[t]
        found[0] += da[1] * slope[m]
        found[1] += da[3] * memory[m]
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
            z, gain, error, f = Z[t % len(Z)], gains[t], errors[t], variances[t]
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
    return loss, found


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
    covariance: FloatArray,  # (h, h)
) -> None:
    """Write the joint distribution of the next h observations of a state N(a, P), which moves."""
    h = len(mean)
    earlier = matrix(h, len(q))  # covariance of the state with earlier observations
    for t in range(h):
        z = Z[(first + t) % len(Z)]
        observe(P, z, earlier[t])
        mean[t] = inner(a, z)
        for j in range(t + 1):
            covariance[t, j] = covariance[j, t] = inner(earlier[j], z)
            move(phi, rho, earlier[j])
        covariance[t, t] += r
        moved(phi, rho, q, a, P)
