"""Simple forecasts to compare with: the last value, the last season, a linear autoregression.

Each is a distribution, from the same origins, and knows the values before its origin alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from gpforecast.automatic.features import calendar_periods, find_season, is_constant
from gpforecast.automatic.known_seasons import Seasons, main_season
from gpforecast.backtesting.scored import S, ScoredForecasts, in_order
from gpforecast.common.cached import cached_property
from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.warnings import on_trial
from gpforecast.models import LinearAR
from gpforecast.pipeline.fit import fit_to_first
from gpforecast.pipeline.options import Options
from gpforecast.pipeline.predict import batch
from gpforecast.propagation import method_named
from gpforecast.results.distribution import Gaussian
from gpforecast.series.checked import without

NAIVE, SEASONAL, LINEAR = "naive", "seasonal naive", "linear"

_ROWS = 5  # for each coefficient of the linear autoregression
_FEW_LAGS, _MANY_LAGS = 4, 25
_SURE = 1e-12  # of the mean square of the values: the least variance


class Baselines(dict[str, S]):
    """Simple forecasts by their names.

    Attributes
    ----------
    missing : dict of str to str
        Why others are missing, by their names.
    """

    missing: dict[str, str]


def baselines(
    y: "pd.Series[float]",
    origins: IntArray,
    horizon: int,
    trained: IntArray,
    seasons: Seasons | None = None,
    set_aside: Sequence[tuple[int, ...]] = (),
    *,
    kind: type[S],
) -> Baselines[S]:
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
    Baselines
        "naive", a random walk; "seasonal naive", one over the season, if there is one; "linear",
        a linear autoregression by least squares, if there are enough values for it. Its note says
        which `Forecaster` makes the same forecasts.
    """
    values = np.asarray(y, dtype=np.float64)
    first = int(origins.min())
    truth = values[origins[:, None] + np.arange(horizon)]
    aside = [*set_aside] or [()] * len(origins)
    groups = {one: np.array([i for i, other in enumerate(aside) if other == one]) for one in aside}
    season = _season(without(y, aside[int(origins.argmin())]).iloc[:first], seasons)
    periods = {NAIVE: 1} | ({} if season is None else {SEASONAL: season})
    found: Baselines[S] = Baselines()
    found.missing = {SEASONAL: "no season is known or was found"} if season is None else {}
    for name, period in periods.items():
        parts = []
        for one, chosen in groups.items():
            known = np.asarray(without(y, one), dtype=np.float64)
            walk = random_walk(known, origins[chosen], horizon, period)
            part = kind.of(walk, truth[chosen], origins[chosen], name)
            parts.append((chosen, replace(part, trained=trained[chosen])))
        found[name] = in_order(parts)
    n = np.where(trained > 0, trained, first)
    with on_trial():  # trouble of another model than the user's
        linear = _linear(y, origins, truth, n, season, groups, kind)
    if isinstance(linear, str):
        found.missing[LINEAR] = linear
    else:
        found[LINEAR] = linear
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
    b = len(origins)
    mean, variance = np.full((b, horizon), np.nan), np.full((b, horizon), np.nan)
    covariance = np.zeros((b, horizon, horizon))
    for row, origin in enumerate(origins):
        past = values[:origin]
        squares = (past[period:] - past[:-period]) ** 2
        if np.isnan(squares).all():
            continue
        known = np.isfinite(past)
        # The series of a constant is known to rounding, not exactly.
        least = _SURE * float(np.mean(past[known] ** 2)) + np.finfo(float).tiny
        s2 = max(float(np.nanmean(squares)), least)
        for place in range(min(period, horizon)):
            same = np.arange(origin + place, -1, -period)[1:]
            same = same[same < origin]
            last = next((int(at) for at in same if known[at]), None)
            if last is not None:
                steps = np.arange(place, horizon, period)
                mean[row, steps] = values[last]
                back = (origin + steps - last) // period
                covariance[row, steps[:, None], steps] = s2 * np.minimum.outer(back, back)
                variance[row, steps] = s2 * back
    lost = np.isnan(variance)
    covariance[lost[:, :, None] | lost[:, None, :]] = np.nan
    return Gaussian(mean, covariance, variance)


