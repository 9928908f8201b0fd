"""Run a command within the test, and read what it prints."""

import io
from functools import partial

import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.cli import main
from gpforecast.cli.options import FileOptions
from gpforecast.cli.read_series import read_series

# As the command line makes it, but for a model that is trained in no time.
quick = partial(gf.Forecaster, model=gf.models.LinearAR(), combine=None, noise="process")


def run(capsys, *words):
    """Run a command; return its exit code and what it printed, but for what was detected."""
    code, out, err = whole_run(capsys, *words)
    lines = err.splitlines(keepends=True)
    return code, out, "".join(line for line in lines if not line.startswith("gpforecast: read "))


def whole_run(capsys, *words):
    """Run a command; return its exit code and all that it printed."""
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys, *words):
    """Run a command that must fail, and return its one line."""
    code, out, err = run(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("gpforecast: error: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def table(text):
    return pd.read_csv(io.StringIO(text), index_col=0)


def read(path, **options):
    """Read a file as the commands do."""
    return read_series(str(path), FileOptions(**options))


def refusal(path, **options):
    """Read a file that must be refused, and return the message."""
    with pytest.raises(ValueError, match=r".") as caught:
        read(path, **options)
    return str(caught.value)
