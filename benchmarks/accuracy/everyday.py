"""Everyday series: the default call, exponential smoothing, Theta, ARIMA and seasonal naive.

Every second series of the M1 and M3 competitions (monthly, quarterly, yearly), some of tourism and
of a hospital, and M4 hourly and weekly ones. All but the last `horizon` values train, those are
forecast once. gpforecast gets the
values on dates of their frequency and nothing else; the other models, those of statsforecast, are
given the season. Scores are the same for all:

- MASE of the median (of the mean for the others), scaled by the in-sample error of the seasonal
  naive forecast, averaged over the series of a set;
- WQL, the pinball loss of the levels .1 to .9 over the sum of absolute values, of a set;
- MSIS of 95 % intervals, and the coverage of those of 80 and 95 %;
- CRPS, as the average pinball loss over fifteen levels, in units of the scale.

The first table has, over sets, the geometric mean of the ratio to seasonal naive, the mean coverage
and the least of a set, and the number of series whose CRPS is more than three times that of
seasonal naive. The second has each set's geometric mean over series of the ratio of CRPS to those
of AutoETS and AutoARIMA.

Half of the series, by a checksum of their names (two thirds of tourism and hospital), are those on
which rules and beliefs were found; the others judge them: ``--half judge``, the default.
``--every 4`` takes every fourth.
The forecasts of the other models are kept in ``--cache`` and made once, in the environment that
``benchmarks/peers.py statsforecast`` makes. ``--forecaster`` is a Python expression in which ``gf``
is gpforecast; repeat it to compare several::

    python benchmarks/accuracy/everyday.py
    python benchmarks/accuracy/everyday.py --half tune --every 4 \\
        --forecaster "gf.Forecaster()" --forecaster "gf.Forecaster(combine=None)"

Writes the mean scores of every set to ``--output``. The data are the folders ``m1m3``, ``tourism``
and ``m4`` of the one named by the environment variable ``GPFORECAST_DATA``, or of
``../shared/data``. Give BLAS one thread, by its environment variable. Half of the series take an
hour on two cores, most of it AutoARIMA's.
"""

import argparse
import gzip
import subprocess
import time
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from study import DATA

import gpforecast as gf

RUNNER = Path(__file__).parent / "peers" / "statsforecast_long.py"
M4 = {"hourly": (48, 24), "weekly": (13, 1)}  # horizon and season, as the competition has them
FREQUENCIES = ("monthly", "quarterly", "yearly")
SETS = {f"{m}_{f}": "m1m3" for m in ("m1", "m3") for f in FREQUENCIES} | {"hospital": "m1m3"}
SETS |= {f"tourism_{f}": "tourism" for f in FREQUENCIES}  # set: its folder
FEWEST = 8  # values of a series
PEERS = ("SeasonalNaive", "AutoTheta", "AutoETS", "AutoARIMA")
RELATIVE = ["mase", "wql", "msis"]  # to the scores of BASE
BASE, RIVALS = "SeasonalNaive", ("AutoETS", "AutoARIMA")
INTERVALS = (95, 90, 80, 60, 50, 40, 20)  # percent
LEVELS = np.array(
    [0.5 - p / 200 for p in INTERVALS] + [0.5] + [0.5 + p / 200 for p in reversed(INTERVALS)]
)
TENTHS = np.isclose(LEVELS[:, None], np.arange(1, 10) / 10).any(axis=1)
FREQ = {24: "h", 12: "MS", 4: "QS"}  # by season


@dataclass(frozen=True)
class Task:
    """A series to forecast."""

    set: str
    horizon: int
    season: int
    past: np.ndarray
    truth: np.ndarray

    @property
    def series(self) -> pd.Series:
        """The past on dates of its frequency."""
        freq = "W" if self.set == "m4_weekly" else FREQ.get(self.season, "YS")
        return pd.Series(self.past, pd.date_range("1970-01-04", periods=len(self.past), freq=freq))


def tasks(half: str, every: int, n_m4: int) -> dict[str, Task]:
    """Return the series of a half, by name."""
    found: dict[str, Task] = {}
    for name, folder in SETS.items():
        rows = [
            row
            for k, row in enumerate(cells(f"{folder}/{name}"))
            if half in ("all", half_of(row[0], k if name[0] in "ht" else None))
        ]
        for key, h, season, *values in rows[::every]:
            y = numbers(values)
            found[key] = Task(name, int(h), int(season), y[: -int(h)], y[-int(h) :])
    for frequency in M4:
        found |= m4_tasks(frequency, n_m4)
    return {key: task for key, task in found.items() if len(task.past) >= FEWEST}


