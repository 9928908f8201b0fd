"""Driven processes whose lags nobody names: how far back the default lets values and inputs in.

Where inputs enter the model, trial forecasts decide between the lags that the series alone suggests
and lags 1 to 8, each with inputs at lag 0 alone and up to 3, 8 or 20 (`INPUT_LAGS`,
`INPUT_LAGS_HELP`). Each case is forecast from a few origins in its second half with the true
inputs, by the defaults as they are, with ``exog_lags=[0]``, and with lags 1 to 8 of the series and
0 to 20 of the inputs: mean absolute error and CRPS over the standard deviation of the series, the
share of values that 95 % intervals hold, and seconds of processor time. Recordings of system
identification, and simulated processes: heaters whose switch acts two steps later, rooms with a
heating and the weather outside, series that answer at once, tanks and heat exchangers with a dead
time, a resonance behind a parabola, a distributed answer with noise that remembers, and, set aside
as kinds, an answer that saturates and two tanks in a row.

- ``development``: gas furnace, dryer, and seeds 0 to 2, of processes with a dead time 0 and 1. The
  thresholds were set with these.
- ``set aside``: drive, pH neutralisation, BJsales, house, and other seeds.

Prints a table and writes it as CSV beside this script. Run it from the project's root, with the
data of ``GPFORECAST_DATA``: ``python benchmarks/accuracy/exog_lags.py``; ``--part development``
runs that part alone.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from input_effects import DATA, column, driven, ends, heated

import gpforecast as gf

WAYS = {
    "default": {},
    "lag 0": {"exog_lags": [0]},
    "1 to 8, 0 to 20": {"lags": 8, "exog_lags": range(21)},
}
Driven = tuple[str, pd.Series, pd.DataFrame, int]


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
    u, y = rng.standard_normal(n), np.zeros(n)
    for t in range(1, n):
        y[t] = 0.7 * y[t - 1] + u[t] + 0.3 * rng.standard_normal()
    return pd.Series(y), pd.DataFrame({"u": u})


def steps(rng: np.random.Generator, n: int, shortest: int, longest: int) -> np.ndarray:
    """An input between -1 and 1 that stays for some steps at a time."""
    lengths = rng.integers(shortest, longest, n)
    return rng.uniform(-1.0, 1.0, n).repeat(lengths)[:n]


def tank(seed: int, n: int = 1500) -> tuple[pd.Series, pd.DataFrame]:
    """A level, measured with noise, that follows its pump 5 steps later and slowly."""
    rng = np.random.default_rng(seed)
    u, y, kept = steps(rng, n, 10, 60), np.zeros(n), np.exp(-1 / 25)
    for t in range(5, n):
        y[t] = kept * y[t - 1] + (1 - kept) * 2 * u[t - 5] + 0.01 * rng.standard_normal()
    level = 20 + 5 * (y + 0.01 * rng.standard_normal(n))
    return pd.Series(level), pd.DataFrame({"pump": 50 + 30 * u})


def exchanger(seed: int, n: int = 1000) -> tuple[pd.Series, pd.DataFrame]:
    """A temperature that follows its feed at once, and its valve 11 steps later."""
    rng = np.random.default_rng(100 + seed)
    u, feed, x, y = steps(rng, n, 5, 40), *np.zeros((3, n))
    for t in range(1, n):
        feed[t] = 0.95 * feed[t - 1] + 0.3 * rng.standard_normal()
        x[t] = 0.85 * x[t - 1] + 0.45 * (u[t - 11] if t > 10 else 0.0)
        y[t] = 0.9 * y[t - 1] + 0.1 * (x[t] + 0.5 * feed[t - 1]) + 0.01 * rng.standard_normal()
    return pd.Series(60 + 4 * y), pd.DataFrame({"valve": u, "feed": feed})


def parabola(seed: int, n: int = 1000) -> tuple[pd.Series, pd.DataFrame]:
    """A resonance that is driven by a parabola of its input, 4 steps later."""
    rng = np.random.default_rng(300 + seed)
    u, y = steps(rng, n, 4, 20), np.zeros(n)
    for t in range(4, n):
        drive = 0.2 * (u[t - 4] ** 2 + 0.3 * u[t - 4])
        y[t] = 1.5 * y[t - 1] - 0.7 * y[t - 2] + drive + 0.01 * rng.standard_normal()
    return pd.Series(y), pd.DataFrame({"u": u})


def distributed(seed: int, n: int = 600) -> tuple[pd.Series, pd.DataFrame]:
    """A weighted sum of 25 inputs, with noise that remembers."""
    rng = np.random.default_rng(500 + seed)
    u, k, noise = rng.standard_normal(n), np.arange(25), np.zeros(n)
    for t in range(1, n):
        noise[t] = 0.6 * noise[t - 1] + 0.1 * rng.standard_normal()
    answer = np.convolve(u, np.exp(-k / 8) * np.sin(k / 5))[:n]
    return pd.Series(answer + noise), pd.DataFrame({"u": u})


def saturating(seed: int, n: int = 1000) -> tuple[pd.Series, pd.DataFrame]:
    """A linear process of second order whose output saturates."""
    rng = np.random.default_rng(200 + seed)
    u, x = steps(rng, n, 3, 15), np.zeros((n, 2))
    for t in range(1, n):
        x[t] = 0.8 * x[t - 1, 0] + 0.4 * u[t - 1], 0.7 * x[t - 1, 1] + 0.5 * x[t - 1, 0]
    y = np.tanh(x[:, 1]) + 0.02 * rng.standard_normal(n)
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


def cases(part: str) -> Iterator[Driven]:
    """Yield the name, values, inputs and horizon of each process."""
    for name in ("gas_furnace", "dryer") if part == "development" else ("drive",):
        data = pd.read_csv(DATA / "sysid" / f"{name}.csv")
        yield name, data["y"], data[["u"]], 20
    for seed in range(3) if part == "development" else range(3, 6):
        for make, horizon in ((driven, 20), (room, 36), (at_once, 10)):
            yield f"{make.__name__} {seed}", *make(seed), horizon
    kinds = [(tank, 50), (exchanger, 40), (parabola, 20), (distributed, 20)]
    if part != "development":
        kinds += [(saturating, 20), (cascade, 40)]
    for seed in (0, 1) if part == "development" else (2, 3):
        for make, horizon in kinds:
            yield f"{make.__name__} {seed}", *make(seed), horizon
    if part != "development":
        data = pd.read_csv(DATA / "sysid" / "pHdata.csv")[::2].reset_index(drop=True)
        yield "pH", data["y_pH"], data[["u_acid", "u_base"]], 20
        yield "BJsales", column("BJsales"), column("BJsales.lead").to_frame("lead"), 10
        yield "house", *heated(4), 28


def scored(case: Driven, **options: object) -> dict[str, object]:
    """Return what is printed of one way to forecast a process."""
    _, y, inputs, horizon = case
    start, found, lags = time.process_time(), [], []
    for origin in ends(len(y), horizon, 3):
        fc = gf.Forecaster(**options).fit(y[:origin], exog=inputs[:origin])
        f = fc.predict(horizon, exog=inputs[origin : origin + horizon])
        truth = y[origin : origin + horizon]
        score = f.score(truth)
        found.append([score["mae"] / y.std(), score["crps"] / y.std(), score["coverage_95"]])
        reach = fc.fitted_.inputs.exog if fc.fitted_.exog.in_model else ()
        back = max((lag for _, lag in reach), default="-")
        lags.append(f"{max(fc.lags_)}/{back}")
    mae, crps, held = np.mean(found, axis=0)
    spent = time.process_time() - start
    return {"lags": " ".join(lags), "mae": mae, "crps": crps, "cover95": held, "seconds": spent}


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--part", choices=["development", "set aside"], help="one of the parts")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for part in [args.part] if args.part else ["development", "set aside"]:
        for case in cases(part):
            for how, options in WAYS.items():
                found = scored(case, **options)
                rows.append({"part": part, "process": case[0], "inputs": how} | found)
                print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.4g")
    wide = table.pivot_table(index=["part", "process"], columns="inputs", values="crps")
    for other in list(WAYS)[1:]:
        ratio = np.log(wide["default"] / wide[other])
        print(f"CRPS over that of {other}:")
        print(np.exp(ratio.groupby("part").mean()).round(3).to_string())


if __name__ == "__main__":
    main()
