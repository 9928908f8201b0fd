"""A mistake is told in one line with exit code 2, before any work."""

import re
from unittest.mock import Mock

import pytest
from cli_cases import refused, run

from gpforecast.common.extras import missing_extra


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "required: COMMAND"),
        (["dance"], "invalid choice: 'dance'"),
        (["forecast", "FILE"], "required: --horizon"),
        (["forecast", "FILE", "--horizon", "0"], "or a length such as '18 months'; got '0'"),
        (["forecast", "FILE", "--horizon", "2.5"], "or a length such as '18 months'; got '2.5'"),
        (["forecast", "FILE", "--horizon", "2", "--lags", "a"], 'such as 1,2,12, or "auto"'),
        (["forecast", "FILE", "--horizon", "2", "--lags", "0"], "lags must be a positive integer"),
        (["forecast", "FILE", "--horizon", "2", "--lags", "2,1"], "increasing order"),
        (["forecast", "FILE", "--horizon", "2", "--lags", "59"], "60 values but lags=59 needs"),
        (["forecast", "FILE", "--horizon", "2", "--levels", "0.9"], "per cent"),
        (["forecast", "FILE", "--horizon", "2", "--levels", "nan"], "per cent"),
        (["forecast", "FILE", "--horizon", "2", "--method", "x"], "invalid choice: 'x'"),
        (["forecast", "FILE", "--horizon", "2", "--seed", "-1"], "an integer from 0 up"),
        (["forecast", "FILE", "--horizon", "2", "--horiz", "3"], "unrecognized arguments"),
        (["forecast", "none.csv", "--horizon", "2"], "none.csv cannot be read.*No such file"),
        (["forecast", ".", "--horizon", "2"], "cannot be read"),
        (
            ["forecast", "FILE", "--horizon", "2", "--value", "unit"],
            "no column 'unit'; it has 'month', 'units'",
        ),
        (["backtest", "FILE", "--horizon", "2", "--time", "day"], "no column 'day'"),
        (
            ["forecast", "FILE", "--horizon", "2", "--value", "units", "--time", "units"],
            "two columns",
        ),
        (
            ["forecast", "FILE", "--horizon", "2", "--value", "month"],
            "'2019-01' in column 'month', line 2 .* name another column",
        ),
        (
            ["backtest", "FILE", "--horizon", "40", "--lags", "2"],
            "--horizon must be at most 30, as a backtest learns from the first half",
        ),
        (["demo", "--output", "FILE"], "File exists"),
        (["demo", "--rows", "10"], "series has 10 values.* but lags=16"),
    ],
)
def test_mistake_is_told_in_one_line(words, message, data, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, _ = data
    code, out, err = run(capsys, *[path if word == "FILE" else word for word in words])
    assert code == 2
    assert out == "" or words[0] == "demo"
    assert err.startswith("gpforecast: error: ")
    assert err.count("\n") == 1
    assert re.search(message.replace("(", r"\("), err)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "it is empty"),
        ("a,b\n", [], "rows of data below its header"),
        ("a,b\n1,2\n3\n4,5\n", [], "line 3 has 1, '3', where most have 2; complete the line"),
        ('a,b\n1,"2\n3,4\n', [], "from line 2 on: .* A quote"),
        ("a,b\n" + "1,2\n" * 20, [], "--value must name the column .* has 'a', 'b'"),
        ("a\n" + "x\n" * 20, [], "--value must name the column .* has 'a'; pass --delimiter"),
        ("y\n" + "1\n2\n\n" * 10 + "3\n", ["--lags", "30"], "lags=30"),
        ("y\n" + "NA\n" * 30, ["--lags", "1"], "all 30 cells are missing"),
        ("t,y\n2024-01-01,1\nsoon,2\n", ["--time", "t"], "'soon' in column 't', line 3"),
        (
            "t,y\n2024-01-02,1\n2024-01-01,2\n2024-01-03,2\n",
            ["--time", "t"],
            "'2024-01-01' in column 't', line 3 .* pass --sort",
        ),
        ("t,y\n2024-01-01,1\n2024-01-01,2\n2024-01-03,2\n", ["--time", "t"], "pass --duplicates"),
        ("litres\n1,5\n2,5\n3,5\n", [], "name another delimiter with --delimiter"),
        ("t,y\n2024-01-01,1\n,2\n2024-01-03,2\n", ["--time", "t"], "a time in every row; line 3"),
        ("t,y\n1,1\n2,2\n4.5,2\n5,6\n", ["--time", "t"], "must have one step from row to row"),
    ],
)
def test_bad_file_is_told_in_one_line(text, options, message, tmp_path, capsys):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert re.search(message, refused(capsys, "forecast", path, "--horizon", 1, *options))


