"""Lags of a transformed series, and what is said of them."""

import re

import numpy as np
import pandas as pd
import pytest

from gpforecast.automatic import settings_for
from gpforecast.automatic.lags.after_transforms import lags_after
from gpforecast.common.wording import named_lags
from gpforecast.transforms import BoxCox, Compose, Log, SeasonalDifference


def few_values_of_a_wave():
    t = np.arange(24)
    rng = np.random.default_rng(0)
    noisy = np.sin(t * rng.uniform(0.4, 1.0)) + 0.3 * rng.standard_normal(24)
    return np.sin(2 * np.pi * t / 5) + np.sin(2 * np.pi * t / 3.3) + 0.1 * noisy


def test_few_values_choose_few_lags():
    z = few_values_of_a_wave()
    plain = Compose().fit(z)
    assert len(lags_after(plain, z, plain.transform(z))[0].value) <= 4


def indexed(y, freq):
    return pd.Series(y, pd.date_range("2000-01-02", periods=len(y), freq=freq))


def lags_of(y, **given):
    return settings_for(y, **given).lags


def test_a_day_of_hours_brings_the_week():
    rng = np.random.default_rng(0)
    t = np.arange(24 * 30)
    y = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(2 * np.pi * t / 168) + 0.3 * rng.normal(size=720)
    for series in (indexed(y, "h"), pd.Series(y)):
        lags = lags_of(series)
        assert {1, 24, 168} <= set(lags.value)
        assert re.search(r"those around the season of (24|168) steps", lags.reason)


def monthly(n=144, seed=0):
    t = np.arange(n)
    rng = np.random.default_rng(seed)
    return indexed(0.1 * t + 3 * np.sin(2 * np.pi * t / 12) + rng.standard_normal(n), "MS")


@pytest.mark.parametrize(
    "transforms",
    [
        SeasonalDifference(12),
        [Log(), SeasonalDifference(12)],
        [BoxCox(0.5), SeasonalDifference(12)],
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_after_a_removed_season_the_simplest_set_near_the_best_is_taken_and_named(transforms, seed):
    y = monthly(240, seed) + 20.0
    lags = lags_of(y, transforms=transforms)
    scores = list(lags.scores.values())
    first = next(i for i, s in enumerate(scores) if s <= 1.05 * min(scores))
    assert list(lags.scores)[first] == named_lags(lags.value)
    assert lags.reason.startswith(f"{named_lags(lags.value)}: ")
    assert ("with this season taken away its error is" in lags.reason) == (
        scores[first] > min(scores)
    )
    assert "CRPS" not in lags.reason  # one more figure of much the same thing
