"""Labels of times: dates for periods and the reverse, and timestamps that are missing."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, same, wave

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.series.time_axis import TimeAxis

# New values, inputs and truth on dates serve a series of periods, and the reverse


RNG = np.random.default_rng(0)
Y, U = RNG.standard_normal(40).cumsum(), RNG.standard_normal(40)


def both(freq, anchor="start"):
    """Periods and the dates that stand for them: their first, or their last day."""
    periods = pd.period_range("2020-01-06", periods=40, freq=freq)
    dates = periods.start_time if anchor == "start" else periods.end_time.normalize()
    return [periods, pd.DatetimeIndex(dates.to_numpy())]


def fitted(index):
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR())
    return fc.fit(pd.Series(Y[:30], index[:30]), exog=pd.Series(U[:30], index[:30]))


@pytest.mark.parametrize("case", [("M", "start"), ("M", "end"), ("W-SUN", "end"), ("h", "start")])
@pytest.mark.parametrize("reverse", [False, True])
def test_every_label_that_falls_in_one_step_is_that_step(case, reverse):
    own, other = both(*case)[:: -1 if reverse else 1]
    fc = fitted(own)
    f = fc.predict(4, exog=pd.Series(U[30:34], other[30:34]))
    assert (f.index == own[30:34]).all()
    pd.testing.assert_series_equal(f.mean, fc.predict(4, exog=pd.Series(U, other)).mean)
    y = pd.Series(Y, other)
    assert f.score(y)["mae"] == pytest.approx(np.abs(f.mean - Y[30:34]).mean())
    new = [30, 31, 33]  # one is missing
    fc.update(y.iloc[new], exog=pd.Series(U, other).iloc[new])
    assert (fc.history_.index == own[:34]).all()
    np.testing.assert_array_equal(fc.history_.iloc[30:], [*Y[30:32], np.nan, Y[33]])


def test_several_dates_of_one_period_are_refused_and_so_are_earlier_ones():
    months, dates = both("M")
    days = pd.Series(Y[:10], pd.date_range(dates[30], periods=10))
    with pytest.raises(ValueError, match=r"These times are dates .* periods \(M\): give both"):
        fitted(months).update(days)
    with pytest.raises(ValueError, match="got 2022-06 at position 0, where 2022-07 follows"):
        fitted(months).update(pd.Series(Y[29:31], dates[29:31]), exog=U[29:31])


def test_several_series_and_classes_take_dates_for_periods():
    months, dates = both("M")
    frame = pd.DataFrame({"a": Y, "b": U})
    several = gf.VectorForecaster(lags=2).fit(frame[:30].set_axis(months[:30]))
    several.update(frame[30:32].set_axis(dates[30:32]))
    assert several.history_.index[-1] == months[31]
    classes = pd.Series(np.where(Y > 0.0, "up", "down"))
    events = gf.EventForecaster(lags=2).fit(classes[:30].set_axis(months[:30]))
    events.update(classes[30:32].set_axis(dates[30:32]))
    assert events.predict(1).index[0] == months[32]


# A timestamp that is missing is a missing value, wherever a series is taken


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
    with pytest.raises(ValueError, match=r"no origin is left.* must know its lags and inputs"):
        gf.backtest(fc, y, 4, 200, exog=u, refit=None)


@pytest.mark.parametrize("continues", [True, False])
def test_origins_and_surprise_take_missing_timestamps_for_missing_values(continues):
    rows, filled = holed()
    fc = plain().fit(filled.iloc[:80])
    ahead, same_ones = (fc.predict_from(y, [86, 104], 5) for y in (rows, filled))
    np.testing.assert_array_equal(ahead.mean, same_ones.mean)
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
