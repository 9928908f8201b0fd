r"""Gram matrices of squared exponentials among the rows of the data, and sums over them, compiled.

All work on one triangle, the lower one in C order: what is symmetric is computed once. Inputs come
transposed and divided by their length-scales, (d, n), so that the inner loops run along memory.
Differences are taken before they are squared: nothing cancels where two rows nearly coincide.
"""

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.compiling import SUMS, compiled
from gpforecast.numerics.compiled.elementary import exponential

# Added to every correlation. Entries of a factor that are next to nothing are then of this size:
# without it they shrink on from product to product to subnormal numbers, with which a processor is
# ten times slower. A constant is a covariance, and of this size changes no digit of a diagonal.
_LEAST = 1e-100


@compiled()
def fill_gram(Z: FloatArray, variance: float, diagonal: float, K: FloatArray) -> None:
    r"""Write :math:`v\, e^{-|z_i - z_j|^2 / 2}` below the diagonal of K, and `diagonal` on it.

    Z is (d, n), scaled; K is (n, n), and its upper triangle is left as it is.
    """
    n = K.shape[0]
    for j in range(n):
        row = K[j]
        for i in range(j):
            row[i] = 0.0
        for c in range(len(Z)):  # -1/2 |z_i - z_j|^2
            z, z_j = Z[c], Z[c, j]
            for i in range(j):
                apart = z[i] - z_j
                row[i] -= 0.5 * (apart * apart)
        for i in range(j):
            row[i] = variance * (exponential(row[i]) + _LEAST)
        row[j] = diagonal


@compiled(flags=SUMS)
def gram_slopes(
    Z: FloatArray,  # (d, n), scaled
    K: FloatArray,  # (n, n)
    U: FloatArray,  # (k, n)
    A: FloatArray,  # (n, n)
) -> tuple[FloatArray, float]:
    r"""Return sums over the pairs i < j of :math:`G_{ij} = (U'U - A)_{ij} K_{ij}`.

    Of A and K only the part below the diagonal is read. With :math:`U'U - A = \alpha\alpha' -
    (K + \sigma^2 I)^{-1}` they are the slopes of the log evidence, Rasmussen and Williams
    eq. (5.9).

    Returns
    -------
    by_input : ndarray (d,)
        :math:`\sum_{i<j} G_{ij} (z_{ic} - z_{jc})^2`: the slope in the logarithm of a length-scale.
    total : float
        :math:`\sum_{i<j} G_{ij}`.
    """
    n = K.shape[0]
    w = vector(n)
    by_input = vector(Z.shape[0])
    total = 0.0
    for j in range(n):
        for i in range(j):
            w[i] = -A[j, i]
        for k in range(U.shape[0]):
            u = U[k, j]
            for i in range(j):
                w[i] += u * U[k, i]
        for i in range(j):
            w[i] *= K[j, i]
        own = 0.0
        for i in range(j):
            own += w[i]
        total += own
        for c in range(len(Z)):
            z, z_j, squares = Z[c], Z[c, j], 0.0
            for i in range(j):
                apart = z[i] - z_j
                squares += w[i] * (apart * apart)
            by_input[c] += squares
    return by_input, total
