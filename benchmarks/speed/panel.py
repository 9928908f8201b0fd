"""The cost of a panel: minutes for many series, memory of each process, and equal results.

Every series has 200 values: a season of 12, a slow random walk and noise, with its own scale. The
horizon is 24, and the forecaster is the default one. Each run is a separate process, so that its
peak memory (resident, of the parent and the largest worker) is its own. With ``--dask`` the same
call runs on a local cluster of two workers, and its results must equal those of the first run.
``--profile`` prints instead where one fit and forecast spend their time.

Run it from the project's root: ``python benchmarks/speed/panel.py --series 200 1000 --dask``.
Give BLAS and numba one thread each, by their environment variables.
"""

import argparse
import cProfile
import json
import os
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

import gpforecast as gf

POINTS, HORIZON = 200, 24


def table(n_series: int) -> pd.DataFrame:
    """Return the first n series of one fixed sequence, in the long format."""
    t = np.arange(POINTS)
    parts = []
    for i in range(n_series):
        rng = np.random.default_rng(i)
        season = rng.uniform(0.5, 3.0) * np.sin(2 * np.pi * t / 12 + rng.uniform(0, 6))
        wander = np.cumsum(rng.normal(scale=0.2, size=POINTS))
        y = 10 ** rng.uniform(-2, 4) * (10 + season + wander + 0.5 * rng.normal(size=POINTS))
        parts.append(pd.DataFrame({"unique_id": f"s{i}", "ds": t, "y": y}))
    return pd.concat(parts, ignore_index=True)


def run(options) -> dict:
    """Forecast one panel in this process; return its time and memory."""
    data = table(options.series[0])
    with ExitStack() as stack:
        if options.backend == "dask":
            from distributed import Client, LocalCluster

            cluster = LocalCluster(
                n_workers=options.jobs, threads_per_worker=1, dashboard_address=None
            )
            client = stack.enter_context(Client(stack.enter_context(cluster)))
            client.wait_for_workers(options.jobs)
            stack.enter_context(joblib.parallel_config("dask"))
        else:
            stack.enter_context(joblib.parallel_config(options.backend, n_jobs=options.jobs))
        start, start_cpu = time.perf_counter(), _processor()
        result = gf.forecast_panel(data, HORIZON, mode=options.mode, progress=False)
        clock = time.perf_counter() - start
        workers = client.run(_peak) if options.backend == "dask" else {}
    if options.keep:
        result.frame.to_pickle(options.keep)
    from joblib.externals.loky import get_reusable_executor

    if options.backend == "loky":
        get_reusable_executor().shutdown(wait=True)  # so that its children count
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return {
        "series": options.series[0],
        "backend": options.backend,
        "mode": options.mode,
        "minutes": clock / 60,
        "cpu_minutes": (_processor() - start_cpu) / 60,
        "parent_mb": _peak(),
        "worker_mb": max([children, *workers.values()]),
        "failures": len(result.failures),
    }


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _processor() -> float:
    own, children = os.times(), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.user + own.system + children.ru_utime + children.ru_stime


def profile() -> None:
    """Print where fit and predict of one series spend their time, compilation apart."""
    y = table(3)
    series = [part["y"].to_numpy() for _, part in y.groupby("unique_id")]
    gf.Forecaster().fit(series[0]).predict(HORIZON).to_frame()
    watch = cProfile.Profile()
    start = time.process_time()
    watch.enable()
    for one in series[1:]:
        fc = gf.Forecaster().fit(one)
        fc.predict(HORIZON).to_frame()
    watch.disable()
    print(f"{(time.process_time() - start) / 2:.3f} s a series, watched; {len(fc.lags_)} lags")
    pstats.Stats(watch).sort_stats("cumulative").print_stats("gpforecast|statsmodels", 30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--backend", choices=["loky", "threading", "dask"], default="loky")
    parser.add_argument("--mode", choices=["local", "global"], default="local")
    parser.add_argument("--dask", action="store_true", help="compare with a Dask cluster")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--keep", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.profile:
        profile()
        return
    if options.inner:
        print(json.dumps(run(options)))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows, kept = [], {}
        runs = [(n, options.backend) for n in options.series]
        runs += [(options.series[0], "dask")] * options.dask
        for n, backend in runs:
            kept[n, backend] = Path(folder) / f"{n}-{backend}.pkl"
            command = [sys.executable, __file__, "--inner", "--series", str(n)]
            command += ["--backend", backend, "--jobs", str(options.jobs), "--mode", options.mode]
            answer = subprocess.check_output([*command, "--keep", kept[n, backend]], text=True)
            rows.append(json.loads(answer.splitlines()[-1]))
            print(pd.DataFrame(rows[-1:]).round(2).to_string(index=False, header=len(rows) == 1))
        if options.dask:
            frames = [pd.read_pickle(kept[options.series[0], b]) for b in (options.backend, "dask")]
            print(f"identical on the Dask cluster: {frames[0].equals(frames[1])}")


if __name__ == "__main__":
    main()
