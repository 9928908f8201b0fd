"""Whether a forecast stays near the values that it was learned from, and what is noted if not."""

from collections.abc import Hashable, Sequence

import numpy as np

from gpforecast.common.types import BoolArray, FloatArray
from gpforecast.common.warnings import warn_numerically
from gpforecast.common.wording import in_digits
from gpforecast.pipeline.origins import Origins
from gpforecast.results.distribution import Distribution
from gpforecast.series.scaling import ROUNDING, is_rounding

_FAR = 10.0  # standard deviations beyond all known values: few series grow so fast
_BELOW = 0.05  # standard deviations below 0: less is the rounding of a forecast
_ABSURD = 1e3  # ranges of the series: nothing is learned from a mean or an interval there
_GIVEN_AWAY = (
    "; an input that a controller sets by the series within the step gives it away: "
    "exog_lags=[1, 2, 3] leaves that step out"
)
_WIDE, _LOST = 30.0, 300.0  # standard deviations: an interval as wide says little, or nothing


def _warned(note: str) -> str:
    """Return a note that is warned of, too."""
    warn_numerically(note)
    return note


def caution(joint: Distribution, shown: Distribution, origins: Origins) -> str:
    """Return a note if intervals have no width, are far too wide, or medians run away; else "".

    What makes a forecast useless is warned of. `shown` is the forecast within the support.
    """
    low, median, high = np.moveaxis(joint.quantile([0.025, 0.5, 0.975]), -1, 0)
    fitted, known = origins.fitted, origins.values[~np.isnan(origins.values)]
    rounding = 2.0 * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    rounding = np.maximum(rounding, ROUNDING * np.abs(known).max(initial=0.0))
    narrow, support = high - low <= rounding, fitted.support
    if support is not None:
        narrow = narrow | (support.nearest(low) == support.nearest(median))
    narrow = narrow & ~origins.closed
    given_away = _GIVEN_AWAY * (fitted.exog.n_given > 0)
    if narrow.any() and (narrow := narrow & (shown.var <= rounding**2)).any():
        return (
            f"from step {_first(narrow)} on the intervals have no width, and are not to be "
            f"trusted: the model fits the values that it learned from exactly (one such as "
            f"gf.models.BayesianAR() allows for errors), or only one value is possible{given_away}"
        )
    if not len(known) or np.ptp(known) == 0.0 or is_rounding(known):
        return ""
    # Steady growth is a line in the units of a logarithm.
    chain, usual = fitted.chain, fitted.chain.forward(known)
    middle, usual = chain.forward(median), usual[np.isfinite(usual)]
    # A simulation may know no more than its first few outputs.
    unit = max(float(np.std(usual)), chain.unit)
    spread = unit if chain.warp is None else float(np.std(known))
    off = np.maximum(middle - usual.max(), usual.min() - middle) / unit
    if (far := off > _FAR).any():
        return _warned(
            f"from step {_first(far)} on the median lies up to {in_digits(off.max(), 2)} standard "
            f"deviations of the series beyond all its values: unless the series grows so fast, the "
            f"forecast has run away and its error bars mean nothing; try "
            f'propagation="monte_carlo", other lags or transforms, or another model'
        )
    width = np.maximum(median - low, high - median) / spread
    if (wide := width > _WIDE).any():
        note = (
            f"from step {_first(wide)} on the 95 % interval is very wide, up to "
            f"{in_digits(width.max(), 2)} standard deviations of the series from its middle: the "
            f"model knows little of these steps; forecast fewer, or try other lags or transforms"
        )
        return _warned(note) if width.max() > _LOST else note
    if note := runaway(joint, np.append(known, fitted.history)[:, None]):
        return note
    undecided = support is None and fitted.support_reason and known.min() >= 0.0
    if undecided and (low < -_BELOW * spread).any():
        return (
            f"95 % intervals reach below 0, down to {in_digits(low.min(), 2)}, though no value is "
            f'negative; support="positive" keeps the forecast above 0, support=None leaves it as '
            f"it is"
        )
    return ""


def runaway(joint: Distribution, values: FloatArray, names: Sequence[Hashable] = ()) -> str:
    """Return a note, which is warned of, if means or 95 % intervals leave all proportion; else "".

    Parameters
    ----------
    joint : Distribution
        Of (b, h m) values: each step of m series, from each of b origins.
    values : ndarray (n, m)
        Of the series so far; NaN where missing.
    names : sequence (m,), optional
        Of several series.
    """
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)  # of those that are known
    ends = np.moveaxis(joint.quantile([0.025, 0.975]), -1, 0)
    ahead = np.stack([*ends, joint.mean]).reshape(-1, joint.mean.shape[-1] // len(low), len(low))
    beyond = np.maximum(ahead - high, low - ahead).max(axis=0)  # (h, m)
    off = (high > low) & ~(beyond <= _ABSURD * (high - low))
    if not off.any():
        return ""
    step, column = divmod(int(np.argmax(off)), len(low))
    whose = f" of {names[column]!r}" if len(names) else ""
    return _warned(
        f"from step {step + 1} on the mean or the 95 % interval{whose} lies more than "
        f"{_ABSURD:,.0f} times the range of the series beyond all its values: the forecast has run "
        f"away; try other lags or transforms, or another model"
    )


def _first(where: BoolArray) -> int:
    """Return the first step at which something is true from any origin, (b, h), from 1."""
    return int(np.argmax(where.any(axis=0))) + 1
