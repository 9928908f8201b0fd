"""Figures 2.7 and 2.9 (e, f) of Snelson's thesis on Abalone: simple data need few inducing inputs.

3133 random rows train, 1044 test; the inputs are three indicators of sex and seven measurements,
standardised, and the target is centred. Methods and measures as in ``kin40k.py`` (with the mean
squared error not halved). The claim: with 32 inducing inputs FITC and SPGP are as good as the full
GP, to 3 % of its mean squared error, while a subset of data of that size is not.

Run it from the project's root: ``python benchmarks/accuracy/abalone.py``; ``study.py`` has its
options.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from kin40k import MOVED, ground_truth, measure
from study import Case, Row, Rows, parted, regression_table, run, standardised

METHODS = ("sd", "fitc", "vfe", "spgp, fixed", "spgp", "vfe optimised")
N_TRAIN = 3133


def rows(n_train: int) -> Rows:
    table = regression_table("abalone")
    order = np.random.default_rng(0).permutation(len(table))
    train, test = order[:n_train], order[N_TRAIN:]
    scaled = standardised(table, train)
    scaled[:, -1] *= table[train, -1].std()
    return parted(scaled, train, test)


def cases(quick: bool) -> Iterator[Case]:
    n = 1000 if quick else N_TRAIN
    data = rows(n)
    truth = ground_truth(data[0], data[1], 300 if quick else 2048)
    for method in METHODS:
        sizes = 2 ** np.arange(3, 7 if quick or method in MOVED else 10)
        for M in [*sizes, n] if method == "sd" else sizes:
            names = {"method": method, "M": int(M)}
            yield names, partial(whole, method, int(M), truth, data)


def whole(method: str, M: int, truth, data) -> Row:
    row = measure(method, M, truth, data)
    return row | {"mse": 2.0 * row.pop("half mse")}


if __name__ == "__main__":
    table = run(__file__, cases, ["method", "M"]).set_index("method")
    full = table["mse"][table["M"] == table["M"].max()].iloc[0]
    print(f"\nmean squared error at 32 over the full GP's\n{table['mse'][table['M'] == 32] / full}")
