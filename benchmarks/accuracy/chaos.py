"""Chaotic systems: forecasts of many steps, compared with sixteen published forecasters.

33 systems of the dysts benchmark (Gilpin, NeurIPS 2021), each a scalar series at 15 and at 100
points a period, without noise. The same procedure is used for all of them. Lags and starting
hyperparameters are chosen on one trajectory by `gpforecast.lags.choose_lags`. Then, on another
trajectory of the same system, a forecaster with those lags is fitted to the first 1000 (150) values
and forecasts the next 200 (30). The point forecast is the plug-in trajectory
(``propagation="naive"``): it stays on the attractor, which the mean of a wide distribution does
not. The intervals are those of exact moments. As published, the first 199 (29) values are scored by

    sMAPE = 200 mean(|y - f| / (|y| + |f|))

in the units of the data. The table has medians over systems, the number of systems on which this
procedure is better than N-BEATS (the best of the sixteen) and than all sixteen, and the coverage of
the 95 % intervals. "exact mean" is the score of the mean of exact moments, for comparison.

Writes the results of every system as CSV next to the script. It needs the dysts files: set
GPFORECAST_DATA to the folder that holds ``dysts/``. Run it from the project's root, some 6 minutes
on one core: ``python benchmarks/accuracy/chaos.py``; ``--every 3`` takes every third system.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf

HERE = Path(__file__).parent
# Points a period: values to fit, values to forecast.
PROTOCOL = {15: (150, 30), 100: (1000, 200)}


def data_folder() -> Path:
    default = HERE.parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GPFORECAST_DATA", default)) / "dysts"
    if not folder.exists():
        raise SystemExit(f"{folder} does not exist; set GPFORECAST_DATA to the data's folder.")
    return folder


def smape(actual: np.ndarray, forecast: np.ndarray) -> float:
    return float(200 * np.mean(np.abs(actual - forecast) / (np.abs(actual) + np.abs(forecast))))


def one_system(train: np.ndarray, test: np.ndarray, points: int) -> dict[str, object]:
    """Choose on one trajectory, fit and forecast on the other."""
    start = time.process_time()
    n, horizon = PROTOCOL[points]
    choice = gf.lags.choose_lags(train)
    chosen = time.process_time()
    fc = gf.Forecaster(lags=list(choice.lags), model=choice.model, max_rows=None).fit(test[:n])
    fitted = time.process_time()
    f = fc.predict(horizon)
    plug_in = fc.predict(horizon, propagation="naive")
    done = time.process_time()
    actual = test[n : n + horizon - 1]
    low, high = f.interval(0.95).to_numpy()[:-1].T
    return {
        "smape": smape(actual, plug_in.mean.to_numpy()[:-1]),
        "smape_exact_mean": smape(actual, f.mean.to_numpy()[:-1]),
        "coverage_95": float(np.mean((actual >= low) & (actual <= high))),
        "lags": " ".join(map(str, choice.lags)),
        "validation": choice.table["score"].iloc[0],
        "choose_s": chosen - start,
        "fit_s": fitted - chosen,
        "predict_s": done - fitted,
        "notes": "; ".join(f.notes),
    }


def granularity(folder: Path, points: int, every: int) -> pd.DataFrame:
    train = pd.read_csv(folder / f"train_pts{points}.csv.gz")
    test = pd.read_csv(folder / f"test_pts{points}.csv.gz")
    published = pd.read_csv(folder / f"published_smape_pts{points}.csv", index_col=0)
    rows = []
    for name in train.columns[::every]:
        row = one_system(train[name].to_numpy(), test[name].to_numpy(), points)
        others = published.loc[name]
        row |= {"n_beats": others["NBEATSModel"], "best_published": others.min()}
        rows.append({"system": name, **row})
        print(
            f"{name:20s} {row['smape']:7.2f}  N-BEATS {row['n_beats']:7.2f}  best published "
            f"{row['best_published']:7.2f}  covered {row['coverage_95']:.2f}  lags {row['lags']}",
            flush=True,
        )
    return pd.DataFrame(rows)


def summary(results: pd.DataFrame) -> dict[str, object]:
    ours, theirs = results["smape"].median(), results["n_beats"].median()
    return {
        "systems": len(results),
        "median sMAPE": round(ours, 1),
        "exact mean": round(results["smape_exact_mean"].median(), 1),
        "N-BEATS": round(theirs, 1),
        "ratio": round(ours / theirs, 2),
        "beat N-BEATS": int((results["smape"] < results["n_beats"]).sum()),
        "best of all": int((results["smape"] < results["best_published"]).sum()),
        "coverage 95 %": round(results["coverage_95"].mean(), 3),
        "CPU s a system": round(results[["choose_s", "fit_s", "predict_s"]].sum(axis=1).mean(), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every n-th system")
    parser.add_argument("--points", type=int, nargs="+", default=[15, 100], choices=[15, 100])
    options = parser.parse_args()
    warnings.simplefilter("ignore", gf.NumericalWarning)  # the notes column keeps them
    folder = data_folder()
    table = {}
    for points in options.points:
        results = granularity(folder, points, options.every)
        if options.every == 1:
            results.round(4).to_csv(HERE / f"chaos_pts{points}.csv", index=False)
        table[f"{points} points a period"] = summary(results)
    print("\n" + pd.DataFrame(table).to_string())


if __name__ == "__main__":
    main()
