"""How inputs enter: candidates judged by free simulations of the series' own past."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.driven import LINEAR, Past, widening
from gpforecast.automatic.effects import in_words, rarely_on
from gpforecast.automatic.inputs import choose_inputs
from gpforecast.automatic.settings import settings_for
from gpforecast.series import TimeAxis
from gpforecast.series.exogenous import Exogenous
from gpforecast.transforms import Log


def test_columns_that_never_changed_have_no_say_in_where_inputs_enter():
    rng, n = np.random.default_rng(0), 140
    promo = pd.DataFrame({"promo": (rng.random(n) < 0.2).astype(float)})
    y = pd.Series(rng.standard_normal(n)) + 2.0 * promo["promo"]
    alone = choose_inputs(y, Exogenous.fit(promo, TimeAxis(y.index)))
    beside = choose_inputs(y, Exogenous.fit(promo.assign(open=1.0, size=1000.0), TimeAxis(y.index)))
    assert alone.reasons[0] == beside.reasons[0]
    name = alone.reasons[0].partition(": ")[0]
    assert alone.scores[name] == pytest.approx(beside.scores[name], rel=1e-9)


def test_what_a_holiday_does_is_its_effect_and_no_outlier():
    rng, n = np.random.default_rng(0), 300
    on = np.zeros(n)
    on[[150, 290]] = 1.0
    y = 10.0 + np.sin(2.0 * np.pi * np.arange(n) / 7.0) + 0.3 * rng.standard_normal(n)
    y[150] -= 6.0
    days = pd.date_range("2024-01-01", periods=n)
    series, holiday = pd.Series(y, days), pd.DataFrame({"holiday": on}, days)
    alone = gf.Forecaster().fit(series[:280])
    beside = gf.Forecaster().fit(series[:280], exog=holiday[:280])
    assert any("outlier" in note for note in alone.notes_)
    assert not any("outlier" in note for note in beside.notes_)
    f = beside.predict(14, exog=holiday[280:294])
    assert f.mean.iloc[10] < y[290] - 4.0


def test_a_column_is_rarely_on_where_it_leaves_its_commonest_value_now_and_then():
    columns = np.zeros((40, 3))
    columns[[3, 9], 0] = 1.0
    columns[::4, 1] = 1.0  # on as often as not: no rare event
    columns[:, 2] = np.arange(40.0)
    np.testing.assert_array_equal(np.argwhere(rarely_on(columns)), [[3, 0], [9, 0]])


def test_effects_are_judged_with_every_season_of_the_series():
    """A load with its day and week, which cold weather raises: the CRPS of its noise is 8.5."""
    rng, n = np.random.default_rng(0), 1000
    hours, t = pd.date_range("2024-01-01", periods=n, freq="h"), np.arange(n)
    weather = np.zeros(n)
    for k in range(1, n):
        weather[k] = 0.99 * weather[k - 1] + 0.8 * rng.standard_normal()
    temperature = 5.0 + weather - 4.0 * np.cos(2.0 * np.pi * t / 24.0)
    day, weekend = 150.0 * np.sin(2.0 * np.pi * t / 24.0), 200.0 * (hours.day_of_week > 4)
    heating, noise = 8.0 * np.maximum(8.0 - temperature, 0.0), 15.0 * rng.standard_normal(n)
    y = pd.Series(1000.0 + day - weekend + heating + noise, hours)
    inputs = pd.DataFrame({"temperature": temperature}, hours)
    found = choose_inputs(y, Exogenous.fit(inputs, TimeAxis(hours)))
    assert found.value.chain is not None
    assert min(found.scores.values()) < 14.0


def delayed(index):
    """Return values that an input moves two steps later, and the input."""
    rng, n = np.random.default_rng(0), len(index)
    u = rng.standard_normal(n)
    y = 10.0 + 0.5 * rng.standard_normal(n)
    y[2:] += 2.0 * u[:-2]
    return pd.Series(y, index), pd.DataFrame({"u": u}, index)


def lags_used(choice):
    """Return the lags at which an input enters the model, or has an effect."""
    if choice.driven is not None:
        return choice.driven.inputs
    effects = choice.chain.effects
    return [lag for (_, lag), beta in zip(effects.terms, effects.beta, strict=True) if beta]


@pytest.mark.parametrize("freq", ["D", "MS"])
def test_an_input_that_acts_with_a_delay_enters_the_model_though_the_index_has_dates(freq):
    y, inputs = delayed(pd.date_range("2000-01-01", periods=66, freq=freq))
    found = choose_inputs(y[:60], Exogenous.fit(inputs[:60], TimeAxis(y.index[:60])))
    assert 2 in lags_used(found.value)
    assert "smallest error in simulations" in found.reason
    fc = gf.Forecaster(combine=None).fit(y[:60], exog=inputs[:60])
    error = np.abs(fc.predict(6, exog=inputs[60:]).mean - y[60:]).mean()
    assert error < 1.0  # the noise is 0.4, the input 1.6; without it 2.3


def test_an_effect_at_once_is_found_where_many_lags_hide_it(monkeypatch):
    """The simulations favour 21 lags, which together explain no more than chance."""
    rng, n = np.random.default_rng(0), 126
    promo = pd.DataFrame({"promo": (rng.random(n) < 0.2).astype(float)})
    y = pd.Series(rng.standard_normal(n)) + 0.8 * promo["promo"]

    def simulated(past, tried, steps):
        scores = [1.0 if "lags 0 to 20" in one.name else 2.0 for one in tried]
        return np.array(scores), np.empty((len(scores), len(past.y)))

    monkeypatch.setattr(Past, "simulated", simulated)
    found = choose_inputs(y, Exogenous.fit(promo, TimeAxis(y.index))).value
    assert found.effects.terms == ((0, 0),)
    assert found.effects.beta == pytest.approx(0.8, abs=0.4)


def test_an_input_of_no_use_stays_out_of_the_model():
    days = pd.date_range("2000-01-01", periods=60, freq="D")
    y, _ = delayed(days)
    other = pd.DataFrame({"u": np.random.default_rng(1).standard_normal(60)}, days)
    found = choose_inputs(y, Exogenous.fit(other, TimeAxis(days)))
    assert found.value.driven is None
    assert found.value.effects is None


def shop(*, percentages, seed=4, n=500):
    """Return sales with a week and promotions whose effects are percentages, or amounts."""
    rng, days = np.random.default_rng(seed), pd.date_range("2022-01-03", periods=n)
    level = np.exp(np.cumsum(rng.normal(0.0, 0.01, n)))
    week = np.array([0.8, 0.75, 0.8, 0.9, 1.2, 1.6, 1.1])[days.day_of_week]
    promo, noise = (rng.random(n) < 0.12).astype(float), rng.standard_normal(n)
    if percentages:
        y = 2000.0 * level * week * np.exp(0.35 * promo + 0.08 * noise)
    else:
        y = 2000.0 * level + 600.0 * (week - 1.0) + 700.0 * promo + 150.0 * noise
    return pd.Series(y, days), pd.DataFrame({"promo": promo}, days)


def test_effects_that_are_percentages_are_found_on_the_logarithm():
    y, promo = shop(percentages=True)
    exog = Exogenous.fit(promo, TimeAxis(y.index))
    found = choose_inputs(y, exog)
    assert found.value.chain.spec.steps[0] == Log()
    chain = settings_for(y, exog=exog).chain
    effect = chain.effects.beta[0]
    assert effect == pytest.approx(0.35, abs=0.05)
    said = in_words(chain.effects, chain.warp)
    assert f"promo +{100 * np.expm1(effect):.1f} % (standard error" in said


def test_what_they_leave_is_modelled_on_the_logarithm_too():
    y, promo = shop(percentages=True)
    model = gf.models.LinearAR()
    f = gf.Forecaster(model=model, combine=None).fit(y[:-14], exog=promo[:-14])
    steps = f.transforms_.spec.steps
    assert steps[0] == Log()
    assert steps[1].names[0] == "promo"
    assert "The logarithm, less the effects of the inputs" in f.summary()


def test_effects_that_are_amounts_are_found_on_the_series():
    y, promo = shop(percentages=False)
    found = choose_inputs(y, Exogenous.fit(promo, TimeAxis(y.index)))
    assert Log() not in found.value.chain.spec.steps
    assert found.value.chain.effects.beta[0] == pytest.approx(700.0, abs=80.0)


def test_columns_that_explain_nothing_bring_no_logarithm():
    y, promo = shop(percentages=True)
    shuffled = promo.sample(frac=1.0, random_state=0).set_axis(promo.index)
    options = {"model": gf.models.LinearAR(), "combine": None}
    without = gf.Forecaster(**options).fit(y).transforms_.spec
    found = gf.Forecaster(**options).fit(y, exog=shuffled)
    assert found.transforms_.effects is None
    assert (Log() in found.transforms_.spec.steps) == (Log() in without.steps)


def exchanger(n=520, dead=10):
    """A temperature that follows its valve after a dead time and through two stores of heat."""
    rng = np.random.default_rng(0)
    u = rng.uniform(-1.0, 1.0, n).repeat(rng.integers(5, 40, n))[:n]
    x, y = np.zeros((2, n))
    for t in range(1, n):
        x[t] = 0.85 * x[t - 1] + 0.45 * (u[t - 1 - dead] if t > dead else 0.0)
        y[t] = 0.9 * y[t - 1] + 0.1 * x[t] + 0.01 * rng.standard_normal()
    return pd.Series(60.0 + 4.0 * y), pd.DataFrame({"valve": u})


def test_a_process_with_a_dead_time_is_forecast_by_inputs_beyond_it():
    """By the lags of the series alone and inputs up to 8 the error was that of its mean."""
    y, u = exchanger()
    fc = gf.Forecaster().fit(y[:480], exog=u[:480])
    assert max(lag for _, lag in fc.fitted_.inputs.exog) == 20
    score = fc.predict(40, exog=u[480:]).score(y[480:])
    assert score["mae"] < 0.06 * y.std()
    assert score["coverage_95"] > 0.8


def test_lags_that_a_user_names_stay():
    y, u = exchanger(300)
    exog = Exogenous.fit(u, TimeAxis(y.index))
    found = choose_inputs(y, exog, [0, 4], lags=(1, 3)).value.driven
    assert found is None or found.lags == (1, 3)
    assert found is None or found.inputs is None  # those that were given


def test_a_linear_process_is_simulated_by_a_linear_model_beyond_what_it_learned_from():
    rng, n = np.random.default_rng(1), 500
    u = np.repeat(rng.uniform(-1.0, 1.0, n // 10), 10) * np.where(np.arange(n) < 300, 1.0, 3.0)
    y = np.zeros(n)
    for t in range(1, n):
        y[t] = 0.95 * y[t - 1] + 0.05 * u[t - 1]
    y += 0.005 * rng.standard_normal(n)
    found = choose_inputs(
        pd.Series(y[:300]), Exogenous.fit(u[:300, None], TimeAxis(pd.RangeIndex(300)))
    )
    assert found.value.driven.kind == LINEAR
    f = gf.Forecaster().fit(y[:300], exog=u[:300]).simulate(u[300:])
    assert np.abs(f.mean - y[300:]).max() < 0.1 * y[300:].std()


def widened(errors):
    """Return the factors of a simulation of 400 steps with these errors over claimed ones."""
    return widening(errors, 1.0 - 0.8 ** (2.0 * np.arange(1, len(errors) + 1)))


def test_intervals_widen_where_few_errors_are_independent_and_not_for_one_step():
    rng = np.random.default_rng(0)
    white = rng.standard_normal(400)
    slow = np.convolve(rng.standard_normal(699), np.ones(300), "valid")
    slow /= np.sqrt(np.mean(slow**2))
    few, many = widened(slow), widened(white)
    np.testing.assert_allclose(many, 1.0, atol=0.1)
    assert few[0] == many[0] == 1.0
    assert few[-1] > 1.3 * many[-1]
    np.testing.assert_allclose(widened(3.0 * white)[-1], 3.0, rtol=0.1)
