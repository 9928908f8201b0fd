"""What a forecaster takes: any regular index, arrays and lists, and it changes none of them."""

import copy

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, fitted, fixed, same, wave

import gpforecast as gf

INDEXES = {
    "daily": (pd.date_range("2024-01-30", periods=86, freq="D"), pd.DatetimeIndex),
    "month ends": (pd.date_range("2015-01-31", periods=86, freq="ME"), pd.DatetimeIndex),
    "hourly, with a time zone and its clock change": (
        pd.date_range("2024-03-28", periods=86, freq="h", tz="Europe/Berlin"),
        pd.DatetimeIndex,
    ),
    "business days": (pd.bdate_range("2024-01-01", periods=86), pd.DatetimeIndex),
    "quarters": (pd.period_range("1990Q1", periods=86, freq="Q"), pd.PeriodIndex),
    "range": (pd.RangeIndex(7, 7 + 5 * 86, 5), pd.RangeIndex),
    "integers": (pd.Index(np.arange(1900, 1986)), pd.Index),
    "numbers": (pd.Index(0.25 * np.arange(86)), pd.Index),
    "durations": (pd.timedelta_range("0s", periods=86, freq="30s"), pd.TimedeltaIndex),
}


@pytest.mark.parametrize(("index", "kind"), INDEXES.values(), ids=INDEXES)
def test_forecast_continues_any_regular_index(index, kind):
    y = pd.Series(wave(), index=index[:80], name="load")
    f = fitted(y=y).predict(6)
    assert isinstance(f.mean.index, kind)
    assert f.mean.index.dtype == index.dtype
    if index.dtype.kind == "f":
        np.testing.assert_allclose(f.mean.index, index[80:])
    else:
        assert list(f.mean.index) == list(index[80:])
    assert list(f.covariance.columns) == list(f.covariance.index) == list(f.index)
    pd.testing.assert_series_equal(f.history, y, check_freq=False)


def test_dates_without_a_freq_are_understood():
    index = pd.DatetimeIndex(list(pd.date_range("2024-01-31", periods=80, freq="ME")))
    assert index.freq is None
    f = fitted(y=pd.Series(wave(), index=index)).predict(2)
    assert [str(stamp.date()) for stamp in f.index] == ["2030-09-30", "2030-10-31"]


@pytest.mark.parametrize("make", [np.asarray, list, tuple, pd.Series, lambda y: y[:, None].ravel()])
def test_arrays_lists_and_series_forecast_alike(make):
    f = fitted(y=make(wave())).predict(5)
    assert list(f.index) == [80, 81, 82, 83, 84]
    same(f, fitted().predict(5))


def test_nothing_that_is_passed_is_modified():
    y, exog = driven()
    model = fixed()
    before = y.copy(), exog.copy(), copy.deepcopy(vars(model))
    future = exog.iloc[-5:]
    fc = gf.Forecaster(2, exog_lags=[0, 2], model=model).fit(y.iloc[:-5], exog.iloc[:-5])
    fc.predict(5, exog=future)
    fc.update(y.iloc[-5:], exog=future)
    pd.testing.assert_series_equal(y, before[0])
    pd.testing.assert_frame_equal(exog, before[1])
    assert vars(model) == before[2]


def test_editing_the_history_changes_no_forecast():
    fc = fitted()
    before = fc.predict(5)
    history = fc.history_
    history.iloc[:] = 0.0
    history.index.name = "when"
    same(fc.predict(5), before)
    assert fc.predict(5).index.name is None
    np.testing.assert_array_equal(fc.history_, wave())
    same(copy.deepcopy(fc).predict(5), before)
    assert not hasattr(gf.Forecaster(2), "history_")


@pytest.mark.filterwarnings("ignore:the inputs determine only:gpforecast.NumericalWarning")
def test_an_input_that_is_a_multiple_of_the_series_forecasts_it():
    y = pd.Series(np.random.default_rng(0).normal(size=120).cumsum())
    X = (2.0 * y).to_frame("u")
    f = gf.Forecaster().fit(y[:110], exog=X[:110]).predict(10, exog=X[110:])
    np.testing.assert_allclose(f.mean, y[110:], atol=1e-6)
