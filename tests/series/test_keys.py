"""Keys that stand for times: text is read as periods, numbers are told how to become dates."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.series import TimeAxis
from gpforecast.series.checked import checked
from gpforecast.series.index_checks import refusal, with_times

YEARS = (2021, 2022, 2023)
WEEKS = [100 * year + week for year in YEARS for week in range(1, 53)]
MONTHS = [100 * year + month for year in YEARS for month in range(1, 13)]
QUARTERS = [10 * year + quarter for year in YEARS for quarter in range(1, 5)]
DAYS = pd.date_range("2024-01-10", periods=60)


def series(index):
    return pd.Series(np.random.default_rng(0).normal(100.0, 5.0, len(index)), index)


@pytest.mark.parametrize(
    ("form", "freq", "after"),
    [
        ("{}-Q{}", "Q-DEC", "2024Q1"),
        ("{}Q{}", "Q-DEC", "2024Q1"),
        ("{} q{}", "Q-DEC", "2024Q1"),
        ("{}/Q{}", "Q-DEC", "2024Q1"),
        ("{}-0{}", "M", "2023-05"),
        ("{}M{}", "M", "2023-05"),
    ],
)
def test_text_of_years_and_their_parts_is_read_as_periods(form, freq, after):
    y = series([form.format(*divmod(key, 10)) for key in QUARTERS])
    found = checked(y if freq != "M" else y.iloc[-4:])
    assert found.axis.index.freqstr == freq
    assert "are read as" in found.notes[0]
    assert str(found.axis.future(1)[0]) == after


def test_quarters_may_come_before_their_years():
    assert list(with_times(pd.Index(["Q4 2023", "Q1 2024"])).astype(str)) == ["2023Q4", "2024Q1"]


@pytest.mark.parametrize("form", ["{}-W{:02}", "{}W{:02}", "{}-W{}", "{}-W{:02}-1"])
def test_iso_weeks_are_read_and_may_be_53_a_year(form):
    index = [form.format(2020, week) for week in range(1, 54)] + [form.format(2021, 1)]
    axis = TimeAxis.of(with_times(pd.Index(index)))
    assert axis.index.freqstr == "W-SUN"
    assert str(axis.index[-1].start_time.date()) == "2021-01-04"


def test_half_years_are_read_as_steps_of_two_quarters():
    index = [f"{year}-{half}" for year in YEARS for half in ("S1", "S2")]
    found = checked(series(index))
    assert found.notes[0] == (
        "labels such as 2021-S1 are read as half-years, named by their first quarters"
    )
    assert list(found.axis.future(2).astype(str)) == ["2024Q1", "2024Q3"]


def test_text_that_pandas_does_not_read_is_told_to_become_periods():
    index = [f"FY{key // 10}Q{key % 10}" for key in QUARTERS]
    with pytest.raises(TypeError, match="does not read it: make periods of its numbers"):
        checked(series(index))
    frame = pd.DataFrame({"unique_id": "a", "ds": index, "y": 1.0})
    with pytest.raises(TypeError, match="does not read it: make periods of its numbers"):
        gf.forecast_panel(frame, horizon=1)


@pytest.mark.parametrize("dtype", [object, "str"])
@pytest.mark.parametrize(
    "index",
    [["2021-W53", "2022-W01"], ["2024Q1", "2024-02"], ["2024Q1", None], ["a", "b"], []],
)
def test_other_text_is_left_as_it_is(index, dtype):
    index = pd.Index(index, dtype=dtype)
    assert with_times(index) is index


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        (WEEKS, "weeks"),
        (MONTHS, "months"),
        (MONTHS[2::3], "months"),
        (QUARTERS, "quarters"),
        ([int(f"{day:%Y%m%d}") for day in DAYS], "days"),
        ([float(key) for key in WEEKS], "weeks"),
        ([str(key) for key in WEEKS], "weeks"),
        ([str(key) for key in MONTHS], "months"),
        ([f"{key // 100}-{key % 100:02}" for key in WEEKS], "weeks"),
        ([f"{key // 100}/{key % 100:02}" for key in WEEKS], "weeks"),
        ([f"{key // 10}-{key % 10}" for key in QUARTERS], "quarters"),
        ([int(f"{day:%Y%j}") for day in DAYS - pd.Timedelta(30, unit="D")], "days of the year"),
    ],
)
def test_keys_are_refused_with_the_call_that_makes_them_dates(keys, what):
    y = series(keys)
    with pytest.raises((TypeError, ValueError), match=f"years and {what}") as said:
        gf.Forecaster().fit(y)
    call = str(said.value).partition("series.index = ")[2].removesuffix(".")
    y.index = eval(call, {"pandas": pd, "series": y})
    assert len(TimeAxis.of(y.index, fill=True)) >= len(y)


@pytest.mark.parametrize(
    "numbers",
    [range(1990, 2021), range(202101, 202141), [1990, 1991, 1992, 1994, 1995, 1996], [20.5, 21.5]],
)
def test_other_numbers_are_no_keys(numbers):
    assert refusal(pd.Index(numbers), "series.index") == ""


def test_panels_and_vectors_refuse_and_read_the_same():
    y = series(WEEKS)
    table = pd.DataFrame({"unique_id": "a", "ds": WEEKS, "y": y.to_numpy()})
    with pytest.raises(ValueError, match=r"frame\['ds'\] holds years and weeks"):
        gf.forecast_panel(table, horizon=2)
    with pytest.raises(ValueError, match=r"frame\.index holds years and weeks"):
        gf.VectorForecaster().fit(pd.DataFrame({"a": y, "b": y}))
    table["ds"] = [f"{key // 100}-W{key % 100:02}" for key in WEEKS]
    fc = gf.Forecaster(model=gf.models.LinearAR(), noise="process", combine=None)
    ahead = gf.forecast_panel(table, horizon=2, forecaster=fc, progress=False).to_frame()
    assert ahead["ds"].iloc[0] == pd.Period("2024-01-01", "W-SUN")


def test_classes_say_how_their_times_are_read():
    index = [f"{key // 10}Q{key % 10}" for key in QUARTERS]
    fc = gf.EventForecaster().fit(pd.Series(["a", "b", "b"] * 4, index))
    assert any("quarters of calendar years" in note for note in fc.notes_)
    assert fc.predict(1).index[0] == pd.Period("2024Q1")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_counted_since_1970_are_told_how_to_become_dates(unit):
    dates = pd.date_range("2024-01-31", periods=40, freq="h").as_unit(unit)
    numbers = pd.Index(dates.astype("int64"))
    said = refusal(numbers, "index", irregular=False)
    call = said.partition("index = ")[2].rstrip(".")
    assert (eval(call, {"pandas": pd, "index": numbers}) == dates).all()
    with pytest.raises(ValueError, match=r"since 1970, as 1706659200.* is 2024-01-31"):
        gf.Forecaster().fit(series(numbers))
