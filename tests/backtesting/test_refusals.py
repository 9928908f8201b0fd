"""What a backtest refuses, and why."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf


@pytest.mark.parametrize(
    ("origins", "words"),
    [
        ([59], "between 60 .* and 110"),
        ([111], "between 60 .* and 110"),
        (0, "origins must be a positive integer"),
        ("all", "number of them, or a list of times or positions"),
        (["2024-03-01"], "number of them, or a list of times or positions"),
    ],
)
def test_origins_that_make_no_sense_are_refused(origins, words):
    with pytest.raises(ValueError, match=words):
        gf.backtest(fitted(60), wave(), horizon=10, origins=origins)


@pytest.mark.parametrize("fraction", [0.0, np.nan])
def test_train_fraction_must_lie_between_0_and_1(fraction):
    with pytest.raises(ValueError, match="train_fraction"):
        gf.backtest(gf.Forecaster(3), wave(), horizon=10, train_fraction=fraction)


def test_a_horizon_may_be_a_length_of_time():
    y = wave().set_axis(pd.date_range("2024-01-01", periods=120))
    assert gf.backtest(gf.Forecaster(3, model=fixed()).fit(y[:60]), y, "2 weeks", 2).mean.shape == (
        2,
        14,
    )


@pytest.mark.parametrize(
    ("index", "times", "positions"),
    [
        (pd.date_range("2024-01-01", periods=120), ["2024-03-11", "2024-04"], [70, 91]),
        (pd.date_range("2024-01-01", periods=120), pd.to_datetime(["2024-03-11 12:00"]), [71]),
        (
            pd.period_range("2015-01", periods=120, freq="M"),
            ["2021", pd.Period("2022-02")],
            [72, 85],
        ),
        (
            pd.date_range("2024-03-29", periods=120, freq="h", tz="Europe/Paris"),
            pd.DatetimeIndex(["2024-04-01 00:00"], tz="UTC"),  # an hour was skipped
            [74],
        ),
    ],
    ids=["days", "between days", "months", "zone"],
)
def test_origins_may_be_times_and_are_the_first_steps_at_or_after_them(index, times, positions):
    y = wave().set_axis(index)
    forecaster = gf.Forecaster(3, model=fixed())
    found = gf.backtest(forecaster, y, horizon=10, origins=times, refit=None)
    assert found.origins.tolist() == positions


def test_a_class_instead_of_a_forecaster_is_refused():
    with pytest.raises(TypeError, match="forecaster must be a Forecaster"):
        gf.backtest(gf.Forecaster, np.arange(100.0), 5)


def test_a_forecaster_that_knows_the_whole_series_is_refused():
    with pytest.raises(ValueError, match=r"knows 120 of the 120 values .* pass one that is not"):
        gf.backtest(fitted(120), wave(), horizon=10, origins=5)
