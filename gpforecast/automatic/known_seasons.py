"""Seasons that the user knows: they exist, and only how to model them is left to decide.

No other season is looked for. The season that describes the series best is the one of all that
follows, as one that was found would be: trials decide whether it is taken away by differences, by
a fixed shape, or left to the lags. Of the further ones, those that are neither a part nor a
multiple of it are taken away first, as sines. The others, such as the week beside the day, are in
the same candidates.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.automatic.decision import Decision
from gpforecast.automatic.features import n_newest, season_of
from gpforecast.automatic.periods import Cycle, choose_with_cycles, with_cycles
from gpforecast.automatic.prior import Prior
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.automatic.trials import TransformPlan, Warps, bridged, warps_for
from gpforecast.common.validation import counted, is_integer, is_number
from gpforecast.series.checked import values_of
from gpforecast.transforms import Compose, Deterministic

SeasonLength: TypeAlias = int | Sequence[int] | str | None
Seasons: TypeAlias = tuple[int, ...]


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


def choose_with_seasons(
    y: "pd.Series[float]",
    seasons: Seasons | None,
    *,
    warps: Warps | None = None,
    prior: Prior | None = None,
) -> Decision[TransformPlan]:
    """Return the transforms of a series, whose seasons are known or looked for.

    Parameters
    ----------
    y : Series (n,)
        NaN where missing.
    seasons : tuple of int, or None
        As `seasons_of` returns them.
    warps, prior
        As for `choose_transforms`.

    Examples
    --------
    >>> y = pd.Series(np.random.default_rng(0).standard_normal(60))
    >>> choose_with_seasons(y, (12,)).value.period
    12
    """
    if seasons is None:
        return choose_with_cycles(y, warps=warps, prior=prior)
    main = main_season(y, seasons)
    why = f"season_length={_named(seasons)}"
    first, warps = [], warps_for(values_of(y), warps)
    for season in seasons:
        if not _divides(season, main):
            cycle = Cycle.of(values_of(y), float(season))
            words = f"a fixed season of {season} steps is taken away first: {why}"
            first.append(Decision(cycle, words))
            y = cycle.taken_from(y)
    known = Decision[int | None](main, f"{why} says that there is a season of {main} steps")
    alike = tuple(season for season in seasons if _divides(season, main))
    plan = choose_transforms(y, known=known, suggested=alike, warps=warps, prior=prior)
    return with_cycles(first, plan)


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
    return str(seasons[0]) if len(seasons) == 1 else str(sorted(seasons))
