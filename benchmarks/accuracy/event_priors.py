"""The prior and the season of EventForecaster's default, on events of many short monthly series.

Every sixth monthly series of M3 and every fifth of M1 are made events, in turn: whether a value is
above the one before, or above the mean of the twelve before. Series of less than 60 values, or with
an event that all but never occurs in the first half, are left out. The others are split in two, by
turns: the prior's centres and its width, and the evidence that a season must bring, were chosen by
the *first* half; the *second* judges them, though its scores were seen beside the first grid.

Models learn from the first half of a series and forecast 8 steps from up to 100 origins in the
second. Scores are log scores averaged over origins and steps, in nats, less that of logistic
regression on the same lags, iterated by the same enumeration (negative is better).

``before``     a squared exponential of variance 1 and a linear covariance of variance 1 for each
               lag, with the weak prior of `OrdinalGP`: the default of earlier versions.
``default``    the default without a season: variances 0.3 and 0.7 / (number of inputs), and a
               narrower prior.
``season``     the default as it is, with a season of twelve where the evidence takes it.
               Measured with lags of 1 to 4.

For each number of lags: mean over series and its standard error, median, share of series that are
better than logistic regression, and the worst. ``taken`` is the share with a season.

Prints a table and writes it as CSV beside this script. Run it from the project's root, with the
data of ``GPFORECAST_DATA``: ``python benchmarks/accuracy/event_priors.py``; ``--quick`` is every
tenth of the series.
"""

import argparse
import gzip
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from event_series import DATA, Case, iterated, losses_of

import gpforecast as gf
from gpforecast.covariances import Linear, SquaredExponential
from gpforecast.events.fitted import States

EVERY = {"m3_monthly": 6, "m1_monthly": 5}
LAGS, HORIZON, ORIGINS = (4, 8, 12), 8, 100
RARE = 3  # times that an event, or its absence, must occur


def before() -> gf.models.OrdinalGP:
    return gf.models.OrdinalGP(SquaredExponential(2.0, 1.0) + Linear(1.0))


def events() -> Iterator[pd.Series]:
    for name, every in EVERY.items():
        with gzip.open(DATA / "m1m3" / f"{name}.csv.gz", "rt") as file:
            lines = [*file][1::every]
        for place, line in enumerate(lines):
            values = pd.Series([float(cell) for cell in line.strip().split(",")[3:] if cell])
            if place % 2:
                found = (values > values.rolling(12).mean().shift()).iloc[12:]
            else:
                found = values.diff().iloc[1:] > 0
            seen = found.iloc[: len(found) // 2]
            usual = seen.iloc[12:]
            if len(found) < 60 or seen.iloc[4:].nunique() < 2:
                continue
            if min(usual.sum(), (~usual).sum()) >= RARE:
                months = pd.date_range("1970-01-01", periods=len(found), freq="MS")
                yield pd.Series(found.to_numpy(), months)


def measured(series: pd.Series, lags: int) -> dict[str, float]:
    """Return the log score of each model less that of logistic regression."""
    models = {
        "before": gf.EventForecaster(lags, model=before(), season_length=1),
        "default": gf.EventForecaster(lags, season_length=1),
        "season": gf.EventForecaster(lags),
    }
    case, origins, found = Case(series, lags, HORIZON), ORIGINS, {}
    for label, forecaster in models.items():
        if label != "season" or lags == min(LAGS):
            result = forecaster.backtest(series, HORIZON, origins=origins)
            origins = result.origins
            found[label] = result.probabilities
    half = States.of(case.series).first(len(series) // 2)
    codes = States.of(case.series).codes
    at = half.on(half.codes, half.axis.index)
    fitted = models["default"].fit(at).fitted_
    nothing = np.empty((len(codes), 0))
    found["logistic"] = iterated(fitted, codes, nothing, origins, HORIZON)
    scores = {label: np.nanmean(losses_of(result.truth, p)["log"]) for label, p in found.items()}
    rival = scores.pop("logistic")
    apart = {label: score - rival for label, score in scores.items()}
    if "season" in apart:
        apart["taken"] = float(models["season"].fit(at).fitted_.season is not None)
    return apart


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="every tenth of the series")
    parser.add_argument("--output", type=Path, help="CSV file (default beside this script)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of searches that end on a bound
    rows, every = [], [*events()]
    for place, series in enumerate(every):
        if options.quick and place // 2 % 10:
            continue
        for lags in LAGS:
            half = "second" if place % 2 else "first"
            try:
                found = measured(series, lags)
            except ValueError:  # an event is in none of the rows that have all lags
                continue
            rows += [{"half": half, "lags": lags, "model": m, "over": v} for m, v in found.items()]
    over = pd.DataFrame(rows).groupby(["half", "lags", "model"], sort=False)["over"]
    table = over.agg(series="size", mean="mean", error="sem", median="median", worst="max")
    table["better"] = over.agg(lambda v: (v < 0.0).mean())
    print(table.round(4).to_string())
    output = options.output or (None if options.quick else Path(__file__).with_suffix(".csv"))
    if output:
        table.reset_index().to_csv(output, index=False, float_format="%.4g")


if __name__ == "__main__":
    main()
