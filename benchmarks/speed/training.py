"""The cost of training a Gaussian process: seconds, evaluations, evidence and memory by rows.

Noisy Mackey-Glass data with 16 lags. Prints a table, and the exponent with which the time of one
evaluation grows. ``--output FILE`` writes the table as CSV. Run it on an idle machine: ``python
benchmarks/speed/training.py``; ``against_peers.py`` has the same fits by other libraries.
"""

import argparse
import time
import tracemalloc
import warnings

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.numerics.threads import one_blas_thread

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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        gf.models.GaussianProcess(max_iter=1).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / (8.0 * len(y) ** 2)


def ours(X, y) -> dict[str, float]:
    start = time.perf_counter()
    gp = gf.models.GaussianProcess().fit(X, y)
    return {
        "fit": time.perf_counter() - start,
        "evaluations": gp.report_.n_evaluations,
        "log evidence": gp.log_marginal_likelihood_,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[250, 500, 1000, 2000])
    parser.add_argument("--output", help="write the table to this CSV file")
    options = parser.parse_args()
    gf.models.GaussianProcess().fit(*rows(100))  # compiles
    table = {}
    for n in options.rows:
        X, y = rows(n)
        more = {"one evaluation": evaluation(X, y), "peak / n^2": peak_memory(X, y)}
        table[n] = ours(X, y) | more
    frame = pd.DataFrame(table).T.rename_axis("rows")
    print(frame.to_string(float_format="{:.4g}".format))
    if len(frame) > 1:
        slope = np.polyfit(np.log(frame.index), np.log(frame["one evaluation"]), 1)[0]
        last = np.log(frame["one evaluation"].to_numpy()[-2:])
        local = (last[1] - last[0]) / np.log(frame.index[-1] / frame.index[-2])
        print(f"one evaluation grows as n^{slope:.2f}; between the last two as n^{local:.2f}")
    if options.output:
        frame.to_csv(options.output)


if __name__ == "__main__":
    main()
