"""The command line: `gpforecast demo`, `gpforecast forecast` and `gpforecast backtest`.

Whatever goes wrong is one line on the standard error and exit code 2. What is needed only once a
command runs is imported there.
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from gpforecast.backtest import Backtest

METHODS = ("exact", "taylor", "naive", "monte_carlo")
# Enough to tell the methods apart, few enough for Monte Carlo not to make anybody wait.
_DEMO_ORIGINS, _DEMO_PATHS = 40, 150

_EXAMPLES = """\
examples:
  gpforecast demo
  gpforecast forecast sales.csv --value units --time month --horizon 12 --output next.csv
  gpforecast backtest sales.csv --value units --time month --horizon 12 --method all

'gpforecast COMMAND --help' says more."""

_DEMO_EXAMPLES = """\
examples:
  gpforecast demo
  gpforecast demo --output pictures --rows 300 --seed 1"""

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


class _Mistake(Exception):  # noqa: N818 (the user's, not the program's)
    """What the user is told in one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Mistake(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after the program's name; those of the process by default.

    Returns
    -------
    int
        The exit code: 0, or 2 after an error, which is told in one line on the standard error.
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
    except (_Mistake, ValueError, TypeError, RuntimeError, OSError, MemoryError) as error:
        return _refuse(str(error) or type(error).__name__)
    except KeyboardInterrupt:
        return _refuse("interrupted") | 128
    return 0


def _refuse(message: str) -> int:
    print(f"gpforecast: error: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    from gpforecast import __version__

    look: Any = {"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False}
    about = "Forecast time series with Gaussian processes, error bars included."
    parser = _Parser(prog="gpforecast", description=about, epilog=_EXAMPLES, **look)
    parser.add_argument("--version", action="version", version=f"gpforecast {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    about = "Fit the Mackey-Glass series, score four methods, write a fan chart and a table."
    demo = commands.add_parser("demo", help=about, description=about, epilog=_DEMO_EXAMPLES, **look)
    demo.add_argument("--output", metavar="DIR", type=Path, default=Path("gpforecast-demo"),
                      help="folder for the two files (default: %(default)s)")  # fmt: skip
    demo.add_argument("--rows", metavar="N", type=_positive, default=200,
                      help="values to learn from (default: %(default)s)")  # fmt: skip
    demo.add_argument("--horizon", metavar="H", type=_positive, default=100,
                      help="steps ahead (default: %(default)s)")  # fmt: skip
    demo.add_argument("--seed", metavar="N", type=_seed, default=0,
                      help="of the noise and the choice of origins (default: %(default)s)")  # fmt: skip
    demo.set_defaults(run=_demo)

    about = "Forecast the values that follow a column of a CSV file."
    forecast = commands.add_parser(
        "forecast", help=about, description=about, epilog=_FORECAST_EXAMPLES, **look
    )
    _add_data(forecast)
    forecast.add_argument("--method", choices=METHODS, default="exact",
                          help="how uncertainty is propagated (default: %(default)s)")  # fmt: skip
    forecast.add_argument("--levels", metavar="P", nargs="+", type=_level, default=[80.0, 95.0],
                          help="intervals to give, in per cent (default: 80 95)")  # fmt: skip
    forecast.add_argument("--seed", metavar="N", type=_seed, default=0,
                          help="for monte_carlo (default: %(default)s)")  # fmt: skip
    forecast.add_argument("--output", metavar="OUT.csv", type=Path, help="write the table here")
    forecast.add_argument("--plot", metavar="OUT.png", type=Path, help="draw a fan chart here")
    forecast.set_defaults(run=_forecast)

    about = "Score forecasts from many places of a CSV file's column."
    backtest = commands.add_parser(
        "backtest", help=about, description=about, epilog=_BACKTEST_EXAMPLES, **look
    )
    _add_data(backtest)
    backtest.add_argument("--origins", metavar="N", type=_positive, default=100,
                          help="how many places to forecast from (default: %(default)s)")  # fmt: skip
    backtest.add_argument("--method", choices=(*METHODS, "all"), action="append", default=None,
                          help="may be repeated (default: exact)")  # fmt: skip
    backtest.add_argument("--seed", metavar="N", type=_seed, default=0,
                          help="for the choice of origins and monte_carlo (default: %(default)s)")  # fmt: skip
    backtest.add_argument("--output", metavar="OUT.csv", type=Path,
                          help="write the scores of every step here")  # fmt: skip
    backtest.add_argument("--plot", metavar="OUT.png", type=Path,
                          help="draw the scores against the step here")  # fmt: skip
    backtest.set_defaults(run=_backtest)
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.csv", help="the data, with a header line")
    parser.add_argument("--value", metavar="COL",
                        help="the column to forecast; may be left out if only one holds numbers")  # fmt: skip
    parser.add_argument("--time", metavar="COL",
                        help="the column with dates or evenly spaced numbers")  # fmt: skip
    parser.add_argument("--horizon", metavar="H", type=_positive, required=True,
                        help="how many steps ahead")  # fmt: skip
    parser.add_argument("--lags", metavar="L", type=_lags, default="auto",
                        help="past values to look at: 16 (all of 1 to 16), 1,2,12 or auto "
                             "(default: %(default)s)")  # fmt: skip


def _demo(args: argparse.Namespace) -> None:
    import pandas as pd

    from gpforecast import Forecaster, backtest, datasets

    began = time.perf_counter()
    picture, table = args.output / "fan_chart.png", args.output / "forecast.csv"
    _check_writable(picture, table, make_parent=True)
    rows, horizon = args.rows, args.horizon
    n = rows + horizon + 500  # of which the last 500 and the horizon are for the backtest
    series = datasets.mackey_glass(n, normalise=True, noise_var=1e-3, seed=args.seed)
    print(f"Mackey-Glass series: {rows} noisy values to learn from, {horizon} steps to forecast.")
    forecaster = Forecaster(lags=16).fit(series.iloc[:rows])
    print(
        f"Fitted a Gaussian process to {forecaster.n_rows_} rows of 16 lags; its noise has "
        f"standard deviation {forecaster.model_.noise_var_**0.5 * series.iloc[:rows].std():.3f}, "
        f"that of the data {1e-3**0.5:.3f}."
    )
    print(f"Forecasting from {_DEMO_ORIGINS} later places with each method ...", flush=True)
    results = {}
    for name in METHODS:
        how = _propagation(name, args.seed, n_paths=_DEMO_PATHS)
        results[name] = backtest(
            forecaster, series, horizon, _DEMO_ORIGINS, seed=args.seed, propagation=how
        )
    scores = {name: result.scores for name, result in results.items()}
    heads = {"MAE": "mae", "NLPD": "nlpd", "CRPS": "crps", "95 % cover": "coverage_95"}
    average = pd.DataFrame({h: {m: s[c].mean() for m, s in scores.items()} for h, c in heads.items()})
    del heads["CRPS"]
    last = pd.DataFrame({h: {m: s[c].iloc[-1] for m, s in scores.items()} for h, c in heads.items()})
    both = pd.concat({f"average of steps 1-{horizon}": average, f"step {horizon}": last}, axis=1)
    print(f"\n{both.to_string(float_format='{:.3f}'.format)}\n")
    print("MAE, NLPD and CRPS are better the lower; the cover should be 0.95, and not less.")

    truth = series.iloc[rows : rows + horizon]
    forecast = forecaster.predict(horizon)
    frame = forecast.to_frame().assign(truth=truth, std=forecast.std)
    frame = frame[["truth", "mean", "std", "lo-95", "lo-80", "hi-80", "hi-95"]]
    figure = _figure()
    ax = figure.subplots()
    forecast.plot(ax=ax, truth=truth, n_history=min(rows, 150))
    ax.set_ylabel("Mackey-Glass series")
    figure.savefig(picture, dpi=150)
    frame.to_csv(table, index_label="time", float_format="%.10g")
    print(f"Wrote {picture}\nWrote {table}\nin {time.perf_counter() - began:.0f} s.")


def _forecast(args: argparse.Namespace) -> None:
    from gpforecast import Forecaster

    _check_writable(args.output, args.plot)
    series = _read(args.file, args.value, args.time)
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
    if args.output is None:
        sys.stdout.write(text)
    else:
        args.output.write_text(text, encoding="utf-8")


def _backtest(args: argparse.Namespace) -> None:
    import pandas as pd

    from gpforecast import Forecaster, backtest

    _check_writable(args.output, args.plot)
    wanted = args.method or ["exact"]
    names = METHODS if "all" in wanted else tuple(dict.fromkeys(wanted))
    series = _read(args.file, args.value, args.time)
    forecaster = Forecaster(args.lags).fit(series.iloc[: len(series) // 2])
    results = {}
    for name in names:
        how = _propagation(name, args.seed)
        results[name] = backtest(
            forecaster, series, args.horizon, args.origins, seed=args.seed, propagation=how
        )
    lags = ",".join(map(str, forecaster.lags_))
    print(f"Learned from the first {len(series) // 2} of {len(series)} values, lags {lags}.")
    for name, result in results.items():
        table = result.summary().to_string(float_format="{:.4g}".format)
        print(f"\n{name}: {args.horizon} steps from {len(result.origins)} origins\n{table}")
    if args.output is not None:
        scores = pd.concat({m: r.scores for m, r in results.items()}, names=["method", "step"])
        scores.to_csv(args.output, float_format="%.10g")
    if args.plot is not None:
        _score_figure(results).savefig(args.plot, dpi=150)


def _score_figure(results: "dict[str, Backtest]") -> "Figure":
    from gpforecast.plotting import step_curves

    scores = {name: result.scores for name, result in results.items()}
    figure = _figure()
    left, right = figure.subplots(1, 2)
    step_curves(scores, columns="mae", ax=left)
    step_curves(scores, columns="coverage_95", ax=right, nominal=0.95)
    left.set_ylabel("mean absolute error")
    right.set_ylabel("share of truths in the 95 % interval")
    return figure


def _figure() -> "Figure":
    """Make a figure that needs no screen."""
    from matplotlib.figure import Figure

    return Figure(figsize=(9, 4), layout="constrained")


def _propagation(name: str, seed: int, *, n_paths: int = 1000) -> Any:
    from gpforecast.propagation import MonteCarlo

    return MonteCarlo(n_paths, seed=seed) if name == "monte_carlo" else name


def _read(path: str, value: str | None, time: str | None) -> "pd.Series[float]":
    """Return a column of a CSV file as a series, indexed by another or by the row."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    try:
        table = pd.read_csv(path, skipinitialspace=True)
    except FileNotFoundError:
        raise _Mistake(f"there is no file {path}.") from None
    except (ValueError, OSError) as error:  # pandas' parser errors are ValueErrors
        raise _Mistake(f"{path} cannot be read as CSV: {error}") from error
    columns = ", ".join(repr(str(c)) for c in table.columns)
    for option, name in (("--value", value), ("--time", time)):
        if name is not None and name not in table.columns:
            raise _Mistake(f"{option}: {path} has no column {name!r}; it has {columns}.")
    if value is None:
        numeric = [c for c in table.columns if c != time and is_numeric_dtype(table[c])]
        if len(numeric) != 1:
            count = f"{len(numeric)} columns of numbers" if numeric else "no column of numbers"
            raise _Mistake(f"say which column to forecast with --value: {path} has {count} among "
                           f"{columns}.")  # fmt: skip
        value = numeric[0]
    if value == time:
        raise _Mistake(f"--value and --time must be two columns; got {value!r} for both.")
    series = table[value]
    if time is not None:
        series.index = pd.Index(_times(table[time], time))
    return series


def _times(column: "pd.Series[Any]", name: str) -> Any:
    """Return numbers as they are and everything else as dates."""
    import pandas as pd
    from pandas.api.types import is_numeric_dtype

    if is_numeric_dtype(column):
        return column
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that pandas looks at each date on its own
        try:
            return pd.to_datetime(column)
        except (ValueError, TypeError, OverflowError):
            # Clocks that change leave several offsets from UTC in one column.
            dates = pd.to_datetime(column, errors="coerce", utc=True)
    bad = dates.isna() & column.notna()
    if bad.any():
        raise _Mistake(f"--time: {column[bad].iloc[0]!r} in column {name!r} (row {bad.argmax()}) is "
                       f"no date that can be read; write dates as 2024-12-31.")  # fmt: skip
    return dates


def _check_writable(*paths: Path | None, make_parent: bool = False) -> None:
    """Refuse before any work what could not be written after it."""
    for path in paths:
        if path is None:
            continue
        if make_parent:
            path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.is_dir():
            raise _Mistake(f"cannot write {path}: there is no folder {path.parent}.")
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise _Mistake(f"cannot write {path}: {'it is a folder' if path.is_dir() else 'no permission'}.")
    picture = paths[-1]
    ...


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Print the library's numerical warnings as it would print an error: once, in a line."""
    from gpforecast.warnings import NumericalWarning

    said: set[str] = set()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def in_a_line(message: Any, category: Any, *place: Any, **more: Any) -> None:
            if not issubclass(category, NumericalWarning):
                show(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                text = " ".join(str(message).split())
                print(f"gpforecast: warning: {text}", file=sys.stderr)

        warnings.simplefilter("always", NumericalWarning)
        warnings.showwarning = in_a_line
        yield


def _positive(text: str) -> int:
    return _whole(text, 1, "a positive integer")


def _seed(text: str) -> int:
    return _whole(text, 0, "an integer from 0 up")


def _whole(text: str, least: int, what: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = least - 1
    if number < least:
        raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}.")
    return number


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    if not 1.0 <= level < 100.0:
        raise argparse.ArgumentTypeError(f"must be per cent, from 1 to under 100; got {text!r}.")
    return level


def _lags(text: str) -> Any:
    if text == "auto":
        return text
    try:
        lags = [int(part) for part in text.split(",")]
    except ValueError:
        expected = 'an integer, a list such as 1,2,12, or "auto"'
        raise argparse.ArgumentTypeError(f"must be {expected}; got {text!r}.") from None
    return lags if "," in text else lags[0]


if __name__ == "__main__":
    sys.exit(main())
