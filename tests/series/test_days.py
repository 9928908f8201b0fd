"""Which days steps hold, against the days between neighbouring labels, one by one."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.series.calendars import (
    DayOfMonth,
    DayOfWeek,
    Event,
    MonthEnd,
    MonthOfYear,
    WeekOfMonth,
    WorkingDayOfMonth,
    WorkingDays,
)
from gpforecast.series.days import own_label, relabelled, spans, weeks_in_words

WEEKDAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
FROM_LABELS = [f"{n}W-{day}" for n in ("", 2) for day in WEEKDAYS]
FROM_LABELS += ["7D", "10D", "28D", pd.DateOffset(months=1), "SME", "SMS"]
WHOLE_MONTHS = {
    "MS": 1, "ME": 1, "BMS": 1, "BME": 1, "CBME": 1, "2MS": 2, "2ME": 2,
    "QS-FEB": 3, "QE-JAN": 3, "QS": 3, "BQE-JAN": 3, "BQS": 3, "2QE": 6,
    "YS-APR": 12, "YE-MAR": 12, "YE": 12, "BYE-JUN": 12, "2YS": 24,
}  # fmt: skip
SHORT = ["15min", "h", "6h", "D", "B", pd.offsets.CustomBusinessDay(weekmask="1110011")]
CALENDARS = [
    DayOfMonth(), DayOfWeek(), Event("sale", ["2024-03-01", "2024-05-15"], before=1), MonthEnd(1),
    WeekOfMonth(), WorkingDayOfMonth(), WorkingDays(),
]  # fmt: skip
quick = partial(
    gf.Forecaster, 1, transforms=None, model=gf.models.LinearAR(), noise="process", progress=False
)
ZONES = [None, "America/Sao_Paulo"]


def dates(freq, n, tz=None):
    return pd.date_range("2024-01-15", periods=n, freq=freq, tz=tz)


def days_between(first, last):
    return [*zip(first.astype("datetime64[D]"), last.astype("datetime64[D]"), strict=True)]


def by_hand(freq, n, label):
    """Return the first and last day of n steps from their neighbours' labels."""
    wide = pd.date_range("2024-01-15", periods=n + 1, freq=freq)
    before = wide[0] - wide.freq
    labels = [before, *wide]
    day = pd.Timedelta(1, "D")
    pairs = []
    for k in range(1, n + 1):
        end = (labels[k - 1] + day, labels[k])
        pairs.append((labels[k], labels[k + 1] - day) if label == "start" else end)
    first, last = (
        pd.DatetimeIndex(each).normalize().to_numpy() for each in zip(*pairs, strict=True)
    )
    return days_between(first, last)


@pytest.mark.parametrize("tz", ZONES)
@pytest.mark.parametrize("freq", FROM_LABELS, ids=str)
@pytest.mark.parametrize("label", ["start", "end"])
def test_a_step_goes_from_its_label_to_the_next_or_from_the_one_before(freq, label, tz):
    for n in (1, 2, 9):
        assert days_between(*spans(dates(freq, n, tz), label)) == by_hand(freq, n, label)


@pytest.mark.parametrize("tz", ZONES)
@pytest.mark.parametrize("freq", WHOLE_MONTHS)
def test_months_quarters_and_years_are_whole_at_either_label(freq, tz):
    width = WHOLE_MONTHS[freq]
    late = int(freq.partition("-")[0].endswith("E"))
    for n in (1, 5):
        index = dates(freq, n, tz)
        months = index.tz_localize(None).to_period("M")
        for label, begin in {
            None: months - (width - 1) * late,
            "start": months + late,
            "end": months - width + late,
        }.items():
            last = (begin + width - 1).end_time.normalize()
            expected = days_between(begin.start_time.to_numpy(), last.to_numpy())
            assert days_between(*spans(index, label)) == expected


def test_labels_stand_where_pandas_has_them_but_for_mondays():
    ends = {"W-SUN", "2W-WED", "ME", "QE-JAN", "YE", "BME", "BQE-DEC", "2ME", "SME-15"}
    ends.add(pd.offsets.LastWeekOfMonth(weekday=4))
    starts = {"W-MON", "2W-MON", "MS", "QS-FEB", "YS-APR", "BMS", "h", "D", "28D", "B", "15min"}
    for label, rules in (("end", ends), ("start", starts)):
        assert {own_label(pd.tseries.frequencies.to_offset(rule)) for rule in rules} == {label}


@pytest.mark.parametrize("freq", SHORT, ids=str)
def test_a_step_of_a_day_or_less_has_the_day_on_which_it_begins(freq):
    for n in (1, 60):
        index = dates(freq, n, "Europe/Paris")
        day = index.tz_localize(None).to_numpy().astype("datetime64[D]")
        assert days_between(*spans(index)) == days_between(day, day)
    rule = index.freq
    if isinstance(rule, (pd.offsets.Minute, pd.offsets.Hour)):
        before = (index.tz_localize(None) - rule).to_numpy().astype("datetime64[D]")
        assert days_between(*spans(index, "end")) == days_between(before, before)
    else:
        assert days_between(*spans(index, "end")) == days_between(day, day)


@pytest.mark.parametrize("freq", ["W-SUN", "W-WED", "M", "Q-JAN", "Y-MAR", "D", "h", "2W", "3M"])
def test_periods_say_their_days(freq):
    index = pd.period_range("2024-01-15", periods=5, freq=freq)
    expected = days_between(index.start_time.to_numpy(), index.end_time.to_numpy())
    assert days_between(*spans(index)) == expected
    assert (
        days_between(*spans(pd.period_range("1066", periods=3, freq="Y")))[0][0].item().year == 1066
    )


