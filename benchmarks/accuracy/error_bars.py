"""Where error bars fail: the figures of docs/explanation/when_error_bars_fail.rst.

- Free simulation of the gas furnace of Box and Jenkins and of the hair dryer, five lags of input
  and output, learned from one half and simulated over the other: RMSE, the mean standard deviation,
  and how much of the other half 95 % intervals hold; and the errors of one step of a linear model.
- Random walks of 300 values, forecast 50 steps without a transform and by default.
- The Henon map without noise: 500 values to learn from, 23 later origins, steps 25 to 40.

Writes the tables as one CSV beside this script. Run it from the project's root, with the data's
folder in GPFORECAST_DATA: ``python benchmarks/accuracy/error_bars.py``; ``--quick`` takes a tenth
of the walks and origins.
"""

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.propagation import MonteCarlo

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "sysid"
LAGS = 5


def held(truth: np.ndarray, mean: np.ndarray, var: np.ndarray) -> np.ndarray:
    """Return which values 95 % intervals hold."""
    return np.abs(truth - mean) < 1.959964 * np.sqrt(var)


def simulations(n_paths: int) -> pd.DataFrame:
    """Learn one half of a recording, and simulate the other on its inputs alone."""
    rows = {}
    paths = MonteCarlo(n_paths, kind="function", seed=0)
    models = {
        "default": (None, "auto", None),
        "step by step": (None, gf.propagation.ExactMoments(function="step"), None),
        "paths": (None, paths, None),
        "linear": (gf.models.LinearAR(), "auto", None),
        "calibrated": (None, "auto", "conformal"),
    }
    for name in ("gas_furnace", "dryer"):
        data = pd.read_csv(DATA / f"{name}.csv")
        n = len(data) // 2
        halves = data[["u", "y"]].to_numpy()[:n], data[["u", "y"]].to_numpy()[n:]
        for order, (first, second) in {"": halves, ", reversed": halves[::-1]}.items():
            for what, (model, method, calibrate) in models.items():
                own = {"lags": LAGS, "exog_lags": range(1, LAGS + 1), "max_rows": None}
                fc = gf.Forecaster(**own, model=model, calibrate=calibrate)
                fc.fit(first[:, 1], exog=first[:, :1])
                # The values before the other half are not the last ones of this.
                fc.update(second[:LAGS, 1], exog=second[:LAGS, :1])
                run = fc.simulate(second[LAGS:, :1], propagation=method)
                truth, mean = second[LAGS:, 1], run.mean.to_numpy()
                rows[name + order, what] = {
                    "rmse": np.sqrt(((truth - mean) ** 2).mean()),
                    "std": np.sqrt(run.var).mean(),
                    "coverage_95": held(truth, mean, run.var.to_numpy()).mean(),
                }
            steps = one_step(first, second)
            rows[name + order, "one step, linear"] = {"rmse": steps[1], "std": steps[0]}
    return pd.DataFrame(rows).T


def one_step(*halves: np.ndarray) -> list[float]:
    """Return the deviation of the errors of one step in each half, of a linear fit to the first."""
    fit, errors = None, []
    for half in halves:
        u, y = half[:, 0], half[:, 1]
        past = [x[LAGS - k : len(x) - k] for x in (y, u) for k in range(1, LAGS + 1)]
        X = np.column_stack([*past, np.ones(len(past[0]))])
        if fit is None:
            fit = np.linalg.lstsq(X, y[LAGS:], rcond=None)[0]
        errors.append(float((y[LAGS:] - X @ fit).std()))
    return errors


def walks(n: int) -> pd.DataFrame:
    """Forecast random walks 50 steps ahead, as they are and by default."""
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for seed in range(n):
        walk = np.cumsum(np.random.default_rng(seed).standard_normal(350))
        for what, options in {"no transform": {"transforms": None}, "default": {}}.items():
            f = gf.Forecaster(**options).fit(walk[:300]).predict(50)
            inside = held(walk[300:], f.mean.to_numpy(), f.var.to_numpy())
            found.setdefault(("random walks", what), []).append(inside[[0, 9, 49]])
    names = [f"coverage_95, step {k}" for k in (1, 10, 50)]
    return pd.DataFrame({k: np.mean(v, axis=0) for k, v in found.items()}, index=names).T


def henon(n_origins: int) -> pd.DataFrame:
    """Forecast the Henon map; averages over steps 25 to 40."""
    x = np.zeros(1000)
    for t in range(2, len(x)):
        x[t] = 1.0 - 1.4 * x[t - 1] ** 2 + 0.3 * x[t - 2]
    x = x[150:]
    origins = np.linspace(500, len(x) - 40, n_origins).astype(int)
    truth = x[origins[:, None] + np.arange(40)]
    rows = {("henon", "observed"): {"mean": truth[:, 24:].mean(), "std": truth[:, 24:].std()}}
    paths = MonteCarlo(100, kind="function", seed=0)
    auto = gf.propagation.Automatic(paths)
    fc = gf.Forecaster(2, transforms=None, noise="process").fit(x[:500])
    methods = {"exact": "exact", "mixture": "mixture", "paths": paths, "default": auto}
    for name, method in methods.items():
        found = fc.predict_from(x, origins, 40, propagation=method, n_jobs=1)
        std = np.sqrt(np.einsum("bhh->bh", found.covariance))
        rows["henon", name] = {
            "mean": found.mean[:, 24:].mean(),
            "std": std[:, 24:].mean(),
            "crps": found.crps(truth)[:, 24:].mean(),
            "crps, steps 1 to 10": found.crps(truth)[:, :10].mean(),
        }
    return pd.DataFrame(rows).T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of walks and origins")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    warnings.simplefilter("ignore", gf.NumericalWarning)
    tables = []
    few = options.quick
    for make, n in ((henon, 23), (simulations, 200), (walks, 30)):
        table = make(n // 10 if few else n)
        print(f"\n{table.to_string(float_format=lambda x: f'{x:.3g}', na_rep='')}", flush=True)
        tables.append(table)
    output = options.output or (None if few else Path(__file__).with_suffix(".csv"))
    if output:
        whole = pd.concat(tables).rename_axis(["case", "method"])
        whole.to_csv(output, float_format="%.3g")


if __name__ == "__main__":
    main()
