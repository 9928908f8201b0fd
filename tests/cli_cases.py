"""Run a command within the test, and read what it prints."""

import io

import pandas as pd

from gpforecast.cli import main


def run(capsys, *words):
    """Run a command; return its exit code and what it printed."""
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
