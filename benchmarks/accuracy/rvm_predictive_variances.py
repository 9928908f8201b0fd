"""Tables 2.3 and 2.4 of Quinonero-Candela's thesis: the error bars of RVM, RVM* and GP.

Boston housing by 10-fold cross-validation, and KIN40K with ten disjoint pairs of 2000 training and
2000 test rows. All three models have one length-scale per input, learned by maximum evidence. They
are compared by squared error, absolute error and negative log density on the test sets, with
two-sided paired t-tests on the test sets' averages. RVM and RVM* share one training.

Inputs and targets are standardised by the training rows. The losses of Boston are in those units,
as the published ones are. Those of KIN40K are as if the targets were 0.21 times as large: with that
one factor both the squared error and the log density of the GP agree with the published ones, so it
must be the scale of the thesis. It changes no order and no p-value.

The data lie in the folder ``regression`` of the one named by the environment variable
``GPFORECAST_DATA``, or of ``../shared/data``. Prints tables and writes the losses of every test set
as CSV. Run it from the project's root: ``python benchmarks/accuracy/rvm_predictive_variances.py``;
``--quick`` is 3 folds, and 500 rows of KIN40K.
"""

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel

import gpforecast as gf

MODELS = ("RVM", "RVM*", "GP")
LOSSES = ("squared", "absolute", "-log density")


@dataclass(frozen=True)
class Case:
    """A table: the file, the units its losses are in, and what was published."""

    file: str
    unit: float  # the spread of the targets in the units of the losses
    losses: dict[str, tuple[float, float, float]]
    p: dict[tuple[str, str], tuple[str, str, str]]
    vectors: str


CASES = {
    "boston": Case(
        "boston_housing.csv",
        1.0,
        {
            "squared": (0.138, 0.135, 0.092),
            "absolute": (0.259, 0.253, 0.209),
            "-log density": (0.469, 0.408, 0.219),
        },
        {
            ("RVM", "RVM*"): ("not sig.", "0.07", "< 0.01"),
            ("RVM", "GP"): ("< 0.01", "< 0.01", "< 0.01"),
            ("RVM*", "GP"): ("0.02", "< 0.01", "< 0.01"),
        },
        "27 ± 14",
    ),
    "kin40k": Case(
        "kin40k.csv.gz",
        0.21,
        {
            "squared": (0.0043, 0.0040, 0.0024),
            "absolute": (0.0482, 0.0467, 0.0334),
            "-log density": (-1.2162, -1.3295, -1.7446),
        },
        dict.fromkeys((("RVM", "RVM*"), ("RVM", "GP"), ("RVM*", "GP")), ("< 0.01",) * 3),
        "252 ± 11",
    ),
}


def folder() -> Path:
    """Return the folder of the data."""
    return Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "regression"


def load(name: str) -> np.ndarray:
    """Return a table with the target in its last column."""
    header = 0 if name == "boston" else None
    return pd.read_csv(folder() / CASES[name].file, header=header).to_numpy(dtype=float)


def splits(name: str, n: int, n_folds: int, n_rows: int):
    """Yield training and test rows."""
    order = np.random.default_rng(0).permutation(n)
    if name == "boston":
        for test in np.array_split(order, 10)[:n_folds]:
            yield np.setdiff1d(order, test), test
    else:
        for k in range(n_folds):
            both = order[2 * n_rows * k : 2 * n_rows * (k + 1)]
            yield both[:n_rows], both[n_rows:]


def losses(y: np.ndarray, mean: np.ndarray, var: np.ndarray, unit: float) -> dict[str, float]:
    """Return the three losses averaged over a test set, the targets `unit` times as large."""
    density = 0.5 * ((y - mean) ** 2 / var + np.log(2.0 * np.pi * var))
    values = (unit**2 * (y - mean) ** 2, unit * np.abs(y - mean), density + np.log(unit))
    return {name: float(v.mean()) for name, v in zip(LOSSES, values, strict=True)}


