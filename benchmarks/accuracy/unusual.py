"""Outliers, level shifts, cycles and years: what is found, false alarms, and forecasts.

Simulated series, each kind from ``--series`` seeds:

- nothing unusual: Gaussian noise, autoregressions, random walks, Student-t noise with 5 degrees of
  freedom, ARCH, counts, skewed noise, seasons. Shares of series with an outlier, a shift, a cycle
  or a year that is not there.
- a spike, a run, an unusual week, a shift: share of the unusual values found, values wrongly said
  to be, share of series with exactly the right shifts.
- two spikes a week apart in hours of less than three weeks, one of them smaller by a factor: share
  of series in which the larger is an outlier.
- a week of counts that ends in zeros, of several lengths: share of series with exactly that shift.
- ten equal values of a stuck sensor in noise that is rounded: share of series in which that run
  alone is found, by the share of values that repeat the one before; and the shares of series of
  several levels, of mostly one value, of a limit that is reached now and then and passed once, of a
  sensor that was stuck for 20, 30 or 45 % of the time, and of M1, M3 and M4 that seem to have such
  a run.
- a value of M1 and M3 in the last season and a half that is made ten times as large, or a tenth:
  share of series in which it is an outlier, and of those in which one is found before. A last value
  that is part of a total, a tenth to seven tenths: share in which a note or an outlier says so.
- a value on the fifth day of an event, by how many ranges of all values it lies outside them: share
  of series in which it is an outlier.
- the time the search takes, for 200 and 20,000 values.

With ``--forecasts`` also the mean CRPS of forecasts with ``outliers="auto"`` over that with
``outliers=None``.

Prints tables and writes the first as CSV beside this script. Run it from the project's root:
``python benchmarks/accuracy/unusual.py``.
"""

import argparse
import gzip
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.signal import lfilter

import gpforecast as gf
from gpforecast.automatic.ends import stuck_runs, unfinished_end, unusual_in
from gpforecast.automatic.periods import find_cycle, find_year
from gpforecast.automatic.unusual import cleaned

DATA = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"))
Draw = Callable[[np.random.Generator, int], np.ndarray]


def filtered(e: np.ndarray, *phi: float) -> np.ndarray:
    """Return the autoregression of some coefficients driven by e."""
    return lfilter([1.0], [1.0, *(-np.array(phi))], e)


