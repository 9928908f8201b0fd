"""The command line, from its options to its exit code; a command's docstring is its help."""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from inspect import getdoc
from pathlib import Path
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np

from gpforecast import NumericalWarning, __version__
from gpforecast.cli.commands import (
    CALIBRATIONS,
    CHOICES,
    STRATEGIES,
    backtest_file,
    forecast_file,
    report_file,
)
from gpforecast.cli.demo import demo
from gpforecast.cli.hints import error_in_options, in_options
from gpforecast.cli.options import add_reading_options
from gpforecast.common.progress import announced
from gpforecast.common.wording import similar

Command: TypeAlias = Callable[[argparse.Namespace], None]
Kind: TypeAlias = Callable[[str], object]
N = TypeVar("N", int, float)

_FORCE = "replace files that exist"
_MOST_LAGS = 10_000  # of an input: more than any series has rows for
_EXAMPLES = """\
examples:
  gpforecast demo
  gpforecast forecast sales.csv --value units --time month --horizon 12 --output next.csv
  gpforecast backtest sales.csv --value units --time month --horizon 12 --method all"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default the process's; return the exit code.

    An error is one line on the standard error, and the code is then 2.
    """
    try:
        args = _parsed(argv)
        with _warnings_in_a_line(), announced():
            args.run(args)
        sys.stdout.flush()
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe. Python flushes again at exit: to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, RuntimeError, OSError, ImportError, MemoryError) as error:
        return _refuse(error_in_options(str(error)) or type(error).__name__)
    except KeyboardInterrupt:
        return _refuse("interrupted.", 130)
    return 0


