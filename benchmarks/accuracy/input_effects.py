"""Inputs of all kinds: promotions, holidays, the weather, and the inputs of processes.

Each row is a forecaster with its defaults, given the inputs or not, over several origins: it is
fitted again at each, and forecasts with the true future inputs.

- ``development``: AirPassengers with a promotion at random times, without and with an effect of
  15 %; monthly series of M3 with a promotion of 10 % or of no effect; daily sales of three years
  with a week, a year and holidays; daily sales with promotions and prices whose effects are
  percentages, or amounts; walks and noise with an input; gas furnace, dryer and drive of
  system identification. The rule of where inputs enter, and its thresholds
  (`gpforecast.automatic.thresholds`), were set with these.
- ``set aside``: judged once the rule stood. Monthly series of M1 with a promotion, nottem, gas,
  LakeHuron, BJsales with its leading series, half-hourly load without an input of use, daily sales
  of another kind (counts, four countries), a heater with a delay, and a house whose heating depends
  on the temperature below a threshold.

``without`` has no inputs, ``with`` the defaults with inputs, ``of model`` the same inputs but
nothing taken away (``transforms=None``), which was the default before 0.2. ``enter`` says, for each
origin, where the inputs entered: m the model, e effects, l effects on the logarithm, - nowhere, as
they explain nothing.
``mae_marked`` is of the steps on which a promotion or a holiday is on.

Writes the table as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/input_effects.py``; ``--quick`` takes few series and origins.
"""

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import gpforecast as gf

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
KINDS = ("without", "with", "of model")


@dataclass
class Case:
    """A series, its inputs or calendars, and how it is forecast."""

    part: str
    name: str
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


def column(name: str) -> pd.Series:
    return pd.read_csv(DATA / "classic" / f"{name}.csv").iloc[:, 0].astype(float)


def months(values: Any, start: str) -> pd.Series:
    values = np.asarray(values, dtype=float)
    return pd.Series(values, pd.period_range(start, periods=len(values), freq="M"))


def promotion(y: pd.Series, seed: int, share: float = 0.2) -> pd.DataFrame:
    on = np.random.default_rng(seed).uniform(size=len(y)) < share
    return pd.DataFrame({"promo": on.astype(float)}, index=y.index)


def ends(n: int, horizon: int, count: int, *, first: float = 0.6) -> tuple[int, ...]:
    return tuple(np.linspace(first * n, n - horizon, count).astype(int))


def sales(seed: int, country: str, *, counts: bool, years: int = 3) -> pd.Series:
    """Daily sales: a week, a year, an autoregression, and holidays of lasting effects."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2020-01-01", periods=365 * years)
    week = rng.normal(0.0, 0.25, 7)[days.day_of_week]
    year = 0.15 * np.cos(2.0 * np.pi * (days.day_of_year - 200) / 365.25)
    noise = np.zeros(len(days))
    for t in range(1, len(days)):
        noise[t] = 0.6 * noise[t - 1] + 0.08 * rng.standard_normal()
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


def shops(part: str, seeds: range, count: int) -> Iterator[Case]:
    """Yield sales whose inputs have effects of both kinds."""
    for seed in seeds:
        for kind in ("percentages", "amounts"):
            y, inputs = shop(seed, percentages=kind == "percentages")
            where = ends(len(y), 56, count, first=0.7)
            yield Case(part, f"shop, {kind}, {seed}", y, inputs, 56, where)


def driven(seed: int, n: int = 400) -> tuple[pd.Series, pd.DataFrame]:
    """A heater: the temperature answers to its switch after two steps, with saturation."""
    rng = np.random.default_rng(seed)
    u = rng.uniform(-1.0, 1.0, n).repeat(4)[:n]
    y = np.zeros(n)
    for t in range(3, n):
        y[t] = 0.9 * y[t - 1] + 0.3 * np.tanh(2.0 * u[t - 2]) + 0.02 * rng.standard_normal()
    return pd.Series(y), pd.DataFrame({"switch": u})


def heated(seed: int, n: int = 700) -> tuple[pd.Series, pd.DataFrame]:
    """A house: heating below 15 degrees, otherwise a constant and a week."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2021-01-01", periods=n)
    outside = 10.0 - 9.0 * np.cos(2.0 * np.pi * days.day_of_year / 365.25)
    weather = np.zeros(n)
    for t in range(1, n):
        weather[t] = 0.8 * weather[t - 1] + 1.5 * rng.standard_normal()
    temperature = outside + weather
    week = np.array([1.0, 1.0, 1.0, 1.0, 1.2, 2.0, 2.0])[days.day_of_week]
    need = 5.0 + np.maximum(15.0 - temperature, 0.0) + week + 0.4 * rng.standard_normal(n)
    return pd.Series(need, days), pd.DataFrame({"temperature": temperature}, index=days)


