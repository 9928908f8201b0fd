"""Notes on seasons that were named or that the times suggest, and that no part has."""

from collections.abc import Sequence

import numpy as np

from gpforecast.automatic import features
from gpforecast.automatic import thresholds as th
from gpforecast.automatic.known_seasons import is_held
from gpforecast.automatic.settings import Settings
from gpforecast.automatic.trials import bridged
from gpforecast.common.types import FloatArray, Index
from gpforecast.common.validation import counted
from gpforecast.pipeline.sections import every, step_of
from gpforecast.series.calendars import MonthOfYear
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms.words import as_written

_HARDLY_ANY = 8  # values: a series that short shows no season
_DIFFERENCE = "gf.transforms.SeasonalDifference"
_DAYS = (200, 366)  # steps between which a year is of days, or of those on which a shop is open
_NEWEST = range(1, 5)  # lags beside those of a fit: a cycle that these tell is no season
_LEFT = 0.4  # share of what the lags leave, from beyond which the mean season is missed
_CYCLES = 4  # seasons that show that


def notes_on_seasons(seasons: Sequence[int], settings: Settings, index: Index) -> list[str]:
    """Return notes on seasons that a user named: what their steps are, and which are not used.

    Parameters
    ----------
    seasons : sequence of int
    settings : Settings
    index : Index
        Of the series.
    """
    return [
        *(note for season in sorted(seasons) for note in _unusual(season, index)),
        *(
            f"the season of {season} steps, which season_length names, is not used: neither the "
            f"lags nor the transforms have it{_advice(season)}"
            for season in sorted(seasons)
            if not _is_used(season, settings)
        ),
    ]


def notes_on_unseen_season(settings: Settings, index: Index) -> list[str]:
    """Return a note on a season that the index suggests and the values do not show.

    The series may be too short, which is said from half a season on; or its steps, for a week.
    """
    n, suggested = len(index), features.calendar_periods(index)
    if len(suggested) > 1 and n >= suggested[0]:
        return _unseen_week(settings, n, *suggested)
    if not suggested or n < max(_HARDLY_ANY, min(suggested) / 2) or n > 2 * min(suggested):
        return []
    beside = settings.ensemble.value
    parts = () if beside is None else beside.members
    known = {settings.chain.period, *(one.posterior.period for one in parts)} - {None}
    if known or min(suggested) in settings.lags.value:
        return []
    said = (
        f"there were {counted(n, step_of(index))}, no more than two seasons of {min(suggested)} "
        f"and too few to model one: if values have such a season, forecasts miss it"
    )
    return [said]


def notes_on_unseen_year(
    settings: Settings, values: FloatArray, index: Index, exog: Exogenous
) -> list[str]:
    """Return a note on a year of days that neither the transforms nor the lags have.

    Two years are needed to find one. Where an input may be its cause, it is not missed.
    """
    n, year = len(index), features.steps_in_a_year(index)
    if year is None or not _DAYS[0] < year < _DAYS[1] or n < year:
        return []
    if _may_have_a_year(exog) or features.is_constant(values[~np.isnan(values)]):
        return []
    chain, whole = settings.chain, round(year)
    if any(abs(one - year) < 1 for one in (*chain.spec.periods, *settings.lags.value)):
        return []
    if n < 2 * int(year):
        why = "fewer than two years were there, too few to find one: if values have such a season"
        return [f"no season of a year ({whole} steps) was looked for, as {why}, forecasts miss it"]
    seasons = sorted({*features.calendar_periods(index), whole})
    said = (
        f"no season of a year ({whole} steps) is modelled, as none repeats itself clearly: if "
        f"there is one, such as sales before Christmas, season_length={seasons} lets it in"
    )
    return [said]


def _may_have_a_year(exog: Exogenous) -> bool:
    """Whether an input is the month, or is measured, as the temperature is."""
    if any(isinstance(calendar, MonthOfYear) for calendar, _ in exog.calendars):
        return True
    given = exog.past[:, : exog.n_given]
    return any(len(np.unique(column[~np.isnan(column)])) > 2 for column in given.T)


