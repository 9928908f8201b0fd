"""The command line: `gpforecast demo`, `forecast`, `backtest` and `report`.

Whatever goes wrong is one line on the standard error and exit code 2. matplotlib is imported when
something is drawn.
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from gpforecast import Forecaster, NumericalWarning, __version__, backtest, datasets
from gpforecast.cli.reading import read_series
from gpforecast.plotting import step_panels
from gpforecast.propagation import MonteCarlo
from gpforecast.reporting import report

METHODS = ("exact", "taylor", "cubature", "naive", "monte_carlo")
# Enough to tell the methods apart, few enough for Monte Carlo not to make anybody wait.
_DEMO_ORIGINS, _DEMO_PATHS = 40, 150

_EXAMPLES = """\
examples:
  gpforecast demo
  gpforecast forecast sales.csv --value units --time month --horizon 12 --output next.csv
  gpforecast backtest sales.csv --value units --time month --horizon 12 --method all"""

_DEMO_EXAMPLES = "example:\n  gpforecast demo --output pictures --rows 300 --seed 1"

_FORECAST_EXAMPLES = """\
FILE.csv has a header, a row for each time and a column with the values. Without --time its rows
are counted from 0. The table of the forecast goes to the standard output unless --output is given.

examples:
  gpforecast forecast sales.csv --value units --time month --horizon 12
  gpforecast forecast sales.csv --value units --time month --horizon 12 --lags 1,2,12 \\
      --levels 50 80 95 --output next.csv --plot next.png
  gpforecast forecast sensor.csv --value volts --horizon 100 --lags 16 --method monte_carlo"""

_BACKTEST_EXAMPLES = """\
The model learns from the first half of FILE.csv and forecasts from places in the second.

examples:
  gpforecast backtest sales.csv --value units --time month --horizon 12
  gpforecast backtest sensor.csv --value volts --horizon 100 --lags 16 --origins 50 \\
      --method exact --method taylor --output scores.csv --plot scores.png"""


_REPORT_EXAMPLES = """\
The page shows the series, what was chosen and why, the forecast, and how forecasts from the
series' own past have done. It is one file that needs no network.

examples:
  gpforecast report sales.csv --value units --time month --horizon 12
  gpforecast report sensor.csv --value volts --horizon 100 --output sensor.html"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see {self.prog} --help)")


def _number(kind: Any, least: int, below: float, what: str, text: str) -> Any:
    with suppress(ValueError):
        if least <= kind(text) < below:
            return kind(text)
    raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}.")


_positive = partial(_number, int, 1, float("inf"), "a positive integer")
_seed = partial(_number, int, 0, float("inf"), "an integer from 0 up")
_level = partial(_number, float, 1, 100.0, "per cent, from 1 to under 100")


