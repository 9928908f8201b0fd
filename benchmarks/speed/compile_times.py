"""Processor time of a first default call with no cache, the import included, and what compiles.

``python benchmarks/speed/compile_times.py`` prints a row a series: seconds of the import, of
``Forecaster().fit(series).predict(24)``, and of the whole process with all that it reads, each in a
new process with an empty cache. Then, for one series, seconds by module of what is compiled,
without the functions that it calls. On a machine that is not idle, times are up to half as long
again.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

SERIES = ("elnino", "co2", "macrodata", "nile")


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
        module = event.data["dispatcher"].py_func.__module__
        self.seconds[module if module.startswith("gpforecast") else "numba"] += whole - inner
        if self._running:
            self._running[-1][1] += whole


def first_call(name: str, modules: bool) -> dict[str, float]:
    """Make the call in this process, and return its times, or those of modules that compile."""
    import resource
    import warnings

    start = time.process_time()
    import gpforecast as gf

    imported = time.process_time()
    timer = Stopwatch()
    if modules:
        from numba.core import event

        timer = type("Listener", (Stopwatch, event.Listener), {})()  # numba is imported by now
        event.register("numba:compile", timer)
    warnings.simplefilter("ignore")
    series = getattr(gf.datasets, f"load_{name}")()
    loaded = time.process_time()
    gf.Forecaster().fit(series).predict(24)
    done = time.process_time()
    used = resource.getrusage(resource.RUSAGE_SELF)
    whole = used.ru_utime + used.ru_stime
    times = {"import": imported - start, "fit and predict": done - loaded, "in all": whole}
    return timer.seconds if modules else times


def in_new_process(name: str, *more: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"NUMBA_CACHE_DIR": empty, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--one", name, *more]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", nargs="+", default=SERIES, choices=SERIES)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--modules", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(first_call(options.one, options.modules)))
        return
    # The interpreter's own byte code is no part of a first call.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", "import gpforecast"], check=True)
    for name in options.series:
        times = in_new_process(name)
        print(f"{name:<12}", *(f"{what} {s:.2f} s" for what, s in times.items()), flush=True)
    modules = Counter(in_new_process(options.series[0], "--modules"))
    print(f"\nCompiled for {options.series[0]}, in {sum(modules.values()):.2f} s:")
    for module, seconds in modules.most_common():
        print(f"{module:<48}{seconds:7.2f}")


if __name__ == "__main__":
    main()
