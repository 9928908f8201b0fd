"""Relevance vector machines of several libraries: time, vectors, error, evidence, error bars.

Mackey-Glass as in Quinonero-Candela's thesis, table 2.2 (16 lags 6 apart, 6 ahead), one fixed
width: all libraries have the basis exp(-|x - x'|^2 / (2 width^2)), with and without a bias, on the
series with and without noise.

- *evidence* is log N(y | 0, s2 I + Phi A^-1 Phi'), computed here in the same way for all, from the
  alphas and the noise variance that each library returns.
- *one pass*: subspace EM with ``n_passes=1``.
- *free*: weights start with almost no prior, `FullEM(initial_precision=1e-9)`.
- *std off* is the largest relative difference between a library's predictive standard deviation at
  the test inputs and sqrt(phi' Sigma phi + s2), with Sigma = (A + Phi'Phi / s2)^-1 computed here,
  the bias among the features where there is one.

Each library runs in its own process and environment (made by ``python benchmarks/peers.py fastrvm
sklearn-rvm``). They are timed in turn. Prints a table and writes it as CSV. Run it from the
project's root: ``python benchmarks/speed/rvm.py``; ``--quick`` is a small version.
"""

import argparse
import csv
import itertools
from pathlib import Path

import machine
import numpy as np
from workers import Workshop, add_options, workshop_from

import gpforecast as gf

WIDTH = 2.0
N_TEST = 8500
OURS = "gpforecast"
ENTRIES = [
    (OURS, "rvm_fast", "gpforecast, fast"),
    (OURS, "rvm_subspace", "gpforecast, subspace"),
    (OURS, "rvm_once", "gpforecast, one pass"),
    (OURS, "rvm_mackay", "gpforecast, mackay"),
    (OURS, "rvm_free", "gpforecast, mackay, free"),
    ("fastrvm", "rvm", "fastrvm"),
    ("sklearn-rvm", "rvm", "sklearn-rvm"),
]
HEAD = (
    f"{'':<24}{'seconds':>9}{'/ fastrvm':>11}{'vectors':>9}{'test MSE':>11}"
    f"{'log evidence':>14}{'noise var':>11}{'std off':>10}"
)


def make_problem(workshop: Workshop, n: int, noise_var: float, bias: bool) -> Path:
    """Draw n training rows and 8500 test rows from one long series."""
    series = gf.datasets.mackey_glass(N_TEST + n + 200, normalise=True, noise_var=noise_var, seed=0)
    rows = gf.embedding.LagEmbedding(list(range(6, 97, 6))).transform(series)
    chosen = np.random.default_rng(0).permutation(len(rows.y))
    train, test = chosen[:n], chosen[n : n + N_TEST]
    return workshop.save(
        f"rvm-{n}-{noise_var:g}-{bias}",
        X=rows.X[train],
        y=rows.y[train],
        X_test=rows.X[test],
        y_test=rows.y[test],
        width=WIDTH,
        bias=bias,
    )


def design(X: np.ndarray, centers: np.ndarray, bias: bool) -> np.ndarray:
    """Return the features of every row: basis functions, then the bias."""
    squares = ((X**2).sum(axis=1)[:, None] - 2.0 * X @ centers.T) + (centers**2).sum(axis=1)
    Phi = np.exp(-0.5 / WIDTH**2 * np.maximum(squares, 0.0))
    return np.column_stack([Phi, np.ones(len(X))]) if bias else Phi


def explicit(y, Phi, Phi_test, alpha, s2) -> tuple[float, np.ndarray]:
    """Return log N(y | 0, C), C = s2 I + Phi A^-1 Phi', and sqrt(phi' Sigma phi + s2) at test rows.

    C has a condition number beyond double precision where the series has no noise, so neither it
    nor its inverse is formed: with [Phi / s; A^1/2] = Q R,

        log|C| = N log s2 - log|A| + 2 log|R|        y' C^-1 y = |(I - Q Q') [y / s; 0]|^2
        phi' Sigma phi = |R^-T phi|^2
    """
    n, m = Phi.shape
    s = np.sqrt(s2)
    Q, R = np.linalg.qr(np.vstack([Phi / s, np.diag(np.sqrt(alpha))]))
    target = np.concatenate([y / s, np.zeros(m)])
    misfit = target - Q @ (Q.T @ target)
    log_det = n * np.log(s2) - np.log(alpha).sum() + 2.0 * np.log(np.abs(np.diag(R))).sum()
    evidence = -0.5 * (misfit @ misfit + log_det + n * np.log(2.0 * np.pi))
    half = np.linalg.solve(R.T, Phi_test.T)
    return float(evidence), np.sqrt((half**2).sum(axis=0) + s2)


def judge(problem: Path, arrays: dict[str, np.ndarray]) -> dict[str, float]:
    """Return the scores of a library's answer."""
    with np.load(problem) as p:
        X, y, X_test, y_test = p["X"], p["y"], p["X_test"], p["y_test"]
    s2, alpha = float(arrays["noise_var"]), arrays["alpha"]
    bias = bool(np.isfinite(arrays["alpha_bias"]))
    if bias:
        alpha = np.append(alpha, arrays["alpha_bias"])
    Phi = design(X, arrays["centers"], bias)
    Phi_test = design(X_test, arrays["centers"], bias)
    log_evidence, std = explicit(y, Phi, Phi_test, alpha, s2)
    return {
        "vectors": len(arrays["centers"]),
        "test MSE": float(np.mean((arrays["mean"] - y_test) ** 2)),
        "log evidence": log_evidence,
        "noise_var": s2,
        "std off": float(np.max(np.abs(arrays["std"] / std - 1.0))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="300 rows, few runs")
    add_options(parser)
    parser.add_argument("--rows", type=int, nargs="+", help="training rows (default 1000)")
    parser.add_argument(
        "--noise-var", type=float, nargs="+", default=[0.0, 1e-3], help="added to the series"
    )
    parser.add_argument("--runs", type=int, help="timings of each (default 5)")
    options = parser.parse_args()
    runs = options.runs or (2 if options.quick else 5)
    workshop = workshop_from(options)
    threads = f"threads: {options.threads or 'free'}"
    print(machine.description(), threads, f"{options.clock} time", sep="; ")
    table = []
    sizes = options.rows or ([300] if options.quick else [1000])
    for n, noise, bias in itertools.product(sizes, options.noise_var, (False, True)):
        problem = make_problem(workshop, n, noise, bias)
        print(f"\nN = {n}, noise {noise:g}, {'with' if bias else 'without'} a bias\n{HEAD}")
        workers = workshop.compare(ENTRIES, problem, runs, first=True)
        base = [w.median for w in workers if w.label == "fastrvm"] or [float("nan")]
        for w in workers:
            row = {"library": w.label, "rows": n, "noise": noise, "bias": bias}
            row |= {"seconds": w.median, "ratio": w.median / base[0], **judge(problem, w.arrays)}
            table.append(row)
            print(
                f"{w.label:<24}{row['seconds']:9.3f}{row['ratio']:11.2f}{row['vectors']:9d}"
                f"{row['test MSE']:11.2e}{row['log evidence']:14.2f}{row['noise_var']:11.2e}"
                f"{row['std off']:10.1e}",
                flush=True,
            )
    if not table:
        return
    options.output.mkdir(parents=True, exist_ok=True)
    with (options.output / "rvm.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    print(f"\nwritten to {options.output}/rvm.csv")


if __name__ == "__main__":
    main()
