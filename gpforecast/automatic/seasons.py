"""Which seasons a series has: those that a user names, the index suggests, or its values show.

The season that describes the series best is the main one: candidates take it away by differences or
by a fixed shape, or leave it to their lags, and so with one that contains it, such as the week of
hours. What is no part nor multiple of it is a cycle that is subtracted first, as sines: a year of
days, a cycle of no whole number of steps, a further season that the user names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.automatic import thresholds as th
from gpforecast.automatic.cycles import Cycle, find_cycle, find_year
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.events import seasonal
from gpforecast.automatic.features import (
    bridged,
    calendar_periods,
    is_constant,
    n_newest,
    season_of,
    steps_in_a_year,
    unexplained,
)
from gpforecast.automatic.lags.candidates import related
from gpforecast.common.validation import counted, is_integer, is_number
from gpforecast.series.checked import values_of
from gpforecast.series.scaling import ROUNDING
from gpforecast.transforms import Compose, Deterministic

SeasonLength: TypeAlias = int | Sequence[int] | str | None
Seasons: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Seasonality:
    """The seasons of a series.

    Attributes
    ----------
    rest : Series (n,)
        What cycles leave of it.
    period : int or None
        Steps of the main one.
    seasons : tuple of int
        Those that candidates have: the main one, and others that come with it, in order.
    n_newest : int
        How many of the newest values are enough to see them.
    reason : str
        Why there is a main one.
    sure : bool
        False where the values alone suggest the main one.
    cycles : sequence of Decision of Cycle
        What is subtracted first, and why.
    """

    rest: "pd.Series[float]"
    period: int | None
    seasons: tuple[int, ...]
    n_newest: int
    reason: str = ""
    cycles: Sequence[Decision[Cycle]] = ()
    sure: bool = True


def seasons_of(season_length: SeasonLength) -> Seasons | None:
    """Return the seasons that a user names, the longest first; () for none, None for "auto".

    Raises
    ------
    ValueError
        If they are not whole numbers of steps from 1 up.

    Examples
    --------
    >>> seasons_of([24, 168]), seasons_of(1), seasons_of("auto")
    ((168, 24), (), None)
    """
    if season_length is None or isinstance(season_length, str):
        if season_length not in (None, "auto"):
            raise ValueError(_refused(season_length))
        return None
    each = [*season_length] if isinstance(season_length, Sequence) else [season_length]
    if not each or not all(is_integer(one) and one > 0 for one in each):
        fraction = any(
            is_number(one) and not is_integer(one) and 1.0 < float(one) < np.inf for one in each
        )
        raise ValueError(_refused(season_length, fraction=fraction))
    return tuple(sorted({int(one) for one in each} - {1}, reverse=True))


def _refused(given: object, *, fraction: bool = False) -> str:
    hint = " Round it: 365.25 is 365, and 12.0 is 12." if fraction else ""
    return (
        f"season_length must be a whole number of steps such as 12, several such as [24, 168], 1 "
        f'for no season, or "auto"; got {given!r}.{hint}'
    )


def check_transforms(seasons: Seasons | None, transforms: Compose) -> None:
    """Refuse transforms with a season that the user says there is not."""
    if seasons is None:
        return
    for step, period in transforms.seasonal:
        if period not in seasons:
            says = f"season_length={_named(seasons)}" if seasons else "season_length=1, no season"
            raise ValueError(
                f"transforms and season_length must agree on the season; got {step!r}, of "
                f"{period:g} steps, and {says}. Change one of them, or leave season_length out."
            )


def check_length(seasons: Sequence[float] | None, n: int) -> None:
    """Refuse seasons that n values do not hold twice."""
    if not seasons:
        return
    longest = max(seasons)
    if 2 * longest > n > 0:
        raise ValueError(
            f"season_length must be at most half as long as the series; got {longest} and "
            f"{counted(n, 'value')} to learn from. Pass a longer series, or leave season_length "
            f"out."
        )


def named_seasons(y: "pd.Series[float]", seasons: Seasons) -> Seasonality:
    """Return the seasons of a series that a user names; no other is looked for."""
    main, why = main_season(y, seasons), f"season_length={_named(seasons)}"
    alike = tuple(sorted(m for m in seasons if _divides(m, main)))
    cycles = list[Decision[Cycle]]()
    for season in seasons:
        if season not in alike:
            words = f"a fixed season of {season} steps is subtracted first: {why}"
            cycles.append(Decision(Cycle.of(values_of(y), float(season)), words))
            y = cycles[-1].value.taken_from(y)
    what = "no season" if main is None else f"a season of {main} steps"
    return Seasonality(y, main, alike, n_newest(alike), f"{why} says that there is {what}", cycles)


def found_seasons(y: "pd.Series[float]", *, logs: bool) -> Seasonality:
    """Return the seasons of a series that its index suggests or its own values show.

    Parameters
    ----------
    y : Series (n,)
        On a regular index, NaN where missing.
    logs : bool
        Whether a cycle may be one of the logarithm.
    """
    suggested, cycles, own = calendar_periods(y.index), list[Decision[Cycle]](), None
    if y.count() >= th.SHORTEST:
        if (year := find_year(values_of(y), steps_in_a_year(y.index))) is not None:
            cycles.append(year)
            y = year.value.taken_from(y)
        own = _own(y, suggested, logs=logs)
    if own is not None and own.value.whole is None:
        cycles.append(own)
        y = own.value.taken_from(y)
    elif own is not None:
        suggested = (int(own.value.period), *suggested)
    most = n_newest(suggested)
    values = bridged(values_of(y))[-most:]
    reason, period = "", season_of(values, suggested)
    sure = own is None or period != own.value.period
    if not sure:
        reason = f"a cycle of {period} steps keeps on through the series"
    elif period is not None:
        reason = f"the index suggests a season of {period} steps (season_length=1 leaves it out)"
    seasons = () if period is None else tuple(related(period, len(values) // 2)) or (period,)
    return Seasonality(y, period, seasons, most, reason, cycles, sure)


def _own(y: "pd.Series[float]", suggested: Seasons, *, logs: bool) -> Decision[Cycle] | None:
    """Return a cycle of a series other than the seasons that its index suggests.

    One of the logarithm is of whole steps.
    """
    newest = bridged(values_of(y))[-n_newest(suggested) :]
    near = [m for m in suggested if th.SEASON_CYCLES * m <= len(newest)]
    in_logs = logs and not suggested and newest.min() > 0.0
    for z in [newest, np.log(newest)] if in_logs else [newest]:
        if is_constant(z) or unexplained(z) < th.SMOOTH:
            continue
        rest = z - seasonal(z, next(iter(near), None))
        own = find_cycle(rest) if np.std(rest) > ROUNDING * np.abs(z).max() else None
        if own is not None and _is_new(own.value, near, len(z)):
            return own if z is newest or own.value.whole is not None else None
    return None


def _is_new(cycle: Cycle, seasons: Sequence[int], n: int) -> bool:
    """Return whether n values tell a cycle from the sines of a season that the index suggests.

    They do where the two are a whole cycle apart over the series (Rayleigh's criterion).
    """
    return all(abs(m / cycle.period - round(m / cycle.period)) * n >= m for m in seasons)


def main_season(y: "pd.Series[float]", seasons: Seasons) -> int | None:
    """Return the season that lags and structural models have: the one that describes most.

    None if there is none, or none that is short enough for the newest values.
    """
    return season_of(bridged(values_of(y))[-n_newest(seasons) :], seasons)


def _divides(season: int, main: int | None) -> bool:
    """Return whether a season is the main one, a part of it or a multiple of it."""
    return main is not None and (main % season == 0 or season % main == 0)


def is_held(season: int, transforms: Compose) -> bool:
    """Return whether transforms take away all of a season, alone or as part of a longer one.

    Examples
    --------
    >>> is_held(6, Compose(Deterministic(fourier=2, period=12)))
    True
    >>> is_held(6, Compose(Deterministic(fourier=1, period=12)))
    False
    """
    return any(
        period % season == 0
        and (not isinstance(step, Deterministic) or period <= season * step.fourier)
        for step, period in transforms.seasonal
    )


def _named(seasons: Seasons) -> str:
    return str(seasons[0] if len(seasons) == 1 else sorted(seasons) or 1)
