"""Training by the evidence and by leave-one-out densities, where the covariance is right and wrong.

Each problem has 100 rows to learn from, drawn anew each time, and a Gaussian process with a squared
exponential covariance. *draws* are of that very covariance. The others are not: *steps* jump,
*noise* grows to the right, *rough* is a Wiener process, and *boston*, *abalone* and *kin40k* are
data. The question is that of Rasmussen and Williams (2006), section 5.4.2: where the model is right
the evidence should be no worse; where it is wrong, leave-one-out may be better. Prints the mean
negative log predictive density of test rows, the root mean squared error over the standard
deviation of the targets, and the coverage of 95 % intervals, with standard errors of the paired
difference of densities; writes every repetition as CSV beside this script. Data come from the
folder named by ``GPFORECAST_DATA``, or ``../shared/data``. Run it from the project's root:
``python benchmarks/accuracy/leave_one_out.py``; ``--quick`` is a small version.
"""

import argparse
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

Rows = tuple[np.ndarray, np.ndarray]
N_ROWS, N_TEST = 100, 1000
MODELS = {
    "evidence": {},
    "evidence, weak prior": {"prior": "weak"},
    "loo": {"criterion": "loo"},
    "loo, weak prior": {"criterion": "loo", "prior": "weak"},
}


def inputs(rng: np.random.Generator, d: int = 1) -> np.ndarray:
    return rng.uniform(0.0, 10.0, (N_ROWS + N_TEST, d))


def draws(rng: np.random.Generator) -> Rows:
    X = inputs(rng, 2)
    f = gf.covariances.SquaredExponential(2.0, 1.0).sample(X, seed=rng)[0]
    return X, f + 0.2 * rng.standard_normal(len(f))


def steps(rng: np.random.Generator) -> Rows:
    X = inputs(rng)
    return X, np.sign(np.sin(X[:, 0])) + 0.05 * rng.standard_normal(len(X))


def noise(rng: np.random.Generator) -> Rows:
    X = inputs(rng)
    size = 0.02 + 0.6 / (1.0 + np.exp(-2.0 * (X[:, 0] - 6.0)))
    return X, np.sin(1.5 * X[:, 0]) + size * rng.standard_normal(len(X))


def rough(rng: np.random.Generator) -> Rows:
    X = inputs(rng)
    return X, gf.covariances.Wiener(1.0).sample(X, seed=rng)[0]


def table(name: str) -> Callable[[np.random.Generator], Rows]:
    folder = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "regression"

    def read(rng: np.random.Generator) -> Rows:
        data = pd.read_csv(folder / name, header=None if "kin40k" in name else 0)
        numbers = data.select_dtypes("number").to_numpy(float)
        some = numbers[rng.permutation(len(numbers))[: N_ROWS + N_TEST]]
        return some[:, :-1] / some[:, :-1].std(axis=0), some[:, -1]

    return read


PROBLEMS = {
    "draws": draws, "steps": steps, "noise": noise, "rough": rough,
    "boston": table("boston_housing.csv"), "abalone": table("abalone.csv.gz"),
    "kin40k": table("kin40k.csv.gz"),
}  # fmt: skip


def measure(options: dict[str, str], X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    middle, size = y[:N_ROWS].mean(), y[:N_ROWS].std()  # the models have mean zero
    z = (y - middle) / size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        model = gf.models.GaussianProcess(**options).fit(X[:N_ROWS], z[:N_ROWS])
    mean, std = model.predict(X[N_ROWS:], return_std=True)
    error, var = z[N_ROWS:] - mean, std**2 + model.noise_var_
    return {
        "nlpd": float(np.mean(0.5 * np.log(2.0 * np.pi * var) + 0.5 * error**2 / var)),
        "error": float(np.sqrt(np.mean(error**2))),
        "coverage": float(np.mean(error**2 < 1.96**2 * var)),
        "evaluations": model.report_.n_evaluations,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two repetitions")
    parser.add_argument("--only", nargs="+", default=list(PROBLEMS))
    options = parser.parse_args()
    rows = []
    for problem in options.only:
        for seed in range(2 if options.quick else 20):
            X, y = PROBLEMS[problem](np.random.default_rng(seed))
            for model, arguments in MODELS.items():
                found = measure(arguments, X, y)
                rows.append({"problem": problem, "seed": seed, "model": model, **found})
        done = pd.DataFrame(rows).query("problem == @problem")
        means = done.groupby("model", sort=False)[["nlpd", "error", "coverage"]].mean()
        wide = done.pivot_table(index="seed", columns="model", values="nlpd")
        off = wide.sub(wide["evidence"], axis=0)
        means["less evidence"], means["+-"] = off.mean(), off.sem()
        print(f"{problem}\n{means.round(3)}\n", flush=True)
    if not options.quick:
        path = Path(__file__).with_suffix(".csv")
        pd.DataFrame(rows).round(5).to_csv(path, index=False)


if __name__ == "__main__":
    main()
