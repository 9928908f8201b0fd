"""The forecast of one series of a panel."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf


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
