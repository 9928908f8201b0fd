"""The protocol of the runners in this folder: one process for each library, one timing a request.

``python run_NAME.py TASK PROBLEM.npz ANSWER.npz`` starts a runner in its library's environment. It
makes TASK's function from the problem, calls it once to warm up, writes that call's arrays to
ANSWER.npz and prints a line of JSON: the time of the first call, and the numbers of the answer.
Each line that it reads then makes it run again and print the seconds of a call, so that several
libraries can be timed in turn. It ends at the end of its input. It needs only numpy.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

_ENOUGH = 0.02  # seconds

Answer = dict[str, Any]  # numbers and arrays by name
Task = Callable[[Mapping[str, Any]], Callable[[], Answer]]


def serve(load: Callable[[], dict[str, Task]]) -> None:
    """Run the task named on the command line; `load` imports the library and returns its tasks."""
    task, problem, answer = sys.argv[1:]
    # Libraries print and log: keep standard output for JSON and send the rest to standard error.
    with os.fdopen(os.dup(1), "w", buffering=1) as replies:
        os.dup2(2, 1)
        tasks = load()
        imported = _clocks()
        with np.load(problem) as arrays:
            given = {name: arrays[name] for name in arrays.files}
        run = tasks[task](given)
        prepared = _clocks()
        result = run()
        done = _clocks()
        np.savez(answer, **{name: np.asarray(value) for name, value in result.items()})
        numbers = {name: float(value) for name, value in result.items() if np.ndim(value) == 0}
        reply = {
            "ready": _between(imported, done),
            "first": _between(prepared, done),
            "answer": numbers,
        }
        print(json.dumps(reply), file=replies)
        for _ in sys.stdin:
            print(json.dumps({"seconds": _seconds(run)}), file=replies)


def _clocks() -> tuple[float, float]:
    """Return wall-clock time, and the processor time of this process."""
    return time.perf_counter(), time.process_time()


def _between(start: tuple[float, float], end: tuple[float, float]) -> list[float]:
    return [b - a for a, b in zip(start, end, strict=True)]


def _seconds(run: Callable[[], Answer]) -> list[float]:
    """Return the time of a call by both clocks; short calls are repeated and averaged."""
    wall, processor = _clocks()
    calls = 0
    while True:
        run()
        calls += 1
        now, used = _clocks()
        if now - wall > _ENOUGH:
            return [(now - wall) / calls, (used - processor) / calls]
