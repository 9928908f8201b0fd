"""What a covariance matrix must be."""

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

_ROUNDING = 1e-9  # of the largest entry of a covariance


def covariance_matrix(S: FloatArray, name: str) -> FloatArray:
    """Return a square matrix as exactly symmetric, or say why it is no covariance.

    Parameters
    ----------
    S : ndarray (d, d)
    name : str
        What to call it in a message.

    Raises
    ------
    ValueError
        If it is not symmetric or not positive semi-definite, beyond 1e-9 of its largest entry.
    """
    apart = S - S.T
    if apart.any():
        if np.abs(apart).max() > _ROUNDING * np.abs(S).max():
            raise ValueError(f"{name} must be symmetric; pass (S + S.T) / 2.")
        S = 0.5 * (S + S.T)
    _, failed = scipy.linalg.lapack.dpotrf(S)  # an eighth of the time of eigenvalues
    smallest = float(np.linalg.eigvalsh(S)[0]) if failed else 0.0
    if smallest < -_ROUNDING * np.abs(S).max(initial=0.0):
        raise ValueError(
            f"{name} must be positive semi-definite; its smallest eigenvalue is {smallest:.3g}. A "
            f"covariance put together entry by entry often fails this; check the off-diagonal "
            f"entries."
        )
    return S
