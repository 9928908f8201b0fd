"""Notes of a fit that a user can act on: seasons that are not used, classes, hours, inputs."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

NOISE = 20.0 + np.random.default_rng(0).standard_normal(130)
DAYS = pd.date_range("2024-01-01", periods=60)
INPUTS = pd.DataFrame({"valve": np.linspace(0.0, 1.0, 60), "promo": np.zeros(60)}, index=DAYS)


def notes_of(values, season_length="auto", freq=None, **options):
    if freq is not None:
        values = pd.Series(values, pd.date_range("1850-01-01", periods=len(values), freq=freq))
    options = {"model": gf.models.LinearAR(), "combine": None} | options
    return gf.Forecaster(season_length=season_length, **options).fit(values).notes_


def test_a_named_season_that_nothing_repeats_comes_with_the_transform_that_models_it():
    notes = notes_of(NOISE, [5, 9], lags=[1, 9], transforms=None)
    (note,) = (note for note in notes if "season" in note)
    assert note.startswith("the season of 5 steps, which season_length names, is not used")
    advised = eval(note.split("transforms=")[1].split(" models")[0])
    notes = notes_of(NOISE, [5, 9], lags=[1, 9], transforms=advised)
    assert not any("season" in note for note in notes)


def test_zeros_and_ones_point_to_the_forecaster_of_classes():
    events = pd.Series(NOISE > 20.0)
    assert any("gf.EventForecaster" in note for note in notes_of(events, lags=2))
    assert not any("EventForecaster" in note for note in notes_of(events * 2.0, lags=2))


def test_a_last_value_of_a_period_that_may_not_be_over_is_named_until_others_follow():
    y = pd.Series(50.0 + NOISE[:60] - 20.0, pd.period_range("2020-01", periods=60, freq="M"))
    y.iloc[-1] = 18.0
    fc = gf.Forecaster(lags=1, model=gf.models.LinearAR(), outliers=None).fit(y)
    assert any(note.startswith("the last value, 18 at 2024-12, is far") for note in fc.notes_)
    assert not any("the last value," in note for note in fc.update([50.0]).notes_)


@pytest.fixture(scope="module")
def driven():
    y = pd.Series(3.0 * INPUTS["valve"] + 0.1 * NOISE[:60], DAYS)
    options = {"transforms": None, "model": gf.models.BayesianAR(), "noise": "process"}
    return gf.Forecaster(lags=1, exog_lags=[0], **options).fit(y[:50], exog=INPUTS[:50])


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [("valve", 1.2, None), ("valve", 100.0, "'valve' (from 0 to "),
     ("promo", 1.0, "'promo' (from 0 to 0 so far)"), ("promo", 1e-12, "'promo'")],
)  # fmt: skip
def test_inputs_far_from_all_that_was_learned_from_are_named(driven, column, value, said):
    inputs = INPUTS[50:].copy()
    inputs.iloc[3, inputs.columns.get_loc(column)] = value
    notes = [note for note in driven.predict(10, exog=inputs).notes if "inputs far" in note]
    assert len(notes) == (said is not None)
    assert said is None or said in notes[0]


def test_an_update_notes_inputs_far_from_all_that_was_learned_from(driven):
    later = driven.update([1.0], exog=INPUTS[50:51].assign(valve=1000.0))
    assert any("inputs far" in note and "'valve' (from 0 to " in note for note in later.notes_)


def test_inputs_of_lag_0_are_noted_with_the_option_for_more():
    y = pd.Series(NOISE[:60], DAYS)
    for transforms in (None, "auto"):
        fc = gf.Forecaster(lags=1, transforms=transforms, model=gf.models.LinearAR())
        assert any("exog_lags=" in note for note in fc.fit(y, exog=INPUTS[["valve"]]).notes_)
    fc.set_params(exog_lags=[0]).fit(y, exog=INPUTS[["valve"]])
    assert not any("exog_lags=" in note for note in fc.notes_)


def test_a_blank_input_says_what_to_do():
    promo = pd.DataFrame({"promo": np.where(np.arange(130) % 3 == 0, 1.0, np.nan)})
    blank = gf.Forecaster(lags=1, transforms=None).fit(pd.Series(NOISE), promo).notes_
    assert any(note.startswith("input 'promo' is missing in 86 of 130 rows") for note in blank)


def test_a_declining_count_has_not_run_away_and_a_forecast_below_its_support_has():
    steps = np.arange(48)
    falling = np.round(300.0 * np.exp(-steps / 9.0)) + 1.0
    bayesian, options = gf.models.BayesianAR(), {"transforms": ["log", "difference"]}
    f = gf.Forecaster(1, support="count", model=bayesian, **options).fit(falling).predict(24)
    assert f.median.iloc[-1] == 0.0
    assert not any("run away" in note for note in f.notes)
    plunging = 100.0 - 1.1 ** steps[:40] + NOISE[:40] / 10.0
    fc = gf.Forecaster(1, support="positive", transforms=None, model=gf.models.LinearAR())
    with pytest.warns(gf.NumericalWarning, match="has run away"):
        fc.fit(plunging).predict(60)
