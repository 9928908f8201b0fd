"""Tables of the kind of Snelson's 4.2: a learned projection of the inputs beside PCA, on ailerons.

The data are ailerons: 40 inputs, of which several are nearly copies of others, in place of those of
the thesis (Temp with 106 inputs, SO2 with 27), which are not public. 1000 or 4000 random rows
train, 6154 others test, 5 times; inputs and targets are standardised by the rows that train. Every
model is FITC with 20 inducing inputs that move (SPGP):

- *SPGP*: all inputs, one length-scale each
- *+DR g*: `SparseGaussianProcess(projection=g)`, a projection to g dimensions learned with the rest
- *+PCA g*: the first g principal components of the standardised inputs, then SPGP
- *GP*: a full Gaussian process on 1000 rows, as in table 5.2 of the thesis (other rows)

The table has the mean negative log predictive density and the mean squared error in the units of
the target, the latter also as a part of its variance, with standard errors over the repetitions,
the log evidence (of standardised targets), and the processor time of training. The claim of the
thesis: a few learned dimensions are as good as all inputs, and PCA to as many is not, because it
does not look at the targets.

Writes every repetition as CSV beside this script. Data from the folder named by
``GPFORECAST_DATA``, or ``../shared/data``. Run it from the project's root:
``python benchmarks/accuracy/projection.py``; ``--quick`` is one repetition of 300 rows.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

DIMENSIONS = (1, 2, 3, 5)
N_TEST = 6154
M = 20
MOST_FULL = 1000  # rows of the full process
PUBLISHED = {(1000, "GP"): "table 5.2: NLPD -7.31, MSE 3.05e-8"}


def rows(seed: int, n: int) -> tuple[np.ndarray, ...]:
    """Return X, y, X_test, y_test, standardised, and the standard deviation of y."""
    folder = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "regression"
    data = pd.read_csv(folder / "ailerons.csv.gz").to_numpy(dtype=float)
    order = np.random.default_rng(seed).permutation(len(data))
    train, test = data[order[:n]], data[order[n : n + N_TEST]]
    middle, spread = train.mean(axis=0), train.std(axis=0)
    varied = spread > 0.0
    varied[-1] = False
    X, X_test = ((part - middle)[:, varied] / spread[varied] for part in (train, test))
    y, y_test = ((part[:, -1] - middle[-1]) / spread[-1] for part in (train, test))
    return X, y, X_test, y_test, spread[-1]


def components(X: np.ndarray, g: int) -> np.ndarray:
    """Return the first principal directions, scaled so that X has variance 1 along each: (d, g)."""
    values, vectors = np.linalg.eigh(np.cov(X.T))
    return vectors[:, ::-1][:, :g] / np.sqrt(values[::-1][:g])


def measure(name: str, g: int, seed: int, n: int) -> dict[str, object]:
    X, y, X_test, y_test, size = rows(seed, n)
    if name == "GP":
        model = gf.models.GaussianProcess()
    else:
        model = gf.models.SparseGaussianProcess(
            approximation="fitc", n_inducing=M, projection=g if name == "+DR" else None, seed=seed
        )
    start = time.process_time()
    if name == "+PCA":
        P = components(X, g)
        X, X_test = X @ P, X_test @ P
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        model.fit(X, y)
    seconds = time.process_time() - start
    mean, std = model.predict(X_test, return_std=True)
    error, var = y_test - mean, std**2 + model.noise_var_
    density = np.mean(0.5 * np.log(2.0 * np.pi * var) + 0.5 * error**2 / var)
    return {
        "rows": n,
        "model": f"{name} {g}" if g else name,
        "repetition": seed,
        "nlpd": float(density + np.log(size)),
        "mse": float(np.mean(error**2) * size**2),
        "relative mse": float(np.mean(error**2) / np.var(y_test)),
        "log evidence": model.log_marginal_likelihood_,
        "evaluations": model.report_.n_evaluations,
        "seconds": seconds,
    }


def show(n: int, name: str, found: pd.DataFrame) -> None:
    mean, error = found.mean(numeric_only=True), found.sem(numeric_only=True).fillna(0.0)
    then = PUBLISHED.get((n, name), "")
    print(
        f"{n:5d}  {name:<8}{mean['nlpd']:10.3f} ± {error['nlpd']:.3f}{mean['mse']:12.3e}"
        f"{mean['relative mse']:14.4f} ± {error['relative mse']:.4f}{mean['log evidence']:12.0f}"
        f"{mean['seconds']:9.1f}  {then}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one repetition of 300 rows")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--models", nargs="+", default=["SPGP", "+DR", "+PCA", "GP"])
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    sizes, repetitions = ([300], 1) if options.quick else (options.rows, options.repetitions)
    heads = ("NLPD", "MSE", "MSE / variance", "evidence", "seconds")
    print(
        f"{'rows':>5}  {'':<8}{heads[0]:>18}{heads[1]:>12}{heads[2]:>23}{heads[3]:>12}{heads[4]:>9}"
    )
    found = []
    for n in sizes:
        for name in options.models:
            if name == "GP" and n > MOST_FULL:
                continue
            for g in DIMENSIONS if name in ("+DR", "+PCA") else (0,):
                found += [measure(name, g, seed, n) for seed in range(repetitions)]
                show(n, str(found[-1]["model"]), pd.DataFrame(found[-repetitions:]))
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        pd.DataFrame(found).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
