"""Tables in files: of the kind that the name says, with the marks of the file that was read."""

import sys
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest
from cli_cases import refused, run, whole_run

from gpforecast.cli import writing

WORDS = ["--horizon", 3, "--lags", 2]


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
    _, said, err = whole_run(capsys, "forecast", german, *WORDS, "--output", out)
    assert said == f"Wrote {out} (3 rows)\n"
    assert " we expect a total of about " in err
    assert "€, and with 95 % probability between " in err
    text = out.read_text()
    assert text.startswith("Datum;mean;std;")
    assert "." not in text
    there = pd.read_csv(out, sep=";", decimal=",", index_col=0)
    _, plain, err = whole_run(capsys, "forecast", german, *WORDS, "--plain-csv", "--no-total")
    assert "total" not in err
    assert plain.startswith("Datum,mean,std,")
    np.testing.assert_allclose(there["mean"], [float(r.split(",")[1]) for r in plain.split()[1:]])


def test_a_file_with_semicolons_and_decimal_points_is_not_followed(data, capsys, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(data[0].read_text().replace(",", ";"))
    assert run(capsys, "forecast", path, *WORDS)[1].startswith("month,mean,std,")


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
        assert message in refused(capsys, command, data[0], *WORDS, "--output", tmp_path / name)


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
