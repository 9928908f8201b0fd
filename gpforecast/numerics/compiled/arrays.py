"""Arrays of zeros for compiled functions.

numba compiles `np.zeros` anew for every kind of function that calls it, with other flags or another
number of axes. These are compiled once, and their loops in half of its time; LLVM makes the same of
both.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.compiling import compiled


@compiled(helper=True)
def vector(n: int) -> FloatArray:
    """Return zeros (n,)."""
    zeros = np.empty(n)
    for i in range(n):
        zeros[i] = 0.0
    return zeros


@compiled(helper=True)
def matrix(n: int, m: int) -> FloatArray:
    """Return zeros (n, m)."""
    zeros = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            zeros[i, j] = 0.0
    return zeros


@compiled(helper=True)
def stack(b: int, n: int, m: int) -> FloatArray:
    """Return zeros (b, n, m)."""
    zeros = np.empty((b, n, m))
    for k in range(b):
        for i in range(n):
            for j in range(m):
                zeros[k, i, j] = 0.0
    return zeros