def test_periods_of_several_named_by_the_last_end_there():
    quarters = pd.period_range("2012-03", periods=2, freq="3M")
    first, last = spans(quarters, "end")
    assert [*first.astype(str)] == ["2012-01-01", "2012-04-01"]
    assert [*last.astype(str)] == ["2012-03-31", "2012-06-30"]


@pytest.mark.parametrize("calendar", CALENDARS, ids=repr)
@pytest.mark.parametrize(
    "freq", ["W-MON", "W-SUN", "W-THU", "2W-SAT", "10D", "ME", "MS", "h", "6h", "D"]
)
@pytest.mark.parametrize("label", [None, "start", "end"])
def test_a_calendar_counts_each_day_of_the_step_that_holds_it(calendar, freq, label):
    index = dates(freq, 12)
    first, last = spans(index, label)
    times = relabelled(index, label)
    names = calendar.names(times)
    found = calendar.columns(times, names)
    for k, row in enumerate(found):
        each = pd.date_range(first[k], last[k])
        np.testing.assert_array_equal(row, calendar.columns(each, names).sum(axis=0))
    np.testing.assert_array_equal(
        calendar.columns(relabelled(index[5:6], label), names), found[5:6]
    )


def test_a_week_is_of_the_month_in_which_it_begins():
    sunday = pd.date_range("2024-03-03", periods=1, freq="W-SUN")
    for label, month in ((None, "February"), ("start", "March"), ("end", "February")):
        found = MonthOfYear().columns(relabelled(sunday, label), (month,))
        assert found.tolist() == [[1.0]]


def test_an_index_that_is_labelled_as_calendars_expect_is_left_alone():
    for freq, label in (("W-SUN", "end"), ("W-MON", "start"), ("D", "end"), ("h", "start")):
        index = dates(freq, 4)
        assert relabelled(index, label) is index
    assert relabelled(pd.RangeIndex(4), "end").equals(pd.RangeIndex(4))


def test_steps_that_have_no_name_by_their_other_end_are_refused():
    with pytest.raises(ValueError, match=r"label='start' moves labels .* at steps of SME-15"):
        relabelled(dates("SME", 4), "start")


def test_notes_say_where_weeks_stand():
    (note,) = weeks_in_words(dates("W-MON", 3))
    assert note == "each week begins on the Monday that labels it; label='end' if it ends there"
    assert "step of 2 weeks ends on the Saturday" in weeks_in_words(dates("2W-SAT", 3))[0]
    assert "step of 4 weeks begins on the Monday" in weeks_in_words(dates("28D", 3))[0]
    for index in (dates("ME", 3), dates("D", 3), pd.period_range("2024", periods=3, freq="W")):
        assert weeks_in_words(index) == ()


@pytest.mark.parametrize(
    ("freq", "label", "due"),
    [
        ("W-MON", None, "2024-12-23"),
        ("W-SUN", None, "2024-12-29"),
        ("W-SUN", "start", "2024-12-22"),
        ("W-SAT", None, "2024-12-28"),
        ("W-MON", "end", "2024-12-30"),
    ],
)
def test_the_week_of_a_holiday_is_the_one_that_holds_it(freq, label, due):
    index = pd.date_range("2019-01-01", "2024-11-20", freq=freq)
    days = [f"{year}-12-25" for year in range(2019, 2025)]
    event = Event("christmas", days)
    y = np.random.default_rng(0).normal(100, 3, len(index))
    y[event.columns(relabelled(index, label), ("christmas",))[:, 0] > 0] += 80
    fitted = quick(calendar=event, label=label).fit(pd.Series(y, index))
    assert str(fitted.predict(8).mean.idxmax().date()) == due
    assert any("label=" in note for note in fitted.notes_) == (label is None)


def test_a_calendar_of_ones_own_sees_first_days_where_a_label_is_given():
    seen = []

    class Own:
        def names(self, _index):
            return ("own",)

        def columns(self, index, _names):
            seen.append(index)
            return np.ones((len(index), 1)) * (index.month.to_numpy()[:, None] == 1)

    index = pd.date_range("2023-01-01", periods=60, freq="W-SUN")
    y = pd.Series(np.random.default_rng(0).normal(size=60), index)
    for label, freq in ((None, "W-SUN"), ("start", "7D")):
        quick(calendar=Own(), label=label).fit(y).predict(1)
        assert {one.freqstr for one in seen} == {freq}
        seen.clear()


def test_label_is_checked():
    with pytest.raises(ValueError, match="label must be 'start', 'end' or None; got 'left'"):
        gf.Forecaster(label="left")


@pytest.mark.parametrize("label", [None, "start", "end"])
def test_a_label_that_a_clock_change_has_moved_is_of_the_same_step(label):
    wall = pd.date_range("2010-07-17", periods=20, freq=pd.DateOffset(months=1))
    index = wall.tz_localize("America/Sao_Paulo", nonexistent="shift_forward")
    assert index.freq is None
    assert (index.hour == 1).any()
    assert days_between(*spans(index, label)) == days_between(*spans(wall, label))
    begun = (relabelled(one, label) for one in (index, wall))
    assert days_between(*spans(next(begun))) == days_between(*spans(next(begun)))
