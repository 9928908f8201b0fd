"""The commands on a file: `forecast`, `backtest` and `report`.

matplotlib is imported when something is drawn.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path

import pandas as pd

from gpforecast import Backtest, Forecaster, backtest
from gpforecast.cli.files import FileOptions, read_series
from gpforecast.cli.writing import check_drawable, check_writable, figure, safe_label
from gpforecast.plotting import step_panels
from gpforecast.propagation import MonteCarlo
from gpforecast.reporting import report

METHODS = ("exact", "taylor", "cubature", "naive", "monte_carlo")
CHOICES = (*METHODS, "mixture", "auto")
STRATEGIES = ("iterated", "direct")


def forecast_file(args: Namespace) -> None:
    r"""Forecast the values that follow a column of a file.

    FILE is a table with a row for each time: text such as CSV, Excel (.xlsx) or Parquet, packed by
    gzip or not; - is the standard input. How it is written is detected and printed in one line to
    the standard error; what can be read in two ways is refused, with the option that decides. The
    table of the forecast goes to the standard output unless --output is given. --summary prints
    what was selected and why, to the standard error.

    for example:
      gpforecast forecast sales.csv --value units --time month --horizon 12
      gpforecast forecast sales.csv --value units --time month --horizon 12 --lags 1,2,12 \
          --levels 50 80 95 --output next.csv --plot next.png
      gpforecast forecast sensor.csv --value volts --horizon 100 --lags 16 --method monte_carlo
      gpforecast forecast sales.csv --value units --time month --horizon 12 --summary
    """
    _check_files(args)
    series = _series(args)
    forecaster = _forecaster(args).fit(series)
    forecast = forecaster.predict(args.horizon, propagation=_propagation(args.method, args.seed))
    if args.summary:
        print(forecaster.summary(), file=sys.stderr)
    for note in forecast.notes:
        print(f"gpforecast: note: {' '.join(note.split())}", file=sys.stderr)
    frame = forecast.to_frame(args.levels)
    frame.insert(1, "std", forecast.std)
    label = "row" if series.index.name is None else safe_label(series.index.name)
    text = frame.to_csv(index_label=label, float_format="%.10g", lineterminator="\n")
    if args.plot is not None:
        fan = figure()
        forecast.plot(ax=fan.subplots(), levels=args.levels)
        fan.savefig(args.plot, dpi=150)
    sys.stdout.write(text) if args.output is None else args.output.write_text(text, "utf-8")


def backtest_file(args: Namespace) -> None:
    r"""Score forecasts from many origins of a file's column.

    The model learns from the first half of FILE and forecasts from origins in the second. FILE is
    read as by `gpforecast forecast`.

    for example:
      gpforecast backtest sales.csv --value units --time month --horizon 12
      gpforecast backtest sensor.csv --value volts --horizon 100 --lags 16 --origins 50 \
          --method exact --method taylor --output scores.csv --plot scores.png
    """
    _check_files(args)
    wanted = args.method or ["auto"]
    names = METHODS if "all" in wanted else tuple(dict.fromkeys(wanted))
    series = _series(args)
    half = len(series) // 2
    forecaster = _forecaster(args).fit(series.iloc[:half])
    results = backtests(args, forecaster, series, names, args.origins)
    lags = ",".join(map(str, forecaster.lags_))
    print(f"Learned from the first {half} of {len(series)} values, lags {lags}.")
    for name, result in results.items():
        table = result.summary().to_string(float_format="{:.4g}".format)
        print(f"\n{name}: {args.horizon} steps from {len(result.origins)} origins\n{table}")
    scores = {name: result.scores for name, result in results.items()}
    if args.output is not None:
        together = pd.concat(scores, names=["method", "step"])
        together.to_csv(args.output, float_format="%.10g")
    if args.plot is not None:
        panels = figure()
        step_panels(scores, ["mae", "nlpd", "coverage_95"], axes=panels.subplots(1, 3))
        panels.savefig(args.plot, dpi=150)


def report_file(args: Namespace) -> None:
    """Write a web page about a column of a file: forecast, reasons and record.

    The page shows the series, what was chosen and why, the forecast, and how forecasts from the
    series' own past have done. It is one file that needs no network. FILE is read as by `gpforecast
    forecast`.

    for example:
      gpforecast report sales.csv --value units --time month --horizon 12
      gpforecast report sensor.csv --value volts --horizon 100 --output sensor.html
    """
    if args.file == "-" and args.output is None:
        raise ValueError("--output must name the page if the data come from the standard input.")
    output = args.output or Path(args.file).with_suffix(".html")
    check_writable(output, source=args.file, force=args.force)
    series = _series(args)
    forecaster = _forecaster(args)
    page = report(series, args.horizon, forecaster=forecaster, origins=args.origins, seed=args.seed)
    page.save(output)
    print(f"Wrote {output}")


def backtests(
    args: Namespace,
    forecaster: Forecaster,
    series: "pd.Series[float]",
    methods: Sequence[str],
    origins: int,
    paths: int = 1000,
) -> dict[str, Backtest]:
    """Backtest each method from the same origins."""
    how = {name: _propagation(name, args.seed, paths) for name in methods}
    plan = partial(backtest, forecaster, series, args.horizon, origins, seed=args.seed)
    return {name: plan(propagation=how[name]) for name in methods}


def _check_files(args: Namespace) -> None:
    check_writable(args.output, args.plot, source=args.file, force=args.force)
    check_drawable(args.plot)


def _series(args: Namespace) -> "pd.Series[float]":
    """Read the series, and print what was detected."""
    named = {field.name: getattr(args, field.name) for field in fields(FileOptions)}
    reading = read_series(args.file, FileOptions(**named))
    print(f"gpforecast: {' '.join(reading.said.split())}", file=sys.stderr)
    return reading.series


def _forecaster(args: Namespace) -> Forecaster:
    if args.strategy == "direct":
        return Forecaster(args.lags, strategy="direct", max_horizon=args.horizon)
    return Forecaster(args.lags)


def _propagation(name: str, seed: int, paths: int = 1000) -> str | MonteCarlo:
    return MonteCarlo(paths, seed=seed) if name == "monte_carlo" else name
