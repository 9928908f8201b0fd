"""Whether a forecast stays near the values that it was learned from, and what is said if not."""

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.common.wording import in_digits
from gpforecast.pipeline.origins import Origins
from gpforecast.results.distribution import Distribution
from gpforecast.results.support import Support
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import is_rounding

_FAR = 10.0  # standard deviations beyond all that was seen: few series grow so fast
_FASTER = 1.5  # times its usual growth: a series may speed up
_WIDE = 30.0  # standard deviations: an interval as wide says little
_REACH = 0.05  # standard deviations below 0: less is the rounding of a forecast
_OFTEN = 3  # times; a bound that a series comes to so often, such as 0 at night, may be certain
_LOST = 300.0  # standard deviations: an interval as wide says nothing


def doubts(joint: Distribution, shown: Distribution, origins: Origins) -> str:
    """Say if a median is far from every value known, or an interval many times as wide as they.

    `shown` is the forecast within the support of the series. If it has no width, that is said.

    Or if a mean within the interval is far above its median; one beyond the interval is a
    transform's, which the distribution says itself. What makes a forecast useless is warned of.
    """
    low, median, high = np.moveaxis(joint.quantile([0.025, 0.5, 0.975]), -1, 0)
    known = origins.values[~np.isnan(origins.values)]
    certain = _without_width(
        low, median, high, shown, origins.fitted.support, known, origins.closed
    )
    if certain:
        return certain
    if not len(known) or np.ptp(known) == 0.0 or is_rounding(known):
        return ""
    spread = float(np.std(known / np.abs(known).max()) * np.abs(known).max())
    chain = origins.fitted.chain
    if chain.warp is None:  # a simulation may know no more than its first few outputs
        spread = max(spread, chain.unit)
    off = np.maximum(median - known.max(), known.min() - median) / spread
    far = (off > _FAR) & ~_grows_on(known, median)
    reach = np.maximum(median - low, high - median) / spread
    said = _runs_away(off, far) or _loses_itself(reach)
    said = said or _rare_values(joint.mean, median, high, spread)
    if said:
        warn_numerically(said)
        return said
    return _says_little(reach) or _below_zero(low, spread, origins)


def _without_width(
    low: FloatArray,
    median: FloatArray,
    high: FloatArray,
    shown: Distribution,
    support: Support | None,
    known: FloatArray,
    closed: BoolArray,
) -> str:
    """Say from which step on all probability is at one value, or nearer than numbers tell apart.

    Closed times may be certain, and the lower bound if the series often comes down to it.
    """
    rounding = 2.0 * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    narrow = exact = high - low <= rounding
    if support is not None:
        narrow = narrow | (support.nearest(low) == support.nearest(median))
    narrow = narrow & ~closed.reshape(narrow.shape)
    if narrow.any():  # few forecasts are, and no variance is computed of others
        narrow = narrow & (shown.var <= rounding**2)
        if (
            support is not None
            and (np.diff((known == support.low).astype(int)) > 0).sum() >= _OFTEN
        ):
            narrow = narrow & (support.nearest(median) != support.low)
    if not narrow.any():
        return ""
    why = (
        "the model fits the values that it learned from exactly; one such as "
        "gf.models.BayesianAR() allows for errors"
    )
    if support is not None and not exact[narrow].all():
        why = f"all probability is at one value of what is possible ({support.described})"
    width = "have no width"
    if (high > low)[narrow & exact].any():
        width = "are no wider than the rounding of numbers of this size"
    return f"from step {_first(narrow)} on the intervals {width}, and are not to be trusted: {why}"


def _runs_away(off: FloatArray, far: BoolArray) -> str:
    """Say from which step on medians are far from all values known."""
    if not far.any():
        return ""
    return (
        f"from step {_first(far)} on the median lies up to {in_digits(off.max(), 2)} standard "
        f"deviations of the series beyond all its values: unless the series grows so fast, the "
        f"forecast has run away and its error bars mean nothing; try "
        f'propagation="monte_carlo", other lags or transforms, or another model'
    )


def _loses_itself(reach: FloatArray) -> str:
    """Say from which step on intervals are too wide for any use."""
    lost = reach > _LOST
    if not lost.any():
        return ""
    return (
        f"from step {_first(lost)} on the 95 % interval reaches up to {in_digits(reach.max(), 2)} "
        f"standard deviations of the series from its middle: the model knows next to nothing "
        f"of these steps; forecast fewer, give it more values, or try other lags or transforms"
    )


def _says_little(reach: FloatArray) -> str:
    """Say from which step on intervals are much wider than all values known."""
    wide = reach > _WIDE
    if not wide.any():
        return ""
    return (
        f"from step {_first(wide)} on the 95 % interval is very wide: it reaches up to "
        f"{in_digits(reach.max(), 2)} standard deviations of the series from its middle; so far "
        f"ahead the known values say little"
    )


def _below_zero(low: FloatArray, spread: float, origins: Origins) -> str:
    """Say if intervals reach below 0, where no value did and nobody said that values can."""
    fitted = origins.fitted
    every = np.concatenate([values_of(fitted.history), origins.values])
    undecided = fitted.support is None and fitted.support_reason
    if not undecided or np.nanmin(every) < 0.0 or not (low < -_REACH * spread).any():
        return ""
    return (
        f"95 % intervals reach below 0, down to {in_digits(low.min(), 2)}, though no value is "
        f'negative; support="positive" keeps the forecast above 0, support=None leaves it as it is'
    )


def _rare_values(mean: FloatArray, median: FloatArray, high: FloatArray, spread: float) -> str:
    """Say if rare values take a mean far above its median, though not beyond the interval."""
    above = (mean - median > _FAR * spread) & (mean > 2.0 * median) & (mean <= high)
    if not above.any():
        return ""
    return (
        f"from step {_first(above)} on rare large values decide the mean and the standard "
        f"deviation: the mean is up to {in_digits((mean / median)[above].max(), 2)} times the "
        f"median; take the median or other quantiles for what to expect"
    )


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
