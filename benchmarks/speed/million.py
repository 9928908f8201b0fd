"""The default call on up to a million values: time, memory, and the error of what follows.

``Forecaster().fit(y).predict(100)`` on hourly values with a day, a week, a year and noise that is
autoregressive; on the Mackey-Glass series with noise; on a random walk; and on an autoregression
with a spike in each hundred values. Then the fitted model forecasts 100 steps from 20 origins in
the 2000 values that follow, by `predict_from`. The claims: a million values take less than two
minutes of one core and less than 630 MB in all, and time and memory grow more slowly than the
series.

Each case runs in a process of its own. Seconds are processor time, megabytes the peak of the
process; compiled functions come from the cache of a short fit before. Prints a table and writes it
as CSV in `results`. Run it from the project's root: ``python benchmarks/speed/million.py``;
``--sizes 20000`` is a small version.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import gpforecast as gf

HORIZON, N_ORIGINS, N_TEST = 100, 20, 2000
KINDS = ("hours", "mackey_glass", "walk", "spikes")


def series(kind: str, n: int) -> pd.Series:
    """Return n values of a kind."""
    rng, t = np.random.default_rng(0), np.arange(n)
    if kind == "mackey_glass":
        y = gf.datasets.mackey_glass(n, normalise=True, noise_var=0.01, seed=0)
        return y.reset_index(drop=True)
    noise = rng.standard_normal(n)
    if kind == "walk":
        return pd.Series(np.cumsum(noise))
    wave = lfilter([1.0], [1.0, -0.8], noise)
    if kind == "spikes":
        return pd.Series(wave + 20.0 * (rng.uniform(size=n) < 0.01))
    day, week, year = (np.sin(2 * np.pi * t / steps) for steps in (24, 168, 8766))
    index = pd.date_range("1900-01-01", periods=n, freq="h")
    return pd.Series(10.0 + 3.0 * day + week + 4.0 * year + 0.5 * wave, index=index)


def measure(kind: str, n: int) -> dict[str, float | str | int]:
    """Fit n values and forecast; score forecasts of those that follow."""
    y = series(kind, n + N_TEST)
    past = y.iloc[:n]
    warnings.simplefilter("ignore", gf.NumericalWarning)
    gf.Forecaster().fit(y.iloc[:1200]).predict(2)  # compiled functions are loaded
    before, start = peak(), time.process_time()
    fc = gf.Forecaster().fit(past)
    fitted = time.process_time()
    fc.predict(HORIZON)
    end, most = time.process_time(), peak()
    origins = np.linspace(n, n + N_TEST - HORIZON, N_ORIGINS).astype(int)
    joint = fc.predict_from(y, origins, HORIZON, n_jobs=1)
    truth = y.to_numpy()[origins[:, None] + np.arange(HORIZON)]
    return {
        "series": kind,
        "values": n,
        "fit s": fitted - start,
        "predict s": end - fitted,
        "peak MB": most,
        "MB before": before,
        "CRPS": float(joint.crps(truth).mean()),
        "model": type(fc.model_).__name__,
    }


def peak() -> float:
    """Return the largest memory that this process has held, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=int, default=[20_000, 100_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--output", type=Path, help="CSV file (default in results)")
    parser.add_argument("--one", action="store_true", help="one case, as a line of CSV")
    options = parser.parse_args()
    if options.one:
        row = measure(options.kinds[0], options.sizes[0])
        print(pd.DataFrame([row]).to_csv(index=False, float_format="%.6g"))
        return
    usual = Path(__file__).parent / "results" / "million.csv"
    output, lines = options.output or usual, []
    for kind in options.kinds:
        for n in options.sizes:
            call = [sys.executable, __file__, "--one", "--kinds", kind, "--sizes", str(n)]
            run = subprocess.run(call, capture_output=True, text=True, check=True)
            head, line = run.stdout.strip().splitlines()[-2:]
            print(line if lines else f"{head}\n{line}", flush=True)
            lines.append(line)
            output.write_text("\n".join([head, *lines]) + "\n")


if __name__ == "__main__":
    main()
