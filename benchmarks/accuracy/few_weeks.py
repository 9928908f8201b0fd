"""Three to five weeks of hours or half-hours: does the default forecast know the week?

The mean week, shrunk to the mean day, is tried beside all that is taken away of a day. Each series
is forecast by default and, ``of day``, with the season of the day alone (``season_length``), a day
or two ahead:

- simulated: a profile of the day, autoregressive noise, and in two of three weekends at another
  level and with another profile; the first forecast may be of any day of the week;
- M4: hourly series cut to their last weeks before the test, every third of a fixed random order;
- load: the half-hourly load of ``taylor.csv``, from several starts.

``mae`` and ``crps`` are in units of the mean absolute error of the value one week before, over the
same steps, so that below 1 is better than it; ``covers`` is the share within 95 % intervals.

Prints a table and writes it as CSV beside this script. The data are the folders ``m4`` and
``classic`` of the one named by the environment variable ``GPFORECAST_DATA``, or of
``../shared/data``. Run it from the project's root: ``python benchmarks/accuracy/few_weeks.py``;
``--number 4`` takes the first four of each kind.
"""

import argparse
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from m4 import subset

import gpforecast as gf

LOAD = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "classic" / "taylor.csv"
WEEKS = (3.0, 3.5, 4.5)
FIRST_SEED = 100  # those before were looked at


def simulated(seed: int, minutes: int, weeks: float, days: int) -> pd.Series:
    """Return a sensor's readings, the last days to be forecast."""
    rng, day = np.random.default_rng(seed), 1440 // minutes
    n = int(7 * weeks * day) + days * day
    first = pd.Timestamp("2024-01-01") + pd.Timedelta(days=int(rng.integers(7)))
    times = pd.date_range(first, periods=n, freq=f"{minutes}min")
    clock = 2 * np.pi * (times.hour + times.minute / 60) / 24
    phi = rng.uniform(0.5, 0.95)
    e = rng.normal(size=n) * np.sqrt(1.0 - phi**2)
    for i in range(1, n):
        e[i] += phi * e[i - 1]
    profile, other = (
        sum(rng.normal() / j * np.cos(j * clock + rng.uniform(0, 7)) for j in (1, 2, 3))
        for _ in range(2)
    )
    differs = 0.0 if seed % 3 == 2 else rng.uniform(1, 8) * (times.day_of_week >= 5)
    return pd.Series(50.0 + rng.uniform(3, 9) * profile - differs * (1.0 + 0.5 * other) + e, times)


def cases(number: int) -> Iterator[tuple[str, float, pd.Series, int]]:
    """Return the kind, the weeks, the series with what is forecast, and how many steps that is."""
    for minutes in (60, 30):
        for seed in range(FIRST_SEED, FIRST_SEED + number):
            kind = "same week" if seed % 3 == 2 else "weekends"
            for weeks in WEEKS:
                y = simulated(seed, minutes, weeks, 2)
                yield f"{kind}, {minutes} min", weeks, y, 2 * 1440 // minutes
    hourly = list(subset("hourly", 3 * number).values())[::3]
    for past, truth in hourly:
        for weeks in WEEKS:
            y = np.concatenate([past[-int(168 * weeks) :], truth])
            times = pd.date_range("2024-01-01", periods=len(y), freq="h")
            yield "M4 hourly", weeks, pd.Series(y, times), len(truth)
    load = pd.read_csv(LOAD).iloc[:, -1].to_numpy(float)
    for i in range(number // 2):
        for weeks in WEEKS:
            begin, n = 67 * i, int(336 * weeks) + 96
            y = load[begin : begin + n]
            times = pd.date_range("2000-06-05", periods=len(y), freq="30min")
            yield "load, 30 min", weeks, pd.Series(y, times), 96


def scored(kind: str, weeks: float, y: pd.Series, steps: int) -> dict[str, object]:
    """Return errors and coverage of forecasts of the last steps, both ways."""
    warnings.simplefilter("ignore")
    known, truth = y[:-steps], y[-steps:]
    week = int(pd.Timedelta(days=7) / pd.Timedelta(y.index.freq))
    scale = np.abs(y.to_numpy()[-steps - week : -week] - truth.to_numpy()).mean()
    row, chosen = {"kind": kind, "weeks": weeks}, set()
    for rule, season in (("of day", week // 7), ("default", "auto")):
        fc = gf.Forecaster(season_length=season).fit(known)
        f = fc.predict(steps)
        score = f.score(truth)
        inside = ((f.interval(0.95).T - truth.to_numpy()).prod() < 0.0).mean()
        row |= {f"mae {rule}": score["mae"] / scale, f"crps {rule}": np.mean(score["crps"]) / scale}
        row[f"covers {rule}"] = inside
        chosen.add(repr(fc.fitted_.chain.spec))
    return row | {"changed": len(chosen) > 1}


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--number", type=int, default=12, help="series of each kind")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    rows = Parallel(n_jobs=args.jobs)(delayed(scored)(*case) for case in cases(args.number))
    each = pd.DataFrame(rows)
    each["worse"] = each["changed"] & (each["crps default"] > each["crps of day"])
    each["series"] = 1
    errors = [f"{what} {rule}" for what in ("mae", "crps") for rule in ("of day", "default")]
    each[errors] = np.log(each[errors])
    groups = each.groupby(["kind", "weeks"])
    table = groups[["series", "changed", "worse"]].sum()
    table[errors] = np.exp(groups[errors].mean())  # geometric means
    covers = ["covers of day", "covers default"]
    table[covers] = groups[covers].mean()
    table.to_csv(Path(__file__).with_suffix(".csv"), float_format="%.4g")
    print(table.round(2).to_string())


if __name__ == "__main__":
    main()
