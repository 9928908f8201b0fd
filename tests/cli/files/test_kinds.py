"""Files as people have them: the ordinary kinds are read, others refused with what helps."""

import gzip

import numpy as np
import pandas as pd
import pytest
from cli_cases import read, refusal

VALUES = [1234.5, 987.25, 1100.0, 15.5, 12.0, 2345.75, 800.0, 999.5, 1001.0, 56.0, 7.25, 3000.0]
WHOLE = [12.0, 7, 19, 4, 5, 6, 21, 3, 9, 15, 11, 2]
DAYS = pd.date_range("2019-01-20", periods=12)
MONTHS = pd.date_range("2019-01-01", periods=12, freq="MS")
QUARTERS = pd.date_range("2017-01-01", periods=12, freq="QS")
WEEKS = pd.date_range("2018-12-03", periods=12, freq="7D")
HOURS = pd.date_range("2019-05-01", periods=12, freq="h")
ISO = list(DAYS.strftime("%Y-%m-%d"))
POINTS = [f"{value:.2f}" for value in VALUES]
GERMAN = [f"{value:,.2f}".translate(str.maketrans(",.", ".,")) for value in VALUES]
NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
MONATE = "Januar Februar März April Mai Juni Juli Aug. Sept. Okt. Nov. Dez."


def lines(*rows):
    return ("\n".join(rows) + "\n").encode()


def table(times, values=POINTS, sep=",", header=("when", "units")):
    rows = (f"{time}{sep}{value}" for time, value in zip(times, values, strict=True))
    return lines(sep.join(header), *rows)


PLAIN = table(ISO)
ROWS = PLAIN.decode().splitlines()
MONTHLY = [f"{value:g}" for value in range(24)]

# The bytes of a file, and the times and values in it.
ORDINARY = {
    "commas and points": (PLAIN, DAYS, VALUES),
    "semicolons, decimal commas, thousands, German dates":
        (table(DAYS.strftime("%d.%m.%Y"), GERMAN, ";", ("Datum", "Umsatz")), DAYS, VALUES),
    "tabs in UTF-16, as Excel saves Unicode text":
        (table(ISO, GERMAN, "\t").decode().encode("utf-16"), DAYS, VALUES),
    "a byte order mark and ends of lines of Windows":
        (b"\xef\xbb\xbf" + PLAIN.replace(b"\n", b"\r\n"), DAYS, VALUES),
    "Windows-1252, a currency": (
        table(ISO, [f"{v} €" for v in GERMAN], ";", ("når", "beløb")).decode().encode("cp1252"),
        DAYS, VALUES,
    ),
    "quoted dollars with thousands":
        (table(ISO, [f'"${value:,.2f}"' for value in VALUES]), DAYS, VALUES),
    "per cent": (table(ISO, [f"{v} %" for v in GERMAN], ";"), DAYS, VALUES),
    "negative in parentheses or with a minus of typesetters": (
        table(ISO, [f"({v:g})" if i % 2 else f"\u2212{v:g}" for i, v in enumerate(WHOLE)]),
        DAYS, [-value for value in WHOLE],
    ),
    "missing values": (
        table(ISO, ["5", "", "NA", "n/a", "#N/A", "NaN", "null", "None", ".", "..", "6", "7"]),
        DAYS, [5, *[np.nan] * 9, 6, 7],
    ),
    "a title, a blank line, quotes with line breaks": (
        lines("Sales report", "Exported on 2019-03-01", "", "when,note,units",
              *(row.replace(",", ',"two\nlines, or so",') for row in ROWS[1:])), DAYS, VALUES,
    ),
    "an index of pandas":
        (lines(",when,units", *(f"{i},{row}" for i, row in enumerate(ROWS[1:]))), DAYS, VALUES),
    "one column, no dates": (lines("units", *POINTS), range(12), VALUES),
    "American dates and clocks, packed": (gzip.compress(table(DAYS.strftime("%m/%d/%Y 1:30 PM"))),
                                          DAYS + pd.Timedelta("13h30min"), VALUES),
    "the first of each month, day first by its step": (
        table(pd.date_range("2018-01-01", periods=24, freq="MS").strftime("%d/%m/%Y"), MONTHLY),
        pd.date_range("2018-01-01", periods=24, freq="MS"), range(24),
    ),
    "names of months": (table([f"{m} 2019" for m in MONATE.split()]), MONTHS, VALUES),
    "months and years of two digits": (table(MONTHS.strftime("%b-%y")), MONTHS, VALUES),
    "quarters": (table([f"{t.year}Q{t.quarter}" for t in QUARTERS]), QUARTERS, VALUES),
    "weeks": (table(WEEKS.strftime("%G-W%V")), WEEKS, VALUES),
    "years and weeks": (table(WEEKS.strftime("%G%V")), WEEKS, VALUES),
    "half-years": (table([f"{2010 + i // 2}H{i % 2 + 1}" for i in range(12)]),
                   pd.date_range("2010-01-01", periods=12, freq="6MS"), VALUES),
    "years": (table(range(1999, 2011)), range(1999, 2011), VALUES),
    "offsets from UTC, newest first": (
        table(HOURS.strftime("%Y-%m-%dT%H:%M:%S+02:00")[::-1], POINTS[::-1]),
        HOURS.tz_localize("+02:00"), VALUES,
    ),
    "values as large as days of Excel, whose name has words for times in it": (
        table(ISO, [f"{20000 + v:g}" for v in WHOLE], header=("date", "lifetime_kWh")),
        DAYS, [20000 + v for v in WHOLE],
    ),
    "a row a year": (
        lines(",".join(["Year", *NAMES.split()]), ",".join(["2018", *MONTHLY[:12]]),
              ",".join(["2019", *MONTHLY[12:]])),
        pd.date_range("2018-01-01", periods=24, freq="MS"), range(24),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "times", "values"), ORDINARY.values(), ids=ORDINARY)
