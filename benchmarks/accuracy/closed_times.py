"""Series that are 0 at night or on Sundays: forecasts that know it, and those that do not.

Simulated calls of a call centre (half-hours, counts that are busier or quieter as a whole day),
visits of a shop (hours), power of a solar plant (hours, days that become longer, clouds) and sales
of a shop that is closed on Sundays (days) are forecast from three origins, by the defaults and by
the same transforms without `ClosedTimes`. ``mae_open`` and ``cover95_open`` are of times that are
not always 0; ``closed`` is what is forecast in all over times that are, ``top`` the largest upper
end of 95 % intervals there, ``bias`` the mean error of the total over the horizon, and ``found``
the share of the times that are always 0 which are forecast without doubt.

- ``development``: seeds 0 and 1. ``set aside``: seeds 2 to 4.

Demand that is often 0 at random is no reason: of 600 series of rates from 0.05 to 0.6 a line counts
those in which closed times are found. The last line is of days off: 20 draws each of calls, of
visits and of 0.2 to 5 counts an hour from 8 to 20, with two days in which nothing comes and without
them. It counts those of the two that are found, and all that are found where there are none.

Prints a table and writes it as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/closed_times.py``; ``--seeds 1`` takes one seed alone.
"""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.automatic.closed import closed_times, days_off, with_closed_times
from gpforecast.series import TimeAxis
from gpforecast.transforms import ClosedTimes, Compose


def remembering(rng: np.random.Generator, n: int, memory: float, spread: float) -> np.ndarray:
    """Return an autoregression of order 1 that begins at 0."""
    e = spread * rng.standard_normal(n)
    for t in range(1, n):
        e[t] += memory * e[t - 1]
    return e


def calls(rng: np.random.Generator) -> pd.Series:
    """Calls from 8 to 20, two peaks a day, none on Sundays."""
    index = pd.date_range("2024-01-01", periods=9 * 336, freq="30min")
    hour, day = np.arange(len(index)) % 48 / 2, np.arange(len(index)) // 48
    shape = np.exp(-(((hour - 11) / 2.5) ** 2)) + 0.7 * np.exp(-(((hour - 16) / 2) ** 2))
    shape *= (hour >= 8) & (hour < 20)
    week = np.array([1.3, 1.1, 1, 1, 0.9, 0.5, 0])[day % 7]
    busy = np.exp(remembering(rng, 63, 0.6, 0.12))[day]
    return pd.Series(rng.poisson(40 * shape * week * busy).astype(float), index)


def visits(rng: np.random.Generator) -> pd.Series:
    """Visits from 9 to 19, none on Sundays."""
    index = pd.date_range("2024-01-01", periods=8 * 168, freq="h")
    hour, day = np.arange(len(index)) % 24, np.arange(len(index)) // 24
    shape = (50 + 30 * np.sin((hour - 9) / 10 * np.pi)) * ((hour >= 9) & (hour < 19))
    week = np.array([0.8, 0.8, 0.9, 1, 1.2, 1.6, 0])[day % 7]
    return pd.Series(
        (shape * week * np.exp(remembering(rng, len(index), 0.7, 0.08))).round(1), index
    )


def solar(rng: np.random.Generator) -> pd.Series:
    """Power in spring, behind clouds."""
    index = pd.date_range("2024-03-01", periods=60 * 24, freq="h")
    hour, half = np.arange(len(index)) % 24 + 0.5, 5.5 + 1.2 * np.arange(len(index)) / 24 / 60
    clear = np.cos((hour - 12.2) / half * np.pi / 2) * (np.abs(hour - 12.2) < half)
    sky = 0.25 + 0.75 / (1 + np.exp(-remembering(rng, len(index), 0.92, 0.45) - 0.5))
    return pd.Series((5 * clear.clip(0) * sky).round(2), index)


def sundays(rng: np.random.Generator) -> pd.Series:
    """Sales of a shop that grows, none on Sundays."""
    index = pd.date_range("2023-01-02", periods=420)
    week = np.array([1, 0.9, 0.9, 1, 1.2, 1.5, 0])[np.arange(420) % 7]
    level = 100 + 0.05 * np.arange(420) + 5 * remembering(rng, 420, 0.9, 0.5)
    return pd.Series((level * week * np.exp(0.08 * rng.standard_normal(420))).round(), index)


