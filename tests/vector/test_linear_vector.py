"""The linear vector that forecasts beside the models of the columns."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from vector_cases import closed_form, reduced

import gpforecast as gf
from gpforecast.vector.linear import linear_share

H = 6


def led(n=160, seed=0):
    """A column leads another, one trends and grows by a factor, linearly all."""
    rng = np.random.default_rng(seed)
    y = np.zeros((n, 3))
    for t in range(1, n):
        a, b, c = y[t - 1]
        y[t] = [0.8 * a, 0.5 * b + 0.6 * a, 0.02 + c]
        y[t] += rng.standard_normal(3) * [1.0, 0.5, 0.02]
    index = pd.period_range("1980Q1", periods=n, freq="Q")
    return pd.DataFrame({"a": y[:, 0], "b": y[:, 1], "c": np.exp(y[:, 2])}, index)


@pytest.fixture(scope="module")
def fitted():
    return gf.VectorForecaster().fit(led())


def alone(forecaster, **changes):
    """A forecaster of the linear vector alone."""
    only = gf.VectorForecaster()
    only.fitted_ = replace(forecaster.fitted_.linear, **changes)
    return only


def test_what_trends_is_differenced_and_what_grows_by_a_factor_is_a_logarithm(fitted):
    a, b, c = (one.chain for one in fitted.fitted_.linear.columns)
    assert [type(step).__name__ for step in c.steps] == ["Log", "Difference", "Standardise"]
    assert a.n_lost == b.n_lost == 0
    assert a.warp is None
    assert b.warp is None


def test_its_forecast_is_that_of_the_companion_matrix():
    """But for the variance of the coefficients, which is left out here."""
    frame = led()[["a", "b"]]
    linear = alone(gf.VectorForecaster().fit(frame))
    found = [one.model.posterior_ for one in linear.fitted_.columns]
    known = [_Known(replace(one, added=np.zeros_like(one.added))) for one in found]
    columns = zip(linear.fitted_.columns, known, strict=True)
    columns = tuple(replace(one, model=model) for one, model in columns)
    linear.fitted_ = replace(linear.fitted_, columns=columns)
    mean, S = closed_form(*reduced(linear), frame.to_numpy(), H)
    f = linear.predict(H)
    np.testing.assert_allclose(f.mean.to_numpy().ravel(), mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(f.covariance, S, rtol=1e-8, atol=1e-10)


class _Known:
    """A model of a posterior that is known."""

    def __init__(self, posterior):
        self.posterior_ = posterior


def bare(forecaster, **changes):
    """A forecaster without structural models, and with other changes."""
    made, known = gf.VectorForecaster(), forecaster.fitted_
    columns = tuple(replace(one, ensemble=None) for one in known.columns)
    made.fitted_ = replace(known, columns=columns, **changes)
    return made


def test_where_it_is_all_it_is_the_forecast(fitted):
    f, expected = bare(fitted, shares=np.ones(3)).predict(H), alone(fitted).predict(H)
    np.testing.assert_allclose(f.mean, expected.mean, rtol=1e-9)
    np.testing.assert_allclose(f.covariance, expected.covariance, rtol=1e-8, atol=1e-12)


def test_a_column_is_the_mixture_of_both_by_its_share(fitted):
    mixed, own = bare(fitted), bare(fitted, linear=None)
    f, first, second = (one.predict(H) for one in (mixed, own, alone(fitted)))
    for name, w in zip("abc", mixed.fitted_.shares, strict=True):
        expected = (1.0 - w) * first[name].mean + w * second[name].mean
        np.testing.assert_allclose(f[name].mean, expected, rtol=1e-8)
        at = first[name].mean.to_numpy()
        below = [one[name].distribution.cdf(at) for one in (f, first, second)]
        np.testing.assert_allclose(below[0], (1.0 - w) * below[1] + w * below[2], atol=1e-8)


def test_a_curve_that_no_line_follows_leaves_it_no_share():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(160)
    frame = pd.DataFrame({"x": x, "y": np.roll(x, 1) ** 2 + 0.1 * rng.standard_normal(160)})[1:]
    fitted = gf.VectorForecaster().fit(frame).fitted_
    assert fitted.shares[1] == 0.0
    # The density of the newest rows, and not which is asked first, decides.
    assert linear_share(fitted.linear.columns[1], fitted.columns[1]) > 0.99


def test_it_is_left_out_where_the_user_chose_or_little_is_known():
    frame = led(80)
    for options in ({"lags": 2}, {"combine": None}, {"transforms": None}):
        assert gf.VectorForecaster(**options).fit(frame).fitted_.linear is None
    assert gf.VectorForecaster().fit(frame[:40]).fitted_.linear is None
    assert gf.VectorForecaster().fit(frame.assign(d=1.0)).fitted_.linear is None


def test_it_is_saved_updated_and_told_of_with_the_rest(fitted, tmp_path):
    fitted.save(tmp_path / "vector.zip")
    again = gf.VectorForecaster.load(tmp_path / "vector.zip")
    np.testing.assert_allclose(again.predict(H).mean, fitted.predict(H).mean, rtol=1e-12)
    longer = led(165)
    again.update(longer[160:])
    assert len(again.fitted_.linear.history) == 165
    assert again.predict(2).index[0] == longer.index[-1] + 1
    assert "one linear model of all columns" in fitted.summary()
    assert len(fitted.summary().splitlines()) < 40
    assert "Technical details" in fitted.summary(fitted.fitted_.names[0])
    with pytest.raises(ValueError, match="column must be one of"):
        fitted.summary("none")


def months(n=132):
    """Two columns with a season of a year, of which one leads the other."""
    rng = np.random.default_rng(34)
    a, season = np.zeros(n), 5.0 * rng.standard_normal((12, 2)) * [1.0, 0.2]
    for t in range(1, n):
        a[t] = 0.6 * a[t - 1] + rng.standard_normal()
    b = 0.4 * np.roll(a, 1) + 0.5 * rng.standard_normal(n)
    index = pd.date_range("2010-01-01", periods=n, freq="MS")
    return pd.DataFrame(np.column_stack([a, b]) + season[np.arange(n) % 12], index, ["a", "b"])


def test_a_season_is_taken_away_by_the_transforms_of_the_columns_and_intervals_are_not_wide():
    frame = months()
    fc = gf.VectorForecaster().fit(frame[:120])
    found = fc.fitted_
    assert found.linear.columns[0].chain is found.columns[0].chain
    assert not found.columns[1].chain.spec.periods  # by itself the other one learns it from lags
    for linear in found.linear.columns:
        assert linear.chain.spec.periods == (12,)
        assert 12 in linear.embedding.lags_
    assert (found.shares > 0.2).all()
    said = " ".join(fc.summary("a").split())
    assert "the linear model learns the" in said
