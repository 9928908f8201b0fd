"""The command line: what it prints and writes, and that an error is one line."""

import io
import os
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
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


@pytest.fixture
def data(tmp_path):
    """Write 60 months of a noisy cycle, and return the file and the series."""
    t = np.arange(60)
    y = 20 + 3 * np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(0).standard_normal(60)
    months = pd.period_range("2019-01", periods=60, freq="M")
    path = tmp_path / "sales.csv"
    pd.DataFrame({"month": months.astype(str), "units": y}).to_csv(path, index=False)
    series = pd.Series(pd.read_csv(path)["units"].to_numpy(), index=months.to_timestamp())
    return path, series


def table(text):
    return pd.read_csv(io.StringIO(text), index_col=0)


# forecast


def test_forecast_prints_what_the_library_forecasts(data, capsys):
    path, y = data
    code, out, err = run(
        capsys, "forecast", path, "--value", "units", "--time", "month", "--horizon", 3,
        "--lags", "1,12", "--levels", 50, 90,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "month,mean,std,lo-90,lo-50,hi-50,hi-90"
    assert [line[:10] for line in out.splitlines()[1:]] == [
        "2024-01-01",
        "2024-02-01",
        "2024-03-01",
    ]
    f = gf.Forecaster([1, 12]).fit(y).predict(3)
    expected = f.to_frame((50, 90))
    np.testing.assert_allclose(table(out)[expected.columns], expected, rtol=1e-6)
    np.testing.assert_allclose(table(out)["std"], f.std, rtol=1e-6)


def test_forecast_writes_a_table_and_a_picture_and_prints_nothing(data, capsys, tmp_path):
    path, _ = data
    out_csv, png = tmp_path / "next.csv", tmp_path / "next.png"
    code, out, err = run(
        capsys, "forecast", path, "--time", "month", "--horizon", 4, "--lags", 2,
        "--output", out_csv, "--plot", png,
    )  # fmt: skip
    assert (code, out, err) == (0, "", "")
    assert list(pd.read_csv(out_csv).columns) == [
        "month", "mean", "std", "lo-95", "lo-80", "hi-80", "hi-95",
    ]  # fmt: skip
    assert len(pd.read_csv(out_csv)) == 4
    assert png.read_bytes()[1:4] == b"PNG"
    assert png.stat().st_size > 10_000


def test_forecast_without_times_counts_rows(data, capsys):
    path, _ = data
    code, out, _ = run(capsys, "forecast", path, "--horizon", 2, "--lags", 2)
    assert code == 0
    assert list(table(out).index) == [60, 61]
    assert table(out).index.name == "row"


def test_lags_may_be_chosen_automatically(data, capsys):
    path, _ = data
    code, out, _ = run(capsys, "forecast", path, "--horizon", 12)
    assert code == 0
    assert np.ptp(table(out)["mean"]) > 3  # it has seen the cycle


@pytest.mark.parametrize("method", ["taylor", "naive", "monte_carlo"])
def test_every_method_forecasts_and_repeats_itself(method, data, capsys):
    path, _ = data
    words = ["forecast", path, "--horizon", 3, "--lags", 2, "--method", method]
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert run(capsys, *words)[1] == out
    exact = run(capsys, *words[:-2])[1]
    assert out != exact
    np.testing.assert_allclose(table(out)["mean"], table(exact)["mean"], atol=0.5)


TIMES = {
    "iso": ([f"2024-01-{d:02d}" for d in range(1, 21)], "2024-01-21"),
    "day first": ([f"{d:02d}.01.2024" for d in range(13, 32)], "2024-02-01"),
    "month names": ([f"{d} January 2024" for d in range(1, 21)], "2024-01-21"),
    "hours": ([f"2024-01-01 {h:02d}:00" for h in range(20)], "2024-01-01 20:00:00"),
    "months": ([f"2024-{m:02d}" for m in range(1, 13)], "2025-01-01"),
    "an offset": (
        [f"2024-01-{d:02d}T00:00+02:00" for d in range(1, 21)],
        "2024-01-21 00:00:00+02:00",
    ),
    "two offsets": (
        [f"2024-03-31T0{h}:00+01:00" for h in range(2)]
        + [f"2024-03-31T{h:02d}:00+02:00" for h in range(3, 15)],
        "2024-03-31 13:00:00+00:00",
    ),
    "years": (list(range(1990, 2010)), "2010"),
    "numbers": ([0.5 * k for k in range(21)], "10.5"),
}  # fmt: skip


@pytest.mark.parametrize(("times", "first"), TIMES.values(), ids=TIMES)
def test_times_are_read_as_dates_or_numbers(times, first, tmp_path, capsys):
    path = tmp_path / "data.csv"
    y = np.sin(np.arange(len(times)))
    pd.DataFrame({"t": times, "y": y}).to_csv(path, index=False)
    code, out, err = run(
        capsys, "forecast", path, "--value", "y", "--time", "t", "--horizon", 1, "--lags", 1
    )
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split(",")[0] == first


def test_numerical_warning_is_one_line_and_no_python_warning(tmp_path, capsys, monkeypatch):
    path = tmp_path / "data.csv"
    pd.DataFrame({"y": np.sin(np.arange(30.0))}).to_csv(path, index=False)
    fit = gf.Forecaster.fit

    def worried_fit(self, *args):
        for _ in range(2):
            warnings.warn("a jitter\nwas added", gf.NumericalWarning, stacklevel=2)
        return fit(self, *args)

    monkeypatch.setattr(gf.Forecaster, "fit", worried_fit)
    code, out, err = run(capsys, "forecast", path, "--horizon", 1, "--lags", 1)
    assert code == 0
    assert err == "gpforecast: warning: a jitter was added\n"
    assert len(out.splitlines()) == 2


def test_rows_left_out_are_noted(tmp_path, capsys, monkeypatch):
    path = tmp_path / "data.csv"
    pd.DataFrame({"y": np.sin(np.arange(1030.0))}).to_csv(path, index=False)
    monkeypatch.setattr("gpforecast.cli.Forecaster", _quick_forecaster)
    _, _, err = run(capsys, "forecast", path, "--horizon", 1, "--lags", 1)
    assert err == "gpforecast: note: trained on 20 of 1029 rows, chosen at random (max_rows)\n"


def _quick_forecaster(lags):
    return gf.Forecaster(lags, model=gf.models.GaussianProcess(optimizer=None), max_rows=20)


# backtest


def test_backtest_prints_a_summary_and_writes_every_step(data, capsys, tmp_path):
    path, y = data
    scores, png = tmp_path / "scores.csv", tmp_path / "scores.png"
    code, out, err = run(
        capsys, "backtest", path, "--value", "units", "--time", "month", "--horizon", 4,
        "--lags", 3, "--origins", 5, "--method", "exact", "--method", "naive",
        "--output", scores, "--plot", png,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "first 30 of 60 values, lags 1,2,3" in out
    assert out.count("4 steps from 5 origins") == 2
    assert "coverage_95" in out
    written = pd.read_csv(scores)
    assert list(written["method"]) == ["exact"] * 4 + ["naive"] * 4
    assert list(written["step"]) == [1, 2, 3, 4] * 2
    expected = gf.backtest(gf.Forecaster(3), y, horizon=4, origins=5, seed=0).scores
    np.testing.assert_allclose(written.loc[:3, expected.columns], expected, rtol=1e-6, atol=1e-9)
    assert png.read_bytes()[1:4] == b"PNG"


def test_all_methods_are_tested_from_the_same_origins(data, capsys, monkeypatch):
    path, _ = data
    seen = []
    original = gf.backtest

    def spy(*args, **options):
        seen.append(original(*args, **options))
        return seen[-1]

    monkeypatch.setattr("gpforecast.cli.backtest", spy)
    code, _, _ = run(
        capsys, "backtest", path, "--horizon", 2, "--lags", 2, "--origins", 4, "--method", "all"
    )
    assert code == 0
    assert [r.propagation for r in seen] == [
        "exact",
        "taylor",
        "cubature",
        "naive",
        "monte_carlo",
    ]
    for result in seen:
        np.testing.assert_array_equal(result.origins, seen[0].origins)


# demo


def test_demo_prints_scores_of_four_methods_and_writes_its_two_files(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("gpforecast.cli._DEMO_ORIGINS", 3)
    monkeypatch.setattr("gpforecast.cli._DEMO_PATHS", 20)
    folder = tmp_path / "new" / "folder"
    code, out, err = run(capsys, "demo", "--output", folder, "--rows", 60, "--horizon", 10)
    assert (code, err) == (0, "")
    for method in ("exact", "taylor", "naive", "monte_carlo"):
        (line,) = [line for line in out.splitlines() if line.startswith(method)]
        assert np.isfinite([float(number) for number in line.split()[1:]]).all()
        assert len(line.split()) == 8
    assert str(folder / "fan_chart.png") in out
    assert (folder / "fan_chart.png").read_bytes()[1:4] == b"PNG"
    written = pd.read_csv(folder / "forecast.csv")
    assert list(written.columns) == [
        "time", "truth", "mean", "std", "lo-95", "lo-80", "hi-80", "hi-95",
    ]  # fmt: skip
    assert list(written["time"]) == list(range(60, 70))
    series = gf.datasets.mackey_glass(570, normalise=True, noise_var=1e-3, seed=0)
    np.testing.assert_allclose(written["truth"], series.iloc[60:70], rtol=1e-9)


# Errors: one line, exit code 2, before any work


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "required: COMMAND"),
        (["dance"], "invalid choice: 'dance'"),
        (["forecast", "FILE"], "required: --horizon"),
        (["forecast", "FILE", "--horizon", "0"], "must be a positive integer; got '0'"),
        (["forecast", "FILE", "--horizon", "2.5"], "must be a positive integer; got '2.5'"),
        (["forecast", "FILE", "--horizon", "2", "--lags", "a"], 'a list such as 1,2,12, or "auto"'),
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
        (["forecast", "FILE", "--horizon", "2", "--value", "month"], "real numbers"),
        (["backtest", "FILE", "--horizon", "40", "--lags", "2"], "no origin is left"),
        (["demo", "--output", "FILE"], "File exists"),
        (["demo", "--rows", "10"], "10 values but lags=16"),
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
        ("", [], "cannot be read as CSV"),
        ("a,b\n1,2\n3\n4,5,6\n", [], "cannot be read as CSV"),
        ("a,b\n" + "1,2\n" * 20, [], "--value must name the column .* has 'a', 'b'"),
        ("a\n" + "x\n" * 20, [], "--value must name the column .* has 'a'"),
        ("y\n" + "1\n2\n\n" * 10 + "3\n", ["--lags", "30"], "lags=30"),
        ("y\n" + "NA\n" * 30, ["--lags", "1"], "missing"),
        ("t,y\n2024-01-01,1\nsoon,2\n", ["--time", "t"], "'soon' in column 't', line 3"),
        ("t,y\n2024-01-02,1\n2024-01-01,2\n2024-01-03,2\n", ["--time", "t"], "increasing order"),
        ("t,y\n2024-01-01,1\n2024-01-01,2\n2024-01-03,2\n", ["--time", "t"], "duplicated"),
        ("t,y\n2024-01-01,1\n,2\n2024-01-03,2\n", ["--time", "t"], "stamp on every row"),
        ("t,y\n1,1\n2,2\n4.5,2\n5,6\n", ["--time", "t"], "regular index"),
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
    monkeypatch.setattr("gpforecast.cli._read", lambda *_: pytest.fail("it has begun to work"))
    assert message in refused(capsys, command, data[0], "--horizon", 2, option, name)


# Help


@pytest.mark.parametrize("command", [[], ["demo"], ["forecast"], ["backtest"]])
def test_help_has_examples(command, capsys):
    code, out, err = run(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: gpforecast")
    assert "example" in out
    assert " ".join(["  gpforecast", *command]) in out.split("example")[-1]


def test_version_is_that_of_the_package(capsys):
    assert run(capsys, "--version") == (0, f"gpforecast {gf.__version__}\n", "")


# As a process


def test_process_ends_with_the_exit_code_and_bears_a_reader_that_leaves(data):
    path, _ = data
    command = [sys.executable, "-W", "error", "-m", "gpforecast.cli", "forecast", str(path)]
    environment = {**os.environ, "PYTHONWARNINGS": ""}
    wrong = subprocess.run(
        [*command, "--horizon", "x"], capture_output=True, text=True, env=environment, check=False
    )
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("gpforecast: error: ")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as nobody:
        left = subprocess.run(
            [*command, "--horizon", "2", "--lags", "1"],
            stdout=nobody, stderr=subprocess.PIPE, text=True, env=environment, check=False,
        )  # fmt: skip
    assert (left.returncode, left.stderr) == (0, "")


# what would go wrong without a word


def test_trailing_delimiters_do_not_shift_the_columns(tmp_path, capsys):
    path = tmp_path / "trailing.csv"
    lines = [f"{1980 + i},{100 + i % 3},{5 + i % 2}," for i in range(30)]
    path.write_text("\n".join(["year,a,b", *lines]) + "\n")
    _, out, _ = run(capsys, "forecast", path, "--value", "a", "--horizon", 2, "--lags", 3)
    assert (table(out)["mean"] > 90).all()


@pytest.mark.parametrize("order", ["01/{:02d}/2020", "{:02d}/01/2020", "1.{}.2020"])
def test_dates_that_can_be_read_two_ways_are_refused(order, tmp_path, capsys):
    path = tmp_path / "months.csv"
    path.write_text("\n".join(["when,v", *(f"{order.format(m)},{m % 5}" for m in range(1, 13))]))
    words = ["forecast", path, "--time", "when", "--horizon", 2, "--lags", 2]
    assert "day first or month first" in refused(capsys, *words)


def test_month_first_dates_with_days_beyond_12_are_read(tmp_path, capsys):
    path = tmp_path / "days.csv"
    path.write_text("\n".join(["when,v", *(f"01/{d:02d}/2020,{d % 5}" for d in range(1, 31))]))
    _, out, _ = run(capsys, "forecast", path, "--time", "when", "--horizon", 1, "--lags", 2)
    assert out.splitlines()[1].startswith("2020-01-31")


def test_the_input_is_not_overwritten(data, capsys):
    path, _ = data
    before = path.read_bytes()
    words = ["forecast", path, "--time", "month", "--horizon", 2, "--output", path]
    assert "it is the file that is read" in refused(capsys, *words)
    assert path.read_bytes() == before
