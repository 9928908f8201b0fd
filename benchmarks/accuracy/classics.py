"""Classic series with the default settings: ``Forecaster().fit(train).predict(h)``.

Ten series of R's datasets: monthly (AirPassengers, co2, gas, nottem, sunspots), yearly (lynx,
LakeHuron, Nile), half-hourly (taylor) and one without a season (BJsales). For each, forecasts from
rolling origins in its last part, everything chosen and fitted anew at every origin: MAPE (percent;
not where values come near zero), MASE (scaled by the in-sample error of the seasonal naive
forecast), CRPS over the same scale, coverage of 80 % and 95 % intervals, seconds of processor time
for a fit and a forecast. The claim: the last 24 months of AirPassengers within a MAPE of 5 %.

Run it from the project's root: ``python benchmarks/accuracy/classics.py``; ``study.py`` has its
options.
"""

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from study import DATA, Case, Row, run

import gpforecast as gf

# name: file, first period, steps in a season, horizon, origins, steps between them
SERIES = {
    "AirPassengers": ("AirPassengers", "1949-01", 12, 24, 6, 6),
    "lynx": ("lynx", "1821", 1, 10, 8, 3),
    "nottem": ("nottem", "1920-01", 12, 24, 6, 6),
    "co2": ("co2", "1959-01", 12, 24, 6, 12),
    "sunspots": ("sunspot.month", "1749-01", 1, 36, 6, 24),
    "sunspots, yearly": ("sunspots_yearly_1700_2008", "1700", 1, 11, 8, 5),
    "taylor": ("taylor", None, 336, 96, 3, 96),
    "gas": ("gas", "1956-01", 12, 24, 6, 12),
    "LakeHuron": ("LakeHuron", "1875", 1, 10, 8, 3),
    "Nile": ("Nile", "1871", 1, 10, 8, 3),
    "BJsales": ("BJsales", None, 1, 10, 8, 5),
}
PERIOD_OF = {7: "M", 4: "Y"}


def loaded(name: str) -> pd.Series:
    """Return a series on its own time axis."""
    file, first, *_ = SERIES[name]
    values = pd.read_csv(DATA / "classic" / f"{file}.csv").iloc[:, -1].to_numpy(float)
    if first is None:
        return pd.Series(values, name=name)
    index = pd.period_range(first, periods=len(values), freq=PERIOD_OF[len(first)])
    return pd.Series(values, index=index, name=name)


def measure(name: str) -> Row:
    """Forecast from rolling origins, and return the scores."""
    _, _, season, horizon, count, apart = SERIES[name]
    series = loaded(name)
    rows = []
    for back in reversed(range(count)):
        end = len(series) - horizon - back * apart
        past, truth = series.iloc[:end], series.iloc[end : end + horizon]
        start = time.process_time()
        f = gf.Forecaster().fit(past).predict(horizon)
        seconds = time.process_time() - start
        scale = float(np.abs(past.to_numpy()[season:] - past.to_numpy()[:-season]).mean())
        score = f.score(truth)
        positive = truth.min() > 0.02 * truth.max()
        relative = np.abs(f.mean.to_numpy() / truth.to_numpy() - 1.0) if positive else [np.nan]
        row = {"mape": 100 * float(np.mean(relative)), "mase": score["mae"] / scale}
        row |= {"crps": score["crps"] / scale}
        row |= {f"coverage {p}": score[f"coverage_{p}"] for p in (80, 95)}
        rows.append(row | {"seconds": seconds})
    table = pd.DataFrame(rows)
    found = {"values": len(series), "horizon": horizon, "origins": count}
    last = {f"last {key}": table[key].iloc[-1] for key in ("mape", "mase")}
    return found | table.mean().to_dict() | last


def cases(quick: bool) -> Iterator[Case]:
    for name in list(SERIES)[: 2 if quick else None]:
        yield {"series": name}, partial(measure, name)


if __name__ == "__main__":
    run(__file__, cases, ["series"])
