"""What a forecaster takes without changing it, and how it goes on from new values."""

import copy

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, fitted, fixed, same, wave

import gpforecast as gf
from gpforecast.models import GaussianProcess

# What a forecaster takes: any regular index, arrays and lists, and it changes none of them


DAYS = pd.date_range("2024-01-01", periods=90, freq="D")
INDEXES = {
    "daily": (pd.date_range("2024-01-30", periods=86, freq="D"), pd.DatetimeIndex),
    "month ends": (pd.date_range("2015-01-31", periods=86, freq="ME"), pd.DatetimeIndex),
    "hourly, with a time zone and its clock change":
        (pd.date_range("2024-03-28", periods=86, freq="h", tz="Europe/Berlin"), pd.DatetimeIndex),
    "business days": (pd.bdate_range("2024-01-01", periods=86), pd.DatetimeIndex),
    "quarters": (pd.period_range("1990Q1", periods=86, freq="Q"), pd.PeriodIndex),
    "range": (pd.RangeIndex(7, 7 + 5 * 86, 5), pd.RangeIndex),
    "integers": (pd.Index(np.arange(1900, 1986)), pd.Index),
    "numbers": (pd.Index(0.25 * np.arange(86)), pd.Index),
    "durations": (pd.timedelta_range("0s", periods=86, freq="30s"), pd.TimedeltaIndex),
}  # fmt: skip


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


# New values: the forecaster goes on from them at the hyperparameters it has


def test_update_equals_conditioning_on_all_rows_at_the_same_hyperparameters():
    y = wave(90)
    fc = gf.Forecaster([1, 3], transforms=None, model=GaussianProcess()).fit(y[:70])
    covariance, noise_var = fc.model_.covariance_, fc.model_.noise_var_
    scale, shift = y[:70].std(), y[:70].mean()
    fc.update(y[70:75]).update(list(y[75:]))
    z = (y - shift) / scale
    rows = gf.embedding.LagEmbedding([1, 3]).transform(z)
    scratch = GaussianProcess(covariance, noise_var=noise_var, optimizer=None).fit(rows.X, rows.y)
    assert fc.n_rows_ == len(rows.y)
    assert fc.model_.covariance_ == covariance
    assert fc.model_.noise_var_ == noise_var
    at = scratch.posterior_.predict(np.array([[z[-1], z[-3]]]))
    f = fc.predict(1)
    np.testing.assert_allclose(f.mean, shift + scale * at.mean, rtol=1e-8)
    np.testing.assert_allclose(f.latent_var, scale**2 * at.var, rtol=1e-8)


@pytest.mark.parametrize("nothing", [[], np.zeros(0), pd.Series(dtype=float)])
def test_an_update_with_nothing_new_changes_nothing(nothing):
    fc = fitted(y=wave(80))
    before = fc.fitted_
    assert fc.update(nothing).fitted_ is before


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1.0, np.inf], "infinite"),
        (["a"], "real numbers"),
        (pd.Series([1.0], index=[pd.Timestamp("2024-03-20")]), "continue.*2024-03-21.*2024-03-20"),
        (pd.Series([1.0], index=[pd.Timestamp("2044-03-22")]), "continue.*2024-03-21.*2044-03-22"),
        (pd.Series([1.0], index=pd.period_range("2024-04", periods=1, freq="M")), "continue"),
        (pd.Series([1.0], index=[pd.Timestamp("2024-03-21 01:00")]), "2024-03-21 01:00"),
        (pd.Series([1.0, 2.0], index=pd.to_datetime(["2024-03-23", "2024-03-23"])), "duplicated"),
        (pd.Series([1.0, 2.0], index=pd.to_datetime(["2024-03-23", "2024-03-22"])),
         "sort the rows"),
        (pd.Series([1.0, 2.0], index=pd.to_datetime(["2024-03-22", None])), "position"),
        (pd.Series([1.0], index=[80]), "continue"),
    ],
)  # fmt: skip
def test_update_refuses_values_that_do_not_follow_and_changes_nothing(values, words):
    fc = fitted(y=pd.Series(wave(), index=DAYS[:80]))
    before, learned = fc.predict(4), fc.fitted_
    with pytest.raises((ValueError, TypeError), match=words):
        fc.update(values)
    assert fc.fitted_ is learned
    same(fc.predict(4), before)


def test_update_that_fails_in_the_model_changes_nothing(monkeypatch):
    fc = fitted()
    before, state = fc.predict(4), dict(vars(fc))

    def fail(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(GaussianProcess, "condition", fail)
        with pytest.raises(MemoryError):
            fc.update([50.0])
    assert vars(fc).keys() == state.keys()
    assert all(value is state[name] for name, value in vars(fc).items())
    same(fc.predict(4), before)


def test_update_refuses_the_whole_series_over_again_and_says_how_to_pass_what_is_new():
    y = pd.Series(wave(90))
    fc = fitted(y=y.iloc[:30])
    with pytest.raises(ValueError, match="continue the history at 30; got 0 at position 0"):
        fc.update(y)
    dated, new = fitted(y=y[:30].set_axis(DAYS[:30])), y.set_axis(DAYS)
    with pytest.raises(ValueError, match=r"new\[new\.index > fc\.history_\.index\[-1\]\]"):
        dated.update(new)
    assert dated.update(new[new.index > dated.history_.index[-1]]) is dated
    pd.testing.assert_series_equal(dated.history_, new)
    assert dated.predict(1).index[0] == pd.Timestamp("2024-03-31")
    # An index that was reset is no such claim, however long.
    fc.update(y.iloc[30:].reset_index(drop=True))
    np.testing.assert_array_equal(fc.history_, y)


def test_update_takes_a_frame_of_one_column_and_checks_its_index():
    y = pd.Series(wave(90), index=DAYS, name="load")
    a = fitted(y=y.iloc[:80]).update(y.iloc[80:])
    b = fitted(y=y.iloc[:80]).update(y.iloc[80:].to_frame())
    same(a.predict(3), b.predict(3))
    assert len(fitted(y=y.iloc[:80]).update(y.iloc[80:81].to_frame()).history_) == 81
    with pytest.raises(ValueError, match=r"continue the history at 2024-03-21"):
        fitted(y=y.iloc[:80]).update(y.iloc[79:].to_frame())
    with pytest.raises(ValueError, match=r"new_values must be one column.*2 columns"):
        a.update(pd.DataFrame({"a": [1.0], "b": [2.0]}))


def test_update_keeps_no_more_rows_than_max_rows_and_says_so_once():
    y = wave(120)
    fc = fitted(3, y=y[:40], max_rows=50)
    fc.update(y[40:45])
    assert (fc.n_rows_, fc.notes_) == (42, ())
    fc.update(y[45:60]).update(y[60:])
    assert fc.n_rows_ == 50
    assert fc.notes_ == (
        "update forgot the oldest rows, as there were more than 50; max_rows=None keeps all",
    )
    # What is left are the newest rows, on the scale of the fit.
    scale, shift = y[:40].std(), y[:40].mean()
    z = (y - shift) / scale
    rows = gf.embedding.LagEmbedding(3).transform(z)
    gp = fixed().fit(rows.X[-50:], rows.y[-50:])
    at = gp.posterior_.predict(np.array([z[[-1, -2, -3]]]))
    np.testing.assert_allclose(fc.predict(1).mean, shift + scale * at.mean, rtol=1e-8)
    many = fitted(3, y=y[:40], max_rows=None).update(y[40:])
    assert (many.n_rows_, many.notes_) == (117, ())
