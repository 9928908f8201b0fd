"""Table 2.2 and figure 2.6 of Quinonero-Candela's thesis: relevance vectors on Mackey-Glass.

And figures 4 and 5 of its paper B.

Sixteen values of the noiseless series, 6 apart, predict the value 6 ahead: x_k = [z(k - 6), z(k -
12), ..., z(k - 96)]. Rows are drawn at random from one normalised series, 1000 to train and 8500 to
test, 10 times. The table has mean squared errors (mean and standard error over the repetitions) and
the numbers of relevance vectors, with the published ones. Without noise in the data the evidence
favours ever smaller noise, and smaller noise needs more vectors. The rows called *sparser* fix the
noise variance at about the published error instead.

``--widths`` is figure 2.6 instead: the test error against the starting width of the basis
functions, with the width fixed and with it adapted, on 500 rows. The claim: with adaptation, over a
decade of starting widths, the error stays within a factor of 2 of the best. It holds by
construction, because `RelevanceVectorMachine` finds the scale of its start from the data, so that
equal widths of any size lead to the same start, except for rounding.

``--sizes`` is figures 4 and 5 of paper B: the test error against the number of rows that train,
with a small and a large fixed variance of the basis functions (2 and 20; the paper does not give
its own) and with it adapted, and the variance that is learned. The claim: the more rows, the
smaller the variance that is best, and the learned one follows it. 5 repetitions.

Writes every repetition as CSV. Run it from the project's root:
``python benchmarks/accuracy/rvm_mackey_glass.py``; ``--quick`` is a small version.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import gpforecast as gf

Machine = gf.models.RelevanceVectorMachine
N_TEST = 8500

# Of each row of the table: how to make it, and the published test error and vectors, if any.
TABLE: dict[str, tuple[Callable[[], Any], str, str]] = {
    "linear": (gf.models.LinearAR, "9.6e-2", ""),
    "5 neighbours, linear": (lambda: gf.models.NearestNeighbours(5), "8.4e-5", ""),
    "isotropic": (lambda: Machine(adapt="isotropic"), "5.5e-6", "108"),
    "isotropic, sparser": (
        lambda: Machine(adapt="isotropic", width_steps=2, noise_var=8e-6, learn_noise=False),
        "5.5e-6",
        "108",
    ),
    "ard": (Machine, "1.9e-6", "87"),
    "ard, width_steps=2": (lambda: Machine(width_steps=2), "1.9e-6", "87"),
    "ard, sparser": (lambda: Machine(noise_var=5e-6, learn_noise=False), "1.9e-6", "87"),
    "ard, mackay": (lambda: Machine(algorithm="mackay"), "", ""),
    "Gaussian process": (gf.models.GaussianProcess, "", ""),
}


def repetitions(n: int, n_repetitions: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield X, y, X_test, y_test."""
    series = gf.datasets.mackey_glass(12_000, normalise=True)
    rows = gf.embedding.LagEmbedding(range(6, 97, 6)).transform(series)
    for seed in range(n_repetitions):
        order = np.random.default_rng(seed).permutation(len(rows.y))
        train, test = order[:n], order[n : n + N_TEST]
        yield rows.X[train], rows.y[train], rows.X[test], rows.y[test]


