"""Sparse Gaussian processes of several libraries: Titsias' bound with the same inducing inputs.

Mackey-Glass with observation noise (variance 0.01 of a normalised series), 16 lags, N = 10,000
rows, M fixed inducing inputs (random rows), one length-scale for each input. All start from the
same hyperparameters and maximise the same bound with L-BFGS-B.

- *train*: seconds until the library's own search stops, or has taken 60 iterations, with the
  evaluations it took
- *evidence*: the bound at the hyperparameters found, computed here by the same formula for all
- *predict*: seconds for mean and variance of 30,000 rows, from a trained model

Each library runs in its own process and environment (made by ``python benchmarks/peers.py gpflow
gpytorch``). They are timed in turn. Prints a table and writes it as CSV. Run it from the project's
root: ``python benchmarks/speed/sparse.py``; ``--quick`` is a small version.
"""

import argparse
import csv
from pathlib import Path

import machine
import numpy as np
from workers import Workshop, add_options, workshop_from

import gpforecast as gf

LIBRARIES = ("gpforecast", "gpflow", "gpytorch")
HEAD = (
    f"{'':<14}{'train s':>9}{'/ ours':>8}{'calls':>7}{'evidence':>12}{'predict s':>11}{'/ ours':>8}"
)
HEAD = (
    f"{'':<14}{'train s':>9}{'/ ours':>8}{'calls':>7}{'evidence':>12}{'predict s':>11}{'/ ours':>8}"
)


def make_problem(workshop: Workshop, n: int, M: int, n_test: int, max_iter: int) -> Path:
    series = gf.datasets.mackey_glass(n + n_test + 16, normalise=True, noise_var=0.01, seed=0)
    rows = gf.embedding.LagEmbedding(16).transform(series)
    chosen = np.random.default_rng(0).permutation(n)[:M]
    return workshop.save(
        f"sparse-{n}-{M}", X=rows.X[:n], y=rows.y[:n], X_test=rows.X[n:], y_test=rows.y[n:],
        Z=rows.X[chosen], lengthscale_start=4.0, variance_start=1.0, noise_start=0.1,
        max_iter=max_iter,
    )  # fmt: skip


def bound(problem: Path, found: dict[str, np.ndarray]) -> float:
    """Return Titsias' bound by the plain formula, K_MM with a jitter of 1e-8 of the variance."""
    with np.load(problem) as p:
        X, y, Z = p["X"], p["y"], p["Z"]
    ell, c, s2 = found["lengthscales"], float(found["variance"]), float(found["noise_var"])

    def k(A, B):
        A, B = A / ell, B / ell
        return c * np.exp(-0.5 * ((A**2).sum(1)[:, None] + (B**2).sum(1) - 2.0 * A @ B.T))

    M = len(Z)
    L = np.linalg.cholesky(k(Z, Z) + 1e-8 * c * np.eye(M))
    V = np.linalg.solve(L, k(Z, X))
    A = np.eye(M) + V @ V.T / s2
    b = V @ y / s2
    fit = y @ y / s2 - b @ np.linalg.solve(A, b)
    log_det = np.linalg.slogdet(A)[1] + len(y) * np.log(s2)
    excess = (len(y) * c - (V**2).sum()) / s2
    return -0.5 * (fit + log_det + len(y) * np.log(2.0 * np.pi) + excess)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="1000 rows, 30 inducing inputs")
    add_options(parser)
    parser.add_argument("--inducing", type=int, nargs="+", default=[100])
    parser.add_argument("--max-iter", type=int, default=60, help="most iterations of each search")
    parser.add_argument("--runs", type=int, default=3, help="timings of each")
    options = parser.parse_args()
    workshop = workshop_from(options)
    print(machine.description(), f"threads: {options.threads or 'free'}", options.clock, sep="; ")
    n, n_test = (1000, 2000) if options.quick else (10_000, 30_000)
    table = []
    for M in [30] if options.quick else options.inducing:
        problem = make_problem(workshop, n, M, n_test, options.max_iter)
        print(f"\nN = {n}, M = {M}")
        print(HEAD)
        entries = [(name, "sgpr_fit", name) for name in LIBRARIES]
        trained = workshop.compare(entries, problem, options.runs, first=True)
        entries = [(name, "sgpr_predict", name) for name in LIBRARIES]
        predicted = {w.label: w for w in workshop.compare(entries, problem, options.runs)}
        for w in trained:
            ours, at = trained[0].median, predicted[w.label].median
            base = predicted[trained[0].label].median
            row = {
                "library": w.label, "rows": n, "inducing": M, "train s": w.median,
                "calls": int(w.numbers["evaluations"]), "evidence": bound(problem, w.arrays),
                "predict s": at,
            }  # fmt: skip
            table.append(row)
            print(
                f"{w.label:<14}{w.median:9.2f}{w.median / ours:8.1f}{row['calls']:7d}"
                f"{row['evidence']:12.2f}{at:11.3f}{at / base:8.1f}",
                flush=True,
            )
    if table:
        options.output.mkdir(parents=True, exist_ok=True)
        with (options.output / "sparse.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, table[0])
            writer.writeheader()
            writer.writerows(table)


if __name__ == "__main__":
    main()