def _refuse(message: str, code: int = 2) -> int:
    print(f"gpforecast: error: {' '.join(message.split())}", file=sys.stderr)
    return code


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Print the library's warnings as it would print an error: each once, in a line."""
    said = set()

    def show(message: Warning | str, *_place: object, **_more: object) -> None:
        text = " ".join(str(message).split())
        text = in_options(text) or text
        if text not in said:
            print(f"gpforecast: warning: {text}", file=sys.stderr)
        said.add(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", NumericalWarning)
        warnings.showwarning = show
        yield


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors."""

    def __init__(self, **options: Any) -> None:
        look = argparse.RawDescriptionHelpFormatter
        super().__init__(formatter_class=look, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see {self.prog} --help)")

    def refuse(self, words: list[str], commands: "dict[str, _Parser]") -> NoReturn:
        """Refuse words that this command does not know; say what may have been meant."""
        flag = words[0].partition("=")[0]
        others = [name for name, one in commands.items() if flag in one._option_string_actions]
        near = similar(flag, self._option_string_actions)
        meant = f"; did you mean {near}?" if near else ""
        meant = f"; {flag} is an option of {' and '.join(others)}" if others else meant
        self.error(f"unrecognized arguments: {' '.join(words)}{meant}")

    def option(
        self, flag: str, text: str, kind: Kind = str, default: object = None, **more: Any
    ) -> None:
        name, metavar = flag.split()
        text += "" if default is None else " (default: %(default)s)"
        self.add_argument(name, metavar=metavar, type=kind, default=default, help=text, **more)

    def data_options(self) -> None:
        self.add_argument("file", metavar="FILE", help="the data; - for the standard input")
        self.option("--value COL", "the column to forecast; not needed if only one holds numbers")
        about = "the column of times, or Date,Time for two; not needed if only one holds dates"
        self.option("--time COL", about)
        about = "steps ahead; or up to a date, such as 2026-12, or a length, such as '18 months'"
        self.option("--horizon H", about, _horizon, required=True)
        how = (
            "a column that is known beforehand and moves the values, such as promotions, or A,B "
            "for two; rows after the last value hold its future"
        )
        self.add_argument("--exog", metavar="COL", action="append", default=[], help=how)
        about = "steps by which they may act later, such as 0,1,2 or 0-24 (default: chosen)"
        self.option("--exog-lags L", about, _exog_lags)
        how = "forecast these columns, too, instead of reading their future"
        self.add_argument("--forecast-exog", action="store_true", help=how)
        about = "public holidays of a country or of a state in it, such as FR or DE-BY"
        self.option("--holidays CODE", about)
        about = "past values to use: 16 (that is 1 to 16), 1,2,12 or auto"
        self.option("--lags L", about, _steps, "auto")
        about = "steps in a season: 12, or 24,168 for several; 1 for none, or auto"
        self.option("--season-length N", about, _season, "auto")
        how = "direct has a model for each step (default: %(default)s)"
        self.add_argument("--strategy", choices=STRATEGIES, default=STRATEGIES[0], help=how)
        how = "correct the intervals by past errors: each level, or the variance (default: not)"
        self.add_argument("--calibrate", choices=CALIBRATIONS, help=how)

    def refit_option(self) -> None:
        about = "train again after N values; never; or auto, as often as is cheap"
        self.option("--refit N", about, _refit, "auto")

    def total_options(self) -> None:
        about = "of the values, such as 'thousand euros' (default: their currency)"
        self.option("--units TEXT", about)
        how = (
            "say what all steps of the horizon sum to, or leave it out with --no-total (default: "
            "said of money and of counts, but not of prices, rates and the like)"
        )
        self.add_argument("--total", action=argparse.BooleanOptionalAction, help=how)

    def file_options(self, random: str, table: str, picture: str) -> None:
        self.option("--seed N", random, _seed, 0)
        how = f"write {table} here; also .xlsx, .json or .parquet"
        self.option("--output OUT.csv", how, Path)
        how = "write commas and decimal points even if FILE has semicolons and decimal commas"
        self.add_argument("--plain-csv", action="store_true", help=how)
        self.option("--plot OUT.png", f"draw {picture} here", Path)
        self.add_argument("--force", action="store_true", help=_FORCE)


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of a command line, its function among them as `run`."""
    about = "Forecast time series with Gaussian processes, error bars included."
    parser = _Parser(prog="gpforecast", description=about, epilog=_EXAMPLES)
    parser.add_argument("--version", action="version", version=f"gpforecast {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(run: Command) -> _Parser:
        about, _, more = (getdoc(run) or "").partition("\n\n")
        name = run.__name__.removesuffix("_file")
        # With all options the usage would fill the screen before the description.
        usage = None if run is demo else "%(prog)s FILE --horizon H [option ...]"
        sub = commands.add_parser(name, help=about, description=about, epilog=more, usage=usage)
        sub.set_defaults(run=run, parser=sub)
        return sub

    sub = command(demo)
    sub.option("--output DIR", "folder for the two files", Path, Path("gpforecast-demo"))
    sub.option("--rows N", "values to learn from", _positive, 200)
    sub.option("--horizon H", "steps ahead", _positive, 100)
    sub.option("--seed N", "for the noise and the choice of origins", _seed, 0)
    sub.add_argument("--force", action="store_true", help=_FORCE)

    sub = command(forecast_file)
    sub.data_options()
    how = "how the uncertainty of a step is carried to the next (default: %(default)s)"
    sub.add_argument("--method", choices=CHOICES, default="auto", help=how)
    how = "intervals in per cent (default: 80 95)"
    sub.add_argument("--levels", metavar="P", nargs="+", type=_level, default=[80, 95], help=how)
    sub.total_options()
    sub.file_options("for monte_carlo", "the table", "a fan chart")
    sub.add_argument("--summary", action="store_true", help="print what was selected, and why")
    add_reading_options(sub)

    sub = command(backtest_file)
    sub.data_options()
    sub.option("--origins N", "how many origins to forecast from", _positive, 100)
    sub.refit_option()
    how = "may be repeated (default: auto)"
    sub.add_argument("--method", choices=(*CHOICES, "all"), action="append", help=how)
    random = "for the choice of origins and monte_carlo"
    sub.file_options(random, "the scores of every step", "scores against the step")
    add_reading_options(sub)

    sub = command(report_file)
    sub.data_options()
    sub.option("--origins N", "how many origins to test forecasts from", _positive, 50)
    sub.refit_option()
    sub.option("--title TEXT", "of the page (default: the name of the column)")
    sub.option("--date TEXT", "of the report; the page names that of the last value anyway")
    sub.total_options()
    sub.option("--seed N", "for the choice of origins", _seed, 0)
    how = "let plotly draw the pictures; needs the extra [plotly]"
    sub.add_argument("--interactive", action="store_true", help=how)
    sub.option("--output OUT.html", "write the page here (default: FILE.html)", Path)
    sub.add_argument("--force", action="store_true", help=_FORCE)
    add_reading_options(sub)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        args.parser.refuse(unknown, commands.choices)
    return args


def _number(kind: type[N], least: int, below: float, what: str, text: str) -> N:
    with suppress(ValueError):
        if least <= kind(text) < below:
            return kind(text)
    raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}.")


_HORIZON = "a positive integer, a date such as 2026-12, or a length such as '18 months'"
_positive = partial(_number, int, 1, float("inf"), "a positive integer")
_seed = partial(_number, int, 0, float("inf"), "an integer from 0 up")
_level = partial(_number, float, 1, 100.0, "per cent, from 1 to under 100")


def _refit(text: str) -> int | str | None:
    return {"auto": "auto", "never": None}[text] if text in ("auto", "never") else _positive(text)


def _horizon(text: str) -> int | str:
    """Return a number of steps; or a date or a length of time as it is."""
    try:
        float(text)
    except ValueError:
        if text[:1].isdigit():
            return text
        raise argparse.ArgumentTypeError(f"must be {_HORIZON}; got {text!r}.") from None
    return _number(int, 1, float("inf"), _HORIZON, text)


def _exog_lags(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    try:
        near = range(int(first), int(last) + 1) if dash else range(0)
        steps = [*near[: _MOST_LAGS + 1]] if dash else [int(k) for k in text.split(",")]
    except ValueError:
        steps = []
    if not steps or min(steps) < 0 or len(steps) > _MOST_LAGS:
        raise argparse.ArgumentTypeError(
            f"must be steps back from the value, such as 0,1,2 or 0-24; got {text!r}."
        )
    return steps


def _steps(text: str) -> list[int] | int | str:
    if text == "auto":
        return text
    try:
        steps = [int(part) for part in text.split(",")]
    except ValueError:
        expected = 'a whole number, several such as 1,2,12, or "auto"'
        raise argparse.ArgumentTypeError(f"must be {expected}; got {text!r}.") from None
    return steps if "," in text else steps[0]


def _season(text: str) -> list[int] | int | str:
    try:
        steps = _steps(text)
    except argparse.ArgumentTypeError:
        steps = 0
    if isinstance(steps, str) or min(np.atleast_1d(steps)) > 0:
        return steps
    raise argparse.ArgumentTypeError(
        f"must be a number of steps such as 12, several such as 24,168, 1 for no season, or auto; "
        f"got {text!r}."
    )
