"""Table 2.2 of Quinonero-Candela's thesis: relevance vectors on Mackey-Glass.

And figures 4 and 5 of its paper B.

Sixteen values of the noiseless series, 6 apart, predict the value 6 ahead: x_k = [z(k - 6), z(k -
12), ..., z(k - 96)]. Rows are drawn at random from one normalised series, 1000 to train and 8500 to
test, three times. The table has mean squared errors (mean and standard error over repetitions) and
the numbers of relevance vectors, with the published ones. Without noise in the data the evidence
favours ever smaller noise, and smaller noise needs more vectors. The rows called *sparser* fix the
noise variance at about the published error instead.

``--sizes`` is figures 4 and 5 of paper B: the test error against the number of rows that train,
with a small and a large fixed variance of the basis functions (2 and 20; the paper does not give
its own) and with it adapted, and the variance that is learned. The claim: the more rows, the
smaller the variance that is best, and the learned one follows it.

Run it from the project's root: ``python benchmarks/accuracy/rvm_mackey_glass.py``; ``study.py`` has
its options.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from study import Case, Row, Rows, parted, run

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
    "Gaussian process": (gf.models.GaussianProcess, "", ""),
}


def repetitions(n: int, n_repetitions: int) -> Iterator[Rows]:
    series = gf.datasets.mackey_glass(12_000, normalise=True)
    rows = gf.embedding.LagEmbedding(range(6, 97, 6)).transform(series)
    table = np.column_stack([rows.X, rows.y])
    for seed in range(n_repetitions):
        order = np.random.default_rng(seed).permutation(len(table))
        yield parted(table, order[:n], order[n : n + N_TEST])


def measure(model: Any, X, y, X_test, y_test) -> dict[str, float]:
    """Train, and return the errors, the number of relevance vectors and the time."""
    start = time.perf_counter()
    model.fit(X, y)
    return {
        "train": float(np.mean((model.predict(X) - y) ** 2)),
        "test": float(np.mean((model.predict(X_test) - y_test) ** 2)),
        "vectors": len(model.relevant_) if hasattr(model, "relevant_") else np.nan,
        "log_evidence": getattr(model, "log_marginal_likelihood_", np.nan),
        "seconds": time.perf_counter() - start,
    }


def table_2_2(quick: bool) -> Iterator[Case]:
    for name, (make, *_) in TABLE.items():
        for r, data in enumerate(repetitions(200 if quick else 1000, 2 if quick else 3)):
            names = {"model": name, "repetition": r}
            yield names, lambda make=make, data=data: measure(make(), *data)


def figures_4_and_5(quick: bool) -> Iterator[Case]:
    kinds: dict[str, dict[str, Any]] = {
        "2": {"lengthscales": 2.0**0.5, "adapt": None},
        "20": {"lengthscales": 20.0**0.5, "adapt": None},
        "learned": {"adapt": "isotropic"},
    }
    for n in [100, 200] if quick else [100, 200, 400, 700, 1000]:
        for kind, options in kinds.items():
            for r, data in enumerate(repetitions(n, 2 if quick else 5)):
                names = {"rows": n, "kind": kind, "repetition": r}
                yield names, partial(with_variance, Machine(**options), *data)


def with_variance(model: Any, *data: np.ndarray) -> Row:
    return measure(model, *data) | {"variance": model.lengthscales_[0] ** 2}


if __name__ == "__main__":
    if "--sizes" in sys.argv:
        run(Path(__file__).with_name("rvm_sizes.py"), figures_4_and_5, ["rows", "kind"])
    else:
        published = {name: then for name, (_, *then) in TABLE.items()}
        run(__file__, table_2_2, ["model"], published=published)
