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
from gpforecast.numerics.compiled.panels import ONE, THREE, WIDTH, ZERO, add_product, inner
from gpforecast.numerics.compiled.roots import scaled_roots
from gpforecast.numerics.compiled.triangular import solve_lower

_ROUNDING = 1e-9  # a variance this little below its floor is not counted as clipped


@compiled()
def exact_moments(
    u: FloatArray,  # (b, d)
    S: FloatArray,  # (b, d, d)
    centers: FloatArray,  # (n_panels, d4 * WIDTH), the number filled up to a multiple of four
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,)
    linear: FloatArray,  # (2, d), the second row times the length-scales
    constants: FloatArray,  # of the mean, the prior variance, the number of basis functions
    added: FloatArray,  # (p / WIDTH, n_panels * WIDTH * WIDTH), panels of A's first m rows
    added_linear: FloatArray,  # (p / WIDTH, d4 * WIDTH), of the next d, times the length-scales
    added_constant: FloatArray,  # (p / WIDTH, WIDTH), of the last
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the moments, and what the rest of the work on the variance is made from.

    That rest is `pair_remainders`, the double sum; `subtract_explained`, the triangular solve; and
    `total`. They are functions of their own because the first two may run in several threads.

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
    of_w = vector(rank + 2)  # mu, varrho, zeta_r of the mean
    back = vector(d)
    for b in range(n_batch):
        g = gradient[b]
        expectations(u[b], of_points[b], logs[b], rank, centers, lengthscales, weights,
                     int(constants[2]), Y[b], rho[b], zs[b], of_w, g)  # fmt: skip
        mean[b] = constants[0] + of_w[0] + inner(linear[0], u[b])
        var[b, 0] = constants[1]
        var[b, 1] = _squares(of_slopes[b], of_w, linear[1])
        # E[d mean/dx] = (S + Lambda)^-1 sum_i w_i l_i (x_i - u) + linear; the sum is in g
        for c in range(d):
            back[c] = 0.0
        for r in range(rank):
            row = of_points[b, r * n_columns : (r + 1) * n_columns]  # of X
            along = inner(row, g)
            for c in range(d):
                back[c] += along * row[c]
        for c in range(d):
            g[c] = (g[c] - back[c]) / lengthscales[c] + linear[0, c]
        for c in range(d):
            var[b, 2] += g[c] * inner(S[b, c], g)
        for p in range(len(added)):
            var[b, 1] += _added(u[b], of_slopes[b], lengthscales, Y[b], added[p],
                                added_linear[p], added_constant[p])  # fmt: skip
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


@compiled()
def total(var: FloatArray, sums: FloatArray) -> int:
    """Add the double sum (b, n_panels) and all else up in var[:, 0], and hold it above var[:, 2].

    The recursion needs that bound to keep the joint covariance semi-definite. Returns how many
    were below it.
    """
    n_clipped = 0
    for b in range(len(var)):
        more, floor = var[b, 1], var[b, 2]
        for p in range(sums.shape[1]):
            more += sums[b, p]
        v = var[b, 0] + more
        if v < floor * (1.0 - _ROUNDING):
            n_clipped += 1
        var[b, 0] = floor if v < floor else v
    return n_clipped


@compiled(helper=True, inlined=True)
def _squares(of_slopes: FloatArray, of_h: FloatArray, a: FloatArray) -> float:
    """Return var h, but for the double sum, of a function whose a, times the length-scales, is `a`.

    `of_h` holds mu, varrho and zeta_r.
    """
    n_columns = -(-len(a) // 4) * 4
    half = len(of_slopes) // 2
    var: float = -2.0 * of_h[0] * of_h[1]
    for r in range(len(of_h) - 2):
        root = of_h[r + 2] + inner(of_slopes[r * n_columns :], a)
        left = inner(of_slopes[half + r * n_columns :], a)
        var += root * root + left * left
    return var


@compiled(helper=True, flags=SUMS)
def _more_explained(E: FloatArray) -> float:
    more = 0.0
    for k in range(WIDTH):
        more -= 2.0 * E[k] * E[WIDTH + k]
    for k in range(2 * WIDTH, len(E)):
        more += E[k] * E[k]
    return more


@compiled(helper=True, inlined=True)
def _added(
    u: FloatArray,
    of_slopes: FloatArray,
    lengthscales: FloatArray,
    Y: FloatArray,
    A: FloatArray,
    A_x: FloatArray,
    A_1: FloatArray,
) -> float:
    """Return E[h]^2 + var h, but for the double sum, added up over WIDTH columns h of A."""
    n_rows = Y.shape[1] // WIDTH
    E = vector(n_rows * WIDTH)
    for q in range(Y.shape[0]):
        part = A[q * WIDTH * WIDTH : (q + 1) * WIDTH * WIDTH]
        add_product(Y[q], ZERO, WIDTH, ONE, n_rows, WIDTH, part, E)
    n_columns = len(A_x) // WIDTH
    sloped = vector(len(of_slopes) // n_columns * WIDTH)
    add_product(of_slopes, ZERO, n_columns, ONE, len(sloped) // WIDTH, n_columns, A_x, sloped)
    level = A_1.copy()
    for c in range(len(u)):
        scaled = u[c] / lengthscales[c]
        for k in range(WIDTH):
            level[k] += scaled * A_x[c * WIDTH + k]
    var = 0.0
    for k in range(WIDTH):
        whole = E[k] + level[k]
        var += whole * whole - 2.0 * E[k] * E[WIDTH + k]
    half, n = len(sloped) // 2, len(E) - 2 * WIDTH
    for k in range(half if n > half else n):
        root = E[2 * WIDTH + k] + sloped[k]
        var += root * root + sloped[half + k] * sloped[half + k]
    return var
