"""The forecast and the choices behind it, in plain sentences."""

from typing import TypeAlias

import numpy as np
import pandas as pd

from gpforecast.common.types import FloatArray, IntArray
from gpforecast.common.wording import in_digits, number, observed
from gpforecast.pipeline.describe import known_inputs, lags_in_words, model_in_words
from gpforecast.pipeline.fitted import Fitted
from gpforecast.pipeline.sections import capital, step_of
from gpforecast.results.forecast import Forecast
from gpforecast.series.checked import values_of, without
from gpforecast.series.labels import time_at
from gpforecast.transforms import Chain
from gpforecast.transforms.words import in_words

Seasons: TypeAlias = tuple[int, ...]

_SHARE = 0.15  # of all movement: what moves less is not named
_GROWTH = 0.03  # the same of the trend, which goes on beyond the horizon
_EQUAL = 0.05  # per cent: a change that is 0.0 where it is said
_MOST = 10  # times the total before: more is no change that per cent tell
_NEAR = 2  # seasons before the end, beyond which no value there is told
_MANY = 4  # seasons in a horizon, whose last one may then be a part
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


def beside(forecast: Forecast, seasons: Seasons = (), *, unfinished: bool = False) -> str:
    """Return what was before the end of the forecast, and what lies between.

    What was before is the value at the same place of a season, if one is known, and the last value,
    which may be `unfinished`: of a step that is not over.
    """
    steps, known = open_steps(forecast), forecast.history.dropna()
    mean = forecast.mean.to_numpy()[steps]
    low, high = forecast.interval(0.95).iloc[steps[-1]]
    scale, whole = float(high - low) / 4, bool((known == known.round()).all())
    index = forecast.index[steps]
    before = _before(forecast, seasons, scale, whole, unfinished)
    if len(mean) < 3 or not np.ptp(mean) > _STILL * (high - low):
        return before
    least, most = int(mean.argmin()), int(mean.argmax())
    return (
        f"{before} On the way the expected value is lowest for {time_at(index, least)} "
        f"({number(mean[least], scale)}) and highest for {time_at(index, most)} "
        f"({number(mean[most], scale)})."
    )


