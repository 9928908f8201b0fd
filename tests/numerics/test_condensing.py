"""Least squares in blocks of rows: the same solution, in less memory."""

import tracemalloc

import numpy as np
import pytest

from gpforecast.automatic.features import left_by
from gpforecast.models import LinearAR
from gpforecast.numerics.linear_algebra import condensed
from gpforecast.series.embedding import LagEmbedding
from gpforecast.transforms import Deterministic


def peak_of(call):
    """Return what a call allocates at most, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("n", [51, 149])
def test_condensed_rows_have_the_products_of_all(n, monkeypatch):
    monkeypatch.setattr("gpforecast.numerics.linear_algebra._BLOCK", 50)
    X = np.random.default_rng(0).standard_normal((n, 4))
    found = condensed(n, lambda begin, end: X[begin:end])
    assert len(found) <= 54
    np.testing.assert_allclose(found.T @ found, X.T @ X, rtol=1e-12, atol=1e-12)


def test_a_linear_model_does_not_depend_on_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3)) * [1.0, 1e3, 1e-3] + [5.0, 1e4, 0.0]
    X = np.column_stack([X, X[:, 0] + X[:, 2]])  # dependent
    y = X @ [1.0, 2e-3, -1e3, 0.5] + rng.standard_normal(400)
    with pytest.warns(match="determine only"):
        whole = LinearAR().fit(X, y)
    monkeypatch.setattr("gpforecast.numerics.linear_algebra._BLOCK", 50)
    with pytest.warns(match="determine only"):
        found = LinearAR().fit(X, y)
    assert found.rank_ == whole.rank_ == 4
    np.testing.assert_allclose(found.noise_var_, whole.noise_var_, rtol=1e-11)
    there, expected = (fit.posterior_.predict(X[:20]) for fit in (found, whole))
    np.testing.assert_allclose(there.mean, expected.mean, rtol=1e-9)
    np.testing.assert_allclose(there.var, expected.var, rtol=1e-9)


def test_functions_of_time_do_not_depend_on_blocks(monkeypatch):
    y = np.random.default_rng(0).standard_normal(1201).cumsum() * 0.1
    terms = Deterministic(trend=1, fourier=2, period=12)
    whole = terms.fit(y)
    expected = whole.transform(y)
    monkeypatch.setattr("gpforecast.numerics.linear_algebra._BLOCK", 50)
    found = terms.fit(y)
    assert len(found.rho)
    np.testing.assert_allclose(found.theta, whole.theta, rtol=1e-6)
    np.testing.assert_allclose(found.V, whole.V, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(whole.transform(y), expected, rtol=1e-10, atol=1e-12)


CALLS = {
    "functions of time": (lambda X: Deterministic(1, 3, 12).fit(X[:, 0]).transform(X[:, 0]), 2.8),
    "left by lags": (lambda X: left_by(X[:, 0], range(1, 17)), 1.9),
    "linear model": (lambda X: LinearAR().fit(X, X[:, 0]), 1.7),
    "embedding": (lambda X: LagEmbedding(16).transform(X[:, 0]), 3.4),
}


@pytest.mark.parametrize("name", CALLS)
def test_many_rows_take_the_memory_of_a_block_beside_what_is_given(name):
    """In sizes of X, (n, 8); a series has 1/8, what is returned by the embedding 2."""
    call, most = CALLS[name]
    X = np.random.default_rng(0).standard_normal((300_000, 8))
    call(X[:200])  # what is allocated once
    assert peak_of(lambda: call(X)) < most * X.nbytes
