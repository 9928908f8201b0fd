"""The exponential, and it without its first terms, for loops that become vectors."""

import numpy as np

from gpforecast.numerics.compiled.caching import compiled

# 1.5 * 2^52: adding it to a double leaves the nearest integer in the low bits of the sum.
_ROUND = 6755399441055744.0
_LOG2_E = 1.4426950408889634
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10

# exp(+-700) still fits a double. An exponent T_ij above it needs l_i, l_j < exp(-700), because
# L_ij <= min(l_i, l_j): the term it belongs to is below 1e-304 and may be cut. Below -700 the
# exponential is nothing beside -1 - t.
_T_MAX = 700.0


@compiled
def exp_remainder(t: float) -> float:
    r"""Return :math:`e^t - 1 - t` to full relative accuracy, also for the tiniest t.

    Written without a branch or a table so that a loop over it becomes vector instructions:
    ``t = k ln 2 + r`` with ``|r| <= ln(2)/2``, a polynomial in r, and 2^k put together from its
    bits. For k = 0 the bracket below vanishes exactly, which leaves the series from its quadratic
    term.
    """
    t = min(t, _T_MAX)
    kept = max(t, -_T_MAX)
    shifted = kept * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = (kept - k * _LN2_HIGH) - k * _LN2_LOW
    two_k = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    q = _series(r)
    return two_k * (q * r * r) + ((two_k - 1.0) + (two_k * r - t))


SMALL = 0.34  # less than ln(2)/2


@compiled
def small_exp_remainder(t: float) -> float:
    """Return the same, to the last bit, for t between -SMALL and SMALL."""
    return _series(t) * t * t


@compiled
def exponential(t: float) -> float:
    """Return e^t for t up to 700, likewise without a branch; zero below -700."""
    kept = max(t, -_T_MAX)
    shifted = kept * _LOG2_E + _ROUND
    k = shifted - _ROUND
    r = (kept - k * _LN2_HIGH) - k * _LN2_LOW
    two_k = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52).view(np.float64)
    value = two_k * (1.0 + (r + _series(r) * r * r))
    return value if t >= -_T_MAX else 0.0


@compiled
def _series(r: float) -> float:
    """Return (e^r - 1 - r) / r^2 for |r| up to ln(2)/2."""
    q = 2.088936539680595e-09
    q = q * r + 2.5105184872424147e-08
    q = q * r + 2.755734965471551e-07
    q = q * r + 2.7557255487172396e-06
    q = q * r + 2.4801587245699705e-05
    q = q * r + 0.00019841269874742076
    q = q * r + 0.0013888888888917976
    q = q * r + 0.008333333333326162
    q = q * r + 0.041666666666666616
    q = q * r + 0.1666666666666667
    return q * r + 0.5
