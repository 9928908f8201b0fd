"""Folded attractors: where one Gaussian is wrong within a few steps, by every propagation method.

The Henon and the logistic map, each with a little measurement noise: a Gaussian process learns 200
values and forecasts 40 steps from 20 later origins. Santa Fe laser A: 1000 values, the next 100,
from nine starting points, with 24 lags. Scores are averages over steps and
origins: CRPS in standard deviations of the maps' values, or in units of the laser's intensity; the
negative log density (NLPD) is of each distribution itself, for paths of a Gaussian with their
moments.

Run it from the project's root: ``python benchmarks/accuracy/folded.py``; ``study.py`` has its
options.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd
from study import DATA, Case, Row, run

import gpforecast as gf
from gpforecast.propagation import GaussianMixture, MonteCarlo
from gpforecast.propagation.base import Propagation

SCORES = ["crps", "nlpd", "cover95", "cpu_s"]
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


def scored(
    fc: gf.Forecaster, y: np.ndarray, origins: np.ndarray, h: int, unit: float, steps: slice,
    n_paths: int,
) -> list[Row]:  # fmt: skip
    """Score the forecasts of every method from some origins of a series."""
    truth = y[origins[:, None] + np.arange(h)]
    rows = []
    for name, method in methods(n_paths).items():
        begun = time.process_time()
        found = fc.predict_from(y, origins, h, propagation=method, n_jobs=1)
        seconds = time.process_time() - begun
        low, high = np.moveaxis(found.quantile([0.025, 0.975]), -1, 0)
        values = (
            found.crps(truth)[:, steps].mean() / unit,
            found.nlpd(truth)[:, steps].mean() + np.log(1.0 / unit),
            ((truth >= low) & (truth <= high))[:, steps].mean(),
            seconds / len(origins),
        )
        rows.append({"method": name} | dict(zip(SCORES, map(float, values), strict=True)))
    return rows


def of_map(
    make: Callable[[int], np.ndarray], lags: list[int], noise: float, n_paths: int
) -> list[Row]:
    x = make(N_MAP + 7 * ORIGINS + H_MAP)
    y = x + np.sqrt(noise) * x.std() * np.random.default_rng(1).standard_normal(len(x))
    fc = gf.Forecaster(lags, transforms=None).fit(y[:N_MAP])
    origins = N_MAP + 7 * np.arange(ORIGINS)
    return scored(fc, y, origins, H_MAP, float(x.std()), slice(4, 40), n_paths)


def of_laser(start: int, n_paths: int) -> list[Row]:
    y = pd.read_csv(DATA / "laser" / "santafe_A_10093.csv")["intensity"].to_numpy(float)
    part = y[start : start + N_LASER + H_LASER]
    fc = gf.Forecaster(LASER_LAGS).fit(part[:N_LASER])
    return scored(fc, part, np.array([N_LASER]), H_LASER, 1.0, slice(0, 100), n_paths)


def cases(quick: bool) -> Iterator[Case]:
    n_paths = 200 if quick else 1000
    for name, make, lags in (("henon", henon, [1, 2]), ("logistic", logistic, [1])):
        for noise in (1e-6, 1e-4, 1e-2):
            yield {"case": f"{name} {noise:g}"}, partial(of_map, make, lags, noise, n_paths)
    for start in range(0, 1000 * (2 if quick else 9), 1000):
        yield {"case": f"laser {start}"}, partial(of_laser, start, n_paths // 2)


if __name__ == "__main__":
    table = run(__file__, cases, ["case", "method"])
    table["what"] = table["case"].str.replace(r"laser \d+", "laser", regex=True)
    print(table.groupby(["what", "method"], sort=False)[SCORES].mean().round(4).to_string())
