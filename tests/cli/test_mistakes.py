"""The command line as a process: help, and a mistake is one line with exit code 2."""

import os
import re
import subprocess
import sys
from unittest.mock import Mock

import pytest
from cli_cases import refused, run

import gpforecast as gf
from gpforecast.common.imports import missing_extra

# A mistake is one line with exit code 2, before any work


FORECAST = ["forecast", "FILE", "--horizon", "2"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "required: COMMAND"),
        (["dance"], "invalid choice: 'dance'"),
        (["forecast", "FILE"], "required: --horizon"),
        (["forecast", "FILE", "--horizon", "0"], "--horizon must be a positive integer; got 0"),
        (["forecast", "FILE", "--horizon", "2.2024"],
         "--horizon must be a number of steps, a date"),
        ([*FORECAST, "--lags", "a"], 'such as 1,2,12 or 0-24, or "auto"'),
        ([*FORECAST, "--lags", "0"], "lags must be a positive integer"),
        ([*FORECAST, "--lags", "59"], "60 values but --lags 59 needs"),
        ([*FORECAST, "--levels", "0.9"], "per cent"),
        ([*FORECAST, "--method", "x"], "invalid choice: 'x'"),
        ([*FORECAST, "--seed", "-1"], "an integer from 0 up"),
        ([*FORECAST, "--season-length", "12,0"], "--season-length must be a whole number of steps"),
        ([*FORECAST, "--exog-lags", "0-2"], "need --exog, which names"),
        ([*FORECAST, "--sheet", "x"], "--sheet names a sheet of a spreadsheet, and"),
        ([*FORECAST, "--sep", "ab"], "--delimiter must be one character"),
        ([*FORECAST, "--level", "90"], "--level 90; did you mean --levels"),
        ([*FORECAST, "--value", "Unit"], "it has 'month', 'units'. Did you mean 'units'"),
        ([*FORECAST, "--value", "units", "--time", "units"],
         "must name different columns; got 'units', 'units'"),
        ([*FORECAST, "--value", "month"], "'2019-01' in column 'month', line 2 "),
        (["forecast", "none.csv", "--horizon", "2"], "none.csv cannot be read.*No such file"),
        (["forecast", ".", "--horizon", "2"], "cannot be read"),
        (["backtest", "FILE", "--horizon", "2", "--time", "day"], "no column 'day'"),
        (["backtest", "FILE", "--horizon", "40"], "--horizon 40 must fit in half of the 60 values"),
        (["demo", "--output", "FILE"], "File exists"),
        (["demo", "--rows", "10"], "series has 10 values.* but --lags 16"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(words, message, data, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *[data[0] if word == "FILE" else word for word in words])
    assert code == 2
    assert out == "" or words[0] == "demo"
    assert err.startswith("gpforecast: error: ")
    assert err.count("\n") == 1
    assert re.search(message.replace("(", r"\("), err)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("a,b\n", "rows of data below its header"),
        ("t,y\n2024-01-01,1\n2024-01-02,1\n", "at least 3 times"),
        ("a,b\n1,2\n3\n4,5\n", "line 3 has 1, '3', where most have 2; complete the line"),
        ('a,b\n1,"2\n3,4\n', "from line 2 on: .* A quote"),
        ("a,b\n" + "1,2\n" * 20, "--value must .* has 'a', 'b'; pass --value a or --value b"),
        ("a\n" + "x\n" * 20, "--value must name the column .* has 'a'; none .* --delimiter"),
        ("y\n" + "NA\n" * 30, "all 30 cells are missing"),
        ("t,y\n2024-01-01,1\n2024-01-02,2\nsoon,2\n", "'soon' in column 't', line 4"),
        ("t,y\n2024-01-02,1\n2024-01-01,2\n2024-01-03,2\n", "line 3 .* pass --sort"),
        ("t,y\n2024-01-01,1\n,2\n2024-01-03,2\n", "line 3 of .*, must be a time; complete it"),
        ("year,y\n2001,1\n2002,2\n2004,2\n2010,6\n", "mostly 1, unlike 2002 and 2004"),
        ("year,week,y\n3,2024-01-01,1\n3,2024-01-08,2\n4,2024-01-15,2\n",
         "'3' in column 'year', .* Did you mean --time week"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line(text, message, tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    time = ["--time", "year"] if text.startswith("year") else []
    assert re.search(message, refused(capsys, "forecast", path, "--horizon", 1, *time))


def test_an_interrupt_is_one_line_and_exit_code_130(data, capsys, monkeypatch):
    monkeypatch.setattr(
        "gpforecast.cli.commands.Forecaster.fit", Mock(side_effect=KeyboardInterrupt)
    )
    code, out, err = run(capsys, "forecast", data[0], "--horizon", 2)
    assert (code, out, err) == (130, "", "gpforecast: error: interrupted.\n")


def test_an_extra_that_is_missing_is_named_in_a_line(data, capsys, monkeypatch):
    error = missing_extra("a report", "plotly", ModuleNotFoundError(name="plotly"))
    monkeypatch.setattr("gpforecast.reporting.page.check_installed", Mock(side_effect=error))
    err = refused(capsys, "report", data[0], "--horizon", "3", "--interactive")
    assert "pip install plotly" in err


# Help and version


@pytest.mark.parametrize("command", [[], ["demo"], ["forecast"], ["backtest"], ["report"]])
def test_help_has_examples(command, capsys):
    code, out, err = run(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: gpforecast")
    assert "example" in out
    assert " ".join(["  gpforecast", *command]) in out.split("example")[-1]


def test_version_is_that_of_the_package(capsys):
    assert run(capsys, "--version") == (0, f"gpforecast {gf.__version__}\n", "")


# The command line as a process


def test_process_ends_with_the_exit_code_and_bears_a_reader_that_leaves(data):
    path, _ = data
    python, words = [sys.executable, "-W", "error", "-m"], ["forecast", str(path)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    for package in ("gpforecast", "gpforecast.cli"):
        wrong = subprocess.run(
            [*python, package, *words, "--seed", "x"],
            capture_output=True, text=True, env=environment, check=False,
        )  # fmt: skip
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert wrong.stderr.startswith("gpforecast: error: ")
    words = [*python, "gpforecast", *words, "--horizon", "2", "--lags", "1"]
    stayed = subprocess.run(words, capture_output=True, text=True, env=environment, check=True)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        left = subprocess.run(
            words, stdout=nobody, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert left.returncode == 0
    assert left.stderr.startswith("gpforecast: read 'units' of ")
    assert left.stderr == stayed.stderr
