r"""The exact moments of an extended linear model at Gaussian inputs, compiled.

The formulas are derived in the explanation pages ("Moments that keep their digits"); the letters
are theirs, and those of `gpforecast.numerics.compiled.roots`. For a function
:math:`h(x) = \sum_i h_i k_i(x) + a'x + b` let

.. math::

    \mu = \sum_i h_i l_i, \quad \varrho = \sum_i h_i l_i \rho_i, \quad
    \zeta = \sum_i h_i l_i z_i, \quad \alpha = X \Lambda^{1/2} a.

The part of its variance that needs no double sum is a sum of squares and one small term,

.. math::

    |\zeta + (I + D)' \alpha|^2 + |R' X' \alpha|^2 - 2 \mu \varrho.
"""

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import matrix, stack, vector
from gpforecast.numerics.compiled.basis import expectations
from gpforecast.numerics.compiled.compiling import SUMS, compiled
from gpforecast.numerics.compiled.panels import FOUR, ONE, THREE, WIDTH, ZERO, add_product, inner
from gpforecast.numerics.compiled.roots import scaled_roots


@compiled()
def exact_moments(
    u: FloatArray,  # (b, d)
    S: FloatArray,  # (b, d, d)
    centers: FloatArray,  # (n_panels, d4 * WIDTH), the number filled up to a multiple of four
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,)
    linear: FloatArray,  # (d,)
    prior_var: float,
    n_functions: int,
    H: FloatArray,  # (p / WIDTH, n_panels * WIDTH * WIDTH), panels of [0, A], or (1, 0) without A
    H_linear: FloatArray,  # (p / WIDTH, d4 * WIDTH), of the slopes, times the length-scales
    H_constant: FloatArray,  # (p / WIDTH, WIDTH)
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the moments, and what the rest of the work on the variance is made from.

    That rest is `pair_remainders`, the double sum, and `subtract_explained`, the triangular solve.
    They are functions of their own because they may run in several threads.

    Returns
    -------
    mean : ndarray (b,)
    var : ndarray (b, 3)
        The prior variance; all that is to be added to it, but for the double sum and for what
        `subtract_explained` takes from both; and the floor g'Sg.
    gradient : ndarray (b, d)
    Y : ndarray (b, n_panels, n_rows * WIDTH)
        Rows l_i, l_i rho_i, l_i z_ir and zeros, to a multiple of four.
    rho : ndarray (b, n_panels * WIDTH)
    zs : ndarray (b, n_panels, rank4 * WIDTH)
        z_ir, the i-th column of (I + D)^-1 X Lambda^-1/2 (x_i - u).
    """
    n_batch, d = u.shape
    n_panels = centers.shape[0]
    n_columns = centers.shape[1] // WIDTH
    rank, of_points, of_slopes, logs = scaled_roots(S, lengthscales, n_columns)
    mean = vector(n_batch)
    var = matrix(n_batch, THREE)
    gradient = matrix(n_batch, d)
    Y = stack(n_batch, n_panels, -(-(rank + 2) // 4) * 4 * WIDTH)
    rho = matrix(n_batch, n_panels * WIDTH)
    zs = stack(n_batch, n_panels, -(-rank // 4) * 4 * WIDTH)
    back, level = vector(d), vector(WIDTH)
    for b in range(n_batch):
        u_b, S_b, points, slopes = u[b], S[b], of_points[b], of_slopes[b]
        g, v, Y_b, of_mean = gradient[b], var[b], Y[b], vector(Y.shape[2])
        expectations(u_b, points, logs[b], rank, centers, lengthscales, weights,
                     n_functions, Y_b, rho[b], zs[b], of_mean, g)  # fmt: skip
        v[0] = prior_var
        # E[d mean/dx] = (S + Lambda)^-1 sum_i w_i l_i (x_i - u) + linear; the sum is in g
        for c in range(d):
            back[c] = 0.0
        for r in range(rank):
            row = points[r * n_columns : (r + 1) * n_columns]  # of X
            along = inner(row, g)
            for c in range(d):
                back[c] += along * row[c]
        for c in range(d):
            g[c] = (g[c] - back[c]) / lengthscales[c] + linear[c]
        for c in range(d):
            v[2] += g[c] * inner(S_b[c], g)
        for p in range(len(H) - 1, -1, -1):  # the mean stands in the first column of the first
            E = of_mean if p == 0 else vector(len(of_mean))
            v[1] += _squares(u_b, points, slopes, lengthscales, Y_b, H[p], H_linear[p],
                             H_constant[p], ONE if p == 0 else ZERO, E, level)  # fmt: skip
        mean[b] = level[0]
    return mean, var, gradient, Y, rho, zs


@compiled()
def subtract_explained(
    blocks: FloatArray, corners: FloatArray, Y: FloatArray, var: FloatArray
) -> None:
    """Subtract from var (b, 3) what the data explain, but for the double sum; Y is overwritten.

    From var[:, 0], the prior variance, what they explain at a known input, |C^-1 l|^2; from
    var[:, 1] what S adds to that.
    """
    if len(blocks) == 0:  # there is no C
        return
    for b in range(Y.shape[0]):
        solve_lower(blocks, corners, Y[b])
        for p in range(Y.shape[1]):
            # One after the other: what is left soon is small, and its roundings with it.
            for k in range(WIDTH):
                var[b, 0] -= Y[b, p, k] * Y[b, p, k]
            var[b, 1] -= _more_explained(Y[b, p])


@compiled(helper=True, flags=SUMS)
def _more_explained(E: FloatArray) -> float:
    more = 0.0
    for k in range(WIDTH):
        more -= 2.0 * E[k] * E[WIDTH + k]
    for k in range(2 * WIDTH, len(E)):
        more += E[k] * E[k]
    return more


@compiled(helper=True, inlined=True)
def _squares(
    u: FloatArray,
    X: FloatArray,
    of_slopes: FloatArray,
    lengthscales: FloatArray,
    Y: FloatArray,
    H: FloatArray,
    H_x: FloatArray,
    H_1: FloatArray,
    n_means: int,
    E: FloatArray,
    level: FloatArray,
) -> float:
    """Return E[h]^2 + var h, but for the double sum, added up over WIDTH columns h of H.

    Of the first `n_means` columns it is var h alone. E[h] is written to `level`; the rows of Y
    times H are added to `E` (n_rows * WIDTH,).
    """
    for q in range(len(H) // (WIDTH * WIDTH)):
        part = H[q * WIDTH * WIDTH : (q + 1) * WIDTH * WIDTH]
        add_product(Y[q], ZERO, WIDTH, ONE, len(E) // WIDTH, WIDTH, part, E)
    n_columns = len(H_x) // WIDTH
    full = len(X) // (2 * n_columns)
    alpha, back = vector(full * WIDTH), vector(len(H_x))
    add_product(X, ZERO, n_columns, ONE, full, n_columns, H_x, alpha)
    add_product(X, ZERO, ONE, n_columns, n_columns, full, alpha, back)
    left, more = vector(len(alpha)), vector(len(alpha))  # R' X' alpha and D' alpha
    add_product(of_slopes, ZERO, n_columns, ONE, full, n_columns, back, left)
    add_product(of_slopes, full * n_columns, full, ONE, full, full, alpha, more)
    for k in range(WIDTH):
        level[k] = H_1[k] + E[k]
    for c in range(len(u)):
        scaled = u[c] / lengthscales[c]
        for k in range(WIDTH):
            level[k] += scaled * H_x[c * WIDTH + k]
    var = 0.0
    for k in range(WIDTH):
        square = level[k] * level[k] if k >= n_means else 0.0
        var += square - 2.0 * E[k] * E[WIDTH + k]
    n = len(E) - 2 * WIDTH
    for k in range(len(left) if n > len(left) else n):
        root = E[2 * WIDTH + k] + alpha[k] + more[k]
        var += root * root + left[k] * left[k]
    return var


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
