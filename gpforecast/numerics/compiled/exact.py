r"""The exact moments of an extended linear model at Gaussian inputs, compiled.

The formulas are derived in the explanation pages ("Moments that keep their digits"); the letters
are theirs. For a function :math:`h(x) = \sum_i h_i k_i(x) + a'x + b` let, in the eigenbasis of the
scaled input covariance,

.. math::

    \mu = \sum_i h_i l_i, \quad \varrho = \sum_i h_i l_i \rho_i, \quad
    \zeta_r = \sum_i h_i l_i z_{ir} \sqrt{s_r / (1 + 2 s_r)}, \quad \alpha = V' \Lambda^{1/2} a.

The part of its variance that needs no double sum is a sum of squares and one small term,

.. math::

    \sum_r (\zeta_r + c_r \alpha_r)^2 + \sum_r \frac{s_r^3}{(1+s_r)^2} \alpha_r^2
    - 2 \mu \varrho, \qquad c_r = \frac{\sqrt{s_r (1 + 2 s_r)}}{1 + s_r}.
"""

import numpy as np

from gpforecast.numerics.compiled.caching import compiled
from gpforecast.numerics.compiled.moments import log_shrinkage
from gpforecast.numerics.compiled.panels import ONE, WIDTH, ZERO, add_product
from gpforecast.numerics.compiled.triangular import solve_lower
from gpforecast.typing import FloatArray

_ROUNDING = 1e-9  # a variance this little below its floor is not counted as clipped
_SUMS = frozenset({"contract", "reassoc"})


