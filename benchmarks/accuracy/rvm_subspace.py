"""Subspace EM and training with all basis functions at once: time, evidence, vectors, memory.

Two problems: KIN40K with standardised inputs and targets, and the Mackey-Glass series with noise
(16 lags 6 apart, 6 ahead, basis functions of variance 10, as in Quinonero-Candela and Winther's
paper). The width is fixed, and the start and the stopping rule are the same, so that only the
algorithms differ. ``full`` is ``FullEM("mackay")``, ``growing`` ``SubspaceEM()``, ``thesis``
``SubspaceEM(n_new=59, n_cycles=10)``, ``500 active`` ``SubspaceEM(n_active=500)``, and ``fast``
``FastMarginalLikelihood()``. Time is processor time, which depends less on other work on the
machine than wall-clock time. Each training has a process of its own, whose peak memory is listed,
libraries included. The second table is the evidence less that of ``full``, in per cent of it.

4000 rows of KIN40K are figure 2.8 of Quinonero-Candela's thesis, with its published numbers of
relevance vectors; the width is not given there.

Run it from the project's root: ``python benchmarks/accuracy/rvm_subspace.py``; ``study.py`` has its
options.
"""

import time
from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from study import Case, Row, alone, parted, peak_megabytes, regression_table, run, standardised

import gpforecast as gf

WIDTHS = {"mackey-glass": 10.0**0.5, "kin40k": 3.0}  # in standard deviations of the inputs
N_TEST = 4000
PUBLISHED = {"full": 340, "thesis": 372, "500 active": 390}  # vectors
ALGORITHMS = {
    "full": gf.models.FullEM("mackay"),
    "growing": gf.models.SubspaceEM(),
    "thesis": gf.models.SubspaceEM(n_new=59, n_cycles=10),
    "500 active": gf.models.SubspaceEM(n_active=500),
    "fast": gf.models.FastMarginalLikelihood(),
}


def rows(data: str, n: int) -> tuple[np.ndarray, ...]:
    """Return X, y, X_test, y_test."""
    if data == "mackey-glass":
        z = gf.datasets.mackey_glass(30_000, normalise=True, noise_var=1e-3, seed=0)
        lagged = gf.embedding.LagEmbedding(list(range(6, 97, 6))).transform(z)
        table = np.column_stack([lagged.X, lagged.y])
    else:
        table = regression_table("kin40k")
        table = standardised(table, np.arange(len(table)))
    order = np.random.default_rng(0).permutation(len(table))
    return parted(table, order[N_TEST : N_TEST + n], order[:N_TEST])


def measure(data: str, n: int, name: str) -> Row:
    """Train once and return the results."""
    X, y, X_test, y_test = rows(data, n)
    options = {"adapt": None, "algorithm": ALGORITHMS[name]}
    machine = gf.models.RelevanceVectorMachine(WIDTHS[data], **options)
    start = time.process_time()
    machine.fit(X, y)
    return {
        "cpu_seconds": time.process_time() - start,
        "log_evidence": machine.log_marginal_likelihood_,
        "vectors": len(machine.relevant_),
        "test": float(np.mean((machine.predict(X_test) - y_test) ** 2)),
        "megabytes": peak_megabytes(),
    }


def cases(quick: bool) -> Iterator[Case]:
    sizes = (500,) if quick else (500, 1000, 2000, 4000)
    for data, n, name in product(WIDTHS, sizes, ALGORITHMS):
        names = {"data": data, "rows": n, "algorithm": name}
        yield names, partial(alone, measure, data, n, name)


if __name__ == "__main__":
    published = {("kin40k", 4000, name): n for name, n in PUBLISHED.items()}
    table = run(__file__, cases, ["data", "rows", "algorithm"], published=published)
    evidence = table.pivot_table("log_evidence", ["data", "rows"], "algorithm", sort=False)
    gap = evidence.sub(evidence["full"], axis=0).div(evidence["full"].abs(), axis=0)
    print(f"\n{(100 * gap).round(2)}")
