"""Inputs that a controller sets by the series: noticed, noted, and what-if forecasts with room."""

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.automatic.feedback import set_by_series


def controlled(seed, n=300, horizon=30, *, dither=0.1, late=False, open_loop=False):
    """Return a process under a controller, then under a plan; `late` has inputs beside effects."""
    rng = np.random.default_rng(seed)
    e, w = 0.1 * rng.standard_normal(n + horizon), rng.standard_normal(n + horizon)
    u, y, total = np.zeros(n + horizon), np.zeros(n + horizon), 0.0
    for t in range(1, n + horizon):
        y[t] = 0.8 * y[t - 1] + 0.5 * u[t - 1] + e[t]
        total -= 0.2 * y[t]
        u[t] = w[t] if open_loop else total - 0.8 * y[t] + dither * w[t]
        if t >= n:
            u[t] = 1.5 * u[:n].std() * np.sign(w[n + (t - n) // 5])
    return y, np.append(0.0, u[:-1]) if late else u


@pytest.mark.parametrize("late", [False, True])
def test_an_input_that_a_controller_sets_follows_the_series_and_a_random_one_does_not(late):
    for seed in range(5):
        y, u = controlled(seed, late=late)
        assert set_by_series(y[:300], u[:300, None]).tolist() == [True]
        y, u = controlled(seed, late=late, open_loop=True)
        assert set_by_series(y[:300], u[:300, None]).tolist() == [False]


def test_one_of_the_same_step_follows_where_the_user_says_that_it_has_no_effect_yet():
    y, u = controlled(0, dither=0.0)
    assert not set_by_series(y[:300], u[:300, None]).any()  # y could be what u makes of it
    assert set_by_series(y[:300], u[:300, None], at_once=False).all()


def test_a_season_that_both_have_is_no_feedback():
    rng, t = np.random.default_rng(0), np.arange(700)
    promo = ((t % 7 == 4) & (rng.random(700) < 0.5)).astype(float)
    sales = 100.0 + 30.0 * np.sin(2.0 * np.pi * t / 7.0) + 20.0 * promo + rng.normal(0, 5, 700)
    assert not set_by_series(sales, promo[:, None], 7).any()


@pytest.mark.parametrize("late", [False, True])
def test_what_if_forecasts_of_a_controlled_process_hold_and_say_what_the_past_cannot_tell(late):
    held = []
    for seed in range(4):
        y, u = controlled(seed, late=late)
        fc = gf.Forecaster(outliers=None).fit(y[:300], exog=u[:300, None])
        f = fc.predict(30, exog=u[300:, None])
        assert sum("follows the series" in note for note in f.notes) == 1
        low, high = f.interval(0.95).to_numpy().T
        held.append((low <= y[300:]) & (y[300:] <= high))
    assert np.mean(held) > 0.85  # 0.1 where simulations judge; errors go together


def test_an_input_that_moves_by_itself_is_not_said_to_follow():
    y, u = controlled(0, open_loop=True)
    fc = gf.Forecaster(outliers=None).fit(y[:300], exog=u[:300, None])
    assert not any("follows the series" in note for note in fc.notes_)


def test_an_input_that_gives_the_series_away_is_told_how_to_stay_out():
    y, u = controlled(0, dither=0.0)
    fc = gf.Forecaster(lags=3, exog_lags=[0, 1, 2, 3], model=gf.models.LinearAR())
    with pytest.warns(gf.NumericalWarning, match="determine only"):
        fc.fit(y[:300], exog=u[:300, None])
    notes = fc.predict(30, exog=u[300:, None]).notes
    assert any("exog_lags=[1, 2, 3] leaves that step out" in note for note in notes)
    late = gf.Forecaster(exog_lags=[1, 2, 3], outliers=None).fit(y[:300], exog=u[:300, None])
    assert any("follows the series" in note for note in late.notes_)
