"""Inputs of all kinds: promotions, holidays, the weather, and the inputs of processes.

Each row is a forecaster over several origins: it is fitted again at each, and forecasts with the
true future inputs. Errors are in the units of the series.

- ``effects``: AirPassengers and monthly series of M1 with a promotion at random times, without and
  with an effect; nottem, gas, LakeHuron, BJsales with its leading series, half-hourly load without
  an input of use, daily sales with holidays, or with promotions and prices whose effects are
  percentages or amounts, a heater with a delay, pH, and a house whose heating depends on the
  temperature below a threshold. ``without`` has no inputs, ``with`` the defaults with inputs, ``of
  model`` the same inputs but nothing subtracted (``transforms=None``).
- ``lags``: driven processes whose lags nobody names: recordings of system identification, and
  simulated heaters, rooms, tanks and heat exchangers with a dead time, a resonance behind a
  parabola, a distributed answer with noise that remembers, an answer that saturates and two tanks
  in a row. ``default`` is compared with lag 0 alone, and with lags 1 to 8 of the series and 0 to 20
  of the inputs.

``enter`` says, for each origin, where the inputs entered: m the model, e effects, l effects on the
logarithm, - nowhere, as they explain nothing; ``lags`` the largest lags of series and inputs.
``mae_marked`` is of the steps on which a promotion or a holiday is on.

Run it from the project's root: ``python benchmarks/accuracy/input_effects.py``; ``study.py`` has
its options.
"""

import time
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from study import DATA, Case, Row, autoregression, column, run

import gpforecast as gf

SHOWN = ["mae", "crps", "coverage_95"]
WAYS: dict[str, dict[str, dict[str, Any]]] = {
    "effects": {"without": {}, "with": {}, "of model": {"transforms": None}},
    "lags": {
        "default": {},
        "lag 0": {"exog_lags": [0]},
        "1 to 8, 0 to 20": {"lags": 8, "exog_lags": range(21)},
    },
}


class Driven(NamedTuple):
    """A series, its inputs or calendars, and how it is forecast."""

    y: pd.Series
    inputs: pd.DataFrame | None
    horizon: int
    origins: tuple[int, ...]
    calendar: Any = None
    exog_lags: Any = None

    @property
    def marks(self) -> np.ndarray:
        """Whether a holiday or a promotion is on, (n,)."""
        if self.calendar is not None:
            names = self.calendar.names(self.y.index)
            return self.calendar.columns(self.y.index, names).any(axis=1)
        values = self.inputs.to_numpy()
        return (values == 1.0).any(axis=1) & np.isin(values, (0.0, 1.0)).all()


def months(values: Any, start: str) -> pd.Series:
    values = np.asarray(values, dtype=float)
    return pd.Series(values, pd.period_range(start, periods=len(values), freq="M"))


def promotion(y: pd.Series, seed: int, share: float = 0.2) -> pd.DataFrame:
    on = np.random.default_rng(seed).uniform(size=len(y)) < share
    return pd.DataFrame({"promo": on.astype(float)}, index=y.index)


def ends(n: int, horizon: int, count: int, *, first: float = 0.6) -> tuple[int, ...]:
    return tuple(np.linspace(first * n, n - horizon, count).astype(int))


def sales(seed: int, country: str, *, counts: bool) -> pd.Series:
    """Daily sales: a week, a year, an autoregression, and holidays of lasting effects."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2020-01-01", periods=365 * 3)
    week = rng.normal(0.0, 0.25, 7)[days.day_of_week]
    year = 0.15 * np.cos(2.0 * np.pi * (days.day_of_year - 200) / 365.25)
    noise = autoregression(0.08 * rng.standard_normal(len(days) - 1), 0.6)
    calendar = gf.calendars.Holidays(country)
    names = calendar.names(days)
    effect = calendar.columns(days, names) @ rng.normal(-0.6, 0.4, len(names))
    level = np.exp((3.0 if counts else 6.0) + week + year + noise + effect)
    return pd.Series(rng.poisson(level).astype(float) if counts else level, days)


def shop(seed: int, *, percentages: bool, n: int = 730) -> tuple[pd.Series, pd.DataFrame]:
    """Return sales with a week, a level that wanders, promotions and a price."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2022-01-03", periods=n)
    level = np.exp(np.cumsum(rng.normal(0.0, 0.01, n)))
    week = np.array([0.8, 0.75, 0.8, 0.9, 1.2, 1.6, 1.1])[days.day_of_week]
    promo, price = (rng.random(n) < 0.12).astype(float), 0.1 * rng.standard_normal(n)
    noise = rng.standard_normal(n)
    if percentages:
        y = 2000.0 * level * week * np.exp(0.35 * promo - price + 0.08 * noise)
    else:
        y = 2000.0 * level + 600.0 * (week - 1.0) + 700.0 * promo - 800.0 * price + 150.0 * noise
    return pd.Series(y, days), pd.DataFrame({"promo": promo, "price": price}, days)


