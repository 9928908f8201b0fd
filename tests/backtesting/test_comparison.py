"""What is said of forecasts beside simple ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
from backtest_cases import backtest_of, plain, wave

import gpforecast as gf
from gpforecast.backtesting.baselines import Baselines
from gpforecast.backtesting.verdict import comparison


def beside(errors, simple, n_values=240, h=4):
    """A backtest of so many errors whose only simple forecast has others; both as N(error, 1)."""
    origins = np.arange(0, n_values - h, h)
    tested = backtest_of(errors, origins, h)
    naive = backtest_of(simple, origins, h)
    found = Baselines(naive=naive)
    found.missing = {}
    tested = replace(tested, series=pd.Series(np.zeros(n_values)), trained=np.full(len(origins), 9))
    vars(tested)["baselines"] = found
    return tested


def test_errors_that_are_beyond_all_comparison_are_over_1000_times_as_large():
    rng = np.random.default_rng(0)
    said, _ = comparison(beside(1e12 * rng.standard_normal(240), rng.standard_normal(240)))
    assert "were over 1000 times those of the best simple forecast" in said


def test_too_few_tests_to_compare_still_say_the_figure():
    errors = np.random.default_rng(0).standard_normal(13)
    origins = np.arange(2)
    tested, naive = (backtest_of(size * errors, origins, 12) for size in (3.0, 1.0))
    tested = replace(tested, series=pd.Series(np.zeros(13)), trained=np.full(2, 9))
    vars(tested)["baselines"] = Baselines(naive=naive)
    own, other = tested.crps.mean(), naive.crps.mean()
    said, advice = comparison(tested)
    size = f"{own / other:.2g} times" if own > 2 * other else f"{100 * (own / other - 1):.0f} % lar"
    assert f"were {size}" in said
    assert said.endswith("but there are too few separate tests to be sure.")
    assert advice.startswith("What to do: use the simple forecast until")


def test_differences_of_few_tests_are_judged_by_students_t():
    """Two forecasts that are equally good, from some three separate tests."""
    rng, origins, told = np.random.default_rng(0), np.arange(80), 0
    for _ in range(200):
        errors = rng.standard_normal(110)
        tested, naive = (backtest_of(errors + lean, origins, 30) for lean in (0.3, -0.3))
        tested = replace(tested, series=pd.Series(np.zeros(110)), trained=np.full(80, 9))
        vars(tested)["baselines"] = Baselines(naive=naive)
        told += comparison(tested)[0].endswith(("lated.", "repeated."))
    assert told <= 10


def test_expected_values_that_are_worse_where_scores_are_better_are_told():
    """A few forecasts whose mean lies far above their intervals, as that of a long tail does."""
    rng = np.random.default_rng(0)
    tested = beside(rng.standard_normal(240), 1.5 * rng.standard_normal(240) + 1.0)
    assert "expected values" not in comparison(tested)[0]
    mean = tested.mean.copy()
    mean[::10] = 500.0
    far = replace(tested, mean=mean)
    vars(far)["baselines"] = tested.baselines
    said, advice = comparison(far)
    table = far.beside()["mae"]
    assert "smaller than those of the best simple forecast" in said
    assert (
        f"Their expected values alone were off by {table['forecaster']:.3g} on average, those of "
        f"the simple one by {table['naive']:.3g}." in said
    )
    assert advice.startswith("What to do: take the medians.")
    mean = tested.mean + 4.0
    bounds = {
        name: getattr(tested, name) | {50.0: mean} for name in ("lower", "upper")
    }  # it is not the expected value alone
    biased = replace(tested, mean=mean, **bounds)
    vars(biased)["baselines"] = tested.baselines
    assert comparison(biased)[1].startswith("What to do: use the simple forecast where expected")


def test_a_comparison_says_that_simple_forecasts_know_no_inputs():
    y = wave()
    exog = pd.DataFrame({"x": np.arange(len(y)) % 5.0}, index=y.index)
    options = {"horizon": 4, "origins": 20, "refit": None}
    known = gf.backtest(plain(), y, **options, exog=exog)
    assert " (which knows no inputs)" in comparison(known)[0]
    assert "inputs" not in comparison(gf.backtest(plain(), y, **options))[0]


def test_a_linear_autoregression_that_is_missing_has_a_reason():
    days = pd.period_range("2024-01-01", periods=280, freq="D")
    y = pd.Series(
        np.random.default_rng(0).standard_normal(280) + 5.0 * (days.day_of_week > 3), days
    )
    y[days.day_of_week == 0] = np.nan  # of periods, all days are steps
    tested = gf.backtest(plain(), y, horizon=7, origins=20, refit=None)
    assert "linear" not in tested.beside().index
    assert tested.verdicts[-1] == (
        "No linear autoregression is among the simple forecasts: it looks at 8 values before each, "
        "and there are hardly any 9 in a row of which none is missing."
    )
