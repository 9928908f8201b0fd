"""Measurement noise told from process noise: the demo's chaotic series, and series without it.

The first table has Mackey-Glass series of 200 values, measured with noise, and forecasts of 100
steps from 40 later origins: CRPS with all noise taken for the process's, with measurement noise,
and with the kind chosen automatically, each over the first; 95 % coverage; and the standard
deviation found over the true one. The second has series whose noise drives them, or mostly does,
for which the automatic choice should cost nothing.

Run it from the project's root: ``python benchmarks/accuracy/measurement_noise.py``; with
``--draws 5`` it takes a quarter of the time. It prints the tables and writes
``measurement_noise.csv`` beside it.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

ROWS, HORIZON, ORIGINS, LAGS = 200, 100, 40, 16
KINDS = ("process", "measurement", "auto")


def scores(series, n_train, horizon, origins, noise, **settings):
    """Return mean CRPS and coverage, the forecaster, and the seconds it all took."""
    began = time.perf_counter()
    fc = gf.Forecaster(noise=noise, **settings).fit(series.iloc[:n_train])
    found = gf.backtest(fc, series, horizon, origins, seed=0).scores.mean()
    return found["crps"], found["coverage_95"], fc, time.perf_counter() - began


def measured_with_noise(noise_var, seed, path):
    series = gf.datasets.mackey_glass(
        ROWS + HORIZON + 500, normalise=True, noise_var=noise_var, seed=seed
    )
    row = {"series": f"Mackey-Glass, {noise_var:g}", "draw": seed}
    for kind in KINDS:
        crps, coverage, fc, seconds = scores(
            series, ROWS, HORIZON, ORIGINS, kind, lags=LAGS, propagation=path
        )
        row |= {f"crps {kind}": crps, f"coverage {kind}": coverage, f"s {kind}": seconds}
        measurement = fc.fitted_.measurement
        if kind == "measurement":
            unit = fc.transforms_.unit
            row["sd"] = unit * np.sqrt(measurement.variance / noise_var)
            row["process sd"] = unit * np.sqrt(fc.model_.noise_var_ / noise_var)
    return row | {"chosen": float(measurement is not None)}


def autoregression(seed, n=400):
    rng = np.random.default_rng(seed)
    z = np.zeros(n)
    for t in range(2, n):
        z[t] = 1.5 * z[t - 1] - 0.75 * z[t - 2] + rng.standard_normal()
    return pd.Series(z)


def driven(draws):
    """Yield series whose noise drives them, with the length of their first part and settings."""
    for seed in range(draws):
        yield "AR(2)", seed, autoregression(seed), 250, 20, {"lags": 4}
    yield "sunspots", 0, gf.datasets.load_sunspots(), 200, 20, {}
    yield "sunspots, 12 lags", 0, gf.datasets.load_sunspots(), 200, 20, {"lags": 12}
    yield "El Nino", 0, gf.datasets.load_elnino(), 400, 24, {}
    yield "Nile", 0, gf.datasets.load_nile(), 60, 8, {"transforms": None}
    yield "inflation", 0, gf.datasets.load_macrodata(), 130, 8, {"transforms": None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--propagation", default="exact")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for noise_var in (1e-4, 1e-3, 1e-2):
        for seed in range(options.draws):
            rows.append(measured_with_noise(noise_var, seed, options.propagation))
    for name, seed, series, n, horizon, settings in driven(min(options.draws, 10)):
        row = {"series": name, "draw": seed}
        for kind in ("process", "auto"):
            crps, coverage, fc, seconds = scores(series, n, horizon, 30, kind, **settings)
            row |= {f"crps {kind}": crps, f"coverage {kind}": coverage, f"s {kind}": seconds}
        rows.append(row | {"chosen": float(fc.fitted_.measurement is not None)})
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.5g")
    grouped = table.groupby("series", sort=False)
    print(grouped.mean(numeric_only=True).drop(columns="draw").round(4).to_string())
    ratio = grouped.mean(numeric_only=True)
    for kind in KINDS[1:]:
        print(f"\nCRPS {kind} over process:")
        print((ratio[f"crps {kind}"] / ratio["crps process"]).round(3).to_string())
    ends = grouped["sd"].agg(["min", "max"])
    print(f"\nstandard deviation found over the true one, least and largest:\n{ends.round(3)}")


if __name__ == "__main__":
    main()