def driven(seed: int, n: int = 400) -> tuple[pd.Series, pd.DataFrame]:
    """A heater: the temperature answers to its switch after two steps, with saturation."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1.0, 1.0, n).repeat(4)[:n]
    shocks = 0.3 * np.tanh(2.0 * u[1:-2]) + 0.02 * rng.standard_normal(n - 3)
    y = autoregression(np.r_[np.zeros(2), shocks], 0.9)
    return pd.Series(y), pd.DataFrame({"switch": u})


def heated(seed: int, n: int = 700) -> tuple[pd.Series, pd.DataFrame]:
    """A house: heating below 15 degrees, otherwise a constant and a week."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2021-01-01", periods=n)
    outside = 10.0 - 9.0 * np.cos(2.0 * np.pi * days.day_of_year / 365.25)
    temperature = outside + autoregression(1.5 * rng.standard_normal(n - 1), 0.8)
    week = np.array([1.0, 1.0, 1.0, 1.0, 1.2, 2.0, 2.0])[days.day_of_week]
    need = 5.0 + np.maximum(15.0 - temperature, 0.0) + week + 0.4 * rng.standard_normal(n)
    return pd.Series(need, days), pd.DataFrame({"temperature": temperature}, index=days)


def room(seed: int, n: int = 900) -> tuple[pd.Series, pd.DataFrame]:
    """A room every ten minutes: it stores heat, and its heating warms up and cools slowly."""
    rng = np.random.default_rng(seed)
    times = pd.date_range("2024-01-01", periods=n, freq="10min")
    outside = 3 + 4 * np.sin(2 * np.pi * np.arange(n) / 144) + 0.1 * rng.standard_normal(n).cumsum()
    power = (rng.uniform(size=n // 9 + 1) < 0.5).repeat(9)[:n].astype(float)
    inside, radiator = np.full(n, 20.0), 0.0
    for t in range(1, n):
        radiator += 0.3 * (power[t - 1] - radiator)
        flow = 0.02 * (outside[t - 1] - inside[t - 1]) + 0.7 * radiator
        inside[t] = inside[t - 1] + flow + 0.03 * rng.standard_normal()
    return pd.Series(inside, times), pd.DataFrame({"outside": outside, "power": power}, times)


def at_once(seed: int, n: int = 400) -> tuple[pd.Series, pd.DataFrame]:
    """An autoregression that answers to its input at once."""
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(n)
    y = autoregression(u[1:] + 0.3 * rng.standard_normal(n - 1), 0.7)
    return pd.Series(y), pd.DataFrame({"u": u})


def steps(rng: np.random.Generator, n: int, shortest: int, longest: int) -> np.ndarray:
    """An input between -1 and 1 that stays for some steps at a time."""
    lengths = rng.integers(shortest, longest, n)
    return rng.uniform(-1.0, 1.0, n).repeat(lengths)[:n]


def tank(seed: int, n: int = 1500) -> tuple[pd.Series, pd.DataFrame]:
    """A level, measured with noise, that follows its pump 5 steps later and slowly."""
    rng = np.random.default_rng(seed)
    u, kept = steps(rng, n, 10, 60), np.exp(-1 / 25)
    shocks = (1 - kept) * 2 * u[:-5] + 0.01 * rng.standard_normal(n - 5)
    y = autoregression(np.r_[np.zeros(4), shocks], kept)
    level = 20 + 5 * (y + 0.01 * rng.standard_normal(n))
    return pd.Series(level), pd.DataFrame({"pump": 50 + 30 * u})


def exchanger(seed: int, n: int = 1000) -> tuple[pd.Series, pd.DataFrame]:
    """A temperature that follows its feed at once, and its valve 11 steps later."""
    rng = np.random.default_rng(100 + seed)
    u, (to_feed, noise) = steps(rng, n, 5, 40), rng.standard_normal((n - 1, 2)).T
    feed = autoregression(0.3 * to_feed, 0.95)
    x = autoregression(0.45 * np.r_[np.zeros(10), u[:-11]], 0.85)
    y = autoregression(0.1 * (x[1:] + 0.5 * feed[:-1]) + 0.01 * noise, 0.9)
    return pd.Series(60 + 4 * y), pd.DataFrame({"valve": u, "feed": feed})


def parabola(seed: int, n: int = 1000) -> tuple[pd.Series, pd.DataFrame]:
    """A resonance that is driven by a parabola of its input, 4 steps later."""
    rng = np.random.default_rng(300 + seed)
    u = steps(rng, n, 4, 20)
    shocks = 0.2 * (u[:-4] ** 2 + 0.3 * u[:-4]) + 0.01 * rng.standard_normal(n - 4)
    y = autoregression(np.r_[np.zeros(2), shocks], 1.5, -0.7)
    return pd.Series(y), pd.DataFrame({"u": u})


def distributed(seed: int, n: int = 600) -> tuple[pd.Series, pd.DataFrame]:
    """A weighted sum of 25 inputs, with noise that remembers."""
    rng = np.random.default_rng(500 + seed)
    u, k = rng.standard_normal(n), np.arange(25)
    noise = autoregression(0.1 * rng.standard_normal(n - 1), 0.6)
    answer = np.convolve(u, np.exp(-k / 8) * np.sin(k / 5))[:n]
    return pd.Series(answer + noise), pd.DataFrame({"u": u})


def saturating(seed: int, n: int = 1000) -> tuple[pd.Series, pd.DataFrame]:
    """A linear process of second order whose output saturates."""
    rng = np.random.default_rng(200 + seed)
    u = steps(rng, n, 3, 15)
    x = autoregression(0.5 * autoregression(0.4 * u[:-1], 0.8)[:-1], 0.7)
    y = np.tanh(x) + 0.02 * rng.standard_normal(n)
    return pd.Series(y), pd.DataFrame({"u": u})


def cascade(seed: int, n: int = 1200) -> tuple[pd.Series, pd.DataFrame]:
    """The level of the lower of two tanks, each of which flows out by Torricelli's law."""
    rng = np.random.default_rng(400 + seed)
    u, y, upper, lower = 1.5 + steps(rng, n, 15, 60), np.zeros(n), 2.0, 2.0
    for t in range(n):
        upper = max(upper + 0.1 * u[max(t - 1, 0)] - 0.12 * np.sqrt(upper), 0.0)
        lower = max(lower + 0.12 * np.sqrt(upper) - 0.1 * np.sqrt(lower), 0.0)
        y[t] = lower + 0.02 * rng.standard_normal()
        upper = max(upper + 0.005 * rng.standard_normal(), 0.001)
    return pd.Series(y), pd.DataFrame({"pump": u})


def effects(quick: bool) -> Iterator[tuple[str, Driven]]:
    """Yield names and series whose inputs may have effects."""
    few = 2 if quick else 4
    air = months(column("classic/AirPassengers"), "1949-01")
    for seed in range(1 if quick else 4):
        promo, where = promotion(air, seed), ends(144, 24, 2 if quick else 6, first=0.7)
        yield f"AirPassengers, no effect, {seed}", Driven(air, promo, 24, where)
        raised = air * np.exp(0.15 * promo["promo"])
        yield f"AirPassengers, 15 %, {seed}", Driven(raised, promo, 24, where)
    lines = pd.read_csv(DATA / "m1m3" / "m1_monthly.csv.gz", header=None, names=range(200))
    chosen = lines.iloc[:: len(lines) // 12].head(3 if quick else 12).to_numpy()
    for i, (name, _, _, *cells) in enumerate(chosen):
        y = months(pd.Series(cells).dropna(), "1990-01")
        promo, raised = promotion(y, i), 0.1 if i % 2 else 0.0
        label = f"{name}, {'10 %' if raised else 'no effect'}"
        raised_y = y + raised * promo["promo"] * y.mean()
        yield label, Driven(raised_y, promo, 12, ends(len(y), 12, 3, first=0.75))
    for name, start in (("nottem", "1920-01"), ("gas", "1956-01")):
        y = months(column(f"classic/{name}"), start)
        promo = promotion(y, 5)
        raised = y * (1.0 + 0.1 * promo["promo"])
        yield f"{name}, 10 %", Driven(raised, promo, 24, ends(len(y), 24, few, first=0.75))
    lake = column("classic/LakeHuron")
    where = ends(len(lake), 8, few, first=0.7)
    yield "LakeHuron, no effect", Driven(lake, promotion(lake, 6), 8, where)
    leads = column("classic/BJsales.lead").to_frame("lead")
    lead = Driven(column("classic/BJsales"), leads, 10, ends(150, 10, few))
    load = column("classic/taylor").iloc[:1344]
    load.index = pd.date_range("2000-06-05", periods=1344, freq="30min")
    yield "load, no effect", Driven(load, promotion(load, 7), 96, ends(1344, 96, 2, first=0.8))
    for seed, country in enumerate(("FR", "GB", "IT", "SE")[: 1 if quick else 4], start=10):
        y = sales(seed, country, counts=seed % 2 == 0)
        holidays, where = gf.calendars.Holidays(country), ends(len(y), 60, 2, first=0.7)
        yield f"sales {country}", Driven(y, None, 60, where, holidays)
    for seed in range(20, 21 if quick else 24):
        for kind in ("percentages", "amounts"):
            y, inputs = shop(seed, percentages=kind == "percentages")
            where = ends(len(y), 56, min(few, 3), first=0.7)
            yield f"shop, {kind}, {seed}", Driven(y, inputs, 56, where)
    heater = Driven(*driven(3), 20, ends(400, 20, few))
    yield "house", Driven(*heated(4), 28, ends(700, 28, few))
    data = recording("pHdata")
    ph = Driven(data["y_pH"], data[["u_acid", "u_base"]], 20, ends(len(data), 20, 2, first=0.5))
    for name, task, lags in (
        ("BJsales", lead, [3, 4, 5, 6]), ("heater", heater, [1, 2, 3]), ("pH", ph, [0, 1, 2, 3]),
    ):  # fmt: skip
        yield f"{name}, lags None", task
        yield f"{name}, lags {lags}", task._replace(exog_lags=lags)


def recording(name: str) -> pd.DataFrame:
    data = pd.read_csv(DATA / "sysid" / f"{name}.csv")
    return data[::2].reset_index(drop=True) if name == "pHdata" else data


def processes(quick: bool) -> Iterator[tuple[str, Driven]]:
    """Yield names and driven processes."""
    drive, ph = recording("drive"), recording("pHdata")
    found = [("drive", drive["y"], drive[["u"]], 20)]
    for seed in range(3, 6):
        for make, horizon in ((driven, 20), (room, 36), (at_once, 10)):
            found.append((f"{make.__name__} {seed}", *make(seed), horizon))
    kinds = {tank: 50, exchanger: 40, parabola: 20, distributed: 20, saturating: 20, cascade: 40}
    for seed in (2, 3):
        for make, horizon in kinds.items():
            found.append((f"{make.__name__} {seed}", *make(seed), horizon))
    found.append(("pH", ph["y_pH"], ph[["u_acid", "u_base"]], 20))
    found.append(
        ("BJsales", column("classic/BJsales"), column("classic/BJsales.lead").to_frame("lead"), 10)
    )
    found.append(("house", *heated(4), 28))
    for name, y, inputs, horizon in found[: 3 if quick else None]:
        yield name, Driven(y, inputs, horizon, ends(len(y), horizon, 3))


def measure(task: Driven, part: str, way: str) -> Row:
    """Forecast from every origin of a series, and return the mean scores."""
    scores, marked, where, lags, start = [], [], "", [], time.process_time()
    inputs, options = task.inputs, {"calendar": task.calendar, "exog_lags": task.exog_lags}
    if way == "without":
        inputs, options = None, {}
    for end in task.origins:
        ahead = slice(end, end + task.horizon)
        fc = gf.Forecaster(**options | WAYS[part][way], progress=False)
        fc.fit(task.y.iloc[:end], None if inputs is None else inputs.iloc[:end])
        f = fc.predict(task.horizon, exog=None if inputs is None else inputs.iloc[ahead])
        truth, chain = task.y.iloc[ahead], fc.transforms_
        scores.append(f.score(truth)[SHOWN])
        marked.extend(np.abs(f.mean - truth)[task.marks[ahead]])
        effect = "l" if isinstance(chain.warp, gf.transforms.Log) else "e"
        of_inputs = fc.fitted_.inputs.exog if fc.fitted_.exog.in_model else ()
        where += "m" if fc.fitted_.exog.in_model else effect if chain.effects else "-"
        lags.append(f"{max(fc.lags_)}/{max((lag for _, lag in of_inputs), default='-')}")
    row = pd.DataFrame(scores).mean().to_dict()
    row["mae_marked"] = float(np.mean(marked)) if marked else np.nan
    seconds = (time.process_time() - start) / len(task.origins)
    where = "" if way == "without" else where
    return row | {"enter": where, "lags": " ".join(lags), "cpu_s": seconds}


def cases(quick: bool) -> Iterator[Case]:
    warnings.simplefilter("ignore")
    for part, tasks in {"effects": effects, "lags": processes}.items():
        for name, task in tasks(quick):
            for way in WAYS[part]:
                names = {"part": part, "series": name, "inputs": way}
                yield names, partial(measure, task, part, way)


if __name__ == "__main__":
    table = run(__file__, cases, ["part", "series", "inputs"])
    for part, rows in table.groupby("part"):
        first = next(iter(WAYS[str(part)]))
        wide = rows.pivot_table("crps", "series", "inputs", sort=False)
        ratio = np.exp(np.log(wide.div(wide[first], axis=0)).mean())
        print(f"\nCRPS over that of {first!r}, geometric mean\n{ratio.round(3).to_string()}")
