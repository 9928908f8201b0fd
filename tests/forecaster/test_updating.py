"""New values: the forecaster goes on from them at the hyperparameters it has."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import fitted, fixed, same, wave

import gpforecast as gf
from gpforecast.models import GaussianProcess


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


def test_update_continues_from_the_new_values_on_their_index():
    index = pd.date_range("2024-01-01", periods=90, freq="D")
    y = pd.Series(wave(90), index=index)
    fc = fitted(y=y.iloc[:80])
    assert fc.update(y.iloc[80:]) is fc
    pd.testing.assert_series_equal(fc.history_, y)
    assert fc.predict(1).index[0] == pd.Timestamp("2024-03-31")


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
        (
            pd.Series([1.0, 2.0], index=pd.to_datetime(["2024-03-23", "2024-03-22"])),
            "sort the rows",
        ),
        (pd.Series([1.0, 2.0], index=pd.to_datetime(["2024-03-22", None])), "position"),
        (pd.Series([1.0], index=[80]), "continue"),
    ],
)
def test_update_refuses_values_that_do_not_follow_and_changes_nothing(values, words):
    y = pd.Series(wave(), index=pd.date_range("2024-01-01", periods=80, freq="D"))
    fc = fitted(y=y)
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


def test_update_refuses_the_whole_series_over_again():
    y = pd.Series(wave(90))
    fc = fitted(y=y.iloc[:30])
    with pytest.raises(ValueError, match="continue the history at 30; got 0 at position 0"):
        fc.update(y)
    # An index that was reset is no such claim, however long.
    fc.update(y.iloc[30:].reset_index(drop=True))
    np.testing.assert_array_equal(fc.history_, y)


def test_update_takes_a_frame_of_one_column_and_checks_its_index():
    index = pd.date_range("2024-01-01", periods=90, freq="D")
    y = pd.Series(wave(90), index=index, name="load")
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
