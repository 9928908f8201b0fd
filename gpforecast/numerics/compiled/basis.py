r"""Basis functions :math:`k_i(x) = \exp(-\frac12 |\Lambda^{-1/2}(x - x_i)|^2)`, panel by panel.

Their values at known inputs and their expectations under Gaussian ones, compiled.
"""

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.compiling import compiled
from gpforecast.numerics.compiled.elementary import exponential
from gpforecast.numerics.compiled.panels import ONE, WIDTH, ZERO, add_product, inner


@compiled()
def means(
    X: FloatArray,  # (b, d)
    centers: FloatArray,  # (n_panels, d4 * WIDTH), the number filled up to a multiple of four
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,), zero beyond the number of basis functions
    linear: FloatArray,  # (d,)
    constant: float,
) -> FloatArray:
    """Return sum_i w_i k_i(x) + linear'x + constant at every row of X, (b,)."""
    mean = vector(len(X))
    apart, basis = vector(centers.shape[1]), vector(WIDTH)
    for b in range(len(X)):
        mean[b] = constant + inner(linear, X[b])
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
    rho: FloatArray,  # (n_panels * WIDTH,)
    zs: FloatArray,  # (n_panels, rank4 * WIDTH)
    of_mean: FloatArray,  # (n_rows * WIDTH,)
    pull: FloatArray,  # (d,)
) -> None:
    r"""Write Y, rho and zs of `exact_moments`, and add :math:`\sum_i w_i l_i d_i` to `pull`.

    The rows of Y times w are added to the first column of the panel `of_mean`.

    With :math:`d_i = \Lambda^{-1/2} (x_i - u)` and :math:`p_i = X d_i`,

    .. math::

        \log l_i = -\tfrac12 |d_i|^2 + \tfrac12 |p_i|^2 - \tfrac12 \log |I + R'R|, \qquad
        z_i = p_i - e_i, \qquad e_i = (I + D)^{-1} D p_i, \\
        \rho_i = \tfrac12 e_i' (p_i + z_i) + \tfrac14 \log |I - (X X')^2|.

    This is eq. (33) of Quinonero-Candela et al. (2003).
    """
    n_columns, half = centers.shape[1] // WIDTH, zs.shape[1]
    apart, w_l = vector(n_columns * WIDTH), vector(WIDTH)
    p_e = vector(2 * half)
    log_norm, rest = logs[0], logs[1]
    for p in range(len(centers)):
        y, z, at = Y[p], zs[p], p * WIDTH
        for k in range(WIDTH):
            y[k] = log_norm
            rho[at + k] = rest
        _offsets(u, centers[p], lengthscales, apart, y)
        for k in range(len(p_e)):
            p_e[k] = 0.0
        add_product(of_points, ZERO, n_columns, ONE, len(p_e) // WIDTH, n_columns, apart, p_e)
        for r in range(0, rank * WIDTH, WIDTH):
            for k in range(WIDTH):
                p_r, e_r = p_e[r + k], p_e[half + r + k]
                y[k] += 0.5 * p_r * p_r
                rho[at + k] += 0.5 * e_r * (2.0 * p_r - e_r)
                z[r + k] = p_r - e_r
        for k in range(WIDTH):
            # rounding of squares that cancel must not carry l beyond its bound
            l_k = exponential(log_norm if y[k] > log_norm else y[k])
            y[k] = l_k if at + k < n_functions else 0.0
            y[WIDTH + k] = y[k] * rho[at + k]
            w_l[k] = y[k] * weights[at + k]
        for r in range(0, rank * WIDTH, WIDTH):
            for k in range(WIDTH):
                y[2 * WIDTH + r + k] = y[k] * z[r + k]
        for k in range(WIDTH):
            w = weights[at + k]
            for r in range(0, (rank + 2) * WIDTH, WIDTH):
                of_mean[r] += y[r + k] * w
        for c in range(len(u)):
            pull[c] += inner(w_l, apart[c * WIDTH : (c + 1) * WIDTH])


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