@compiled
def first_moments(
    u: FloatArray,  # (b, d)
    s: FloatArray,  # (b, rank)
    V: FloatArray,  # (b, rank4, d4), the numbers filled up to multiples of four
    centers: FloatArray,  # (n_panels, d4 * WIDTH)
    lengthscales: FloatArray,  # (d,)
    weights: FloatArray,  # (n_panels * WIDTH,)
    linear: FloatArray,  # (d,)
    constants: FloatArray,  # of the mean, the prior variance, the number of bumps
    added: FloatArray,  # (n_functions / WIDTH, n_panels * WIDTH * WIDTH), panels of A's bumps
    added_linear: FloatArray,  # (n_functions / WIDTH, d4 * WIDTH), times the length-scales
    added_constant: FloatArray,  # (n_functions / WIDTH, WIDTH)
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return all of the moments but the double sum and the triangular solve.

    Returns
    -------
    mean : ndarray (b,)
    var : ndarray (b, 2)
        The prior variance; and all that is to be added to it, but for the double sum and for
        what `subtract_explained` takes from both.
    gradient : ndarray (b, d)
    Y : ndarray (b, n_panels, n_rows * WIDTH)
        Rows l_i, l_i rho_i, l_i zs_ir and zeros, to a multiple of four.
    rho : ndarray (b, n_panels * WIDTH)
    zs : ndarray (b, n_panels, rank4 * WIDTH)
        z_ir sqrt(s_r / (1 + 2 s_r)).
    """
    n_batch, d = u.shape
    rank, n_panels = s.shape[1], centers.shape[0]
    mean = np.empty(n_batch)
    var = np.empty((n_batch, 2))
    gradient = np.zeros((n_batch, d))
    Y = np.zeros((n_batch, n_panels, -(-(rank + 2) // 4) * 4 * WIDTH))
    rho = np.empty((n_batch, n_panels * WIDTH))
    zs = np.zeros((n_batch, n_panels, V.shape[1] * WIDTH))
    slopes = np.empty(rank)
    of_w = np.empty(rank + 2)  # mu, varrho, zeta_r of the mean
    stretched = linear * lengthscales
    for b in range(n_batch):
        g = gradient[b]
        _bumps(u[b], s[b], V[b], centers, lengthscales, weights, int(constants[2]), Y[b], rho[b],
               zs[b], g)  # fmt: skip
        _functional(Y[b], weights, of_w)
        mean[b] = constants[0] + of_w[0]
        var[b, 0] = constants[1]
        var[b, 1] = -2.0 * of_w[0] * of_w[1]
        for c in range(d):
            mean[b] += u[b, c] * linear[c]
        # E[d mean/dx] = (S + Lambda)^-1 sum_i w_i l_i (x_i - u) + linear; the sum is in g
        for r in range(rank):
            e = s[b, r]
            alpha = _inner(V[b, r], stretched)
            along = _inner(V[b, r], g) * e / (1.0 + e)
            for c in range(d):
                g[c] -= V[b, r, c] * along
            slopes[r] = np.sqrt(e * (1.0 + 2.0 * e)) / (1.0 + e)  # c_r
            var[b, 1] += (of_w[r + 2] + slopes[r] * alpha) ** 2
            var[b, 1] += e * (e * alpha / (1.0 + e)) ** 2
        for c in range(d):
            g[c] = g[c] / lengthscales[c] + linear[c]
        for p in range(len(added)):
            var[b, 1] += _added(u[b], s[b], V[b], slopes, lengthscales, Y[b], added[p],
                                added_linear[p], added_constant[p])  # fmt: skip
    return mean, var, gradient, Y, rho, zs


@compiled
def subtract_explained(
    blocks: FloatArray, corners: FloatArray, Y: FloatArray, var: FloatArray
) -> None:
    """Subtract from var (b, 2) what the data explain, but for the double sum; Y is overwritten.

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


@compiled
def total(
    var: FloatArray,  # (b, 2)
    sums: FloatArray,  # (b, n_panels)
    gradient: FloatArray,  # (b, d)
    S: FloatArray,  # (b, d, d)
) -> int:
    """Add the double sum and all else up in var[:, 0], and hold it above g'Sg.

    The recursion needs that bound to keep the joint covariance semi-definite. Returns how many
    were below it.
    """
    n_clipped = 0
    for b in range(len(var)):
        more = var[b, 1]
        for p in range(sums.shape[1]):
            more += sums[b, p]
        v = var[b, 0] + more
        floor = 0.0
        for i in range(S.shape[1]):
            for j in range(S.shape[1]):
                floor += gradient[b, i] * S[b, i, j] * gradient[b, j]
        if v < floor * (1.0 - _ROUNDING):
            n_clipped += 1
        var[b, 0] = max(v, floor)
    return n_clipped


@compiled
def _bumps(
    u: FloatArray,
    s: FloatArray,
    V: FloatArray,
    centers: FloatArray,
    lengthscales: FloatArray,
    weights: FloatArray,
    n_bumps: int,
    Y: FloatArray,
    rho_: FloatArray,
    zs: FloatArray,
    pull: FloatArray,
) -> None:
    """Write Y, rho and zs of `first_moments`, and sum_i w_i l_i Lambda^-1/2 (x_i - u)."""
    rank, n_columns, n_rows = len(s), V.shape[1], V.shape[0]
    v = V.reshape(-1)
    log_norm = 0.0  # log l_i and rho_i as in `bump_expectations`
    rest = 0.0
    for r in range(rank):
        log_norm -= 0.5 * np.log1p(s[r])
        rest += 0.25 * log_shrinkage(s[r])
    apart = np.zeros(n_columns * WIDTH)
    for p in range(len(centers)):
        y, z, rho = Y[p], zs[p], rho_[p * WIDTH : (p + 1) * WIDTH]
        l_, l_rho = y[:WIDTH], y[WIDTH : 2 * WIDTH]
        for k in range(WIDTH):
            l_[k] = log_norm
            rho[k] = rest
        for c in range(len(u)):
            x, x_c = apart[c * WIDTH : (c + 1) * WIDTH], centers[p, c * WIDTH : (c + 1) * WIDTH]
            narrowness = 1.0 / lengthscales[c]
            for k in range(WIDTH):
                x[k] = (x_c[k] - u[c]) * narrowness
                l_[k] -= 0.5 * x[k] * x[k]
        add_product(v, ZERO, n_columns, ONE, n_rows, n_columns, apart, z)
        for r in range(rank):
            z_r = z[r * WIDTH : (r + 1) * WIDTH]
            a = 0.5 * s[r] / (1.0 + s[r])
            q = a * s[r] / (1.0 + 2.0 * s[r])
            root = np.sqrt(s[r] / (1.0 + 2.0 * s[r]))
            for k in range(WIDTH):
                l_[k] += a * z_r[k] * z_r[k]
                rho[k] += q * z_r[k] * z_r[k]
                z_r[k] *= root
        for k in range(WIDTH):
            # rounding of squares that cancel must not carry l beyond its bound
            l_[k] = np.exp(min(l_[k], log_norm)) if p * WIDTH + k < n_bumps else 0.0
            l_rho[k] = l_[k] * rho[k]
        for r in range(rank):
            y_r, z_r = y[(r + 2) * WIDTH : (r + 3) * WIDTH], z[r * WIDTH : (r + 1) * WIDTH]
            for k in range(WIDTH):
                y_r[k] = l_[k] * z_r[k]
        w = weights[p * WIDTH : (p + 1) * WIDTH]
        for c in range(len(u)):
            pull[c] += _dot_three(w, l_, apart[c * WIDTH : (c + 1) * WIDTH])


@compiled(flags=_SUMS)
def _dot_three(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
    product = 0.0
    for k in range(WIDTH):
        product += a[k] * b[k] * c[k]
    return product


@compiled(flags=_SUMS)
def _inner(v: FloatArray, x: FloatArray) -> float:
    product = 0.0
    for c in range(len(x)):
        product += v[c] * x[c]
    return product


@compiled(flags=_SUMS)
def _functional(Y: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    """Write the product of every row of Y, over all panels, with the weights."""
    for row in range(len(out)):
        out[row] = 0.0
    for p in range(Y.shape[0]):
        y, w = Y[p], weights[p * WIDTH : (p + 1) * WIDTH]
        for row in range(len(out)):
            y_row = y[row * WIDTH : (row + 1) * WIDTH]
            product = 0.0
            for k in range(WIDTH):
                product += y_row[k] * w[k]
            out[row] += product


@compiled(flags=_SUMS)
def _more_explained(E: FloatArray) -> float:
    more = 0.0
    for k in range(WIDTH):
        more -= 2.0 * E[k] * E[WIDTH + k]
    for k in range(2 * WIDTH, len(E)):
        more += E[k] * E[k]
    return more


@compiled
def _added(
    u: FloatArray,
    s: FloatArray,
    V: FloatArray,
    slopes: FloatArray,
    lengthscales: FloatArray,
    Y: FloatArray,
    A: FloatArray,
    A_x: FloatArray,
    A_1: FloatArray,
) -> float:
    """Return E[h]^2 + var h, but for the double sum, added up over WIDTH columns h of A."""
    n_rows, n_columns = Y.shape[1] // WIDTH, V.shape[1]
    E = np.zeros(n_rows * WIDTH)
    for q in range(Y.shape[0]):
        part = A[q * WIDTH * WIDTH : (q + 1) * WIDTH * WIDTH]
        add_product(Y[q], ZERO, WIDTH, ONE, n_rows, WIDTH, part, E)
    alpha = np.zeros(V.shape[0] * WIDTH)
    add_product(V.reshape(-1), ZERO, n_columns, ONE, V.shape[0], n_columns, A_x, alpha)
    level = np.empty(WIDTH)
    for k in range(WIDTH):
        level[k] = A_1[k]
    for c in range(len(u)):
        scaled = u[c] / lengthscales[c]
        for k in range(WIDTH):
            level[k] += scaled * A_x[c * WIDTH + k]
    var = 0.0
    for k in range(WIDTH):
        var += (E[k] + level[k]) ** 2 - 2.0 * E[k] * E[WIDTH + k]
    for r in range(len(s)):
        left = s[r] * (s[r] / (1.0 + s[r])) ** 2
        for k in range(WIDTH):
            a = alpha[r * WIDTH + k]
            var += (E[(r + 2) * WIDTH + k] + slopes[r] * a) ** 2 + left * a * a
    return var