def _lags(text: str) -> Any:
    if text == "auto":
        return text
    try:
        lags = [int(part) for part in text.split(",")]
    except ValueError:
        expected = 'an integer, a list such as 1,2,12, or "auto"'
        raise argparse.ArgumentTypeError(f"must be {expected}; got {text!r}.") from None
    return lags if "," in text else lags[0]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default the process's; return the exit code.

    An error is told in one line on the standard error, and the code is then 2.
    """
    try:
        args = _parser().parse_args(argv)
        with _warnings_in_a_line():
            args.run(args)
        sys.stdout.flush()
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    except BrokenPipeError:
        # The reader, `head` say, has seen enough. Python flushes once more at exit: to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TypeError, RuntimeError, OSError, MemoryError) as error:
        return _refuse(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        return _refuse("interrupted.", 130)
    return 0


def _refuse(message: str, code: int = 2) -> int:
    print(f"gpforecast: error: {' '.join(message.split())}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    about = "Forecast time series with Gaussian processes, error bars included."
    look: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    parser = _Parser(prog="gpforecast", description=about, epilog=_EXAMPLES, **look)
    parser.add_argument("--version", action="version", version=f"gpforecast {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(run: Callable[[Any], None], about: str, more: str) -> argparse.ArgumentParser:
        name = run.__name__.strip("_")
        sub = commands.add_parser(name, help=about, description=about, epilog=more, **look)
        sub.set_defaults(run=run)
        return sub

    about = "Fit the Mackey-Glass series, score every method, write a fan chart and a table."
    demo = command(_demo, about, _DEMO_EXAMPLES)
    _option(demo, "--output DIR", "folder for the two files", Path, Path("gpforecast-demo"))
    _option(demo, "--rows N", "values to learn from", _positive, 200)
    _option(demo, "--horizon H", "steps ahead", _positive, 100)
    _option(demo, "--seed N", "for the noise and the choice of origins", _seed, 0)

    about = "Forecast the values that follow a column of a CSV file."
    forecast = command(_forecast, about, _FORECAST_EXAMPLES)
    _data_options(forecast)
    how = "how uncertainty is propagated (default: %(default)s)"
    forecast.add_argument("--method", choices=METHODS, default="exact", help=how)
    many: Any = {"metavar": "P", "nargs": "+", "type": _level, "default": [80, 95]}
    forecast.add_argument("--levels", help="intervals in per cent (default: 80 95)", **many)
    _file_options(forecast, "for monte_carlo", "the table", "a fan chart")

    about = "Score forecasts from many places of a CSV file's column."
    scores = command(_backtest, about, _BACKTEST_EXAMPLES)
    _data_options(scores)
    _option(scores, "--origins N", "how many places to forecast from", _positive, 100)
    how = "may be repeated (default: exact)"
    scores.add_argument("--method", choices=(*METHODS, "all"), action="append", help=how)
    random = "for the choice of places and monte_carlo"
    _file_options(scores, random, "the scores of every step", "scores against the step")

    about = "Write a web page about a column of a CSV file: forecast, reasons and record."
    page = command(_report, about, _REPORT_EXAMPLES)
    _data_options(page)
    _option(page, "--origins N", "how many places to test forecasts from", _positive, 50)
    _option(page, "--seed N", "for the choice of places", _seed, 0)
    _option(page, "--output OUT.html", "write the page here (default: FILE.html)", Path)
    return parser


def _data_options(parser: Any) -> None:
    parser.add_argument("file", metavar="FILE.csv", help="the data, with a header line")
    _option(parser, "--value COL", "the column to forecast; not needed if only one holds numbers")
    _option(parser, "--time COL", "the column with dates, or evenly spaced numbers")
    parser.add_argument("--horizon", metavar="H", type=_positive, required=True, help="steps ahead")
    text = "past values to use: 16 (that is 1 to 16), 1,2,12 or auto"
    _option(parser, "--lags L", text, _lags, "auto")


def _file_options(parser: Any, random: str, table: str, picture: str) -> None:
    _option(parser, "--seed N", random, _seed, 0)
    _option(parser, "--output OUT.csv", f"write {table} here", Path)
    _option(parser, "--plot OUT.png", f"draw {picture} here", Path)


def _option(parser: Any, flag: str, text: str, kind: Any = str, default: Any = None) -> None:
    name, metavar = flag.split()
    text += "" if default is None else " (default: %(default)s)"
    parser.add_argument(name, metavar=metavar, type=kind, default=default, help=text)


def _demo(args: argparse.Namespace) -> None:
    began = time.perf_counter()
    picture, table = args.output / "fan_chart.png", args.output / "forecast.csv"
    args.output.mkdir(parents=True, exist_ok=True)
    _check_writable(table, picture)
    rows, horizon = args.rows, args.horizon
    n = rows + horizon + 500  # 500 places for the origins of the backtest
    series = datasets.mackey_glass(n, normalise=True, noise_var=1e-3, seed=args.seed)
    print(f"Mackey-Glass series: {rows} noisy values to learn from, {horizon} steps to forecast.")
    forecaster = Forecaster(lags=16).fit(series.iloc[:rows])
    noise = forecaster.model_.noise_var_**0.5 * series.iloc[:rows].std()
    fitted = f"Fitted a Gaussian process to {forecaster.n_rows_} rows of 16 lags"
    print(f"{fitted}; it finds noise of {noise:.3f} where {1e-3**0.5:.3f} was added.")
    print(f"Forecasting from {_DEMO_ORIGINS} later places with each method ...", flush=True)
    results = _backtests(args, forecaster, series, METHODS, _DEMO_ORIGINS, _DEMO_PATHS)
    scores = {name: result.scores for name, result in results.items()}
    average = pd.DataFrame({name: table.mean() for name, table in scores.items()}).T
    last = pd.DataFrame({name: table.iloc[-1] for name, table in scores.items()}).T
    parts = {f"average of steps 1-{horizon}": average[["mae", "nlpd", "crps", "coverage_95"]]}
    parts[f"step {horizon}"] = last[["mae", "nlpd", "coverage_95"]]
    print(f"\n{pd.concat(parts, axis=1).to_string(float_format='{:.3f}'.format)}\n")
    print("The lower mae, nlpd and crps the better; coverage_95 should be 0.95.")
    if float(scores["exact"]["coverage_95"].mean()) > 0.97:
        print(
            "It is above: the noise here is in the measurement, and an autoregression feeds it\n"
            "back as if it moved the series (docs/explanation/when_error_bars_fail.rst)."
        )

    truth = series.iloc[rows : rows + horizon]
    forecast = forecaster.predict(horizon)
    frame = forecast.to_frame((80, 95))
    frame.insert(0, "truth", truth)
    frame.insert(2, "std", forecast.std)
    figure = _figure()
    ax = forecast.plot(ax=figure.subplots(), truth=truth, n_history=min(rows, 150))
    ax.set_ylabel("Mackey-Glass series")
    figure.savefig(picture, dpi=150)
    frame.to_csv(table, index_label="time", float_format="%.10g")
    print(f"Wrote {picture}\nWrote {table}\nin {time.perf_counter() - began:.0f} s.")


def _forecast(args: argparse.Namespace) -> None:
    _check_writable(args.output, args.plot, source=Path(args.file))
    series = read_series(args.file, args.value, args.time)
    forecaster = Forecaster(args.lags).fit(series)
    forecast = forecaster.predict(args.horizon, propagation=_propagation(args.method, args.seed))
    for note in forecast.notes:
        print(f"gpforecast: note: {' '.join(note.split())}", file=sys.stderr)
    frame = forecast.to_frame(args.levels)
    frame.insert(1, "std", forecast.std)
    text = frame.to_csv(index_label=args.time or "row", float_format="%.10g", lineterminator="\n")
    if args.plot is not None:
        figure = _figure()
        forecast.plot(ax=figure.subplots(), levels=args.levels)
        figure.savefig(args.plot, dpi=150)
    sys.stdout.write(text) if args.output is None else args.output.write_text(text, "utf-8")


def _backtest(args: argparse.Namespace) -> None:
    _check_writable(args.output, args.plot, source=Path(args.file))
    wanted = args.method or ["exact"]
    names = METHODS if "all" in wanted else tuple(dict.fromkeys(wanted))
    series = read_series(args.file, args.value, args.time)
    forecaster = Forecaster(args.lags).fit(series.iloc[: len(series) // 2])
    results = _backtests(args, forecaster, series, names, args.origins)
    lags = ",".join(map(str, forecaster.lags_))
    print(f"Learned from the first {len(series) // 2} of {len(series)} values, lags {lags}.")
    for name, result in results.items():
        table = result.summary().to_string(float_format="{:.4g}".format)
        print(f"\n{name}: {args.horizon} steps from {len(result.origins)} origins\n{table}")
    if args.output is not None:
        scores = pd.concat({m: r.scores for m, r in results.items()}, names=["method", "step"])
        scores.to_csv(args.output, float_format="%.10g")
    if args.plot is not None:
        panels = ["mae", "nlpd", "coverage_95"]
        figure = _figure()
        step_panels({m: r.scores for m, r in results.items()}, panels, axes=figure.subplots(1, 3))
        figure.savefig(args.plot, dpi=150)


def _report(args: argparse.Namespace) -> None:
    output = args.output or Path(args.file).with_suffix(".html")
    _check_writable(output, None, source=Path(args.file))
    series = read_series(args.file, args.value, args.time)
    page = report(
        series, args.horizon, forecaster=Forecaster(args.lags), origins=args.origins, seed=args.seed
    )
    page.save(output)
    print(f"Wrote {output}")


def _backtests(
    args: Any, forecaster: Any, series: Any, methods: Any, origins: int, paths: int = 1000
) -> dict[str, Any]:
    """Backtest each method from the same origins."""
    same: Any = {"horizon": args.horizon, "origins": origins, "seed": args.seed}
    how = {name: _propagation(name, args.seed, paths) for name in methods}
    return {m: backtest(forecaster, series, propagation=how[m], **same) for m in methods}


def _figure() -> Any:
    from matplotlib.figure import Figure  # needs no screen, as pyplot does

    return Figure(figsize=(9, 4), layout="constrained")


def _propagation(name: str, seed: int, paths: int = 1000) -> Any:
    return MonteCarlo(paths, seed=seed) if name == "monte_carlo" else name


def _check_writable(
    table: Path | None, picture: Path | None, *, source: Path | None = None
) -> None:
    """Refuse before any work what could not be written after it, or would destroy the source."""
    for path in (table, picture):
        if path is not None and source is not None and path.resolve() == source.resolve():
            raise ValueError(f"cannot write {path}: it is the file that is read.")
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            why = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
            raise ValueError(f"cannot write {path}: {why}.")
    if picture is not None:
        kinds = _figure().canvas.get_supported_filetypes()
        if picture.suffix.lstrip(".").lower() not in kinds:
            known = ", ".join(sorted(kinds))
            raise ValueError(f"cannot draw {picture}: its name must end in one of {known}.")


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Print the library's warnings as it would print an error: each once, in a line."""
    said = set()

    def show(message: Any, *_place: Any, **_more: Any) -> None:
        text = " ".join(str(message).split())
        if text not in said:
            print(f"gpforecast: warning: {text}", file=sys.stderr)
        said.add(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", NumericalWarning)
        warnings.showwarning = show
        yield
