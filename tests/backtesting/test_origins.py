"""Which origins a backtest takes."""

import numpy as np
from backtest_cases import fitted, wave

import gpforecast as gf


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


def test_another_series_is_used_from_the_first_place_the_lags_allow():
    result = gf.backtest(fitted(60), wave(50, seed=1), horizon=10, origins=1000)
    assert result.origins.min() == 3
    assert result.origins.max() == 40


def test_origins_can_be_given():
    result = gf.backtest(fitted(60), wave(), horizon=10, origins=[100, 75])
    assert list(result.origins) == [100, 75]
    np.testing.assert_array_equal(result.truth[1], wave().iloc[75:85])


def test_updated_forecaster_is_tested_after_what_it_was_updated_with():
    y = wave()
    fc = fitted(60).update(y.iloc[60:80])
    assert gf.backtest(fc, y, horizon=10, origins=1000).origins.min() == 80
