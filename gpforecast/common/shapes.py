"""Whether arrays fit together, as those of an untrusted file may not, and are covariances."""

from typing import TypeAlias

import numpy as np
import scipy

from gpforecast.common.types import FloatArray

_ROUNDING = 1e-9  # of the largest entry of a covariance
Shape: TypeAlias = tuple[int, ...]


def check_shapes(owner: object, **shapes: Shape) -> None:
    """Refuse arrays of an object that are of other shapes than the rest of it implies.

    Compiled code does not look where an array ends.

    Parameters
    ----------
    owner : object
    **shapes : tuple of int
        What each attribute must have; None has every shape.

    Raises
    ------
    ValueError
        If one of them has another.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> rows = SimpleNamespace(X=np.ones((3, 2)), y=np.ones(2), places=None)
    >>> check_shapes(rows, X=(3, 2), places=(3,))
    >>> check_shapes(rows, y=(3,))
    Traceback (most recent call last):
    ...
    ValueError: y of SimpleNamespace must be an array of shape (3,); got (2,)
    """
    for name, shape in shapes.items():
        value = vars(owner)[name]
        if value is not None and np.shape(value) != shape:
            raise ValueError(
                f"{name} of {type(owner).__name__} must be an array of shape {shape}; got "
                f"{np.shape(value)}"
            )


def check_finite(owner: object, *names: str) -> None:
    """Refuse arrays of an object that hold NaN or infinite numbers.

    Raises
    ------
    ValueError
        If one of them does.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> check_finite(SimpleNamespace(y=np.array([1.0, np.nan])), "y")
    Traceback (most recent call last):
    ...
    ValueError: y of SimpleNamespace must be finite numbers
    """
    for name in names:
        if not np.isfinite(vars(owner)[name]).all():
            raise ValueError(f"{name} of {type(owner).__name__} must be finite numbers")


def check_matrix(owner: object, name: str) -> Shape:
    """Return the shape of a matrix of an object, or refuse what is none.

    Raises
    ------
    ValueError
        If it has not two axes.
    """
    shape: Shape = np.shape(vars(owner)[name])
    if len(shape) != 2:
        raise ValueError(f"{name} of {type(owner).__name__} must be a matrix; got shape {shape}")
    return shape


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
