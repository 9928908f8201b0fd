"""The cost of training a Gaussian process: seconds, evaluations, evidence and memory by rows.

Noisy Mackey-Glass data with 16 lags. Prints a table, and the exponent with which the time of one
evaluation grows. Run it on an idle machine: ``python benchmarks/speed/training.py``;
``accuracy/study.py`` has its options. ``against_peers.py`` has the same fits by other libraries.
"""

import sys
import time
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import gpforecast as gf
from gpforecast.numerics.threads import one_blas_thread

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from study import Case, Row, run

LAGS = 16


def rows(n):
    series = gf.datasets.mackey_glass(n + LAGS, normalise=True, noise_var=1e-3, seed=0).to_numpy()
    X = np.lib.stride_tricks.sliding_window_view(series, LAGS)[:-1, ::-1]  # latest value first
    return X.copy(), series[LAGS:]


def evaluation(X, y, runs=5) -> float:
    """Seconds for the evidence and its gradient, in one thread, at the starting values."""
    problem = gf.models.GaussianProcess().evidence_of(X, y)
    times = []
    with one_blas_thread():
        problem.negative(problem.start)
        for _ in range(runs):
            start = time.perf_counter()
            problem.negative(problem.start)
            times.append(time.perf_counter() - start)
    return min(times)


def peak_memory(X, y) -> float:
    """Peak memory of a short fit, in n x n matrices of doubles."""
    tracemalloc.start()
    gf.models.GaussianProcess(max_iter=1).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8.0 * len(y) ** 2)


def measure(n: int) -> Row:
    X, y = rows(n)
    start = time.perf_counter()
    gp = gf.models.GaussianProcess().fit(X, y)
    return {
        "fit": time.perf_counter() - start,
        "evaluations": gp.report_.n_evaluations,
        "log evidence": gp.log_marginal_likelihood_,
        "one evaluation": evaluation(X, y),
        "peak / n^2": peak_memory(X, y),
    }


def cases(quick: bool) -> Iterator[Case]:
    gf.models.GaussianProcess().fit(*rows(100))  # compiles
    for n in (250, 500) if quick else (250, 500, 1000, 2000, 5000):
        yield {"rows": n}, partial(measure, n)


if __name__ == "__main__":
    table = run(Path(__file__).parent / "results" / "training.py", cases, ["rows"])
    n, seconds = np.log(table[["rows", "one evaluation"]].to_numpy()).T
    local, slope = np.diff(seconds)[-1] / np.diff(n)[-1], np.polyfit(n, seconds, 1)[0]
    print(f"one evaluation grows as n^{slope:.2f}; between the last two as n^{local:.2f}")
