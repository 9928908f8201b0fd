"""How the command line reads times and columns."""

import re

import numpy as np
import pandas as pd
import pytest
from cli_cases import read, refusal, refused, run, table, whole_run

TIMES = {
    "iso": ([f"2024-01-{d:02d}" for d in range(1, 21)], "2024-01-21"),
    "day first": ([f"{d:02d}.01.2024" for d in range(13, 32)], "2024-02-01"),
    "day first, from the first": ([f"{d:02d}/01/2024" for d in range(1, 32)], "2024-02-01"),
    "month names": ([f"{d} January 2024" for d in range(1, 21)], "2024-01-21"),
    "hours": (
        [f"2024-01-0{1 + h // 24} {h % 24:02d}:00" for h in range(50)],
        "2024-01-03 02:00:00",
    ),
    "months": ([f"{2022 + m // 12}-{1 + m % 12:02d}" for m in range(36)], "2025-01-01"),
    "an offset": (
        [f"2024-01-{d:02d}T00:00+02:00" for d in range(1, 21)],
        "2024-01-21 00:00:00+02:00",
    ),
    "two offsets": (
        [f"2024-03-31T0{h}:00+01:00" for h in range(2)]
        + [f"2024-03-31T{h:02d}:00+02:00" for h in range(3, 24)]
        + [f"2024-04-0{1 + h // 24}T{h % 24:02d}:00+02:00" for h in range(30)],
        "2024-04-02 04:00:00+00:00",
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


def test_trailing_delimiters_do_not_shift_the_columns(tmp_path, capsys):
    path = tmp_path / "trailing.csv"
    lines = [f"{1980 + i},{100 + i % 3},{5 + i % 2}," for i in range(30)]
    path.write_text("\n".join(["year,a,b", *lines]) + "\n")
    _, out, _ = run(capsys, "forecast", path, "--value", "a", "--horizon", 2, "--lags", 3)
    assert (table(out)["mean"] > 90).all()


def test_a_column_of_which_less_than_half_are_numbers_is_not_the_one_to_forecast(tmp_path, capsys):
    path = tmp_path / "codes.csv"
    lines = [f"{code},{100 + i % 3}" for i, code in enumerate(["A1", "7", "B2", "8", "C3"] * 6)]
    path.write_text("\n".join(["code,litres", *lines]) + "\n")
    _, out, _ = run(capsys, "forecast", path, "--horizon", 2, "--lags", 3)
    assert (table(out)["mean"] > 90).all()


@pytest.mark.parametrize("order", ["01/{:02d}/2020", "{:02d}/01/2020", "1-{}-2020"])
def test_dates_that_can_be_read_two_ways_are_refused(order, tmp_path, capsys):
    path = tmp_path / "months.csv"
    path.write_text("\n".join(["when,v", *(f"{order.format(m)},{m % 5}" for m in range(1, 13))]))
    words = ["forecast", path, "--time", "when", "--horizon", 2, "--lags", 2]
    assert "can be read day first or month first; pass --dayfirst" in refused(capsys, *words)


def test_month_first_dates_with_days_beyond_12_are_read(tmp_path, capsys):
    path = tmp_path / "days.csv"
    path.write_text("\n".join(["when,v", *(f"01/{d:02d}/2020,{d % 5}" for d in range(1, 31))]))
    _, out, _ = run(capsys, "forecast", path, "--time", "when", "--horizon", 1, "--lags", 2)
    assert out.splitlines()[1].startswith("2020-01-31")


def test_whole_numbers_say_nothing_of_decimal_marks(tmp_path):
    path = tmp_path / "sales.csv"
    rows = [f"{d:02d}.01.2020;{d};{d},5" for d in range(1, 15)]
    path.write_text("\n".join(["tag;menge;preis", *rows]))
    for value, marks in (("menge", ""), ("preis", "decimal commas, ")):
        said = read(path, value=value).said
        assert f"(utf-8, semicolons, {marks}dates like 31.12.2019, not used: " in said
    path.write_text("\n".join(["tag;menge;preis", *rows, "32.01.2020;1;1,5"]))
    assert "no date as others of its column are, like 31.12.2019;" in refusal(path, value="menge")


def test_other_columns_say_how_numbers_are_written(tmp_path):
    path = tmp_path / "sales.csv"
    times = pd.date_range("2020-01-01", periods=20)

    def reading(count, price, value="count", **options):
        rows = [f"{t:%Y-%m-%d};{count};{price}" for t in times]
        path.write_text("\n".join(["when;count;price", *rows]))
        return read(path, value=value, time="when", **options)

    for price, count, mark in [("58.050,27", "1.548", ","), ("58,050.27", "1,548", ".")]:
        found = reading(count, price)
        assert (found.series == 1548).all()
        assert found.decimal == mark
    assert (reading("1.548", "0.27").series == 1.548).all()
    spaced = reading("1 548", "58 050,27")
    assert (spaced.series == 1548).all()
    assert spaced.decimal == ","
    assert "thousands as in 1 000, dates" in spaced.said  # and of no decimal mark
    path.write_text(path.read_text().replace("1 548", "1.548").replace("58 050,27", "270"))
    assert "can be 1.548 (--decimal .) or 1548 (--decimal ,)" in refusal(path, value="count")


@pytest.mark.parametrize(
    ("day_first", "example"), [(True, "dates like 31/12/2019"), (False, "dates like 12/31/2019")]
)
def test_the_order_of_day_and_month_that_makes_dates_even_is_taken(tmp_path, day_first, example):
    months = [(2019 + i // 12, i % 12 + 1) for i in range(15)]
    dates = [f"01/{m:02d}/{y}" if day_first else f"{m:02d}/01/{y}" for y, m in months]
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(["day,y", *(f"{d},{i}" for i, d in enumerate(dates))]))
    found = read(path)
    assert example in found.said
    assert (found.series.index.day == 1).all()
    path.write_text("\n".join(["day,y", *(f"{d},{i}" for i, d in enumerate(dates[:12]))]))
    assert "can be read day first or month first" in refusal(path)


def test_a_code_for_what_is_missing_is_named_where_it_is_far_from_all_values(tmp_path, capsys):
    path = tmp_path / "days.csv"
    rows = [f"2020-01-{d:02d},{-999 if d == 9 else d % 5}" for d in range(1, 31)]
    path.write_text("\n".join(["when,v", *rows]))
    assert "-999 is taken as a value (pass --missing -999 if" in read(path).said
    words = ["forecast", path, "--missing", "-999", "--horizon", 1, "--lags", 2]
    code, _, err = whole_run(capsys, *words)
    assert code == 0
    assert "1 missing" in err
    path.write_text("\n".join(["when,v", *(f"2020-01-{d:02d},{d * 111}" for d in range(1, 31))]))
    assert "999" not in read(path).said


def test_what_was_dropped_from_numbers_and_times_is_said(tmp_path):
    path = tmp_path / "load.csv"
    rows = [f"2020-01-{d:02d} - 2020-01-{d + 1:02d},{d}.5 kWh" for d in range(1, 30)]
    path.write_text("\n".join(["when,load", *rows]))
    said = read(path).said
    assert "unit kWh" in said
    assert "the first of two in each cell" in said
    path.write_text("\n".join(["when,load", *rows, "2020-01-30 - 2020-01-31,7"]))
    assert "'1.5 kWh' in column 'load', line 2" in refusal(path)


SPANS = [f"{d:02d}/01/2020 - {d + 1:02d}/01/2020" for d in range(1, 30)]


def test_the_first_of_two_dates_in_each_cell_is_read_by_a_format_too(tmp_path):
    path = tmp_path / "spans.csv"
    path.write_text("\n".join(["when,v", *(f"{span},{i % 5}" for i, span in enumerate(SPANS))]))
    found = read(path, date_format="%d/%m/%Y")
    assert found.said.endswith("dates in %d/%m/%Y, the first of two in each cell)")
    assert str(found.series.index[-1].date()) == "2020-01-29"
    said = refusal(path, date_format="%m-%d-%Y")
    assert "'01/01/2020 - 02/01/2020' in column 'when', line 2" in said
    assert "holds two dates, not both in the format %m-%d-%Y; name one column of dates" in said


@pytest.mark.parametrize("date_format", [None, "%d/%m/%Y"])
def test_of_two_columns_of_dates_one_is_to_be_named(tmp_path, date_format):
    path, rows = tmp_path / "spans.csv", [span.replace(" - ", ",") for span in SPANS]
    path.write_text("\n".join(["start,end,v", *(f"{row},{i % 5}" for i, row in enumerate(rows))]))
    assert "has dates in 'start', 'end'" in refusal(path, date_format=date_format)
    assert str(read(path, time="end", dayfirst=True).series.index[0].date()) == "2020-01-02"
    said = refusal(path, time="start,end", date_format=date_format)
    assert "'01/01/2020 02/01/2020' in column 'start end', line 2" in said
    assert re.search(r"holds two dates.*name one column of dates with --time", said)
