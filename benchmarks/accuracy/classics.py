"""Classic series with the default settings: ``Forecaster().fit(train).predict(h)``.

Ten series of R's datasets: monthly (AirPassengers, co2, gas, nottem, sunspots), yearly (lynx,
LakeHuron, Nile), half-hourly (taylor) and one without a season (BJsales). For each, forecasts from
rolling origins in its last part, everything chosen and fitted anew at every origin: MAPE (percent;
not where values come near zero), MASE (scaled by the in-sample error of the seasonal naive
forecast), CRPS over the same scale, coverage of 80 % and 95 % intervals, seconds of processor time
for a fit and a forecast. The claim: the last 24 months of AirPassengers within a MAPE of 5 %.

The data are the folder ``classic`` of the one named by the environment variable
``GPFORECAST_DATA``, or of ``../shared/data``. Prints a table and writes it as CSV beside this
script. Run it from the project's root: ``python benchmarks/accuracy/classics.py``; ``--figure DIR``
draws the last forecast of each, ``--calibrate variance`` corrects the spread by earlier errors.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

FOLDER = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "classic"
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
    values = pd.read_csv(FOLDER / f"{file}.csv").iloc[:, -1].to_numpy(float)
    if first is None:
        return pd.Series(values, name=name)
    index = pd.period_range(first, periods=len(values), freq=PERIOD_OF[len(first)])
    return pd.Series(values, index=index, name=name)


def measure(
    name: str, calibrate: str | None = None
) -> tuple[dict[str, float], gf.Forecaster, object, pd.Series]:
    """Forecast from rolling origins; return the scores and what the last origin gave."""
    _, _, season, horizon, count, apart = SERIES[name]
    series = loaded(name)
    rows = []
    for back in reversed(range(count)):
        end = len(series) - horizon - back * apart
        past, truth = series.iloc[:end], series.iloc[end : end + horizon]
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gf.NumericalWarning)  # the notes say as much
            fc = gf.Forecaster(calibrate=calibrate).fit(past)
            f = fc.predict(horizon)
        seconds = time.process_time() - start
        scale = float(np.abs(past.to_numpy()[season:] - past.to_numpy()[:-season]).mean())
        said = f.score(truth)
        positive = truth.min() > 0.02 * truth.max()
        relative = np.abs(f.mean.to_numpy() / truth.to_numpy() - 1.0) if positive else [np.nan]
        rows.append(
            {
                "mape": 100 * float(np.mean(relative)),
                "mase": said["mae"] / scale,
                "crps": said["crps"] / scale,
                "coverage 80": said["coverage_80"],
                "coverage 95": said["coverage_95"],
                "seconds": seconds,
            }
        )
    table = pd.DataFrame(rows)
    found = {"values": len(series), "horizon": horizon, "origins": count}
    last = {f"last {key}": table[key].iloc[-1] for key in ("mape", "mase")}
    return {**found, **table.mean().to_dict(), **last}, fc, f, truth


def drawn(fc: gf.Forecaster, f, truth: pd.Series, folder: Path) -> None:
    """Draw the forecast from the last origin beside what came."""
    _, ax = plt.subplots(figsize=(9, 4.2))
    f.plot(ax=ax, truth=truth, n_history=4 * len(truth))
    steps = " > ".join(map(repr, fc.transforms_.spec.steps)) or "no transform"
    ax.set_title(f"{truth.name}: {steps}; lags {', '.join(map(str, fc.lags_))}", fontsize=8)
    ax.figure.savefig(folder / f"{str(truth.name).replace(', ', '_')}.png", dpi=90)
    plt.close(ax.figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", nargs="+", choices=SERIES, default=list(SERIES))
    parser.add_argument("--calibrate", choices=["variance", "conformal"])
    parser.add_argument("--figure", type=Path, metavar="DIR", help="draw the last forecasts")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    results = {}
    for name in options.series:
        results[name], *last = measure(name, options.calibrate)
        line = "  ".join(f"{key} {value:.3g}" for key, value in results[name].items())
        print(f"{name:<18}{line}", flush=True)
        if options.figure is not None:
            options.figure.mkdir(parents=True, exist_ok=True)
            drawn(*last, options.figure)
    table = pd.DataFrame(results).T.rename_axis("series")
    print(table.round(3).to_string())
    if list(options.series) == list(SERIES) and options.calibrate is None:
        table.round(4).to_csv(options.output)


if __name__ == "__main__":
    main()