def measure(model: Any, X, y, X_test, y_test) -> dict[str, float]:
    """Train, and return the errors, the number of relevance vectors and the time."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)  # of a GP without noise
        model.fit(X, y)
    return {
        "train": float(np.mean((model.predict(X) - y) ** 2)),
        "test": float(np.mean((model.predict(X_test) - y_test) ** 2)),
        "vectors": len(model.relevant_) if hasattr(model, "relevant_") else np.nan,
        "log_evidence": getattr(model, "log_marginal_likelihood_", np.nan),
        "seconds": time.perf_counter() - start,
    }


def table_2_2(n: int, n_repetitions: int, names: list[str]) -> pd.DataFrame:
    """Print table 2.2, and return every repetition."""
    found = []
    print(f"{n} rows, {n_repetitions} repetitions, mean and standard error; 'thesis' as published")
    print(
        f"{'':<22}{'train MSE':>10}{'test MSE':>20}{'thesis':>8}{'vectors':>9}{'thesis':>7}{'s':>6}"
    )
    for name in names:
        make, error_then, vectors_then = TABLE[name]
        rows = [measure(make(), *data) for data in repetitions(n, n_repetitions)]
        found += [{"model": name, "repetition": r, **row} for r, row in enumerate(rows)]
        mean = pd.DataFrame(rows).mean()
        error = pd.DataFrame(rows)["test"].sem()
        vectors = "" if np.isnan(mean["vectors"]) else f"{mean['vectors']:.0f}"
        test = f"{mean['test']:.2e} ± {error:.1e}"
        print(
            f"{name:<22}{mean['train']:10.2e}{test:>20}{error_then:>8}{vectors:>9}"
            f"{vectors_then:>7}{mean['seconds']:6.1f}",
            flush=True,
        )
    return pd.DataFrame(found)


def figure_2_6(n: int, n_repetitions: int, widths: np.ndarray) -> pd.DataFrame:
    """Print the table of figure 2.6, and return every repetition."""
    modes: dict[str, str | None] = {"fixed": None, "isotropic": "isotropic", "ard": "ard"}
    found = []
    print(f"{n} rows, {n_repetitions} repetitions: mean test MSE (relevance vectors)")
    print(f"{'start':>6}" + "".join(f"{mode:>20}" for mode in modes))
    for width in widths:
        cells = []
        for mode, adapt in modes.items():
            rows = [
                measure(Machine(lengthscales=float(width), adapt=adapt), *data)
                for data in repetitions(n, n_repetitions)
            ]
            found += [
                {"width": width, "mode": mode, "repetition": r, **row} for r, row in enumerate(rows)
            ]
            mean = pd.DataFrame(rows).mean()
            cells.append(f"{mean['test']:.2e} ({mean['vectors']:.0f})")
        print(f"{width:6.2f}" + "".join(f"{cell:>20}" for cell in cells), flush=True)
    means = pd.DataFrame(found).groupby(["mode", "width"])["test"].mean()
    for mode in modes:
        worst = means[mode].max() / means[mode].min()
        print(f"{mode}: the worst start has {worst:.3g} times the error of the best")
    return pd.DataFrame(found)


def figures_4_and_5(sizes: list[int], n_repetitions: int) -> pd.DataFrame:
    """Print the table of figures 4 and 5 of paper B, and return every repetition."""
    kinds: dict[str, dict[str, Any]] = {
        "2": {"lengthscales": 2.0**0.5, "adapt": None},
        "20": {"lengthscales": 20.0**0.5, "adapt": None},
        "learned": {"adapt": "isotropic"},
    }
    found = []
    print(f"{n_repetitions} repetitions: mean test MSE (relevance vectors) by variance")
    print(f"{'rows':>6}" + "".join(f"{kind:>20}" for kind in kinds) + f"{'learned variance':>24}")
    for n in sizes:
        cells = []
        for kind, options in kinds.items():
            rows = []
            for data in repetitions(n, n_repetitions):
                model = Machine(**options)
                rows.append({**measure(model, *data), "variance": model.lengthscales_[0] ** 2})
            found += [
                {"rows": n, "kind": kind, "repetition": r, **row} for r, row in enumerate(rows)
            ]
            mean = pd.DataFrame(rows).mean()
            cells.append(f"{mean['test']:.2e} ({mean['vectors']:.0f})")
        learned = pd.DataFrame(rows)["variance"]
        width = f"{learned.mean():.1f} ± {learned.sem():.1f}"
        print(f"{n:6d}" + "".join(f"{cell:>20}" for cell in cells) + f"{width:>24}", flush=True)
    print("published, 1000 rows, learned: 5.5e-6 (108)")
    return pd.DataFrame(found)


def draw(found: pd.DataFrame, path: Path) -> None:
    """Draw figure 2.6."""
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    marks = {"fixed": "o", "isotropic": "^", "ard": "s"}
    for mode, mark in marks.items():
        curve = found[found["mode"] == mode].groupby("width")["test"].mean()
        ax.loglog(curve.index, curve, marker=mark, label="fixed" if mode == "fixed" else mode)
    ax.set(xlabel="starting width", ylabel="test mean squared error")
    ax.legend(frameon=False)
    fig.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="200 rows, 2 repetitions")
    parser.add_argument("--widths", action="store_true", help="figure 2.6 instead of table 2.2")
    parser.add_argument("--sizes", action="store_true", help="figures 4 and 5 of paper B instead")
    parser.add_argument("--models", nargs="+", choices=list(TABLE), default=list(TABLE))
    parser.add_argument("--repetitions", type=int, help="default 10; 5 with --sizes")
    parser.add_argument("--figure", type=Path, help="draw figure 2.6 to this file")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    n_repetitions = 2 if options.quick else options.repetitions or (5 if options.sizes else 10)
    name = "rvm_mackey_glass.csv"
    if options.sizes:
        name = "rvm_sizes.csv"
        sizes = [100, 200] if options.quick else [100, 200, 400, 700, 1000]
        found = figures_4_and_5(sizes, n_repetitions)
    elif options.widths:
        name = "rvm_widths.csv"
        widths = np.geomspace(1.0, 10.0, 3 if options.quick else 7)
        found = figure_2_6(200 if options.quick else 500, n_repetitions, widths)
        if options.figure:
            draw(found, options.figure)
    else:
        found = table_2_2(200 if options.quick else 1000, n_repetitions, options.models)
    output = options.output or (None if options.quick else Path(__file__).with_name(name))
    if output:
        found.to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
