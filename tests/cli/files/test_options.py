"""What cannot be decided is refused with the option that decides, and read with it."""

import bz2

import numpy as np
import pandas as pd
import pytest
from cli_cases import read, refusal
from hypothesis import given
from hypothesis import strategies as st

from gpforecast.cli.amounts import is_number, read_numbers
from gpforecast.cli.dates import is_date
from gpforecast.cli.options import FileOptions
from gpforecast.cli.table import Column

N = 12
VALUES = [float(value) for value in range(5, 5 + N)]
DAYS = pd.date_range("2019-01-20", periods=N)
MONTHS = pd.date_range("2019-01-01", periods=N, freq="MS")
WEEKS = pd.date_range("2018-12-31", periods=N, freq="7D")
HOURS = pd.date_range("2019-05-01", periods=N, freq="h")
UTC = pd.date_range("2019-03-30 22:00", periods=N, freq="h", tz="UTC")
PARIS = UTC.tz_convert("Europe/Paris")
SECONDS = [int(time.timestamp()) for time in UTC]


def table(times, values=VALUES, sep=",", header="when,units"):
    rows = (f"{time}{sep}{value}" for time, value in zip(times, values, strict=True))
    return "\n".join([header.replace(",", sep), *rows]) + "\n"


PLAIN = table(DAYS.date)
LINES = PLAIN.splitlines()
# A file, the option that it needs, what the refusal without it says, and its times.
DECIDED = {
    "delimiter": (table(DAYS.date, sep="~"), {"delimiter": "~"}, "--delimiter", DAYS),
    "encoding": (PLAIN.encode("utf-16-le"), {"encoding": "utf-16-le"}, "--encoding", DAYS),
    "header": ("\n".join(LINES[1:]), {"header": False}, "--no-header", DAYS),
    "skip_rows": ("\n".join(["Sales", *LINES[1:]]), {"skip_rows": 1, "header": False},
                  "--skip-rows 1 --no-header", DAYS),
    "skip_footer": (PLAIN + "Total,126\n", {"skip_footer": 1}, "--skip-footer", DAYS),
    "ignore": (table(DAYS.date, [f"{v} p" for v in VALUES]), {"ignore": ("p",)}, "--ignore=p",
               DAYS),
    "value": (PLAIN.replace(",", ",1,").replace("when,1", "when,other"), {"value": "units"},
              "--value", DAYS),
    "value by its number": (PLAIN.replace(",", ",1,").replace("when,1", "when,units"),
                            {"value": "3"}, "--value", DAYS),
    "dayfirst": (table(MONTHS.strftime("%d/%m/%Y")), {"dayfirst": True}, "--dayfirst", MONTHS),
    "no dayfirst": (table(MONTHS.strftime("%d/%m/%Y")), {"dayfirst": False}, "--no-dayfirst",
                    pd.date_range("2019-01-01", periods=N)),
    "weeks": (table(WEEKS.strftime("%G%V"), header="KW,units"), {"date_format": "%G%V"},
              "--date-format %G%V", WEEKS),
    "time and format": (table(MONTHS.strftime("%m.%Y")),
                        {"time": "when", "date_format": "%m.%Y", "value": "units"}, "--value",
                        MONTHS),
    "two columns": (table(HOURS.strftime("%Y-%m-%d,%H:%M"), header="Date,Time,units"),
                    {"time": "Date,Time"}, "--time Date,Time", HOURS),
    "unix": (table(SECONDS, header="timestamp,units"), {"date_format": "unix"},
             "--date-format excel, unix or number", UTC.tz_localize(None)),
    "milliseconds": (table([1000 * s for s in SECONDS], header="timestamp,units"),
                     {"date_format": "unix"}, "--date-format", UTC.tz_localize(None)),
    "excel": (table([43586 + k / 24 for k in range(N)], header="date,units"),
              {"date_format": "excel"}, "--date-format", HOURS),
    "number": (table(range(40_000, 40_000 + N), header="date,units"), {"date_format": "number"},
               "--date-format", range(40_000, 40_000 + N)),
    "sort": (table(DAYS.date[[1, 0, *range(2, N)]], [6.0, 5.0, *VALUES[2:]]), {"sort": True},
             "--sort", DAYS),
    "duplicates": (table(DAYS.date[[0, *range(N)]], [0.0, *VALUES]), {"duplicates": "sum"},
                   "--duplicates", DAYS),
    "timezone": (table([t.strftime("%Y-%m-%d %H:%M") for t in PARIS + pd.Timedelta("210D")]),
                 {"timezone": "Europe/Paris"}, "--timezone", PARIS + pd.Timedelta("210D")),
    "timezone, newest first": (
        table([f"{t:%Y-%m-%d %H:%M}" for t in (PARIS + pd.Timedelta("210D"))[::-1]], VALUES[::-1]),
        {"timezone": "Europe/Paris"}, "--timezone", PARIS + pd.Timedelta("210D")),
    "format with one offset": (table(DAYS.strftime("%d.%m.%y +0100")),
                               {"time": "when", "date_format": "%d.%m.%y %z"}, "--date-format",
                               DAYS.tz_localize("+01:00")),
    "count": (table([*DAYS.date[:6], *MONTHS.date[6:]]), {"count": True}, "--count", range(N)),
    "labels": (table([f"step {k} of 2019" for k in range(N)]), {"count": True}, "--count",
               range(N)),
}  # fmt: skip


