"""Where inputs enter: trial forecasts with their effects against those of a model with inputs."""

import re

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.regressors import (
    BESIDE,
    EARLIER,
    IN_LOGS,
    WITHIN,
    WITHOUT,
    _why,
    choose_inputs,
    effects_of,
    in_words,
    rarely_on,
)
from gpforecast.automatic.transforms import choose_transforms
from gpforecast.series.exogenous import Exogenous
from gpforecast.series.time_axis import TimeAxis
from gpforecast.transforms import Log


def test_columns_that_never_changed_have_no_say_in_where_inputs_enter():
    rng, n = np.random.default_rng(0), 140
    promo = pd.DataFrame({"promo": (rng.random(n) < 0.2).astype(float)})
    y = pd.Series(rng.standard_normal(n)) + 2.0 * promo["promo"]
    alone = choose_inputs(y, Exogenous.fit(promo, y.index))
    beside = choose_inputs(y, Exogenous.fit(promo.assign(open=1.0, size=1000.0), y.index))
    assert (alone.value is None) == (beside.value is None)
    assert beside.scores == pytest.approx(alone.scores, rel=1e-9)


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


def test_the_errors_of_all_ways_are_said_from_the_smallest():
    scores = {BESIDE: 0.402, WITHIN: 0.185, WITHOUT: 0.629}
    assert _why(scores, WITHIN) == (
        "errors of trial forecasts of the series' own past (CRPS, smaller is better): 0.185 with "
        "the inputs beside the lags, which was chosen; 0.402 with their effects taken from the "
        "series; 0.629 without inputs"
    )
    assert _why({BESIDE: np.inf, WITHIN: 1.0}, WITHIN).startswith(f"no trial forecasts {BESIDE}")


def test_a_way_with_a_larger_error_is_chosen_for_a_reason_that_is_said():
    chosen = "which was chosen all the same, as "
    said = _why({BESIDE: 1.02, WITHIN: 1.0}, BESIDE)
    assert said.endswith(f"series, {chosen}the other way must be at least 5 % better")
    said = _why({BESIDE: 1.2, WITHIN: 0.99, WITHOUT: 1.0}, BESIDE)
    assert said.split("; ")[2].endswith(
        f"series, {chosen}beside the lags the inputs hardly help: the error with them is 1 % "
        "smaller than that without inputs"
    )
    said = _why({BESIDE: 0.9, WITHIN: 1.0}, WITHIN)
    assert said.endswith(
        f"lags, {chosen}lags of the inputs were named or nothing else is taken from the series, "
        "and then taking their effects must be at least 20 % better"
    )


def test_effects_are_said_in_plain_digits_and_events_in_words():
    rng, n = np.random.default_rng(0), 400
    days = pd.date_range("2023-01-01", periods=n)
    on = pd.DataFrame({"holiday DE": np.zeros(n), "holiday DE -1": np.zeros(n)}, days)
    on.iloc[::19, 0] = 1.0
    on.iloc[18::19, 1] = 1.0
    y = 30_000.0 + 500.0 * rng.standard_normal(n) + on @ [-9_000.0, -2_330.0]
    effects = effects_of(Exogenous.fit(on, y.index), None)
    said = in_words(effects.fit_at(y.to_numpy(), TimeAxis(days)), None)
    number = r"-\d,\d\d0 \(standard error 1\d0\)"
    assert re.search(
        f"unit: a holiday in DE {number}, the day before a holiday in DE {number}", said
    )


def delayed(index):
    """Return values that an input moves two steps later, and the input."""
    rng, n = np.random.default_rng(0), len(index)
    u = rng.standard_normal(n)
    y = 10.0 + 0.5 * rng.standard_normal(n)
    y[2:] += 2.0 * u[:-2]
    return pd.Series(y, index), pd.DataFrame({"u": u}, index)


@pytest.mark.parametrize("freq", ["D", "MS"])
def test_an_input_that_acts_with_a_delay_enters_the_model_though_the_index_has_dates(freq):
    y, inputs = delayed(pd.date_range("2000-01-01", periods=66, freq=freq))
    found = choose_inputs(y[:60], Exogenous.fit(inputs[:60], y.index[:60]))
    assert found.value is None
    assert found.scores[EARLIER] < 0.5 * min(found.scores[BESIDE], found.scores[WITHIN])
    assert f"{EARLIER}, which was chosen" in found.reason
    fc = gf.Forecaster(combine=None).fit(y[:60], exog=inputs[:60])
    assert 2 in {lag for _, lag in fc.fitted_.inputs.exog}
    error = np.abs(fc.predict(6, exog=inputs[60:]).mean - y[60:]).mean()
    assert error < 1.0  # the noise is 0.4, the input 1.6; without it 2.3


def test_earlier_inputs_are_tried_only_where_nobody_names_lags():
    y, inputs = delayed(pd.date_range("2000-01-01", periods=60, freq="D"))
    found = choose_inputs(y, Exogenous.fit(inputs, y.index), [0])
    assert EARLIER not in found.scores


