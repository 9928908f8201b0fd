"""Panels that are reconciled in one line, of series of any name, rounded or not."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy
from gpforecast.results import Gaussian

# Panels that are reconciled in one line, and what is refused


TREE = Hierarchy.of({"all": ["g", "z"], "g": ["x", "y"]})
FORECASTER = gf.Forecaster(lags=2, model=gf.models.LinearAR(), transforms=None)


def table(n=60):
    rng = np.random.default_rng(0)
    shocks = rng.normal(size=(n, 3)) + rng.normal(size=(n, 1))
    wide = pd.DataFrame(shocks, columns=["x", "y", "z"]).ewm(alpha=0.5).mean() + 10.0
    wide.index = pd.date_range("2020-01", periods=n, freq="MS")
    long = wide.rename_axis("month").reset_index()
    return TREE.aggregate(
        long.melt("month", var_name="shop", value_name="sales"),
        id="shop", time="month", target="sales",
    )  # fmt: skip


COLUMNS = {"id": "shop", "time": "month", "target": "sales"}


@pytest.fixture(scope="module")
def panel():
    return gf.forecast_panel(table(), 4, forecaster=FORECASTER, keep=True, **COLUMNS)


def test_a_panel_keeps_forecasts_and_past_errors_on_request(panel):
    y = table().query("shop == 'x'").set_index("month")["sales"]
    fc = gf.Forecaster(lags=2, model=gf.models.LinearAR(), transforms=None).fit(y)
    assert_allclose(panel.forecasts["x"].covariance, fc.predict(4).covariance)
    past = fc.predict_in_sample()
    assert_allclose(panel.errors["x"], past["residual"] / past["std"])
    assert list(panel.errors) == list(TREE.names)
    slim = gf.forecast_panel(table(), 4, forecaster=FORECASTER, **COLUMNS)
    assert slim.forecasts is None
    assert slim.errors is None
    pd.testing.assert_frame_equal(slim.frame, panel.frame)
    with pytest.raises(ValueError, match=r"tables only; make it with .*keep=True"):
        gf.reconcile(slim, TREE)


def test_a_panel_is_reconciled_in_one_line(panel):
    found = gf.reconcile(panel, TREE)
    assert found.correlation.loc["all", "g"] > 0.5
    assert 0.0 < found.shrinkage < 0.5
    frame = found.to_frame()
    assert frame.columns[:2].tolist() == ["shop", "month"]
    pd.testing.assert_frame_equal(frame[["shop", "month"]], panel.frame[["shop", "month"]])
    forecast = found["all"]
    assert forecast.propagation.endswith(", reconciled")
    assert_allclose(forecast.mean, found["g"].mean + found["z"].mean, rtol=1e-12)
    assert len(forecast.history) == 60
    assert forecast.sum().std > 0


def with_y(y):
    """Make forecasts of all series out of those of a panel, with others of one of them."""
    return lambda base: {**base, "y": y(base["y"].history)}


BLOCK = pd.MultiIndex.from_product([["q"], range(20)])
LABELLED = pd.DataFrame(np.eye(20), BLOCK, BLOCK)
WRONG = [
    (lambda base: {name: f for name, f in base.items() if name != "y"}, {},
     r"all 5 series .*; they lack 1, the first 'y'"),
    (lambda base: {**base, "q": base["y"]}, {}, "it lacks 1, the first 'q'"),
    (with_y(lambda y: FORECASTER.fit(y).predict(3)), {},
     r"'all' are 4 from 2025-01.*those of 'y' are 3 from"),
    (with_y(lambda y: FORECASTER.fit(y[:-1]).predict(4)), {}, "must be of the same steps"),
    (lambda base: [base["y"]], {}, "mapping from names to Forecasts, or a PanelForecast"),
    (with_y(lambda y: y), {}, "got Series for 'y'"),
    (dict, {"covariance": np.eye(5)}, r"5 series x 4 steps, shape \(20, 20\); got \(5, 5\)"),
    (dict, {"covariance": -np.eye(20)}, "positive semi-definite"),
    (dict, {"covariance": np.eye(20), "residuals": pd.DataFrame()}, "not both"),
    (dict, {"covariance": LABELLED}, r"labelled \(name, time\), 20 of each"),
    (dict, {"n": 1}, "n must be an integer from 2 up"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "options", "message"), WRONG)
def test_wrong_forecasts_covariances_and_options_are_refused(change, options, message, panel):
    with pytest.raises((ValueError, TypeError), match=message):
        gf.reconcile(change(panel.forecasts), TREE, **options)


# Hierarchies of wide frames and of names of any kind


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


# Published totals and parts, each rounded for itself


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
