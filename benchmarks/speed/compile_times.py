"""Processor time of a first default call with no cache, the import included, and what compiles.

``python benchmarks/speed/compile_times.py`` prints a row a series: seconds of the import, of
``Forecaster().fit(series).predict(24)``, and of the whole process with all that it reads, each in a
new process with an empty cache. Then, for the first series, seconds by compiled function, without
the functions that it calls, and by module. On a machine that is not idle, times are up to half as
long again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

import pandas as pd

SERIES = ("elnino", "co2", "macrodata", "nile")
HORIZON = 24


class Stopwatch:
    """Processor time of each compilation, without those that it waits for."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.times: Counter[str] = Counter()
        self._running: list[list[float]] = []  # start, and time of inner ones

    def on_start(self, _event) -> None:
        self._running.append([time.process_time(), 0.0])

    def on_end(self, event) -> None:
        start, inner = self._running.pop()
        whole = time.process_time() - start
        function = event.data["dispatcher"].py_func
        ours = function.__module__.startswith("gpforecast")
        module = function.__module__.rsplit(".", 1)[-1] if ours else "numba"
        key = f"{module}.{function.__qualname__.split('.')[0]}"
        self.seconds[key] += whole - inner
        self.times[key] += 1
        if self._running:
            self._running[-1][1] += whole


def first_call(name: str, functions: bool) -> dict:
    """Make the call in this process, and return its times; `functions` are timed too."""
    import resource
    import warnings

    watch = Stopwatch()
    start = time.process_time()
    import gpforecast as gf

    imported = time.process_time()
    if functions:
        from numba.core import event

        listener = type("Listener", (Stopwatch, event.Listener), {})  # numba is imported by now
        watch = listener()
        event.register("numba:compile", watch)
    warnings.simplefilter("ignore")
    series = getattr(gf.datasets, f"load_{name}")()
    loaded = time.process_time()
    gf.Forecaster().fit(series).predict(HORIZON)
    done = time.process_time()
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "import": imported - start,
        "fit and predict": done - loaded,
        "in all": used.ru_utime + used.ru_stime,
        "functions": watch.seconds,
        "signatures": watch.times,
    }


def in_new_process(name: str, functions: bool = False) -> dict:
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"NUMBA_CACHE_DIR": empty, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--one", name, *["--functions"][: int(functions)]]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", nargs="+", default=SERIES, choices=SERIES)
    parser.add_argument("--runs", type=int, default=3, help="of each series; their median counts")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--functions", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(first_call(options.one, options.functions)))
        return
    # The interpreter's own byte code is no part of a first call.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", "import gpforecast"], check=True)
    rows = {}
    for name in options.series:
        taken = pd.DataFrame([in_new_process(name) for _ in range(options.runs)])
        rows[name] = taken[["import", "fit and predict", "in all"]].median()
    table = pd.DataFrame(rows).T.rename_axis("processor s")
    print(table.to_string(float_format="{:.2f}".format))

    found = in_new_process(options.series[0], functions=True)
    print(f"\nCompiled for {options.series[0]}, in {sum(found['functions'].values()):.2f} s:")
    modules: Counter[str] = Counter()
    for name in sorted(found["functions"], key=lambda f: -found["functions"][f]):
        seconds, times = found["functions"][name], found["signatures"][name]
        print(f"{name:<36}{seconds:7.2f}  {times:>3} signatures")
        modules[name.split(".")[0]] += seconds
    print()
    for module, seconds in modules.most_common():
        print(f"{module:<36}{seconds:7.2f}")


if __name__ == "__main__":
    main()
