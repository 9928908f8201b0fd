"""Readings every ten or five minutes: whether enough of the newest values count to see their week.

Transforms are chosen by the newest values of a series: 3,000 of them, or four seasons of the
calendar if those are more (`NEWEST_SEASONS`), up to a week of five minutes
(`LONGEST_SEASON_SEEN`). Of 3,000 readings every ten minutes no week can be seen, as three are
needed and have 3,024.

Simulated sensors of 25 days, forecast three days ahead, with a profile of the day, autoregressive
noise and, in two of three, weekends at another level. For each series, with 3,000 values alone and
as it is: the season that is taken away, the mean absolute error and CRPS of the three days, both
over the standard deviation of the noise, and seconds of processor time. Seeds below 6 were looked
at when the rule was made, the others were not.

Prints a table and writes it as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/fine_readings.py``; ``--seeds 3`` takes the first three.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.automatic import thresholds

DAYS, AHEAD = 25, 3


def simulated(seed: int, minutes: int) -> tuple[pd.Series, float]:
    """Return a sensor's readings, and the standard deviation of its noise."""
    rng, day = np.random.default_rng(seed), 1440 // minutes
    times = pd.date_range("2024-01-01", periods=(DAYS + AHEAD) * day, freq=f"{minutes}min")
    clock = 2 * np.pi * (times.hour + times.minute / 60) / 24
    profile = sum(rng.normal() / j * np.cos(j * clock + rng.uniform(0, 7)) for j in (1, 2, 3))
    phi = rng.uniform(0.8, 0.97) ** (minutes / 10)
    e = rng.normal(size=len(times)) * np.sqrt(1.0 - phi**2)
    for i in range(1, len(e)):
        e[i] += phi * e[i - 1]
    weekend = 0.0 if seed % 3 == 2 else rng.uniform(3, 8) * (times.day_of_week >= 5)
    return pd.Series(50.0 + rng.uniform(3, 9) * profile - weekend + e, index=times), 1.0


def forecast(y: pd.Series, steps: int, scale: float) -> dict[str, object]:
    """Return the season, errors and seconds of the default forecast of the last steps."""
    start = time.process_time()
    fc = gf.Forecaster().fit(y[:-steps])
    f = fc.predict(steps)
    error = np.abs(f.mean - y[-steps:]).mean() / scale
    crps = float(np.mean(f.score(y[-steps:])["crps"])) / scale
    spent = time.process_time() - start
    return {"season": fc.fitted_.chain.period, "mae": error, "crps": crps, "seconds": spent}


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=12, help="series of each step")
    args = parser.parse_args()
    seasons, rows = thresholds.NEWEST_SEASONS, []
    for minutes in (10, 5):
        for seed in range(args.seeds if minutes == 10 else args.seeds // 2):
            y, scale = simulated(seed, minutes)
            for newest, cycles in (("3000", 0), ("four weeks", seasons)):
                thresholds.NEWEST_SEASONS = cycles
                found = forecast(y, AHEAD * 1440 // minutes, scale)
                week = "none" if seed % 3 == 2 else "weekends"
                rows.append(
                    {"minutes": minutes, "seed": seed, "week": week, "newest": newest} | found
                )
                print(rows[-1], flush=True)
    thresholds.NEWEST_SEASONS = seasons
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.4g")
    halves = table.assign(seen=np.where(table["seed"] < 6, "looked at", "set aside"))
    groups = halves.groupby(["minutes", "week", "seen", "newest"])[["mae", "crps", "seconds"]]
    print(groups.agg(["mean", "max"]).round(2).to_string())


if __name__ == "__main__":
    main()
