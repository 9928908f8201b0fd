"""Panels that are reconciled in one line, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy

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


def test_series_that_are_missing_unknown_or_of_other_steps_are_refused(panel):
    base = dict(panel.forecasts)
    without = {name: f for name, f in base.items() if name != "y"}
    with pytest.raises(ValueError, match=r"all 5 series .*; they lack 1, the first 'y'"):
        gf.reconcile(without, TREE)
    with pytest.raises(ValueError, match="it lacks 1, the first 'q'"):
        gf.reconcile({**base, "q": base["y"]}, TREE)
    y = base["y"].history
    short = {**base, "y": FORECASTER.fit(y).predict(3)}
    with pytest.raises(ValueError, match=r"'all' are 4 from 2025-01.*those of 'y' are 3 from"):
        gf.reconcile(short, TREE)
    early = {**base, "y": FORECASTER.fit(y[:-1]).predict(4)}
    with pytest.raises(ValueError, match="must be of the same steps"):
        gf.reconcile(early, TREE)
    with pytest.raises(TypeError, match="mapping from names to Forecasts, or a PanelForecast"):
        gf.reconcile([base["y"]], TREE)
    with pytest.raises(TypeError, match="got Series for 'y'"):
        gf.reconcile({**base, "y": y}, TREE)


def test_wrong_covariances_and_options_are_refused(panel):
    with pytest.raises(ValueError, match=r"5 series x 4 steps, shape \(20, 20\); got \(5, 5\)"):
        gf.reconcile(panel, TREE, covariance=np.eye(5))
    with pytest.raises(ValueError, match="positive semi-definite"):
        gf.reconcile(panel, TREE, covariance=-np.eye(20))
    with pytest.raises(ValueError, match="not both"):
        gf.reconcile(panel, TREE, covariance=np.eye(20), residuals=panel.errors)
    index = pd.MultiIndex.from_product([["q"], range(20)])
    with pytest.raises(ValueError, match=r"labelled \(name, time\), 20 of each"):
        gf.reconcile(panel, TREE, covariance=pd.DataFrame(np.eye(20), index, index))
    with pytest.raises(ValueError, match="n must be an integer from 2 up"):
        gf.reconcile(panel, TREE, n=1)
