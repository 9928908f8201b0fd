"""Driven processes whose lags of inputs nobody names: how far back the default lets inputs in.

Where inputs enter the model, trial forecasts decide between lag 0 alone and lags up to 3 or 8
(`INPUT_LAGS`, `INPUT_LAGS_HELP`). Each case is forecast from a few origins in its second half with
the true inputs, by the defaults as they are and with ``exog_lags=[0]``: mean absolute error and
CRPS over the standard deviation of the series, the share of values that 95 % intervals hold, and
seconds of processor time. Recordings of system identification, and simulated processes: heaters
whose switch acts two steps later, rooms with a heating and the weather outside, and series that
answer at once.

- ``development``: gas furnace, dryer, and seeds 0 to 2. The thresholds were set with these.
- ``set aside``: drive, pH neutralisation, BJsales, house, and seeds 3 to 5.

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


def cases(part: str) -> Iterator[Driven]:
    """Yield the name, values, inputs and horizon of each process."""
    for name in ("gas_furnace", "dryer") if part == "development" else ("drive",):
        data = pd.read_csv(DATA / "sysid" / f"{name}.csv")
        yield name, data["y"], data[["u"]], 20
    for seed in range(3) if part == "development" else range(3, 6):
        for make, horizon in ((driven, 20), (room, 36), (at_once, 10)):
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
        lags.append(str(max((lag for _, lag in reach), default="-")))
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
            for how, options in (("default", {}), ("lag 0", {"exog_lags": [0]})):
                found = scored(case, **options)
                rows.append({"part": part, "process": case[0], "inputs": how} | found)
                print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.4g")
    wide = table.pivot_table(index=["part", "process"], columns="inputs", values="crps")
    ratio = np.log(wide["default"] / wide["lag 0"])
    print(np.exp(ratio.groupby("part").mean()).round(3).to_string())


if __name__ == "__main__":
    main()
