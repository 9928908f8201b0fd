"""KPSS and ADF are those of statsmodels, warn of nothing, and bear series without noise."""

import warnings

import numpy as np
import pytest
from statsmodels.tsa import stattools

from gpforecast.automatic.features import level_of
from gpforecast.automatic.level_tests import adf, kpss

pytestmark = pytest.mark.parametrize("around", ["c", "ct"])


def autoregression(n, phi, seed):
    y, e = np.zeros(n), np.random.default_rng(seed).standard_normal(n)
    for t in range(1, n):
        y[t] = phi * y[t - 1] + e[t]
    return y


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("n", [9, 12, 30, 120, 1000])
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (1e-6, 1e-3), (1e6, 1e9)])
@pytest.mark.filterwarnings("ignore")
def test_p_values_are_those_of_statsmodels(around, phi, n, scale, shift):
    for seed in range(5):
        y = scale * autoregression(n, phi, seed) + shift
        theirs = stattools.adfuller(y, regression=around)[1]
        assert adf(y, around) == pytest.approx(theirs, rel=1e-6, abs=1e-8)
        theirs = stattools.kpss(y, around, nlags="auto")[1]
        assert kpss(y, around) == pytest.approx(theirs, rel=1e-6, abs=1e-6)


def test_blocks_of_rows_give_the_same(around, monkeypatch):
    y = autoregression(500, 0.9, seed=0)
    whole = adf(y, around)
    monkeypatch.setattr("gpforecast.numerics.condensing._BLOCK", 97)
    assert adf(y, around) == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("n", [20, 30, 300])
def test_a_line_without_noise_is_a_level_around_a_line(around, n):
    y = 3.0 + 0.1 * np.arange(n)
    assert adf(y, around) > 0.9  # its steps are all the same, whatever its level is
    assert kpss(y, around) == {"c": 0.01, "ct": 0.1}[around]


@pytest.mark.parametrize("n", [30, 300])
def test_a_wave_without_noise_does_not_wander(around, n):
    y = np.sin(0.3 * np.arange(n))
    assert adf(y, around) < 1e-6


def test_nothing_warns_nor_touches_the_filters_that_all_threads_share(around, monkeypatch):
    def shared(*_):
        raise AssertionError("the filters of all threads were changed")

    y = autoregression(120, 1.0 if around == "c" else 0.5, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with monkeypatch.context() as patch:
            patch.setattr(warnings, "catch_warnings", shared)
            level_of(y)
