"""How often an unfitted forecaster is trained by default, and that it is stated."""

import numpy as np
import pytest
from backtest_cases import fitted, fixed, wave

import gpforecast as gf
from gpforecast.backtesting.plan import affordable, by_cost

AR = {"model": gf.models.LinearAR(), "transforms": None}


def test_an_unfitted_forecaster_is_judged_as_it_would_be_used():
    """A cheap one learns from all values before each origin, as it does before the last value."""
    y, origins = wave(), [70, 83, 104]
    result = gf.backtest(gf.Forecaster(3, **AR), y, 8, origins)
    assert result.trained.tolist() == origins
    for row, origin in enumerate(origins):
        f = gf.Forecaster(3, **AR).fit(y[:origin]).predict(8)
        np.testing.assert_allclose(result.mean[row], f.mean, rtol=1e-9)
        np.testing.assert_allclose(result.var[row], f.var, rtol=1e-9)


def test_the_default_is_stated_in_the_notes_and_the_repr():
    result = gf.backtest(gf.Forecaster(3, model=fixed()), wave(), 8, [60, 69, 75, 110])
    assert result.refit == 8  # 50 values in at most 7 more trainings
    assert result.trained.tolist() == [60, 69, 69, 110]
    assert result.notes[0].startswith("trained 3 times, again after 8 values, each time")
    assert "trained again after 8 values" in repr(result)
    assert "refit=8, chosen for speed" in repr(result)


def test_a_fitted_forecaster_is_trained_no_more():
    once = gf.backtest(fitted(60), wave(), 10, 9)
    same = gf.backtest(fitted(60), wave(), 10, 9, refit=None)
    np.testing.assert_array_equal(once.mean, same.mean)
    assert once.refit is None
    assert once.notes == ()
    assert once.trained.tolist() == [60] * 9


def test_trainings_cost_at_most_so_many_values_whatever_the_length():
    automatic, cheap = gf.Forecaster(), gf.Forecaster(3, **AR)
    for n in (50, 144, 700, 1300, 4000, 30_000):
        where = np.arange(n // 2, n)
        for forecaster, most in ((automatic, 5000), (cheap, 100_000)):
            times = affordable(n, forecaster)
            assert 1 <= times <= 60
            assert times == 1 or times * n <= most
            every = by_cost(where, n // 2, forecaster)
            assert every is None or every * (times - 1) >= n - 1 - n // 2
    direct = gf.Forecaster(strategy="direct", max_horizon=12)
    assert affordable(100, direct) == 4  # a model for each of 12 leads
    assert by_cost(np.arange(5000, 9000), 5000, automatic) is None


@pytest.mark.parametrize("refit", ["often", 0])
def test_another_word_for_refit_is_refused(refit):
    with pytest.raises(ValueError, match="refit must be a positive integer"):
        gf.backtest(gf.Forecaster(3), wave(), 8, refit=refit)
