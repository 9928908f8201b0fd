"""Two named seasons, the day and the week: whether trials should decide about sines of the second.

Series of M4 hourly and simulated ones, `Forecaster(season_length=[24, 168])` on 620 values, 48
steps. The season that describes most of the series is treated like one that was found; that of the
other is taken away as sines where trial forecasts are better with them, even if multiplied by a
factor (`HANDICAP_NAMED_SEASON`). Each forecast is compared with that of a factor that nothing
overcomes, which leaves the second season to the lags.

For each factor and kind of series: how many there are, how many change, the mean log ratio of CRPS
with its standard error, and both medians of CRPS, scaled as those of M4. Kinds are
two halves of M4 hourly, the simulated series with a day and a week (or a day alone, one of five)
and autoregressive noise, and simulated sines of a day and a week with white noise.

Prints a table and writes it as CSV beside this script. Run it from the project's root, with the
data of ``GPFORECAST_DATA``: ``python benchmarks/accuracy/named_seasons.py``; ``--series 40`` takes
the first 40 of M4 hourly in a fixed random order.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from m4 import indexed, one_forecast, one_score, subset

from gpforecast.automatic import thresholds

PAST, HORIZON, DAY, WEEK = 620, 48, 24, 168
FACTORS = (np.inf, 1.0, 1.1)
CALL = f"gf.Forecaster(season_length=[{DAY}, {WEEK}])"


def wave(rng: np.random.Generator, t: np.ndarray, period: int, pairs: int) -> np.ndarray:
    """Return sines of a period and its parts, each part smaller."""
    shapes = [rng.normal() / j * np.cos(2 * np.pi * j * t / period + rng.uniform(0, 7))
              for j in range(1, pairs + 1)]  # fmt: skip
    return np.sum(shapes, axis=0)


def simulated(seed: int) -> np.ndarray:
    """Return a day, a week of seven levels, and autoregressive noise; every fifth has no week."""
    rng, t = np.random.default_rng(seed), np.arange(PAST + HORIZON)
    e = rng.normal(size=len(t))
    phi = rng.uniform(0.3, 0.9)
    for i in range(1, len(t)):
        e[i] += phi * e[i - 1]
    levels = rng.normal(size=7) * rng.uniform(1, 5)
    week = 0.0 if seed % 5 == 4 else levels[t // DAY % 7]
    return 50.0 + rng.uniform(2, 6) * wave(rng, t, DAY, 4) + week + e


def waves(seed: int) -> np.ndarray:
    """Return sines of a day and a week, and white noise."""
    rng, t = np.random.default_rng(seed), np.arange(PAST + HORIZON)
    size = (2, 5, 10)[seed % 3]
    return 100 + 5 * wave(rng, t, DAY, 3) + size * wave(rng, t, WEEK, 2) + rng.normal(size=len(t))


def cases(n: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield the kind, the name and the values of each series."""
    whole = {key: np.r_[past, truth] for key, (past, truth) in subset("hourly", n).items()}
    for i, (key, y) in enumerate(whole.items()):
        yield f"M4 hourly, half {1 + i % 2}", key, y[: PAST + HORIZON]
    for seed in range(15):
        yield "day and levels of a week", f"levels {seed}", simulated(seed)
    for seed in range(9):
        yield "sines of day and week", f"sines {seed}", waves(seed)


def scores(n: int) -> pd.DataFrame:
    """Return the CRPS of each series (rows) by factor, scaled as those of M4."""
    rows = []
    for kind, key, y in cases(n):
        past, truth = y[:PAST], y[PAST:]
        found: dict[object, object] = {"kind": kind, "series": key}
        for factor in FACTORS:
            thresholds.HANDICAP_NAMED_SEASON = factor
            frame = one_forecast(CALL, key, indexed(past, "h"), HORIZON)
            if frame is not None:
                found[factor] = one_score(frame, past, truth, DAY)["crps"]
        rows.append(found)
        print(found, flush=True)
    return pd.DataFrame(rows)


def table(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each factor and kind."""
    rows = []
    for factor in FACTORS[1:]:
        for kind, part in found.groupby("kind", sort=False):
            change = np.log(part[factor] / part[np.inf])
            rows.append({
                "factor": factor, "kind": kind, "series": len(part),
                "changed": int((change.abs() > 1e-9).sum()),
                "log ratio": change.mean(), "error": change.sem(),
                "CRPS without": part[np.inf].median(), "CRPS": part[factor].median(),
            })  # fmt: skip
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, default=80, help="of M4 hourly")
    options = parser.parse_args()
    found = table(scores(options.series))
    print(found.to_string(index=False, float_format="{:.3f}".format))
    found.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.3f")


if __name__ == "__main__":
    main()
