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

Run it from the project's root, some 6 minutes on one core: ``python benchmarks/accuracy/chaos.py``;
``study.py`` has its options; a quick study takes every third system.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from study import DATA, Case, Row, run

import gpforecast as gf

# Points a period: values to fit, values to forecast.
PROTOCOL = {15: (150, 30), 100: (1000, 200)}


def one_system(train: np.ndarray, test: np.ndarray, points: int, published: pd.Series) -> Row:
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
        "smape": gf.scores.smape(actual, plug_in.mean.to_numpy()[:-1]),
        "smape_exact_mean": gf.scores.smape(actual, f.mean.to_numpy()[:-1]),
        "coverage_95": gf.scores.coverage(actual, low, high),
        "lags": " ".join(map(str, choice.lags)),
        "validation": choice.table["score"].iloc[0],
        "choose_s": chosen - start,
        "fit_s": fitted - chosen,
        "predict_s": done - fitted,
        "notes": "; ".join(f.notes),
        "n_beats": published["NBEATSModel"],
        "best_published": published.min(),
    }


def cases(quick: bool) -> Iterator[Case]:
    folder = DATA / "dysts"
    for points in PROTOCOL:
        train, test = (
            pd.read_csv(folder / f"{part}_pts{points}.csv.gz") for part in ("train", "test")
        )
        published = pd.read_csv(folder / f"published_smape_pts{points}.csv", index_col=0)
        for name in train.columns[:: 3 if quick else 1]:
            given = train[name].to_numpy(), test[name].to_numpy(), points, published.loc[name]
            yield {"points": points, "system": name}, partial(one_system, *given)


def summary(results: pd.DataFrame) -> Row:
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


if __name__ == "__main__":
    table = run(__file__, cases, ["points"])
    parts = {f"{points} points a period": summary(part) for points, part in table.groupby("points")}
    print("\n" + pd.DataFrame(parts).to_string())
