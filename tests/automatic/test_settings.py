"""A series in, settings out: what the user gave passes through, the rest is chosen with reasons."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic import settings_for
from gpforecast.series import TimeAxis
from gpforecast.series.exogenous import Exogenous
from gpforecast.transforms import Compose, Difference, Log


def walk(n=300, seed=3):
    return pd.Series(np.random.default_rng(seed).standard_normal(n).cumsum())


def chosen(y, exog=None, **given):
    """Return the settings of a forecaster with some arguments."""
    return settings_for(y, gf.Forecaster(**given).given, exog)


def test_everything_that_was_chosen_has_a_reason_and_scores():
    settings = settings_for(walk())
    assert "the values as they are" in settings.transforms.scores
    assert settings.chain.reasons == settings.transforms.reasons
    for decision in (settings.transforms, settings.lags):
        assert decision.reason
        assert all(reason.strip() == reason for reason in decision.reasons)


def test_what_the_user_gave_passes_through_without_a_reason():
    model = gf.models.LinearAR()
    settings = chosen(walk() + 100.0, transforms=[Log(), Difference()], lags=[1, 5], model=model)
    assert settings.transforms.value == Compose(Log(), Difference())
    assert settings.lags.value == (1, 5)
    assert settings.model.value is model
    assert [d.reason for d in (settings.transforms, settings.lags, settings.model)] == [""] * 3
    assert chosen(walk(), transforms=None, lags=3, model=model).lags.value == (1, 2, 3)


def reason_of(y, **given):
    """Why a model is taken for the levels of a series."""
    return chosen(y, transforms=None, **given).model.reason


def test_each_is_chosen_for_what_the_others_make_of_the_series():
    y = walk()
    changes = [Difference()]
    assert chosen(y, transforms=None).lags != chosen(y, transforms=changes).lags
    assert "60 rows are few" in reason_of(y[:100], lags=40)
    assert "20 rows are few" in reason_of(y, lags=2, max_rows=20)
    differenced = chosen(y[:101], lags=40, transforms=changes)
    assert "60 rows of changes are too few" in differenced.model.reason
    assert len(differenced.model.value.scales) == 40


def test_inputs_that_drive_a_series_count_as_inputs_of_the_model_and_nothing_is_taken_away():
    u = np.random.default_rng(1).standard_normal((95, 2))
    y = np.zeros(95)
    for t in range(2, 95):  # with a delay, and a curve
        y[t] = 0.8 * y[t - 1] + np.tanh(2.0 * u[t - 1, 0]) + u[t - 2, 1] ** 2
    y = pd.Series(y)
    inputs = Exogenous.fit(u, TimeAxis(y.index))
    settings = chosen(y, inputs, exog_lags=[0, 1, 2, 3], lags=2)
    assert settings.transforms.value == Compose()
    assert settings.exog is inputs
    assert settings.lags.value == (1, 2)
    assert "simulations by it had the smallest error" in settings.model.reason


def test_gaps_cost_rows():
    y = walk(104)
    whole = chosen(y, transforms=None, lags=2)
    y[50] = np.nan
    assert whole.model.reason == ""
    assert "99 rows are few" in chosen(y, transforms=None, lags=2).model.reason


def test_an_empty_series_is_refused():
    with pytest.raises(ValueError, match="series is empty"):
        settings_for(pd.Series([], dtype=float))


def test_settings_of_a_fitted_forecaster_are_those_of_its_series():
    y = walk()
    fc, settings = gf.Forecaster().fit(y), settings_for(y)
    assert fc.transforms_.spec == settings.transforms.value
    assert fc.transforms_.reasons == settings.transforms.reasons
    assert fc.lags_ == settings.lags.value
    assert type(fc.model_) is type(settings.model.value)
    text = " ".join(fc.summary().split())
    for reason in (*settings.transforms.reasons, *settings.lags.reasons, *settings.model.reasons):
        assert reason.removeprefix("the changes from step to step: ") in text


@pytest.mark.parametrize("given", [{"lags": 4}, {"model": gf.models.LinearAR()}], ids=str)
def test_lags_or_a_model_that_a_user_gives_leave_a_line_to_the_transforms(given):
    """A process whose own lags know the line does not decide for them."""
    line = pd.Series(np.arange(100) + np.random.default_rng(0).standard_normal(100))
    fc = gf.Forecaster(**given).fit(line)
    assert fc.transforms_.spec.steps
    assert abs(fc.predict(20).mean.iloc[-1] - 119.0) < 2.0