def notes_on_season_left(settings: Settings, values: FloatArray, index: Index) -> list[str]:
    """Return a note on a season that neither the transforms of a user nor the lags take up.

    Its mean over the first part of what the lags and the newest values leave explains the rest.
    """
    chain, lags = settings.chain, sorted({*settings.lags.value, *_NEWEST})
    if not chain.spec.steps or chain.period is not None:
        return []
    suggested = features.calendar_periods(index)
    z = bridged(chain.levels(values, TimeAxis(index))[-1][chain.n_lost :])
    z = z[-features.n_newest(suggested) :]
    if len(z) < max(th.FEWEST_VALUES, 4 * max(lags)) or features.is_constant(z):
        return []
    if not suggested and (found := features.find_season(z, ())):
        suggested = (found.value,)
    left = _left_by(z, lags)
    shares = {m: features.repeats(left, m) for m in suggested if _CYCLES * m <= len(left)}
    if max(shares.values(), default=0.0) < _LEFT:
        return []
    season = features.shortest_of_best(shares)
    steps = ", ".join([*map(as_written, chain.spec.steps), f"{_DIFFERENCE}({season})"])
    said = (
        f"the values repeat every {season} steps, and neither the transforms that were named "
        f"nor the lags model this season: transforms=[{steps}] does; "
        f"transforms='auto' looks for seasons itself"
    )
    return [said]


def _left_by(z: FloatArray, lags: Sequence[int]) -> FloatArray:
    """Return what a constant and some lags leave of a series (n,), (n - last lag,)."""
    p, n = max(lags), len(z)
    X = np.column_stack([np.ones(n - p), *(z[p - lag : n - lag] for lag in lags)])
    left: FloatArray = z[p:] - X @ np.linalg.lstsq(X, z[p:], rcond=None)[0]
    return left


def _unseen_week(settings: Settings, n: int, week: int, day: int) -> list[str]:
    """Return a note on a week that the model does not have, though a week of values is there.

    It was not looked for, or it was found and is not used.
    """
    chain = settings.chain
    if week in settings.lags.value or is_held(week, chain.spec):
        return []
    if chain.period == week:
        why = (
            f"lags of a week need {th.OFFERED_CYCLES} weeks, and {_weeks(n / week)} were there"
            if n < th.OFFERED_CYCLES * week
            else f"{_weeks(n / week)} weeks were there, and trial forecasts did better without it"
        )
        said = (
            f"the values have a season of a week ({week} steps), and neither the transforms nor "
            f"the lags use it: {why}. If weekends differ, forecasts miss it: pass more values or "
            f"season_length=[{day}, {week}]"
        )
        return [said]
    fine = week > th.LONGEST_SEASON_SEEN
    if not fine and n >= th.SEASON_CYCLES * week:
        return []
    why = (
        f"it has more than {th.LONGEST_SEASON_SEEN} steps: if weekends differ, pass means over "
        f"longer steps, such as 10 minutes"
        if fine
        else f"fewer than {th.SEASON_CYCLES} weeks were there: forecasts miss it if weekends differ"
    )
    return [f"no season of a week ({week} steps) was looked for, as {why}"]


def _weeks(several: float) -> str:
    """Return a number of weeks, rounded down, so that it never reaches one that it lacks.

    Examples
    --------
    >>> _weeks(3.0), _weeks(3.99)
    ('3', '3.9')
    """
    return f"{np.floor(10.0 * several) / 10.0:g}"


def _advice(season: int) -> str:
    """Return how to take a season away, where sines of at most half its steps can."""
    fourier = min(2, season // 2)
    if not fourier:
        return ""
    call = f"gf.transforms.Deterministic(fourier={fourier}, period={season})"
    return f"; transforms=[{call}] takes it away"


def _unusual(season: int, index: Index) -> list[str]:
    """Return what a season is in the time of its index, if that has no such season usually."""
    often, year = every(index), features.steps_in_a_year(index)
    usual = (*features.calendar_periods(index), *([round(year)] if year else []))
    if often is None or any(period % season == 0 for period in usual):
        return []
    steps = counted(season, step_of(index))
    return [f"season_length={season} counts steps: {steps}, as values are {often}"]


def _is_used(season: int, settings: Settings) -> bool:
    """Whether something in the forecast repeats itself after so many steps."""
    if season in settings.lags.value or is_held(season, settings.chain.spec):
        return True
    ensemble = settings.ensemble.value
    return ensemble is not None and any(one.posterior.period == season for one in ensemble.members)