def _season(past: "pd.Series[float]", known: Seasons | None) -> int | None:
    """Return the season of some values, or else the shortest that their index suggests."""
    if known is not None:
        return main_season(past, known)
    suggested = [m for m in calendar_periods(past.index) if 2 * m <= len(past)]
    filled = np.asarray(past.interpolate().ffill().bfill(), dtype=np.float64)
    if not np.isfinite(filled).all() or is_constant(filled):
        return min(suggested, default=None)
    found = find_season(filled, suggested)
    return min(suggested, default=None) if found is None else found.value


def _linear(
    y: "pd.Series[float]",
    origins: IntArray,
    truth: FloatArray,
    trained: IntArray,
    season: int | None,
    groups: Mapping[tuple[int, ...], IntArray],
    kind: type[S],
) -> S | str:
    """Return forecasts by linear autoregressions, each on the first of the values, or why not."""
    room = int(trained.min()) // _ROWS
    n_lags = min(_FEW_LAGS if season is None else min(season + 1, _MANY_LAGS), room)
    if n_lags < 1:
        return f"{counted(int(trained.min()), 'value')} are too few to learn from"
    options = Options(n_lags, transforms=None, model=LinearAR(), noise="process", support=None)
    method, h, parts = method_named("exact"), truth.shape[1], []
    for one, members in groups.items():
        known = without(y, one)
        for n in np.unique(trained[members]):
            try:
                fitted = fit_to_first(int(n), options, known, None)
            except ValueError:  # too few rows without a missing value
                return (
                    f"it has {counted(n_lags, 'lag')}, and there are hardly any "
                    f"{n_lags + 1} in a row of which none is missing"
                )
            chosen = members[trained[members] == n]
            joint, _ = batch(fitted, known, origins[chosen], h, method, exog=None, n_jobs=None)
            if not joint.var.min() > 0.0:  # a series that is known exactly has no density
                return "it would be certain of the values"
            part = kind.of(joint, truth[chosen], origins[chosen], LINEAR)
            parts.append((chosen, replace(part, trained=trained[chosen])))
    call = f"gf.Forecaster({n_lags}, model=gf.models.LinearAR(), transforms=None, noise='process')"
    return replace(in_order(parts), notes=(f"{call} makes the simple forecast.",))


@dataclass(frozen=True, eq=False)
class ComparedForecasts(ScoredForecasts):
    """Scored forecasts with simple ones from the same origins."""

    @cached_property
    def baselines(self) -> Baselines[Self]:
        """Simple forecasts from the same origins, computed at the first use.

        ``"naive"``, a random walk: the last value. ``"seasonal naive"``, a random walk over the
        season: the last season; missing if there is none. ``"linear"``, an autoregression by least
        squares, which learns from the same values as the forecaster; missing if they are few. None
        of them uses exogenous inputs, and outliers are missing to them, too. Its ``missing`` says
        why one is missing.

        Raises
        ------
        ValueError
            If the backtest does not know its series, because it was made by hand.
        """
        if self.series is None or self.trained is None:
            raise ValueError("baselines need the series; take a Backtest that backtest() returned.")
        horizon = self.mean.shape[1]
        given = self.origins, horizon, self.trained, self.seasons, self.set_aside
        return baselines(self.series, *given, kind=type(self))

    def beside(self) -> pd.DataFrame:
        """Return the scores with those of simple forecasts from the same origins.

        Returns
        -------
        DataFrame
            Rows ``forecaster`` and the names of `baselines`; columns ``mae`` and ``crps`` in the
            units of the series, ``coverage_80`` and ``coverage_95`` as fractions. They are
            averages over the values that all of them forecast; coverage is of those that the
            forecaster is not certain of, such as closed times.

        Examples
        --------
        >>> import gpforecast as gf
        >>> series = gf.datasets.load_sunspots()
        >>> forecaster = gf.Forecaster(9, model=gf.models.LinearAR(), transforms=None)
        >>> result = gf.backtest(forecaster, series, horizon=5, origins=30)
        >>> result.beside().index.tolist()
        ['forecaster', 'naive', 'linear']
        """
        rows = {"forecaster": self, **self.baselines}
        losses = {name: result.losses for name, result in rows.items()}
        shared = np.logical_and.reduce([np.isfinite(each["crps"]) for each in losses.values()])
        judged = shared & self.judged
        table = {
            name: {column: each[column][shared].mean() for column in ("mae", "crps")}
            | {
                column: np.nanmean(each[column][judged])
                for column in ("coverage_80", "coverage_95")
            }
            for name, each in losses.items()
        }
        return pd.DataFrame(table).T
