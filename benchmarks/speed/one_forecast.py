"""Processor time of one exact forecast in one thread: 16 lags, 100 rows and 100 steps by default.

Prints milliseconds, median and least of many, of ``Forecaster.predict`` and of its recursions, with
one function along the path and with f drawn anew at each step::

    python benchmarks/speed/one_forecast.py
    python benchmarks/speed/one_forecast.py --rows 1000 --horizon 24 --runs 20
    python benchmarks/speed/one_forecast.py --output FILE    # as CSV too
"""

import argparse
import time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import gpforecast as gf
from gpforecast.propagation.naive import PlugIn
from gpforecast.propagation.recursion import Columns, Inputs, Start, propagate

LAGS = 16


def milliseconds(action, runs: int) -> list[float]:
    for _ in range(5):
        action()
    taken = []
    for _ in range(runs):
        start = time.process_time()
        action()
        taken.append(1e3 * (time.process_time() - start))
    return [float(np.median(taken)), min(taken)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--horizon", type=int, default=100)
    parser.add_argument("--output", help="write the table to this CSV file")
    options = parser.parse_args()
    horizon = options.horizon
    series = gf.datasets.mackey_glass(8000, normalise=True, noise_var=1e-3, seed=0)
    gp = gf.models.GaussianProcess()
    fc = gf.Forecaster(lags=LAGS, model=gp, max_rows=options.rows, noise="process").fit(series)
    posterior, inputs = fc.model_.posterior_, Inputs(tuple(range(1, LAGS + 1)))
    start, exact = Start(series.to_numpy()[None, -LAGS:]), gf.propagation.ExactMoments
    actions = {
        "predict": lambda: fc.predict(horizon),
        "predict, exact": lambda: fc.predict(horizon, propagation=exact()),
        "predict, step by step": lambda: fc.predict(horizon, propagation=exact(function="step")),
        "exact recursion alone": lambda: propagate(
            Columns.of(posterior, inputs), exact(), start, horizon
        ),
        "recursion, step by step": lambda: propagate(
            Columns.of(posterior, inputs), exact(function="step"), start, horizon
        ),
        "plug-in path alone": lambda: (
            propagate(Columns.of(posterior, inputs), PlugIn(), start, horizon).mean
        ),
        "predict, one step": lambda: fc.predict(1),
    }
    with threadpool_limits(1):
        taken = {what: milliseconds(action, options.runs) for what, action in actions.items()}
    table = pd.DataFrame(taken, index=["median", "least"]).T.rename_axis("processor ms")
    print(table.round(2).to_string())
    if options.output:
        table.to_csv(options.output)


if __name__ == "__main__":
    main()
