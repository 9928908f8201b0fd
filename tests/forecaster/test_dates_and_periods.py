"""New values, inputs and truth on dates serve a series of periods, and the reverse."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

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
