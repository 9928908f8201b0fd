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

    assert run(None).notes["note"].tolist() == [
        "the common model is trained on 60 of 126 rows, chosen at random (max_rows)"
    ]
    pd.testing.assert_frame_equal(run(None).frame, run(0).frame)
    assert not run(1).frame.equals(run(0).frame)


def sloped(slope, n=62, n_series=20):
    """Return series of an autoregressive process, with a slope of each."""
    rng = np.random.default_rng(0)
    t, found = np.arange(n), {}
    for i in range(n_series):
        e = rng.standard_normal(n + 50)
        y = np.zeros(n + 50)
        for k in range(1, n + 50):
            y[k] = 0.7 * y[k - 1] + e[k]
        found[f"s{i}"] = y[50:] + slope * rng.uniform(-1.0, 1.0) * t
    return long(**found)


@pytest.mark.parametrize("wrong", ["a time twice", "one value alone"])
def test_a_series_that_cannot_be_forecast_costs_the_others_nothing(wrong):
    table = sloped(0.0, n_series=12)
    mine = table.index[table["unique_id"] == "s3"]
    if wrong == "a time twice":
        table.loc[mine[-1], "ds"] = table.loc[mine[-2], "ds"]
    else:
        table.loc[mine, "y"] = 5.0
    with pytest.warns(UserWarning, match="1 of 12 series could not be forecast"):
        panel = gf.forecast_panel(
            table, 6, forecaster=gf.Forecaster(lags=2), mode="global", n_jobs=1
        )
    assert panel.failures["unique_id"].tolist() == ["s3"]
    assert panel.frame["unique_id"].nunique() == 11


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
