"""A handful of values: forecasts of three to seven, from the starts of many series.

The first values of series of M1 and M3 (yearly, quarterly, monthly), and of simulated walks, noise
and autoregressions, are forecast six steps ahead. CRPS is in units of the mean absolute step of the
whole series, coverage that of 95 and 80 % intervals, and the width that of the last 95 % interval,
in units of the range of the values known. ``--half find`` has the series that the rules were found
on, ``judge``, the default, others. ``--forecaster`` is a Python expression in which ``gf`` is
gpforecast.

Writes the table as CSV beside this script. Run it from the project's root, with one BLAS thread:
``python benchmarks/accuracy/few_values.py``.
"""

import argparse
import gzip
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "m1m3"
EVERY = {"yearly": 8, "quarterly": 14, "monthly": 40}
SIZES, HORIZON, LENGTH = (3, 4, 5, 6, 7), 6, 20
LEVELS = np.arange(1, 40) / 40


def series(half: str) -> dict[str, np.ndarray]:
    """Return the series of a half, by name."""
    found = {}
    for path in sorted(DATA.glob("m?_*.csv.gz")):
        every = EVERY[path.name.split("_")[1].split(".")[0]]
        with gzip.open(path, "rt") as file:
            rows = [line.strip().split(",") for line in file]
        rows = [row for row in rows if row[1].isdigit()]
        for name, _, _, *cells in rows[0 if half == "find" else every // 2 :: every]:
            found[name] = np.array([float(cell) for cell in cells if cell])
    rng = np.random.default_rng(1 if half == "find" else 2)
    for k in range(12):
        noise = rng.standard_normal((3, LENGTH))
        found[f"walk {k}"], found[f"noise {k}"] = 100.0 + noise[0].cumsum(), 100.0 + noise[1]
        z = noise[2].copy()
        for t in range(1, LENGTH):
            z[t] += 0.6 * z[t - 1]
        found[f"autoregression {k}"] = z
    return found


def scored(y: np.ndarray, n: int, forecaster: gf.Forecaster) -> dict[str, float]:
    """Return the scores of one forecast."""
    f = forecaster.fit(y[:n]).predict(HORIZON)
    truth, q = y[n : n + HORIZON], f.quantile(LEVELS.tolist()).to_numpy()
    error = truth[:, None] - q
    pinball = 2.0 * np.maximum(LEVELS * error, (LEVELS - 1.0) * error)
    return {
        "crps": pinball.mean() / np.abs(np.diff(y)).mean(),
        "cover_95": np.mean((q[:, 0] <= truth) & (truth <= q[:, -1])),
        "cover_80": np.mean((q[:, 3] <= truth) & (truth <= q[:, -4])),
        "width": (q[-1, -1] - q[-1, 0]) / np.ptp(y[:n]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("find", "judge"), default="judge")
    parser.add_argument("--forecaster", default="gf.Forecaster()")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for n in SIZES:
        known = [
            y for y in series(options.half).values() if len(y) >= n + HORIZON and np.ptp(y[:n]) > 0
        ]
        found = pd.DataFrame([scored(y, n, eval(options.forecaster)) for y in known])
        middle = found["width"].median()
        row = {"values": n, "series": len(found), "crps": found["crps"].mean()}
        row |= {"crps_median": found["crps"].median(), **found[["cover_95", "cover_80"]].mean()}
        row |= {"width_median": middle, "width_worst": found["width"].max()}
        rows.append(row)
        print(" ".join(f"{key} {value:.4g}" for key, value in row.items()), flush=True)
    pd.DataFrame(rows).to_csv(options.output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
