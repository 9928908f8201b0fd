"""Time against N of gpforecast and other libraries: moments, forecast, backtest, fits, first use.

Prints a table of medians with their ratios to gpforecast, and writes it as CSV. Each library runs
in its own process and environment (made by ``python benchmarks/peers.py``). They are timed in turn,
so that other work on the machine affects all of them. Run it from the project's root::

    python benchmarks/speed/against_peers.py                      # about twenty minutes
    python benchmarks/speed/against_peers.py --quick              # a minute or two
    python benchmarks/speed/against_peers.py --only moments fit --where DIR --output DIR

The data are the Mackey-Glass series with noise of variance 1e-3, in 16 lags. *Moments* are those of
one uncertain input, and ``arithmetic alone`` is the time of as many multiply-adds. *Fit* has the
log evidence of the hyperparameters found, by the same formula for all. *Relevance vectors* have
the basis exp(-|x - x'|^2 / 8) on lags 6 apart, 6 ahead, and their test error on 8500 rows.

Everything runs in one thread unless ``--threads`` is given (0: the default of each library). With
more than one thread, BLAS on a machine that is not idle can wait a hundred times longer than it
works. With wall-clock time, the backtest of gpforecast is timed with all cores as well. ``--clock
processor`` counts processor time instead, which is better on such a machine.
"""

import argparse
import os
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from workers import CLOCKS, UnavailableError, Worker, Workshop, peers

import gpforecast as gf

LAGS, N_FITTED, N_TEST = 16, 500, 8500
OURS = "gpforecast"
# Of each section its entries: library, task, label, and the most rows that it is timed on.
MOMENTS = [
    (OURS, "moments", OURS, 2000),
    ("numpy", "moments", "NumPy/BLAS", 2000),
    ("numpy", "blocked_moments", "NumPy/BLAS in blocks", 1000),
    ("gpflow", "moments", "GPflow expectations", 1000),
    ("gpflow", "conditional", "GPflow conditional", 1000),
    ("arithmetic", "moments", "arithmetic alone", 2000),
]
FORECAST = [
    (OURS, "forecast", OURS, 1000),
    ("numpy", "forecast", "NumPy/BLAS in blocks", 1000),
    ("gpflow", "forecast", "GPflow expectations", 1000),
]
BACKTEST = [(OURS, "backtest", OURS, 1000), *FORECAST[1:]]
FIT = [
    (OURS, "fit", OURS, 2000),
    ("scikit-learn", "fit", "scikit-learn", 1000),
    ("gpy", "fit", "GPy", 1000),
    ("gpytorch", "fit", "GPyTorch", 1000),
    ("gpflow", "fit", "GPflow", 1000),
]
VECTORS = [
    *((OURS, f"rvm_{how}", f"{OURS}, {how}", 1000) for how in ("fast", "subspace", "mackay")),
    ("fastrvm", "rvm", "fastrvm", 1000),
    ("sklearn-rvm", "rvm", "sklearn-rvm", 1000),
]
Row = dict[str, object]


def rows_of(values: np.ndarray, lags: object = LAGS) -> tuple[np.ndarray, np.ndarray]:
    rows = gf.embedding.LagEmbedding(lags).transform(values)
    return rows.X, rows.y


