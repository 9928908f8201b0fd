"""Kalman filter and forecasts of states that come in pairs, compiled.

A state is a vector of pairs, each of which moves by a 2 x 2 matrix of its own and is driven by
independent noise; an observation is the sum of the first values of all pairs, plus noise.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.caching import SUMS, compiled


@compiled(flags=SUMS, helper=True)
def move_rows(F: FloatArray, M: FloatArray) -> None:
    """Replace M (2b, c) by F M, for a block-diagonal F given as (b, 2, 2)."""
    for k in range(len(F)):
        i = 2 * k
        for j in range(M.shape[1]):
            x, y = M[i, j], M[i + 1, j]
            M[i, j] = F[k, 0, 0] * x + F[k, 0, 1] * y
            M[i + 1, j] = F[k, 1, 0] * x + F[k, 1, 1] * y


@compiled(flags=SUMS, helper=True)
def move_columns(F: FloatArray, M: FloatArray) -> None:
    """Replace M (c, 2b) by M F'."""
    for row in M:
        for k in range(len(F)):
            i = 2 * k
            x, y = row[i], row[i + 1]
            row[i] = F[k, 0, 0] * x + F[k, 0, 1] * y
            row[i + 1] = F[k, 1, 0] * x + F[k, 1, 1] * y


@compiled(flags=SUMS, helper=True)
def moved(F: FloatArray, q: FloatArray, a: FloatArray, P: FloatArray) -> None:
    """Move a state N(a, P) by one step, a (2b, 1)."""
    move_rows(F, a)
    move_rows(F, P)
    move_columns(F, P)
    for i in range(len(q)):
        P[i, i] += q[i]


@compiled(flags=SUMS)
def filtered(
    y: FloatArray,  # (n,)
    F: FloatArray,  # (b, 2, 2)
    q: FloatArray,  # (2b,)
    r: float,
    a: FloatArray,  # (2b, 1)
    P: FloatArray,  # (2b, 2b)
) -> tuple[float, float, int]:
    r"""Condition a state on values one after another; it ends as that of the time after the last.

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
    n_states = len(q)
    gain = np.empty(n_states)
    for t in range(len(y)):
        if not np.isnan(y[t]):
            error, f = y[t], r
            for i in range(n_states):
                total = 0.0
                for j in range(0, n_states, 2):
                    total += P[i, j]
                gain[i] = total
            for i in range(0, n_states, 2):
                error -= a[i, 0]
                f += gain[i]
            log_sum += np.log(f)
            square_sum += error * error / f
            count += 1
            for i in range(n_states):
                share = gain[i] / f
                a[i, 0] += share * error
                for j in range(n_states):
                    P[i, j] -= share * gain[j]
        moved(F, q, a, P)
    return log_sum, square_sum, count


@compiled(flags=SUMS)
def steps_ahead(
    F: FloatArray,  # (b, 2, 2)
    q: FloatArray,  # (2b,)
    r: float,
    a: FloatArray,  # (2b, 1)
    P: FloatArray,  # (2b, 2b)
    mean: FloatArray,  # (h,)
    covariance: FloatArray,  # (h, h)
) -> None:
    """Write the joint distribution of the next h observations of a state N(a, P), which moves."""
    h, n_states = len(mean), len(q)
    earlier = np.zeros((n_states, h))  # covariance of the state with earlier observations
    for t in range(h):
        mean[t] = 0.0
        for i in range(0, n_states, 2):
            mean[t] += a[i, 0]
        for j in range(t):
            total = 0.0
            for i in range(0, n_states, 2):
                total += earlier[i, j]
            covariance[t, j] = total
            covariance[j, t] = total
        total = r
        for i in range(n_states):
            earlier[i, t] = 0.0
            for j in range(0, n_states, 2):
                earlier[i, t] += P[i, j]
        for i in range(0, n_states, 2):
            total += earlier[i, t]
        covariance[t, t] = total
        move_rows(F, earlier[:, : t + 1])
        moved(F, q, a, P)
