"""The common model: which lags the series have in common, and which of them teach it."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.panel import pooled


@pytest.mark.parametrize(("n", "wanted"), [(8, [1, 7]), (9, [1])])
def test_a_lag_that_a_quarter_of_the_series_have_is_common(monkeypatch, n, wanted):
    monkeypatch.setattr(pooled, "select_lags", lambda y: [1, 7] if y[0] > 0.0 else [1])
    series = [np.full(40, 1.0 if i < 2 else -1.0) for i in range(n)]
    assert pooled.common_lags(series) == wanted


def test_series_of_small_values_teach_as_those_of_large_ones():
    waves = [np.sin(np.arange(40.0) / 2.0 + i) for i in range(2)]
    frames = [
        pd.concat(
            pd.DataFrame({"unique_id": i, "ds": range(40), "y": scale * wave})
            for i, wave in enumerate(waves)
        )
        for scale in (1e-6, 1.0)
    ]
    small, large = (
        gf.forecast_panel(one, 3, forecaster=gf.Forecaster(lags=3), mode="global", n_jobs=1).frame
        for one in frames
    )
    np.testing.assert_allclose(1e6 * small["mean"], large["mean"], rtol=1e-5, atol=1e-5)


def of_a_hundred(n_series=3, n=120):
    rng = np.random.default_rng(0)
    days = pd.date_range("2025-01-01", periods=n)
    names = "ABC"[:n_series]
    parts = [
        pd.DataFrame({"unique_id": name, "ds": days, "y": 100 + 8 * rng.standard_normal(n)})
        for name in names
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("place", [60, 119])
def test_an_absurd_value_of_one_series_of_a_common_model_counts_as_missing(place):
    table = of_a_hundred()
    table.loc[place, "y"] = 99999.0
    panel = gf.forecast_panel(table, 3, mode="global", n_jobs=1)
    assert panel.frame["mean"].between(80, 120).all()
    said = panel.notes[panel.notes["note"].str.contains("outlier")]
    assert said["unique_id"].tolist() == ["A"]
    assert said["note"].iloc[0].startswith("1 outlier among 120 values, treated as missing")


def test_a_common_model_keeps_outliers_where_they_are_asked_for():
    table = of_a_hundred()
    table.loc[60, "y"] = 99999.0
    kept = gf.forecast_panel(
        table, 3, mode="global", n_jobs=1, forecaster=gf.Forecaster(outliers=None)
    )
    assert kept.frame["mean"].max() > 500
