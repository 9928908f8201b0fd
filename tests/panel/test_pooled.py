"""The common model: which lags the series have in common, and which of them teach it."""

import numpy as np
import pandas as pd
import pytest
from panel_cases import FORECASTER, LAGS, THREE, long, series

import gpforecast as gf


def of_a_hundred(n_series=3, n=120):
    rng = np.random.default_rng(0)
    days = pd.date_range("2025-01-01", periods=n)
    names = "ABC"[:n_series]
    parts = [
        pd.DataFrame({"unique_id": name, "ds": days, "y": 100 + 8 * rng.standard_normal(n)})
        for name in names
    ]
    return pd.concat(parts, ignore_index=True)


def test_an_absurd_value_of_one_series_of_a_common_model_counts_as_missing():
    table = of_a_hundred()
    table.loc[119, "y"] = 99999.0
    panel = gf.forecast_panel(table, 3, mode="global", n_jobs=1)
    assert panel.frame["mean"].between(80, 120).all()
    said = panel.notes[panel.notes["note"].str.contains("outlier")]
    assert said["unique_id"].tolist() == ["A"]
    assert said["note"].iloc[0].startswith("1 outlier among 120 values, treated as missing")


def test_the_common_model_is_one_process_over_the_standardised_rows_of_all():
    frame = gf.forecast_panel(THREE, 1, forecaster=FORECASTER, mode="global", levels=[95]).frame
    X, target, past = [], [], {}
    for name, part in THREE.groupby("unique_id", sort=False):
        y = part["y"].to_numpy()
        z = (y - y.mean()) / y.std()
        for t in range(LAGS, len(z)):
            X.append([z[t - 1], z[t - 2], z[t - 3]])
            target.append(z[t])
        past[name] = (y.mean(), y.std(), [z[-1], z[-2], z[-3]])
    model = gf.models.GaussianProcess().fit(X, target)
    for name, row in frame.groupby("unique_id"):
        centre, spread, x = past[name]
        mean, std = model.predict([x], return_std=True)
        half = 1.959963984540054 * np.sqrt(std**2 + model.noise_var_)
        # rtol: standardised sums are taken in another order, and the search runs on from them
        np.testing.assert_allclose(row["mean"], centre + spread * mean, rtol=1e-5)
        np.testing.assert_allclose(row["hi-95"] - row["mean"], spread * half, rtol=1e-4)


def test_a_series_with_as_many_values_as_lags_is_forecast_by_the_common_model():
    table = long(a=series(1.0), b=series(1.0, seed=1)[:4])
    frame = gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=4), mode="global").frame
    assert frame["unique_id"].value_counts().to_dict() == {"a": 3, "b": 3}
    with pytest.warns(UserWarning, match="'b': series has 4 values .* has lags up to 5"):
        gf.forecast_panel(table, 3, forecaster=gf.Forecaster(lags=5), mode="global")


def test_the_rows_of_the_common_model_are_capped_and_the_choice_follows_the_seed():
    few = gf.Forecaster(lags=LAGS, max_rows=60)

    def run(seed: int | None) -> gf.PanelForecast:
        return gf.forecast_panel(THREE, 2, forecaster=few, mode="global", seed=seed)

    made, again = run(None), run(0)
    assert made.notes["note"].tolist() == [
        "the common model is trained on 60 of 126 rows, chosen at random (max_rows)"
    ]
    pd.testing.assert_frame_equal(made.frame, again.frame)
    assert not run(1).frame.equals(again.frame)


def test_common_lags_are_those_that_many_series_ask_for():
    t = np.arange(120)
    rng = np.random.default_rng(0)
    names = [f"s{i}" for i in range(6)]
    table = long(
        **{name: np.sin(2 * np.pi * t / 12 + i) + 0.3 * rng.normal(size=120)
           for i, name in enumerate(names)}
    )  # fmt: skip
    panel = gf.forecast_panel(table, 12, mode="global")
    truth = np.concatenate([np.sin(2 * np.pi * (120 + np.arange(12)) / 12 + i) for i in range(6)])
    assert np.abs(panel.frame["mean"] - truth).mean() < 0.3  # the noise alone


def test_a_common_model_forecasts_by_the_clock_across_its_changes():
    index = pd.date_range("2024-03-16", "2024-04-03 23:00", freq="h", tz="Europe/Paris")
    y = np.random.default_rng(0).standard_normal(24)[index.hour]
    table = pd.concat([pd.DataFrame({"unique_id": k, "ds": index, "y": y + k}) for k in range(2)])
    before = table[table.ds < pd.Timestamp("2024-03-29", tz="Europe/Paris")]
    forecaster = gf.Forecaster(lags=[1, 24], transforms=None, model=gf.models.LinearAR())
    found = gf.forecast_panel(before, 143, forecaster=forecaster, mode="global", n_jobs=1)
    together = found.to_frame().merge(table, on=["unique_id", "ds"])
    assert len(together) == 2 * 143
    np.testing.assert_allclose(together["mean"], together["y"], atol=1e-6)