def m4_tasks(frequency: str, n: int) -> dict[str, Task]:
    """Return the first n series of one fixed random order, so that 20 are part of 40."""
    train, test = (
        {key: numbers(values) for key, *values in cells(f"m4/{frequency.title()}-{part}")}
        for part in ("train", "test")
    )
    names = list(train)
    chosen = [names[i] for i in np.random.default_rng(0).permutation(len(names))[:n]]
    return {k: Task(f"m4_{frequency}", *M4[frequency], train[k], test[k]) for k in chosen}


def cells(name: str) -> list[list[str]]:
    with gzip.open(DATA / f"{name}.csv.gz", "rt") as file:
        return [line.strip().split(",") for line in file]


def numbers(row: list[str]) -> np.ndarray:
    return np.array([float(cell) for cell in row if cell])


def half_of(name: str, k: int | None = None) -> str:
    """Return whether a series is one of those that rules were found on.

    It is decided by its name, or by its place k in a set of which every third judges.
    """
    judges = zlib.crc32(name.encode()) % 2 if k is None else k % 3 == 0
    return "judge" if judges else "tune"


def forecasts(series: dict[str, Task], options: argparse.Namespace) -> dict[str, dict]:
    """Return quantiles and seconds of every model, by name of the series."""
    options.cache.mkdir(parents=True, exist_ok=True)
    found = {name: peers(name, series, options) for name in PEERS if name not in options.without}
    for text in options.forecaster or ["gf.Forecaster()"]:
        each = Parallel(n_jobs=options.jobs)(
            delayed(one_forecast)(text, key, task) for key, task in series.items()
        )
        made = dict(zip(series, each, strict=True))
        found[text] = {key: forecast for key, forecast in made.items() if forecast is not None}
    return found


def one_forecast(expression: str, key: str, task: Task) -> np.ndarray | None:
    """Return the quantiles (h, q) with a last column of seconds; None, and a line, if it fails."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forecaster = eval(expression, {"gf": gf, "np": np})
            f = forecaster.fit(task.series).predict(task.horizon)
            quantiles = f.distribution.quantile(LEVELS)
    except Exception as error:
        print(f"{key} failed: {type(error).__name__}: {error}", flush=True)
        return None
    return np.column_stack([quantiles, np.full(task.horizon, time.process_time() - start)])


def peers(name: str, series: dict[str, Task], options: argparse.Namespace) -> dict[str, np.ndarray]:
    """Return the same of another model, from the cache where it has it."""
    python = options.peers.absolute() / "statsforecast" / "bin" / "python"
    below, above = ([f"{side}-{p}" for p in INTERVALS] for side in ("lo", "hi"))
    found = {}
    for group in dict.fromkeys(task.set for task in series.values()):
        members = {key: task for key, task in series.items() if task.set == group}
        known = options.cache / f"{group}-{name}.csv"
        have = set(pd.read_csv(known)["unique_id"]) if known.exists() else set()
        if not have.issuperset(members):
            given, task = options.cache / f"{group}-series.csv", next(iter(members.values()))
            long = [
                pd.DataFrame({"unique_id": key, "ds": np.arange(1, len(m.past) + 1), "y": m.past})
                for key, m in members.items()
            ]
            pd.concat(long).to_csv(given, index=False)
            sizes = ["--season", str(task.season), "--horizon", str(task.horizon)]
            subprocess.run([python, RUNNER, name, given, known, *sizes], check=True)
        for key, part in pd.read_csv(known).groupby("unique_id"):
            if key in members:
                found[str(key)] = part[[*below, "mean", *reversed(above), "seconds"]].to_numpy()
    return found


def one_score(forecast: np.ndarray, task: Task) -> dict[str, object]:
    """Return the scores of one series."""
    q, y, m = forecast[:, :-1], task.truth, task.season
    m = m if len(task.past) > m else 1
    scale = max(float(np.abs(task.past[m:] - task.past[:-m]).mean()), 1e-9)
    error = y[:, None] - q
    pinball = 2.0 * np.maximum(LEVELS * error, (LEVELS - 1.0) * error)
    low, high = q[:, 0], q[:, -1]
    return {
        "set": task.set,
        "mase": np.abs(error[:, len(INTERVALS)]).mean() / scale,
        "pinball": pinball[:, TENTHS].sum() / TENTHS.sum(),
        "size": np.abs(y).sum(),
        "msis": gf.scores.interval_score(y, low, high, 0.05) / scale,
        "cover_95": gf.scores.coverage(y, low, high),
        "cover_80": gf.scores.coverage(y, q[:, 2], q[:, -3]),
        "crps": np.trapezoid(pinball, LEVELS, axis=1).mean() / scale,
        "seconds": forecast[0, -1],
    }


def over_sets(scores: dict[str, pd.DataFrame], of: str) -> pd.DataFrame:
    """Return ratios to seasonal naive, coverage, and how many forecasts went badly wrong."""
    base = by_set(scores[of])
    rows = {}
    for name, part in scores.items():
        found = by_set(part)
        ratios = np.exp(np.log(found[RELATIVE] / base[RELATIVE]).mean())
        rows[name] = {f"relative {score.upper()}": value for score, value in ratios.items()} | {
            "cover 95": found["cover_95"].mean(),
            "least": found["cover_95"].min(),
            "cover 80": found["cover_80"].mean(),
            "> 3 x naive": int((part["crps"] > 3.0 * scores[of]["crps"]).sum()),
            "seconds": part["seconds"].mean(),
        }
    return pd.DataFrame(rows).T


def by_set(part: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of each set of series."""
    numbers = part.drop(columns="set").astype(float)
    groups = numbers.groupby(part["set"])
    means, sums = groups.mean(), groups.sum()
    return means.assign(wql=sums["pinball"] / sums["size"], series=groups.size())