def measure(name: str, n_folds: int, n_rows: int, machine) -> pd.DataFrame:
    """Return the losses of every model on every test set."""
    table = load(name)
    found = []
    for fold, (train, test) in enumerate(splits(name, len(table), n_folds, n_rows)):
        middle, spread = table[train].mean(axis=0), table[train].std(axis=0)
        scaled = (table - middle) / spread
        X, y = scaled[train, :-1], scaled[train, -1]
        X_test, y_test = scaled[test, :-1], scaled[test, -1]
        start = time.perf_counter()
        star = gf.models.RelevanceVectorMachineStar(machine).fit(X, y)
        middle_time = time.perf_counter()
        gp = gf.models.GaussianProcess().fit(X, y)
        seconds = {"RVM": middle_time - start, "GP": time.perf_counter() - middle_time}
        for model, fitted in zip(MODELS, (star.machine_, star, gp), strict=True):
            mean, std = fitted.predict(X_test, return_std=True)
            row = {"data": name, "fold": fold, "model": model}
            row |= losses(y_test, mean, std**2 + fitted.noise_var_, CASES[name].unit)
            row["vectors"] = len(y) if model == "GP" else len(star.machine_.relevant_)
            row["noise_var"] = fitted.noise_var_
            row["log_evidence"] = fitted.log_marginal_likelihood_
            row["seconds"] = seconds.get(model, np.nan)
            found.append(row)
        print(f"{name}, test set {fold}: " + ", ".join(_brief(r) for r in found[-3:]), flush=True)
    return pd.DataFrame(found)


def _brief(row: dict) -> str:
    return f"{row['model']} {row['squared']:.4f} {row['-log density']:.3f}"


def report(name: str, found: pd.DataFrame) -> None:
    """Print the table and the p-values beside those published."""
    case = CASES[name]
    print(f"\n{name}: averages over {found['fold'].nunique()} test sets\n")
    print(f"{'':<14}" + "".join(f"{m:>12}{'thesis':>9}" for m in MODELS))
    by_model = {m: found[found["model"] == m] for m in MODELS}
    for loss in LOSSES:
        cells = zip((by_model[m][loss].mean() for m in MODELS), case.losses[loss], strict=True)
        print(f"{loss:<14}" + "".join(f"{ours:12.4f}{then:9.4f}" for ours, then in cells))
    print(f"\n{'p-values':<14}" + "".join(f"{loss:>14}{'thesis':>10}" for loss in LOSSES))
    for (worse, better), then in case.p.items():
        cells = []
        for loss, published in zip(LOSSES, then, strict=True):
            test = ttest_rel(by_model[worse][loss], by_model[better][loss])
            sign = "" if test.statistic > 0 else "(-) "  # the order is the other way round
            cells.append(f"{sign + format(test.pvalue, '.2g'):>14}{published:>10}")
        print(f"{worse + ' / ' + better:<14}" + "".join(cells))
    vectors = by_model["RVM"]["vectors"]
    print(f"\nrelevance vectors {vectors.mean():.0f} ± {vectors.std():.0f}, thesis {case.vectors}")
    seconds = {m: by_model[m]["seconds"].mean() for m in ("RVM", "GP")}
    print(f"seconds a training: RVM {seconds['RVM']:.1f}, GP {seconds['GP']:.1f}\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="3 folds, and 500 rows of KIN40K")
    parser.add_argument("--data", choices=list(CASES), nargs="+", default=list(CASES))
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--width-steps", type=int, default=0, help="of the RVM")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    n_folds, n_rows = (min(3, options.folds), 500) if options.quick else (options.folds, 2000)
    machine = gf.models.RelevanceVectorMachine(width_steps=options.width_steps)
    tables = []
    for name in options.data:
        if not (folder() / CASES[name].file).exists():
            print(f"{name} is left out: there is no {folder() / CASES[name].file}.")
            continue
        tables.append(measure(name, n_folds, n_rows, machine))
        report(name, tables[-1])
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output and tables:
        pd.concat(tables).to_csv(output, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
