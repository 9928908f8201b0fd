"""Processor time of ``Forecaster().fit(series).predict(h)``, by kind of series and length.

``python benchmarks/speed/default_call.py`` prints seconds of fit and of predict, the mean over
series of a kind. With ``--against TREE`` it measures another copy of the package too, in turn with
this one and in the same minutes, and how far the forecasts differ. What the first call of a process
compiles is not counted. Writes nothing; ``--quick`` is the shortest length.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import gpforecast as gf

KINDS = ("walk", "monthly", "hourly", "map", "smooth", "noise", "count")
LENGTHS = (50, 100, 200, 1000, 20_000)
HORIZONS = {"monthly": 18, "hourly": 48}
CHECKOUT = Path(__file__).parents[2]


def series_of(kind: str, n: int, seed: int) -> pd.Series:
    rng, t = np.random.default_rng([seed, n]), np.arange(n)
    noise, phase = rng.standard_normal(n), 2 * np.pi * t
    if kind == "monthly":
        season = 1.0 + 0.2 * np.sin(phase / 12) + 0.1 * np.cos(phase / 6)
        months = pd.period_range("1700-01", periods=n, freq="M")
        return pd.Series(1000.0 * np.exp(0.02 * np.cumsum(noise)) * season, months)
    if kind == "hourly":
        y = 100.0 + 10.0 * np.sin(phase / 24) + 4.0 * np.sin(phase / 8) + 5.0 * np.sin(phase / 168)
        hours = pd.date_range("2020-01-01", periods=n, freq="h")
        return pd.Series(y + lfilter([1.0], [1.0, -0.8], noise), hours)
    if kind == "smooth":
        return gf.datasets.mackey_glass(n, seed=seed)
    if kind == "map":
        y = np.full(n, rng.uniform(0.2, 0.8))
        for i in range(1, n):
            y[i] = 3.9 * y[i - 1] * (1.0 - y[i - 1])
        return pd.Series(y)
    y = {"walk": 50.0 + np.cumsum(noise), "noise": noise, "count": rng.poisson(3.0, n)}[kind]
    return pd.Series(y.astype(float))


def work() -> None:
    """Answer requests, one line each: a kind, a length and a seed."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        kind, n, seed = json.loads(line)
        series = series_of(kind, n, seed)
        times = [time.process_time()]
        forecaster = gf.Forecaster().fit(series)
        times.append(time.process_time())
        forecast = forecaster.predict(HORIZONS.get(kind, 14))
        times.append(time.process_time())
        values = forecast.quantile([0.025, 0.1, 0.5, 0.975]).to_numpy().ravel().tolist()
        fit, predict = np.diff(times).tolist()
        print(json.dumps({"fit": fit, "predict": predict, "values": values}), flush=True)


class Worker:
    """A process that measures one copy of the package."""

    def __init__(self, tree: Path) -> None:
        environment = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        command = [sys.executable, __file__, "--worker"]
        self.process = subprocess.Popen(command, env=environment, **pipes)

    def answer(self, kind: str, n: int, seed: int) -> dict:
        self.process.stdin.write(json.dumps([kind, n, seed]) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="50 values")
    parser.add_argument("--against", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    parser.add_argument("--draws", type=int, default=1, help="series of a kind; their mean counts")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return
    workers = {"": Worker(CHECKOUT)}
    if options.against:
        workers["before"] = Worker(options.against)
    for kind in options.kinds:
        for n in LENGTHS[:1] if options.quick else options.lengths:
            for worker in workers.values():
                worker.answer(kind, min(n, 1000), 1000)  # compiles
            draws = [
                {name: worker.answer(kind, n, seed) for name, worker in workers.items()}
                for seed in range(options.draws)
            ]
            line = f"{kind:<8}{n:>7}"
            for name in workers:
                for part in ("fit", "predict"):
                    line += f"  {part} {name} {np.mean([one[name][part] for one in draws]):.3g} s"
            if options.against:
                new, old = (np.array([one[name]["values"] for one in draws]) for name in workers)
                line += f"  difference {np.abs(new - old).max() / np.abs(old).max():.3g}"
            print(line, flush=True)
    for worker in workers.values():
        worker.process.stdin.close()


if __name__ == "__main__":
    main()
