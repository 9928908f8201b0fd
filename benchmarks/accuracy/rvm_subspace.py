"""Subspace EM and training with all basis functions at once: time, evidence, vectors, memory.

Two problems: KIN40K with standardised inputs and targets, and the Mackey-Glass series with noise
(16 lags 6 apart, 6 ahead, basis functions of variance 10, as in Quinonero-Candela and Winther's
paper). The width is fixed, and the start and the stopping rule are the same, so that only the
algorithms differ. ``full`` is ``FullEM("mackay")``, ``growing`` ``SubspaceEM()``, ``thesis``
``SubspaceEM(n_new=59, n_cycles=10)``, ``500 active`` ``SubspaceEM(n_active=500)``, and ``fast``
``FastMarginalLikelihood()``. Time is processor time, which depends less on other work on the
machine than wall-clock time; the latter is in the CSV file as well. Give BLAS one thread, by its
environment variable. The column *gap* is the difference from the evidence of ``full``, in per cent;
positive is better.

``--data kin40k --rows 4000`` is figure 2.8 of Quinonero-Candela's thesis, with the published
numbers of relevance vectors; the width is not given there. ``rvm_subspace_kin40k.csv`` has the
results.

``--memory 20000`` trains ``SubspaceEM()`` on so many rows in a separate process instead, and prints
its peak memory.

The data lie in the folder ``regression`` of the one named by the environment variable
``GPFORECAST_DATA``, or of ``../shared/data``. Writes the table as CSV. Run it from the project's
root: ``python benchmarks/accuracy/rvm_subspace.py``; ``--quick`` stops at 1000 rows.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

WIDTHS = {"kin40k": 3.0, "mackey-glass": 10.0**0.5}  # in standard deviations of the inputs
N_TEST = 4000
PUBLISHED = {("kin40k", 4000): {"full": 340, "thesis": 372, "500 active": 390}}  # vectors
ALGORITHMS = {
    "full": gf.models.FullEM("mackay"),
    "growing": gf.models.SubspaceEM(),
    "thesis": gf.models.SubspaceEM(n_new=59, n_cycles=10),
    "500 active": gf.models.SubspaceEM(n_active=500),
    "fast": gf.models.FastMarginalLikelihood(),
}


def data_file() -> Path:
    """Return the path of the data."""
    folder = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
    return folder / "regression" / "kin40k.csv.gz"


def rows(data: str, n: int) -> tuple[np.ndarray, ...]:
    """Return X, y, X_test, y_test."""
    if data == "mackey-glass":
        z = gf.datasets.mackey_glass(30_000, normalise=True, noise_var=1e-3, seed=0)
        lagged = gf.embedding.LagEmbedding(list(range(6, 97, 6))).transform(z)
        order = np.random.default_rng(0).permutation(len(lagged.y))
        test, train = order[:N_TEST], order[N_TEST : N_TEST + n]
        return lagged.X[train], lagged.y[train], lagged.X[test], lagged.y[test]
    table = pd.read_csv(data_file(), header=None).to_numpy(dtype=float)
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    order = np.random.default_rng(0).permutation(len(table))
    train, test = table[order[N_TEST : N_TEST + n]], table[order[:N_TEST]]
    return train[:, :-1], train[:, -1], test[:, :-1], test[:, -1]


def measure(data: str, algorithm, n: int) -> dict[str, float]:
    """Train once and return the results."""
    X, y, X_test, y_test = rows(data, n)
    machine = gf.models.RelevanceVectorMachine(WIDTHS[data], adapt=None, algorithm=algorithm)
    start, start_cpu = time.perf_counter(), time.process_time()
    machine.fit(X, y)
    return {
        "cpu_seconds": time.process_time() - start_cpu,
        "clock_seconds": time.perf_counter() - start,
        "log_evidence": machine.log_marginal_likelihood_,
        "vectors": len(machine.relevant_),
        "test": float(np.mean((machine.predict(X_test) - y_test) ** 2)),
        "cycles": len(machine.evidence_trace_),
        "converged": machine.report_.converged,
        "megabytes": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """Return the peak memory of this process, libraries included."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e6 / 1024)  # bytes there, KiB elsewhere


def alone(data: str, name: str, n: int) -> dict[str, float]:
    """Measure in a separate process, so that memory is that of one training."""
    command = [sys.executable, __file__, "--one", name, "--data", data, "--rows", str(n)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def compare(data: str, sizes: list[int], names: list[str], max_full: int) -> pd.DataFrame:
    """Print the table, and return it."""
    found = []
    print(f"\n{data}")
    print(
        f"{'rows':>6}  {'algorithm':<12}{'seconds':>9}{'full / it':>11}{'log evidence':>14}"
        f"{'gap':>9}{'vectors':>9}{'published':>10}{'test MSE':>10}{'MB':>7}"
    )
    for n in sizes:
        full = None
        for name in names:
            if name == "full" and n > max_full:
                print(f"{n:6d}  {name:<12} is left out; see --max-full")
                continue
            row = {"data": data, "rows": n, "algorithm": name, **alone(data, name, n)}
            full = row if name == "full" else full
            found.append(row)
            gap, ratio = "", ""
            then = PUBLISHED.get((data, n), {}).get(name, "")
            if full is not None:
                lead = row["log_evidence"] - full["log_evidence"]
                gap = f"{lead / abs(full['log_evidence']) * 100:+.2f} %"
                ratio = f"{full['cpu_seconds'] / row['cpu_seconds']:.2f}"
            print(
                f"{n:6d}  {name:<12}{row['cpu_seconds']:9.1f}{ratio:>11}"
                f"{row['log_evidence']:14.1f}{gap:>9}{row['vectors']:9.0f}{then:>10}{row['test']:10.4f}"
                f"{row['megabytes']:7.0f}",
                flush=True,
            )
    return pd.DataFrame(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="500 and 1000 rows")
    parser.add_argument("--rows", type=int, nargs="+", default=[500, 1000, 2000, 4000, 8000])
    parser.add_argument(
        "--algorithms", nargs="+", choices=list(ALGORITHMS), default=list(ALGORITHMS)
    )
    parser.add_argument(
        "--max-full", type=int, default=8000, help="most rows of ``full`` (8000: 3 GB, minutes)"
    )
    parser.add_argument("--memory", type=int, help="rows of the measurement of memory")
    parser.add_argument("--one", choices=list(ALGORITHMS), help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    parser.add_argument("--data", nargs="+", choices=list(WIDTHS), default=list(WIDTHS))
    options = parser.parse_args()
    problems = [d for d in options.data if d != "kin40k" or data_file().exists()]
    if len(problems) < len(options.data):
        print(f"kin40k is left out: there is no {data_file()}.")
    if options.one:
        print(json.dumps(measure(problems[0], ALGORITHMS[options.one], options.rows[0])))
    elif options.memory:
        for data in problems:
            row = alone(data, "growing", options.memory)
            print(
                f"{data}, {options.memory} rows: {row['megabytes']:.0f} MB at most, "
                f"{row['vectors']:.0f} vectors, {row['cpu_seconds']:.0f} s, "
                f"test MSE {row['test']:.4f}"
            )
    else:
        sizes = [500, 1000] if options.quick else options.rows
        tables = [compare(d, sizes, options.algorithms, options.max_full) for d in problems]
        beside = None if options.quick else Path(__file__).with_suffix(".csv")
        if output := options.output or beside:
            pd.concat(tables).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
