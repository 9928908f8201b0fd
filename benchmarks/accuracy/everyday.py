"""Short series of every day: M1 and M3, monthly, quarterly and yearly, 8 to 140 values each.

gpforecast's forecasts of the last values, beside those of the seasonal naive forecast. A crc32 of
a series' name halves the sets: thresholds are set by ``--half tune``, and ``--half judge`` is not
looked at for that. Every ``--every``-th series of a half is used. ``--forecaster`` is a Python
expression in which ``gf`` is gpforecast; repeat it to compare several::

    python benchmarks/accuracy/everyday.py --every 8
    python benchmarks/accuracy/everyday.py --forecaster "gf.Forecaster(transforms=None)"

Prints for each set the mean MASE of the median, the mean CRPS over the scale of MASE, both also
relative to the seasonal naive forecast (geometric means over the sets), the coverage of 95 % and
80 % intervals, and the processor seconds of a series. The data are the folder ``m1m3`` of the one
named by the environment variable ``GPFORECAST_DATA``, or of ``../shared/data``. Give BLAS one
thread, by its environment variable.
"""

import argparse
import gzip
import os
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

FOLDER = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "m1m3"
FREQS = {"monthly": "MS", "quarterly": "QS", "yearly": "YS"}
SETS = [f"{m}_{frequency}" for m in ("m1", "m3") for frequency in FREQS]
LEVELS = np.array([0.025, 0.1, 0.5, 0.9, 0.975])


def series(name, half, every):
    """Yield season, known and future values of some series of a set."""
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt") as lines:
        rows = [line.strip().split(",") for line in lines]
    wanted = 0 if half == "tune" else 1
    rows = [row for row in rows if zlib.crc32(row[0].encode()) % 2 == wanted]
    for row in rows[::every]:
        values = np.array([float(v) for v in row[3:] if v])
        h, season = int(row[1]), int(row[2])
        index = pd.date_range("1980-01-01", periods=len(values) - h, freq=FREQS[name[3:]])
        yield season, pd.Series(values[:-h], index=index), values[-h:]


def scored(distribution, point, truth, scale):
    """Return the scores of one forecast."""
    low, low_80, _, high_80, high = distribution.quantile(LEVELS).T
    return {
        "mase": np.abs(point - truth).mean() / scale,
        "crps": np.mean(distribution.crps(truth)) / scale,
        "cover_95": np.mean((low <= truth) & (truth <= high)),
        "cover_80": np.mean((low_80 <= truth) & (truth <= high_80)),
    }


def run(name, options):
    """Return the scores of all forecasters on a set, one row a forecast."""
    rows = []
    for season, past, truth in series(name, options.half, options.every):
        y, h = past.to_numpy(), len(truth)
        steps = np.abs(y[season:] - y[:-season]) if len(y) > season else np.abs(np.diff(y))
        scale = max(float(steps.mean()), 1e-9)
        naive = y[-season:][np.arange(h) % season]
        error = np.abs(naive - truth).mean() / scale
        rows.append({"forecaster": "seasonal naive", "mase": error, "crps": error})
        for text in options.forecaster:
            start = time.process_time()
            found = eval(text, {"gf": gf}).fit(past).predict(h).distribution
            seconds = time.process_time() - start
            scores = scored(found, found.quantile(LEVELS)[:, 2], truth, scale)
            rows.append({"forecaster": text, **scores, "seconds": seconds})
    return pd.DataFrame(rows).assign(set=name)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=("tune", "judge"), default="tune")
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--forecaster", action="append", default=None)
    options = parser.parse_args()
    options.forecaster = options.forecaster or ["gf.Forecaster()"]
    warnings.simplefilter("ignore")
    rows = pd.concat([run(name, options) for name in SETS])
    table = rows.groupby(["forecaster", "set"], sort=False).mean()
    print(table.round(3).to_string())
    naive = table.loc["seasonal naive", ["mase", "crps"]]
    for text in options.forecaster:
        relative = np.exp(np.log(table.loc[text, ["mase", "crps"]] / naive).mean())
        print(f"{text}: relative to the seasonal naive forecast {relative.round(3).to_dict()}")


if __name__ == "__main__":
    main()
