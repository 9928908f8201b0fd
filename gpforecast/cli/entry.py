"""The command line, from its options to its exit code; a command's docstring is its help."""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import getdoc
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from gpforecast import NumericalWarning, __version__
from gpforecast.cli.commands import backtest_file, demo, forecast_file, report_file
from gpforecast.cli.options import CHOICES, FILE, READING, in_options, positive, settings
from gpforecast.common.wording import similar

Command: TypeAlias = Callable[[argparse.Namespace], None]
_EXAMPLES = """\
examples:
  gpforecast demo
  gpforecast forecast sales.csv --value units --time month --horizon 12 --output next.csv
  gpforecast backtest sales.csv --value units --time month --horizon 12 --method all"""

_HOW = """\
What is not given here is detected. What can be read in two ways is refused with the option that
decides."""
# The options of each command, and what they are there other than elsewhere.
_COMMANDS: dict[Command, tuple[str, dict[str, dict[str, Any]]]] = {
    demo: (
        "--output --rows --horizon --seed --force",
        {
            "--output": {"metavar": "DIR", "default": Path("gpforecast-demo"), "help": "a folder"},
            "--horizon": {"type": positive, "default": 100, "required": False, "help": "steps"},
        },
    ),
    forecast_file: (f"{FILE} --method --levels --units --total --plain-csv --plot --summary", {}),
    backtest_file: (
        f"{FILE} --origins --refit --method --plain-csv --plot",
        {
            "--method": {"choices": (*CHOICES, "all"), "action": "append", "default": None,
                         "help": "may be repeated (default: auto)"},
        },
    ),
    report_file: (
        f"{FILE} --origins --refit --title --date --units --total --interactive",
        {
            "--origins": {"default": 50},
            "--output": {"metavar": "OUT.html", "help": "write the page here (default: FILE.html)"},
        },
    ),
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default the process's; return the exit code.

    An error is one line on the standard error, and the code is then 2.
    """
    try:
        args = _parsed(argv)
        with _warnings_in_a_line():
            args.run(args)
        sys.stdout.flush()
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe. Python flushes again at exit: to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, RuntimeError, OSError, ImportError, MemoryError) as error:
        return _refuse(in_options(str(error)) or type(error).__name__)
    except KeyboardInterrupt:
        return _refuse("interrupted.", 130)
    return 0


def _refuse(message: str, code: int = 2) -> int:
    print(f"gpforecast: error: {' '.join(message.split())}", file=sys.stderr)
    return code


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Print the library's warnings as it would print an error: each once, in a line."""

    def show(message: Warning | str, *_place: object, **_more: object) -> None:
        text = in_options(" ".join(str(message).split()))
        print(f"gpforecast: warning: {text}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("default", NumericalWarning)
        warnings.showwarning = show
        yield


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors."""

    def __init__(self, **options: Any) -> None:
        look = argparse.RawDescriptionHelpFormatter
        super().__init__(formatter_class=look, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see {self.prog} --help)")


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of a command line, its function among them as `run`."""
    about = "Forecast time series with Gaussian processes, error bars included."
    parser = _Parser(prog="gpforecast", description=about, epilog=_EXAMPLES)
    parser.add_argument("--version", action="version", version=f"gpforecast {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for run, (flags, own) in _COMMANDS.items():
        about, _, more = (getdoc(run) or "").partition("\n\n")
        name = run.__name__.removesuffix("_file")
        # With all options the usage would fill the screen before the description.
        usage = None if run is demo else "%(prog)s FILE --horizon H [option ...]"
        sub = commands.add_parser(name, help=about, description=about, epilog=more, usage=usage)
        sub.set_defaults(run=run, parser=sub)
        for flag in flags.split():
            sub.add_argument(flag, **settings(flag, **own.get(flag, {})))
        if run is demo:
            continue
        group = sub.add_argument_group("how FILE is written", _HOW)
        for flag in READING:
            also = ("--sep",) if flag == "--delimiter" else ()
            group.add_argument(flag, *also, **settings(flag))
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        near = similar(unknown[0].partition("=")[0], args.parser._option_string_actions)
        meant = f"; did you mean {near}?" if near else ""
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
    return args
