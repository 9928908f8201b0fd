"""Training by the evidence and by leave-one-out densities, where the covariance is right and wrong.

Each problem has 100 rows to learn from, drawn anew each time, and a Gaussian process with a squared
exponential covariance. *draws* are of that very covariance. The others are not: *steps* jump,
*noise* grows to the right, *rough* is a Wiener process, and *boston*, *abalone* and *kin40k* are
data. The question is that of Rasmussen and Williams (2006), section 5.4.2: where the model is right
the evidence should be no worse; where it is wrong, leave-one-out may be better. The table has the
mean negative log predictive density of test rows, the root mean squared error over the standard
deviation of the targets, and the coverage of 95 % intervals; a second one has the paired difference
of densities. Run it from the project's root: ``python benchmarks/accuracy/leave_one_out.py``;
``study.py`` has its options.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd
from study import DATA, Case, Row, regression, run

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
    def read(rng: np.random.Generator) -> Rows:
        data = pd.read_csv(DATA / "regression" / name, header=None if "kin40k" in name else 0)
        numbers = data.select_dtypes("number").to_numpy(float)
        some = numbers[rng.permutation(len(numbers))[: N_ROWS + N_TEST]]
        return some[:, :-1] / some[:, :-1].std(axis=0), some[:, -1]

    return read


PROBLEMS = {
    "draws": draws, "steps": steps, "noise": noise, "rough": rough,
    "boston": table("boston_housing.csv"), "abalone": table("abalone.csv.gz"),
    "kin40k": table("kin40k.csv.gz"),
}  # fmt: skip


def measure(problem: str, seed: int, options: dict[str, str]) -> Row:
    X, y = PROBLEMS[problem](np.random.default_rng(seed))
    z = (y - y[:N_ROWS].mean()) / y[:N_ROWS].std()  # the models have mean zero
    model = gf.models.GaussianProcess(**options)
    row = regression(model, X[:N_ROWS], z[:N_ROWS], X[N_ROWS:], z[N_ROWS:])
    mean, std = model.predict(X[N_ROWS:], return_std=True)
    within = (z[N_ROWS:] - mean) ** 2 < 1.96**2 * (std**2 + model.noise_var_)
    found = {"nlpd": row["nlpd"], "error": row["mse"] ** 0.5, "coverage": float(within.mean())}
    return found | {"evaluations": row["evaluations"]}


def cases(quick: bool) -> Iterator[Case]:
    for problem in PROBLEMS:
        for seed in range(2 if quick else 20):
            for model, options in MODELS.items():
                names = {"problem": problem, "seed": seed, "model": model}
                yield names, partial(measure, problem, seed, options)


if __name__ == "__main__":
    table = run(__file__, cases, ["problem", "model"])
    wide = table.pivot_table(index=["problem", "seed"], columns="model", values="nlpd", sort=False)
    less = wide.sub(wide["evidence"], axis=0).groupby("problem", sort=False)
    print(f"\nnlpd less that of the evidence\n{less.agg(['mean', 'sem']).round(3).to_string()}")
