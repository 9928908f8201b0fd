"""Exponential, sine and cosine for loops that become vectors, and sums of waves.

They are written without a branch or a table. The exponential and the one without its first terms
are ``t = k ln 2 + r`` with ``|r| <= ln(2)/2``, a polynomial in r, and 2^k put together from its
bits.
"""

import numpy as np

from gpforecast.common.types import FloatArray
from gpforecast.numerics.compiled.arrays import vector
from gpforecast.numerics.compiled.compiling import SUMS, compiled

# 1.5 * 2^52: adding it to a double leaves the nearest integer in the low bits of the sum.
_ROUND = 6755399441055744.0
_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOWEST = -708.0  # e^-708 is the last to be a normal number; what is below counts as 0

# exp(700) still fits a double. An exponent T_ij above it needs l_i, l_j < exp(-700), because
# L_ij <= min(l_i, l_j): the term it belongs to is below 1e-304 and may be cut.
_HIGHEST = 700.0

# 1 / n! for n from 13 down to 2
_EXPONENTIAL = (
    1.6059043836821613e-10, 2.0876756987868098e-09, 2.505210838544172e-08, 2.755731922398589e-07,
    2.7557319223985893e-06, 2.48015873015873e-05, 1.984126984126984e-04, 1.388888888888889e-03,
    8.333333333333333e-03, 4.1666666666666664e-02, 1.6666666666666666e-01, 0.5,
)  # fmt: skip
# Of a polynomial for (e^r - 1 - r) / r^2 with |r| up to ln(2)/2, the highest power first
_REMAINDER = (
    2.088936539680595e-09, 2.5105184872424147e-08, 2.755734965471551e-07, 2.7557255487172396e-06,
    2.4801587245699705e-05, 0.00019841269874742076, 0.0013888888888917976, 0.008333333333326162,
    0.041666666666666616, 0.1666666666666667, 0.5,
)  # fmt: skip

_TWO_OVER_PI = 0.6366197723675814
# pi / 2 in three parts, the first two with zeros at their ends: products with integers are exact
_HALF_PI = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21

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
def exponential(t: float) -> float:
    """Return e^t for t up to 700, to 2e-16 relative; zero below -708, and NaN for NaN."""
    two_k, r = _reduced(t)
    q = 0.0
    for term in _EXPONENTIAL:
        q = q * r + term
    value = two_k * (1.0 + (r + q * r * r))
    low = 0.0 if t < _LOWEST else t  # t: NaN
    return value if t >= _LOWEST else low


@compiled(helper=True)
def exp_remainder(t: float) -> float:
    r"""Return :math:`e^t - 1 - t` to full relative accuracy, also for the tiniest t.

    For k = 0 the bracket below vanishes exactly, which leaves the series from its quadratic term.
    Above 700 it is cut; below -708 the exponential is negligible against -1 - t.
    """
    t = _HIGHEST if t > _HIGHEST else t
    two_k, r = _reduced(t)
    return two_k * (_series(r) * r * r) + ((two_k - 1.0) + (two_k * r - t))


SMALL = 0.34  # less than ln(2)/2


@compiled(helper=True)
def small_exp_remainder(t: float) -> float:
    """Return the same, to the last bit, for t between -SMALL and SMALL."""
    return _series(t) * t * t


@compiled(helper=True)
def _reduced(t: float) -> tuple[float, float]:
    """Return 2^k and r of t, or of the lowest t whose exponential is not zero."""
    kept = _LOWEST if t < _LOWEST else t
    shifted = kept * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = (kept - k * _LN2_HIGH) - k * _LN2_LOW
    two_k = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    return two_k, r


@compiled(helper=True)
def _series(r: float) -> float:
    """Return (e^r - 1 - r) / r^2 for |r| up to ln(2)/2."""
    q = 0.0
    for term in _REMAINDER:
        q = q * r + term
    return q


@compiled(helper=True)
def sine_and_cosine(t: float) -> tuple[float, float]:
    """Return sin t and cos t; absolute errors are 1e-16 |t| at most, or 2e-16 if that is more."""
    shifted = t * _TWO_OVER_PI + _ROUND
    k = shifted - _ROUND
    r = ((t - k * _HALF_PI[0]) - k * _HALF_PI[1]) - k * _HALF_PI[2]
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
