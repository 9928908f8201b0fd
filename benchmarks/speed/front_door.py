"""Wall-clock time of the main calls: import, data, fit, forecast, backtest.

Prints a table of medians and writes it as CSV with ``--output FILE``. Run it on an idle machine:
``python benchmarks/speed/front_door.py``.
"""

import argparse
import subprocess
import sys
import time

import numpy as np
import pandas as pd

import gpforecast as gf


def median_time(action, runs=5) -> float:
    action()  # compiles, warms caches
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def import_time(runs=3) -> float:
    code = "import time; t = time.perf_counter(); import gpforecast; print(time.perf_counter() - t)"
    command = [sys.executable, "-c", code]
    return float(np.median([float(subprocess.check_output(command)) for _ in range(runs)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", help="write the table to this CSV file")
    options = parser.parse_args()
    series = gf.datasets.mackey_glass(12_000, normalise=True, noise_var=1e-3, seed=0)
    gp = gf.models.GaussianProcess()
    paper = gf.Forecaster(lags=16, model=gp, max_rows=100).fit(series[:8000])
    small = gf.Forecaster(lags=16).fit(series[:300])
    seconds = {
        "import gpforecast": import_time(),
        "mackey_glass(10_000)": median_time(lambda: gf.datasets.mackey_glass(10_000)),
        "fit, 284 rows, 16 lags": median_time(
            lambda: gf.Forecaster(lags=16).fit(series[:300]), runs=3
        ),
        "predict 100 steps, 284 rows": median_time(lambda: small.predict(100)),
        "backtest 200 x 100 steps, 100 rows, exact": median_time(
            lambda: gf.backtest(paper, series, 100, 200), runs=3
        ),
        "the same in one thread": median_time(
            lambda: gf.backtest(paper, series, 100, 200, n_jobs=1), runs=3
        ),
    }
    table = pd.Series(seconds, name="seconds").rename_axis("what")
    print(table.round(3).to_string())
    if options.output:
        table.to_csv(options.output)


if __name__ == "__main__":
    main()
