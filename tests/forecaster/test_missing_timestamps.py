"""A timestamp that is missing is a missing value, wherever a series is taken."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, exog_forecaster, fitted, same, wave

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.series.time_axis import TimeAxis

DAYS = pd.date_range("2024-01-01", periods=120, freq="D")
MISSING = [40, 84, 85, 100]  # two of them among those that the fit has not seen
NOTE = "4 times were missing from the index, the first 2024-02-10; with them, 4 of 120 values"


def holed():
    """A series without some timestamps, and with missing values there."""
    y = pd.Series(wave(120), index=DAYS, name="load")
    return y.drop(DAYS[MISSING]), y.where(~DAYS.isin(DAYS[MISSING]))


def plain():
    return gf.Forecaster(3, model=LinearAR(), transforms=None)


@pytest.mark.parametrize("refit", [None, 20])
def test_a_backtest_takes_missing_timestamps_for_missing_values(refit):
    rows, filled = holed()
    found, same_one = (
        gf.backtest(plain(), y, horizon=5, origins=[70, 86, 90, 104], refit=refit)
        for y in (rows, filled)
    )
    np.testing.assert_array_equal(found.mean, same_one.mean)
    np.testing.assert_array_equal(found.truth, same_one.truth)
    assert list(found.origins) == [70, 86, 90, 104]  # in the series that is filled in
    assert any(note.startswith(NOTE) for note in found.notes)


def test_a_backtest_with_inputs_has_them_on_the_same_rows():
    y, u = driven(120)
    lost, fc = DAYS[[30, 45]], gf.Forecaster(1, exog_lags=[0, 2], model=LinearAR())
    found = gf.backtest(fc, y.drop(lost), 4, [70, 90], exog=u.drop(lost), refit=None)
    y, u = (table.drop(lost).reindex(DAYS) for table in (y, u))
    same_one = gf.backtest(fc, y, 4, [70, 90], exog=u, refit=None)
    np.testing.assert_array_equal(found.mean, same_one.mean)


def test_no_origin_is_drawn_within_whose_horizon_an_input_is_missing():
    y, u = driven(120)
    lost, fc = DAYS[[92]], gf.Forecaster(1, exog_lags=[0, 2], model=LinearAR())
    found = gf.backtest(fc, y.drop(lost), 4, 200, exog=u.drop(lost), refit=None)
    assert found.origins.tolist() == [*range(60, 89), *range(93, 117)]
    u.iloc[60::4] = np.nan
    with pytest.raises(ValueError, match=r"exog must be known over .* 57 horizons of 4 steps"):
        gf.backtest(fc, y, 4, 200, exog=u, refit=None)


def test_forecasts_from_origins_of_a_series_count_positions_with_its_gaps():
    rows, filled = holed()
    fc = plain().fit(filled.iloc[:80])
    found, same_one = (fc.predict_from(y, [86, 104], 5) for y in (rows, filled))
    np.testing.assert_array_equal(found.mean, same_one.mean)


@pytest.mark.parametrize("continues", [True, False])
def test_surprise_takes_missing_timestamps_for_missing_values(continues):
    rows, filled = holed()
    fc = plain().fit(filled.iloc[:80])
    found, same_one = (fc.surprise(y.loc[DAYS[80] :], continues=continues) for y in (rows, filled))
    pd.testing.assert_frame_equal(found.table, same_one.table)
    assert any("3 times were missing from the index" in note for note in found.notes)


@pytest.mark.parametrize("begin", [80, 84])  # at 84 the first that are missing come first
def test_an_update_takes_missing_timestamps_for_missing_values(begin):
    rows, filled = holed()
    found, same_one = (
        plain().fit(filled.iloc[:begin]).update(y.loc[DAYS[begin] :]) for y in (rows, filled)
    )
    pd.testing.assert_series_equal(found.history_, same_one.history_, check_freq=False)
    same(found.predict(4), same_one.predict(4))


def test_notes_keep_the_gaps_of_the_last_update_alone():
    rows, filled = holed()
    fc = plain().fit(filled.iloc[:80]).update(rows.loc[DAYS[80] : DAYS[90]])
    fc.update(rows.loc[DAYS[91] : DAYS[105]])
    fc.update(rows.loc[DAYS[106] :])
    (note,) = (note for note in fc.notes_ if "from the index" in note)
    assert note == (
        "in an update, 1 time was missing from the index, 2024-04-10; with it, 1 of 15 new values "
        "is missing"
    )


@pytest.mark.parametrize("whole", [True, False])
def test_inputs_of_an_update_may_lack_the_same_timestamps(whole):
    (fc, _), (y, u) = exog_forecaster(80), driven(120)
    later, inputs, lost = y.iloc[80:].drop(DAYS[[85, 86]]), u.iloc[80:], DAYS[[85, 86]]
    fc.update(later, exog=inputs if whole else inputs.drop(lost))
    assert len(fc.history_) == 120
    assert fc.history_.isna().sum() == 2


def test_several_series_take_an_update_with_missing_timestamps():
    frame = pd.DataFrame({"a": wave(90), "b": np.roll(wave(90), 3)}, index=DAYS[:90])
    fc = gf.VectorForecaster(lags=2, model=LinearAR(), transforms=None).fit(frame.iloc[:80])
    fc.update(frame.iloc[80:].drop(DAYS[84]))
    assert fc.history_.isna().sum().tolist() == [1, 1]
    assert list(fc.history_.index) == list(DAYS[:90])


def test_events_say_which_timestamps_were_missing():
    rain = pd.Series(np.random.default_rng(0).integers(0, 2, 120), index=DAYS)
    fc = gf.EventForecaster(lags=2).fit(rain.drop(DAYS[40]))
    assert fc.notes_[0].startswith("1 time was missing from the index, 2024-02-10")


@pytest.mark.parametrize(
    ("index", "labels", "places"),
    [
        (pd.Index([0.0, 0.1, 0.2, 0.3]), [0.5, 0.7], [1, 3]),
        (pd.Index([0.0, 0.1, 0.2, 0.3]), [0.1 + 0.3, 0.5], [0, 1]),
        (pd.RangeIndex(0, 40, 10), [40, 60], [0, 2]),
        (pd.period_range("2024-01", periods=4, freq="M"), "2024-06", [1]),
        (pd.date_range("2024-01-31", periods=4, freq="ME"), "2024-07-31", [2]),
        (pd.date_range("2024-03-29", periods=4, freq="D", tz="Europe/Paris"), "2024-04-03", [1]),
        (pd.to_timedelta(["1h", "2h", "3h", "4h"]), ["6h"], [1]),
    ],
    ids=["floats", "rounded floats", "numbers", "months", "month ends", "zoned days", "durations"],
)
def test_labels_of_every_kind_may_leave_out_some(index, labels, places):
    if isinstance(index, pd.PeriodIndex):
        labels = pd.PeriodIndex([labels], freq=index.freq)
    elif isinstance(index, pd.DatetimeIndex):
        labels = pd.DatetimeIndex([labels], tz=index.tz)
    elif isinstance(index, pd.TimedeltaIndex):
        labels = pd.to_timedelta(labels)
    axis, found = TimeAxis(index).continued_by(pd.Index(labels))
    assert found.tolist() == places
    assert len(axis) == places[-1] + 1
    assert axis.first == 4


def test_inputs_that_no_one_gave_are_no_reason_to_refuse_a_gap():
    fc = fitted(y=pd.Series(wave(), index=DAYS[:80]))
    assert len(fc.update(pd.Series([1.0], index=DAYS[[82]])).history_) == 83
