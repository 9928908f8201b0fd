"""The forecast of one series of a panel, and its summary."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.panel.panel import PanelForecast


def made(keep):
    good = np.sin(np.arange(40.0))
    frame = pd.DataFrame({"unique_id": "a1", "ds": range(40), "y": good})
    short = pd.DataFrame({"unique_id": "b1", "ds": range(2), "y": [1.0, 2.0]})
    both, forecaster = pd.concat([frame, short]), gf.Forecaster(lags=4)
    with pytest.warns(UserWarning, match="1 of 2 series could not be forecast"):
        return gf.forecast_panel(both, 3, forecaster=forecaster, keep=keep, n_jobs=1)


def test_a_series_is_selected_by_its_name_or_refused_in_a_sentence():
    panel = made(keep=True)
    np.testing.assert_array_equal(panel["a1"].mean, panel.frame["mean"])
    assert panel["a1"].plot().lines
    with pytest.raises(KeyError, match="'b1' could not be forecast: "):
        panel["b1"]
    with pytest.raises(KeyError, match="'c' must be one of the 1 series that were forecast"):
        panel["c"]
    with pytest.raises(KeyError, match="pass keep=True to forecast_panel"):
        made(keep=False)["a1"]


def table(column, rows):
    return pd.DataFrame(rows, columns=["store", column])


def test_notes_and_reasons_name_the_series_that_have_them():
    frame = pd.DataFrame({"store": ["S1", "S2", 3, "S4", "S5"], "mean": 1.0})
    notes = [(None, "common"), ("S1", "one outlier"), *((k, "rows left out") for k in frame.store)]
    failures = [("S8", "too short"), ("S9", "too short")]
    made = PanelForecast(frame, table("reason", failures), table("note", notes))
    said = made.summary()
    assert "  - S8, S9: too short\n" in said
    assert "  - all series: common\n  - S1: one outlier\n" in said
    assert said.endswith("  - 5 series (S1, S2, 3, 2 more): rows left out")
