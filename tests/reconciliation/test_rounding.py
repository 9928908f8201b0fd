"""Published totals and parts, each rounded for itself."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.results import Gaussian


def published(decimals, *, last=0.0, of_total=None):
    """Forecasts of three parts and their total, each rounded for itself."""
    rng = np.random.default_rng(11)
    parts = 10.0 * rng.uniform(1.0, 2.0, size=(400, 3))
    whole = np.column_stack([parts.sum(axis=1), parts])
    values = np.round(whole, decimals)
    values[:, 0] = np.round(whole[:, 0], decimals if of_total is None else of_total)
    values[-1, 0] += last
    made = {}
    for name, past in zip(("t", "a", "b", "c"), values.T, strict=True):
        history = pd.Series(past, pd.RangeIndex(len(past)), name=name)
        coming = Gaussian(np.full(2, past.mean()), np.eye(2), np.ones(2))
        made[name] = gf.Forecast(coming, pd.RangeIndex(400, 402), history, "test")
    return made


@pytest.mark.parametrize("decimals", [0, 2])
def test_totals_may_differ_from_their_parts_by_the_rounding_of_each_value(decimals):
    tree = {"t": ["a", "b", "c"]}
    made = published(decimals)
    apart = abs(made["t"].history - sum(made[name].history for name in "abc"))
    assert apart.max() > 0.9 * 10.0**-decimals
    found = gf.reconcile(made, tree)
    assert f"by up to {10.0**-decimals:g}, no more than their rounding" in found.notes[0]
    coarse = gf.reconcile(published(decimals, of_total=decimals - 1 if decimals else 0), tree)
    assert "no more than their rounding" in coarse.notes[0]
    with pytest.raises(ValueError, match="past values must add up; those of 't' do not at 399"):
        gf.reconcile(published(decimals, last=4.0 * 10.0**-decimals), tree)


def test_values_without_rounding_must_add_up():
    tree = {"t": ["a", "b", "c"]}
    assert not any("rounding" in note for note in gf.reconcile(published(14), tree).notes)
    made = published(14, last=0.01)
    with pytest.raises(ValueError, match="past values must add up"):
        gf.reconcile(made, tree)
