"""Processor time of ``Forecaster().fit(series).predict(h)``, by kind of series and length.

``python benchmarks/speed/default_call.py`` prints seconds of fit and of predict. With ``--against
TREE`` it measures another copy of the package too, in turn with this one and in the same minutes,
and how far the forecasts differ. What the first call of a process compiles is not counted.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

KINDS = ("walk", "monthly", "hourly", "map", "smooth", "noise", "count")
LENGTHS = (50, 100, 200, 1000, 20_000)
HORIZONS = {"monthly": 18, "hourly": 48}
CHECKOUT = Path(__file__).parents[2]


def series_of(kind: str, n: int, seed: int = 0) -> pd.Series:
    rng, t = np.random.default_rng([seed, n]), np.arange(n)
    noise, index = rng.standard_normal(n), pd.RangeIndex(n)
    if kind == "walk":
        y = 50.0 + np.cumsum(noise)
    elif kind == "monthly":
        season = 1.0 + 0.2 * np.sin(2 * np.pi * t / 12) + 0.1 * np.cos(4 * np.pi * t / 12)
        y = 1000.0 * np.exp(0.02 * np.cumsum(noise)) * season
        index = pd.period_range("1700-01", periods=n, freq="M")
    elif kind == "hourly":
        day, week = np.sin(2 * np.pi * t / 24), np.sin(2 * np.pi * t / 168)
        short = np.zeros(n)
        for i in range(1, n):
            short[i] = 0.8 * short[i - 1] + noise[i]
        y = 100.0 + 10.0 * day + 4.0 * np.sin(6 * np.pi * t / 24) + 5.0 * week + short
        index = pd.date_range("2020-01-01", periods=n, freq="h")
    elif kind == "map":
        y = np.empty(n)
        y[0] = rng.uniform(0.2, 0.8)
        for i in range(1, n):
            y[i] = 3.9 * y[i - 1] * (1.0 - y[i - 1])
    elif kind == "smooth":
        import gpforecast as gf

        return gf.datasets.mackey_glass(n, seed=seed)
    elif kind == "noise":
        y = noise
    elif kind == "count":
        y = rng.poisson(3.0, n).astype(float)
    else:
        raise ValueError(kind)
    return pd.Series(y, index=index)


def work() -> None:
    """Answer requests, one line each: a kind, a length and a seed."""
    import warnings

    import gpforecast as gf

    warnings.simplefilter("ignore")
    for line in sys.stdin:
        kind, n, seed = json.loads(line)
        series = series_of(kind, n, seed)
        times = [time.process_time()]
        forecaster = gf.Forecaster().fit(series)
        times.append(time.process_time())
        forecast = forecaster.predict(HORIZONS.get(kind, 14))
        times.append(time.process_time())
        values = np.concatenate([np.ravel(forecast.quantile(p)) for p in (0.025, 0.1, 0.5, 0.975)])
        answer = {"fit": times[1] - times[0], "predict": times[2] - times[1]}
        print(json.dumps(answer | {"values": values.tolist()}), flush=True)


def worker_of(tree: Path) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--worker"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)


def answer(worker: subprocess.Popen, kind: str, n: int, seed: int) -> dict:
    worker.stdin.write(json.dumps([kind, n, seed]) + "\n")
    worker.stdin.flush()
    return json.loads(worker.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, help="another checkout, measured in turn")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS)
    parser.add_argument("--lengths", nargs="+", type=int, default=LENGTHS)
    parser.add_argument("--draws", type=int, default=1, help="series of a kind; their mean counts")
    parser.add_argument("--output", help="write the table to this CSV file")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work()
        return
    trees = {"": CHECKOUT} | ({"before": options.against} if options.against else {})
    workers = {name: worker_of(tree) for name, tree in trees.items()}
    rows = []
    for kind in options.kinds:
        for n in options.lengths:
            row = {"series": kind, "values": n}
            for worker in workers.values():
                answer(worker, kind, min(n, 1000), 1000)  # compiles
            for seed in range(options.draws):
                found = {name: answer(worker, kind, n, seed) for name, worker in workers.items()}
                for name, one in found.items():
                    for part in ("fit", "predict"):
                        key = f"{part} {name}".strip()
                        row[key] = row.get(key, 0.0) + one[part] / options.draws
                if options.against:
                    new, old = (np.array(one["values"]) for one in found.values())
                    off = float(np.abs(new - old).max() / np.abs(old).max())
                    row["difference"] = max(row.get("difference", 0.0), off)
            rows.append(row)
            print(
                " ".join(f"{k} {v:.3g}" if k != "series" else v for k, v in row.items()), flush=True
            )
    table = pd.DataFrame(rows).set_index(["series", "values"])
    print(table.to_string(float_format="{:.3g}".format))
    if options.output:
        table.round(4).to_csv(options.output)
    for worker in workers.values():
        worker.stdin.close()


if __name__ == "__main__":
    main()
