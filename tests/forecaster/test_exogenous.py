"""Exogenous inputs, beside a trend and a season too, and those that do not fit."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, exog_forecaster, fitted, fixed, same, wave
from series_cases import autoregression

import gpforecast as gf
from gpforecast.propagation import MonteCarlo
from gpforecast.series.calendars import DayOfWeek, Event, MonthOfYear

# Exogenous inputs: their lags, names, order and uncertainty


def test_update_with_exog_equals_a_forecaster_that_knew_them():
    y, exog = driven()
    options = {"exog_lags": {"u": [0], "v": [2]}, "model": fixed(), "noise": "process"}
    fc = gf.Forecaster(1, **options).fit(y.iloc[:120], exog.iloc[:120])
    fc.update(y.iloc[120:150], exog=exog.iloc[120:150, ::-1])
    f = fc.predict(10, exog=exog.iloc[150:])
    # The scales were learned from the first 120 values: give another forecaster the same.
    other = gf.Forecaster(1, **options).fit(y.iloc[:120], exog.iloc[:120])
    other.update(y.iloc[120:140], exog=exog.iloc[120:140])
    other.update(y.iloc[140:150], exog=exog.iloc[140:150])
    same(f, other.predict(10, exog=exog.iloc[150:]), rtol=1e-8)
    assert f.score(y.iloc[150:])["mae"] < 0.15


def test_lags_of_exog_are_respected():
    y, exog = driven(70)
    plan = {"u": [0, 3], "v": [1]}
    fc = gf.Forecaster([1, 2], exog_lags=plan, model=fixed(), transforms=None, propagation="naive")
    fc.fit(y.iloc[:60], exog.iloc[:60])
    f = fc.predict(10, exog=exog.iloc[60:])

    z = list((y.iloc[:60] - y.iloc[:60].mean()) / y.iloc[:60].std(ddof=0))
    scaled = (exog - exog.iloc[:60].mean()) / exog.iloc[:60].std(ddof=0)
    u, v = scaled["u"].to_numpy(), scaled["v"].to_numpy()

    def inputs(t):
        return [z[t - 1], z[t - 2], u[t], u[t - 3], v[t - 1]]

    X = np.array([inputs(t) for t in range(3, 60)])
    gp = fixed().fit(X, np.array(z[3:]))
    for t in range(60, 70):
        z.append(float(gp.predict([inputs(t)])[0]))
    expected = y.iloc[:60].mean() + y.iloc[:60].std(ddof=0) * np.array(z[60:])
    np.testing.assert_allclose(f.mean, expected, rtol=1e-9, atol=1e-12)


def test_order_and_kind_of_the_exog_columns_and_further_ones_do_not_matter():
    fc, future = exog_forecaster()
    f = fc.predict(5, exog=future)
    same(fc.predict(5, exog=future[["v", "u"]]), f)
    same(fc.predict(5, exog=future.assign(a="shop")[["v", "a", "u"]]), f)
    same(fc.predict(5, exog=future.to_numpy()), f)
    same(fc.predict(5, exog=future.reset_index(drop=True)), f)
    y, exog = driven()
    other = gf.Forecaster(1, exog_lags={"u": [0], "v": [2]}, model=fixed())
    other.fit(y.iloc[:100], exog.iloc[:100, ::-1])
    same(other.predict(5, exog=future), f, rtol=1e-9)


def test_exog_with_its_index_reset_is_taken_in_order():
    y, exog = driven()
    y, exog = y.reset_index(drop=True), exog.reset_index(drop=True)
    fc = gf.Forecaster(1, model=fixed()).fit(y.iloc[:100], exog.iloc[:100])
    future = exog.iloc[100:110]
    same(fc.predict(10, exog=future.reset_index(drop=True)), fc.predict(10, exog=future))
    with pytest.raises(ValueError, match="There is no row for 100"):
        fc.predict(10, exog=exog.iloc[101:111])


@pytest.mark.parametrize("method", ["exact", "taylor", MonteCarlo(400, seed=0)])
def test_uncertain_exog_raises_the_variance_and_certain_exog_does_not(method):
    fc, future = exog_forecaster()
    known = fc.predict(5, exog=future, propagation=method)
    certain = fc.predict(5, exog=future, exog_cov=np.zeros((5, 2)), propagation=method)
    unsure = fc.predict(5, exog=future, exog_cov=np.full((5, 2), 0.3), propagation=method)
    if isinstance(method, str):  # Monte Carlo draws other numbers once there is something to draw
        same(certain, known, rtol=1e-9)
    assert (unsure.var > 1.1 * known.var).all()


@pytest.mark.parametrize("joint", [False, True], ids=["variances", "joint covariance"])
def test_uncertainty_of_exog_is_in_the_squared_units_of_its_columns(joint):
    y, exog = driven()
    root = np.random.default_rng(5).standard_normal((10, 10))
    cov = 0.1 * root @ root.T if joint else np.full((5, 2), 0.3)
    forecasts = []
    for unit in (np.ones(2), np.array([100.0, 0.01])):
        fc = gf.Forecaster(1, exog_lags={"u": [0], "v": [0, 2]}, model=fixed())
        fc.fit(y.iloc[:100], unit * exog.iloc[:100])
        future = unit * exog.iloc[100:105]
        squared = np.outer(np.tile(unit, 5), np.tile(unit, 5)) if joint else unit**2
        forecasts.append(fc.predict(5, exog=future, exog_cov=squared * cov))
    same(*forecasts, rtol=1e-9)


def test_beside_effects_of_inputs_the_intervals_have_the_width_of_the_noise():
    rng, hours = np.random.default_rng(0), pd.date_range("2023-01-01", periods=1500, freq="h")
    heat = pd.DataFrame({"heat": np.abs(rng.normal(5.0, 3.0, 1500))}, hours)
    day = 60.0 * np.sin(2.0 * np.pi * hours.hour / 24)
    y = pd.Series(500.0 + day + 3.0 * heat["heat"] + rng.normal(0.0, 6.0, 1500), hours)
    f = gf.Forecaster().fit(y[:1450], exog=heat[:1450]).predict(50, exog=heat[1450:])
    assert 5.5 < f.std.mean() < 7.5


# Exogenous inputs that do not fit are refused with a reason, and nothing changes


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
        (np.zeros((4, 2)), r"shape \(5, 2\).*got \(4, 2\)"),  # and covariances
        (-np.ones((5, 2)), "negative"),
        (np.triu(np.ones((10, 10))), "symmetric"),
        (np.full((5, 2), np.nan), "missing"),
    ],
)
def test_a_wrong_future_of_exog_is_refused_with_a_reason(change, words):
    fc, future = exog_forecaster()
    before = fc.predict(5, exog=future)
    given = {"exog": change(future)} if callable(change) else {"exog": future, "exog_cov": change}
    with pytest.raises((ValueError, TypeError), match=words):
        fc.predict(5, **given)
    same(fc.predict(5, exog=future), before)


# Inputs beside a series of its own trend and season: found with them, known or forecast ahead


def passengers(effect=0.0, seed=0, n=120):
    """Return a series of months that grows, with a season and a promotion of some effect."""
    rng = np.random.default_rng(seed)
    index = pd.period_range("2010-01", periods=n, freq="M")
    t, promo = np.arange(n), (rng.uniform(size=n) < 0.25).astype(float)
    season = 0.2 * np.sin(2 * np.pi * t / 12) + 0.1 * np.cos(4 * np.pi * t / 12)
    noise = np.convolve(0.02 * rng.standard_normal(n), 0.7 ** np.arange(20))[:n]
    y = pd.Series(100.0 * np.exp(0.015 * t + season + noise + effect * promo), index)
    return y, pd.DataFrame({"promo": promo}, index=index)


def days(effects, seed=0, n=200):
    """Return a series of days with a week, and days of its own that lower it."""
    rng = np.random.default_rng(seed)
    index = pd.date_range("2023-01-01", periods=n)
    off = [str(day.date()) for day in index[np.arange(5, n, 13) + rng.integers(0, 8, n // 13)]]
    week = np.array([0, 1, 1, 1, 2, 4, 3.0])[index.day_of_week]
    y = 20.0 + week + 0.5 * rng.standard_normal(n)
    return pd.Series(y + effects * index.isin(pd.to_datetime(off)), index), Event("closed", off)


def fit(y, exog=None, n=96, **options):
    given = None if exog is None else exog[:n]
    return gf.Forecaster(progress=False, **options).fit(y[:n], exog=given)


def test_a_column_without_effect_leaves_the_forecast_as_it_is_without_the_column():
    y, promo = passengers()
    alone, beside = fit(y), fit(y, promo)
    same(beside.predict(24, exog=promo.iloc[96:]), alone.predict(24))
    assert "explain no more than chance: promo" in beside.notes_[-1]
    assert beside.transforms_.spec == alone.transforms_.spec
    assert beside.effects_.empty


def test_a_column_with_an_effect_is_found_beside_trend_and_season_and_forecasts_better():
    y, promo = passengers(effect=0.3)
    alone, beside = fit(y), fit(y, promo)
    truth = y.iloc[96:]
    without = alone.predict(24).score(truth)
    found = beside.predict(24, exog=promo.iloc[96:]).score(truth)
    assert found["mae"] < 0.6 * without["mae"]
    assert found["coverage_95"] >= 0.9
    effect, std_error, unit = beside.effects_.loc["promo"]
    true = 100 * np.expm1(0.3)
    assert unit == "%"
    assert abs(effect - true) < 3 * std_error < 0.2 * true
    both = promo.assign(nothing=np.arange(len(promo)) % 2.0)[["nothing", "promo"]]
    assert fit(y, both).effects_.index[0] == "promo"  # the clearest one first
    assert beside.fitted_.ensemble is not None  # nothing of the automatic choice is off
    assert "promo +" in beside.notes_[-1]
    assert "InputEffects(promo)" in beside.summary()


def test_updates_fitted_values_and_missing_ones_know_the_inputs():
    y, promo = passengers(effect=0.3)
    fc = fit(y, promo)
    residual = fc.predict_in_sample()["residual"].dropna()
    inside = promo["promo"].iloc[:96].loc[residual.index]
    spread = residual.std()
    assert abs(residual[inside == 1].mean() - residual[inside == 0].mean()) < spread
    place = int(np.flatnonzero(promo["promo"])[10])
    holes = y.copy()
    holes.iloc[place] = np.nan
    filled = fit(holes, promo).fill_missing()["mean"].iloc[place]
    assert abs(filled / y.iloc[place] - 1.0) < 0.1  # without the input it would be 0.26
    fc.update(y.iloc[96:108], exog=promo.iloc[96:108])
    found = fc.predict(12, exog=promo.iloc[108:]).score(y.iloc[108:])
    assert found["mae"] < 0.1 * y.mean()


def test_a_calendar_needs_nothing_from_the_user_at_predict(tmp_path):
    y, closed = days(-6.0)
    fc = fit(y, n=160, calendar=closed)
    truth = y.iloc[160:]
    found = fc.predict(40)
    alone = fit(y, n=160).predict(40)
    assert found.score(truth)["mae"] < 0.7 * alone.score(truth)["mae"]
    fc.save(tmp_path / "fc")
    same(gf.load(tmp_path / "fc").predict(40), found)
    fc.update(y.iloc[160:180])
    assert fc.predict(20).score(y.iloc[180:])["mae"] < 1.0
    quick = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}
    result = gf.backtest(
        gf.Forecaster(calendar=closed, **quick), y, horizon=20, origins=[140, 180], refit=None
    )
    assert result.summary().loc["mae"].mean() < 1.0


def test_categories_are_columns_of_zeros_and_ones():
    y, _ = passengers()
    rng = np.random.default_rng(8)
    weather = pd.Series(rng.choice(["sun", "rain", "snow"], 120, p=[0.6, 0.3, 0.1]), y.index)
    y = y * np.exp(0.3 * (weather == "rain") - 0.2 * (weather == "snow"))
    by_hand = pd.DataFrame(
        {f"weather={c}": (weather == c).astype(float) for c in ("rain", "snow")}, index=y.index
    )
    named, dummies = weather.to_frame("weather"), by_hand
    quick = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}
    quick["transforms"] = gf.transforms.InputEffects()
    a, b = fit(y, named, **quick), fit(y, dummies, **quick)
    same(a.predict(24, exog=named.iloc[96:]), b.predict(24, exog=dummies.iloc[96:]))
    assert a.transforms_.effects.spec.names == ("weather=rain", "weather=snow")
    kinds = named.astype("category")
    c = fit(y, kinds, **quick)
    same(c.predict(24, exog=kinds.iloc[96:]), a.predict(24, exog=named.iloc[96:]))
    lagged = fit(y, named, exog_lags={"weather": [0, 1]}, **quick)
    assert len(lagged.transforms_.effects.beta) == 4
    hail = pd.DataFrame({"weather": ["sun", "hail"]})
    with pytest.raises(ValueError, match="'rain', 'snow', 'sun'; got 'hail' at 1"):
        a.predict(2, exog=hail)


def test_unknown_future_inputs_are_forecast_with_their_covariance():
    rng = np.random.default_rng(9)
    x = autoregression(160, 0.9, seed=rng)
    y = np.cumsum(0.3 * rng.standard_normal(160)) + 2.0 * x
    y, x = pd.Series(y), pd.Series(x, name="x")
    steps = [gf.transforms.InputEffects(), gf.transforms.Difference()]
    fc = gf.Forecaster(transforms=steps, progress=False).fit(y[:140], exog=x[:140])
    ahead = gf.Forecaster(progress=False).fit(x[:140]).predict(20)
    by_hand = fc.predict(20, exog=ahead.mean, exog_cov=ahead.covariance.to_numpy())
    found = fc.predict(20, exog="forecast")
    same(found, by_hand)
    known = fc.predict(20, exog=ahead.mean)
    assert (found.std > known.std).all()
    beta = fc.transforms_.effects.beta[0]
    gain = beta**2 * ahead.covariance.to_numpy()
    np.testing.assert_allclose(found.covariance - known.covariance, gain, rtol=1e-8)
    with pytest.raises(ValueError, match='exog="forecast" in predict'):
        fc.predict(20)
    with pytest.raises(ValueError, match=r"or 'forecast' to have them .* past; got 'yes'\."):
        fc.predict(20, exog="yes")
    with pytest.raises(ValueError, match="no exog_cov"):
        fc.predict(20, exog="forecast", exog_cov=np.ones((20, 1)))
    with pytest.raises(ValueError, match=r"^exog='forecast' .* it needs inputs at the fit"):
        gf.Forecaster(2).fit(y).predict(2, exog="forecast")


DAYS, _ = days(-6.0)
REFUSED = [
    (lambda: fitted().predict(2, exog=np.zeros((2, 1))), "fitted without"),
    (lambda: fitted().predict(2, exog_cov=np.zeros((2, 1))), "fitted without"),
    (lambda: gf.Forecaster(2, exog_lags=[0]).fit(wave()), "exog_lags is given but exog is not"),
    (lambda: gf.Forecaster(2).fit(DAYS, DAYS.iloc[:150]), "one row for each of the 200.*150 rows"),
    (lambda: gf.Forecaster(calendar=MonthOfYear), "calendar must be a calendar"),
    (lambda: gf.Forecaster(calendar="DE"), "calendar must be a calendar"),
    (lambda: fit(wave(), calendar=DayOfWeek()), "index of dates or periods"),
    (lambda: fit(DAYS, DAYS.to_frame("Sunday"), calendar=DayOfWeek()), "got 'Sunday' twice"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_inputs_and_calendars_that_make_no_sense_are_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_lags_that_explain_nothing_are_named_together():
    y, promo = passengers()
    beside = fit(y, promo, exog_lags=[0, 1, 2, 3])
    assert "no more than chance: promo at lags 0 to 3" in beside.notes_[0]
