"""Exogenous inputs that do not fit are refused with a reason, and nothing changes."""

import numpy as np
import pytest
from forecaster_cases import driven, exog_forecaster, fitted, same, wave

import gpforecast as gf


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: None, "fitted with exogenous inputs.*'u', 'v'.*pass exog"),
        (lambda x: x.iloc[:4], "one row for each of the 5"),
        (lambda x: x.to_numpy().T, "Transpose"),
        (lambda x: x[["u"]], "2 columns of the fit.*got 1"),
        (lambda x: x.rename(columns={"v": "w"}), r"columns of the fit, \['u', 'v'\]; got.*'w'"),
        (lambda x: x.rename(columns={"v": "vv"}), r"\['u', 'vv'\]\. Did you mean 'v'\?"),
        (lambda x: x.shift(freq="D"), "There is no row for"),
        (list, r"Pass the columns themselves, such as frame\[\['promo'\]\]"),
        (lambda x: x.assign(u=np.nan), "missing"),
        (lambda x: x.assign(v="a"), "exog column 'v' must hold real numbers; got 'a'"),
    ],
)
def test_wrong_future_exog_is_refused_with_a_reason(change, words):
    fc, future = exog_forecaster()
    before = fc.predict(5, exog=future)
    with pytest.raises((ValueError, TypeError), match=words):
        fc.predict(5, exog=change(future))
    same(fc.predict(5, exog=future), before)


@pytest.mark.parametrize(
    ("cov", "words"),
    [
        (np.zeros((4, 2)), r"shape \(5, 2\).*got \(4, 2\)"),
        (-np.ones((5, 2)), "negative"),
        (np.triu(np.ones((10, 10))), "symmetric"),
        (np.full((5, 2), np.nan), "missing"),
    ],
)
def test_wrong_exog_cov_is_refused_with_a_reason(cov, words):
    fc, future = exog_forecaster()
    with pytest.raises(ValueError, match=words):
        fc.predict(5, exog=future, exog_cov=cov)


def test_exog_where_none_is_wanted_is_refused():
    fc = fitted()
    with pytest.raises(ValueError, match="fitted without"):
        fc.predict(2, exog=np.zeros((2, 1)))
    with pytest.raises(ValueError, match="fitted without"):
        fc.predict(2, exog_cov=np.zeros((2, 1)))
    with pytest.raises(ValueError, match="exog_lags is given but exog is not"):
        gf.Forecaster(2, exog_lags=[0]).fit(wave())


def test_exog_of_another_length_than_the_series_is_refused():
    y, exog = driven()
    with pytest.raises(ValueError, match=r"one row for each of the 160.*got 150 rows"):
        gf.Forecaster(2).fit(y, exog.iloc[:150])
