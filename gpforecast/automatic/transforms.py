"""Which transforms a series is given, with the portfolio of candidates that forecasts it.

1. Which seasons does it have (`seasons`)? What is no season of whole steps is subtracted first.
2. Which candidates forecast the rest best, by one judge and one learned prior (`portfolio`)? The
   transforms of the best with lags are those of the one-step model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.candidates import Autoregression
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import bridged, is_constant
from gpforecast.automatic.portfolio import Portfolio, portfolio_of
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.process import Process
from gpforecast.automatic.seasons import (
    Seasons,
    found_seasons,
    main_season,
    named_seasons,
)
from gpforecast.common.types import FloatArray
from gpforecast.common.validation import counted
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import is_far_from_zero
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose, Deterministic, Log
from gpforecast.transforms.base import Transform

Warps = Sequence[Log | None]


def warps_for(values: FloatArray, warps: Warps | None = None) -> Warps:
    """Return what may come first, by default nothing or a logarithm: of values (n,) above zero."""
    every = (None, Log()) if warps is None else warps
    return every if np.nanmin(values, initial=np.inf) > 0.0 else (None,)


@dataclass(frozen=True)
class TransformPlan:
    """Transforms, and what is known of a series with them.

    Attributes
    ----------
    transforms : Compose
    period : int or None
        Of the season that was found, in steps, be it taken away or left to the lags.
    horizon : int
        Steps of the forecasts of a trial; 0 where nothing was tried.
    cycles : tuple of Deterministic
        What takes cycles away beside that season, such as a year of days.
    portfolio : Portfolio or None
        What forecasts it; None where nothing was tried.
    main : Autoregression, Process or None
        The candidate that these transforms are of; None where none was judged with them.
    """

    transforms: Compose
    period: int | None = None
    horizon: int = 0
    cycles: tuple[Deterministic, ...] = ()
    portfolio: Portfolio | None = None
    main: Autoregression | Process | None = None

    def for_given(self, *without: type[Transform], by_score: bool = False) -> "TransformPlan":
        """Return the same for lags, a model or a kind of noise that a user gave.

        Parameters
        ----------
        *without : type of transform
            What may not be among its transforms.
        by_score : bool
            Whether those of least CRPS are taken, for a model alone.
        """
        if self.portfolio is None:
            return self
        before = self.portfolio.before_others(*without, by_score=by_score)
        main = self.main if self.main and self.main.transforms == before else None
        return replace(self, transforms=before.with_first(*self.cycles), main=main)


def choose_transforms(
    y: "pd.Series[float]",
    seasons: Seasons | None = None,
    *,
    warps: Warps | None = None,
    prior: Prior | None = None,
) -> Decision[TransformPlan]:
    """Return the transforms that a series is given.

    Parameters
    ----------
    y : Series
        On a regular index; missing values are bridged by straight lines for the trials.
    seasons : tuple of int, optional
        As `seasons_of` returns them; None to look for some.
    warps : sequence of Log or None, optional
        What may come first, by the series before effects were subtracted.
    prior : Prior, optional
        Of the candidates; by default the one that comes with the library.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> t, months = np.arange(150), pd.date_range("2010-01", periods=150, freq="MS")
    >>> noise = np.random.default_rng(0).standard_normal(150)
    >>> sales = pd.Series(0.3 * t + 10 * np.sin(2 * np.pi * t / 12) + noise, months)
    >>> choose_transforms(sales).value.transforms.steps[0]
    SeasonalDifference(period=12)
    >>> noise = 0.3 * np.random.default_rng(0).standard_normal(400)
    >>> y = pd.Series(np.sin(2 * np.pi * np.arange(400) / 17.3) + noise)
    >>> choose_transforms(y).value.transforms.steps[0]
    Deterministic(trend=0, fourier=1, period=17.3)
    """
    values, warps = bridged(values_of(y)), warps_for(values_of(y), warps)
    few = y.count() < (th.SHORTEST if y.hasnans else 2)
    if few or is_constant(values):
        what = f"{counted(int(y.count()), 'value')} are too few to try anything"
        period = main_season(y, seasons) if seasons else None
        return nothing_removed(what if few else "the series is constant", period)
    logs = Log() in warps
    found = found_seasons(y, logs=logs) if seasons is None else named_seasons(y, seasons)
    values, period = bridged(values_of(found.rest)), found.period
    warps = warps_for(values, warps)  # the oldest too, which the transform will see
    size = float(np.abs(values).max())
    values, centre = values[-found.n_newest :] / size, 0.0  # no square overflows or vanishes
    if is_far_from_zero(values):  # a logarithm is a straight line there
        centre, warps = float(values.mean()), (None,)
        values = values - centre
    axis = TimeAxis(y.loc[: y.last_valid_index()].index[-len(values) :])
    portfolio = portfolio_of(values, found.seasons, warps, prior, axis, sure=found.sure)
    portfolio = replace(portfolio, size=size, centre=centre)
    scores = {words: crps for words, _, crps in portfolio.rows}
    why = (
        f"the one-step model of largest weight among {counted(len(scores), 'candidate')}, by trial "
        f"forecasts of {counted(portfolio.horizon, 'step')}"
    )
    if not np.isfinite([*scores.values()]).any():
        why = "what helps similar series, as there are too few values for trial forecasts"
    cycles = tuple(cycle.value.terms for cycle in found.cycles)
    transforms = portfolio.main.transforms.with_first(*cycles)
    plan = TransformPlan(transforms, period, portfolio.horizon, cycles, portfolio, portfolio.main)
    reasons = [*(cycle.reason for cycle in found.cycles), why, found.reason]
    return Decision(plan, "\n".join(filter(None, reasons)), scores)


def nothing_removed(why: str, period: int | None) -> Decision[TransformPlan]:
    """Return the plan of a series that is left as it is."""
    return Decision(TransformPlan(Compose(), period), f"nothing is removed: {why}")