class Problems:
    """The problems as arrays, the same for every library; hyperparameters are fitted once."""

    def __init__(self, workshop: Workshop) -> None:
        self.workshop = workshop
        self.series = gf.datasets.mackey_glass(12_000, normalise=True, noise_var=1e-3, seed=0)
        self.series = self.series.to_numpy()
        gp = gf.models.GaussianProcess().fit(*rows_of(self.series[: N_FITTED + LAGS]))
        self.given = {"lengthscales": np.asarray(gp.covariance_.lengthscales)}
        self.given |= {"variance": gp.covariance_.variance, "noise_var": gp.noise_var_}

    def fit(self, n: int) -> Path:
        """Return the rows to fit; the series is normalised at its own length."""
        series = gf.datasets.mackey_glass(n + LAGS, normalise=True, noise_var=1e-3, seed=0)
        X, y = rows_of(series)
        start = {"lengthscales_start": np.full(LAGS, 4.0), "variance_start": 1.0}
        return self.workshop.save(f"fit-{n}", X=X, y=y, series=series, noise_start=0.01, **start)

    def forecast(self, n: int, horizon: int = 100, n_origins: int = 1, threads: int = 1) -> Path:
        """Return a model of n rows, origins to forecast from, and one uncertain input, u and S.

        That input is the one of step 40 of the forecast from the end of the training data: S is
        full, and as large as in a typical forecast.
        """
        series = self.series[: n + LAGS]
        scaler = gf.transforms.Standardise.fit(series)
        scaled = np.asarray(scaler.transform(self.series))
        X, y = rows_of(scaled[: n + LAGS])
        k = gf.covariances.SquaredExponential(self.given["lengthscales"], self.given["variance"])
        model = gf.models.GaussianProcess(k, noise_var=self.given["noise_var"], optimizer=None)
        f = gf.Forecaster(lags=LAGS, model=model, max_rows=None).fit(scaled[: n + LAGS]).predict(40)
        lags = slice(39, 39 - LAGS, -1)
        origins = np.array([n + LAGS])
        if n_origins > 1:
            room = np.arange(n + LAGS, len(scaled) - horizon)
            origins = np.sort(np.random.default_rng(0).choice(room, n_origins, replace=False))
        return self.workshop.save(
            f"forecast-{n}-{n_origins}-{threads}", X=X, y=y, series=series, whole=self.series,
            origins=origins, pasts=scaled[origins[:, None] - LAGS + np.arange(LAGS)],
            horizon=horizon, threads=threads, shift=np.mean(series), scale=np.std(series),
            u=f.mean.to_numpy()[lags], S=f.covariance.to_numpy()[lags, lags], **self.given,
        )  # fmt: skip

    def vectors(self, n: int) -> Path:
        """Return rows of lags 6 apart, drawn at random, and rows to test."""
        X, y = rows_of(self.series, range(6, 97, 6))
        order = np.random.default_rng(0).permutation(len(y))
        train, test = order[:n], order[n : n + N_TEST]
        return self.workshop.save(
            f"rvm-{n}", X=X[train], y=y[train], X_test=X[test], y_test=y[test], width=2.0
        )


def agreement(worker: Worker, ours: Worker, _problem: dict[str, np.ndarray]) -> str:
    """Return the largest differences of means and standard deviations from those of gpforecast."""
    if worker is ours or "mean" not in worker.arrays:
        return ""
    mean = np.abs(worker.arrays["mean"] - ours.arrays["mean"]).max()
    std = np.abs(np.sqrt(worker.arrays["var"] / ours.arrays["var"]) - 1.0).max()
    return f"mean {mean:.0e} (of 1), std {std:.0e} off ours at most"


def evidence(worker: Worker, _ours: Worker, problem: dict[str, np.ndarray]) -> str:
    """Return log N(y | 0, K + s2 I) at the hyperparameters found."""
    found = worker.arrays
    X, y = problem["X"] / found["lengthscales"], problem["y"]
    apart = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    C = found["variance"] * np.exp(-0.5 * apart) + found["noise_var"] * np.eye(len(y))
    fit = y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1] + len(y) * np.log(2 * np.pi)
    calls = f", {found['evaluations']:.0f} evaluations" if "evaluations" in found else ""
    return f"log evidence {-0.5 * fit:9.2f}{calls}"


def sparsity(worker: Worker, _ours: Worker, problem: dict[str, np.ndarray]) -> str:
    error = np.mean((worker.arrays["mean"] - problem["y_test"]) ** 2)
    return f"{worker.ready['vectors']:.0f} vectors, test MSE {error:.2e}"


