"""What is said of inputs that are far from their past, or that an update lacks."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.pipeline.input_notes import notes_on_far_inputs, notes_on_new_inputs
from gpforecast.series.exogenous import Exogenous

DAYS = pd.date_range("2024-01-01", periods=60)
INPUTS = pd.DataFrame({"valve": np.linspace(0.0, 1.0, 60), "promo": np.zeros(60)}, index=DAYS)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    y = pd.Series(3.0 * INPUTS["valve"] + 0.1 * rng.standard_normal(60), DAYS)
    return gf.Forecaster(
        lags=1, exog_lags=[0], transforms=None, model=gf.models.BayesianAR(), noise="process"
    ).fit(y[:50], exog=INPUTS[:50])


def said(notes):
    return [note for note in notes if "input" in note]


def test_inputs_within_their_range_or_little_beyond_are_not_spoken_of(fitted):
    inputs = INPUTS[50:].copy()
    inputs.iloc[3, 0] = 1.2
    assert said(fitted.predict(10, exog=inputs).notes) == []


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
def test_an_input_in_another_unit_is_named_with_its_past(fitted):
    (note,) = said(fitted.predict(10, exog=100.0 * INPUTS[50:]).notes)
    assert note.startswith("inputs far from all that was learned from: 'valve' is 100 (from 0 to ")
    assert note.endswith("check their units")


def test_an_input_that_never_changed_is_far_wherever_it_goes(fitted):
    inputs = INPUTS[50:].copy()
    inputs.iloc[2, 1] = 1.0
    (note,) = said(fitted.predict(10, exog=inputs).notes)
    assert "'promo' is 1 (0 so far)" in note
    assert "valve" not in note


@pytest.mark.parametrize(("later", "n_notes"), [(1.4, 0), (1.6, 1), (-0.6, 1), (np.nan, 0)])
def test_an_input_is_far_from_half_its_range_beyond_it(later, n_notes):
    valve = pd.DataFrame({"valve": [0.0, 0.4, 1.0]})
    said = notes_on_far_inputs(Exogenous.fit(valve, valve.index), np.array([[0.5], [later]]))
    assert len(said) == n_notes


def test_what_is_said_of_a_forecast_comes_before_what_was_said_of_the_fit():
    y = pd.Series(np.sin(np.arange(59.0)), DAYS.delete(20))
    fc = gf.Forecaster(lags=1, exog_lags=[0], transforms=None, model=gf.models.BayesianAR())
    fc.fit(y[:49], exog=INPUTS[:50])
    first, *rest = fc.predict(10, exog=INPUTS[50:] + 1.0).notes
    assert first.startswith("inputs far from all that was learned from")
    assert fc.notes_
    assert (*rest,)[-len(fc.notes_) :] == fc.notes_


def test_an_input_between_the_two_values_it_had_is_named():
    pump = pd.DataFrame({"pump": [0.0, 1.0, 1.0, np.nan], "year": 2023.0})
    exog = Exogenous.fit(pump, pump.index)
    said = notes_on_far_inputs(exog, np.array([[1.0, 2023.0], [0.8, 2024.0]]))
    assert said[0].startswith("inputs far from all that was learned from: 'year' is 2024 (2023 so")
    assert said[1].startswith(
        "inputs between the only two values so far: 'pump' is 0.8 (0 or 1 so far); what they do"
    )
    pump.iloc[2, 0] = 0.3
    assert notes_on_far_inputs(Exogenous.fit(pump, pump.index), np.array([[0.8, 2023.0]])) == []


def test_an_input_that_differs_by_rounding_is_not_far():
    price = pd.DataFrame({"price": np.full(5, 0.3)})
    assert notes_on_far_inputs(Exogenous.fit(price, price.index), np.array([[0.1 + 0.2]])) == []


def test_an_update_names_a_category_as_the_user_does():
    shops = pd.DataFrame({"shop": ["a", "b", "c", "a"]})
    exog = Exogenous.fit(shops, shops.index)
    lost = np.full((2, len(exog)), np.nan)
    assert notes_on_new_inputs(exog, lost)[0].endswith("learned from those: 'shop'")


def test_an_update_says_which_inputs_are_missing_and_forgets_what_an_earlier_one_said(fitted):
    again = gf.Forecaster(lags=1, exog_lags=[0], transforms=None, model=gf.models.BayesianAR())
    again.fit(fitted.history_, exog=INPUTS[:50])
    inputs = INPUTS[50:].copy()
    inputs.iloc[1, 0], inputs.iloc[7, 0] = np.nan, np.nan
    again.update(pd.Series(np.arange(5.0), DAYS[50:55]), exog=inputs[:5])
    assert (
        "in an update, inputs are missing in 1 of 5 new rows, and little is learned from those: "
        "'valve'"
    ) in again.notes_
    again.update(pd.Series(np.arange(5.0), DAYS[55:]), exog=inputs[5:])
    assert len([note for note in again.notes_ if "in an update" in note]) == 1
