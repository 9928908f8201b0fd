"""Sums of sines and cosines against numpy's."""

import numpy as np
import pytest
from entries import entry

from gpforecast.numerics.compiled import elementary

sine_and_cosine = entry(elementary.sine_and_cosine)


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
    elementary.sums_of_waves(X, frequencies, amplitudes, found)
    for p in range(n):
        angle = X[0 if shared else p] @ frequencies[p]
        expected = np.cos(angle) @ amplitudes[0, p] + np.sin(angle) @ amplitudes[1, p]
        np.testing.assert_allclose(found[p], expected, rtol=1e-12)
