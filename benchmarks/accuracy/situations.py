"""Situations that people report, simulated or cut from real series, by the default and by others.

A situation is a function that draws a series, how many of its last values are forecast, and, where
it has some, inputs. Errors are in units of the mean absolute change over a season of the values
known, so that below 1 is better than repeating that season; coverage is that of 95 and 80 %
intervals. Even seeds are for development, odd ones, the default, judge: ``--half develop``.

A new situation is one function and one line of ``SITUATIONS``. ``--forecaster`` is a Python
expression in which ``gf`` is gpforecast; repeat it to compare several. Run it from the project's
root, with one BLAS thread; ``study.py`` has the other options::

    python benchmarks/accuracy/situations.py --only weeks --forecaster "gf.Forecaster(combine=None)"
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from everyday import tasks
from scipy.signal import lfilter
from study import Case, Row, run

import gpforecast as gf

LEVELS = np.arange(1, 40) / 40


@dataclass(frozen=True)
class Situation:
    """A series, the last `horizon` values of which are forecast, and its season in steps."""

    series: pd.Series
    horizon: int
    season: int
    exog: pd.DataFrame | None = None


def remembering(rng: np.random.Generator, n: int, memory: float) -> np.ndarray:
    """Return an autoregression of order 1."""
    return lfilter([1.0], [1.0, -memory], rng.standard_normal(n))


def profile(rng: np.random.Generator, phase: np.ndarray) -> np.ndarray:
    """Return three random sines of a phase in radians."""
    return sum(rng.normal() / j * np.cos(j * phase + rng.uniform(0, 7)) for j in (1, 2, 3))


@cache
def competition() -> list[np.ndarray]:
    """Return the series of M1 and M3 that judge, as arrays."""
    return [np.r_[task.past, task.truth] for task in tasks("judge", 1, 0).values()]


def few_values(n: int, rng: np.random.Generator) -> Situation:
    """The first values of a series of M1 or M3."""
    whole = [y for y in competition() if len(y) >= n + 6 and np.ptp(y[:n]) > 0.0]
    return Situation(pd.Series(whole[rng.integers(len(whole))][: n + 6]), 6, 1)


def weeks(minutes: int, n_weeks: float, rng: np.random.Generator) -> Situation:
    """A sensor with a profile of the day, and in two of three another level at weekends."""
    day = 1440 // minutes
    n = int(7 * n_weeks * day) + 2 * day
    times = pd.date_range("2024-01-01", periods=n, freq=f"{minutes}min")
    times += pd.Timedelta(days=int(rng.integers(7)))
    noise = remembering(rng, n, rng.uniform(0.5, 0.95) ** (minutes / 60))
    y = 50.0 + rng.uniform(3, 9) * profile(rng, 2 * np.pi * np.arange(n) / day) + noise
    if rng.random() < 2 / 3:
        y -= rng.uniform(3, 8) * (times.day_of_week >= 5)
    return Situation(pd.Series(y, times), 2 * day, 7 * day)


def closed_hours(rng: np.random.Generator) -> Situation:
    """Visits of a shop from 9 to 19, none on Sundays."""
    index = pd.date_range("2024-01-01", periods=8 * 168, freq="h")
    hour, day = index.hour.to_numpy(), index.day_of_week.to_numpy()
    shape = (50 + 30 * np.sin((hour - 9) / 10 * np.pi)) * ((hour >= 9) & (hour < 19))
    week = np.array([0.8, 0.8, 0.9, 1, 1.2, 1.6, 0])[day]
    busy = np.exp(0.08 * remembering(rng, len(index), 0.7))
    return Situation(pd.Series((shape * week * busy).round(1), index), 168, 168)


def closed_days(rng: np.random.Generator) -> Situation:
    """Sales of a shop that grows, none on Sundays."""
    index, t = pd.date_range("2023-01-02", periods=420), np.arange(420)
    week = np.array([1, 0.9, 0.9, 1, 1.2, 1.5, 0])[t % 7]
    level = 100 + 0.05 * t + 2.5 * remembering(rng, 420, 0.9)
    sales = level * week * np.exp(0.08 * rng.standard_normal(420))
    return Situation(pd.Series(sales.round(), index), 28, 7)


def delayed_input(rng: np.random.Generator) -> Situation:
    """An input that acts two steps later."""
    u, noise = rng.standard_normal((2, 106))
    times = pd.date_range("2000-01-01", periods=106, freq="MS")
    y = 10.0 + 0.5 * noise + 2.0 * np.r_[0.0, 0.0, u[:-2]]
    return Situation(pd.Series(y, times), 6, 1, pd.DataFrame({"u": u}, times))


def idle_input(rng: np.random.Generator) -> Situation:
    """A season, and an input of no use."""
    u, noise = rng.standard_normal((2, 126))
    t, times = np.arange(126), pd.date_range("2000-01-01", periods=126, freq="MS")
    y = 50.0 + 0.1 * t + 5.0 * np.sin(2.0 * np.pi * t / 12) + noise
    return Situation(pd.Series(y, times), 6, 12, pd.DataFrame({"u": u}, times))


def heated_room(rng: np.random.Generator) -> Situation:
    """Temperatures of a room with a thermostat, with one unusual stretch and a gap."""
    n, heat = 1512, 0.0
    index = pd.date_range("2025-01-06", periods=n, freq="10min")
    hour = np.arange(n) / 6 % 24
    outside = 2 + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + np.cumsum(rng.normal(0, 0.05, n))
    target = np.where((hour >= 6) & (hour < 22), 21.0, 17.0)
    y = np.full(n, 18.0)
    for t in range(1, n):
        y[t] = y[t - 1] + (outside[t - 1] - y[t - 1]) / 240 + 0.06 * heat + rng.normal(0, 0.02)
        heat = np.clip(1.2 * (target[t] - y[t]), 0, 3)
    y[988:1012] -= 1.5
    y[800:830] = np.nan
    return Situation(pd.Series(y, index), 144, 144)


def weekly(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return a week and a level that wanders a little."""
    shape = np.resize(np.random.default_rng(7).standard_normal(7), n)
    return 10 * shape + np.cumsum(0.2 * rng.standard_normal(n)) + rng.standard_normal(n)


