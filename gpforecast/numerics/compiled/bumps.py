"""Expected bumps and what goes with them, panel by panel, compiled."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.caching import compiled
from gpforecast.numerics.compiled.exponential import exponential
from gpforecast.numerics.compiled.panels import FOUR, ONE, WIDTH, ZERO, add_product


@compiled
def bumps(
    u: FloatArray,  # (d,)
    X: FloatArray,  # (rank4, d4)
    below: FloatArray,  # (rank4, rank4)
    logs: FloatArray,  # (2,)
    rank: int,
    centers: FloatArray,  # (n_panels, d4 * WIDTH)
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,)
    n_bumps: int,
    Y: FloatArray,  # (n_panels, n_rows * WIDTH)
    rho_: FloatArray,  # (n_panels * WIDTH,)
    zs: FloatArray,  # (n_panels, rank4 * WIDTH)
    pull: FloatArray,  # (d,)
) -> None:
    r"""Write Y, rho and zs of `exact_moments`, and sum_i w_i l_i Lambda^-1/2 (x_i - u).

    With :math:`d_i = \Lambda^{-1/2} (x_i - u)`, :math:`p_i = X d_i` and `below`
    :math:`(I + D)^{-1} D`,

    .. math::

        \log l_i = -\tfrac12 |d_i|^2 + \tfrac12 |p_i|^2 - \tfrac12 \log |I + R'R|, \qquad
        z_i = p_i - e_i, \qquad e_i = (I + D)^{-1} D p_i, \\
        \rho_i = \tfrac12 e_i' (p_i + z_i) + \tfrac14 \log |I - (X X')^2|.
    """
    full, n_columns = X.shape
    x_flat, below_flat = X.reshape(-1), below.reshape(-1)
    apart = np.zeros(n_columns * WIDTH)
    e = np.zeros(full * WIDTH)
    pulls = np.zeros(n_columns * WIDTH)  # summed over panels first, over the columns of one last
    w_l = np.zeros(WIDTH)
    log_norm, rest = logs[0], logs[1]
    for p in range(len(centers)):
        y, z, rho = Y[p], zs[p], rho_[p * WIDTH : (p + 1) * WIDTH]
        l_, l_rho = y[:WIDTH], y[WIDTH : 2 * WIDTH]
        for k in range(WIDTH):
            l_[k] = log_norm
            rho[k] = rest
        for c in range(len(u)):
            x, x_c = apart[c * WIDTH : (c + 1) * WIDTH], centers[p, c * WIDTH : (c + 1) * WIDTH]
            u_c, narrowness = u[c], 1.0 / lengthscales[c]
            for k in range(WIDTH):
                x[k] = (x_c[k] - u_c) * narrowness
                l_[k] -= 0.5 * x[k] * x[k]
        add_product(x_flat, ZERO, n_columns, ONE, full, n_columns, apart, z)
        for k in range(full * WIDTH):
            e[k] = 0.0
        for r in range(0, full, 4):  # of a lower triangle
            rows = e[r * WIDTH : (r + 4) * WIDTH]
            add_product(below_flat, r * full, full, ONE, FOUR, r + 4, z, rows)
        for r in range(rank):
            z_r, e_r = z[r * WIDTH : (r + 1) * WIDTH], e[r * WIDTH : (r + 1) * WIDTH]
            for k in range(WIDTH):
                l_[k] += 0.5 * z_r[k] * z_r[k]
                rho[k] += 0.5 * e_r[k] * (2.0 * z_r[k] - e_r[k])
                z_r[k] -= e_r[k]
        for k in range(WIDTH):
            # rounding of squares that cancel must not carry l beyond its bound
            l_[k] = exponential(min(l_[k], log_norm))
        for k in range(n_bumps - p * WIDTH, WIDTH):
            l_[k] = 0.0
        for k in range(WIDTH):
            l_rho[k] = l_[k] * rho[k]
        for r in range(rank):
            y_r, z_r = y[(r + 2) * WIDTH : (r + 3) * WIDTH], z[r * WIDTH : (r + 1) * WIDTH]
            for k in range(WIDTH):
                y_r[k] = l_[k] * z_r[k]
        w = weights[p * WIDTH : (p + 1) * WIDTH]
        for k in range(WIDTH):
            w_l[k] = w[k] * l_[k]
        for c in range(0, len(apart), WIDTH):
            for k in range(WIDTH):
                pulls[c + k] += w_l[k] * apart[c + k]
    for c in range(len(u)):
        pull[c] = sum_of_panel_row(pulls[c * WIDTH : (c + 1) * WIDTH])


@compiled(flags=frozenset({"contract", "reassoc"}))
def sum_of_panel_row(x: FloatArray) -> float:
    """Return the sum of WIDTH numbers, in vector lanes."""
    total = 0.0
    for k in range(WIDTH):
        total += x[k]
    return total
