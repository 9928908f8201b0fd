"""Widths: the search and the joint ascent."""

from dataclasses import replace

import numpy as np
import pytest
from sparse_bayes_cases import log_evidence, run, wave

from gpforecast.models import FullEM
from gpforecast.models.sparse_bayes.training import climb


@pytest.mark.parametrize("shared", [True, False])
def test_the_joint_ascent_ends_where_every_slope_vanishes(shared):
    rows = wave(n=60)
    model, _, _ = run(rows, FullEM())
    narrowest = np.full(2, 1e-3)
    end = climb(model, narrowest, 3000, shared=shared)
    assert log_evidence(end) > log_evidence(model)
    h = 1e-4

    def slope(**changes):
        values = [
            log_evidence(
                replace(end, **{k: v * np.exp(sign * h * e) for k, (v, e) in changes.items()})
            )
            for sign in (1, -1)
        ]
        return (values[0] - values[1]) / (2.0 * h)

    directions = [np.ones(2)] if shared else list(np.eye(2))
    slopes = [slope(lengthscales=(end.lengthscales, e)) for e in directions]
    slopes.append(slope(noise_var=(end.noise_var, 1.0)))
    np.testing.assert_allclose(slopes, 0.0, atol=0.05)
