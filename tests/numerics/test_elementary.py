"""Exponentials and waves: exp(t), exp(t) - 1 - t with all its digits, sines and cosines."""

import mpmath as mp
import numpy as np
import pytest
from entries import entry
from oracles import mp_exp_remainder

from gpforecast.numerics.compiled import elementary as compiled

exponential, exp_remainder, small_exp_remainder = (
    entry(f) for f in (compiled.exponential, compiled.exp_remainder, compiled.small_exp_remainder)
)


def exponents():
    rng = np.random.default_rng(1)
    edges = np.log(2.0) * (np.arange(-8, 9) + 0.5)  # where the range reduction changes its k
    tiny = 10.0 ** rng.uniform(-150.0, 0.0, 150)
    return np.concatenate(
        [
            np.linspace(-700.0, 700.0, 281),
            rng.uniform(-2.0, 2.0, 500),
            tiny,
            -tiny,
            edges,
            np.nextafter(edges, 0.0),
        ]
    )


def test_exp_remainder_keeps_full_relative_accuracy():
    t = exponents()
    t = t[t != 0.0]
    ours = np.array([exp_remainder(v) for v in t])
    exact = np.array([mp_exp_remainder(v) for v in t])
    # Beside -ln(2)/2 three terms of size 0.35 leave 0.055: a few roundings over 0.055 is 4e-15.
    np.testing.assert_allclose(ours, exact, rtol=4e-15)


@pytest.mark.parametrize("t", [-700.5, -1e3, -1e6, -1e200])
def test_exp_remainder_is_minus_one_minus_t_where_the_exponential_is_gone(t):
    assert exp_remainder(t) == -1.0 - t


def test_exponential_keeps_full_relative_accuracy():
    t = np.concatenate([exponents(), np.linspace(-707.9, -700.0, 30), [-0.0]])
    with mp.workdps(50):
        exact = np.array([float(mp.exp(mp.mpf(float(v)))) for v in t])
    np.testing.assert_allclose([exponential(v) for v in t], exact, rtol=5e-16)  # two roundings


def test_exponential_ends_in_zero_not_in_rubbish():
    assert [exponential(t) for t in (-708.5, -745.0, -1e4, -1e300, -np.inf)] == [0.0] * 5
    assert np.isnan(exponential(np.nan))


sine_and_cosine = entry(compiled.sine_and_cosine)


@pytest.mark.parametrize("size", [1.0, 30.0, 1e4])
def test_sine_and_cosine_are_numpys(size):
    t = size * np.concatenate([np.linspace(-1.0, 1.0, 999), [np.pi / 4, np.pi / 2, 1e-12]])
    found = np.array([sine_and_cosine(v) for v in t])
    expected = np.column_stack([np.sin(t), np.cos(t)])
    np.testing.assert_allclose(found, expected, rtol=0, atol=max(4e-16, 2e-16 * size))


@pytest.mark.parametrize("shared", [True, False])
def test_sums_of_waves_are_those_of_a_plain_loop(shared):
    rng, (n, b, d, half) = np.random.default_rng(0), (3, 4, 2, 9)
    X = rng.standard_normal((1 if shared else n, b, d))
    frequencies, amplitudes = rng.standard_normal((n, d, half)), rng.standard_normal((2, n, half))
    found = np.full((n, b), np.nan)
    compiled.sums_of_waves(X, frequencies, amplitudes, found)
    for p in range(n):
        angle = X[0 if shared else p] @ frequencies[p]
        expected = np.cos(angle) @ amplitudes[0, p] + np.sin(angle) @ amplitudes[1, p]
        np.testing.assert_allclose(found[p], expected, rtol=1e-12)
