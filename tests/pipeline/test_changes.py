"""Several anomalies close together: spikes, a new level or a new spread."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpforecast.pipeline.changes import LEVEL, SPIKE, SPREAD, change_among


def kind(error, std=None):
    error = np.asarray(error, dtype=float)
    std = np.ones(len(error)) if std is None else np.asarray(std)
    return change_among(error, std, abs(error / std) > 3.3)


def test_errors_of_one_sign_and_size_are_a_level_and_its_size_is_their_weighted_mean():
    found = kind([8.0, 7.0, 9.0, 8.5], [1.0, 1.5, 2.0, 2.0])
    w = 1 / np.array([1.0, 1.5, 2.0, 2.0]) ** 2
    assert found.kind == LEVEL
    np.testing.assert_allclose(found.shift, w @ [8.0, 7.0, 9.0, 8.5] / w.sum())
    assert found.scale == 1.0


def test_errors_of_both_signs_are_a_spread():
    found = kind([6.0, -5.0, 1.0, 7.0, -4.0, -6.0])
    assert found.kind == SPREAD
    np.testing.assert_allclose(found.scale, np.sqrt(np.mean(np.square([6, 5, 1, 7, 4, 6]))))
    assert found.shift == 0.0


def test_single_large_errors_among_ordinary_ones_are_spikes():
    error = np.array([20.0, 0.3, -0.5, 1.0, -18.0, 0.2, 0.9, 25.0, -1.0, 0.4, 0.1, -15.0])
    assert kind(error).kind == SPIKE


@given(st.floats(0.01, 100.0), st.integers(0, 1000))
def test_units_do_not_matter(unit, seed):
    error = 5 * np.random.default_rng(seed).standard_normal(8)
    one, other = kind(error), kind(unit * error, np.full(8, unit))
    assert one.kind == other.kind
    np.testing.assert_allclose(other.shift, unit * one.shift, rtol=1e-9)
