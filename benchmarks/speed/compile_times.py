"""Compile times of each function of a first fit and exact forecast, with no cache.

Prints processor seconds by function, without the functions that it calls, then by module, the sum,
and the time from the import to the end of the first forecast. Run it with ``python
benchmarks/speed/compile_times.py``. On a machine that is not idle, times are up to half as long
again.
"""

import os
import tempfile
import time
from collections import Counter

START = time.process_time()
_EMPTY = tempfile.TemporaryDirectory()
os.environ["NUMBA_CACHE_DIR"] = _EMPTY.name  # before numba is imported

import numpy as np  # noqa: E402
from numba.core import event  # noqa: E402

import gpforecast as gf  # noqa: E402


class Stopwatch(event.Listener):
    """Processor time of each compilation, without those that it waits for."""

    def __init__(self) -> None:
        self.seconds: Counter[tuple[str, str]] = Counter()
        self.times: Counter[tuple[str, str]] = Counter()
        self._running: list[list[float]] = []  # start, and time of inner ones

    def on_start(self, _event) -> None:
        self._running.append([time.process_time(), 0.0])

    def on_end(self, event) -> None:
        start, inner = self._running.pop()
        whole = time.process_time() - start
        function = event.data["dispatcher"].py_func
        ours = function.__module__.startswith("gpforecast")
        module = function.__module__.rsplit(".", 1)[-1] if ours else "numba"
        key = module, function.__qualname__.split(".")[0]
        self.seconds[key] += whole - inner
        self.times[key] += 1
        if self._running:
            self._running[-1][1] += whole


def main() -> None:
    imported = time.process_time()
    watch = Stopwatch()
    event.register("numba:compile", watch)
    y = np.sin(0.3 * np.arange(200)) + 0.1 * np.random.default_rng(0).standard_normal(200)
    gf.Forecaster(lags=16).fit(y).predict(horizon=30)
    done = time.process_time()
    for (module, name), seconds in watch.seconds.most_common():
        print(f"{module + '.' + name:<36}{seconds:7.2f}  {watch.times[module, name]:>3} signatures")
    print()
    modules: Counter[str] = Counter()
    for (module, _), seconds in watch.seconds.items():
        modules[module] += seconds
    for module, seconds in modules.most_common():
        print(f"{module:<36}{seconds:7.2f}")
    print(f"\ncompiling {modules.total():.2f} s, import {imported - START:.2f} s, ", end="")
    print(f"import, fit and forecast {done - START:.2f} s of processor time")


if __name__ == "__main__":
    main()
