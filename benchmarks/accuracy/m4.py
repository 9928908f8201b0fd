"""M4 weekly and hourly series: gpforecast, AutoARIMA, AutoETS, AutoTheta and SeasonalNaive.

The models are trained on the training part of each series and forecast its test part: 48 hours,
scaled by the season of 24, or 13 weeks, scaled by the season of 1. The scores are the same for all
methods:

- MASE and sMAPE of the mean;
- CRPS of the normal distribution with that mean and the width of the 80 % interval, over the scale
  of MASE, the in-sample error of the seasonal naive forecast;
- MSIS of the 95 % interval (alpha 0.05) and its coverage.

The subset is the first ``--series`` of one fixed random order, so that 20 are part of 40. The other
models are those of statsforecast, in an environment that ``benchmarks/peers.py statsforecast``
makes. They are given season 24 or, for weekly series, season 1, as in the competition's own
benchmarks (AutoETS cannot do 52). gpforecast gets the values on an index of hours or weeks from an
arbitrary date; with ``--no-index`` it gets no index, and has to detect the season itself. The
forecasts of the other models are kept in ``--cache`` and made once. An hourly series takes
AutoARIMA seconds with R's approximation for seasonal series, and minutes without. ``--forecaster``
is a Python expression in which ``gf`` is gpforecast; repeat it to compare several::

    python benchmarks/accuracy/m4.py --frequency hourly --series 40
    python benchmarks/accuracy/m4.py --frequency weekly --forecaster "gf.Forecaster(lags=8)"

Prints means over the series and, in brackets, medians, and the competition's published tables,
which are over all series of a frequency and so only a guide. Writes the scores of every series to
``--output``. The data are the folder ``m4`` of the one named by the environment variable
``GPFORECAST_DATA``, or of ``../shared/data``. Give BLAS one thread, by its environment variable.
"""

import argparse
import contextlib
import gzip
import os
import subprocess
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import gpforecast as gf

FOLDER = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "m4"
RUNNER = Path(__file__).parent / "peers" / "statsforecast_long.py"
PEERS = ("SeasonalNaive", "AutoTheta", "AutoETS", "AutoARIMA")
SCORES = ("mase", "smape", "crps", "msis", "cover", "seconds")
HALF = {level: NormalDist().inv_cdf(0.5 + level / 200) for level in (80, 95)}


@dataclass(frozen=True)
class Frequency:
    """What the competition fixed for a frequency."""

    horizon: int
    season: int
    freq: str


FREQUENCIES = {"hourly": Frequency(48, 24, "h"), "weekly": Frequency(13, 1, "W")}


