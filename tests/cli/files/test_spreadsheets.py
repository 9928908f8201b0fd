"""Excel and Parquet files: the same series as from text."""

import datetime as dt
import sys

import numpy as np
import pandas as pd
import pytest
from cli_cases import read, refusal

DAYS = pd.date_range("2019-01-20", periods=12)
VALUES = list(np.arange(12.0) ** 2)


@pytest.fixture
def book():
    return pytest.importorskip("openpyxl").Workbook()


def saved(book, tmp_path):
    path = tmp_path / "sales.xlsx"
    book.save(path)
    return path


def fill(sheet, rows):
    for row in rows:
        sheet.append(row)


def test_a_sheet_with_a_title_dates_and_numbers_is_read(book, tmp_path):
    fill(book.active, [["Sales"], [], ["when", "units", "note"]])
    fill(book.active, ([t, v] for t, v in zip(DAYS, VALUES, strict=True)))
    reading = read(saved(book, tmp_path))
    pd.testing.assert_series_equal(
        reading.series, pd.Series(VALUES, DAYS, name="units"), check_freq=False,
        check_index_type=False, check_names=False,
    )  # fmt: skip
    assert "sheet 'Sheet'" in reading.detected


def test_one_of_several_sheets_must_be_named(book, tmp_path):
    fill(book.active, [["units"], *([v] for v in VALUES)])
    fill(book.create_sheet("Costs"), [["euros"], *([-v] for v in VALUES)])
    book.create_sheet("Empty")
    fill(book.create_sheet("Hidden"), [["units"], [1]])
    book["Hidden"].sheet_state = "hidden"
    path = saved(book, tmp_path)
    assert "--sheet must name one of the sheets" in refusal(path)
    assert "'Sheet', 'Costs'." in refusal(path, sheet="Profit")
    assert list(read(path, sheet="Costs").series) == [-v for v in VALUES]


def test_texts_in_cells_are_read_as_in_a_text_file(book, tmp_path):
    rows = (
        [f"{t:%d.%m.%Y}", f"{v:.1f} €".replace(".", ",")] for t, v in zip(DAYS, VALUES, strict=True)
    )
    fill(book.active, [["when", "units"], *rows, ["Total", 506]])
    path = saved(book, tmp_path)
    assert "'Total' in column 'when', line 14" in refusal(path)
    series = read(path, skip_footer=1).series
    assert list(series) == VALUES
    assert list(series.index) == list(DAYS)


def test_dates_that_the_sheet_left_as_text_are_refused(book, tmp_path):
    fill(book.active, [["when", "units"], [dt.date(2019, 1, 2), 1], ["13/01/2019", 2], [5, 3]])
    assert "'13/01/2019' in column 'when', line 3" in refusal(saved(book, tmp_path), time="when")


def test_numbers_that_are_days_of_a_sheet_are_refused_with_the_option(book, tmp_path):
    serial = [43485 + i for i in range(12)]
    fill(book.active, [["date", "units"], *zip(serial, VALUES, strict=True)])
    path = saved(book, tmp_path)
    options = {"time": "date", "value": "units"}
    assert "--date-format excel" in refusal(path, **options)
    reading = read(path, **options, date_format="excel")
    assert list(reading.series.index) == list(DAYS)
    assert "dates as Excel counts them" in reading.detected


def test_a_marker_for_missing_values_may_be_a_number(book, tmp_path):
    fill(book.active, [["units"], [1], [-999], [3], [None, "x"], [5]])
    series = read(saved(book, tmp_path), value="units", missing=("-999",)).series
    np.testing.assert_array_equal(series, [1, np.nan, 3, np.nan, 5])


@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_parquet_is_read_with_its_index_and_zone(zone, tmp_path):
    pytest.importorskip("pyarrow")
    hours = pd.date_range("2019-03-30 20:00", periods=12, freq="h", tz=zone)
    path = tmp_path / "sales.parquet"
    pd.DataFrame({"units": VALUES}, index=hours.rename("when")).to_parquet(path)
    reading = read(path)
    assert list(reading.series) == VALUES
    assert list(map(str, reading.series.index)) == list(map(str, hours))


def test_an_empty_row_of_parquet_is_a_missing_value_and_its_names_are_no_data(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "sales.parquet"
    pd.DataFrame({"units": [1.0, np.nan, 3.0]}).to_parquet(path)
    for header in (None, False):
        series = read(path, header=header).series
        np.testing.assert_array_equal(series, [1.0, np.nan, 3.0])
        assert series.name == "units"


def test_a_missing_package_is_named_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "sales.bin"
    path.write_bytes(b"PAR1....PAR1")
    assert "pip install pyarrow" in refusal(path)


def test_months_of_the_future_in_a_sheet_are_left_out(book, tmp_path):
    fill(book.active, [["when", "units"], *zip(DAYS, [*VALUES[:9], None, None, None], strict=True)])
    reading = read(saved(book, tmp_path))
    assert list(reading.series) == VALUES[:9]
    assert reading.series.index[-1] == DAYS[8]
    assert "3 times without a value at the end left out" in reading.detected


def test_messages_name_the_rows_of_a_sheet(book, tmp_path):
    fill(book.active, [["when", "units"], [DAYS[0], 1], [DAYS[1], "closed"], [DAYS[2], 3]])
    assert "column 'units', line 3 of" in refusal(saved(book, tmp_path))
    fill(book.active, [[None, 5]])
    assert "line 5 of" in refusal(saved(book, tmp_path), missing=("closed",))
