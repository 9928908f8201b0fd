"""How the coefficients that autoregressions start from are learned."""

import importlib
from pathlib import Path

import numpy as np
import pytest
import scipy

BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "accuracy"


@pytest.fixture
def learning(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("learn_coefficients")


def test_expected_coefficients_maximise_the_evidence_of_the_series(learning):
    """Against a search of the marginal likelihood: rows with noise of any size."""
    rng, n, every = np.random.default_rng(0), 60, []
    for _ in range(200):
        x = rng.standard_normal(n)
        y = (0.6 + 0.2 * rng.standard_normal()) * x + rng.standard_normal(n)
        G, h = np.zeros((14, 14)), np.zeros(14)
        G[0, 0], h[0] = x @ x / np.mean(y**2), x @ y / np.mean(y**2)
        every.append(learning.Rows(G, h, n))
    G, h = (
        np.array(each) for each in zip(*[(one.G[0, 0], one.h[0]) for one in every], strict=True)
    )

    def cost(at):
        mean, s = at[0], np.exp(at[1])
        left = n - 2.0 * h * mean + G * mean**2 - (h - G * mean) ** 2 / (G + 1.0 / s)
        each = 0.5 * np.log1p(s * G) + 0.5 * (n + 2.0) * np.log(left + 2.0)
        return each.sum() + 0.5 * learning.SERIES * (at[1] + learning.SCALE**2 / s)

    best = scipy.optimize.minimize(cost, [0.0, -2.0]).x
    mean, scale = learning.expected(every)["1"]
    assert mean == pytest.approx(best[0], abs=2e-3)
    assert scale == pytest.approx(np.exp(0.5 * best[1]), abs=2e-3)