CASES = ((calls, 336, 336), (visits, 168, 168), (solar, 24, 48), (sundays, 7, 28))


def scored(y: pd.Series, period: int, horizon: int, *, closed: bool) -> list[float]:
    """Return what is printed of one series: by the defaults, or without what is closed."""
    found = []
    for back in (1, 2, 3):
        cut = len(y) - back * horizon
        options = {}
        if not closed:
            fc = gf.Forecaster(progress=False).fit(y[:cut])
            steps = [s for s in fc.transforms_.spec.steps if not isinstance(s, ClosedTimes)]
            support = "count" if fc.fitted_.support and fc.fitted_.support.whole else "positive"
            options = {"transforms": Compose(*steps), "support": support}
        f = gf.Forecaster(progress=False, **options).fit(y[:cut]).predict(horizon)
        truth, place = y[cut : cut + horizon], np.arange(len(y)) % period
        always = np.array([not y[place == k].any() for k in range(period)])
        shut = always[place[cut : cut + horizon]]
        low, high = f.interval(0.95).to_numpy().T
        held = (low <= truth.to_numpy()) & (truth.to_numpy() <= high)
        found.append([
            np.abs(f.mean - truth)[~shut].mean(),
            held[~shut].mean(),
            f.mean[shut].sum(),
            high[shut].max(),
            f.mean.sum() - truth.sum(),
            (f.std[shut] == 0.0).mean(),
        ])  # fmt: skip
    return np.mean(found, axis=0).tolist()


def rare(rng: np.random.Generator) -> pd.Series:
    """Counts from 8 to 20 every day, some of them so few that a day may have none."""
    index = pd.date_range("2024-01-01", periods=60 * 24, freq="h")
    often = np.exp(rng.uniform(np.log(0.2), np.log(5.0)))
    return pd.Series(rng.poisson(often * ((index.hour >= 8) & (index.hour < 20))) * 1.0, index)


def days_found(make: Callable[[np.random.Generator], pd.Series]) -> tuple[int, int]:
    """Return how many days off are found in 20 draws with two of them, and without any."""
    found = [0, 0]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        usual = make(rng)
        day = np.unique(usual.index.normalize()[usual > 0.0])
        off = usual.where(~usual.index.normalize().isin(rng.choice(day[:-7], 2)), 0.0)
        for k, y in enumerate((off, usual)):
            closed = closed_times(y.to_numpy(), TimeAxis.of(y.index))
            if closed is not None:
                places, _ = days_off(y.to_numpy(), closed, y.index)
                found[k] += y.index[places].normalize().nunique()
    return found[0], found[1]


def main() -> None:
    """Print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    names = ["mae_open", "cover95_open", "closed", "top", "bias", "found"]
    rows = []
    for make, period, horizon in CASES:
        for seed in range(args.seeds):
            part = "development" if seed < 2 else "set aside"
            y = make(np.random.default_rng(seed))
            for how, closed in (("default", True), ("without", False)):
                row = {"series": make.__name__, "part": part, "seed": seed, "closed_times": how}
                scores = scored(y, period, horizon, closed=closed)
                rows.append(row | dict(zip(names, scores, strict=True)))
                print(rows[-1], flush=True)
    table = pd.DataFrame(rows)
    table.to_csv(Path(__file__).with_suffix(".csv"), index=False, float_format="%.4g")
    print(table.groupby(["part", "series", "closed_times"])[names].mean().round(3).to_string())
    false = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        demand = rng.poisson(rng.uniform(0.05, 0.6), int(rng.integers(60, 800))).astype(float)
        for freq in ("D", "h"):
            times = TimeAxis.of(pd.date_range("2024-01-01", periods=len(demand), freq=freq))
            false += bool(with_closed_times(Compose(), demand, times).reason)
    print(f"closed times in demand at random: {false} of 600")
    days = [f"{make.__name__} {days_found(make)}" for make in (calls, visits, rare)]
    print(f"days off found of 40, and found where there are none: {', '.join(days)}")


if __name__ == "__main__":
    main()
