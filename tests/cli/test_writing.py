"""What is written, in which form, what is never overwritten and what is refused before the work."""

import io
import os
import re
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import refused, run, whole_run

from gpforecast.cli import writing
from gpforecast.cli.writing import check_writable, safe_label

# What is written, what is never overwritten, and what is refused before the work


WORDS = ["--horizon", 2, "--lags", 2]


@pytest.fixture
def _no_work(monkeypatch):
    monkeypatch.setattr(
        "gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it has begun to work")
    )


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize("link", [os.link, os.symlink, None])
def test_the_file_that_is_read_is_never_written(link, data, capsys, tmp_path, monkeypatch):
    path, _ = data
    before = path.read_bytes()
    if link is not None:
        link(path, tmp_path / "link.csv")
    target = path if link is None else tmp_path / "link.csv"
    words = [*WORDS, "--output", target, "--force"]
    assert "it is the file that is read" in refused(capsys, "forecast", path, *words)
    with path.open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        assert "it is the file that is read" in refused(capsys, "forecast", "-", *words)
        check_writable(tmp_path / "other.csv", source="-")
    assert path.read_bytes() == before


@pytest.mark.usefixtures("_no_work")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["forecast", "FILE", "--output", "x.png", "--plot", "x.png"], "x.png twice; name two"),
        (["forecast", "FILE", "--output", "out.html"], "it exists; name another file, or pass --f"),
        (["backtest", "FILE", "--output", "out.html"], "--force"),
        (["report", "FILE"], "--force"),
        (["report", "-"], "--output must name the page"),
        (["forecast", "FILE", "--output", "no/such/out.csv"], "there is no folder"),
        (["backtest", "FILE", "--plot", "no/out.png"], "there is no folder"),
        (["forecast", "FILE", "--output", "."], "it is a folder"),
        (["forecast", "FILE", "--plot", "out.xyz"], "its name must end in one of"),
        (["forecast", "FILE", "--plot", "out"], "its name must end in one of"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(
    words, message, data, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name in ("out.html", "sales.html"):
        Path(name).write_text("mine")
    words = [str(data[0]) if word == "FILE" else word for word in words]
    assert message in refused(capsys, *words, "--horizon", 2)
    assert Path("out.html").read_text() == Path("sales.html").read_text() == "mine"
    assert not Path("x.png").exists()


def test_the_files_of_the_demo_are_not_overwritten(capsys, tmp_path):
    (tmp_path / "forecast.csv").write_text("mine")
    assert "--force" in refused(capsys, "demo", "--output", tmp_path)


def test_force_replaces_a_file_and_a_device_needs_none(data, capsys, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("mine")
    words = ["forecast", data[0], *WORDS]
    code, table, _ = run(capsys, *words)
    assert run(capsys, *words, "--output", out, "--force")[0] == code == 0
    assert out.read_text() == table
    check_writable(Path(os.devnull))


def test_the_header_of_a_table_is_no_formula(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rows = (f"2019-01-{i:02d},{i % 3}" for i in range(1, 25))
    path.write_text("\n".join(['=HYPERLINK("x"),units', *rows]))
    _, out, _ = run(capsys, "forecast", path, *WORDS)
    assert out.startswith('"\'=HYPERLINK(""x"")",mean,std')
    assert [safe_label(s) for s in ("@x", " +1", "-x", "\tx")] == ["'@x", "' +1", "'-x", "'\tx"]


def test_the_standard_input_is_read_and_what_was_detected_is_one_line(data, capsys, monkeypatch):
    given = data[0].read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    code, _, err = whole_run(capsys, "forecast", "-", *WORDS)
    assert code == 0
    assert err == (
        "gpforecast: read 'units' of the standard input by 'month': 60 values from 2019-01-01 to "
        "2023-12-01 (utf-8, commas, decimal points, dates like 2019-01)\n"
    )


def test_the_options_of_a_file_get_to_its_reading(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rows = [f"{i:02d}/01/19;-;{i % 3}.125" for i in range(1, 25)]
    path.write_text("\n".join(["junk", *rows, "sum;;24"]))
    words = ["forecast", path, *WORDS, "--value", 3, "--time", 1, "--delimiter", "semicolon"]
    words += ["--decimal", ".", "--encoding", "cp1252", "--no-header", "--skip-rows", 1]
    words += ["--skip-footer", 1, "--dayfirst", "--missing", "-"]
    code, out, _ = whole_run(capsys, *words)
    assert code == 0
    assert out.splitlines()[1].startswith("25/01/19,")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
def test_a_disk_that_is_full_is_said_with_the_name_of_the_file(data, capsys):
    code, _, err = run(capsys, "forecast", data[0], *WORDS, "--output", "/dev/full")
    assert code == 2
    assert "cannot write /dev/full: No space left on device" in err


# Tables in files: of the kind that the name says, with the marks of the file that was read


STEPS = ["--horizon", 3, "--lags", 2]


@pytest.fixture
def german(tmp_path):
    """Write a file as programs in Germany do, and return its name."""
    path = tmp_path / "umsatz.csv"
    days = pd.date_range("2020-01-01", periods=40)
    rows = (f"{t:%d.%m.%Y};{100 + i % 7},5 €" for i, t in enumerate(days))
    path.write_bytes("\r\n".join(["Datum;Umsatz", *rows]).encode("cp1252"))
    return path


def test_a_table_has_the_marks_of_the_file_and_a_line_says_so(german, capsys, tmp_path):
    out = tmp_path / "next.csv"
    _, said, err = whole_run(capsys, "forecast", german, *STEPS, "--output", out)
    assert said == f"Wrote {out} (3 rows)\n"
    assert " we expect a total of about " in err
    assert "€, and with 95 % probability between " in err
    text = out.read_text()
    assert text.startswith("Datum;mean;std;")
    assert "." not in re.sub(r"(?m)^[0-9.]+;", "", text)
    there = pd.read_csv(out, sep=";", decimal=",", index_col=0)
    _, plain, err = whole_run(capsys, "forecast", german, *STEPS, "--plain-csv", "--no-total")
    assert "total" not in err
    assert plain.startswith("Datum,mean,std,")
    np.testing.assert_allclose(there["mean"], [float(r.split(",")[1]) for r in plain.split()[1:]])


def test_a_file_with_semicolons_and_decimal_points_is_not_followed(data, capsys, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(data[0].read_text().replace(",", ";"))
    assert run(capsys, "forecast", path, *STEPS)[1].startswith("month,mean,std,")


@pytest.mark.parametrize("ending", [".xlsx", ".json", ".tsv", ".parquet"])
def test_a_table_is_of_the_kind_that_its_name_says(ending, tmp_path):
    for package in {".xlsx": ["openpyxl"], ".parquet": ["pyarrow"]}.get(ending, []):
        pytest.importorskip(package)
    frame = pd.DataFrame({"mean": [1.5, 2.5]}, pd.Index([3, 4], name="row"))
    path = tmp_path / f"next{ending}"
    assert writing.write_table(frame, path, writing.Style()).startswith(f"Wrote {path} (2 rows")
    readers = {
        ".xlsx": pd.read_excel, ".json": pd.read_json, ".parquet": pd.read_parquet,
        ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    }  # fmt: skip
    pd.testing.assert_frame_equal(readers[ending](path), frame.reset_index())


def test_a_sheet_shows_times_in_columns_that_are_wide_enough(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    hours = pd.date_range("2024-01-01", periods=3, freq="h", name="when")
    frame = pd.DataFrame({"mean": [1e6, 2e6, 3e6], "std": 0.1234}, index=hours)
    writing.write_table(frame, tmp_path / "a.xlsx", writing.Style())
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert sheet.freeze_panes == "A2"
    assert sheet.column_dimensions["A"].width >= len("2024-01-01 00:00:00")
    zoned = pd.DataFrame({"mean": [1.0]}, hours[:1].tz_localize("Europe/Paris").rename("mean"))
    writing.write_table(zoned, tmp_path / "b.xlsx", writing.Style())
    found = pd.read_excel(tmp_path / "b.xlsx")
    assert list(found["mean (row)"]) == ["2024-01-01 00:00:00+01:00"]


def test_a_table_of_an_unknown_kind_is_refused_before_the_work(data, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it works"))
    for command, name, message in (
        ("forecast", "next.pdf", "must end in .csv, .txt, .tsv, .xlsx, .json or .parquet"),
        ("report", "next.pdf", "a report is a web page; name it .html"),
        ("backtest", "next.xlsx", "pip install openpyxl"),
    ):
        monkeypatch.setitem(sys.modules, "openpyxl", None)
        monkeypatch.setattr(writing, "find_spec", lambda _: None)
        assert message in refused(capsys, command, data[0], *STEPS, "--output", tmp_path / name)


@pytest.mark.parametrize(
    ("words", "units", "total"),
    [
        ([], "€", None),
        (["--units", "thousand euros", "--no-total"], "thousand euros", False),
        (["--total"], "€", True),
    ],
)
def test_a_report_of_money_has_its_currency(words, units, total, german, capsys, monkeypatch):
    given = {}
    monkeypatch.setattr(
        "gpforecast.cli.commands.report", lambda *_, **o: given.update(o) or Namespace(html="")
    )
    assert whole_run(capsys, "report", german, "--horizon", 2, *words)[0] == 0
    assert (given["units"], given["total"]) == (units, total)


def test_times_without_a_name_are_known_by_their_place(tmp_path, capsys):
    file = tmp_path / "mrr.csv"
    rows = [f"2022-{month:02},{100 + 7 * month}.5" for month in range(1, 11)]
    file.write_text("\n".join([",MRR", *rows]))
    _, out, err = whole_run(capsys, "forecast", file, "--horizon", 2, "--units", "EUR")
    assert "mrr.csv by column 1: 10 values" in err
    assert "a total of about" in err  # of money, though it has cents
    assert out.startswith("time,mean,")
