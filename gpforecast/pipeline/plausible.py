"""Whether a forecast stays near the values that it was learned from, and what is noted if not."""

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.common.wording import in_digits
from gpforecast.pipeline.origins import Origins
from gpforecast.results.distribution import Distribution
from gpforecast.results.support import Support
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import is_rounding

_FAR = 10.0  # standard deviations beyond all known values: few series grow so fast
_FASTER = 1.5  # times its usual growth: a series may speed up
_WIDE, _LOST = 30.0, 300.0  # standard deviations: an interval as wide says little, or nothing
_BELOW = 0.05  # standard deviations below 0: less is the rounding of a forecast
_OFTEN = 3  # times; a bound that a series comes to so often, such as 0 at night, may be certain


def caution(joint: Distribution, shown: Distribution, origins: Origins) -> str:
    """Return a note if intervals have no width, are far too wide, or medians run away; else "".

    What makes a forecast useless is warned of.

    Parameters
    ----------
    joint : Distribution
    shown : Distribution
        The forecast within the support of the series.
    origins : Origins
    """
    low, median, high = np.moveaxis(joint.quantile([0.025, 0.5, 0.975]), -1, 0)
    fitted, known = origins.fitted, origins.values[~np.isnan(origins.values)]
    narrow = _without_width(low, median, high, shown, fitted.support, known, origins.closed)
    if narrow:
        return narrow
    if not len(known) or np.ptp(known) == 0.0 or is_rounding(known):
        return ""
    spread = float(np.std(known / np.abs(known).max()) * np.abs(known).max())
    if fitted.chain.warp is None:  # a simulation may know no more than its first few outputs
        spread = max(spread, fitted.chain.unit)
    off = np.maximum(median - known.max(), known.min() - median) / spread
    far = (off > _FAR) & ~_grows_on(known, median)
    if far.any():
        note = (
            f"from step {_first(far)} on the median lies up to {in_digits(off.max(), 2)} standard "
            f"deviations of the series beyond all its values: unless the series grows so fast, the "
            f"forecast has run away and its error bars mean nothing; try "
            f'propagation="monte_carlo", other lags or transforms, or another model'
        )
        warn_numerically(note)
        return note
    width, mean = np.maximum(median - low, high - median) / spread, joint.mean
    rare = (mean - median > _FAR * spread) & (mean > 2.0 * median) & (mean <= high)
    if rare.any() and width.max() <= _LOST:
        note = (
            f"from step {_first(rare)} on rare large values decide the mean and the standard "
            f"deviation: the mean is up to {in_digits((mean / median)[rare].max(), 2)} times the "
            f"median; take the median or other quantiles for what to expect"
        )
        warn_numerically(note)
        return note
    if (wide := width > _WIDE).any():
        note = (
            f"from step {_first(wide)} on the 95 % interval is very wide, up to "
            f"{in_digits(width.max(), 2)} standard deviations of the series from its middle: the "
            f"model knows little of these steps; forecast fewer, or try other lags or transforms"
        )
        if width.max() > _LOST:
            warn_numerically(note)
        return note
    every = np.concatenate([values_of(fitted.history), known])
    undecided = fitted.support is None and fitted.support_reason and np.nanmin(every) >= 0.0
    if undecided and (low < -_BELOW * spread).any():
        return (
            f"95 % intervals reach below 0, down to {in_digits(low.min(), 2)}, though no value is "
            f'negative; support="positive" keeps the forecast above 0, support=None leaves it as '
            f"it is"
        )
    return ""


def _without_width(
    low: FloatArray,
    median: FloatArray,
    high: FloatArray,
    shown: Distribution,
    support: Support | None,
    known: FloatArray,
    closed: BoolArray,
) -> str:
    """Return from which step on all probability is at one value, but for rounding.

    Closed times may be certain, and the lower bound if the series often comes down to it.
    """
    rounding = 2.0 * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    narrow = exact = high - low <= rounding
    if support is not None:
        narrow = narrow | (support.nearest(low) == support.nearest(median))
    narrow = narrow & ~closed.reshape(narrow.shape)
    if narrow.any():  # few forecasts are, and no variance is computed of others
        narrow = narrow & (shown.var <= rounding**2)
        if support is not None and (np.diff(1 * (known == support.low)) > 0).sum() >= _OFTEN:
            narrow = narrow & (support.nearest(median) != support.low)
    if not narrow.any():
        return ""
    why = (
        "the model fits the values that it learned from exactly; one such as "
        "gf.models.BayesianAR() allows for errors"
    )
    if support is not None and not exact[narrow].all():
        why = f"all probability is at one value of what is possible ({support.described})"
    first = f"from step {_first(narrow)} on the intervals have no width"
    return f"{first}, and are not to be trusted: {why}"


def _grows_on(known: FloatArray, median: FloatArray) -> BoolArray:
    """Whether medians (b, h) grow at most 1.5 times as fast as the series usually has so far."""
    if not (np.sign(known) == np.sign(known[-1])).all():
        return np.zeros(median.shape, dtype=bool)
    usual = float(np.median(np.diff(np.log(np.abs(known)))))
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = np.log(median / known[-1])
    return np.asarray(grown <= _FASTER * usual * np.arange(1, median.shape[-1] + 1))


def _first(where: BoolArray) -> int:
    """Return the first step at which something is true from any origin, (b, h), from 1."""
    return int(np.argmax(where.any(axis=0))) + 1
