"""Forward substitution for a handful of right sides at once, compiled."""

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.compiling import compiled
from gpforecast.numerics.compiled.panels import FOUR, ONE, WIDTH, ZERO, add_product


@compiled(helper=True, inlined=True)
def solve_lower(blocks: FloatArray, corners: FloatArray, Y: FloatArray) -> None:
    """Replace Y' by C^-1 Y', for a lower triangular C.

    Plain substitution, which is backward stable whatever the condition of C, and not a product
    with an inverse, which is not.

    Parameters
    ----------
    blocks : ndarray (n_blocks, WIDTH * WIDTH)
        -C' below the diagonal, in blocks, in the order in which they are used: all those of the
        first WIDTH rows of C, of the next, ... The four by four blocks along the diagonal are
        zero here, and stand in `corners`.
    corners : ndarray (n / 4, 10), rounded up
        1 / C_jj for four j, then C_10, C_20, C_21, C_30, C_31, C_32.
    Y : ndarray (n_panels, n_rows * WIDTH)
        The right sides, one a row, their number a multiple of four.
    """
    n_rows = Y.shape[1] // WIDTH
    n = 0
    for p in range(Y.shape[0]):
        y = Y[p]
        n_columns = 4 * len(corners) - p * WIDTH
        n_columns = WIDTH if n_columns > WIDTH else n_columns
        for q in range(p):
            add_product(Y[q], ZERO, WIDTH, ONE, n_rows, WIDTH, blocks[n], y)
            n += 1
        for j in range(0, n_columns, 4):
            _solve_four(corners[(p * WIDTH + j) // 4], y, j, n_rows)
            rows = blocks[n][j * WIDTH : (j + 4) * WIDTH]
            if j + 4 >= n_columns:
                break
            add_product(y, j, WIDTH, ONE, n_rows, FOUR, rows, y)
        n += 1


@compiled(helper=True, inlined=True)
def _solve_four(corner: FloatArray, y: FloatArray, j: int, n_rows: int) -> None:
    d0, d1, d2, d3, c10, c20, c21, c30, c31, c32 = (
        corner[0], corner[1], corner[2], corner[3], corner[4],
        corner[5], corner[6], corner[7], corner[8], corner[9],
    )  # fmt: skip
    for i in range(n_rows):
        o = i * WIDTH + j
        y0 = y[o] * d0
        y1 = (y[o + 1] - c10 * y0) * d1
        y2 = (y[o + 2] - c20 * y0 - c21 * y1) * d2
        y[o + 3] = (y[o + 3] - c30 * y0 - c31 * y1 - c32 * y2) * d3
        y[o], y[o + 1], y[o + 2] = y0, y1, y2
