"""Which values a series can have: declared, or detected where its own values make it clear.

Whole numbers that were never negative are taken for counts, which cannot be; zeros and ones alone
for events. Of other values that says nothing where they are far from zero.
"""

import numpy as np
import scipy

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import COST
from gpforecast.automatic.features import is_constant
from gpforecast.common.kinds import is_auto
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import is_number, shown
from gpforecast.results.support import Support
from gpforecast.series.scaling import ROUNDING

SupportLike = str | tuple[float | None, float | None] | None


def support_named(given: SupportLike) -> Support | None:
    """Return what a user declares; None for "auto" and for no support.

    Raises
    ------
    ValueError
        If it is no support.
    """
    if given is None or is_auto(given):
        return None
    if isinstance(given, str):
        if given not in ("count", "positive"):
            raise ValueError(_WHAT.format(repr(given)))
        return Support(0.0, whole=given == "count")
    low, high = given if np.asarray(given, dtype=object).shape == (2,) else (0.0, 0.0)
    low, high = -np.inf if low is None else low, np.inf if high is None else high
    if not (is_number(low) and is_number(high) and low < high):
        raise ValueError(_WHAT.format(shown(given)))
    return Support(float(low), float(high))


def choose_support(values: FloatArray, given: SupportLike = "auto") -> Decision[Support | None]:
    """Return the support of a series, and why.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    given : "auto", "count", "positive", a pair of bounds, or None
        As for `gpforecast.Forecaster`.

    Raises
    ------
    ValueError
        If a value contradicts what was declared.

    Examples
    --------
    >>> sold = np.random.default_rng(0).poisson(0.4, 50).astype(float)
    >>> print(choose_support(sold).reason)
    all values are whole numbers from 0 to 3, the smallest at most half of the largest
    """
    known = values[~np.isnan(values)]
    support = support_named(given)
    if support is not None:
        check(support, known)
        return Decision(support.observed(known))
    if given is None or not len(known):
        return Decision(None)
    found = _running_total(known)
    if found.value is None and known.min() >= 0.0:
        found = _detected(known)
    return found if found.value is None else Decision(found.value.observed(known), found.reason)


def check(support: Support, values: FloatArray, name: str = "series") -> None:
    """Refuse values outside a declared support, and name the first of them."""
    off = np.flatnonzero(~support.contains(values))
    if len(off):
        raise ValueError(
            f"{name} must hold {support.described}, as support declares; got {values[off[0]]:g} "
            f"({len(off)} such value{'s' if len(off) > 1 else ''}). Pass another support, or None."
        )


def _running_total(known: FloatArray) -> Decision[Support | None]:
    """Return the support of a series whose increments chance would not leave on one side of 0.

    Gaussian increments of this mean, variance and correlation with the next would be so with a
    small probability: an increasing line far above its noise is no running total.
    """
    steps = np.diff(known)
    if len(steps) < th.SHORTEST or is_constant(known) or steps.min() * steps.max() < 0.0:
        return Decision(None)
    rising = int(np.sign(steps.sum()))
    off, spread = steps - steps.mean(), float(steps.std())
    if spread <= ROUNDING * float(np.abs(steps).max()):
        return Decision(None)
    r = float(np.clip(off[1:] @ off[:-1] / (len(steps) * spread**2), 0.0, 0.99))
    expected = rising * (steps.mean() + r * off[:-1])
    chance = scipy.special.log_ndtr(expected / (spread * np.sqrt(1.0 - r**2)))
    if -chance.sum() < 0.5 * COST:
        return Decision(None)
    whole = bool((known == np.round(known)).all())
    what = "below" if rising > 0 else "above"
    reason = f"a running total: none of {len(known)} values is {what} the one that precedes it"
    return Decision(Support(whole=whole, rising=rising), reason)


def _detected(known: FloatArray) -> Decision[Support | None]:
    """Return the support of values that are not negative, if that is nearly certain."""
    low, high = known.min() + 0.0, float(known.max())
    n_zeros, n_high = int((known == 0.0).sum()), int((known == high).sum())
    whole = np.array_equal(known, np.round(known))
    if is_constant(known):
        return _UNDECIDED
    long = len(known) >= th.SHORTEST  # fewer do not show an upper limit
    if long and whole and high == 1.0 and n_high > 1:
        return Decision(Support(0.0, 1.0, whole=True), f"all values are 0 or 1, {n_high} of them 1")
    if long and high in th.SHARES_UP_TO and min(n_zeros, n_high) > 1:
        why = f"all values lie from 0 to {high:g}, {n_zeros} at 0 and {n_high} at {high:g}"
        return Decision(Support(0.0, high), why)
    if whole and 2.0 * low <= high and np.diff(np.sign(np.diff(known))).any():  # it is no line
        why = f"all values are whole numbers from {low:,.0f} to {high:,.0f}, the smallest at most "
        return Decision(Support(0.0, whole=True), f"{why}half of the largest")
    if n_zeros >= 3:  # not the start of a line
        return Decision(Support(0.0), f"no value is negative, and {n_zeros} of them are 0")
    return _UNDECIDED


_UNDECIDED: Decision[Support | None] = Decision(
    None, "no value is negative, but whether one can be is not clear from them"
)
_WHAT = (
    'support must be "auto", "count", "positive", None, or bounds (low, high) with low < high, of '
    "which one may be None; got {}."
)