def competition(name: str, count: int) -> Iterator[tuple[str, pd.Series]]:
    """Yield monthly series of M1 or M3, evenly spaced among all."""
    lines = pd.read_csv(DATA / "m1m3" / f"{name}_monthly.csv.gz", header=None, names=range(200))
    for _, line in lines.iloc[:: len(lines) // count].head(count).iterrows():
        yield str(line[0]), months(line.iloc[3:].dropna().to_numpy(float), "1990-01")


def promoted(part: str, competitors: str, count: int) -> Iterator[Case]:
    """Yield series of a competition with a promotion; that of every other one has an effect."""
    for i, (name, y) in enumerate(competition(competitors, count)):
        promo, raised = promotion(y, i), 0.1 if i % 2 else 0.0
        label = f"{name}, {'10 %' if raised else 'no effect'}"
        more = raised * promo["promo"] * y.mean()
        yield Case(part, label, y + more, promo, 12, ends(len(y), 12, 3, first=0.75))


def development(*, quick: bool) -> Iterator[Case]:
    part, count = "development", 2 if quick else 6
    air = months(column("AirPassengers"), "1949-01")
    for seed in range(1 if quick else 4):
        promo = promotion(air, seed)
        where = ends(144, 24, count, first=0.7)
        yield Case(part, f"AirPassengers, no effect, {seed}", air, promo, 24, where)
        raised = air * np.exp(0.15 * promo["promo"])
        yield Case(part, f"AirPassengers, 15 %, {seed}", raised, promo, 24, where)
    for seed, country in enumerate(("US", "DE")):
        y = sales(seed, country, counts=False)
        where = ends(len(y), 60, count, first=0.7)
        yield Case(part, f"sales {country}", y, None, 60, where, gf.calendars.Holidays(country))
    yield from shops(part, range(1 if quick else 3), min(count, 3))
    rng = np.random.default_rng(0)
    noise = pd.Series(rng.standard_normal(300))
    x = promotion(noise, 1)
    where = ends(300, 12, count)
    yield Case(part, "walk, effect", noise.cumsum() + 2.0 * x["promo"], x, 12, where)
    yield Case(part, "walk, no effect", noise.cumsum(), x, 12, where)
    yield Case(part, "noise, effect", noise + 2.0 * x["promo"], x, 12, where)
    for name in ("gas_furnace", "dryer", "drive"):
        data = pd.read_csv(DATA / "sysid" / f"{name}.csv")
        for lags in (None, [0, 1, 2, 3], [1, 2, 3, 4, 5]):
            n = len(data)
            where = ends(n, 20, min(count, 3), first=0.5)
            label = f"{name}, lags {lags}"
            yield Case(part, label, data["y"], data[["u"]], 20, where, exog_lags=lags)
    yield from promoted(part, "m3", 2 if quick else 16)


def set_aside(*, quick: bool) -> Iterator[Case]:
    part, count = "set aside", 2 if quick else 4
    yield from promoted(part, "m1", 3 if quick else 12)
    for name, start in (("nottem", "1920-01"), ("gas", "1956-01")):
        y = months(column(name), start)
        raised = y * (1.0 + 0.1 * promotion(y, 5)["promo"])
        where = ends(len(y), 24, count, first=0.75)
        yield Case(part, f"{name}, 10 %", raised, promotion(y, 5), 24, where)
    lake = column("LakeHuron")
    where = ends(len(lake), 8, count, first=0.7)
    yield Case(part, "LakeHuron, no effect", lake, promotion(lake, 6), 8, where)
    lead = column("BJsales.lead").to_frame("lead")
    where = ends(150, 10, count, first=0.6)
    for lags in (None, [3, 4, 5, 6]):
        y = column("BJsales")
        yield Case(part, f"BJsales, lags {lags}", y, lead, 10, where, exog_lags=lags)
    load = column("taylor").iloc[:1344]
    load.index = pd.date_range("2000-06-05", periods=1344, freq="30min")
    where = ends(1344, 96, 2, first=0.8)
    yield Case(part, "load, no effect", load, promotion(load, 7), 96, where)
    for seed, country in enumerate(("FR", "GB", "IT", "SE")[: 1 if quick else 4], start=10):
        y = sales(seed, country, counts=seed % 2 == 0)
        where = ends(len(y), 60, 2, first=0.7)
        yield Case(part, f"sales {country}", y, None, 60, where, gf.calendars.Holidays(country))
    yield from shops(part, range(20, 21 if quick else 24), min(count, 3))
    y, inputs = driven(3)
    for lags in (None, [1, 2, 3]):
        label = f"heater, lags {lags}"
        yield Case(part, label, y, inputs, 20, ends(400, 20, count), exog_lags=lags)
    y, inputs = heated(4)
    yield Case(part, "house", y, inputs, 28, ends(700, 28, count))
    data = pd.read_csv(DATA / "sysid" / "pHdata.csv")[::2].reset_index(drop=True)
    inputs = data[["u_acid", "u_base"]]
    for lags in (None, [0, 1, 2, 3]):
        where = ends(len(data), 20, 2, first=0.5)
        yield Case(part, f"pH, lags {lags}", data["y_pH"], inputs, 20, where, exog_lags=lags)


def effects_in_a_letter(chain: Any) -> str:
    """Return whether there are effects, and of what."""
    if not chain.effects:
        return "-"
    return "l" if isinstance(chain.warp, gf.transforms.Log) else "e"


def scored(case: Case, kind: str) -> dict[str, Any]:
    """Forecast from every origin of a case, without inputs, with them, or by the model alone."""
    options: dict[str, Any] = {}
    exog = None if kind == "without" else case.inputs
    if kind != "without":
        options = {"calendar": case.calendar, "exog_lags": case.exog_lags}
    if kind == "of model":
        options["transforms"] = None
    found, marked, where, start = [], [], "", time.process_time()
    for end in case.origins:
        known, ahead = slice(None, end), slice(end, end + case.horizon)
        fc = gf.Forecaster(**options, progress=False)
        fc.fit(case.y.iloc[known], None if exog is None else exog.iloc[known])
        forecast = fc.predict(case.horizon, exog=None if exog is None else exog.iloc[ahead])
        truth = case.y.iloc[ahead]
        found.append(forecast.score(truth))
        marked.extend(np.abs(forecast.mean - truth)[case.marks[ahead]])
        where += "m" if fc.fitted_.exog.in_model else effects_in_a_letter(fc.transforms_)
    mean = {k: float(np.mean([one[k] for one in found])) for k in ("mae", "crps", "coverage_95")}
    cpu = (time.process_time() - start) / len(case.origins)
    where = "" if kind == "without" else where
    mean["mae_marked"] = float(np.mean(marked)) if marked else np.nan
    row = {"part": case.part, "series": case.name, "inputs": kind, **mean}
    return {**row, "enter": where, "cpu_s": cpu}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few series and origins")
    parser.add_argument("--only", help="of which part or series; rows of others stay in the file")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    cases = [*development(quick=options.quick), *set_aside(quick=options.quick)]
    order = [(case.part, case.name, kind) for case in cases for kind in KINDS]
    rows: dict[Any, dict[str, Any]] = {}
    if options.only and output and output.exists():
        kept = pd.read_csv(output, keep_default_na=False).to_dict("records")
        rows = {(row["part"], row["series"], row["inputs"]): row for row in kept}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        for case in cases:
            if options.only and options.only not in f"{case.part} {case.name}":
                continue
            for kind in KINDS:
                row = scored(case, kind)
                shown = ("mae", "mae_marked", "crps", "coverage_95")
                numbers = "".join(f"{row[k]:10.4g}" for k in shown)
                label = f"{row['series']:<36}{kind:<10}"
                print(f"{label}{numbers}  {row['enter']:<8}{row['cpu_s']:6.1f}", flush=True)
                rows[case.part, case.name, kind] = row
            if output:  # what was run so far
                table = [rows[key] for key in order if key in rows]
                pd.DataFrame(table).to_csv(output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
