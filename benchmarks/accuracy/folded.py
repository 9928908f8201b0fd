"""Folded attractors: where one Gaussian is wrong within a few steps, by every propagation method.

The Henon and the logistic map, each with a little measurement noise: a Gaussian process learns 200
values and forecasts 40 steps from 20 later origins. Santa Fe laser A: 1000 values, the next 100,
from nine starting points (`laser.py` selects the 24 lags). Scores are averages over steps and
origins: CRPS in standard deviations of the maps' values, or in units of the laser's intensity; the
negative log density (NLPD) is of each distribution itself, for paths of a Gaussian with their
moments.

With ``--chaos`` it sets the thresholds of `gpforecast.propagation.curvature`: on four origins of
each chaotic system it compares exact moments with paths, and prints how many of the forecasts that
are 1.3 times worse have a note, and how many notes are on others; systems in even places set the
thresholds, those in odd places judge them.

Writes a CSV beside the script. Run it from the project's root, with the data's folder in
GPFORECAST_DATA: ``python benchmarks/accuracy/folded.py``; ``--quick`` takes fewer paths and two
starting points of the laser.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.propagation import GaussianMixture, MonteCarlo
from gpforecast.propagation.base import Propagation

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
STEPS = {"henon": slice(4, 40), "logistic": slice(4, 40), "laser": slice(0, 100)}
N_MAP, ORIGINS, H_MAP = 200, 20, 40
N_LASER, H_LASER, LASER_LAGS = 1000, 100, 24


def henon(n: int) -> np.ndarray:
    x = np.zeros(n + 100)
    x[:2] = np.random.default_rng(0).uniform(-0.1, 0.1, 2)
    for t in range(2, len(x)):
        x[t] = 1.0 - 1.4 * x[t - 1] ** 2 + 0.3 * x[t - 2]
    return x[100:]


def logistic(n: int) -> np.ndarray:
    x = np.zeros(n + 100)
    x[0] = np.random.default_rng(0).uniform(0.1, 0.9)
    for t in range(1, len(x)):
        x[t] = 3.9 * x[t - 1] * (1.0 - x[t - 1])
    return x[100:]


def methods(n_paths: int) -> dict[str, Propagation]:
    return {
        "exact": gf.propagation.ExactMoments(),
        "monte carlo, step": MonteCarlo(n_paths, seed=0),
        "monte carlo, function": MonteCarlo(n_paths, kind="function", seed=0),
        "mixture, 16": GaussianMixture(16),
        "mixture, 32": GaussianMixture(32),
        "auto": gf.propagation.Automatic(),
    }


def scored(case: str, fc: gf.Forecaster, y: np.ndarray, origins: np.ndarray, h: int, unit: float,
           n_paths: int) -> list[dict[str, object]]:  # fmt: skip
    """Score the forecasts of every method from some origins of a series."""
    truth = y[origins[:, None] + np.arange(h)]
    rows = []
    for name, method in methods(n_paths).items():
        begun = time.process_time()
        found = fc.predict_from(y, origins, h, propagation=method, n_jobs=1)
        seconds = time.process_time() - begun
        low, high = np.moveaxis(found.quantile([0.025, 0.975]), -1, 0)
        steps = STEPS[case.split()[0]]
        rows.append(
            {
                "case": case,
                "method": name,
                "crps": found.crps(truth)[:, steps].mean() / unit,
                "nlpd": found.nlpd(truth)[:, steps].mean() + np.log(1.0 / unit),
                "cover95": ((truth >= low) & (truth <= high))[:, steps].mean(),
                "cpu_s": seconds / len(origins),
            }
        )
    return rows


def maps(n_paths: int) -> list[dict[str, object]]:
    rows = []
    for name, make, lags in (("henon", henon, [1, 2]), ("logistic", logistic, [1])):
        for noise in (1e-6, 1e-4, 1e-2):
            x = make(N_MAP + 7 * ORIGINS + H_MAP)
            y = x + np.sqrt(noise) * x.std() * np.random.default_rng(1).standard_normal(len(x))
            fc = gf.Forecaster(lags, transforms=None).fit(y[:N_MAP])
            origins = N_MAP + 7 * np.arange(ORIGINS)
            case = f"{name} {noise:g}"
            rows += scored(case, fc, y, origins, H_MAP, float(x.std()), n_paths)
    return rows


def laser(n_paths: int, n_starts: int) -> list[dict[str, object]]:
    y = pd.read_csv(DATA / "laser" / "santafe_A_10093.csv")["intensity"].to_numpy(float)
    rows = []
    for start in range(0, 1000 * n_starts, 1000):
        part = y[start : start + N_LASER + H_LASER]
        fc = gf.Forecaster(LASER_LAGS).fit(part[:N_LASER])
        origin = np.array([N_LASER])
        rows += scored(f"laser {start}", fc, part, origin, H_LASER, 1.0, n_paths)
    return rows


def noted(points: int, n: int, h: int, step: int) -> list[dict[str, object]]:
    """Forecast each chaotic system from four origins by exact moments and by paths."""
    train, test = (
        pd.read_csv(DATA / "dysts" / f"{part}_pts{points}.csv.gz") for part in ("train", "test")
    )
    rows = []
    for place, name in enumerate(train.columns):
        y = test[name].to_numpy()
        choice = gf.lags.choose_lags(train[name].to_numpy())
        fc = gf.Forecaster(list(choice.lags), model=choice.model, max_rows=None).fit(y[:n])
        for origin in range(n, len(y) - h + 1, step):
            if origin > n:
                fc.update(y[origin - step : origin])
            exact, paths = (
                fc.predict(h, propagation=m) for m in ("exact", MonteCarlo(200, seed=0))
            )
            truth = y[origin : origin + h]
            rows.append(
                {
                    "points": points,
                    "system": name,
                    "set": "even" if place % 2 == 0 else "odd",
                    "ratio": exact.score(truth)["crps"] / paths.score(truth)["crps"],
                    "noted": any("no bell curve" in note for note in exact.notes),
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer paths, two laser forecasts")
    parser.add_argument("--chaos", action="store_true", help="how notes agree with scores")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gf.NumericalWarning)
    shown = {"float_format": lambda x: f"{x:.3g}"}
    if options.chaos:
        table = pd.DataFrame(noted(15, 120, 30, 10) + noted(100, 800, 200, 66))
        table["worse"] = table["ratio"] > 1.3
        for half, rows in table.groupby("set"):
            print(f"\n{half} places")
            print(pd.crosstab(rows["worse"], rows["noted"]))
            print(np.exp(np.log(rows["ratio"]).groupby(rows["noted"]).mean()).round(3))
        return
    n_paths = 200 if options.quick else 1000
    table = pd.DataFrame(maps(n_paths) + laser(n_paths // 2, 2 if options.quick else 9))
    order = table["method"].unique()
    table["what"] = table["case"].where(~table["case"].str.startswith("laser"), "laser")
    for score in ("crps", "nlpd", "cover95", "cpu_s"):
        print(f"\n{score}")
        print(table.pivot_table(values=score, index="what", columns="method", sort=False)[order]
              .to_string(**shown))  # fmt: skip
    print("\nlaser, median CRPS and NLPD over starting points")
    of_laser = table[table["what"] == "laser"].groupby("method", sort=False)
    print(of_laser[["crps", "nlpd"]].median().to_string(**shown))
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        table.drop(columns="what").to_csv(output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
