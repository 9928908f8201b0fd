"""A timestamp that is missing is a missing value, wherever a series is taken."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, same, wave

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
    return gf.Forecaster(3, model=LinearAR(), transforms=None, noise="process")


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


def test_no_origin_is_drawn_within_whose_horizon_an_input_is_missing():
    y, u = driven(120)
    lost, fc = DAYS[[92]], gf.Forecaster(1, exog_lags=[0, 2], model=LinearAR())
    found = gf.backtest(fc, y.drop(lost), 4, 200, exog=u.drop(lost), refit=None)
    assert found.origins.tolist() == [*range(60, 89), *range(93, 117)]
    u.iloc[60::4] = np.nan
    with pytest.raises(ValueError, match="no origin is left"):
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
