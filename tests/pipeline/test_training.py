"""The model and the lags that are taken where the user names none."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import AveragedGP, GaussianProcess
from gpforecast.pipeline.training import chosen_lags, default_model, fitted_chain, transformed
from gpforecast.transforms import Compose


def wave(seed, n=20):
    rng = np.random.default_rng(seed)
    return np.sin(np.arange(n) * rng.uniform(0.4, 1.0)) + 0.3 * rng.standard_normal(n)


@pytest.mark.parametrize(
    ("n_rows", "n_inputs", "kind"),
    [
        (6, 6, AveragedGP),
        (99, 2, AveragedGP),
        (100, 2, GaussianProcess),
        (119, 12, AveragedGP),
        (120, 12, GaussianProcess),
        (200, 60, GaussianProcess),
    ],
)
def test_few_rows_for_the_inputs_are_averaged_over_hyperparameters(n_rows, n_inputs, kind):
    model, reasons = default_model(n_rows, n_inputs)
    assert type(model) is kind
    assert len(reasons) == (kind is AveragedGP)


def test_intervals_of_a_dozen_noisy_values_hold_what_comes():
    inside = {None: [], "one": []}
    for seed in range(10):
        for name, model in ((None, None), ("one", GaussianProcess())):
            fc = gf.Forecaster(lags=6, model=model)
            b = gf.backtest(fc, wave(seed), horizon=4, origins=5, train_fraction=0.6)
            inside[name].append(b.summary()["average"]["coverage_95"])
    assert np.mean(inside[None]) > 0.9
    assert np.mean(inside["one"]) < 0.6  # what the default is there to mend


def test_the_summary_says_why_the_model_was_taken():
    few = gf.Forecaster(lags=3).fit(wave(0, 40))
    assert "averaged over its hyperparameters" in few.summary()
    assert "37 rows of 3 inputs are few (fewer than 100)" in few.summary()
    given = gf.Forecaster(lags=3, model=GaussianProcess()).fit(wave(0, 40))
    assert "averaged" not in given.summary()


@pytest.mark.filterwarnings("ignore:.*variances by the taylor method")
@pytest.mark.parametrize(
    "propagation", ["exact", "taylor", "cubature", "naive", gf.propagation.MonteCarlo(50, seed=0)]
)
def test_every_method_propagates_the_model_for_few_rows(propagation, tmp_path):
    fc = gf.Forecaster(lags=3, propagation=propagation).fit(wave(1, 40))
    f = fc.predict(8)
    assert np.isfinite(f.trajectory).all()
    fc.save(tmp_path / "fc")
    np.testing.assert_array_equal(gf.load(tmp_path / "fc").predict(8).mean, f.mean)
    updated = fc.update(wave(1, 44)[40:]).predict(8)
    assert np.abs(updated.mean.to_numpy() - f.mean.to_numpy()).max() > 0


def test_few_values_choose_few_lags():
    t = np.arange(24)
    z = np.sin(2 * np.pi * t / 5) + np.sin(2 * np.pi * t / 3.3) + 0.1 * wave(0, 24)
    plain = Compose().fit(z)
    assert len(chosen_lags(plain, pd.Series(z), plain.transform(z)).lags) <= 4


def indexed(y, freq):
    return pd.Series(y, pd.date_range("2000-01-02", periods=len(y), freq=freq))


def automatic_lags(y):
    chain = fitted_chain("auto", y, driven=False)
    return list(chosen_lags(chain, y, transformed(chain, y)).lags)


def test_a_day_of_hours_brings_the_week():
    rng = np.random.default_rng(0)
    t = np.arange(24 * 30)
    y = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(2 * np.pi * t / 168) + 0.3 * rng.normal(size=720)
    assert {1, 24, 168} <= set(automatic_lags(indexed(y, "h")))
    assert {1, 24, 168} <= set(automatic_lags(pd.Series(y)))


def test_weeks_that_wander_are_offered_the_year_and_a_bare_walk_is_not():
    walk = np.random.default_rng(3).normal(size=500).cumsum()
    assert {1, 2, 3, 4, 52} <= set(automatic_lags(indexed(walk, "W")))
    assert automatic_lags(pd.Series(walk)) == [1, 2, 3, 4]


def test_differences_get_slopes_beside_the_bumps():
    model, reasons = default_model(200, 4, wandered=True)
    assert type(model) is GaussianProcess
    assert "Linear" in repr(model)
    assert "differenced" in reasons[0]
