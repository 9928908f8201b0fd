r"""Basis functions :math:`k_i(x) = \exp(-\frac12 |\Lambda^{-1/2}(x - x_i)|^2)`, panel by panel.

Their values at known inputs and their expectations under Gaussian ones, compiled.
"""

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.caching import SUMS, compiled
from gpforecast.numerics.compiled.exponential import exponential
from gpforecast.numerics.compiled.panels import ONE, WIDTH, ZERO, add_product, inner


@compiled()
def means(
    X: FloatArray,  # (b, d)
    centers: FloatArray,  # (n_panels, d4 * WIDTH), the number filled up to a multiple of four
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,), zero beyond the number of basis functions
    linear: FloatArray,  # (2, d)
    constants: FloatArray,  # the first alone is read
) -> FloatArray:
    """Return sum_i w_i k_i(x) + linear[0]'x + constants[0] at every row of X, (b,)."""
    mean = vector(len(X))
    apart, basis = vector(centers.shape[1]), vector(WIDTH)
    for b in range(len(X)):
        mean[b] = constants[0] + inner(linear[0], X[b])
        for p in range(len(centers)):
            for k in range(WIDTH):
                basis[k] = 0.0
            _offsets(X[b], centers[p], lengthscales, apart, basis)
            for k in range(WIDTH):
                basis[k] = exponential(basis[k])
            mean[b] += inner(basis, weights[p * WIDTH : (p + 1) * WIDTH])
    return mean


@compiled(helper=True, inlined=True)
def expectations(
    u: FloatArray,  # (d,)
    of_points: FloatArray,  # (2 * rank4 * d4,), X and (I + D)^-1 D X
    logs: FloatArray,  # (2,)
    rank: int,
    centers: FloatArray,  # (n_panels, d4 * WIDTH)
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,)
    n_functions: int,
    Y: FloatArray,  # (n_panels, n_rows * WIDTH)
    rho_: FloatArray,  # (n_panels * WIDTH,)
    zs: FloatArray,  # (n_panels, rank4 * WIDTH)
    of_w: FloatArray,  # (rank + 2,)
    pull: FloatArray,  # (d,)
) -> None:
    r"""Write Y, rho and zs of `exact_moments`, and two sums of them weighted by w.

    With :math:`d_i = \Lambda^{-1/2} (x_i - u)` and :math:`p_i = X d_i`,

    .. math::

        \log l_i = -\tfrac12 |d_i|^2 + \tfrac12 |p_i|^2 - \tfrac12 \log |I + R'R|, \qquad
        z_i = p_i - e_i, \qquad e_i = (I + D)^{-1} D p_i, \\
        \rho_i = \tfrac12 e_i' (p_i + z_i) + \tfrac14 \log |I - (X X')^2|.

    This is eq. (33) of Quinonero-Candela et al. (2003). `of_w` becomes
    :math:`\sum_i w_i l_i [1, \rho_i, z_i]` and `pull` :math:`\sum_i w_i l_i d_i`.
    """
    n_columns, half = centers.shape[1] // WIDTH, zs.shape[1]
    apart = vector(n_columns * WIDTH)
    p_e = vector(2 * half)
    w_l = vector(WIDTH)
    # summed over panels first, over the columns of one last
    pulls = vector(n_columns * WIDTH)
    sums = vector(len(of_w) * WIDTH)
    log_norm, rest = logs[0], logs[1]
    for p in range(len(centers)):
        y, z, rho = Y[p], zs[p], rho_[p * WIDTH : (p + 1) * WIDTH]
        w, l_, l_rho = weights[p * WIDTH : (p + 1) * WIDTH], y[:WIDTH], y[WIDTH : 2 * WIDTH]
        for k in range(WIDTH):
            l_[k] = log_norm
            rho[k] = rest
        _offsets(u, centers[p], lengthscales, apart, l_)
        for k in range(len(p_e)):
            p_e[k] = 0.0
        add_product(of_points, ZERO, n_columns, ONE, len(p_e) // WIDTH, n_columns, apart, p_e)
        for r in range(rank):
            p_r, e_r = p_e[r * WIDTH : (r + 1) * WIDTH], p_e[half + r * WIDTH :]
            z_r = z[r * WIDTH : (r + 1) * WIDTH]
            for k in range(WIDTH):
                l_[k] += 0.5 * p_r[k] * p_r[k]
                rho[k] += 0.5 * e_r[k] * (2.0 * p_r[k] - e_r[k])
                z_r[k] = p_r[k] - e_r[k]
        for k in range(WIDTH):
            # rounding of squares that cancel must not carry l beyond its bound
            l_[k] = exponential(log_norm if l_[k] > log_norm else l_[k])
        for k in range(n_functions - p * WIDTH, WIDTH):
            l_[k] = 0.0
        for k in range(WIDTH):
            l_rho[k] = l_[k] * rho[k]
            w_l[k] = w[k] * l_[k]
        for r in range(rank):
            y_r, z_r = y[(r + 2) * WIDTH : (r + 3) * WIDTH], z[r * WIDTH : (r + 1) * WIDTH]
            for k in range(WIDTH):
                y_r[k] = l_[k] * z_r[k]
        _add_weighted(sums, y, w)
        _add_weighted(pulls, apart, w_l)
    _sum_rows(sums, of_w)
    _sum_rows(pulls, pull)


@compiled(helper=True)
def _offsets(
    u: FloatArray,
    centers: FloatArray,
    lengthscales: FloatArray,
    apart: FloatArray,
    log_k: FloatArray,
) -> None:
    """Write Lambda^-1/2 (x_i - u) of a panel, and add -1/2 of its squared length to log_k."""
    for c in range(len(u)):
        row, x_c = apart[c * WIDTH : (c + 1) * WIDTH], centers[c * WIDTH : (c + 1) * WIDTH]
        u_c, narrowness = u[c], 1.0 / lengthscales[c]
        for k in range(WIDTH):
            row[k] = (x_c[k] - u_c) * narrowness
            log_k[k] -= 0.5 * row[k] * row[k]


@compiled(helper=True)
def _add_weighted(sums: FloatArray, panel: FloatArray, w: FloatArray) -> None:
    """Add the rows of a panel, its columns weighted, to as many rows of sums."""
    for row in range(0, len(sums), WIDTH):
        for k in range(WIDTH):
            sums[row + k] += w[k] * panel[row + k]


@compiled(helper=True, flags=SUMS)
def _sum_rows(panel: FloatArray, out: FloatArray) -> None:
    """Write the sum of each row of a panel."""
    for row in range(len(out)):
        total = 0.0
        for k in range(WIDTH):
            total += panel[row * WIDTH + k]
        out[row] = total
