"""What direct forecasts refuse, or say that they lack."""

import pandas as pd
import pytest
from direct_cases import Means, ar3, direct
from forecaster_cases import driven

import gpforecast as gf


def test_direct_needs_to_know_how_many_leads():
    with pytest.raises(ValueError, match="set max_horizon to the longest horizon"):
        gf.Forecaster(strategy="direct")
    with pytest.raises(ValueError, match="max_horizon must be a positive integer or None; got 0"):
        gf.Forecaster(strategy="direct", max_horizon=0)
    with pytest.raises(ValueError, match='leave max_horizon=5 out, or set strategy="direct"'):
        gf.Forecaster(max_horizon=5)
    with pytest.raises(ValueError, match="strategy must be"):
        gf.Forecaster(strategy="recursive")


@pytest.mark.parametrize("noise", ["measurement", 0.1])
def test_measurement_noise_is_refused(noise):
    with pytest.raises(
        ValueError, match='noise must be "process" or "auto" with strategy="direct"'
    ):
        direct(noise=noise)


def test_a_longer_horizon_than_the_models_reach_is_refused():
    y, fc = ar3(), direct()
    with pytest.raises(ValueError, match="horizon must be at most 6, the max_horizon"):
        gf.backtest(fc, y[:13], 7)  # before it is fitted, for which these are too few
    with pytest.raises(ValueError, match="Fit one with max_horizon=8"):
        fc.fit(y).predict(8)
    with pytest.raises(ValueError, match="horizon must be at most 6"):
        fc.predict_from(y, [50], 7)
    table = pd.DataFrame({"unique_id": "a", "ds": range(160), "y": y})
    with pytest.raises(ValueError, match=r"^horizon must be at most 6"):  # before any is fitted
        gf.forecast_panel(table, 7, forecaster=fc)
    with pytest.raises(ValueError, match='mode="global" has one iterated model'):
        gf.forecast_panel(table, 5, forecaster=fc, mode="global")


def test_a_series_that_is_too_short_for_the_last_lead_is_refused():
    with pytest.raises(ValueError, match="with lead=10, 2 of them to learn"):
        direct(max_horizon=10).fit(ar3(13))


def test_free_simulation_is_refused():
    y, exog = driven()
    fc = direct().fit(y, exog)
    with pytest.raises(ValueError, match='do not; fit a forecaster with strategy="iterated"'):
        fc.simulate(exog.iloc[:10])


def test_a_model_that_cannot_be_updated_is_refused():
    y = ar3()
    fc = direct(model=Means()).fit(y)
    assert fc.predict(3).std.iloc[0] > 0.0
    with pytest.raises(TypeError, match="Means cannot be updated; fit again"):
        fc.update([20.0])


def test_paths_that_a_direct_forecast_does_not_have_are_said():
    y = gf.datasets.mackey_glass(120, seed=0)
    direct = gf.Forecaster(lags=3, transforms=None, strategy="direct", max_horizon=3)
    f = direct.fit(y).predict(3, propagation="monte_carlo")
    assert any("no paths of their own" in note for note in f.notes)
