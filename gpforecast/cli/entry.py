"""A command line run from beginning to end: whatever goes wrong is one line and exit code 2."""

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gpforecast import NumericalWarning
from gpforecast.cli.parser import parse


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, by default the process's; return the exit code.

    An error is told in one line on the standard error, and the code is then 2.
    """
    try:
        args = parse(argv)
        with _warnings_in_a_line():
            args.run(args)
        sys.stdout.flush()
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    except BrokenPipeError:
        # The reader, `head` say, has seen enough. Python flushes once more at exit: to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, TypeError, RuntimeError, OSError, MemoryError) as error:
        return _refuse(str(error) or type(error).__name__)
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
        if text not in said:
            print(f"gpforecast: warning: {text}", file=sys.stderr)
        said.add(text)

    with warnings.catch_warnings():
        warnings.simplefilter("always", NumericalWarning)
        warnings.showwarning = show
        yield