def against(scores: dict[str, pd.DataFrame], rival: str) -> pd.DataFrame:
    """Return the geometric means over series of the ratio of CRPS to a rival's, by set."""
    crps = pd.DataFrame({name: part["crps"].astype(float) for name, part in scores.items()})
    logs = np.log(crps + 1e-6)
    return np.exp(logs.sub(logs[rival], axis=0).groupby(scores[rival]["set"]).mean()).T


def published() -> pd.Series:
    """Return relative MASE over all of nine of the sets, of published forecasters."""
    table = pd.read_csv(DATA / "m1m3" / "published_zero_shot.csv")
    table = table[table["dataset"].isin([f"monash_{name}" for name in SETS])]
    mase = table.pivot_table(index="dataset", columns="model", values="MASE")
    relative = np.log(mase.div(mase["seasonal_naive"], axis=0)).mean()
    return np.exp(relative).sort_values()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forecaster", action="append", default=[], metavar="PYTHON")
    parser.add_argument("--peers", type=Path, default=Path(".peers"), help="environments")
    parser.add_argument("--cache", type=Path, default=Path(".peers/everyday"))
    parser.add_argument("--without", action="append", default=[], choices=PEERS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".csv"))
    parser.add_argument("--half", choices=("judge", "tune", "all"), default="judge")
    parser.add_argument("--every", type=int, default=1, help="take every n-th series of a set")
    parser.add_argument("--m4", type=int, default=0, help="M4 series of each frequency")
    options = parser.parse_args()
    series = tasks(options.half, options.every, options.m4)
    found = forecasts(series, options)
    common = [key for key in series if all(key in each for each in found.values())]
    scores = {
        name: pd.DataFrame({key: one_score(each[key], series[key]) for key in common}).T
        for name, each in found.items()
    }
    sets = {name: by_set(part) for name, part in scores.items()}
    pd.concat(sets, names=["method"]).to_csv(options.output, float_format="%.5g")
    with pd.option_context("display.width", 200, "display.max_columns", 20):
        base = BASE if BASE in scores else next(iter(scores))
        print(f"{len(common)} series, {options.half}\n{over_sets(scores, base).round(3)}")
        for rival in RIVALS:
            if rival in scores:
                print(f"\nCRPS over that of {rival}\n{against(scores, rival).round(3)}")
        print(f"\nPublished relative MASE, all series of these sets\n{published().round(3)}")


if __name__ == "__main__":
    main()