@pytest.mark.parametrize("command", ["forecast", "backtest"])
@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--output", "no/such/out.csv", "there is no folder"),
        ("--plot", "no/out.png", "there is no folder"),
        ("--output", ".", "it is a folder"),
        ("--plot", "out.xyz", "its name must end in one of"),
        ("--plot", "out", "its name must end in one of"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(
    command, option, name, message, data, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it has begun to work")
    )
    assert message in refused(capsys, command, data[0], "--horizon", 2, option, name)


def test_the_input_is_not_overwritten(data, capsys):
    path, _ = data
    before = path.read_bytes()
    words = ["forecast", path, "--time", "month", "--horizon", 2, "--output", path]
    assert "it is the file that is read" in refused(capsys, *words)
    assert path.read_bytes() == before


def test_an_interrupt_is_one_line_and_exit_code_130(data, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("gpforecast.cli.commands.Forecaster.fit", interrupted)
    code, out, err = run(capsys, "forecast", data[0], "--horizon", 2)
    assert (code, out, err) == (130, "", "gpforecast: error: interrupted.\n")


def test_errors_speak_of_options_and_files_and_not_of_arguments(capsys, tmp_path):
    lines = [f"{2000 + i},{5 + i % 3}" for i in range(40)]
    (tmp_path / "a.csv").write_text("year,sold\n" + "\n".join(lines))
    (tmp_path / "five.csv").write_text("year,sold\n" + "\n".join(lines[:5]))
    file, five = str(tmp_path / "a.csv"), str(tmp_path / "five.csv")
    for given in ("0", "12,0", "x"):
        err = refused(capsys, "forecast", file, "--horizon", "3", "--season-length", given)
        assert "--season-length: must be a number of steps such as 12, several such as" in err
        assert "season_length" not in err
    err = refused(capsys, "backtest", five, "--horizon", "2")
    assert "five.csv has 5 values, and needs at least 6. Pass a longer file." in err
    err = refused(capsys, "backtest", file, "--horizon", "100")
    assert "--horizon must be at most 20, as a backtest learns from the first half" in err
    assert "has 40 values; got 100. Pass a shorter horizon or a longer file." in err
    err = refused(capsys, "forecast", file, "--horizon", "3", "--sheet", "x")
    assert "--sheet names a sheet of a spreadsheet, and" in err


def test_an_extra_that_is_not_there_is_told_in_a_line(capsys, tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("sold\n" + "\n".join(str(i % 4) for i in range(40)))
    error = missing_extra("a report", "plotly", ModuleNotFoundError(name="plotly"))
    monkeypatch.setattr("gpforecast.reporting.page.check_installed", Mock(side_effect=error))
    err = refused(capsys, "report", str(tmp_path / "a.csv"), "--horizon", "3", "--interactive")
    assert 'pip install "gpforecast[plotly]"' in err


def test_a_year_of_two_digits_that_can_be_of_two_centuries_is_refused(tmp_path, capsys):
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    path = tmp_path / "years.csv"
    rows = [f"{month}-{year},{year}.5\n" for year in (49, 50) for month in months]
    path.write_text("".join(["when,units\n", *rows]))
    said = refused(capsys, "forecast", path, "--horizon", 2)
    assert "'Jan-50' in column 'when', line 14 of " in said
    assert "can be of 1950 or 2050; write its years with four digits" in said


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--level", "90"], "unrecognized arguments: --level 90; did you mean --levels? (see"),
        (["--origins", "5"], "--origins is an option of backtest and report (see gpforecast forec"),
        (["--value", "Unit"], "no column 'Unit'; it has 'when', 'units'. Did you mean 'units'?"),
    ],
)
def test_what_may_have_been_meant_is_asked(words, meant, tmp_path, capsys):
    path = tmp_path / "few.csv"
    path.write_text("when,units\n2020-01-01,1\n2020-02-01,2\n2020-03-01,3\n")
    assert meant in refused(capsys, "forecast", path, "--horizon", 2, *words)


def test_a_horizon_that_may_be_a_year_is_refused(tmp_path, capsys):
    path = tmp_path / "few.csv"
    path.write_text("when,units\n2020-01-01,1\n2020-02-01,2\n2020-03-01,3\n")
    said = refused(capsys, "forecast", path, "--horizon", 2021)
    assert "--horizon 2021 can be a year or so many steps; pass --horizon 2021-12" in said


def test_a_year_of_two_digits_may_be_of_two_centuries_by_a_named_format_too(tmp_path, capsys):
    path = tmp_path / "old.csv"
    rows = [f"01.{month:02d}.50,{month}\n" for month in range(1, 13)]
    path.write_text("".join(["when,units\n", *rows]))
    said = refused(capsys, "forecast", path, "--horizon", 2, "--date-format", "%d.%m.%y")
    assert "can be of 1950 or 2050; write its years with four digits" in said