def arch(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return noise whose variance is half that of the last square."""
    y = np.zeros(n)
    for t in range(n):
        y[t] = np.sqrt(0.5 + 0.5 * y[t - 1] ** 2) * rng.standard_normal()
    return y


def weekly(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return a week beside a level that wanders a little."""
    shape = np.random.default_rng(7).standard_normal(7)
    wander = np.cumsum(0.2 * rng.standard_normal(n))
    return 10 * np.resize(shape, n) + wander + rng.standard_normal(n)


USUAL: dict[str, Draw] = {
    "Gaussian": lambda rng, n: rng.standard_normal(n),
    "AR(1), 0.8": lambda rng, n: filtered(rng.standard_normal(n), 0.8),
    "AR(2), a cycle": lambda rng, n: filtered(rng.standard_normal(n), 1.6, -0.9),
    "random walk": lambda rng, n: np.cumsum(rng.standard_normal(n)),
    "t5": lambda rng, n: rng.standard_t(5, n),
    "t5, AR(1)": lambda rng, n: filtered(rng.standard_t(5, n), 0.7),
    "t5, random walk": lambda rng, n: np.cumsum(rng.standard_t(5, n)),
    "ARCH": arch,
    "Poisson, mean 5": lambda rng, n: rng.poisson(5, n).astype(float),
    "Poisson, mean 0.5": lambda rng, n: rng.poisson(0.5, n).astype(float),
    "negative binomial": lambda rng, n: rng.negative_binomial(2, 0.2, n).astype(float),
    "log-normal": lambda rng, n: np.exp(rng.standard_normal(n)),
    "week": weekly,
}
# Where: from the middle (0) or from so many values before the end; what is added there.
UNUSUAL: dict[str, tuple[Draw, int, np.ndarray | float]] = {
    "Gaussian, spike": (USUAL["Gaussian"], 0, np.array([8.0])),
    "Gaussian, last value": (USUAL["Gaussian"], 1, np.array([12.0])),
    "Gaussian, run of 5": (USUAL["Gaussian"], 0, np.full(5, 10.0)),
    "AR(1), run of 5": (USUAL["AR(1), 0.8"], 0, np.full(5, 10.0)),
    "random walk, spike": (USUAL["random walk"], 0, np.array([10.0])),
    "week, unusual one": (weekly, 0, -12 * np.array([0.2, 0.5, 1.5, 2, 1.2, 0.8, 0.4])),
    "week, unusual one last": (weekly, 8, -12 * np.array([0.2, 0.5, 1.5, 2, 1.2, 0.8, 0.4])),
    "Gaussian, shift": (USUAL["Gaussian"], 0, 10.0),
    "random walk, shift": (USUAL["random walk"], 0, 12.0),
    "week, shift": (weekly, 0, 10.0),
}


def false_alarms(n: int, series: int) -> pd.DataFrame:
    """Return the shares of series in which something was found that is not there."""
    rows = {}
    for name, draw in USUAL.items():
        drawn = [draw(np.random.default_rng(seed), n) for seed in range(series)]
        found = [unusual_in(y, 7 if name == "week" else None) for y in drawn]
        cycles = [name != "week" and find_cycle(y) is not None for y in drawn]
        years = [find_year(y, n / 3) is not None for y in drawn]
        rows[name] = {
            "outliers": np.mean([len(f.outliers) > 0 for f in found]),
            "shifts": np.mean([len(f.shifts) > 0 for f in found]),
            "cycles": np.mean(cycles),
            "years": np.mean(years),
        }
    return pd.DataFrame(rows).T


def power(n: int, series: int) -> pd.DataFrame:
    """Return how much of what is unusual was found."""
    rows = {}
    for name, (draw, back, what) in UNUSUAL.items():
        found, wrong, right = [], [], []
        at = n - back if back else n // 2
        places = set() if isinstance(what, float) else set(range(at, at + len(what)))
        shifts = [at] if isinstance(what, float) else []
        for seed in range(series):
            y = draw(np.random.default_rng(seed), n)
            y[at : at + (n if shifts else len(places))] += what
            said = unusual_in(y, 7 if name.startswith("week") else None)
            outliers = set(said.outliers.tolist())
            found.append(len(outliers & places) / max(len(places), 1))
            wrong.append(len(outliers - places))
            right.append([s for s in said.shifts if min(abs(s - a) for a in [*shifts, -9]) <= 1])
        rows[name] = {
            "found": np.mean(found) if places else np.nan,
            "wrong values": np.mean(wrong),
            "right shifts": np.mean([len(r) == len(shifts) for r in right]),
        }
    return pd.DataFrame(rows).T


def ends(series: int) -> pd.Series:
    """Return the shares of series whose shift to a value that stays is found, by its length."""
    week = np.array([0.85, 0.8, 0.85, 0.95, 1.25, 1.4, 0.7])
    shares = {}
    for n in (24, 60, 200, 600):
        drawn = [
            np.random.default_rng(seed).poisson(150 * np.resize(week, 200)).astype(float)
            for seed in range(series)
        ]
        found = [unusual_in(np.append(y, np.zeros(n)), 7).shifts.tolist() for y in drawn]
        shares[n] = np.mean([shifts == [200] for shifts in found])
    return pd.Series(shares, name="ends found")


def again(series: int) -> pd.Series:
    """Return the shares of series whose spike is an outlier though one comes a week after it.

    The index is what they are as large as each other. Of one size, they may be a season.
    """
    shares, n, at = {}, 432, 200  # hours: fewer than three weeks
    for ratio in (1.0, 2.0, 5.0, 10.0, 20.0, 40.0):
        found = []
        for seed in range(series):
            y = 2.0 * np.sin(np.pi * np.arange(n) / 12) + filtered(draws(seed, n), 0.8)
            y[at] += 100.0
            y[at + 168] += 100.0 / ratio
            dated = pd.Series(y, pd.date_range("2025-01-06", periods=n, freq="h"))
            found.append(at in cleaned(dated).outliers.value)
        shares[ratio] = np.mean(found)
    return pd.Series(shares, name="spikes found")


def levels(rng: np.random.Generator) -> np.ndarray:
    """Return four levels of fifty values."""
    return np.repeat(rng.normal(100.0, 10.0, 4), 50)


def mostly_one(rng: np.random.Generator) -> np.ndarray:
    """Return one value 200 times but for three others."""
    y = np.full(200, 5.0)
    y[rng.choice(200, 3, replace=False)] = rng.normal(5.0, 1.0, 3)
    return y


def limited(rng: np.random.Generator) -> np.ndarray:
    """Return an autoregression that a limit holds down, which is passed once."""
    y = filtered(rng.standard_normal(300), 0.8)
    limit = np.quantile(y, 0.85)
    y = np.minimum(y, limit)
    y[100] = limit + 1.0
    return y


def held(share: float) -> Callable[[np.random.Generator], np.ndarray]:
    """Return a draw of an autoregression that is stuck for a share of the time."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        y = filtered(rng.standard_normal(300), 0.8)
        y[100 : 100 + int(300 * share)] = y[100]
        return y

    return draw


STEPS = {"levels": levels, "mostly one value": mostly_one, "a limit": limited}
STEPS |= {f"stuck for {percent} %": held(percent / 100) for percent in (20, 30, 45)}


def stuck(series: int) -> pd.Series:
    """Return the shares of series in which ten equal values are found, by how often others repeat.

    The last is the share of real series with such a run.
    """
    shares = {}
    for digits in (3, 2, 1, 0):
        found, repeats = [], []
        for seed in range(series):
            y = filtered(draws(seed, 600), 0.8).round(digits)
            repeats.append(np.mean(np.diff(y) == 0.0))
            y[300:310] = y[300]
            found.append(stuck_runs(y) == [(300, 309)])
        shares[f"{np.mean(repeats):.4f}"] = np.mean(found)
    for name, draw in STEPS.items():
        shares[name] = np.mean(
            [len(stuck_runs(draw(np.random.default_rng(seed)))) > 0 for seed in range(series)]
        )
    real = [len(stuck_runs(y)) > 0 for y in competitions()]
    return pd.Series({**shares, f"{len(real)} real": np.mean(real)}, name="stuck runs found")


def slips(series: int) -> pd.Series:
    """Return the shares of series of M1 and M3 in which a slip of the decimal mark is found."""
    rng, chosen = np.random.default_rng(1), []
    for name, period in (("yearly", None), ("quarterly", 4), ("monthly", 12)):
        chosen += [(y, period) for y in competitions(f"m1m3/m*_{name}.csv.gz") if len(y) >= 30]
    names = ("ten times", "a tenth", "an outlier before", "unfinished end", "one said before")
    found: dict[str, list[bool]] = {name: [] for name in names}
    for i in rng.permutation(len(chosen))[: 10 * series]:
        y, period = chosen[i]
        found["an outlier before"].append(len(unusual_in(y, period).outliers) > 0)
        for name, factor in (("ten times", 10.0), ("a tenth", 0.1)):
            at = len(y) - 1 - int(rng.integers(min(3 * (period or 12) // 2, len(y) // 3)))
            slipped = y.copy()
            slipped[at] *= factor
            found[name].append(at in unusual_in(slipped, period).outliers)
        found["one said before"].append(unfinished_end(y, period) is not None)
        part = np.append(y[:-1], rng.uniform(0.1, 0.7) * y[-1])
        seen = unfinished_end(part, period), len(y) - 1 in unusual_in(part, period).outliers
        found["unfinished end"].append(seen[0] is not None or seen[1])
    return pd.Series({name: np.mean(ones) for name, ones in found.items()}, name="slips found")


def competitions(*names: str) -> list[np.ndarray]:
    """Return the series of some files, those of M1, M3, and of weeks and hours of M4."""
    names = names or ("m1m3/m*.csv.gz", "m4/*-train.csv.gz")
    found = []
    for path in [path for name in names for path in sorted(DATA.glob(name))]:
        with gzip.open(path, "rt") as file:
            rows = [line.strip().replace('"', "").split(",") for line in file]
        first = 3 if path.parent.name == "m1m3" else 1
        cells = [[c for c in row[first:] if c not in ("", "NA")] for row in rows]
        found += [np.array(row, float) for row in cells if row and row[0][:1] in "-.0123456789"]
    return found


def events(series: int) -> pd.Series:
    """Return the shares of series whose value on a fifth day of an event is an outlier."""
    shares = {}
    for ranges in (0.5, 0.9, 1.1, 2.0, 10.0):
        found = []
        for seed in range(series):
            y, on = draws(seed, 400), np.zeros((400, 1), dtype=bool)
            on[[50, 120, 200, 260, 330]] = True
            y[on[:, 0]] += 8.0
            others = np.delete(y, 330)
            y[330] = others.max() + ranges * np.ptp(others)
            dated = pd.Series(y, pd.date_range("2024-01-01", periods=400))
            found.append(330 in cleaned(dated, named=on).outliers.value)
        shares[ranges] = np.mean(found)
    return pd.Series(shares, name="absurd values of an event found")


def draws(seed: int, n: int) -> np.ndarray:
    """Return Gaussian noise."""
    return np.random.default_rng(seed).standard_normal(n)


def forecasts(n: int, series: int) -> pd.Series:
    """Return the CRPS with what is unusual taken care of, over the CRPS without."""
    ratios = {}
    for name, (draw, back, what) in UNUSUAL.items():
        scores = []
        at = n - back if back else n - 40
        for seed in range(series):
            y = draw(np.random.default_rng(seed), n + 14)
            y[at : at + (n if isinstance(what, float) else len(what))] += what
            dated = pd.Series(y, pd.date_range("2022-01-03", periods=n + 14, freq="D"))
            both = [
                gf.Forecaster(outliers=how).fit(dated[:n]).predict(14).score(dated[n:])["crps"]
                for how in ("auto", None)
            ]
            scores.append(both)
        auto, kept = np.mean(scores, axis=0)
        ratios[name] = auto / kept
    return pd.Series(ratios, name="CRPS, auto / None")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--series", type=int, default=100)
    parser.add_argument("--values", type=int, nargs="+", default=[60, 200, 1000])
    parser.add_argument("--forecasts", type=int, default=0, metavar="SERIES")
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    options = parser.parse_args()
    alarms = {n: false_alarms(n, options.series) for n in options.values}
    table = pd.concat(alarms, axis=1)
    print(table.round(3).to_string(), flush=True)
    table.round(4).to_csv(options.output)
    found = pd.concat({n: power(n, options.series) for n in options.values}, axis=1)
    print(found.round(3).to_string(), flush=True)
    print(ends(options.series).round(3).to_string())
    for table in (again, stuck, slips, events):
        print(table(options.series).round(4).to_string())
    for n in (200, 20_000):
        y, start = weekly(np.random.default_rng(0), n), time.process_time()
        unusual_in(y, 7)
        print(f"{n} values: {time.process_time() - start:.3f} s")
    if options.forecasts:
        print(forecasts(300, options.forecasts).round(3).to_string())


if __name__ == "__main__":
    main()
