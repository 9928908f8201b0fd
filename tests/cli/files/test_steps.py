"""The steps from bytes to numbers and dates, each by itself."""

import bz2
import lzma
import re

import numpy as np
import pandas as pd
import pytest
from cli_cases import read, refusal
from hypothesis import given
from hypothesis import strategies as st

from gpforecast.cli.files.contents import decoded
from gpforecast.cli.files.date_forms import FORMS
from gpforecast.cli.files.marks import Marks
from gpforecast.cli.files.numbers import is_number, numbers_of
from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.table import Column

DAYS = [pd.Timestamp("1969-01-01") + pd.Timedelta(days=37 * i) for i in range(900)]
BY_STRFTIME = {
    "2019-12-31": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%d %H:%M"],
    "31/12/2019": ["%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y %H:%M", "%d.%m.%y", "%a %d.%m.%Y"],
    "12/31/2019": ["%m/%d/%Y", "%m/%d/%y %I:%M:%S %p"],
    "31 Dec 2019": ["%d %b %Y", "%d-%b-%y", "%d. %B %Y", "%A, %d %b %Y %H:%M:%S GMT", "%d%b%Y"],
    "Dec 31, 2019": ["%B %d, %Y", "%b %d %Y", "%b-%d-%Y"],
    "2019-Dec-31": ["%Y-%b-%d"],
    "20191231": ["%Y%m%d"],
    "20191231T2359": ["%Y%m%dT%H%M%SZ", "%Y%m%d %H:%M"],
    "201912312359": ["%Y%m%d%H%M"],
    "2019-W52": ["%G-W%V-%u", "%GW%V%u"],
}  # fmt: skip


@pytest.mark.parametrize(("example", "formats"), BY_STRFTIME.items(), ids=BY_STRFTIME)
def test_a_form_reads_what_strftime_writes(example, formats):
    form = next(form for form in FORMS if form.example == example)
    for written in formats:
        assert [form.read(day.strftime(written)) for day in DAYS] == DAYS, written


@pytest.mark.parametrize("form", FORMS, ids=[form.example for form in FORMS])
def test_the_example_of_a_form_is_in_the_last_month_quarter_or_half_of_2019(form):
    date = form.read(form.example)
    assert date.year == 2019
    assert date.month in (7, 10, 12)
    others = [other for other in FORMS if other is not form and other.read(form.example)]
    assert {other.loose for other in others} <= {form.loose}


@pytest.mark.parametrize(
    "text",
    ["2019-02-30", "31/11/2019", "2019M13", "2019Q5", "2019-W54", "Foo 2019", "2019-01-01 25:00",
     "2019-01-01 13:00 PM", "31/12-2019", "2019-01-01 CET", "12:30", "1.5", "15000101"],
)  # fmt: skip
def test_what_is_no_date_is_none_in_any_form(text):
    assert not [form.example for form in FORMS if form.read(text) is not None]


def test_the_end_of_a_day_is_the_beginning_of_the_next():
    assert FORMS[0].read("2019-12-31 24:00") == pd.Timestamp("2020-01-01")


READINGS = [
    ("1234.5", ".", ""), ("1,234.5", ".", ","), ("1.234,5", ",", "."), ("1 234,5", ",", " "),
    ("1'234.5", ".", "'"), ("1234,5", ",", ""),
]  # fmt: skip


@pytest.mark.parametrize(("example", "decimal", "thousands"), READINGS)
@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20))
def test_numbers_are_read_as_they_were_written(example, decimal, thousands, hundredths):
    marks = str.maketrans({",": thousands, ".": decimal})
    cells = [example, *(f"{n / 100:,.2f}".translate(marks) for n in hundredths)]
    values = numbers_of(_column(cells, sep=";"), FileOptions())
    np.testing.assert_array_equal(values, [1234.5, *(round(n / 100, 2) for n in hundredths)])


@given(st.text(alphabet="0123456789.,' -+()%€$eE", max_size=12))
def test_no_text_is_read_in_two_ways_without_an_option(text):
    """Either it is refused, or every single reading that fits has the same value."""
    if not any(character.isdigit() for character in text):
        return
    try:
        values = numbers_of(_column([text], sep=";"), FileOptions())
    except ValueError:
        return
    by_option = []
    for decimal in ".,":
        try:
            by_option += list(numbers_of(_column([text], ";"), FileOptions(decimal=decimal)))
        except ValueError:
            continue
    assert set(by_option) == set(values)


def test_indian_groups_and_powers_are_numbers():
    values = numbers_of(_column(["12,34,567.50", "1,00,000", "2.5E-3"]), FileOptions())
    np.testing.assert_array_equal(values, [1234567.5, 100000, 0.0025])


@pytest.mark.parametrize(
    "text", ["1.2.3", "5 kg", "--5", "(5", "12:30", "1,23,4", "€5€", "inf", "½"]
)
def test_what_is_no_number_is_refused(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["5 €", "6 $"], "in one currency; got $ and €, the latter in line 2"),
        (["5 %", "6"], "'6' in column 'units', line 3 of sales.csv, must be in per cent"),
        (["1,234.5", "1.234,5"], "is no number with"),
        (["1,234", "2,345"], "can be 1.234 (--decimal ,) or 1234 (--decimal .)"),
        (["", "NA"], "all 2 cells are missing"),
    ],
)
def test_cells_that_disagree_are_refused(cells, told):
    with pytest.raises(ValueError, match=r".") as caught:
        numbers_of(_column(cells, sep=";"), FileOptions())
    assert all(part in str(caught.value) for part in told.split(" or "))


