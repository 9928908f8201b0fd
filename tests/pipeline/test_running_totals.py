"""Running totals are forecast by their increments: nothing falls below the last value."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.support import choose_support


def total(kind, n=160, seed=1):
    rng = np.random.default_rng(seed)
    increments = {"cases": rng.poisson(0.3, n), "rain": rng.gamma(0.5, 40.0, n)}[kind]
    return pd.Series(np.cumsum(increments), pd.date_range("2024-01-01", periods=n), dtype=float)


@pytest.mark.parametrize("kind", ["cases", "rain"])
@pytest.mark.parametrize("sign", [1, -1])
def test_no_quantile_and_no_path_of_a_total_turns_back(kind, sign):
    y = sign * total(kind)
    f = gf.Forecaster().fit(y).predict(20)
    ahead = sign * (np.asarray(f.quantile([0.01, 0.99])) - y.iloc[-1])
    paths = sign * np.asarray(f.distribution.sample(200, np.random.default_rng(0)))
    assert ahead.min() >= 0.0
    assert np.diff(paths, axis=0).min() >= 0.0
    growth = sign * (f.mean.iloc[-1] - y.iloc[-1])
    assert growth == pytest.approx(20 * (y.diff() * sign).mean(), rel=0.35)
    assert kind == "rain" or np.array_equal(paths, np.round(paths))


def test_a_line_far_above_its_noise_is_no_total_and_one_that_falls_is_none_any_more():
    noise = np.random.default_rng(0).standard_normal(80)
    assert choose_support(100.0 + np.cumsum(2.0 + 0.4 * noise)).value is None
    y = total("rain")
    fc = gf.Forecaster(model=gf.models.LinearAR()).fit(y)
    assert fc.fitted_.support.rising == 1
    fc.update([y.iloc[-1] - 5.0])
    assert fc.fitted_.support is None
    assert any("no longer kept to values that never fall" in note for note in fc.notes_)


def test_the_increments_of_a_total_keep_their_season():
    days = pd.date_range("2023-01-01", periods=200)
    usual = np.where(days.day_of_week < 5, 10, 1)
    total = pd.Series(np.cumsum(np.random.default_rng(2).poisson(usual)).astype(float), days)
    rise = gf.Forecaster().fit(total).predict(14).mean.diff().iloc[1:]
    working = rise.index.day_of_week < 5
    assert abs(rise[working].mean() - 10.0) < 1.0
    assert abs(rise[~working].mean() - 1.0) < 1.0
