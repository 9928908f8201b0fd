"""Constant, wandering and straight levels, and steps that can be predicted."""

import re

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.automatic.stationarity import is_constant, level_of, unexplained


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def test_unexplained_is_a_half_for_noise_and_one_for_a_random_walk():
    assert unexplained(noise(5000)) == pytest.approx(0.5, abs=0.05)
    assert unexplained(np.cumsum(noise(5000))) == pytest.approx(1.0, abs=0.05)
    assert unexplained(gf.datasets.mackey_glass(500, noise_var=0.0, seed=0)) < 1e-3


def test_rounding_does_not_count_as_a_change():
    assert is_constant(np.full(9, 0.1) + 1e-16 * np.arange(9))
    assert is_constant(np.zeros(9))
    assert not is_constant(1e-9 * np.arange(9.0))
    assert is_constant(1e-9 * np.arange(9.0), np.array([1e3]))


@pytest.mark.parametrize(
    ("y", "verdict"),
    [
        (noise(300), "constant"),
        (np.cumsum(noise(300)), "wanders"),
        (0.05 * np.arange(300) + noise(300), "line"),
        (np.ones(50), "constant"),
    ],
)
def test_levels_whose_nature_is_known(y, verdict):
    assert level_of(y).value == verdict


SAID = re.compile(
    r"KPSS (?P<kpss>[a-z ]+) a constant level \(p (?P<p>\S+)\) "
    r"and ADF (?P<adf>[a-z ]+) a wandering one \(p (?P<q>[^,)]+)"
)


@pytest.mark.parametrize("seed", range(40))
def test_the_reason_says_of_each_test_what_its_number_says(seed):
    phi = (0.0, 0.8, 0.95, 1.0)[seed % 4]
    y, e = np.zeros(120), noise(120, seed)
    for t in range(1, 120):
        y[t] = phi * y[t - 1] + e[t]
    decision = level_of(y)
    said = SAID.match(decision.reason)
    kpss, adf = (said[test] == "rejects" for test in ("kpss", "adf"))
    assert kpss == (float(said["p"]) <= 0.05)
    assert adf == (float(said["q"]) < 0.05 or "below 0.1 with its mean crossed" in decision.reason)
    if kpss and adf and decision.value == "constant":
        assert decision.reason.endswith("; ADF decides")
    if decision.value == "wanders":
        assert not adf
        assert kpss or "cannot be predicted" in decision.reason
