"""Outliers of driven processes: found beside the inputs, and never what an input explains."""

import numpy as np
import pandas as pd
import pytest

from gpforecast.automatic.left_by_inputs import cleaned_beside
from gpforecast.series import TimeAxis
from gpforecast.series.exogenous import Exogenous


def found(y, u):
    y = pd.Series(y)
    return cleaned_beside(y, Exogenous.fit(np.asarray(u), TimeAxis(y.index))).outliers.value


def driven(u, rng, through=lambda v: v):
    y = np.zeros(len(u))
    for t in range(1, len(u)):
        y[t] = 0.7 * y[t - 1] + through(u[t - 1]) + 0.2 * rng.standard_normal()
    return y


def steps(rng, n):
    return np.repeat(rng.standard_normal(n // 25 + 1), 25)[:n]


def pulses(rng, n):
    u = np.zeros(n)
    u[10 + rng.choice(n - 20, 6, replace=False)] = 5.0
    return u


@pytest.mark.parametrize(("draw", "through"), [(steps, lambda v: np.exp(1.5 * v)), (pulses, abs)])
def test_what_an_input_explains_is_no_outlier_and_a_gross_one_is_found(draw, through):
    n_hit = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        u = draw(rng, 600)
        y = driven(u, rng, through)
        assert found(y, u) == ()
        y[300] += 20.0 * y.std()
        hit = found(y, u)
        n_hit += 300 in hit and len(hit) <= 3
    assert n_hit == 3


def test_an_outlier_is_found_that_would_not_surprise_a_line():
    rng = np.random.default_rng(0)
    u = rng.standard_normal(300)
    y = driven(u, rng, np.square)
    y[200] += 8.0 * np.diff(y).std()
    assert found(y, u) == (200,)
