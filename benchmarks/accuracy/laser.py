"""Santa Fe laser A: learn 1000 intensities of a chaotic laser, forecast the next 100.

The task of the Santa Fe competition of 1991. Within those 100 steps the growing pulses collapse,
and the error depends on the timing of the collapse. Errors are mean squared errors over the
variance of the 100 true values (NMSE); that of the winner, a network with internal delay lines
(Wan), was 0.028. Here the number of lags is selected by validation on the 1000 values alone: models
of the first 600 forecast 100 steps from 31 later origins, and the lags with the lowest mean
negative log density (exact moments) are used. The same lags are used for the other starting points,
every 1000 values, so that the result does not depend on one forecast.

Results: every method follows 45 steps closely, but none times the collapse as well as the winner.
Where paths collapse at different times, a Gaussian with their moments is not a pulse any more, and
feeding it back loses the oscillation that each path keeps.

Writes the scores of every forecast as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/laser.py``; ``--figure collapse.png`` draws the first forecast;
``--quick`` tries two lags and two starting points.
"""

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.propagation import MonteCarlo

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "laser"
LAGS = (8, 16, 24, 32, 40)
N, H = 1000, 100


def nlpd(truth: np.ndarray, mean: np.ndarray, var: np.ndarray) -> float:
    """Return the mean negative log density of each value, in nats."""
    return float(0.5 * (np.log(2.0 * np.pi * var) + (truth - mean) ** 2 / var).mean())


def validated(y: np.ndarray, lags: int) -> dict[str, float]:
    """Score 100-step forecasts within the training data by a model of its first 600 values."""
    fc = gf.Forecaster(lags).fit(y[:600])
    origins = np.arange(600, N - H + 1, 10)
    truth = y[origins[:, None] + np.arange(H)]
    found = fc.predict_from(y, origins, H)
    var = np.diagonal(found.covariance, axis1=1, axis2=2)
    nmse = float(((truth - found.mean) ** 2).mean() / y.var())
    return {"lags": lags, "nmse": nmse, "nlpd": nlpd(truth, found.mean, var)}


def forecast(y: np.ndarray, start: int, lags: int, methods: list[Any]) -> list[dict[str, Any]]:
    """Train on 1000 values from `start`, and score the forecasts of the next 100."""
    begun = time.process_time()
    fc = gf.Forecaster(lags).fit(y[start : start + N])
    fit_s = time.process_time() - begun
    truth = y[start + N : start + N + H]
    rows = []
    for method in methods:
        begun = time.process_time()
        f = fc.predict(H, propagation=method)
        low, high = f.interval(0.95).to_numpy().T
        mean = f.mean.to_numpy()
        kind = f" {method.kind}" if isinstance(method, MonteCarlo) else ""
        rows.append(
            {
                "start": start,
                "method": f.propagation + kind,
                "nmse": float(((truth - mean) ** 2).mean() / truth.var()),
                "nmse_50": float(((truth - mean)[:50] ** 2).mean() / truth.var()),
                "nlpd": nlpd(truth, mean, f.var.to_numpy()),
                "crps": f.score(truth)["crps"],
                "cover95": float(((truth >= low) & (truth <= high)).mean()),
                "fit_s": fit_s,
                "cpu_s": time.process_time() - begun,
            }
        )
    return rows


def draw(y: np.ndarray, lags: int, path: Path, n_paths: int) -> None:
    """Draw the forecast of the competition, by exact moments and by paths."""
    import matplotlib.pyplot as plt

    fc = gf.Forecaster(lags).fit(y[:N])
    methods = ["exact", MonteCarlo(n_paths, kind="function", seed=0)]
    fig, axes = plt.subplots(2, 1, figsize=(9, 6), sharex=True, sharey=True, layout="constrained")
    for ax, method in zip(axes, methods, strict=True):
        f = fc.predict(H, propagation=method)
        f.plot(ax=ax, truth=pd.Series(y[N : N + H], index=f.index), n_history=60)
        ax.set(title=f.propagation, ylabel="intensity")
    fig.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two lags, two starting points")
    parser.add_argument("--figure", type=Path, help="draw the collapse to this file")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    y = pd.read_csv(DATA / "santafe_A_10093.csv")["intensity"].to_numpy(float)
    n_paths = 100 if options.quick else 500
    methods = [
        "naive",
        "taylor",
        "exact",
        MonteCarlo(n_paths, seed=0),
        MonteCarlo(n_paths, kind="function", seed=0),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.NumericalWarning)
        choice = pd.DataFrame([validated(y, n) for n in (LAGS[1:3] if options.quick else LAGS)])
        print("validation within the first 1000 values")
        print(choice.to_string(index=False, float_format=lambda x: f"{x:.3g}"))
        lags = int(choice.loc[choice["nlpd"].idxmin(), "lags"])
        starts = range(0, 2000 if options.quick else len(y) - N - H, 1000)
        found = []
        for start in starts:
            found += forecast(y, start, lags, methods)
        if options.figure:
            draw(y, lags, options.figure, n_paths)
    table = pd.DataFrame(found)
    short = {"index": False, "float_format": lambda x: f"{x:.3g}"}
    print(f"\nthe competition: lags 1 to {lags}, 1000 values, the next 100")
    print(table[table["start"] == 0].drop(columns="start").to_string(**short))
    print(f"\nmedian over {len(starts)} starting points")
    order = table["method"].unique()
    medians = table.drop(columns="start").groupby("method").median().loc[order]
    print(medians.reset_index().to_string(**short))
    print("\nNMSE from each starting point")
    print(table.pivot_table(values="nmse", index="start", columns="method")[order].round(3))
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        table.to_csv(output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
