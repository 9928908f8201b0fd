r"""The double sum over pairs of basis functions, the whole cost of an exact step, compiled."""

from collections.abc import Callable
from typing import cast

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import matrix, vector
from gpforecast.numerics.compiled.compiling import SUMS, compiled
from gpforecast.numerics.compiled.elementary import SMALL, exp_remainder, small_exp_remainder
from gpforecast.numerics.compiled.panels import ONE, TWO, WIDTH, add_product

ROWS = cast(int, np.int64(8))  # of a tile; a divisor of WIDTH and a multiple of four


def _weighted(
    remainder: Callable[[float], float],
) -> Callable[[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray], float]:
    """Return what adds up W_ij l_i l_j (e^T_ij - 1 - T_ij) over a tile, by one such function."""

    @compiled(helper=True, flags=SUMS)
    def weighted(
        T: FloatArray, l_i: FloatArray, rho_i: FloatArray, l_j: FloatArray, rho_j: FloatArray,
        W: FloatArray,
    ) -> float:  # fmt: skip
        total = 0.0
        for i in range(ROWS):
            T_i, W_i = T[i * WIDTH : (i + 1) * WIDTH], W[i * WIDTH : (i + 1) * WIDTH]
            for j in range(WIDTH):
                e = remainder((T_i[j] - rho_i[i]) - rho_j[j])
                total += l_j[j] * (l_i[i] * W_i[j] * e)
        return total

    return weighted


_weighted_far, _weighted_near = _weighted(exp_remainder), _weighted(small_exp_remainder)


@compiled()
def pair_remainders(
    Y: FloatArray,  # (b, n_panels, at least WIDTH), the l_i first
    rho: FloatArray,  # (b, n_panels * WIDTH)
    zs: FloatArray,  # (b, n_panels, rank * WIDTH), the rank filled up to a multiple of four
    tiles: FloatArray,  # (n_tiles, ROWS * WIDTH)
    n_functions: int,
    first: int,
    last: int,
    sums: FloatArray,  # (b, n_panels)
) -> None:
    r"""Write :math:`\sum_{ij} W_{ij}\, l_i l_j\, (e^{T_{ij}} - 1 - T_{ij})` for panels of i.

    The sum over the rows i of panel p goes to sums[:, p], for p from `first` up to `last`. It does
    not depend on who computes the others, and the total not on the number of threads.

    W is symmetric, and `tiles` holds its lower triangle, twice what is off the diagonal, in the
    order in which it is used; rows beyond `n_functions` are left out. A tile of T is made, and used
    up, in the first level of the cache. Where no T of a tile can be large, by the inequality of
    Cauchy and Schwarz, a third of the work on its exponentials is spared.
    """
    rank = zs.shape[2] // WIDTH
    if rank == 0:  # known inputs, where T is zero
        return
    T = vector(ROWS * WIDTH)
    l_ = vector(rho.shape[1])
    reach = matrix(last, TWO)
    for b in range(Y.shape[0]):
        for p in range(last):
            for k in range(WIDTH):
                l_[p * WIDTH + k] = Y[b, p, k]
            _reach(zs[b, p], rho[b, p * WIDTH : (p + 1) * WIDTH], reach[p])
        for p in range(first, last):
            n = (WIDTH // ROWS) * (p * (p + 1)) // 2  # tiles before those of this panel
            total = 0.0
            end = (p + 1) * WIDTH
            for i in range(p * WIDTH, n_functions if end > n_functions else end, ROWS):
                l_i, rho_i = l_[i : i + ROWS], rho[b, i : i + ROWS]
                for q in range(p + 1):
                    j = q * WIDTH
                    for k in range(ROWS * WIDTH):
                        T[k] = 0.0
                    add_product(zs[b, p], i - p * WIDTH, ONE, WIDTH, ROWS, rank, zs[b, q], T)
                    l_j, rho_j = l_[j : j + WIDTH], rho[b, j : j + WIDTH]
                    farthest = reach[p, 0] * reach[q, 0] + reach[p, 1] + reach[q, 1]
                    if farthest < SMALL:
                        total += _weighted_near(T, l_i, rho_i, l_j, rho_j, tiles[n])
                    else:
                        total += _weighted_far(T, l_i, rho_i, l_j, rho_j, tiles[n])
                    n += 1
            sums[b, p] = total


@compiled(helper=True, inlined=True)
def _reach(z: FloatArray, rho: FloatArray, out: FloatArray) -> None:
    """Write the largest length of a column of z, and the largest of |rho|, in a panel."""
    sizes = vector(WIDTH)
    for r in range(0, len(z), WIDTH):
        for k in range(WIDTH):
            sizes[k] += z[r + k] * z[r + k]
    longest, most = 0.0, 0.0
    for k in range(WIDTH):
        longest = sizes[k] if sizes[k] > longest else longest
        most = abs(rho[k]) if abs(rho[k]) > most else most
    out[0], out[1] = np.sqrt(longest), most