def test_an_input_of_no_use_stays_out_of_the_model():
    days = pd.date_range("2000-01-01", periods=60, freq="D")
    y, _ = delayed(days)
    other = pd.DataFrame({"u": np.random.default_rng(1).standard_normal(60)}, days)
    found = choose_inputs(y, Exogenous.fit(other, days))
    assert found.value is not None
    assert EARLIER not in found.scores


@pytest.mark.parametrize("seed", [0, 3])
def test_days_at_zero_that_an_input_explains_rule_a_logarithm_out(seed):
    rng, n = np.random.default_rng(seed), 420
    days = pd.date_range("2024-01-01", periods=n)
    level = 0.3 * np.sin(2 * np.pi * np.arange(n) / 7) + np.cumsum(0.03 * rng.standard_normal(n))
    y = pd.Series(1000.0 * np.exp(level + 0.1 * rng.standard_normal(n)), days)
    closed = pd.DataFrame({"closed": np.zeros(n)}, days)
    closed.iloc[rng.choice(n - 30, 6, replace=False)] = 1.0
    open_ = y.where(closed["closed"] == 0.0).interpolate()
    y[closed["closed"] > 0.0] = 0.0
    found = choose_inputs(y, Exogenous.fit(closed, days)).value.spec.steps
    assert found[0].names == ("closed",)  # what is left is positive, and its logarithm is better
    assert Log() in choose_transforms(open_).value.transforms.steps
    assert Log() not in found


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
    found = choose_inputs(y, Exogenous.fit(promo, y.index))
    assert found.value.spec.steps[0] == Log()
    assert found.scores[IN_LOGS] < found.scores[BESIDE] / 1.1
    effect = found.value.effects.beta.item()
    assert effect == pytest.approx(0.35, abs=0.05)
    said = in_words(found.value.effects, found.value.warp)
    assert f"promo +{100 * np.expm1(effect):.1f} % (standard error" in said


def test_no_logarithm_is_said_to_be_taken_where_what_is_left_cannot_take_it():
    """The level falls to an eighth: less that shift, there are values below 0."""
    rng, n = np.random.default_rng(0), 900
    days = pd.date_range("2021-01-04", periods=n)
    week = np.array([0.5, 0.5, 0.6, 0.9, 1.2, 2.0, 1.3])[days.day_of_week]
    promo = pd.DataFrame({"promo": (rng.random(n) < 0.12).astype(float)}, days)
    effect = np.exp(0.5 * promo["promo"] + 0.06 * rng.standard_normal(n))
    y = pd.Series(np.where(np.arange(n) < 500, 100.0, 12.0) * week * effect, days)
    found = choose_inputs(y, Exogenous.fit(promo, days))
    assert IN_LOGS not in found.scores
    assert found.value is None or Log() not in found.value.spec.steps


def test_a_logarithm_that_the_series_shows_keeps_its_reason():
    rng, n = np.random.default_rng(0), 144
    months = pd.date_range("2012-01-01", periods=n, freq="MS")
    promo = pd.DataFrame({"promo": (rng.random(n) < 0.2).astype(float)}, months)
    season = 0.3 * np.sin(2.0 * np.pi * np.arange(n) / 12)
    level = 5.0 + 0.012 * np.arange(n) + season + 0.1 * promo["promo"]
    y = pd.Series(np.exp(level + 0.02 * rng.standard_normal(n)), months)
    f = gf.Forecaster(model=gf.models.LinearAR(), combine=None).fit(y, exog=promo)
    assert f.transforms_.spec.steps[0] == Log()
    assert any("swings within a season grow" in reason for reason in f.transforms_.reasons)


def test_what_they_leave_is_modelled_on_the_logarithm_too():
    y, promo = shop(percentages=True)
    model = gf.models.LinearAR()
    f = gf.Forecaster(model=model, combine=None).fit(y[:-14], exog=promo[:-14])
    steps = f.transforms_.spec.steps
    assert steps[0] == Log()
    assert steps[1].names == ("promo",)
    assert "the logarithm, its changes from step to step" in f.summary()


def test_effects_that_are_amounts_are_found_on_the_series():
    y, promo = shop(percentages=False)
    found = choose_inputs(y, Exogenous.fit(promo, y.index))
    assert IN_LOGS not in found.scores
    assert Log() not in found.value.spec.steps
    assert found.value.effects.beta.item() == pytest.approx(700.0, abs=80.0)


def test_columns_that_explain_nothing_bring_no_logarithm():
    y, promo = shop(percentages=True)
    shuffled = promo.sample(frac=1.0, random_state=0).set_axis(promo.index)
    without = choose_transforms(y).value.transforms
    found = gf.Forecaster(model=gf.models.LinearAR(), combine=None).fit(y, exog=shuffled)
    assert found.transforms_.effects is None
    assert (Log() in found.transforms_.spec.steps) == (Log() in without.steps)


def test_effects_on_a_logarithm_that_are_large_are_said_in_its_units():
    y, promo = shop(percentages=True)
    found = choose_inputs(y, Exogenous.fit(promo / 100.0, y.index)).value
    assert "effect of one unit on the logarithm: promo +3" in in_words(found.effects, found.warp)
