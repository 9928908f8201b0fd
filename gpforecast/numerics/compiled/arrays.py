"""Arrays of zeros for compiled functions.

numba compiles `np.zeros` anew for every kind of function that calls it, with other flags or another
number of axes. These are compiled once.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.caching import compiled


@compiled(helper=True)
def vector(n: int) -> FloatArray:
    """Return zeros (n,)."""
    return np.zeros(n)


@compiled(helper=True)
def matrix(n: int, m: int) -> FloatArray:
    """Return zeros (n, m)."""
    return np.zeros((n, m))


@compiled(helper=True)
def stack(b: int, n: int, m: int) -> FloatArray:
    """Return zeros (b, n, m)."""
    return np.zeros((b, n, m))
