"""M4 weekly and hourly series: gpforecast, AutoARIMA, AutoETS, AutoTheta and SeasonalNaive.

The models are trained on the training part of each series and forecast its test part: 48 hours,
scaled by the season of 24, or 13 weeks, scaled by the season of 1. The scores are the same for all
methods:

- MASE and sMAPE of the mean;
- CRPS of the normal distribution with that mean and the width of the 80 % interval, over the scale
  of MASE, the in-sample error of the seasonal naive forecast;
- MSIS of the 95 % interval (alpha 0.05) and its coverage.

The other models are those of statsforecast, in an environment that ``benchmarks/peers.py
statsforecast`` makes. They are given season 24 or, for weekly series, season 1, as in the
competition's own benchmarks (AutoETS cannot do 52). gpforecast gets the values on an index of hours
or weeks; of its forecasts the median counts. An hourly series takes AutoARIMA seconds with R's
approximation for seasonal series, and minutes without. ``everyday.py`` has the other options::

    python benchmarks/accuracy/m4.py --frequency hourly --series 40
    python benchmarks/accuracy/m4.py --frequency weekly --forecaster "gf.Forecaster(lags=8)"

Prints means over the series and, in brackets, medians, and the competition's published tables,
which are over all series of a frequency and so only a guide. Writes the scores of every series to
``--output``. Give BLAS one thread, by its environment variable.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from everyday import M4, Task, forecasts, m4_tasks, parser_of
from study import DATA

import gpforecast as gf

HALF_80 = 1.2815515655446004  # standard deviations


def one_score(forecast: np.ndarray, task: Task) -> dict[str, float]:
    """Return the scores of one series."""
    q, truth, m = forecast[:, :-1], task.truth, task.season
    mean, std = q[:, q.shape[1] // 2], (q[:, -3] - q[:, 2]) / (2 * HALF_80)
    floor = 1e-9 * (1.0 + np.abs(mean))  # a method may claim to be certain
    scale = np.abs(task.past[m:] - task.past[:-m]).mean()
    return {
        "mase": np.abs(truth - mean).mean() / scale,
        "smape": gf.scores.smape(truth, mean),
        "crps": gf.scores.crps(truth, mean, np.maximum(std, floor) ** 2) / scale,
        "msis": gf.scores.interval_score(truth, q[:, 0], q[:, -1], 0.05) / scale,
        "cover": 100 * gf.scores.coverage(truth, q[:, 0], q[:, -1]),
        "seconds": forecast[0, -1],
    }


def published(frequency: str) -> pd.DataFrame:
    """Return the published scores of well-known methods."""
    point, spread = (
        pd.read_csv(DATA / "m4" / f"published_{what}_by_frequency.csv", index_col=0)
        for what in ("point", "intervals")
    )
    columns = [f"MASE_{frequency}", f"sMAPE_{frequency}"]
    both = point[columns].join(spread[f"MSIS_{frequency}"], how="outer")
    return both.dropna(how="all").sort_values(f"MSIS_{frequency}").head(14)


def main() -> None:
    parser = parser_of(__doc__, None)
    parser.add_argument("--frequency", choices=M4, default="hourly")
    parser.add_argument("--series", type=int, default=40)
    options = parser.parse_args()
    series = m4_tasks(options.frequency, options.series)
    scores = {
        name: pd.DataFrame({key: one_score(f, series[key]) for key, f in each.items()}).T
        for name, each in forecasts(series, options).items()
    }
    whole = pd.concat(scores, names=["method", "series"])
    output = options.output or Path(__file__).with_name(f"m4_{options.frequency}.csv")
    whole.to_csv(output, float_format="%.6g")
    of_all = whole.groupby("series").filter(lambda part: len(part) == len(scores))
    over = of_all.groupby("method", sort=False)
    mean, median = over.mean(), over.median()
    print((mean.map("{:.3f}".format) + median.map(" ({:.3f})".format)).to_string())
    print(f"\nPublished, over all {options.frequency} series")
    print(published(options.frequency.title()).to_string())


if __name__ == "__main__":
    main()
