"""Covariances as functions of their first input, with slopes and Laplacian; see `models.jets`."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.covariances import Constant, Covariance, Linear, SquaredExponential
from gpforecast.numerics import jets


def covariance_jets(
    covariance: Covariance,
    u: FloatArray,
    directions: FloatArray,
    Z: FloatArray,
    lengthscales: FloatArray,
) -> FloatArray:
    """Return the jets at u of k(x, z_i) as functions of x.

    Parameters
    ----------
    covariance : Covariance
        A sum of `SquaredExponential`, `Linear` and `Constant`.
    u : ndarray (b, d)
    directions : ndarray (b, d, r)
        In units of the length-scales.
    Z : ndarray (m, d)
    lengthscales : ndarray (d,)

    Returns
    -------
    ndarray (b, r + 2, m)
    """
    total = np.zeros((len(u), directions.shape[2] + 2, len(Z)))
    for term in covariance.terms:
        if isinstance(term, SquaredExponential):
            variance, ell = term.values(u.shape[1])
            total += variance * jets.bumps(u, directions, Z, ell)
        elif isinstance(term, Linear):
            pulled = Z * np.asarray(term.variances)  # slopes of k(., z), (m, d)
            total[:, 0] += u @ pulled.T
            total[:, 2:] += _along(directions, lengthscales) @ pulled.T
        elif isinstance(term, Constant):
            total[:, 0] += np.exp(term.log_parameters)
        else:
            raise TypeError(f"no second derivatives are known of {type(term).__name__}.")
    return total


def variance_jets(
    covariance: Covariance, u: FloatArray, directions: FloatArray, lengthscales: FloatArray
) -> FloatArray:
    """Return the jets at u of k(x, x): (b, r + 2, 1); arguments as for `covariance_jets`."""
    total = np.zeros((len(u), directions.shape[2] + 2, 1))
    total[:, 0, 0] = covariance.diag(u)
    for term in covariance.terms:
        if isinstance(term, Linear):
            steps = _along(directions, lengthscales)  # (b, r, d)
            scaled = steps * np.asarray(term.variances)
            total[:, 1, 0] += 2.0 * (steps * scaled).sum(axis=(1, 2))
            total[:, 2:, 0] += 2.0 * np.einsum("brd,bd->br", scaled, u)
    return total


def _along(directions: FloatArray, lengthscales: FloatArray) -> FloatArray:
    """Return the directions in units of the inputs, (b, r, d)."""
    steps: FloatArray = np.swapaxes(directions * lengthscales[:, None], 1, 2)
    return steps
