"""Figures 2.7 and 2.9 (e, f) of Snelson's thesis on Abalone: simple data need few inducing inputs.

3133 random rows train, 1044 test; the inputs are three indicators of sex and seven measurements,
standardised, and the target is centred. Methods and measures as in ``kin40k.py`` (with the mean
squared error not halved). The claim: with 32 inducing inputs FITC and SPGP are as good as the full
GP, to 3 % of its mean squared error, while a subset of data of that size is not.

Prints a table and writes it as CSV beside this script; data from the folder named by
``GPFORECAST_DATA``, or ``../shared/data``. Run it from the project's root:
``python benchmarks/accuracy/abalone.py``; ``--quick`` is a small version.
"""

import argparse
import os
from pathlib import Path

import numpy as np
import pandas as pd
from kin40k import MOVED, ground_truth, measure

METHODS = ("sd", "fitc", "vfe", "spgp, fixed", "spgp", "vfe optimised")
N_TRAIN = 3133


def rows(n_train: int):
    folder = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "regression"
    data = pd.read_csv(folder / "abalone.csv.gz")
    sexes = pd.get_dummies(data.iloc[:, 0]).to_numpy(dtype=float)
    X = np.column_stack([sexes, data.iloc[:, 1:-1].to_numpy(dtype=float)])
    y = data.iloc[:, -1].to_numpy(dtype=float)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:n_train], order[N_TRAIN:]
    middle, spread = X[train].mean(axis=0), X[train].std(axis=0)
    X, y = (X - middle) / spread, y - y[train].mean()
    return X[train], y[train], X[test], y[test]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1000 rows, M up to 64")
    parser.add_argument("--truth", type=int, default=2048, help="rows of the fixed hyperparameters")
    parser.add_argument("--max-iter", type=int, default=150, help="of what is moved")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    n = 1000 if options.quick else N_TRAIN
    data = rows(n)
    truth = ground_truth(data[0], data[1], 300 if options.quick else options.truth)
    found = []
    head = ("MSE", "NLPD", "train s", "predict s")
    print(f"{'':<14}{'M':>6}" + "".join(f"{h:>11}" for h in head))
    for method in METHODS:
        largest = 64 if options.quick or method in MOVED else 512
        sizes = [int(M) for M in 2 ** np.arange(3, 10) if largest >= M]
        for M in [*sizes, n] if method == "sd" else sizes:
            row = measure(method, M, truth, data, options.max_iter)
            row["mse"] = 2.0 * row.pop("half mse")
            found.append(row)
            print(
                f"{method:<14}{M:>6}{row['mse']:11.3f}{row['nlpd']:11.3f}"
                f"{row['training s']:11.2f}{row['prediction s']:11.3f}",
                flush=True,
            )
    full = next(row["mse"] for row in found if row["M"] == n)
    for row in found:
        if row["M"] == 32:
            print(f"{row['method']} at 32: {row['mse'] / full:.3f} of the full GP's error")
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        pd.DataFrame(found).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
