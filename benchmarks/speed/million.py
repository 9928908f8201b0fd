"""The default call on up to a million values: time, memory, and the error of what follows.

``Forecaster().fit(y).predict(100)`` on hourly values with a day, a week, a year and noise that is
autoregressive; on the Mackey-Glass series with noise; on a random walk; and on an autoregression
with a spike in each hundred values. Then the fitted model forecasts 100 steps from 20 origins in
the 2000 values that follow, by `predict_from`. The claims: a million values take less than two
minutes of one core and less than 630 MB in all, and time and memory grow more slowly than the
series.

Each case runs in a process of its own. Seconds are processor time, megabytes the peak of the
process; compiled functions come from the cache of a short fit before. Run it from the project's
root: ``python benchmarks/speed/million.py``; ``accuracy/study.py`` has its options.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import gpforecast as gf

sys.path.insert(0, str(Path(__file__).parents[1] / "accuracy"))
from study import Case, Row, alone, peak_megabytes, run

HORIZON, N_ORIGINS, N_TEST = 100, 20, 2000
KINDS = ("hours", "mackey_glass", "walk", "spikes")


def series(kind: str, n: int) -> pd.Series:
    """Return n values of a kind."""
    rng, t = np.random.default_rng(0), np.arange(n)
    if kind == "mackey_glass":
        y = gf.datasets.mackey_glass(n, normalise=True, noise_var=0.01, seed=0)
        return y.reset_index(drop=True)
    noise = rng.standard_normal(n)
    if kind == "walk":
        return pd.Series(np.cumsum(noise))
    wave = lfilter([1.0], [1.0, -0.8], noise)
    if kind == "spikes":
        return pd.Series(wave + 20.0 * (rng.uniform(size=n) < 0.01))
    day, week, year = (np.sin(2 * np.pi * t / steps) for steps in (24, 168, 8766))
    index = pd.date_range("1900-01-01", periods=n, freq="h")
    return pd.Series(10.0 + 3.0 * day + week + 4.0 * year + 0.5 * wave, index=index)


def measure(kind: str, n: int) -> Row:
    """Fit n values and forecast; score forecasts of those that follow."""
    y = series(kind, n + N_TEST)
    past = y.iloc[:n]
    warnings.simplefilter("ignore", gf.NumericalWarning)
    gf.Forecaster().fit(y.iloc[:1200]).predict(2)  # compiled functions are loaded
    before, start = peak_megabytes(), time.process_time()
    fc = gf.Forecaster().fit(past)
    fitted = time.process_time()
    fc.predict(HORIZON)
    end, most = time.process_time(), peak_megabytes()
    origins = np.linspace(n, n + N_TEST - HORIZON, N_ORIGINS).astype(int)
    joint = fc.predict_from(y, origins, HORIZON, n_jobs=1)
    truth = y.to_numpy()[origins[:, None] + np.arange(HORIZON)]
    return {
        "fit s": fitted - start,
        "predict s": end - fitted,
        "peak MB": most,
        "MB before": before,
        "CRPS": float(joint.crps(truth).mean()),
        "model": type(fc.model_).__name__,
    }


def cases(quick: bool) -> Iterator[Case]:
    for kind, n in product(KINDS, (20_000,) if quick else (20_000, 100_000, 1_000_000)):
        yield {"series": kind, "values": n}, partial(alone, measure, kind, n)


if __name__ == "__main__":
    run(Path(__file__).parent / "results" / "million.py", cases, ["series", "values"])
