"""What is said of forecasts beside simple ones."""

from dataclasses import replace

import numpy as np
import pandas as pd
from backtest_cases import backtest_of, plain, wave

import gpforecast as gf
from gpforecast.backtesting.baselines import Baselines
from gpforecast.backtesting.verdict import comparison


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


def test_a_comparison_says_that_simple_forecasts_know_no_inputs():
    y = wave()
    exog = pd.DataFrame({"x": np.arange(len(y)) % 5.0}, index=y.index)
    options = {"horizon": 4, "origins": 20, "refit": None}
    known = gf.backtest(plain(), y, **options, exog=exog)
    assert " (which knows no inputs)" in comparison(known)[0]
    assert "inputs" not in comparison(gf.backtest(plain(), y, **options))[0]
