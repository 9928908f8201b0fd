"""Hierarchies of wide frames and of names of any kind."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy

FORECASTER = gf.Forecaster(lags=2, model=gf.models.LinearAR(), transforms=None)


@pytest.mark.parametrize(
    "tree",
    [
        {"all": ["x", "y"]},
        {("all", ""): [("x", 1), ("y", 2)]},
        {"all": [("x", 1), ("y", 2)]},
        {0: [2, 1]},
        {"all": ["ds", "y"]},
    ],
    ids=str,
)
def test_a_wide_frame_is_reconciled_whatever_its_series_are_called(tree):
    hierarchy, rng = Hierarchy.of(tree), np.random.default_rng(0)
    bottom = pd.Index(hierarchy.bottom, tupleize_cols=False)
    wide = pd.DataFrame(rng.normal(10.0, size=(50, 2)), pd.RangeIndex(50), bottom)
    wide += rng.normal(size=(50, 1))
    panel = gf.forecast_panel(hierarchy.aggregate(wide), 3, forecaster=FORECASTER, keep=True)
    found = gf.reconcile(panel, hierarchy)
    names = list(hierarchy.names)
    total, parts = names[0], names[1:]
    assert found.mean.columns.tolist() == found.correlation.columns.tolist() == names
    assert_allclose(found[total].mean, sum(found[part].mean for part in parts))
    pd.testing.assert_frame_equal(found.to_frame(), found.joint.to_frame())
    assert found.joint.quantile(0.5)[total].shape == (3,)
    assert found.joint.to_frame().columns.get_level_values(0).unique().tolist() == names
    assert Hierarchy.of(hierarchy.to_frame()).names == hierarchy.names
    past = {"unique_id": [n for n in names for _ in range(50)], "ds": [*range(50)] * 3}
    long = pd.DataFrame(past | {"residual": panel.errors.reindex(range(50)).T.to_numpy().ravel()})
    for residuals in (panel.errors, long, long.assign(mean=0.0).set_index(["unique_id", "ds"])):
        again = gf.reconcile(panel.forecasts, hierarchy, residuals=residuals)
        assert_allclose(again.correlation, found.correlation)
