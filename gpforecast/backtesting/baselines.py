"""Simple forecasts to compare with: the last value, the last season, a linear autoregression.

Each is a distribution, from the same origins, and knows the values before its origin alone.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd

from gpforecast.automatic.cycles import find_cycle
from gpforecast.automatic.features import bridged, calendar_periods
from gpforecast.automatic.seasons import Seasons, main_season
from gpforecast.backtesting.scored import S, in_order
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.warnings import on_trial
from gpforecast.models import LinearAR
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import joint_from, within_series
from gpforecast.propagation import method_named
from gpforecast.results.distribution import Distribution, Gaussian
from gpforecast.series.checked import values_of, without

NAIVE, SEASONAL, LINEAR = "naive", "seasonal naive", "linear"

_ROWS = 5  # for each coefficient of the linear autoregression
_FEW_LAGS, _MANY_LAGS = 4, 25
_SURE = 1e-12  # of the mean square of the values: the least variance


def baselines(
    y: "pd.Series[float]",
    origins: IntArray,
    horizon: int,
    trained: IntArray,
    seasons: Seasons | None = None,
    set_aside: Sequence[tuple[int, ...]] = (),
    *,
    kind: type[S],
) -> dict[str, S]:
    """Return simple forecasts from the origins of a backtest, scored.

    Parameters
    ----------
    y : Series (n,)
        The whole series on a regular index, NaN where missing.
    origins : ndarray (b,)
    horizon : int
    trained : ndarray (b,)
        How many of the first values the linear autoregression of each origin learns from.
    seasons : tuple of int, optional
        Those that the user says there are, () for none. By default the season is looked for.
    set_aside : sequence of tuple of int, optional
        For each origin, positions of values that are missing to its forecasts.
    kind : type
        Of the forecasts: `ScoredForecasts` or a subclass.

    Returns
    -------
    dict
        "naive", a random walk; "seasonal naive", one over the season, if there is one; "linear",
        a linear autoregression by least squares, if there are enough values for it. Its note says
        which `Forecaster` makes the same forecasts.
    """
    first, learned = int(origins.min()), np.where(trained > 0, trained, origins.min())
    truth = np.asarray(y, dtype=np.float64)[origins[:, None] + np.arange(horizon)]
    aside = [*set_aside] or [()] * len(origins)
    groups: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for i, group in enumerate(zip(aside, learned.tolist(), strict=True)):
        groups.setdefault(group, []).append(i)

    def scored(name: str, ahead: "Callable[[pd.Series[float], int, IntArray], Distribution]") -> S:
        parts = []
        for (outliers, n), chosen in groups.items():
            joint = ahead(without(y, outliers), n, origins[chosen])
            part = kind.of(joint, truth[chosen], origins[chosen], name)
            parts.append((np.array(chosen), replace(part, trained=learned[chosen])))
        return in_order(parts)

    def walk(period: int) -> "Callable[[pd.Series[float], int, IntArray], Distribution]":
        return lambda known, _, at: random_walk(np.asarray(known), at, horizon, period)

    season = _season(without(y, aside[int(origins.argmin())]).iloc[:first], seasons)
    found = {NAIVE: scored(NAIVE, walk(1))}
    if season is not None:
        found[SEASONAL] = scored(SEASONAL, walk(season))
    most = _FEW_LAGS if season is None else min(season + 1, _MANY_LAGS)
    n_lags = min(most, int(learned.min()) // _ROWS)
    if n_lags < 1:
        return found
    options = Options(n_lags, transforms=None, model=LinearAR(), noise="process", support=None)
    call = f"gf.Forecaster({n_lags}, model=gf.models.LinearAR(), transforms=None, noise='process')"

    def linear(known: "pd.Series[float]", n: int, at: IntArray) -> Distribution:
        fitted = fit_to_first(n, options, known, None)
        within = within_series(fitted, known, at, horizon)
        joint = joint_from(within, method_named("exact")).distribution
        if not joint.var.min() > 0.0:
            raise ValueError("a series that is known exactly has no density")
        return joint

    with on_trial(), suppress(ValueError):  # such as too few rows without a missing value
        found[LINEAR] = replace(
            scored(LINEAR, linear), notes=(f"{call} makes the simple forecast.",)
        )
    return found


def random_walk(values: FloatArray, origins: IntArray, horizon: int, period: int) -> Gaussian:
    r"""Return forecasts by the random walk y(t) = y(t - period) + e(t).

    The mean of a step is the last known value of its place in the season, and its variance is
    :math:`k s^2` where that value is k seasons back. Here s^2 is the mean square of all differences
    over a season before the origin. A place without any known value is not forecast (NaN).

    Hyndman & Athanasopoulos (2021), "Forecasting: Principles and Practice", sections 5.2 and 5.5.

    Parameters
    ----------
    values : ndarray (n,)
        NaN where missing.
    origins : ndarray (b,)
        The first value forecast from origin t is the one at t.
    horizon, period : int

    Returns
    -------
    Gaussian
        mean (b, horizon), in the units of the series.
    """
    b, steps = len(origins), np.arange(horizon)
    mean, variance = np.full((2, b, horizon), np.nan)
    covariance, place = np.zeros((b, horizon, horizon)), steps % period
    for row, origin in enumerate(origins):
        past = values[:origin]
        squares = (past[period:] - past[:-period]) ** 2
        if np.isnan(squares).all():
            continue
        known = np.isfinite(past)
        # The series of a constant is known to rounding, not exactly.
        least = _SURE * float(np.mean(past[known] ** 2)) + np.finfo(float).tiny
        s2 = max(float(np.nanmean(squares)), least)
        last, at = np.full(period, np.nan), np.flatnonzero(known)
        last[(at - origin) % period] = at  # the last of each place
        back, there = (origin + steps - last[place]) // period, ~np.isnan(last[place])
        mean[row, there] = values[last[place][there].astype(int)]
        variance[row] = s2 * back
        same = place[:, None] == place
        covariance[row][same] = s2 * np.minimum.outer(back, back)[same]
    lost = np.isnan(variance)
    covariance[lost[:, :, None] | lost[:, None, :]] = np.nan
    return Gaussian(mean, covariance, variance)


def _season(past: "pd.Series[float]", known: Seasons | None) -> int | None:
    """Return the season of some values, or else the shortest that their index suggests."""
    seasons = calendar_periods(past.index) if known is None else known
    filled = bridged(values_of(past))
    if known is None and not seasons and len(filled) and (own := find_cycle(filled)):
        seasons = () if own.value.whole is None else (own.value.whole,)
    return main_season(past, seasons)
