"""What the studies of this folder share: the data, the losses, and one way to run and print them.

A study is a list of cases: what each is called, and a function that measures it. `run` prints every
row when it is found, then the mean (or another statistic) over draws or folds, and writes all rows
as CSV next to the script. ``--quick`` is a small version, which writes nothing; ``--only TEXT``
takes the cases whose names have that text, and leaves the rows of the others in the file. The data
are in the folder named by the environment variable ``GPFORECAST_DATA``, or ``../shared/data``.
"""

import argparse
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import gpforecast as gf

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
Row = dict[str, Any]
Case = tuple[Row, Callable[[], Row | list[Row]]]
Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # X and y that train, and that test


def column(name: str, rows: int | None = None) -> pd.Series:
    """Return the last column of a CSV file of the data, such as classic/lynx, or its first rows."""
    return pd.read_csv(DATA / f"{name}.csv").iloc[:rows, -1].astype(float)


def regression_table(name: str) -> np.ndarray:
    """Return the data of a regression, the target last; categories become indicators."""
    path = next((DATA / "regression").glob(f"{name}.csv*"))
    table = pd.read_csv(path, header=None if name.startswith("kin40k") else 0)
    inputs = pd.get_dummies(table.iloc[:, :-1])
    return np.column_stack([inputs, table.iloc[:, -1]]).astype(float)


def standardised(table: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Return a table in which the rows that train have mean 0 and variance 1."""
    spread = table[train].std(axis=0)
    return (table - table[train].mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)


def parted(table: np.ndarray, train: np.ndarray, test: np.ndarray) -> Rows:
    """Return inputs and targets of the rows that train, and of those that test."""
    return table[train, :-1], table[train, -1], table[test, :-1], table[test, -1]


def autoregression(shocks: np.ndarray, *phi: float) -> np.ndarray:
    """Return y_t = phi_1 y_(t-1) + phi_2 y_(t-2) + ... + shock_t, after a zero for each phi."""
    return lfilter([1.0], [1.0, *(-one for one in phi)], np.r_[np.zeros(len(phi)), shocks])


def gaussian_losses(y: np.ndarray, mean: np.ndarray, var: np.ndarray) -> Row:
    """Return the mean negative log density and the mean squared error of Gaussian predictions."""
    return {"nlpd": gf.scores.nlpd(y, mean, var), "mse": gf.scores.mse(y, mean)}


def losses_in_units(unit: float, y: np.ndarray, mean: np.ndarray, var: np.ndarray) -> list[float]:
    """Return the absolute and squared error and the log density of targets that times as large."""
    found = gaussian_losses(unit * y, unit * mean, unit**2 * var)
    return [unit * gf.scores.mae(y, mean), found["mse"], found["nlpd"]]


def regression(model: Any, X, y, X_test, y_test) -> Row:
    """Fit a model, and return its losses on the test rows and the processor time of training."""
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    mean, std = model.predict(X_test, return_std=True)
    return gaussian_losses(y_test, mean, std**2 + model.noise_var_) | {
        "evidence": model.log_marginal_likelihood_,
        "evaluations": model.report_.n_evaluations,
        "seconds": seconds,
    }


def alone(function: Callable[..., Row], *given: Any) -> Row:
    """Return the result of a function in a new process, whose memory is that of this call."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *given).result()


def peak_megabytes() -> float:
    """Return the largest memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e6 / 1024)  # bytes there, KiB elsewhere


def run(
    script: str | Path,
    cases: Callable[[bool], Iterable[Case]],
    by: list[str],
    *,
    statistic: Any = "mean",
    published: dict[Any, Any] | None = None,
    summary: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Measure all cases, print and write them, and return the rows.

    `cases` takes whether the study is a quick one. The printed table has a line for each value of
    the columns `by`, and with it the figures `published` for that line, if any. What is written is
    all rows, or their `summary`, whose index names its lines.
    """
    parser = argparse.ArgumentParser(description=f"See the first lines of {script}.")
    parser.add_argument("--quick", action="store_true", help="a small version; writes nothing")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose names have it")
    parser.add_argument("--output", type=Path, help="CSV file (default next to the script)")
    options, _ = parser.parse_known_args()
    output = options.output or (None if options.quick else Path(script).with_suffix(".csv"))
    rows: list[Row] = []
    names: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        for name, measure in cases(options.quick):
            names = list(name)
            if options.only in ", ".join(map(str, name.values())):
                found = measure()
                rows += [name | row for row in (found if isinstance(found, list) else [found])]
                shown = (f"{v:.4g}" if isinstance(v, float) else v for v in rows[-1].values())
                print(*shown, flush=True)
    if not rows:
        parser.error(f"no case has {options.only!r} in its name")
    table = pd.DataFrame(rows)
    if output:
        new, keys = table, names
        if summary:
            new = summary(table)
            keys = list(new.index.names)
            new = new.reset_index()
        kept = pd.read_csv(output) if options.only and output.exists() else new[:0]
        old, again = (pd.MultiIndex.from_frame(t[keys].astype(str)) for t in (kept, new))
        pd.concat([kept[~old.isin(again)], new]).to_csv(output, index=False, float_format="%.6g")
    repeated = [name for name in names if name not in by]
    groups = table.drop(columns=repeated).groupby(by, sort=False, dropna=False)
    means = groups.agg(statistic) if statistic != "mean" else groups.mean(numeric_only=True)
    if published:
        means["published"] = pd.Series(published)
    print(f"\n{means.to_string(float_format='%.4g', na_rep='')}")
    return table
