"""Measurement noise and process noise: the demo's chaotic series, and series without it.

The first table has Mackey-Glass series of 200 values, measured with noise, and forecasts of 100
steps from 40 later origins: CRPS with all noise taken for the process's, with measurement noise,
and with the kind chosen automatically, each over the first; 95 % coverage; and the standard
deviation found over the true one. The second has series whose noise drives them, or mostly does,
for which the automatic choice should cost nothing.

Run it from the root: ``python benchmarks/accuracy/measurement_noise.py``; ``study.py`` has
its options.
"""

import time
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from study import autoregression, run

import gpforecast as gf

ROWS, HORIZON, ORIGINS, LAGS = 200, 100, 40, 16
KINDS = ("process", "measurement", "auto")


def scores(series, n_train, horizon, origins, noise, **settings):
    """Return mean CRPS and coverage, the forecaster, and the seconds it all took."""
    began = time.perf_counter()
    fc = gf.Forecaster(noise=noise, **settings).fit(series.iloc[:n_train])
    found = gf.backtest(fc, series, horizon, origins, seed=0).scores.mean()
    return found["crps"], found["coverage_95"], fc, time.perf_counter() - began


def measured_with_noise(noise_var, seed):
    series = gf.datasets.mackey_glass(
        ROWS + HORIZON + 500, normalise=True, noise_var=noise_var, seed=seed
    )
    row = {}
    for kind in KINDS:
        crps, coverage, fc, seconds = scores(
            series, ROWS, HORIZON, ORIGINS, kind, lags=LAGS, propagation="exact"
        )
        row |= {f"crps {kind}": crps, f"coverage {kind}": coverage, f"s {kind}": seconds}
        measurement = fc.fitted_.measurement
        if kind == "measurement":
            unit = fc.transforms_.unit
            row["sd"] = unit * np.sqrt(measurement.variance / noise_var)
            row["process sd"] = unit * np.sqrt(fc.model_.noise_var_ / noise_var)
    return row | {"chosen": float(measurement is not None)}


def driven(draws):
    """Yield series whose noise drives them, with the length of their first part and settings."""
    for seed in range(draws):
        shocks = np.random.default_rng(seed).standard_normal(398)
        series = pd.Series(autoregression(shocks, 1.5, -0.75))
        yield "AR(2)", seed, series, 250, 20, {"lags": 4}
    yield "sunspots", 0, gf.datasets.load_sunspots(), 200, 20, {}
    yield "sunspots, 12 lags", 0, gf.datasets.load_sunspots(), 200, 20, {"lags": 12}
    yield "El Nino", 0, gf.datasets.load_elnino(), 400, 24, {}
    yield "Nile", 0, gf.datasets.load_nile(), 60, 8, {"transforms": None}
    yield "inflation", 0, gf.datasets.load_macrodata(), 130, 8, {"transforms": None}


def driven_row(series, n, horizon, settings):
    row = {}
    for kind in ("process", "auto"):
        crps, coverage, fc, seconds = scores(series, n, horizon, 30, kind, **settings)
        row |= {f"crps {kind}": crps, f"coverage {kind}": coverage, f"s {kind}": seconds}
    return row | {"chosen": float(fc.fitted_.measurement is not None)}


def cases(quick):
    for noise_var, seed in product((1e-4, 1e-3, 1e-2), range(3 if quick else 10)):
        names = {"series": f"Mackey-Glass, {noise_var:g}", "draw": seed}
        yield names, partial(measured_with_noise, noise_var, seed)
    for name, seed, *rest in driven(3 if quick else 10):
        yield {"series": name, "draw": seed}, partial(driven_row, *rest)


if __name__ == "__main__":
    table = run(__file__, cases, ["series"])
    groups = table.groupby("series", sort=False)
    crps = groups.mean(numeric_only=True).filter(like="crps")
    print(f"\nover that of process\n{crps.div(crps['crps process'], axis=0).round(3)}")
    if "sd" in table:
        found = groups["sd"].agg(["min", "max"])
        print(f"\nstandard deviation found over the true one, least and largest\n{found.round(3)}")
