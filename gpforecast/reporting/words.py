"""The forecast in plain sentences."""

from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.validation import counted
from gpforecast.common.wording import number, observed
from gpforecast.pipeline.describe import step_of
from gpforecast.results.forecast import Forecast
from gpforecast.series.checked import values_of, without
from gpforecast.series.labels import time_at
from gpforecast.transforms import Chain

Seasons: TypeAlias = tuple[int, ...]

_SHARE = 0.05  # of all movement: what moves less is not named
_MOST = 10  # times the total before: more is no change that per cent tell
_STILL = 0.1  # of the width of the 95 % interval: what moves less is level

_DRIVERS = {
    "season": "the season",
    "trend": "the trend",
    "inputs": "the inputs that were given",
    "memory": "what followed similar values before",
}


def open_steps(forecast: Forecast) -> IntArray:
    """Return the steps at which something may happen: all but closed times, if there are others."""
    ends = forecast.interval(0.95)
    wide = np.flatnonzero((ends["upper"] > ends["lower"]).to_numpy())
    return wide if len(wide) else np.arange(forecast.horizon)


def context(forecast: Forecast, seasons: Seasons = (), *, unfinished: bool = False) -> str:
    """Return the last value, the one a season before the end, and the extremes on the way there.

    The last value may be `unfinished`: of a step that is not over. Only a season that holds the
    whole horizon is compared with.
    """
    times, values, steps = forecast.history.index, _usual(forecast), open_steps(forecast)
    known, mean = values[np.isfinite(values)], forecast.mean.iloc[steps]
    low, high = forecast.interval(0.95).iloc[steps[-1]]
    scale, whole = float(high - low) / 4, bool((known == known.round()).all())

    def value(at: int) -> str:  # to two digits at least, however wide the interval is
        y = float(forecast.history.iloc[at])
        return observed(y, min(scale, abs(y) / 10 or scale), whole)

    last = int(np.flatnonzero(np.isfinite(values))[-1])
    text = f"The last known value, of {time_at(times, last)}, is {value(last)}"
    if unfinished:
        text += f", so low that its {step_of(times)} may not have been over yet"
    period = min((m for m in seasons if m > steps[-1]), default=1)
    same = len(values) + int(steps[-1]) - period
    if period > 1 and 0 <= same != last and np.isfinite(values[same]):
        text = f"One season before, {time_at(times, same)}, it was {value(same)}; t{text[1:]}"
    if later := [at for at in forecast.set_aside if at > last]:
        count = counted(len(later), "outlier")
        text += f"; {count} after it, to {time_at(times, max(later))}, left out"
    if len(mean) < 3 or not np.ptp(mean) > _STILL * (high - low):
        return f"{text}."
    least, most = int(mean.argmin()), int(mean.argmax())
    # of the whole index, which knows its frequency
    lowest, highest = (time_at(forecast.index, int(steps[at])) for at in (least, most))
    return (
        f"{text}. On the way the expected value is lowest for {lowest} "
        f"({number(mean.iloc[least], scale)}) and highest for {highest} "
        f"({number(mean.iloc[most], scale)})."
    )


def seasons_of(chain: Chain) -> Seasons:
    """Return the steps of the seasons that values are compared over, the shortest first.

    Of a cycle that is no whole number of steps, such as a year of 52.18 weeks, the nearest one.
    """
    cycles = (chain.period, *chain.spec.periods)
    return tuple(sorted({round(cycle) for cycle in cycles if cycle}))


def _same_before(horizon: int, seasons: Seasons) -> int | None:
    """Return how many steps before a horizon those are that it can be compared with, if any.

    They are a season before, or the steps right before it if it has whole seasons.

    Examples
    --------
    >>> [_same_before(horizon, (12,)) for horizon in (6, 12, 13, 24)], _same_before(5, ())
    ([12, 12, None, 24], 5)
    """
    season = min((m for m in seasons if m >= horizon), default=max(seasons, default=1))
    return season if horizon <= season else horizon if horizon % season == 0 else None


def whole_horizon(forecast: Forecast, units: str, seasons: Seasons) -> str:
    """Return the total, and its change against the same steps before; "" for a single step.

    Where there are no such steps, where one of their values is missing or an outlier, or where a
    total may be negative or that before was not positive, there is no change.
    """
    h, values, index = forecast.horizon, _usual(forecast), forecast.index
    if h < 2:
        return ""
    known, total = values[np.isfinite(values)], forecast.sum()
    low, high = total.interval(0.95)
    scale, whole = (high - low) / 4, bool((known == np.round(known)).all())
    text = (
        f"From {time_at(index, 0)} to {time_at(index, -1)} we expect a total of about "
        f"{number(total.mean, scale)}{f' {units}' if units else ''}, and with 95 % probability "
        f"between {observed(low, scale, whole)} and {observed(high, scale, whole)}."
    )
    start = len(values) - (_same_before(h, seasons) or len(values) + 1)
    before = float(values[start : start + h].sum()) if start >= 0 else np.nan
    if not (before > 0 and low >= 0 and high < _MOST * before):
        return text
    change, least, most = (100 * (value / before - 1) for value in (total.mean, low, high))
    first, last = (time_at(forecast.history.index, at) for at in (start, start + h - 1))
    return (
        f"{text} That is {abs(change):.1f} % {'more' if change >= 0 else 'less'} than from {first} "
        f"to {last} ({least:+.1f} to {most:+.1f} %)."
    )


def _usual(forecast: Forecast) -> FloatArray:
    """Return the values before a forecast, those that were set aside as NaN."""
    return values_of(without(forecast.history.astype(np.float64), forecast.set_aside))


def drivers(forecast: Forecast) -> str:
    """Return what moves the forecast over its horizon; "" for one step, or a direct forecast."""
    if forecast.horizon < 2 or forecast.explanation is None:
        return ""
    effects = forecast.components.mean
    effects = effects[[name for name in _DRIVERS if name in effects]]
    sizes = (effects.max() - effects.min()).sort_values(ascending=False)
    ends = forecast.interval(0.95)
    width = float((ends["upper"] - ends["lower"]).mean())
    if not sizes.iloc[0] > _STILL * width:
        return (
            "Nothing known moves it much: it stays near its level, and the interval says how far "
            "the series may stray."
        )
    named = sizes.index[sizes >= _SHARE * sizes.sum()]
    text = [f"{_DRIVERS[name]} ({_size(effects[name], width / 4)})" for name in named]
    return f"What moves it: {'mostly ' if len(text) > 1 else ''}{', then '.join(text)}."


def _size(effect: "pd.Series[float]", scale: float) -> str:
    """Return the movement of a component over the horizon."""
    size, change = float(np.ptp(effect)), float(effect.iloc[-1] - effect.iloc[0])
    if effect.name == "trend":
        return f"{'up' if change > 0 else 'down'} by {number(abs(change), scale)}"
    return f"{number(size, scale)} between lowest and highest"
