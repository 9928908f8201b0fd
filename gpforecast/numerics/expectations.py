"""The papers' l and L: expectations of Gaussian basis functions under a Gaussian input."""

import numpy as np
import scipy

from gpforecast.common.shapes import covariance_matrix
from gpforecast.common.types import ArrayLike, FloatArray
from gpforecast.common.validation import finite_array

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
    u, S, x, ell = _checked(u, S, centers, lengthscales)
    z, log_l = _scaled(u - x, S, ell)
    l_: FloatArray = np.exp(log_l - 0.5 * (z**2).sum(axis=1))
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
    u, S, x, ell = _checked(u, S, centers, lengthscales)
    # A product of two basis functions is one at their middle, of widths smaller by sqrt(2).
    z, log_l = _scaled(0.5 * (u - x), S, ell / np.sqrt(2.0))
    apart = scipy.spatial.distance.cdist(x / ell, x / ell, "sqeuclidean")
    L: FloatArray = np.exp(
        log_l - 0.5 * scipy.spatial.distance.cdist(z, -z, "sqeuclidean") - 0.25 * apart
    )
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


def check_gaussian(u: ArrayLike, S: ArrayLike, d: int, owner: str) -> tuple[FloatArray, FloatArray]:
    """Return mean (d,) and covariance (d, d) of one Gaussian input, or say what is wrong.

    Raises
    ------
    ValueError
        If the shapes do not fit `d` inputs, or S is not symmetric positive semi-definite.
    """
    u = np.atleast_1d(finite_array(u, "the input mean u"))
    S = finite_array(S, "the input covariance S")
    S = S.reshape(1, 1) if S.size == 1 else S
    if u.shape != (d,) or S.shape != (d, d):
        raise ValueError(
            f"x must be a Gaussian over the {d} inputs of {owner}, shapes ({d},) and ({d}, {d}); "
            f"got mean {u.shape} and cov {S.shape}."
        )
    return u, covariance_matrix(S, "the input covariance S")


def _checked(
    u: ArrayLike, S: ArrayLike, centers: ArrayLike, lengthscales: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return mean (d,) and covariance (d, d), the centers (m, d) and the length-scales (d,)."""
    centers = finite_array(centers, "centers", ndim=2)
    d = centers.shape[1]
    ell = finite_array(lengthscales, "lengthscales")
    if ell.shape not in ((), (1,), (d,)):
        raise ValueError(
            f"lengthscales must be one number or one for each of the {d} inputs; got shape "
            f"{ell.shape}."
        )
    if not (ell > 0).all():
        raise ValueError(f"lengthscales must be positive; got {ell.min():.3g}.")
    return *check_gaussian(u, S, d, "the centers"), centers, np.broadcast_to(ell, d)


def _scaled(apart: FloatArray, S: FloatArray, ell: FloatArray) -> tuple[FloatArray, float]:
    """Return z = C^-1 (apart / ell) for all rows, and -log |C|, with C C' = I + S / (ell ell')."""
    C = np.linalg.cholesky(np.eye(len(ell)) + S / np.outer(ell, ell))
    z: FloatArray = scipy.linalg.solve_triangular(C, (apart / ell).T, lower=True).T
    return z, -float(np.log(C.diagonal()).sum())
