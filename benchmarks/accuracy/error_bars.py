"""Where error bars fail: the figures of docs/explanation/when_error_bars_fail.rst.

- Free simulation of the gas furnace of Box and Jenkins and of the hair dryer, five lags of input
  and output, learned from one half and simulated over the other: RMSE, the mean standard deviation,
  and how much of the other half 95 % intervals hold; and the errors of one step of a linear model.
- Random walks of 300 values, forecast 50 steps without a transform and by default.
- The Henon map without noise: 500 values to learn from, 23 later origins, steps 25 to 40.

Run it from the project's root: ``python benchmarks/accuracy/error_bars.py``; ``study.py`` has its
options.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from study import DATA, Case, Row, run

import gpforecast as gf
from gpforecast.propagation import MonteCarlo

LAGS = 5


def held(truth: np.ndarray, mean: np.ndarray, var: np.ndarray) -> np.ndarray:
    """Return which values 95 % intervals hold."""
    return np.abs(truth - mean) < 1.959964 * np.sqrt(var)


def simulation(first: np.ndarray, second: np.ndarray, n_paths: int) -> list[Row]:
    """Learn one half of a recording, and simulate the other on its inputs alone."""
    models = {
        "default": (None, "auto", None),
        "step by step": (None, gf.propagation.ExactMoments(function="step"), None),
        "paths": (None, MonteCarlo(n_paths, kind="function", seed=0), None),
        "linear": (gf.models.LinearAR(), "auto", None),
        "calibrated": (None, "auto", "conformal"),
    }
    rows, truth = [], second[LAGS:, 1]
    for what, (model, method, calibrate) in models.items():
        lags = {"lags": LAGS, "exog_lags": range(1, LAGS + 1), "max_rows": None}
        fc = gf.Forecaster(**lags, model=model, calibrate=calibrate)
        fc.fit(first[:, 1], exog=first[:, :1])
        # The values before the other half are not the last ones of this.
        fc.update(second[:LAGS, 1], exog=second[:LAGS, :1])
        ahead = fc.simulate(second[LAGS:, :1], propagation=method)
        mean, var = ahead.mean.to_numpy(), ahead.var.to_numpy()
        row = {"method": what, "rmse": gf.scores.rmse(truth, mean), "std": np.sqrt(var).mean()}
        rows.append(row | {"coverage_95": held(truth, mean, var).mean()})
    std, rmse = one_step(first, second)
    return [*rows, {"method": "one step, linear", "rmse": rmse, "std": std}]


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


def walk(seed: int) -> list[Row]:
    """Forecast a random walk 50 steps ahead, as it is and by default."""
    y, rows = np.cumsum(np.random.default_rng(seed).standard_normal(350)), []
    for what, options in {"no transform": {"transforms": None}, "default": {}}.items():
        f = gf.Forecaster(**options).fit(y[:300]).predict(50)
        inside = held(y[300:], f.mean.to_numpy(), f.var.to_numpy())
        shares = {f"coverage_95, step {k}": float(inside[k - 1]) for k in (1, 10, 50)}
        rows.append({"method": what} | shares)
    return rows


def henon(n_origins: int) -> list[Row]:
    """Forecast the Henon map; averages over steps 25 to 40."""
    x = np.zeros(1000)
    for t in range(2, len(x)):
        x[t] = 1.0 - 1.4 * x[t - 1] ** 2 + 0.3 * x[t - 2]
    x = x[150:]
    origins = np.linspace(500, len(x) - 40, n_origins).astype(int)
    truth = x[origins[:, None] + np.arange(40)]
    rows = [{"method": "observed", "mean": truth[:, 24:].mean(), "std": truth[:, 24:].std()}]
    paths = MonteCarlo(100, kind="function", seed=0)
    auto = gf.propagation.Automatic(paths)
    fc = gf.Forecaster(2, transforms=None, noise="process").fit(x[:500])
    methods = {"exact": "exact", "mixture": "mixture", "paths": paths, "default": auto}
    for name, method in methods.items():
        found = fc.predict_from(x, origins, 40, propagation=method, n_jobs=1)
        std = np.sqrt(np.einsum("bhh->bh", found.covariance))
        row = {"method": name, "mean": found.mean[:, 24:].mean(), "std": std[:, 24:].mean()}
        row |= {"crps": found.crps(truth)[:, 24:].mean()}
        rows.append(row | {"crps, steps 1 to 10": found.crps(truth)[:, :10].mean()})
    return rows


def cases(quick: bool) -> Iterator[Case]:
    yield {"case": "henon", "draw": 0}, partial(henon, 2 if quick else 23)
    for name in ("gas_furnace", "dryer"):
        data = pd.read_csv(DATA / "sysid" / f"{name}.csv")[["u", "y"]].to_numpy()
        halves = data[: len(data) // 2], data[len(data) // 2 :]
        for order, given in {"": halves, ", reversed": halves[::-1]}.items():
            names = {"case": name + order, "draw": 0}
            yield names, partial(simulation, *given, 20 if quick else 200)
    for seed in range(3 if quick else 30):
        yield {"case": "random walks", "draw": seed}, partial(walk, seed)


if __name__ == "__main__":
    run(__file__, cases, ["case", "method"])