def measured(bench: Problems, sections: list[str], quick: bool, runs: int | None) -> Iterator[Row]:
    """Yield the medians of the sections."""
    many, few = (runs or 3, runs or 1) if quick else (runs or 9, runs or 3)
    origins, steps = (20, 20) if quick else (200, 100)
    sizes = {"moments": [100, 500, 1000, 2000], "fit": [500, 1000, 2000]}
    table = {  # what, entries, rows, problem, runs, note
        "moments": ("moments", MOMENTS, sizes["moments"], bench.forecast, many, agreement),
        "forecast": ("forecast, 100 steps", FORECAST, [100, 500, 1000], bench.forecast, few,
                     agreement),
        "backtest": (f"backtest, {origins} x {steps}", BACKTEST, [100],
                     lambda n: bench.forecast(n, steps, origins), few, agreement),
        "fit": ("fit", FIT, sizes["fit"], bench.fit, few, evidence),
        "rvm": ("relevance vectors", VECTORS, [1000], bench.vectors, few, sparsity),
    }  # fmt: skip
    for section in sections:
        if section == "start":
            yield from first_use(bench, few)
            continue
        what, entries, ns, problem_of, n_runs, note = table[section]
        for n in [150] if quick else ns:
            problem = problem_of(n)
            chosen = [entry[:3] for entry in entries if n <= entry[3]]
            long = note is not agreement
            workers = bench.workshop.compare(chosen, problem, n_runs, first=long)
            ours = workers[0]
            for w in workers:
                row = {"what": what, "n": n, "library": w.label, "seconds": np.median(w.seconds)}
                row |= {"runs": len(w.seconds), "threads": bench.workshop.threads}
                row["ratio"] = row["seconds"] / np.median(ours.seconds)
                with np.load(problem) as given:
                    yield row | {"note": note(w, ours, given)}
        if section == "backtest" and bench.workshop.clock == 0:
            every = bench.forecast(100, steps, origins, threads=0)
            (w,) = bench.workshop.compare([(OURS, "backtest", f"{OURS}, all cores")], every, few)
            row = {"what": what, "n": 100, "library": w.label, "seconds": np.median(w.seconds)}
            yield row | {"runs": few, "threads": os.cpu_count()}


def first_use(bench: Problems, runs: int) -> Iterator[Row]:
    """Time import and first call in new processes; of gpforecast also with nothing compiled."""
    problem = bench.fit(284)
    with tempfile.TemporaryDirectory() as empty:
        entries = [(name, label, {}) for name, _, label, _ in FIT]
        entries.append((OURS, f"{OURS}, cold cache", {"NUMBA_CACHE_DIR": empty}))
        for name, label, extra in entries:
            try:
                workers = [
                    bench.workshop.start(name, "first", problem, label, **extra)
                    for _ in range(1 if extra else runs)
                ]
            except UnavailableError as reason:
                bench.workshop.skip(str(reason))
                continue
            for what, key in (("import", "import"), ("first call", "ready")):
                seconds = np.median([w.ready[key] for w in workers])
                row = {"what": what, "n": 284, "library": label, "seconds": seconds}
                yield row | {"runs": len(workers), "threads": bench.workshop.threads}
            for w in workers:
                w.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="150 rows, few runs")
    parser.add_argument("--where", type=Path, default=peers.WHERE, help="the environments")
    parser.add_argument("--output", type=Path, default=Path("gpforecast-bench"), help="folder")
    parser.add_argument("--threads", type=int, default=1, help="for every library; 0: its default")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="processor: of all threads")
    parser.add_argument("--runs", type=int, help="timings of each (default 9; of long calls 3)")
    sections = ("moments", "forecast", "backtest", "fit", "rvm", "start")
    parser.add_argument("--only", nargs="+", choices=sections, default=sections, metavar="SECTION")
    options = parser.parse_args()
    print(platform.processor(), os.cpu_count(), "cores, Python", platform.python_version())
    workshop = Workshop(options.where, options.threads, options.clock)
    rows = []
    for row in measured(Problems(workshop), options.only, options.quick, options.runs):
        ratio = f"{row['ratio']:9.2f}x" if "ratio" in row else " " * 10
        head = f"{row['what']:<24}{row['n']:>6}  {row['library']:<22}{row['seconds']:11.3g} s"
        print(f"{head}{ratio}  {row.get('note', '')}", flush=True)
        rows.append(row)
    options.output.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(options.output / "against_peers.csv", index=False)
    print(f"\nwritten to {options.output}/against_peers.csv")


if __name__ == "__main__":
    main()
