"""Processor time of a first default call with an empty cache, and the functions that it compiles.

``python benchmarks/speed/compile_times.py`` makes ``Forecaster().fit(series).predict(12)`` of three
series, each in a new process with an empty cache. It prints, and writes to
``results/compile_times.csv``, seconds of the import, of the first call and of a second one, and of
each function that is compiled, without the functions that it calls. On a machine that is not idle,
times are up to half as long again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "compile_times.csv"
LENGTHS = {"monthly": 60, "daily": 1000, "hourly": 700}


class Stopwatch:
    """Processor time of each compilation, without those that it waits for."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._running: list[list[float]] = []  # start, and time of inner ones

    def on_start(self, _event) -> None:
        self._running.append([time.process_time(), 0.0])

    def on_end(self, event) -> None:
        start, inner = self._running.pop()
        whole = time.process_time() - start
        function = event.data["dispatcher"].py_func
        own = function.__module__.startswith("gpforecast")
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}" if own else "numba"
        self.seconds[name] += whole - inner
        if self._running:
            self._running[-1][1] += whole


def first_call(kind: str) -> None:
    """Make two calls in this process, and print their times and those of what they compile."""
    start = time.process_time()
    import gpforecast as gf

    times = {"import": time.process_time() - start}
    import numpy as np
    import pandas as pd
    from numba.core import event

    timer = type("Listener", (Stopwatch, event.Listener), {})()
    event.register("numba:compile", timer)
    warnings.simplefilter("ignore")
    t, rng = np.arange(LENGTHS[kind]), np.random.default_rng(0)
    period, freq = {"monthly": (12, "MS"), "daily": (7, "D"), "hourly": (24, "h")}[kind]
    y = 50.0 + 0.01 * t + 5.0 * np.sin(2 * np.pi * t / period) + rng.standard_normal(len(t))
    series = pd.Series(y, pd.date_range("2020-01-01", periods=len(t), freq=freq))
    for call in ("first call", "second call"):
        start = time.process_time()
        gf.Forecaster().fit(series).predict(12)
        times[call] = time.process_time() - start
    print(json.dumps(times | dict(timer.seconds.most_common())))


def in_new_process(kind: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {
            "NUMBA_CACHE_DIR": empty,
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        command = [sys.executable, __file__, "--one", kind]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", choices=LENGTHS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        first_call(options.one)
        return
    import pandas as pd

    # The interpreter's own byte code is no part of a first call.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", "import gpforecast"], check=True)
    table = pd.DataFrame({f"{n} {kind}": in_new_process(kind) for kind, n in LENGTHS.items()})
    print(table.round(2).to_string(na_rep="-"))
    print(f"\nfunctions compiled: {table[3:].drop('numba').notna().sum().to_dict()}")
    table.round(3).to_csv(RESULTS, index_label="seconds of")


if __name__ == "__main__":
    main()
