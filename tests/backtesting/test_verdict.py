"""Verdicts in words: their errors against theory and simulation, and what they say."""

from dataclasses import replace
from html import escape

import numpy as np
import pandas as pd
import pytest
from backtest_cases import backtest_of, plain, wave

import gpforecast as gf
from gpforecast.backtesting.scored import error_of_mean
from gpforecast.backtesting.verdict import comparison, coverage


def test_the_error_of_separate_forecasts_is_that_of_any_average():
    losses = np.random.default_rng(0).standard_normal((15, 4))
    error, n_separate = error_of_mean(losses, np.arange(15) * 4)
    each = losses.mean(axis=1)
    assert error == pytest.approx(each.std(ddof=1) / np.sqrt(15))
    assert n_separate == pytest.approx(15)


@pytest.mark.parametrize(
    ("n_held", "said"), [(228, "not shown"), (200, "too narrow"), (240, "wider than needed")]
)
def test_the_verdict_names_the_share_the_number_and_the_fault(n_held, said):
    """240 values from 20 forecasts that do not overlap; what is missed is spread evenly."""
    errors = np.full(240, 0.5)
    errors[np.linspace(0, 239, 240 - n_held).astype(int)] = 5.0
    found = coverage(backtest_of(errors, np.arange(0, 240, 12), 12))
    assert found.sentence.startswith(
        f"95 % intervals held {100 * n_held / 240:.0f} % of 240 values: {said}"
    )
    assert bool(found.advice) == (not said.startswith("not shown"))


def test_overlaps_are_those_of_all_pairs_in_any_order():
    rng = np.random.default_rng(0)
    origins, h = rng.integers(0, 300, 90), 7
    weights = np.maximum(0.0, 1.0 - np.abs(origins[:, None] - origins) / h)
    n_separate = error_of_mean(rng.standard_normal((90, h)), origins)[1]
    assert n_separate == pytest.approx(90**2 / weights.sum(), rel=1e-12)


def test_intervals_that_cannot_be_narrower_are_not_called_too_wide():
    errors = np.zeros(240)
    errors[::10] = 1.95997  # a tenth of the values lies just at the edge
    tested = backtest_of(errors, np.arange(0, 240, 12), 12)
    tested.upper[95.0] = tested.upper[95.0] + 1e-4  # rounded up, as whole numbers are
    found = coverage(tested)
    assert found.held == 1.0
    assert found.finding == ""
    constant = gf.backtest(gf.Forecaster(), np.full(60, 7.1), horizon=6)
    assert not any("What to do" in said for said in constant.verdicts)


def test_a_backtest_shows_its_table_verdicts_and_notes():
    tested = gf.backtest(plain(), wave(), horizon=4, origins=30)
    assert len(tested.verdicts) == 3
    shown = " ".join(repr(tested).split())
    assert all(said in shown for said in (*tested.verdicts, *tested.notes))
    html = tested._repr_html_()
    assert all(f"<li>{escape(said)}</li>" in html for said in tested.verdicts)
    errors = np.zeros(240)
    alone = backtest_of(errors, np.arange(0, 240, 12), 12)
    assert [said[:14] for said in alone.verdicts] == ["95 % intervals", "80 % intervals"]
    assert backtest_of(np.full(240, np.nan), np.arange(0, 240, 12), 12).verdicts == ()


def test_advice_to_use_a_linear_autoregression_names_the_forecaster_that_makes_it():
    t = np.arange(300)
    y = np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(0).standard_normal(300)
    y = pd.Series(y, pd.period_range("2000-01", periods=300, freq="M"))
    bad = gf.Forecaster(1, transforms=None, model=gf.models.LinearAR(), noise="process")
    tested = gf.backtest(bad, y, horizon=12, origins=15)
    linear = tested.baselines["linear"]
    _, advice = comparison(tested, tested.baselines)
    assert advice.endswith(linear.notes[0])
    call = linear.notes[0].removesuffix(" makes the simple forecast.")
    same = gf.backtest(eval(call, {"gf": gf}), y, horizon=12, origins=15)
    np.testing.assert_allclose(same.crps, linear.crps, rtol=1e-12)


def test_a_difference_that_chance_explains_is_called_so():
    errors, origins = np.random.default_rng(0).standard_normal(13), np.arange(2)
    tested, naive = (backtest_of(size * errors, origins, 12) for size in (3.0, 1.0))
    said, advice = comparison(tested, {"naive": naive})
    assert f"were {tested.crps.mean() / naive.crps.mean():.2g} times those" in said
    assert said.endswith("that can be chance.")
    assert "use the simple one until" in advice
    assert "use either" in comparison(naive, {"naive": tested})[1]


def test_intervals_are_corrected_where_the_series_is_long_enough_and_advised_to_be_elsewhere():
    tested = backtest_of(np.repeat([0.3, 1.5, 3.0], [60, 20, 40]), np.arange(120), 1)
    given = replace(tested, trained=np.full(120, 100))  # as from a Forecaster
    assert 'calibrate="conformal"' in coverage(given).advice
    for other in (tested, replace(given, corrected=True)):
        assert coverage(other).advice.endswith("times as wide would have held 95 %.")
    y = np.random.default_rng(0).standard_normal(120).cumsum()
    fc = gf.Forecaster(2, transforms=None, model=gf.models.LinearAR(), calibrate="conformal")
    assert not gf.backtest(fc, y[:48], horizon=2, origins=12).corrected
    assert gf.backtest(fc, y, horizon=2, origins=30, train_fraction=0.1, refit=20).corrected


@pytest.mark.parametrize(("shift", "word"), [(0.8, "high"), (-0.8, "low"), (0.0, "")])
def test_forecasts_that_are_mostly_too_high_or_too_low_are_said_to_be(shift, word):
    errors = np.random.default_rng(0).standard_normal(240) - shift
    said = backtest_of(errors, 12 * np.arange(20), 12).verdicts
    leaning = [one for one in said if "on average, which chance does not explain" in one]
    assert len(leaning) == bool(word)
    if word:
        assert f"Forecasts were too {word} by" in leaning[0]
