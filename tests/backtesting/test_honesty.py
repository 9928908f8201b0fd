"""No forecast looks beyond its origin; the forecaster stays as it was; what is refused."""

import numpy as np
import pandas as pd
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf
from gpforecast.propagation import MonteCarlo

# No forecast looks beyond its origin, and the forecaster stays as it was


def test_unfitted_forecaster_learns_from_the_first_part_and_stays_unfitted():
    y, fc = wave(), gf.Forecaster(3, model=fixed())
    result = gf.backtest(fc, y, horizon=10, origins=1000, refit=None)
    assert not hasattr(fc, "model_")
    assert result.origins.min() == 60
    same = gf.backtest(fitted(60), y, horizon=10, origins=1000)
    np.testing.assert_allclose(result.mean, same.mean, rtol=1e-12)
    later = gf.backtest(fc, y, horizon=10, origins=1000, train_fraction=0.75)
    assert later.origins.min() == 90


def test_fitted_forecaster_is_not_changed():
    fc = fitted()
    state, before = dict(vars(fc)), fc.predict(5)
    gf.backtest(fc, wave(), horizon=10, origins=5, propagation="naive")
    assert vars(fc) == state
    pd.testing.assert_frame_equal(fc.predict(5).covariance, before.covariance)


def test_forecast_does_not_look_beyond_its_origin():
    method = MonteCarlo(50, seed=0)
    y = wave()
    fc = fitted()
    changed = y.copy()
    changed.iloc[80:] = -100.0
    a = gf.backtest(fc, y, horizon=10, origins=[80], propagation=method)
    b = gf.backtest(fc, changed, horizon=10, origins=[80], propagation=method)
    np.testing.assert_array_equal(a.mean, b.mean)
    np.testing.assert_array_equal(a.var, b.var)
    assert (b.truth == -100).all()
    changed.iloc[79] = -100.0
    c = gf.backtest(fc, changed, horizon=10, origins=[80], propagation=method)
    assert not np.allclose(a.mean, c.mean)


def test_origins_are_drawn_after_the_training_values_without_repetition():
    y = wave()
    result = gf.backtest(fitted(60), y, horizon=10, origins=1000)
    # Every place there is: from the first value not seen to the last with a whole horizon.
    assert list(result.origins) == list(range(60, 111))
    some = gf.backtest(fitted(60), y, horizon=10, origins=9, seed=2).origins
    assert len(set(some)) == 9
    assert list(some) == sorted(some)
    assert min(some) >= 60
    again = gf.backtest(fitted(60), y, horizon=10, origins=9, seed=2).origins
    np.testing.assert_array_equal(some, again)
    other = gf.backtest(fitted(60), y, horizon=10, origins=9, seed=3).origins
    assert list(other) != list(some)


# What a backtest refuses, and why


LIST = "number of them, or a list of times or positions"
KNOWS_ALL = "knows 120 of the 120 values .* pass one that is not"


@pytest.mark.parametrize(
    ("forecaster", "options", "words"),
    [
        (fitted(60), {"origins": [59]}, "between 60 .* and 110"),
        (fitted(60), {"origins": [111]}, "between 60 .* and 110"),
        (fitted(60), {"origins": 0}, "origins must be a positive integer"),
        (fitted(60), {"origins": "all"}, LIST),
        (fitted(60), {"origins": ["2024-03-01"]}, LIST),
        (fitted(120), {"origins": 5}, KNOWS_ALL),
        (gf.Forecaster(3), {"train_fraction": 0.0}, "train_fraction"),
        (gf.Forecaster(3), {"train_fraction": np.nan}, "train_fraction"),
        (gf.Forecaster(3), {"refit": "often"}, "refit must be a positive integer"),
        (gf.Forecaster(3), {"refit": 0}, "refit must be a positive integer"),
        (gf.Forecaster, {}, "forecaster must be a Forecaster"),
    ],
)
def test_what_makes_no_sense_is_refused(forecaster, options, words):
    with pytest.raises((ValueError, TypeError), match=words):
        gf.backtest(forecaster, wave(), horizon=10, **options)


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
        (pd.period_range("2015-01", periods=120, freq="M"), ["2021", pd.Period("2022-02")],
         [72, 85]),
        (
            pd.date_range("2024-03-29", periods=120, freq="h", tz="Europe/Paris"),
            pd.DatetimeIndex(["2024-04-01 00:00"], tz="UTC"),  # an hour was skipped
            [74],
        ),
    ],
    ids=["days", "between days", "months", "zone"],
)  # fmt: skip
def test_origins_may_be_times_and_are_the_first_steps_at_or_after_them(index, times, positions):
    y = wave().set_axis(index)
    forecaster = gf.Forecaster(3, model=fixed())
    found = gf.backtest(forecaster, y, horizon=10, origins=times, refit=None)
    assert found.origins.tolist() == positions
