"""Sums of sines and cosines at many inputs, compiled, in loops that become vectors."""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.compiling import SUMS, compiled

_ROUND = 6755399441055744.0  # 1.5 * 2^52: adding it leaves the nearest integer in the low bits
_TWO_OVER_PI = 0.6366197723675814
# pi / 2 in three parts, the first two with zeros at their ends: products with integers are exact
_PARTS = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21

# Of polynomials for |r| up to pi / 4, the highest power first: as in Sun's fdlibm
_SINE = (
    1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
    -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01,
)  # fmt: skip
_COSINE = (
    -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
    2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02, -0.5,
)  # fmt: skip


@compiled(helper=True)
def sine_and_cosine(t: float) -> tuple[float, float]:
    """Return sin t and cos t; absolute errors are 1e-16 |t| at most, or 2e-16 if that is more."""
    shifted = t * _TWO_OVER_PI + _ROUND
    k = shifted - _ROUND
    r = ((t - k * _PARTS[0]) - k * _PARTS[1]) - k * _PARTS[2]
    z, sine, cosine = r * r, 0.0, 0.0
    for term in _SINE:
        sine = sine * z + term
    for term in _COSINE:
        cosine = cosine * z + term
    sine, cosine = r + r * z * sine, 1.0 + z * cosine
    quarter = np.float64(shifted).view(np.int64)
    odd = quarter & 1
    first, second = (cosine, sine) if odd else (sine, cosine)
    first = -first if quarter & 2 else first
    second = -second if (quarter + 1) & 2 else second
    return first, second


@compiled(flags=SUMS)
def sums_of_waves(
    X: FloatArray,  # (n, b, d), or (1, b, d) where all functions have the same inputs
    frequencies: FloatArray,  # (n, d, half)
    amplitudes: FloatArray,  # (2, n, half)
    found: FloatArray,  # (n, b)
) -> None:
    """Write the sum of cosines and sines of n functions at b inputs each."""
    n, d, half = frequencies.shape
    t = vector(half)
    for p in range(n):
        x = X[p if len(X) > 1 else 0]
        for i in range(len(x)):
            t[:] = 0.0
            for c in range(d):
                for f in range(half):
                    t[f] += x[i, c] * frequencies[p, c, f]
            total = 0.0
            for f in range(half):
                sine, cosine = sine_and_cosine(t[f])
                total += amplitudes[0, p, f] * cosine + amplitudes[1, p, f] * sine
            found[p, i] = total