@pytest.mark.parametrize(("text", "option", "help_", "times"), DECIDED.values(), ids=DECIDED)
def test_an_option_decides(text, option, help_, times, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert help_ in refusal(path)
    series = read(path, **option).series
    np.testing.assert_array_equal(series, VALUES)
    assert [*map(str, series.index)] == [*map(str, times)]


def test_texts_for_missing_values_are_named(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(table(DAYS.date, ["closed", "-", *VALUES[2:]]))
    assert "--missing=closed" in refusal(path)
    series = read(path, missing=("closed", "-")).series
    np.testing.assert_array_equal(series, [np.nan, np.nan, *VALUES[2:]])


def test_offsets_from_utc_are_kept_or_brought_to_a_zone(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(table([time.isoformat() for time in PARIS]))
    found = read(path)
    assert [*map(str, found.series.index)] == [*map(str, UTC)]
    assert "--timezone names the zone of their clocks" in found.detected
    found = read(path, timezone="Europe/Paris")
    assert [*map(str, found.series.index)] == [*map(str, PARIS)]
    assert "--timezone" not in found.detected
    path.write_text(table([*(time.isoformat() for time in PARIS[1:]), "2019-04-01 10:00"]))
    assert "an offset from UTC in all rows or in none" in refusal(path)


def test_a_decimal_mark_that_nothing_shows_is_refused(tmp_path):
    path = tmp_path / "sales.csv"
    for sep, text in ((";", "1.234"), (",", '"1,234"')):
        path.write_text(table(DAYS.date, [text] * N, sep))
        assert "(--decimal " in refusal(path)
        found = {read(path, decimal=mark).series.iloc[0] for mark in ".,"}
        assert found == {1.234, 1234.0}
    path.write_text(table(DAYS.date, ["1.234"] * N))  # points beside commas between fields
    assert (read(path).series == 1.234).all()


def test_the_future_is_what_follows_the_last_value(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(table(DAYS.date, [*VALUES[:8], "NA", VALUES[9], "", ""]))
    found = read(path)
    assert len(found.series) == 10
    assert "1 missing, 2 times without a value at the end left out" in found.detected
    path.write_text(table(DAYS.date, [*VALUES[:10], "n/a", ""]))
    np.testing.assert_array_equal(read(path).series, [*VALUES[:10], np.nan])


@pytest.mark.parametrize(
    ("form", "times", "line"),
    [("%Y %Y", DAYS.date, 2), ("%Y-%Q", DAYS.date, 2),
     ("excel", [*range(43586, 43585 + N), 10**9], 13)],
)  # fmt: skip
def test_a_format_that_does_not_fit_is_refused_with_the_row(form, times, line, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text(table(times))
    found = refusal(path, time="when", value="units", date_format=form)
    assert f"line {line} of {path}, is no date in the format {form}" in found


def test_what_is_no_table_is_refused_by_what_it_is(tmp_path):
    path = tmp_path / "sales.csv"
    for data, what in (
        (b"\x1f\x8bno gzip", "cannot be read"), (b"PK\x03\x04...", "a zip archive"),
        (b"%PDF-1.4", "a PDF"), (b"<html><table>", "a web page"), (b'[{"a": 1}]', "JSON"),
        (bz2.compress(b"a,b"), "packed by bzip2; unpack it first"), (b"\n\n", "empty"),
        (b"a,b\n1," + b"9" * 200_000, "cannot be read from line 2 on"),
    ):  # fmt: skip
        path.write_bytes(data)
        assert what in refusal(path)


READINGS = [
    ("1234.5", ".", ""), ("1,234.5", ".", ","), ("1.234,5", ",", "."), ("1 234,5", ",", " "),
    ("1'234.5", ".", "'"), ("1234,5", ",", ""),
]  # fmt: skip


@pytest.mark.parametrize(("example", "decimal", "thousands"), READINGS)
@given(st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=20))
def test_numbers_are_read_as_they_were_written(example, decimal, thousands, hundredths):
    marks = str.maketrans({",": thousands, ".": decimal})
    cells = [example, *(f"{n / 100:,.2f}".translate(marks) for n in hundredths)]
    values = numbers_of(cells)
    np.testing.assert_array_equal(values, [1234.5, *(round(n / 100, 2) for n in hundredths)])


@given(st.text(alphabet="0123456789.,' -+()%€$eE", max_size=12))
def test_no_text_is_read_in_two_ways_without_an_option(text):
    """Either it is refused, or every single reading that fits has the same value."""
    try:
        (value,) = numbers_of([text])
    except ValueError:
        return
    for decimal in ".,":
        try:
            np.testing.assert_array_equal(numbers_of([text], decimal=decimal), value)
        except ValueError:
            continue


@pytest.mark.parametrize(
    "text", ["1.2.3", "5 kg", "--5", "(5", "12:30", "1,23,4", "€5€", "inf", "½", "5,-", "١٢"]
)
def test_what_is_no_number_is_refused(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    "text", ["2019-02-30", "31/11/2019", "2019M13", "2019Q5", "2019-W54", "Foo 2019", "12:30",
             "1.5", "2019", "20190131", "01.2019"],
)  # fmt: skip
def test_what_is_no_date_is_none(text):
    assert not is_date(text)


def numbers_of(cells, **options):
    column = Column("units", tuple(cells), tuple(range(len(cells))), "sales.csv")
    return read_numbers(column, FileOptions(**options), ";").values
