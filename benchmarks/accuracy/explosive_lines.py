"""Straight lines beside the curve of the default model: which make iterated forecasts explode.

The default model of many differences is a curve of basis functions with a straight line beside it.
Far from its rows only the line is left, and iterating it is a linear autoregression. Its growth is
the largest root of that, per step, here by the eigenvalues of its companion matrix.

- ``M4``: growth in weekly and hourly series, one of every ``--every``.
- ``rooms``: simulated temperatures of rooms with a thermostat, every ten minutes, with gaps, of
  which differences are learned. The model of the first half forecasts a day from 12 origins of the
  second, in which one stretch is unusual: mean absolute error of the mean, its largest error, and
  CRPS, by the default, by the curve with its line, by the curve alone and by a linear
  autoregression, for all rooms whose line explodes and for some others.

Writes the rooms as CSV beside this script. Run it from the project's root, with one BLAS thread:
``python benchmarks/accuracy/explosive_lines.py``.
"""

import argparse
import gzip
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.covariances import Constant, Linear, SquaredExponential
from gpforecast.propagation.base import predictive_of
from gpforecast.transforms import Difference, SeasonalDifference

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "m4"
KINDS = {"Weekly": ("1980-01-06", "W"), "Hourly": ("2020-01-01", "h")}
DAY, HALF, FAR = 144, 1512, 1e6
EXPLODES = 1.002  # the threshold of the default
LEVELS = np.arange(1, 20) / 20


def growth(fc: gf.Forecaster) -> float:
    """Return the largest root of what a fitted forecaster does far from its rows."""
    at = np.full((len(fc.lags_) + 1, fc.fitted_.rows.X.shape[1]), FAR)
    at[1:, : len(fc.lags_)] += FAR * np.eye(len(fc.lags_))
    f = predictive_of(fc.model_).predict(at).mean
    companion = np.eye(max(fc.lags_), k=-1)
    companion[0, np.array(fc.lags_) - 1] = (f[1:] - f[0]) / FAR
    return float(np.abs(np.linalg.eigvals(companion)).max())


def m4(every: int) -> pd.Series:
    """Return the growth of each series of a part of M4 whose model has a line."""
    found = {}
    for kind, (first, freq) in KINDS.items():
        with gzip.open(DATA / f"{kind}-train.csv.gz", "rt") as file:
            rows = [line.strip().replace('"', "").split(",") for line in file]
        for name, *cells in [row for row in rows if row[0] != "V1"][::every]:
            y = np.array([float(cell) for cell in cells if cell not in ("", "NA")])
            index = pd.date_range(first, periods=len(y), freq=freq)
            fc = gf.Forecaster().fit(pd.Series(y, index))
            covariance = getattr(fc.model_, "covariance", None)
            if any(isinstance(term, Linear) for term in getattr(covariance, "terms", ())):
                found[name] = growth(fc)
    return pd.Series(found)


def room(seed: int, n: int = 2 * HALF) -> pd.Series:
    """Return temperatures of a room that is heated by day, with gaps and one unusual stretch."""
    rng = np.random.default_rng(seed)
    index = pd.date_range("2025-01-06", periods=n, freq="10min")
    hour, weekday = np.arange(n) / 6 % 24, index.day_of_week < 5
    outside = 2 + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + np.cumsum(rng.normal(0, 0.05, n))
    by_day = np.where((hour >= 8) & (hour < 23), 20.5, 17.0)
    wanted = np.where((hour >= 6) & (hour < 22) & weekday, 21.0, by_day)
    y, power = np.full(n, 18.0), 0.0
    for t in range(1, n):
        y[t] = y[t - 1] + (outside[t - 1] - y[t - 1]) / 240 + 0.06 * power
        y[t] += rng.normal(0, 0.02)
        power = np.clip(1.2 * (wanted[t] - y[t]), 0, 3)
    y = (y + rng.normal(0, 0.05, n)).round(2)
    y[HALF + 988 : HALF + 1012] -= 1.5
    y[800:830] = y[[1500]] = y[2000:2006] = np.nan
    return pd.Series(y, index)


def scored(fc: gf.Forecaster, y: pd.Series) -> tuple[float, float, float]:
    """Return the mean and the largest error of the means, and the CRPS."""
    fc.fit(y[:HALF])
    origins = np.linspace(HALF, len(y) - DAY, 12).astype(int)
    truth = np.array([y.to_numpy()[k : k + DAY] for k in origins])
    f = fc.predict_from(y, origins, DAY)
    error = truth[..., None] - f.quantile(LEVELS)
    crps = 2.0 * np.maximum(LEVELS * error, (LEVELS - 1.0) * error)
    off = np.abs(f.mean - truth)
    return float(np.nanmean(off)), float(np.nanmax(off)), float(np.nanmean(crps))


def rooms(n: int, others: int) -> pd.DataFrame:
    """Return the scores of rooms whose line explodes, and of the first of the others."""
    sparse = {"approximation": "fitc", "n_inducing": 200, "inducing": "random"}
    sparse |= {"optimise_inducing": False, "n_search": 4000}
    beside = SquaredExponential() + Linear() + Constant()
    ways = {
        "default": None,
        "with line": gf.models.SparseGaussianProcess(beside, **sparse),
        "curve alone": gf.models.SparseGaussianProcess(**sparse),
        "linear": gf.models.LinearAR(),
    }
    rows = []
    for seed in range(n):
        y = room(seed)
        fc = gf.Forecaster(model=ways["with line"], combine=None).fit(y[:HALF])
        differenced = isinstance(fc.transforms_.steps[0], SeasonalDifference | Difference)
        explodes = growth(fc) > EXPLODES
        others -= differenced and not explodes
        if not differenced or (not explodes and others < 0):
            continue
        for way, model in ways.items():
            mae, largest, crps = scored(gf.Forecaster(model=model, combine=None), y)
            row = {"room": seed, "growth": growth(fc), "model": way, "mae": mae}
            rows.append({**row, "largest": largest, "crps": crps})
            print(" ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--rooms", type=int, default=90)
    parser.add_argument("--others", type=int, default=8)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    scores = rooms(options.rooms, options.others)
    scores.to_csv(options.output, index=False, float_format="%.4g")
    scores["explodes"] = scores["growth"] > EXPLODES
    print(scores.groupby(["explodes", "model"])[["mae", "largest", "crps"]].mean().to_string())
    found = m4(options.every)
    print(f"M4: growth of {len(found)} lines, the largest:")
    print(found.sort_values().tail(5).to_string())


if __name__ == "__main__":
    main()