USUAL: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "Gaussian": lambda rng, n: rng.standard_normal(n),
    "AR(1), 0.8": lambda rng, n: remembering(rng, n, 0.8),
    "week": weekly,
}
# What is added to which, from so many values before the end of what is known: a shift stays.
UNUSUAL: dict[str, tuple[str, int, np.ndarray | float]] = {
    "spike": ("Gaussian", 40, np.array([8.0])),
    "run of 5": ("AR(1), 0.8", 40, np.full(5, 10.0)),
    "unusual week": ("week", 8, -12 * np.array([0.2, 0.5, 1.5, 2, 1.2, 0.8, 0.4])),
    "shift": ("week", 40, 10.0),
}


def unusual(name: str, rng: np.random.Generator, n: int = 300) -> Situation:
    """A daily series in which something unusual happened."""
    usual, back, what = UNUSUAL[name]
    y, at = USUAL[usual](rng, n + 14), n - back
    y[at : None if isinstance(what, float) else at + len(what)] += what
    index = pd.date_range("2022-01-03", periods=len(y), freq="D")
    return Situation(pd.Series(y, index), 14, 7)


SITUATIONS: dict[str, Callable[[np.random.Generator], Situation]] = {
    **{f"{n} values": partial(few_values, n) for n in (3, 4, 5, 6, 7)},
    **{f"{k} weeks, {m} min": partial(weeks, m, k) for m, k in ((60, 3.5), (30, 4.5), (10, 3.3))},
    "closed hours": closed_hours,
    "closed days": closed_days,
    "delayed input": delayed_input,
    "idle input": idle_input,
    "heated room": heated_room,
    **{name: partial(unusual, name) for name in UNUSUAL},
}


def scored(name: str, seed: int, expression: str) -> Row:
    """Return the scores of one forecast."""
    situation = SITUATIONS[name](np.random.default_rng(seed))
    forecaster = eval(expression, {"gf": gf, "np": np})
    h, season = situation.horizon, situation.season
    past, truth = situation.series[:-h], situation.series[-h:].to_numpy()
    exog = situation.exog
    given = () if exog is None else (exog[:-h],)
    f = forecaster.fit(past, *given).predict(h, exog=None if exog is None else exog[-h:])
    q = f.distribution.quantile(LEVELS)
    scale = np.nanmean(np.abs(past.to_numpy()[season:] - past.to_numpy()[:-season]))
    error = truth[:, None] - q
    pinball = 2.0 * np.maximum(LEVELS * error, (LEVELS - 1.0) * error)
    return {
        "mae": np.nanmean(np.abs(error[:, len(LEVELS) // 2])) / scale,
        "crps": np.nanmean(pinball) / scale,
        "cover 95": np.mean((q[:, 0] <= truth) & (truth <= q[:, -1])),
        "cover 80": np.mean((q[:, 3] <= truth) & (truth <= q[:, -4])),
    }


def cases(quick: bool) -> Iterator[Case]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--half", choices=("develop", "judge"), default="judge")
    parser.add_argument("--forecaster", action="append", default=[], metavar="PYTHON")
    options, _ = parser.parse_known_args()
    warnings.simplefilter("ignore")
    for name in SITUATIONS:
        for expression in ("gf.Forecaster()", *options.forecaster):
            for draw in range(1 if quick else 6):
                seed = 2 * draw + (options.half == "judge")
                names = {"situation": name, "forecaster": expression, "seed": seed}
                yield names, partial(scored, name, seed, expression)


if __name__ == "__main__":
    run(__file__, cases, ["situation", "forecaster"])
