"""No forecast looks beyond its origin, and the forecaster stays as it was."""

import numpy as np
import pandas as pd
from backtest_cases import fitted, fixed, wave

import gpforecast as gf
from gpforecast.propagation import MonteCarlo


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


def test_origins_can_be_given():
    result = gf.backtest(fitted(60), wave(), horizon=10, origins=[100, 75])
    assert list(result.origins) == [100, 75]
    np.testing.assert_array_equal(result.truth[1], wave().iloc[75:85])
