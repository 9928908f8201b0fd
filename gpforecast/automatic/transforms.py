"""Which transforms a series is given, with the portfolio of candidates that forecasts it.

1. Does it have a season of constant length? The index suggests some, the series itself others.
2. Which candidates forecast its past best, by one judge and one learned prior (`portfolio`)? The
   transforms of the best with lags are those of the one-step model.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.lags.candidates import related
from gpforecast.automatic.portfolio import portfolio_of
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.trials import TransformPlan, Warps, bridged, warps_for
from gpforecast.common.validation import counted
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import is_far_from_zero
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Compose


def choose_transforms(
    y: "pd.Series[float]",
    *,
    suggested: tuple[int, ...] | None = None,
    cycles: tuple[int, ...] = (),
    known: Decision[int | None] | None = None,
    warps: Warps | None = None,
    prior: Prior | None = None,
) -> Decision[TransformPlan]:
    """Return the transforms that a series is given.

    Parameters
    ----------
    y : Series
        On a regular index; missing values are bridged by straight lines for the trials.
    suggested : tuple of int, optional
        Seasons to look for first, in steps; those that the index suggests by default.
    cycles : tuple of int
        Those of them that were found in the values, not suggested by the index.
    known : Decision of int or None, optional
        The season that the user says there is, or that there is none: then none is looked for, and
        `suggested` are all that there are.
    warps : sequence of Log or None, optional
        What may come first, by the series before effects or cycles were subtracted.
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
    """
    values, given = bridged(values_of(y)), None if known is None else known.value
    if known is not None and suggested is None:
        suggested = () if given is None else (given,)
    suggested = features.calendar_periods(y.index) if suggested is None else suggested
    if y.count() < (th.SHORTEST if y.hasnans else 2):
        return nothing_removed(
            f"{counted(int(y.count()), 'value')} are too few to try anything", given
        )
    if features.is_constant(values):
        return nothing_removed("the series is constant", given)
    warps = warps_for(values, warps)  # the oldest too, which the transform will see
    size = float(np.abs(values).max())
    values = values[-features.n_newest(suggested) :] / size  # no square overflows or vanishes
    centre = 0.0
    if is_far_from_zero(values):  # a logarithm is a straight line there
        centre, warps = float(values.mean()), (None,)
        values = values - centre
    period, words = features.season_of(values, suggested), ""
    if known is not None:
        period, words = known.value, known.reason
    elif period in cycles:
        words = f"a cycle of {period} steps keeps on through the series"
    elif period is not None:
        words = f"the index suggests a season of {period} steps (season_length=1 leaves it out)"
    seasons = () if period is None else tuple(related(period, len(values) // 2)) or (period,)
    if known is not None:
        seasons = tuple(sorted(suggested))
    axis = TimeAxis(y.loc[: y.last_valid_index()].index[-len(values) :])
    portfolio = portfolio_of(values, seasons, warps, prior, axis)
    portfolio = replace(portfolio, size=size, centre=centre)
    main, horizon = portfolio.main, portfolio.horizon
    plan = TransformPlan(main.transforms, period, horizon, portfolio=portfolio, main=main)
    scores = {words: crps for words, _, crps in portfolio.rows}
    why = (
        f"the one-step model of largest weight among {counted(len(scores), 'candidate')}, by trial "
        f"forecasts of {counted(portfolio.horizon, 'step')}"
    )
    if not np.isfinite([*scores.values()]).any():
        why = "what helps similar series, as there are too few values for trial forecasts"
    return Decision(plan, "\n".join(filter(None, (why, words))), scores)


def nothing_removed(why: str, period: int | None) -> Decision[TransformPlan]:
    """Return the plan of a series that is left as it is."""
    return Decision(TransformPlan(Compose(), period), f"nothing is removed: {why}")
