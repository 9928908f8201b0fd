"""What a forecaster of classes takes, keeps, refuses, saves and draws."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from event_cases import binary, chain, fixed, ordered

import gpforecast as gf
from gpforecast.events import fitted as fitted_events
from gpforecast.propagation import MonteCarlo


def fitted(series=None, lags=2, **options):
    series = binary() if series is None else series
    return gf.EventForecaster(lags, model=fixed(), **options).fit(series)


def test_the_index_goes_on_and_the_columns_are_the_classes():
    months = binary()
    f = fitted(months).predict(3)
    assert f.index.equals(pd.date_range(months.index[-1], periods=4, freq="MS")[1:])
    assert f.index.freqstr == "MS"
    assert f.probabilities.columns.tolist() == [False, True]
    f = fitted(ordered()).predict(3)
    assert f.classes == ("low", "middle", "high")
    assert f.to_frame().columns.tolist() == ["most_likely", "low", "middle", "high"]
    assert f.sample(5, seed=0).loc[f.index[0]].isin(f.classes).all()
    f = fitted(pd.Series(["wet", "dry", "dry", "wet"] * 20)).predict(2)
    assert f.index.tolist() == [80, 81]


def test_variances_that_came_out_negative_are_noted_on_the_forecast(monkeypatch):
    usual = fitted_events.fed_back
    monkeypatch.setattr(
        fitted_events, "fed_back", lambda *given: replace(usual(*given), n_clipped=2)
    )
    with pytest.warns(gf.NumericalWarning, match="2 of 3 variances"):
        f = fitted(propagation="exact").predict(3)
    assert f.notes[-1].startswith("2 of 3 variances by the exact method came out negative")


def test_the_history_is_the_series_with_its_classes():
    states = ordered()
    states.iloc[50] = np.nan
    history = fitted(states).history_
    pd.testing.assert_series_equal(history, states, check_freq=False)


def test_rows_with_missing_values_are_left_out():
    series = binary().astype(object)
    series.iloc[40] = None
    forecaster = fitted(series)
    assert forecaster.n_rows_ == len(series) - 2 - 3  # the value, and the two after it
    assert forecaster.notes_ == ("not learned from: 3 rows with missing values",)
    absent = fitted(series.drop(series.index[40]))  # a missing timestamp
    pd.testing.assert_frame_equal(
        absent.predict(4).probabilities, forecaster.predict(4).probabilities
    )


def test_scores_of_a_forecast_are_those_of_the_score_functions():
    series = ordered()
    f, truth = fitted(series[:-4]).predict(4), series[-4:]
    p = f.probabilities.to_numpy()
    score = f.score(truth)
    assert score["log_score"] == gf.scores.log_score(truth, p, classes=f.classes)
    assert score["brier"] == gf.scores.brier(truth, p, classes=f.classes)
    expected = gf.scores.ranked_probability(truth, p, classes=f.classes)
    assert score["ranked_probability"] == expected
    pd.testing.assert_series_equal(f.score(truth.tolist()), score)
    pd.testing.assert_series_equal(f.score(truth.reset_index(drop=True)), score)
    holed = truth.copy()
    holed.iloc[1:] = np.nan
    assert f.score(holed)["brier"] == gf.scores.brier(truth[:1], p[:1], classes=f.classes)
    pd.testing.assert_series_equal(f.score(series), score)  # the times of the forecast count
    with pytest.raises(ValueError, match="no time in common"):
        f.score(series[:-4])
    with pytest.raises(ValueError, match="none of classes"):
        f.score(["low", "odd"])


@pytest.mark.parametrize(
    ("series", "error", "message"),
    [
        ([True] * 50, ValueError, "series must have two classes or more; got only True"),
        (["a", "b", "c"] * 20, ValueError, "which are not whole numbers in equal"),
        (pd.Series(pd.Categorical(["a", "b"] * 20, categories=["a", "b", "c"])), ValueError,
         "series never has the class 'c', so that nothing says"),
        (np.random.default_rng(0).normal(size=60), ValueError, "at most 20 classes"),
        ([0, 1, 1, 0], ValueError, "series has 4 values but lags=3 needs at least 5"),
        (["x", *[True, False] * 9], TypeError, "series must hold classes of one kind"),
        ([2, *[0, 1] * 20], ValueError, "series has the class 2 in none of the 38 rows"),
        (pd.DataFrame({"a": [0, 1], "b": [1, 0]}), ValueError, "a DataFrame with 2 columns"),
    ],
)  # fmt: skip
def test_what_is_no_series_of_classes_is_refused_in_a_sentence(series, error, message):
    forecaster = fitted(lags=3)
    before = forecaster.fitted_
    with pytest.raises(error, match=message):
        forecaster.fit(series)
    assert forecaster.fitted_ is before


def backtest(horizon, **options):
    """A backtest of classes of which one is missing."""
    series = chain(120, [[0.8, 0.2], [0.3, 0.7]]).astype(float)
    series.iloc[100] = np.nan
    return gf.EventForecaster(2, model=fixed()).backtest(series, horizon, **options)


U = pd.Series(np.arange(150.0), binary().index)
CALLS = [
    (lambda: gf.EventForecaster(propagation="gauss"),
     "propagation must be one of 'auto', 'enumerate'"),
    (lambda: gf.EventForecaster(model=gf.models.GaussianProcess()),
     "must be an OrdinalGP, a Relevance"),
    (lambda: gf.EventForecaster().predict(3), "not fitted yet; call fit"),
    (lambda: fitted().predict(0), "horizon must be a positive integer"),
    (lambda: fitted().predict(2, exog=[1.0, 2.0]),
     "exog is given but the model was fitted without any"),
    (lambda: fitted(exog_lags=[1]), "exog_lags is given but exog is not"),
    (lambda: gf.EventForecaster().fit(binary(), exog=U.shift(1, freq="MS")),
     "one row for each of the .* times of the series"),
    (lambda: gf.EventForecaster(1, model=fixed()).fit(binary(), exog=U).predict(2),
     "fitted with exogenous inputs"),
    (lambda: fitted(binary().astype(object).where(U != 148.0, None)).predict(2),
     r"must end with known values .* the last at 2012-05-01"),
    (lambda: fitted(lags=20, propagation="enumerate").predict(24),
     r"at most 65536 pasts; got 1\.05e\+06"),
    (lambda: backtest(2, origins=[101]), "known values at each of the lags"),
    (lambda: backtest(2, origins=[10]), "origins must lie between 60"),
    (lambda: backtest(80), r"no origin is left: .* from 60.* horizon=80 steps"),
    (lambda: backtest(2, train_fraction=1.0), "train_fraction must lie between"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_calls_that_make_no_sense_are_refused(call, message):
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        call()


def test_a_saved_forecaster_forecasts_the_same_and_one_not_fitted_is_saved_too(tmp_path):
    u = pd.DataFrame(
        {"u": np.sin(np.arange(204.0))}, pd.date_range("2000-01", periods=204, freq="MS")
    )
    forecaster = gf.EventForecaster([1, 3], model=fixed(), propagation=MonteCarlo(50, seed=1))
    path = tmp_path / "events"
    for each in (forecaster, forecaster.fit(ordered(), exog=u[:200])):
        each.save(path)
        again = gf.load(path)
        assert isinstance(again, gf.EventForecaster)
        assert repr(again) == repr(each)
    ahead = {"horizon": 4, "exog": u[200:]}
    pd.testing.assert_frame_equal(
        again.predict(**ahead).probabilities, forecaster.predict(**ahead).probabilities
    )
    pd.testing.assert_series_equal(again.history_, forecaster.history_)
    with pytest.raises(ValueError, match="must hold a Forecaster; got EventForecaster"):
        gf.Forecaster.load(path)


def test_a_picture_has_an_area_for_each_class_and_a_line_at_the_origin():
    series = ordered()
    f = fitted(series[:-5]).predict(5)
    ax = f.plot(truth=series[-5:], n_history=20)
    areas = [
        c for c in ax.collections if "FillBetween" in type(c).__name__ or "Poly" in type(c).__name__
    ]
    assert len(areas) == 3
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["low", "middle", "high"]
    assert [line.get_gid() for line in ax.lines].count("origin") == 1


def test_a_backtest_has_the_probabilities_of_forecasts_from_its_origins():
    series = ordered()
    forecaster = gf.EventForecaster(2, model=fixed())
    result = forecaster.backtest(series, 3, origins=[120, 150])
    assert forecaster.fitted_ is None
    assert result.probabilities.shape == (2, 3, 3)
    np.testing.assert_array_equal(result.truth[1], series.cat.codes[150:153])
    first = result.scores.loc[1]
    p = result.probabilities[:, 0]
    assert first["brier"] == gf.scores.brier(series.iloc[[120, 150]], p, classes=result.classes)
    assert result.standard_errors.shape == (3, 3)
    many = forecaster.backtest(series, 3, origins=np.arange(110, 151))
    np.testing.assert_allclose(many.probabilities[[10, 40]], result.probabilities, rtol=1e-12)
    # Trained on each part up to its origin, it is a forecast like any other.
    again = forecaster.backtest(series, 3, origins=[120, 150], refit=1)
    for origin, p in zip(again.origins, again.probabilities, strict=True):
        expected = gf.EventForecaster(2, model=fixed()).fit(series[:origin]).predict(3)
        np.testing.assert_allclose(p, expected.probabilities, rtol=1e-12)


def test_a_backtest_with_inputs_knows_those_at_the_times_predicted():
    rng = np.random.default_rng(0)
    u = pd.DataFrame({"u": rng.standard_normal(200)})
    y = pd.Series(u["u"] + 0.3 * rng.standard_normal(200) > 0.0)
    result = gf.EventForecaster(1, model=fixed()).backtest(y, 2, exog=u, origins=[140])
    again = gf.EventForecaster(1, model=fixed()).backtest(
        y, 2, exog=u, origins=[140], train_fraction=0.7
    )
    forecaster = gf.EventForecaster(1, model=fixed()).fit(y[:140], exog=u[:140])
    expected = forecaster.predict(2, exog=u[140:142]).probabilities
    np.testing.assert_allclose(again.probabilities[0], expected, rtol=1e-12)
    assert np.abs(result.probabilities[0] - expected).max().max() > 1e-6


def test_origins_that_lack_a_lag_are_left_out_and_missing_truths_have_no_score():
    result = backtest(2)
    assert not {101, 102} & set(result.origins)
    assert np.isnan(result.truth[result.origins == 100, 0]).all()
    assert np.isfinite(result.scores).all().all()
