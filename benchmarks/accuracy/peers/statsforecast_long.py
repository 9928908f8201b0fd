"""Forecast the series of a long CSV file with one model of statsforecast, in its own environment.

Reads ``unique_id, ds, y`` and appends ``unique_id, ds, mean, lo-95, ..., hi-95, seconds`` to the
output, series by series, so that an interrupted run can be continued.
``seconds`` is processor time, the same on every line of a series, without compilation.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from statsforecast.models import AutoARIMA, AutoETS, AutoTheta, SeasonalNaive

MODELS = {model.__name__: model for model in (AutoARIMA, AutoETS, AutoTheta, SeasonalNaive)}
LEVELS = [20, 40, 50, 60, 80, 90, 95]
COLUMNS = ["mean", *(f"lo-{p}" for p in reversed(LEVELS)), *(f"hi-{p}" for p in LEVELS)]


def forecast(name: str, season: int, y: np.ndarray, horizon: int) -> pd.DataFrame:
    """Return means and bounds, one row a step."""
    # R's rule for seasonal series: compare candidates by the conditional sum of squares.
    # Without it one hourly series takes AutoARIMA from one to ten minutes.
    quick = {"approximation": True} if name == "AutoARIMA" and season > 1 else {}
    answer = MODELS[name](season_length=season, **quick).forecast(y=y, h=horizon, level=LEVELS)
    return pd.DataFrame(answer)[COLUMNS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("series", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--season", type=int, required=True)
    parser.add_argument("--horizon", type=int, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    done = set(pd.read_csv(options.output)["unique_id"]) if options.output.exists() else set()
    frame = pd.read_csv(options.series)
    wave = np.sin(np.arange(150.0) * 2 * np.pi / max(options.season, 5)) + 5
    wave += 0.1 * np.random.default_rng(0).normal(size=150)
    forecast(options.model, 1, wave, 2)
    for name, part in frame.groupby("unique_id", sort=False):
        if name in done:
            continue
        start = time.process_time()
        result = forecast(options.model, options.season, part["y"].to_numpy(), options.horizon)
        seconds = time.process_time() - start
        result.insert(0, "unique_id", name)
        result.insert(1, "ds", part["ds"].iloc[-1] + 1 + np.arange(options.horizon))
        result["seconds"] = round(seconds, 2)
        first = not options.output.exists()
        result.to_csv(options.output, mode="a", header=first, index=False, float_format="%.7g")
        print(f"{name}: {seconds:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
