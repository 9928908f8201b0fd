"""Years, months, quarters and so on in columns of their own."""

import pandas as pd
import pytest
from cli_cases import read, refusal


def written(tmp_path, header, rows):
    path = tmp_path / "data.csv"
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


MONTHS = pd.date_range("2020-03-01", periods=20, freq="MS")
BY_MONTH = [(m.year, m.month, 18500.5 + i) for i, m in enumerate(MONTHS)]


@pytest.mark.parametrize("how", [{}, {"time": "Year,Month"}, {"time": "1,2"}], ids=repr)
def test_years_and_months_are_dates(tmp_path, how):
    reading = read(written(tmp_path, "Year,Month,Sales", BY_MONTH), **how)
    assert list(reading.series.index) == list(MONTHS)
    assert reading.series.iloc[0] == 18500.5


@pytest.mark.parametrize(
    ("header", "freq", "parts"),
    [
        ("Jahr,Quartal,Umsatz", "QS", lambda t: (t.year, t.quarter)),
        ("année,trimestre,ventes", "QS", lambda t: (t.year, f"T{t.quarter}")),
        ("Year,Week,Sales", "W-MON", lambda t: tuple(t.isocalendar())[:2]),
        ("Day,Month,Year,Sales", "D", lambda t: (t.day, t.month, t.year)),
        ("Year,Month,Day,Hour,Sales", "h", lambda t: (t.year, t.month, t.day, t.hour)),
        ("Year,Month,Sales", "MS", lambda t: (t.year, t.month_name())),
    ],
)
def test_other_parts_are_dates_by_their_names(tmp_path, header, freq, parts):
    times = pd.date_range("2020-03-01", periods=60, freq=freq)
    rows = [(*parts(t), i + 0.5) for i, t in enumerate(times)]
    assert list(read(written(tmp_path, header, rows)).series.index) == list(times)


def test_an_empty_year_is_the_one_above(tmp_path):
    quarters = pd.date_range("2012-01-01", periods=24, freq="QS")
    rows = [(t.year if t.month == 1 else "", f"Q{t.quarter}", i) for i, t in enumerate(quarters)]
    found = read(written(tmp_path, "Year,Quarter,Orders", rows))
    assert list(found.series.index) == list(quarters)
    rows[0] = ("", "Q1", 0)
    assert "Q1" in refusal(written(tmp_path, "Year,Quarter,Orders", rows))


def test_columns_that_the_user_names_need_no_names_of_months(tmp_path):
    path = written(tmp_path, "a,b,Sales", BY_MONTH)
    assert list(read(path, time="a,b", value="Sales").series.index) == list(MONTHS)
    path = written(tmp_path, "a,b,Sales", [(y, m % 4 + 1, v) for y, m, v in BY_MONTH])
    assert "no date that can be read" in refusal(path, time="a,b", value="Sales")


def test_a_format_and_a_column_of_dates_come_first(tmp_path):
    path = written(tmp_path, "Year,Month,Sales", BY_MONTH)
    by_format = read(path, time="Year,Month", date_format="%Y %m")
    assert list(by_format.series.index) == list(MONTHS)
    days = pd.date_range("2021-01-01", periods=20)
    rows = [(d.date(), *row) for d, row in zip(days, BY_MONTH, strict=True)]
    path = written(tmp_path, "Date,Year,Month,Sales", rows)
    assert list(read(path, value="Sales").series.index) == list(days)


def test_a_cell_that_is_no_month_is_named(tmp_path):
    rows = [*BY_MONTH[:9], (2020, 13, 5.0), *BY_MONTH[10:]]
    message = refusal(written(tmp_path, "Year,Month,Sales", rows))
    assert "'2020 13' in column 'Year Month', line 11" in message


def test_rows_of_several_series_name_the_column_that_tells_them_apart(tmp_path):
    rows = [(m.date(), shop, i) for shop in "AB" for i, m in enumerate(MONTHS)]
    message = refusal(written(tmp_path, "Month,Store,Sales", rows))
    assert "'Store' tells them apart" in message
    assert "--sort" not in message


def test_days_and_clock_times_in_two_columns_are_one_time(tmp_path):
    hours = pd.date_range("2024-09-01", periods=60, freq="h")
    rows = [(f"{t:%d.%m.%Y}", f"{t:%H:%M}", i) for i, t in enumerate(hours)]
    path = written(tmp_path, "Datum,Uhrzeit,kWh", rows)
    assert list(read(path).series.index) == list(hours)
    assert "by 'Datum Uhrzeit'" in read(path).said
    again = written(tmp_path, "Datum,Uhrzeit,kWh", [*rows[:3], *rows[2:]])
    assert "01.09.2024 02:00" in refusal(again)
    once = [
        (f"{t:%d.%m.%Y}", "08:00", i) for i, t in enumerate(pd.date_range("2024-09-01", periods=9))
    ]
    assert "by 'Datum'" in read(written(tmp_path, "Datum,gemessen um,kWh", once)).said


def test_a_clock_time_beside_single_days_is_no_part_of_them(tmp_path):
    stamps = [f"{t:%Y-%m-%d %H:%M}" for t in pd.date_range("2024-10-01", periods=40, freq="h")]
    path = written(tmp_path, "when,sunrise,v", [(t, "07:45", i) for i, t in enumerate(stamps)])
    assert "by 'when'" in read(path, value="v").said
    days = pd.date_range("2024-09-01", periods=30)
    rows = [(t.date(), "08:00", i) for i, t in enumerate(days.append(days[[9]]).sort_values())]
    assert "has come before" in refusal(written(tmp_path, "day,peak,v", rows), value="v")
    twice = [(t.date(), clock, 1) for t in days for clock in ("08:00", "14:00")]
    path = written(tmp_path, "Date,Opened,Load", twice)
    assert len(read(path, value="Load", duplicates="sum").series) == 30


def test_half_years_are_no_weeks(tmp_path):
    rows = [(f"S{1 + i % 2} {2010 + i // 2}", i) for i in range(12)]
    assert "may say when" in refusal(written(tmp_path, "when,v", rows))


def test_an_empty_date_is_not_passed_over_for_its_year_and_month(tmp_path):
    days = pd.date_range("2024-01-01", periods=60)
    rows = [("" if i == 5 else t.date(), t.year, t.month, i) for i, t in enumerate(days)]
    path = written(tmp_path, "Date,Year,Month,v", rows)
    assert "'Date' must have a time in every row; line 7" in refusal(path, value="v")
