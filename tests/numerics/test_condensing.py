"""Least squares in blocks of rows: the same solution, in less memory."""

import tracemalloc

import numpy as np
import pytest

from gpforecast.automatic.features import left_by
from gpforecast.models import LinearAR
from gpforecast.numerics.linear_algebra import condensed
from gpforecast.propagation.recursion import Propagated
from gpforecast.series.embedding import LagEmbedding
from gpforecast.series.time_axis import TimeAxis
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


def test_what_lags_leave_does_not_depend_on_blocks(monkeypatch):
    z = np.cumsum(np.random.default_rng(0).standard_normal(400)) + 1e4
    whole = left_by(z, range(1, 9))
    monkeypatch.setattr("gpforecast.numerics.linear_algebra._BLOCK", 50)
    np.testing.assert_allclose(left_by(z, range(1, 9)), whole, rtol=1e-10)


def test_what_dependent_lags_leave_does_not_depend_on_blocks(monkeypatch):
    """A sine has two independent lags: the others must not explain anything."""
    rng = np.random.default_rng(0)
    z = np.append(np.sin(0.3 * np.arange(399)), 0.0)
    z[-1] = z[-2] + rng.standard_normal()  # a target that no lag predicts
    whole = left_by(z, range(1, 9))
    monkeypatch.setattr("gpforecast.numerics.linear_algebra._BLOCK", 50)
    np.testing.assert_allclose(left_by(z, range(1, 9)), whole, rtol=1e-8)


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


@pytest.mark.parametrize("ends", [[0], [3, 150], [40, 41, 299]])
def test_a_trend_and_a_season_do_not_depend_on_blocks(ends, monkeypatch):
    rng, t = np.random.default_rng(0), np.arange(300)
    y = 5.0 + 0.01 * t + np.sin(2 * np.pi * t / 12) + rng.standard_normal(300)
    fitted = Deterministic(trend=1, fourier=2, period=12).fit(y)
    whole = fitted.transform(y)
    monkeypatch.setattr("gpforecast.transforms.deterministic._BLOCK", 64)
    np.testing.assert_allclose(fitted.transform(y), whole, rtol=0.0, atol=1e-12)
    D = fitted.terms.design(TimeAxis.rows(310), 300.0)
    ends = np.array(ends)
    expected = (D @ fitted.theta)[ends[:, None] + np.arange(10)]
    nothing = Propagated.certain(np.zeros((len(ends), 10)))
    found = fitted.undo(nothing, np.empty(0), ends, TimeAxis.rows(310))
    np.testing.assert_allclose(found.mean, expected, rtol=0.0, atol=1e-12)


CALLS = {
    "left by lags": (lambda X: left_by(X[:, 0], range(1, 17)), 1.9),
    "linear model": (lambda X: LinearAR().fit(X, X[:, 0]), 1.7),
    "embedding": (lambda X: LagEmbedding(16).transform(X[:, 0]), 3.4),
    "trend and season": (lambda X: TERMS.transform(X[:, 0]), 1.7),
}
TERMS = Deterministic(trend=1, fourier=6, period=12.5).fit(np.arange(100) % 7.0)


@pytest.mark.parametrize("name", CALLS)
def test_many_rows_take_the_memory_of_a_block_beside_what_is_given(name):
    """In sizes of X, (n, 8); a series has 1/8, what is returned by the embedding 2."""
    call, most = CALLS[name]
    X = np.random.default_rng(0).standard_normal((300_000, 8))
    call(X[:200])  # what is allocated once
    assert peak_of(lambda: call(X)) < most * X.nbytes
