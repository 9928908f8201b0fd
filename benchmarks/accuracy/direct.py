"""Iterated and direct forecasts of the same series, by the same model.

The first table has the published experiment on Mackey-Glass (see
``examples/backtest_mackey_glass.py``): 100 rows of 16 lags at random from 8000 values with noise of
variance 0.001, 200 origins in the 4000 values after them, 100 steps. Iterated forecasts go by exact
moments, along one function, step by step as in the papers, or with measurement noise told from that
of the process; direct ones have a model for each of the 100 leads. Then the same with 500 rows, and
with 100 rows without noise. The last tables have real series, forecast 12 steps from every origin
in the later part, with transforms and lags chosen automatically, the same ones for both.

Run it from the project's root: ``python benchmarks/accuracy/direct.py``; ``--draws 2`` takes a
fifth of the time. It prints the tables and writes ``direct.csv`` beside it. ``--part`` runs one
part and leaves the others in the file as they are (the figures of 500 rows are of 5 draws).
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.models import GaussianProcess

HORIZON, ORIGINS, STEPS = 100, 200, (1, 10, 50, 100)
LEADS = 12
PARTS = {  # rows, and the variance of the noise
    "100": ("Mackey-Glass, 100 rows", 100, 1e-3),
    "500": ("Mackey-Glass, 500 rows", 500, 1e-3),
    "clean": ("Mackey-Glass without noise, 100 rows", 100, 0.0),
}
LOSSES = ["mse", "nlpd"]
COLUMNS = [*LOSSES, "crps", "coverage_95"]
PROCESS = {"noise": "process", "propagation": "exact"}
STRATEGIES = {
    "iterated": PROCESS,
    "iterated step by step": {
        "noise": "process",
        "propagation": gf.propagation.ExactMoments(function="step"),
    },
    "iterated, measurement noise": {"noise": "measurement", "propagation": "exact"},
    "direct": {**PROCESS, "strategy": "direct"},
}


def mackey_glass(title, n_rows, noise_var, draws):
    """Yield the scores of every draw, strategy and step."""
    for draw in range(draws):
        series = gf.datasets.mackey_glass(12_000, normalise=True, noise_var=noise_var, seed=draw)
        for name, options in STRATEGIES.items():
            if not noise_var and "noise" in name:
                continue
            direct = {"max_horizon": HORIZON} if name == "direct" else {}
            began = time.process_time()
            fc = gf.Forecaster(
                16, model=GaussianProcess(), max_rows=n_rows, seed=draw, **options, **direct
            ).fit(series[:8000])
            seconds = time.process_time() - began
            found = gf.backtest(fc, series, HORIZON, ORIGINS, seed=draw).scores[COLUMNS]
            part = {"series": title, "draw": draw, "strategy": name}
            yield found.reset_index().assign(**part, fit_seconds=seconds)


def real_series():
    """Yield names and series, and how many values are known at the first origin."""
    yield "sunspots", gf.datasets.load_sunspots(), 200
    yield "El Nino", gf.datasets.load_elnino(), 500
    path = Path(os.environ.get("GPFORECAST_DATA", ".")) / "classic" / "AirPassengers.csv"
    if path.exists():
        yield "air passengers", pd.Series(pd.read_csv(path).iloc[:, -1].to_numpy(float)), 84


def real():
    """Yield the scores of every real series, strategy and step."""
    for name, series, n in real_series():
        for strategy in ("iterated", "direct"):
            options = STRATEGIES[strategy] | {"combine": None}
            direct = {"max_horizon": LEADS} if strategy == "direct" else {}
            began = time.process_time()
            fc = gf.Forecaster(**options, **direct).fit(series.iloc[:n])
            seconds = time.process_time() - began
            origins = np.arange(n, len(series) - LEADS + 1)
            found = gf.backtest(fc, series, LEADS, origins).scores[COLUMNS]
            lags = ", ".join(map(str, fc.lags_))
            print(f"{name}, {strategy}: {fc.transforms_.spec}, lags {lags}, {len(origins)} origins")
            part = {"series": name, "draw": 0, "strategy": strategy}
            yield found.reset_index().assign(**part, fit_seconds=seconds)


def over_draws(table):
    """Return mean and standard error over draws, a row for each series, strategy and step."""
    grouped = table.groupby(["series", "strategy", "step"], sort=False)
    found = grouped[[*COLUMNS, "fit_seconds"]].mean()
    found = found.join(grouped[LOSSES].sem().add_suffix("_error"))
    return found.assign(draws=grouped.size()).reset_index()


def shown(part, column):
    """Return a table of a score, mean and standard error, at some of the steps."""
    at = part[part["step"].isin(STEPS)]
    mean, error = (
        at.pivot_table(name, "strategy", "step", sort=False) for name in (column, f"{column}_error")
    )
    return (mean.map("{:.3f}".format) + " ± " + error.map("{:.3f}".format)).to_string()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--part", choices=[*PARTS, "real"], help="only this one")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gf.NumericalWarning)
    wanted = [*PARTS, "real"] if options.part is None else [options.part]
    found = []
    for part in wanted:
        found += real() if part == "real" else mackey_glass(*PARTS[part], options.draws)
    table, path = over_draws(pd.concat(found)), Path(__file__).with_suffix(".csv")
    kept = pd.read_csv(path) if options.part and path.exists() else table[:0]
    kept = kept[~kept["series"].isin(table["series"])]
    pd.concat([kept, table]).to_csv(path, index=False, float_format="%.4g")
    for series, part in table.groupby("series", sort=False):
        draws = part["draws"].max()
        print(f"\n{series}, {draws} draws")
        if draws > 1:
            for column in LOSSES:
                print(f"{column}\n{shown(part, column)}")
        every = part.groupby("strategy", sort=False)[[*COLUMNS, "fit_seconds"]].mean()
        print(f"all steps\n{every.round(4).to_string()}")
        if part["step"].max() == LEADS:
            at = part[part["step"].isin([1, 3, 6, 12])]
            print(at.pivot_table(COLUMNS, "step", "strategy").round(4).to_string())


if __name__ == "__main__":
    main()
