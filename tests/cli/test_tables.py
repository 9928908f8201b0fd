"""Tables in files: of the kind that the name says, with the marks of the file that was read."""

import sys
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest
from cli_cases import refused, run, whole_run

from gpforecast.cli import tables

WORDS = ["--horizon", 3, "--lags", 2]


@pytest.fixture
def german(tmp_path):
    """Write a file as programs in Germany do, and return its name."""
    path = tmp_path / "umsatz.csv"
    days = pd.date_range("2020-01-01", periods=40)
    rows = (f"{t:%d.%m.%Y};{100 + i % 7},5 €" for i, t in enumerate(days))
    path.write_bytes("\r\n".join(["Datum;Umsatz", *rows]).encode("cp1252"))
    return path


def test_the_table_has_the_marks_of_the_file_and_a_line_says_so(german, capsys, tmp_path):
    out = tmp_path / "next.csv"
    code, said, _ = run(capsys, "forecast", german, *WORDS, "--output", out)
    assert code == 0
    assert said == f"Wrote {out} (3 rows; semicolons and decimal commas, as umsatz.csv)\n"
    text = out.read_text()
    assert text.startswith("Datum;mean;std;")
    assert "." not in text
    there = pd.read_csv(out, sep=";", decimal=",", index_col=0)
    assert run(capsys, "forecast", german, *WORDS)[1] == text
    plain = run(capsys, "forecast", german, *WORDS, "--plain-csv")[1]
    assert plain.startswith("Datum,mean,std,")
    np.testing.assert_allclose(there["mean"], [float(r.split(",")[1]) for r in plain.split()[1:]])


def test_the_scores_of_a_backtest_have_the_marks_of_the_file(german, capsys, tmp_path):
    out = tmp_path / "scores.csv"
    words = ["--lags", 2, "--horizon", 2, "--origins", 3, "--output", out]
    _, said, _ = run(capsys, "backtest", german, *words)
    assert said.endswith(f"Wrote {out} (2 rows; semicolons and decimal commas, as umsatz.csv)\n")
    assert out.read_text().startswith("method;step;mae;")


def test_a_file_with_semicolons_and_decimal_points_is_not_followed(data, capsys, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(data[0].read_text().replace(",", ";"))
    assert run(capsys, "forecast", path, *WORDS)[1].startswith("month,mean,std,")


def test_whole_numbers_beside_dates_with_points_are_of_a_file_with_decimal_commas(tmp_path, capsys):
    path = tmp_path / "stück.csv"
    days = pd.date_range("2020-01-01", periods=40)
    path.write_text("Tag;Stück\n" + "".join(f"{t:%d.%m.%Y};{i % 7}\n" for i, t in enumerate(days)))
    assert run(capsys, "forecast", path, *WORDS)[1].startswith("Tag;mean;std;")


@pytest.mark.parametrize("ending", [".xlsx", ".json", ".tsv", ".txt"])
def test_a_table_is_of_the_kind_that_its_name_says(ending, data, capsys, tmp_path):
    pytest.importorskip("openpyxl")
    out, csv = tmp_path / f"next{ending}", tmp_path / "next.csv"
    for path in (out, csv):
        code, said, _ = run(capsys, "forecast", data[0], *WORDS, "--output", path)
        assert code == 0
        assert said.startswith(f"Wrote {path} (3 rows")
    readers = {
        ".xlsx": pd.read_excel, ".json": pd.read_json, ".txt": pd.read_csv,
        ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    }  # fmt: skip
    found, expected = readers[ending](out), pd.read_csv(csv)
    assert list(found.columns) == list(expected.columns)
    assert list(pd.to_datetime(found["month"])) == list(pd.to_datetime(expected["month"]))
    np.testing.assert_allclose(found.iloc[:, 1:], expected.iloc[:, 1:], rtol=5e-6)  # six digits


@pytest.mark.parametrize(
    ("mean", "std", "written"),
    [
        (1640.721196, 59.93293856, "1640.72,59.9329"),
        (1_234_567.8, 2e5, "1234568,200000"),
        (9_876_543_210.4, 3e9, "9876543210,3000000000"),
        (9e8 + 1 / 3, 1e-3, "900000000.3333334,0.001"),
        (1 / 3, 0.1, "0.333333,0.1"),
        (1 / 3, 0.0, "0.3333333333,0"),
    ],
)
def test_widths_have_four_digits_and_whole_numbers_all(mean, std, written):
    frame = pd.DataFrame({"mean": [mean], "std": [std]}, pd.Index([1], name="n"))
    assert tables.as_text(frame, tables.Style()) == f"n,mean,std\n1,{written}\n"


def test_parquet_is_written_with_its_labels(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"mean": [1.0, 2.0]}, pd.Index([3, 4], name="row"))
    tables.write_table(frame, tmp_path / "next.parquet", tables.Style())
    assert list(pd.read_parquet(tmp_path / "next.parquet")["row"]) == [3, 4]


