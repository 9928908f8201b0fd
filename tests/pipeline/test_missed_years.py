"""Notes on a season of a year that a series of days may have, and that nothing models."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf


def daily(n, freq="D", year=0.0):
    index = pd.date_range("2021-03-01", periods=n, freq=freq)
    season = year * np.cos(2 * np.pi * index.day_of_year / 365.25)
    return pd.Series(season + np.random.default_rng(n).standard_normal(n), index)


@pytest.mark.parametrize(
    ("n", "freq", "said"),
    [
        (364, "D", None),
        (500, "D", "no season of a year (365 steps) was looked for, as fewer than two years were"),
        (800, "D", "no season of a year (365 steps) is modelled, as none repeats itself clearly"),
        (300, "B", "no season of a year (261 steps) was looked for, as fewer than two years were"),
        (800, "B", "season_length=[5, 261] lets it in"),
        (800, "h", None),
    ],
)
def test_a_year_of_days_that_is_not_modelled_is_said_to_be_missed(n, freq, said):
    fc = gf.Forecaster(lags=1, model=gf.models.LinearAR()).fit(daily(n, freq))
    notes = [note for note in fc.notes_ if "season of a year" in note]
    assert len(notes) == (said is not None)
    assert said is None or said in notes[0]


def test_a_year_that_is_modelled_or_named_or_left_to_the_user_is_not_said_to_be_missed():
    fast = {"lags": 1, "model": gf.models.LinearAR()}
    found = gf.Forecaster(**fast).fit(daily(800, year=5.0))
    assert "period=365.25" in repr(found.transforms_)
    named = gf.Forecaster(**fast, season_length=[7, 365]).fit(daily(800))
    mine = gf.Forecaster(**fast, transforms=None).fit(daily(800))
    flat = gf.Forecaster(lags=1).fit(daily(800) * 0.0 + 5.0)
    measured = gf.Forecaster(**fast).fit(daily(800), exog=daily(801)[:800].rename("temperature"))
    fast["model"] = gf.models.BayesianAR()
    month = gf.Forecaster(**fast, calendar=gf.calendars.MonthOfYear()).fit(daily(800))
    for fc in (found, named, mine, flat, measured, month):
        assert not any("season of a year (" in note for note in fc.notes_)
