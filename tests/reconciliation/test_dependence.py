"""Correlations of past errors, shrunk towards independence."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from gpforecast.reconciliation.dependence import Dependence, errors_of


def test_shrinkage_is_that_of_schaefer_and_strimmer_written_out():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(30, 4)) @ rng.normal(size=(4, 4))
    t, n = z.shape
    x = z / np.sqrt((z**2).mean(axis=0))
    above = below = 0.0
    r = np.eye(n)
    for i in range(n):
        for j in range(n):
            if i != j:
                w = x[:, i] * x[:, j]
                r[i, j] = w.mean()
                above += t / (t - 1) ** 3 * ((w - w.mean()) ** 2).sum()
                below += r[i, j] ** 2
    found = Dependence.of(z)
    assert_allclose(found.shrinkage, above / below, rtol=1e-12)
    assert_allclose(found.R, (1 - above / below) * r + above / below * np.eye(n), atol=1e-14)


def test_missing_errors_do_not_make_correlations_smaller():
    z = np.random.default_rng(4).normal(size=(200, 1)) * np.ones(2)
    z[:180, 1] = np.nan
    found = Dependence.of(z)
    assert_allclose(found.R, Dependence.of(z[180:]).R, rtol=1e-12)
    assert found.R[0, 1] > 0.75
    assert found.notes == ()


def test_a_short_series_leaves_the_correlations_of_the_others():
    rng = np.random.default_rng(5)
    z = rng.normal(size=(50, 5)) + rng.normal(size=(50, 1))
    z[:-5, 4] = np.nan
    found, others = Dependence.of(z), Dependence.of(z[:, :4])
    assert_allclose(found.R[:4, :4], others.R, rtol=1e-12)
    assert_allclose(found.R[4], [0.0, 0.0, 0.0, 0.0, 1.0])
    assert "4 of 10 pairs of series are taken as independent" in found.notes[0]
    z[:-5, 1:] = np.nan
    alone = Dependence.of(z)
    assert_allclose(alone.R, np.eye(5))
    assert "their past errors have 5 times in common, fewer than 8" in alone.notes[0]


def test_correlations_that_contradict_each_other_still_make_a_correlation_matrix():
    z = np.random.default_rng(6).normal(size=(300, 1)) * [1.0, 1.0, 1.0]
    z[200:, 2] *= -1.0
    for block, missing in enumerate((2, 0, 1)):
        z[100 * block : 100 * (block + 1), missing] = np.nan
    found = Dependence.of(z)  # a like b, b like c, and c opposite to a: no three variables are so
    assert_allclose(np.diag(found.R), 1.0)
    assert np.linalg.eigvalsh(found.R).min() > 0.0
    assert found.R[0, 1] > 0.4
    assert found.R[1, 2] > 0.4
    assert found.R[0, 2] < -0.4
    assert "contradict each other" in found.notes[0]


def test_errors_are_put_in_order_by_name_and_time():
    a, b = pd.Series([1.0, 2.0], [0, 1]), pd.Series([5.0, 6.0], [1, 2])
    found = errors_of({"b": b, "a": a}, ("a", "b"))
    assert_allclose(found, [[1.0, np.nan], [2.0, 5.0], [np.nan, 6.0]])
    with pytest.raises(ValueError, match="2 series; they lack 1, the first 'c'"):
        errors_of({"b": b, "a": a}, ("a", "c"))
    with pytest.raises(ValueError, match="residuals has 1 infinite value"):
        errors_of({"a": pd.Series([np.inf])}, ("a",))
