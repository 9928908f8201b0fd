"""Figures 2.7, 2.8, 2.9 and 3.7 of Snelson's thesis on KIN40K: error against inducing inputs.

10,000 rows drawn at random train, the other 30,000 test (the split of the thesis is not known).
Half the mean squared error and the mean negative log predictive density (2.38, 2.39), with the
seconds of training and of predicting all test rows, over the number of inducing inputs M:

- *sd, fitc, vfe*: the same random rows, hyperparameters fixed at those of a full GP on 2048 rows
- *fitc, learned*: the same, hyperparameters of a full GP on those M rows (figure 2.8)
- *spgp, fixed*: FITC with the inducing inputs moved, hyperparameters fixed (figure 2.7)
- *spgp, vfe optimised*: inducing inputs and hyperparameters learned together (figure 2.8, 2.9)
- *local, pitc, pic*: blocks of M rows, the same fixed hyperparameters and random rows (figure 3.7)

Methods that move inducing inputs use 150 iterations, two minutes with M = 512. Times are processor
time of one thread.

Draws errors over M, and over seconds of training, as PNG. Run it from the project's
root: ``python benchmarks/accuracy/kin40k.py``; ``study.py`` has its options.
"""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from study import Case, Row, Rows, gaussian_losses, parted, regression_table, run

import gpforecast as gf

Sparse = gf.models.SparseGaussianProcess
N_TRAIN = 10_000
MAX_ITER = 150  # of what is moved
LEARNED = ("spgp", "vfe optimised")
MOVED = (*LEARNED, "spgp, fixed")
STYLES = {
    "sd": ("0.5", "v-"), "fitc": ("#0b5fa5", "o-"), "fitc, learned": ("#0b5fa5", "P-."),
    "vfe": ("#2e8b57", "s-"), "spgp, fixed": ("#0b5fa5", "o:"), "spgp": ("#0b5fa5", "o--"),
    "vfe optimised": ("#2e8b57", "s--"), "local": ("#e07b00", "^-"),
    "pitc": ("#8e44ad", "D-"), "pic": ("#c0392b", "*-"),
}  # fmt: skip
METHODS = tuple(STYLES)
LEAST = {"fitc, learned": 256}  # fewest rows to learn hyperparameters from (section 2.5.3)


def rows(n_train: int, n_test: int) -> Rows:
    table = regression_table("kin40k")
    order = np.random.default_rng(0).permutation(len(table))
    return parted(table, order[:n_train], order[N_TRAIN : N_TRAIN + n_test])


def ground_truth(X, y, n: int):
    """Return the hyperparameters of a full GP on n rows."""
    gp = gf.models.GaussianProcess().fit(X[:n], y[:n])
    return gp.covariance_, gp.noise_var_


def model_for(method: str, M: int, truth, X, y):
    """Return a model, with the same first inducing inputs for all of the same size."""
    chosen = np.random.default_rng(M).permutation(len(y))[:M]
    if method == "fitc, learned":
        method, truth = "fitc", ground_truth(X[chosen], y[chosen], M)
    covariance, noise_var = truth
    held = {"optimizer": None, "noise_var": noise_var, "inducing": X[chosen], "seed": 0}
    moved = {"optimise_inducing": True, "max_iter": MAX_ITER}
    if method in LEARNED:
        kind = "fitc" if method == "spgp" else "vfe"
        return Sparse(approximation=kind, inducing=X[chosen], seed=0, **moved)
    if method == "spgp, fixed":
        return Sparse(covariance, approximation="fitc", **moved, **held)
    if method == "sd":
        return gf.models.GaussianProcess(covariance, noise_var=noise_var, optimizer=None)
    n_blocks = max(1, len(y) // M)
    if method == "local":
        del held["inducing"]
    return Sparse(covariance, approximation=method, n_blocks=n_blocks, **held)


def measure(method: str, M: int, truth, data) -> Row:
    X, y, X_test, y_test = data
    start = time.process_time()
    model = model_for(method, M, truth, X, y)
    if method == "sd":
        chosen = np.random.default_rng(M).permutation(len(y))[:M]
        X, y = X[chosen], y[chosen]
    model.fit(X, y)
    trained = time.process_time()
    step = len(X_test) if method in ("local", "pic") else 2000
    parts = [X_test[a : a + step] for a in range(0, len(X_test), step)]
    mean, std = np.hstack([model.predict(part, return_std=True) for part in parts])
    done = time.process_time()
    losses = gaussian_losses(y_test, mean, std**2 + model.noise_var_)
    return {
        "half mse": 0.5 * losses["mse"],
        "nlpd": losses["nlpd"],
        "training s": trained - start,
        "prediction s": done - trained,
        "evidence": model.log_marginal_likelihood_,
        "noise var": model.noise_var_,
        "evaluations": model.report_.n_evaluations,
    }


def draw(table: pd.DataFrame, path: Path) -> None:
    """Draw both errors over the number of inducing inputs and over the seconds of training."""
    figure, axes = plt.subplots(2, 2, figsize=(9.0, 7.0), sharex="col", sharey="row")
    for row, error in zip(axes, ("half mse", "nlpd"), strict=True):
        for ax, against in zip(row, ("M", "training s"), strict=True):
            for method, part in table.groupby("method", sort=False):
                colour, style = STYLES[method]
                at = part.sort_values("M")
                ax.plot(at[against], at[error], style, color=colour, ms=4, lw=1.2, label=method)
            ax.set_xscale("log", base=2 if against == "M" else 10)
            ax.grid(alpha=0.3)
            ax.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_yscale("log")
    axes[0, 0].set_ylabel("half the mean squared error")
    axes[1, 0].set_ylabel("mean negative log predictive density")
    sizes = sorted(table["M"].unique())
    axes[1, 0].set_xticks(sizes, [str(M) for M in sizes])
    axes[1, 0].set_xlabel("inducing inputs, rows of a block or of the subset")
    axes[1, 1].set_xlabel("seconds of training")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="upper center", ncols=5, fontsize=8)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.93))
    figure.savefig(path, dpi=80, pil_kwargs={"optimize": True})
    plt.close(figure)


def cases(quick: bool) -> Iterator[Case]:
    data = rows(2000, 2000) if quick else rows(N_TRAIN, 30_000)
    truth = ground_truth(data[0], data[1], 512 if quick else 2048)
    for method in METHODS:
        for M in 2 ** np.arange(4, 7 if quick else 10 if method in MOVED else 11):
            if LEAST.get(method, 0) <= M:
                names = {"method": method, "M": int(M)}
                yield names, partial(measure, method, int(M), truth, data)


if __name__ == "__main__":
    table = run(__file__, cases, ["method", "M"])
    if "--quick" not in sys.argv:
        draw(table, Path(__file__).with_suffix(".png"))
