"""Tables of the kind of Snelson's 4.2: a learned projection of the inputs, and PCA, on ailerons.

The data are ailerons: 40 inputs, of which several are nearly copies of others, in place of those of
the thesis (Temp with 106 inputs, SO2 with 27), which are not public. 1000 or 4000 random rows
train, 6154 others test, 5 times; inputs and targets are standardised by the rows that train. Every
model is FITC with 20 inducing inputs that move (SPGP):

- *SPGP*: all inputs, one length-scale each
- *+DR g*: `SparseGaussianProcess(projection=g)`, a projection to g dimensions learned with the rest
- *+PCA g*: the first g principal components of the standardised inputs, then SPGP
- *GP*: a full Gaussian process on 1000 rows, as in table 5.2 of the thesis (other rows)

The table has the mean negative log predictive density and the mean squared error in the units of
the target, the latter also as a part of its variance, the log evidence (of standardised targets),
and the processor time of training; published is table 5.2 of the thesis. The claim of the
thesis: a few learned dimensions are as good as all inputs, and PCA to as many is not, because it
does not look at the targets.

Run it from the project's root: ``python benchmarks/accuracy/projection.py``; ``study.py`` has its
options.
"""

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from study import Case, Row, parted, regression, regression_table, run, standardised

import gpforecast as gf

DIMENSIONS = (1, 2, 3, 5)
N_TEST = 6154
M = 20
MOST_FULL = 1000  # rows of the full process


def rows(seed: int, n: int) -> tuple[np.ndarray, ...]:
    """Return X, y, X_test, y_test, standardised, and the standard deviation of y."""
    table = regression_table("ailerons")
    order = np.random.default_rng(seed).permutation(len(table))
    train, test = order[:n], order[n : n + N_TEST]
    table = table[:, table[train].std(axis=0) > 0.0]
    return *parted(standardised(table, train), train, test), table[train, -1].std()


def components(X: np.ndarray, g: int) -> np.ndarray:
    """Return the first principal directions, scaled so that X has variance 1 along each: (d, g)."""
    values, vectors = np.linalg.eigh(np.cov(X.T))
    return vectors[:, ::-1][:, :g] / np.sqrt(values[::-1][:g])


def measure(name: str, g: int, seed: int, n: int) -> Row:
    X, y, X_test, y_test, size = rows(seed, n)
    model = gf.models.GaussianProcess()
    if name != "GP":
        model = gf.models.SparseGaussianProcess(
            approximation="fitc", n_inducing=M, projection=g if name == "+DR" else None, seed=seed
        )
    if name == "+PCA":
        P = components(X, g)
        X, X_test = X @ P, X_test @ P
    found = regression(model, X, y, X_test, y_test)
    return {
        "nlpd": found["nlpd"] + np.log(size),
        "mse": found["mse"] * size**2,
        "relative mse": found["mse"] / np.var(y_test),
        "log evidence": found["evidence"],
        "evaluations": found["evaluations"],
        "seconds": found["seconds"],
    }


def cases(quick: bool) -> Iterator[Case]:
    models = [("SPGP", 0), *product(("+DR", "+PCA"), DIMENSIONS), ("GP", 0)]
    for n, (name, g) in product([300] if quick else [1000, 4000], models):
        if name != "GP" or n <= MOST_FULL:
            for seed in range(1 if quick else 5):
                names = {"rows": n, "model": f"{name} {g}" if g else name, "repetition": seed}
                yield names, partial(measure, name, g, seed, n)


if __name__ == "__main__":
    run(__file__, cases, ["rows", "model"], published={(1000, "GP"): "NLPD -7.31, MSE 3.05e-8"})
