"""Figures 2.7, 2.8, 2.9 and 3.7 of Snelson's thesis on KIN40K: error against inducing inputs.

10,000 rows drawn at random train, the other 30,000 test (the split of the thesis is not known).
Half the mean squared error and the mean negative log predictive density (2.38, 2.39), with the
seconds of training and of predicting all test rows, over the number of inducing inputs M:

- *sd, fitc, vfe*: the same random rows, hyperparameters fixed at those of a full GP on 2048 rows
- *spgp, fixed*: FITC with the inducing inputs moved, hyperparameters fixed (figure 2.7)
- *spgp, vfe optimised*: inducing inputs and hyperparameters learned together (figure 2.8, 2.9)
- *local, pitc, pic*: blocks of M rows, the same fixed hyperparameters and random rows (figure 3.7)

Prints a table and writes it as CSV beside this script; data from the folder named by
``GPFORECAST_DATA``, or ``../shared/data``. Run it from the project's root:
``python benchmarks/accuracy/kin40k.py``; ``--quick`` is a small version, ``--methods`` takes some.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

Sparse = gf.models.SparseGaussianProcess
N_TRAIN = 10_000
LEARNED = ("spgp", "vfe optimised")
MOVED = (*LEARNED, "spgp, fixed")
METHODS = ("sd", "fitc", "vfe", "spgp, fixed", "spgp", "vfe optimised", "local", "pitc", "pic")


def rows(n_train: int, n_test: int):
    folder = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "regression"
    data = np.loadtxt(folder / "kin40k.csv.gz", delimiter=",")
    order = np.random.default_rng(0).permutation(len(data))
    train, test = data[order[:n_train]], data[order[N_TRAIN : N_TRAIN + n_test]]
    return train[:, :-1], train[:, -1], test[:, :-1], test[:, -1]


def ground_truth(X, y, n: int):
    """Return the hyperparameters of a full GP on n rows."""
    gp = gf.models.GaussianProcess().fit(X[:n], y[:n])
    return gp.covariance_, gp.noise_var_


def model_for(method: str, M: int, truth, X, y, max_iter: int):
    """Return a model, with the same first inducing inputs for all of the same size."""
    chosen = np.random.default_rng(M).permutation(len(y))[:M]
    covariance, noise_var = truth
    held = {"optimizer": None, "noise_var": noise_var, "inducing": X[chosen], "seed": 0}
    if method in LEARNED:
        kind = "fitc" if method == "spgp" else "vfe"
        return Sparse(
            approximation=kind, inducing=X[chosen], optimise_inducing=True, seed=0,
            max_iter=max_iter,
        )  # fmt: skip
    if method == "spgp, fixed":
        return Sparse(
            covariance, approximation="fitc", optimise_inducing=True, max_iter=max_iter, **held
        )
    if method == "sd":
        return gf.models.GaussianProcess(covariance, noise_var=noise_var, optimizer=None)
    n_blocks = max(1, len(y) // M)
    return Sparse(covariance, approximation=method, n_blocks=n_blocks, **held)


def measure(method: str, M: int, truth, data, max_iter: int) -> dict[str, object]:
    X, y, X_test, y_test = data
    model = model_for(method, M, truth, X, y, max_iter)
    if method == "sd":
        chosen = np.random.default_rng(M).permutation(len(y))[:M]
        X, y = X[chosen], y[chosen]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        model.fit(X, y)
    trained = time.process_time()
    step = 2000
    parts = [X_test[a : a + step] for a in range(0, len(X_test), step)]
    if method in ("local", "pic"):
        parts = [X_test]
    mean, std = np.hstack([model.predict(part, return_std=True) for part in parts])
    done = time.process_time()
    var = std**2 + model.noise_var_
    return {
        "method": method,
        "M": M,
        "half mse": 0.5 * float(np.mean((mean - y_test) ** 2)),
        "nlpd": float(np.mean(0.5 * np.log(2 * np.pi * var) + 0.5 * (mean - y_test) ** 2 / var)),
        "training s": trained - start,
        "prediction s": done - trained,
        "evidence": model.log_marginal_likelihood_,
        "noise var": model.noise_var_,
        "evaluations": model.report_.n_evaluations,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="2000 rows, M up to 64")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--largest", type=int, default=1024, help="inducing inputs")
    parser.add_argument("--largest-moved", type=int, default=128, help="of those that are moved")
    parser.add_argument("--max-iter", type=int, default=150, help="of those that are moved")
    parser.add_argument("--truth", type=int, default=2048, help="rows of the fixed hyperparameters")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    data = rows(2000, 2000) if options.quick else rows(N_TRAIN, 30_000)
    largest = 64 if options.quick else options.largest
    truth = ground_truth(data[0], data[1], 512 if options.quick else options.truth)
    found = []
    head = ("half MSE", "NLPD", "train s", "predict s", "evidence", "noise")
    print(f"{'':<14}{'M':>6}" + "".join(f"{h:>11}" for h in head))
    sizes = [int(M) for M in 2 ** np.arange(4, 11) if largest >= M]
    for method in options.methods:
        for M in sizes:
            if method in MOVED and options.largest_moved < M:
                continue
            row = measure(method, M, truth, data, options.max_iter)
            found.append(row)
            print(
                f"{method:<14}{M:>6}{row['half mse']:11.4f}{row['nlpd']:11.3f}"
                f"{row['training s']:11.2f}{row['prediction s']:11.2f}{row['evidence']:11.0f}"
                f"{row['noise var']:11.4f}",
                flush=True,
            )
            output = options.output or (
                None if options.quick else Path(__file__).with_suffix(".csv")
            )
            if output:
                pd.DataFrame(found).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