def _before(forecast: Forecast, among: Seasons, scale: float, whole: bool, unfinished: bool) -> str:
    """Return the value one season before the end of the forecast, or several, and the last one."""
    times, values = forecast.history.index, _usual(forecast)

    def value(at: int) -> str:  # to two digits at least, however wide the interval is
        y = float(forecast.history.iloc[at])
        return observed(y, min(scale, abs(y) / 10 or scale), whole)

    last = int(np.flatnonzero(np.isfinite(values))[-1])
    newest = f"he last known value, of {time_at(times, last)}, is {value(last)}"
    if unfinished:
        newest += f", so low that its {step_of(times)} may not have been over yet"
    newest += "."
    later = [at for at in forecast.set_aside if at > last]
    if len(later) == 1:
        newest += (
            f" The value of {time_at(times, later[0])}, {value(later[0])}, was taken for an "
            f"outlier and left out."
        )
    elif later:
        newest += (
            f" The {len(later)} values after it, to {time_at(times, max(later))}, were left out."
        )
    steps_to_end = int(open_steps(forecast)[-1]) + 1
    period = _season_for(steps_to_end, among)
    seasons = -(-steps_to_end // period)
    same = len(values) + steps_to_end - 1 - seasons * period
    far = period == 1 or seasons > _NEAR
    if far or same < 0 or same == last or not np.isfinite(values[same]):
        return f"T{newest}"
    ago = "one season" if seasons == 1 else f"{seasons} seasons"
    return f"{capital(ago)} before, {time_at(times, same)}, it was {value(same)}; t{newest}"


def seasons_of(chain: Chain) -> Seasons:
    """Return the steps of the seasons that values are compared over, the shortest first.

    Of a cycle that is no whole number of steps, such as a year of 52.18 weeks, the nearest one.
    """
    cycles = (chain.period, *chain.spec.periods)
    return tuple(sorted({round(cycle) for cycle in cycles if cycle}))


def _season_for(horizon: int, seasons: Seasons) -> int:
    """Return the shortest season that holds a horizon, or else the longest; 1 if there is none.

    Examples
    --------
    >>> [_season_for(horizon, (7, 365)) for horizon in (5, 30, 400)], _season_for(5, ())
    ([7, 365, 365], 1)
    """
    longest = max(seasons, default=1)
    return min((m for m in seasons if m >= horizon), default=longest)


def _same_before(horizon: int, seasons: Seasons) -> int | None:
    """Return how many steps before a horizon those are that it can be compared with, if any.

    They are a season before, or the steps right before it if it has whole seasons or many.

    Examples
    --------
    >>> [_same_before(horizon, (12,)) for horizon in (6, 12, 13, 24, 50)], _same_before(5, ())
    ([12, 12, None, 24, 50], 5)
    """
    m = _season_for(horizon, seasons)
    if horizon <= m:
        return m
    return horizon if horizon % m == 0 or horizon >= _MANY * m else None


def whole_horizon(forecast: Forecast, units: str, seasons: Seasons) -> str:
    """Return the total, and its change against the same steps before; "" for a single step.

    Where there are no such steps, where one of their values is missing or an outlier, or where a
    total may be negative or that before was not positive, there is no change.
    """
    h, values = forecast.horizon, _usual(forecast)
    known = values[np.isfinite(values)]
    whole = bool((known == np.round(known)).all())
    if h < 2:
        return ""
    total, index = forecast.sum(), forecast.index
    low, high = total.interval(0.95)
    scale = (high - low) / 4
    unit = f" {units}" if units else ""
    said = (
        f"From {time_at(index, 0)} to {time_at(index, -1)} we expect a total of about "
        f"{number(total.mean, scale)}{unit}, and with 95 % probability between "
        f"{observed(low, scale, whole)} and {observed(high, scale, whole)}"
    )
    back = _same_before(h, seasons)
    start = -1 if back is None else len(values) - back
    before = float(values[start : start + h].sum()) if start >= 0 else np.nan
    if not (before > 0 and low >= 0 and high < _MOST * before):
        return f"{said}."
    change, least, most = (100 * (value / before - 1) for value in (total.mean, low, high))
    first, last = (time_at(forecast.history.index, at) for at in (start, start + h - 1))
    more = f"{abs(change):.1f} % {'more' if change >= 0 else 'less'} than"
    more = more if abs(change) >= _EQUAL else "as much as"
    return f"{said}. That is {more} from {first} to {last} ({least:+.1f} to {most:+.1f} %)."


def _usual(forecast: Forecast) -> FloatArray:
    """Return the values before a forecast, those that were set aside as NaN."""
    return values_of(without(forecast.history.astype(np.float64), forecast.set_aside))


def drivers(forecast: Forecast) -> str:
    """Return what moves the forecast over its horizon; "" for a single step."""
    if forecast.horizon < 2:
        return ""
    parts = forecast.components.mean
    parts = parts[[name for name in _DRIVERS if name in parts]]
    sizes = (parts.max() - parts.min()).sort_values(ascending=False)
    ends = forecast.interval(0.95)
    scale = float((ends["upper"] - ends["lower"]).mean()) / 4
    if not sizes.iloc[0] > _STILL * 4 * scale:
        return (
            "Nothing known moves it much: it stays near its level, and the interval says how far "
            "the series may stray."
        )
    least = {name: _GROWTH if name == "trend" else _SHARE for name in sizes.index}
    named = [name for name in sizes.index if sizes[name] >= least[name] * sizes.sum()]
    said = [f"{_DRIVERS[name]} ({_size(parts[name], scale)})" for name in named]
    return "What moves it: " + ", then ".join([f"mostly {said[0]}" if len(said) > 1 else said[0],
                                              *said[1:]]) + "."  # fmt: skip


def _size(part: "pd.Series[float]", scale: float) -> str:
    """Return the movement of a component over the horizon."""
    size, change = float(np.ptp(part)), float(part.iloc[-1] - part.iloc[0])
    if part.name == "trend":
        return f"{'up' if change > 0 else 'down'} by {number(abs(change), scale)}"
    return f"{number(size, scale)} between lowest and highest"


def choices(fitted: Fitted) -> dict[str, str]:
    """Return what was chosen, each in a sentence."""
    chain = fitted.chain
    modelled = in_words(chain.spec.steps)
    said = {
        "What is modelled": f"{capital(modelled)}. The forecast is turned back into the units of "
        f"the series." if modelled else "The values themselves.",
        "What it looks at": f"{capital(lags_in_words(fitted.inputs.lags))}.",
        "How it learns": f"By {model_in_words(fitted)}.",
    }  # fmt: skip
    if names := known_inputs(fitted):
        said["What else it knows"] = f"Other columns: {', '.join(names)}."
    if fitted.ensemble is not None:
        said["Ensemble"] = (
            "Simpler models of level, slope and season. Each counts for as much as its forecasts "
            "of this series' own past deserve."
        )
    if fitted.support is not None:
        said["What is possible"] = f"The forecast keeps to {fitted.support.described}."
    if fitted.measurement is not None and chain.warp is None:
        off = chain.unit * float(np.mean(fitted.measurement.variance)) ** 0.5
        said["Measurement error"] = (
            f"Single values are taken to be off by about {in_digits(off, 2)}."
        )
    if fitted.calibration is not None:
        said["Correction"] = "Intervals were corrected by the errors of earlier forecasts."
    return said
