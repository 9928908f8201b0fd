"""The commands on a file: `forecast`, `backtest` and `report`.

matplotlib is imported when something is drawn.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gpforecast import Backtest, Forecaster, backtest
from gpforecast.cli.reading import read_series
from gpforecast.plotting import step_panels
from gpforecast.propagation import MonteCarlo
from gpforecast.reporting import report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("exact", "taylor", "cubature", "naive", "monte_carlo")
CHOICES = (*METHODS, "mixture", "auto")
STRATEGIES = ("iterated", "direct")


def forecast_file(args: Namespace) -> None:
    r"""Forecast the values that follow a column of a CSV file.

    FILE.csv has a header, a row for each time and a column with the values. Without --time its rows
    are counted from 0. The table of the forecast goes to the standard output unless --output is
    given. --summary prints what was selected and why, to the standard error.

    for example:
      gpforecast forecast sales.csv --value units --time month --horizon 12
      gpforecast forecast sales.csv --value units --time month --horizon 12 --lags 1,2,12 \
          --levels 50 80 95 --output next.csv --plot next.png
      gpforecast forecast sensor.csv --value volts --horizon 100 --lags 16 --method monte_carlo
      gpforecast forecast sales.csv --value units --time month --horizon 12 --summary
    """
    check_writable(args.output, args.plot, source=Path(args.file))
    series = read_series(args.file, args.value, args.time)
    forecaster = _forecaster(args).fit(series)
    forecast = forecaster.predict(args.horizon, propagation=_propagation(args.method, args.seed))
    if args.summary:
        print(forecaster.summary(), file=sys.stderr)
    for note in forecast.notes:
        print(f"gpforecast: note: {' '.join(note.split())}", file=sys.stderr)
    frame = forecast.to_frame(args.levels)
    frame.insert(1, "std", forecast.std)
    text = frame.to_csv(index_label=args.time or "row", float_format="%.10g", lineterminator="\n")
    if args.plot is not None:
        fan = figure()
        forecast.plot(ax=fan.subplots(), levels=args.levels)
        fan.savefig(args.plot, dpi=150)
    sys.stdout.write(text) if args.output is None else args.output.write_text(text, "utf-8")


def backtest_file(args: Namespace) -> None:
    r"""Score forecasts from many origins of a CSV file's column.

    The model learns from the first half of FILE.csv and forecasts from origins in the second.

    for example:
      gpforecast backtest sales.csv --value units --time month --horizon 12
      gpforecast backtest sensor.csv --value volts --horizon 100 --lags 16 --origins 50 \
          --method exact --method taylor --output scores.csv --plot scores.png
    """
    check_writable(args.output, args.plot, source=Path(args.file))
    wanted = args.method or ["auto"]
    names = METHODS if "all" in wanted else tuple(dict.fromkeys(wanted))
    series = read_series(args.file, args.value, args.time)
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
    """Write a web page about a column of a CSV file: forecast, reasons and record.

    The page shows the series, what was chosen and why, the forecast, and how forecasts from the
    series' own past have done. It is one file that needs no network.

    for example:
      gpforecast report sales.csv --value units --time month --horizon 12
      gpforecast report sensor.csv --value volts --horizon 100 --output sensor.html
    """
    output = args.output or Path(args.file).with_suffix(".html")
    check_writable(output, None, source=Path(args.file))
    series = read_series(args.file, args.value, args.time)
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


def figure() -> "Figure":
    """Return an empty figure that needs no screen, as pyplot's do."""
    from matplotlib.figure import Figure

    return Figure(figsize=(9, 4), layout="constrained")


def check_writable(table: Path | None, picture: Path | None, *, source: Path | None = None) -> None:
    """Refuse before any work what could not be written after it, or would destroy the source."""
    for path in filter(None, (table, picture)):
        if source is not None and path.resolve() == source.resolve():
            raise ValueError(f"cannot write {path}: it is the file that is read.")
        if path.is_dir() or not path.parent.is_dir():
            why = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
            raise ValueError(f"cannot write {path}: {why}.")
    if picture is not None:
        kinds = figure().canvas.get_supported_filetypes()
        if picture.suffix.lstrip(".").lower() not in kinds:
            known = ", ".join(sorted(kinds))
            raise ValueError(f"cannot draw {picture}: its name must end in one of {known}.")


def _forecaster(args: Namespace) -> Forecaster:
    if args.strategy == "direct":
        return Forecaster(args.lags, strategy="direct", max_horizon=args.horizon)
    return Forecaster(args.lags)


def _propagation(name: str, seed: int, paths: int = 1000) -> str | MonteCarlo:
    return MonteCarlo(paths, seed=seed) if name == "monte_carlo" else name