def subset(frequency: str, n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return train and test values of the first n series of the fixed random order, by id."""
    train, test = (_rows(frequency, part) for part in ("train", "test"))
    names = list(train)
    chosen = np.random.default_rng(0).permutation(len(names))[:n]
    return {names[i]: (train[names[i]], test[names[i]]) for i in chosen}


def _rows(frequency: str, part: str) -> dict[str, np.ndarray]:
    with gzip.open(FOLDER / f"{frequency.title()}-{part}.csv.gz", "rt") as file:
        cells = [line.strip().split(",") for line in file]
    return {row[0]: np.array([float(v) for v in row[1:] if v]) for row in cells}


def peer_forecasts(name: str, frequency: str, series: dict, options) -> pd.DataFrame:
    """Return a peer's forecasts of the series, from the cache where it has them."""
    known = options.cache / f"{frequency}-{name}.csv"
    have = set(pd.read_csv(known)["unique_id"]) if known.exists() else set()
    if not options.no_run and not have.issuperset(series):
        python = options.peers.absolute() / "statsforecast" / "bin" / "python"
        if not python.exists():
            raise SystemExit(f"{python} is missing; run: python benchmarks/peers.py statsforecast")
        rule = FREQUENCIES[frequency]
        given = options.cache / f"{frequency}-series.csv"
        long = [
            pd.DataFrame({"unique_id": key, "ds": np.arange(1, len(y) + 1), "y": y})
            for key, (y, _) in series.items()
        ]
        pd.concat(long).to_csv(given, index=False)
        sizes = ["--season", str(rule.season), "--horizon", str(rule.horizon)]
        subprocess.run([python, RUNNER, name, given, known, *sizes], check=True)
    return pd.read_csv(known) if known.exists() else pd.DataFrame({"unique_id": []})


def our_forecasts(
    expression: str, series: dict, horizon: int, jobs: int, freq: str | None
) -> pd.DataFrame:
    """Return the forecasts of a forecaster, series by series."""
    tasks = (
        delayed(one_forecast)(expression, key, indexed(y, freq), horizon)
        for key, (y, _) in series.items()
    )
    parts = Parallel(n_jobs=jobs)(tasks)
    return pd.concat([part for part in parts if part is not None], ignore_index=True)


def indexed(y: np.ndarray, freq: str | None) -> pd.Series:
    """Return the values on an index of a frequency, or numbered."""
    index = None if freq is None else pd.date_range("2000-01-02", periods=len(y), freq=freq)
    return pd.Series(y, index)


def one_forecast(expression: str, key: str, y: pd.Series, horizon: int) -> pd.DataFrame | None:
    """Return mean and bounds, one row a step; None, and a line, where it fails."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forecaster = eval(expression, {"gf": gf, "np": np})
            frame = forecaster.fit(y).predict(horizon).to_frame(levels=(80, 95))
    except Exception as error:
        print(f"{key} failed: {type(error).__name__}: {error}", flush=True)
        return None
    frame = frame.reset_index(drop=True)
    frame.insert(0, "unique_id", key)
    frame["seconds"] = time.process_time() - start
    return frame


def scored(forecasts: pd.DataFrame, series: dict, season: int) -> pd.DataFrame:
    """Return the scores, one row a series, of those that were forecast."""
    by_id = dict(list(forecasts.groupby("unique_id", sort=False)))
    return pd.DataFrame(
        {key: one_score(by_id[key], *series[key], season) for key in series if key in by_id}
    ).T.reindex(columns=SCORES)


def one_score(frame: pd.DataFrame, past: np.ndarray, truth: np.ndarray, season: int) -> dict:
    """Return the scores of one series."""
    mean = frame["mean"].to_numpy()
    std = (frame["hi-80"] - frame["lo-80"]).to_numpy() / (2 * HALF[80])
    floor = 1e-9 * (1.0 + np.abs(mean))  # a method may claim to be certain
    scale = np.abs(past[season:] - past[:-season]).mean()
    bounds = frame["lo-95"].to_numpy(), frame["hi-95"].to_numpy()
    return {
        "mase": np.abs(truth - mean).mean() / scale,
        "smape": gf.scores.smape(truth, mean),
        "crps": gf.scores.crps(truth, mean, np.maximum(std, floor) ** 2) / scale,
        "msis": gf.scores.interval_score(truth, *bounds, 0.05) / scale,
        "cover": 100 * gf.scores.coverage(truth, *bounds),
        "seconds": frame["seconds"].iloc[0],
    }


def table(scores: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return means, with medians in brackets, over the series that every method forecast."""
    common = set.intersection(*(set(part.index) for part in scores.values()))
    rows = {}
    for name, part in scores.items():
        part = part[part.index.isin(common)]
        rows[name] = {
            c: f"{part[c].mean():.3f} ({part[c].median():.3f})"
            for c in ("mase", "smape", "crps", "msis")
        }
        rows[name] |= {c: f"{part[c].mean():.2f}" for c in ("cover", "seconds")}
    result = pd.DataFrame(rows).T
    result.index.name = f"{len(common)} series"
    return result


def published(frequency: str) -> str:
    """Return the published scores of well-known methods."""
    point = pd.read_csv(FOLDER / "published_point_by_frequency.csv", index_col=0)
    spread = pd.read_csv(FOLDER / "published_intervals_by_frequency.csv", index_col=0)
    column = frequency.title()
    both = pd.DataFrame(
        {
            "MASE": point[f"MASE_{column}"],
            "sMAPE": point[f"sMAPE_{column}"],
            "MSIS": spread[f"MSIS_{column}"],
        }
    ).dropna(how="all")
    return (
        both[both["MSIS"].notna() | both["MASE"].notna()].sort_values("MSIS").head(14).to_string()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frequency", choices=FREQUENCIES, default="hourly")
    parser.add_argument("--series", type=int, default=40)
    parser.add_argument("--forecaster", action="append", default=[], metavar="PYTHON")
    parser.add_argument("--peers", type=Path, default=Path(".peers"), help="environments")
    parser.add_argument("--cache", type=Path, default=Path(".peers/m4"), help="peers' forecasts")
    parser.add_argument("--no-run", action="store_true", help="peers: only what the cache holds")
    parser.add_argument("--no-index", action="store_true", help="ours: values only")
    parser.add_argument("--without", action="append", default=[], choices=PEERS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, help="default benchmarks/accuracy/m4_FREQUENCY.csv")
    options = parser.parse_args()
    rule = FREQUENCIES[options.frequency]
    options.cache.mkdir(parents=True, exist_ok=True)
    series = subset(options.frequency, options.series)
    freq = None if options.no_index else rule.freq
    scores = {}
    for name in PEERS:
        if name not in options.without:
            forecasts = peer_forecasts(name, options.frequency, series, options)
            scores[name] = scored(forecasts, series, rule.season)
    for expression in options.forecaster or ["gf.Forecaster()"]:
        forecasts = our_forecasts(expression, series, rule.horizon, options.jobs, freq)
        scores[expression] = scored(forecasts, series, rule.season)
    output = options.output or Path(__file__).parent / f"m4_{options.frequency}.csv"
    whole = pd.concat(scores, names=["method", "series"])
    whole.to_csv(output, float_format="%.6g")
    with pd.option_context("display.width", 200, "display.max_colwidth", 100):
        print(table(scores).to_string())
    with contextlib.suppress(FileNotFoundError):
        print(f"\nPublished, over all {options.frequency} series\n{published(options.frequency)}")


if __name__ == "__main__":
    main()
