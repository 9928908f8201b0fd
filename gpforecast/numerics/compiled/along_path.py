"""The double sum of the covariance of one function at two Gaussian inputs, compiled."""

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.compiling import SUMS, compiled
from gpforecast.numerics.compiled.exponential import exp_remainder


@compiled(flags=SUMS)
def cross_remainders(
    W: FloatArray,  # (m, m)
    l_j: FloatArray,  # (n, m)
    alpha: FloatArray,  # (n, m)
    a: FloatArray,  # (n, m, d)
    l_k: FloatArray,  # (m,)
    beta: FloatArray,  # (n, m)
    z: FloatArray,  # (n, d, m)
    sums: FloatArray,  # (n,)
) -> None:
    r"""Write :math:`\sum_{iq} W_{iq}\, l^j_i\, l^k_q (e^T - 1 - T)` for n inputs x_j and one x_k.

    There :math:`T_{iq} = a_i' z_q + \alpha_i + \beta_q`.
    """
    n, m, d = a.shape
    T = vector(m)
    for j in range(n):
        total = 0.0
        for i in range(m):
            for q in range(m):
                T[q] = alpha[j, i] + beta[j, q]
            for c in range(d):
                a_c, z_c = a[j, i, c], z[j, c]
                for q in range(m):
                    T[q] += a_c * z_c[q]
            row = 0.0
            for q in range(m):
                row += W[i, q] * l_k[q] * exp_remainder(T[q])
            total += l_j[j, i] * row
        sums[j] = total