def test_an_ordinary_file_is_read_without_an_option(data, times, values, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(data)
    series = read(path).series
    np.testing.assert_array_equal(series, [*values])
    assert [*map(str, series.index)] == [*map(str, times)]


# The bytes of a file, and what the refusal says that helps.
REFUSED = {
    "flags of offices": (table(ISO, [*POINTS[:-1], "3000 p"]), "--ignore=p"),
    "a unit": (table(ISO, [f"{v} kWh" for v in POINTS]), "--ignore=kWh"),
    "the name of a currency": (table(ISO, [f"Rp {v}" for v in POINTS]), "--ignore=Rp"),
    "debit and credit": (table(ISO, [f"{v} DR" for v in POINTS]), "such as 1234.5 or -1234.5"),
    "no cents": (table(ISO, [f"{v:.0f},-" for v in WHOLE], ";"), "--ignore=,-"),
    "two currencies": (table(ISO, ["5 €", *[f"{v} $" for v in POINTS[1:]]]), "in one currency"),
    "digits of another script": (table(ISO, ["١٢"] * 12), "no number such as 1234.5"),
    "a total": (PLAIN + b"Total,11569.75\n", "--skip-footer"),
    "units below the names": (lines("Date,Load", "UTC,MW", *ROWS[1:]), "delete it"),
    "dates and clocks in two columns": (
        lines("Date,Time,units", *(f"{t:%Y-%m-%d,%H:%M},{v}" for t, v in zip(HOURS, POINTS,
              strict=True))), "--time Date,Time",
    ),
    "years and months in two columns": (
        lines("Year,Month,units", *(f"{t:%Y,%m},{v}" for t, v in zip(MONTHS, POINTS,
              strict=True))), "--time Year,Month --date-format '%Y %m'",
    ),
    "two dates in a cell": (table([f"{t} - {t}" for t in ISO]), "--date-format"),
    "quarters in Roman figures": (table([f"III/{2000 + i}" for i in range(12)]), "--date-format"),
    "months with a point": (table(MONTHS.strftime("%m.%Y")), "--date-format"),
    "days of a week in German":
        (table([f"So, {t:%d.%m.%Y}" for t in DAYS], sep=";"), "--date-format"),
    "03/04/2019": (table(MONTHS.strftime("%d/%m/%Y")), "--dayfirst, --no-dayfirst"),
    "1.234": (table(ISO, ["1.234"] * 12, ";"), "1234 (--decimal ,)"),
    "1.234 and dates with points":
        (table(DAYS.strftime("%d.%m.%Y"), ["1.234"] * 12), "1234 (--decimal ,)"),
    "years of either century": (
        table(pd.date_range("1955-01-01", periods=12, freq="MS").strftime("%b-%y")),
        "can be of 1955 or 2055; write four digits",
    ),
    "a delimiter of its own": (table(ISO, sep="~"), "--delimiter"),
    "no header": (lines(*ROWS[1:]), "--no-header"),
    "titles above data": (lines("Sales", "North", *ROWS[1:]), "--skip-rows 2 --no-header"),
    "Cyrillic letters of Windows":
        (table(ISO, header=("Дата", "Сумма")).decode().encode("cp1251"), "--encoding"),
    "several series":
        (lines("when,shop,units", *(f"{t},{s},1" for t in ISO for s in "AB")), "--duplicates"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "help_"), REFUSED.values(), ids=REFUSED)
def test_another_kind_is_refused_with_what_helps(data, help_, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(data)
    value = "units" if b"units" in data and data.count(b",units") else None
    assert help_ in refusal(path, value=value)


# Days as Excel counts them are told from amounts by how they rise, not by their header


AMOUNTS = np.random.default_rng(0).integers(43_000, 47_000, 40).tolist()
SERIALS = list(range(45_000, 45_040))
WORKING = [day for day in range(45_000, 45_056) if day % 7 > 1][:40]
STARTS = pd.date_range("2023-01-01", periods=40, freq="MS")
FIRSTS = (STARTS - pd.Timestamp("1899-12-30")).days.tolist()


def written(path, header, *columns):
    rows = [header, *(",".join(map(str, row)) for row in zip(*columns, strict=True))]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_amounts_under_day_are_values(tmp_path):
    found = read(written(tmp_path / "a.csv", "day", AMOUNTS))
    assert found.series.tolist() == AMOUNTS
    dates = [f"2024-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(28)]
    found = read(written(tmp_path / "b.csv", "date,day", dates, AMOUNTS[:28]))
    assert found.series.tolist() == AMOUNTS[:28]


@pytest.mark.parametrize("serials", [SERIALS, SERIALS[::-1], WORKING, FIRSTS])
def test_days_that_rise_as_times_do_need_an_option(tmp_path, serials):
    path = written(tmp_path / "c.csv", "day,sales", serials, AMOUNTS[: len(serials)])
    assert "--date-format excel" in refusal(path)
    assert read(path, date_format="excel").series.index[0].year in (2023, 2026)


def test_of_many_columns_a_few_are_named(tmp_path):
    path = tmp_path / "wide.csv"
    wide = pd.DataFrame({f"sku{k:03d}": np.arange(9.0) for k in range(50)})
    wide.assign(month=pd.date_range("2024-01", periods=9, freq="MS")).to_csv(path, index=False)
    told = refusal(path)
    assert "39 more; pass one, such as --value sku000" in told
    assert "gf.forecast_panel forecasts them all" in told
    assert len(told) < 600