def test_times_with_a_zone_and_a_name_that_is_taken_go_into_a_sheet(tmp_path):
    pytest.importorskip("openpyxl")
    hours = pd.date_range("2020-01-01", periods=2, freq="h", tz="Europe/Paris", name="mean")
    path = tmp_path / "next.xlsx"
    tables.write_table(pd.DataFrame({"mean": [1.0, 2.0]}, hours), path, tables.Style())
    found = pd.read_excel(path)
    assert list(found["mean (row)"]) == ["2020-01-01 00:00:00+01:00", "2020-01-01 01:00:00+01:00"]


@pytest.mark.parametrize("command", ["forecast", "backtest"])
def test_a_table_of_an_unknown_kind_is_refused_before_the_work(
    command, data, capsys, tmp_path, monkeypatch
):
    monkeypatch.setattr("gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it works"))
    told = refused(capsys, command, data[0], *WORDS, "--output", tmp_path / "next.pdf")
    assert "its name must end in .csv, .txt, .tsv, .xlsx, .json or .parquet" in told
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    monkeypatch.setattr(tables, "find_spec", lambda _: None)
    told = refused(capsys, command, data[0], *WORDS, "--output", tmp_path / "next.xlsx")
    assert "pip install 'gpforecast[excel]'" in told
    assert not list(tmp_path.glob("next.*"))


def test_a_report_of_another_kind_is_refused_before_the_work(data, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("gpforecast.cli.commands.read_series", lambda *_: pytest.fail("it works"))
    told = refused(capsys, "report", data[0], "--horizon", 2, "--output", tmp_path / "r.pdf")
    assert "a report is a web page; name it .html" in told


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

    def report(*_, **options):
        given.update(options)
        return Namespace(html="")

    monkeypatch.setattr("gpforecast.cli.commands.report", report)
    assert whole_run(capsys, "report", german, "--horizon", 2, *words)[0] == 0
    assert (given["units"], given["total"]) == (units, total)


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        (b"Umsatz", [], True),
        (b"Price", [], False),
        (b"Umsatz", ["--no-total"], False),
        (b"Price", ["--total"], True),
    ],
)
def test_a_forecast_of_money_says_its_total_beside_the_table(name, words, said, german, capsys):
    german.write_bytes(german.read_bytes().replace(b"Umsatz", name))
    _, out, err = whole_run(capsys, "forecast", german, "--horizon", 3, *words)
    totals = [line for line in err.splitlines() if line.startswith("gpforecast: total: ")]
    assert len(totals) == said
    assert "total" not in out
    if said:
        assert " we expect a total of about " in totals[0]
        assert "€, and with 95 % probability between " in totals[0]


def test_a_report_without_a_currency_leaves_units_and_total_to_the_library(
    data, capsys, monkeypatch
):
    given = {}

    def report(*_, **options):
        given.update(options)
        return Namespace(html="")

    monkeypatch.setattr("gpforecast.cli.commands.report", report)
    assert whole_run(capsys, "report", data[0], "--horizon", 2)[0] == 0
    assert (given["units"], given["total"]) == (None, None)


def test_a_sheet_shows_days_and_digits_in_columns_that_are_wide_enough(data, capsys, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    out = tmp_path / "next.xlsx"
    run(capsys, "forecast", data[0], *WORDS, "--output", out)
    sheet = openpyxl.load_workbook(out).active
    widths = {letter: column.width for letter, column in sheet.column_dimensions.items()}
    assert sheet["A2"].number_format == "YYYY-MM-DD"
    assert sheet.freeze_panes == "A2"
    assert widths["A"] >= len("2024-01-01")
    assert sheet["B2"].number_format == "#,##0.000"  # its standard deviation is about 0.1
    assert widths["B"] >= len("20.1234")
    assert sheet["B2"].value != round(sheet["B2"].value, 6)


def test_a_sheet_shows_the_clock_of_times_that_have_one(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    hours = pd.date_range("2024-01-01", periods=3, freq="h", name="when")
    frame = pd.DataFrame({"mean": [1e6, 2e6, 3e6], "std": 500.0, "n": [1, 2, 3]}, index=hours)
    tables.write_table(frame, tmp_path / "a.xlsx", tables.Style())
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert sheet["A2"].number_format == "YYYY-MM-DD HH:MM:SS"
    assert sheet.column_dimensions["A"].width >= len("2024-01-01 00:00:00")
    assert [sheet[cell].number_format for cell in ("B2", "C2", "D2")] == [
        "#,##0.00",
        "#,##0.00",
        "General",
    ]


def test_times_without_a_name_are_told_by_their_place(tmp_path, capsys):
    file = tmp_path / "mrr.csv"
    rows = [f"2022-{month:02},{100 + 7 * month}.5" for month in range(1, 11)]
    file.write_text("\n".join([",MRR", *rows]))
    _, out, err = whole_run(capsys, "forecast", file, "--horizon", 2, "--units", "EUR")
    assert "mrr.csv by column 1: 10 values" in err
    assert "a total of about" in err  # of money, though it has cents
    assert out.startswith("time,mean,")
