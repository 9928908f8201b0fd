"""The papers' l and L: expectations of Gaussian basis functions under a Gaussian input."""

import numpy as np

from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import covariance_matrix, finite_array
from gpforecast.numerics.compiled.exact import exact_moments
from gpforecast.numerics.compiled.panels import WIDTH
from gpforecast.numerics.packing import panels

_EPS = float(np.finfo(np.float64).eps)


def l_vector(u: ArrayLike, S: ArrayLike, centers: ArrayLike, lengthscales: ArrayLike) -> FloatArray:
    r"""Return the expected value of every basis function under a Gaussian input.

    .. math::

        l_i = E[k_i(x)] = |\Lambda^{-1} S + I|^{-1/2}
              \exp\left(-\tfrac12 (u - x_i)' (S + \Lambda)^{-1} (u - x_i)\right),
        \qquad x \sim N(u, S)

    with :math:`k_i(x) = \exp(-\frac12 (x-x_i)'\Lambda^{-1}(x-x_i))` and
    :math:`\Lambda = \operatorname{diag}(\text{lengthscales}^2)`. Costs O(m d^2) time and O(m d)
    memory; `S` may be singular or zero.

    Parameters
    ----------
    u : array-like (d,)
        Mean of the input.
    S : array-like (d, d)
        Covariance of the input, symmetric and positive semi-definite.
    centers : array-like (m, d)
        Where the basis functions are 1, one a row.
    lengthscales : float or array-like (d,)
        Their widths, in the units of the inputs.

    Returns
    -------
    ndarray (m,)

    Raises
    ------
    ValueError
        If the shapes do not fit together, `S` is not a covariance, or a length-scale is not
        positive.

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), eq. (33).

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.numerics.l_vector([0.0], [[3.0]], [[0.0], [2.0]], 1.0).round(4)
    array([0.5   , 0.3033])
    """
    l_, _, _ = _expectations(u, S, centers, lengthscales)
    return l_


def L_matrix(  # noqa: N802
    u: ArrayLike, S: ArrayLike, centers: ArrayLike, lengthscales: ArrayLike
) -> FloatArray:
    r"""Return the expected product of every pair of basis functions under a Gaussian input.

    .. math::

        L_{ij} = E[k_i(x) k_j(x)] = |2\Lambda^{-1} S + I|^{-1/2} \exp\left(-\tfrac12 \left[
            (u - \bar x)' (\tfrac12\Lambda + S)^{-1} (u - \bar x)
            + (x_i - x_j)' (2\Lambda)^{-1} (x_i - x_j)\right]\right)

    with :math:`\bar x = (x_i + x_j)/2`. Costs O(m^2 d) time and O(m^2) memory. The moments of
    `gpforecast.propagation` do not use this matrix: they sum the covariances
    :math:`L_{ij} - l_i l_j` without ever taking that difference.

    Parameters
    ----------
    u, S, centers, lengthscales
        As for `l_vector`.

    Returns
    -------
    ndarray (m, m)

    Raises
    ------
    ValueError
        As `l_vector`.

    References
    ----------
    Quinonero-Candela, Girard and Rasmussen (2003), eq. (37).

    Examples
    --------
    >>> import gpforecast as gf
    >>> gf.numerics.L_matrix([0.0], [[1.5]], [[0.0], [2.0]], 1.0).round(4)
    array([[0.5   , 0.1433],
           [0.1433, 0.1839]])
    """
    l_, rho, z = _expectations(u, S, centers, lengthscales)
    with np.errstate(divide="ignore"):  # log 0 = -inf where x_i is out of reach: L is 0 there
        log_l = np.log(l_)
    L: FloatArray = np.exp(np.add.outer(log_l, log_l) + (z.T @ z - np.add.outer(rho, rho)))
    return L


def eigenbasis(S: FloatArray, lengthscales: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Eigenvalues and vectors of the scaled input covariances, without those that are zero.

    Parameters
    ----------
    S : ndarray (b, d, d)
        Input covariances.
    lengthscales : ndarray (d,)

    Returns
    -------
    s : ndarray (b, r)
        Eigenvalues of :math:`\Lambda^{-1/2} S \Lambda^{-1/2}`, with r the largest rank in the
        batch. Negative ones, which are rounding, are set to zero.
    V : ndarray (b, d, r)
        The eigenvectors.
    """
    used = np.flatnonzero(np.any(S != 0.0, axis=(0, 1)))
    scale = 1.0 / lengthscales[used]
    s, V_used = np.linalg.eigh(S[:, used[:, None], used] * scale[:, None] * scale)
    s = np.maximum(s, 0.0)
    largest = s[:, -1:] if s.shape[1] else s
    live = (s > largest * _EPS * max(len(used), 1)).any(axis=0)  # ascending: the zeros come first
    V = np.zeros((S.shape[0], S.shape[1], int(live.sum())))
    V[:, used] = V_used[:, :, live]
    return np.ascontiguousarray(s[:, live]), V


def check_gaussian(
    u: ArrayLike, S: ArrayLike, n_inputs: int | None, owner: str
) -> tuple[FloatArray, FloatArray]:
    """Return mean (d,) and covariance (d, d) of one Gaussian input, or say what is wrong.

    Raises
    ------
    ValueError
        If the shapes do not fit `n_inputs`, or S is not symmetric positive semi-definite.
    """
    u = np.atleast_1d(finite_array(u, "the input mean u"))
    S = finite_array(S, "the input covariance S")
    S = S.reshape(1, 1) if S.size == 1 else S
    d = len(u) if n_inputs is None else n_inputs
    if u.shape != (d,) or S.shape != (d, d):
        raise ValueError(
            f"x must be a Gaussian over the {d} inputs of {owner}, shapes ({d},) and ({d}, {d}); "
            f"got mean {u.shape} and cov {S.shape}."
        )
    return u, covariance_matrix(S, "the input covariance S")


def _expectations(
    u: ArrayLike, S: ArrayLike, centers: ArrayLike, lengthscales: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return l (m,), rho (m,) and z (r, m), log(L_ij / (l_i l_j)) = z_i'z_j - rho_i - rho_j."""
    centers = finite_array(centers, "centers", ndim=2)
    m, d = centers.shape
    u, S = check_gaussian(u, S, d, "the centers")
    try:
        ell = np.broadcast_to(finite_array(lengthscales, "lengthscales"), (d,)).copy()
    except ValueError:
        raise ValueError(
            f"lengthscales must be one number or one for each of the {d} inputs; got shape "
            f"{np.shape(lengthscales)}."
        ) from None
    if not (ell > 0).all():
        raise ValueError(f"lengthscales must be positive; got {ell.min():.3g}.")
    packed, none = panels(centers.T), np.zeros((0, 1))
    weights, linear, constants = np.zeros(len(packed) * WIDTH), np.zeros((2, d)), np.zeros(3)
    constants[2] = m
    model = (packed, ell, weights, linear, constants, none, none, none)
    *_, Y, rho, z = exact_moments(u[None], S[None], *model, none, none, none, False)
    rows = np.moveaxis(z.reshape(len(packed), -1, WIDTH), 0, 1).reshape(-1, len(weights))
    return Y[0, :, :WIDTH].ravel()[:m], rho[0, :m], rows[:, :m]