@pytest.mark.parametrize(
    ("cells", "decimal", "end"),
    [
        (["1.020.13 EUR", "1.021.20 EUR"], ",", "is no number with decimal commas; correct it."),
        (["1.020.13 EUR", "1.021.20 EUR"], None, "with decimal points; correct it."),
        (["1,5", "1,234.5"], ",", "correct it, or pass --decimal . as it should be read."),
        (["1,234.5", "2,345.5", "1.234,5"], None, "or pass --decimal , as it should be read."),
    ],
)  # fmt: skip
def test_an_option_that_was_tried_or_does_not_help_is_not_advised(cells, decimal, end):
    with pytest.raises(ValueError, match=re.escape(end) + "$"):
        numbers_of(_column(cells, sep=";"), FileOptions(decimal=decimal))


@pytest.mark.parametrize(
    ("unit", "name"), [(1, "'1700000000'.* be seconds"), (1000, "be milli"), (10**6, "be microse")]
)
def test_times_since_1970_are_called_by_their_unit(unit, name, tmp_path):
    rows = "".join(f"{(1_700_000_000 + k) * unit},{k % 7}\n" for k in range(30))
    path = tmp_path / "stamps.csv"
    path.write_text(f"date,units\n{rows}")
    with pytest.raises(ValueError, match=rf"{name}.* since 1970 or a mere number"):
        read(path)


def test_a_field_that_is_too_long_is_not_blamed_on_a_quote_alone(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,b\n1," + "9" * 200_000 + "\n")
    with pytest.raises(
        ValueError, match=r"long\.csv has a field of more than 131072 characters in"
    ):
        read(path)


def test_marks_say_what_they_are():
    assert str(Marks(",", ".")) == "decimal commas, thousands as in 1.000"


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_packed_files_are_read_whatever_their_name(pack, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(pack(b"units\n1\n2\n3\n"))
    assert list(read(path).series) == [1, 2, 3]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x1f\x8bno gzip", "cannot be unpacked"),
        (b"PK\x03\x04...", "is a zip archive; unpack it"),
        (b"PK\x03\x04[Content_Types].xml", "cannot be read as a spreadsheet"),
        (b"\xd0\xcf\x11\xe0", "Excel file of before 2007"),
        (b"%PDF-1.4", "is a PDF"),
        (b"<html><table>", "is a web page or XML"),
        (b"\n\n", "is empty"),
    ],
)
def test_what_is_no_table_is_refused_by_what_it_is(data, told, tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "sales.csv"
    path.write_bytes(data)
    assert told in refusal(path)


@pytest.mark.parametrize("code", ["utf-8-sig", "utf-16", "utf-32", "utf-8", "cp1252"])
def test_text_is_decoded_by_its_mark_or_as_it_fits(code):
    text = "Größe;1 €"
    assert decoded(text.encode(code), None, "sales.csv") == (text, code.removesuffix("-sig"))


def test_the_text_before_a_delimiter_hint_and_a_name_of_a_column_are_kept(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("sep=;\nwhen;units\n2019-01-01;1\n2019-01-02;2\n2019-01-03;5\n")
    assert list(read(path).series) == [1, 2, 5]
    path.write_text("PK,units\n1,5\n3,6\n4,7\n")
    assert list(read(path, value="units").series) == [5, 6, 7]


def test_the_first_row_is_not_lost_if_its_value_is_a_word(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("2019-01-01,closed\n2019-01-02,2\n2019-01-03,5\n")
    assert "--no-header" in refusal(path)
    values = read(path, header=False, missing=("closed",)).series
    np.testing.assert_array_equal(values, [np.nan, 2, 5])


def test_an_option_about_times_needs_their_column(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text("when,units\n" + "".join(f"day {i:02d} of 2019,{i}\n" for i in range(1, 9)))
    assert "by row" in read(path, count=True).said
    assert "--time must name" in refusal(path, date_format="day %d of %Y")
    series = read(path, date_format="day %d of %Y", time="when").series
    assert str(series.index[-1].date()) == "2019-01-08"


def _column(cells, sep=","):
    return Column("units", cells, range(2, len(cells) + 2), "sales.csv", sep)


def test_closed_hours_are_to_be_written_as_rows_with_0(tmp_path):
    hours = pd.date_range("2024-01-01", periods=24 * 20, freq="30min")
    lines = [f"{t},{t.hour}" for t in hours if 8 <= t.hour < 18]
    path = tmp_path / "calls.csv"
    path.write_text("\n".join(["time,calls", *lines]) + "\n")
    with pytest.raises(ValueError, match="add rows with 0 if nothing happens in between"):
        read(path)


def test_a_number_without_its_thousands_mark_is_to_be_corrected(tmp_path):
    path = tmp_path / "sales.csv"
    amounts = ["12.919,65", "11.919,65", "117099,00", "12.419,65"]
    lines = [f"0{day}.01.2024;{amount}" for day, amount in enumerate(amounts, 1)]
    path.write_text("\n".join(["day;sales", *lines]) + "\n")
    with pytest.raises(ValueError, match=r"as most of its column; correct it\.$"):
        read(path)
