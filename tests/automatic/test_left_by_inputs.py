"""Outliers of driven processes: found beside the inputs, and never what an input explains."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.left_by_inputs import cleaned_beside, soon_after
from gpforecast.automatic.outliers import find_unusual
from gpforecast.series.exogenous import Exogenous


def found(y, u):
    y = pd.Series(y)
    return cleaned_beside(y, Exogenous.fit(np.asarray(u), y.index)).outliers.value


def driven(u, rng, through=lambda v: v):
    y = np.zeros(len(u))
    for t in range(1, len(u)):
        y[t] = 0.7 * y[t - 1] + through(u[t - 1]) + 0.2 * rng.standard_normal()
    return y


def steps(rng, n):
    return np.repeat(rng.standard_normal(n // 25 + 1), 25)[:n]


def pulses(rng, n):
    u = np.zeros(n)
    u[10 + rng.choice(n - 20, 6, replace=False)] = 5.0
    return u


@pytest.mark.parametrize(("draw", "through"), [(steps, lambda v: np.exp(1.5 * v)), (pulses, abs)])
def test_what_an_input_explains_is_no_outlier_and_a_gross_one_is_found(draw, through):
    alone, n_hit = 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        u = draw(rng, 600)
        y = driven(u, rng, through)
        alone += len(find_unusual(y, None).outliers) > 0
        assert found(y, u) == ()
        y[300] += 20.0 * y.std()
        hit = found(y, u)
        n_hit += 300 in hit and len(hit) <= 3
    assert alone > 0  # a search that knows no inputs calls their effects outliers
    assert n_hit >= 5


def test_outlier_where_inputs_drive_the_model_is_said_and_does_not_widen_the_intervals():
    rng, n = np.random.default_rng(0), 600
    hours = pd.date_range("2025-01-06", periods=n, freq="h")
    power = np.clip(rng.normal(1.0, 0.5, n), 0.0, None)
    y = pd.Series(20.0 + driven(power - 1.0, rng, np.sin), hours)
    y.iloc[350] = 85.0
    exog = pd.DataFrame({"power": power}, hours)
    fc = gf.Forecaster(exog_lags=[1]).fit(y[:576], exog=exog[:576])
    assert fc.fitted_.exog.in_model
    assert fc.fitted_.set_aside == (350,)
    (note,) = (note for note in fc.notes_ if "outlier" in note)
    assert "(85 where about 19.85 was" in note
    assert np.diff(fc.predict(24, exog=exog[576:]).interval(0.95).to_numpy()).max() < 2.0
    kept = gf.Forecaster(exog_lags=[1], outliers=None).fit(y[:576], exog=exog[:576])
    assert kept.fitted_.set_aside == ()


def test_what_follows_soon_after_a_rare_event_may_be_its_effect():
    rare = np.zeros((20, 2), dtype=bool)
    rare[4, 1] = True
    np.testing.assert_array_equal(np.argwhere(soon_after(rare)), [[i, 1] for i in range(4, 11)])
    assert soon_after(np.zeros((20, 0), dtype=bool)).shape == (20, 0)


def test_driven_series_that_is_constant_or_short_has_no_outliers():
    rng = np.random.default_rng(0)
    assert found(np.full(100, 5.0), rng.standard_normal(100)) == ()
    assert found(rng.standard_normal(10), rng.standard_normal(10)) == ()
    constant = np.full(100, 5.0)
    constant[50] = 80.0
    assert found(constant, rng.standard_normal(100)) == ()


def test_unknown_inputs_may_explain_what_stands_apart():
    rng = np.random.default_rng(0)
    u = rng.standard_normal(300)
    y = driven(u, rng)
    y[150] += 20.0 * y.std()
    assert found(y, u) == (150,)
    u[148] = np.nan
    assert found(y, u) == ()


def test_a_note_names_the_value_of_the_series_where_inputs_have_effects_beside_its_season():
    rng, n = np.random.default_rng(0), 300
    days = pd.date_range("2024-01-01", periods=n)
    promo = (rng.random(n) < 0.3).astype(float)
    y = 50.0 + 10.0 * np.sin(2.0 * np.pi * np.arange(n) / 7.0) + rng.standard_normal(n)
    y = pd.Series(y + 20.0 * promo, days)
    on = int(np.flatnonzero(promo)[50])
    y.iloc[on] = 500.0
    exog = pd.DataFrame({"promo": promo}, days)
    fc = gf.Forecaster(model=gf.models.LinearAR(), combine=None).fit(y[:290], exog=exog[:290])
    assert not fc.fitted_.exog.in_model
    (note,) = (note for note in fc.notes_ if "outlier" in note)
    assert "(500 where about" in note
    assert float(note.partition("where about ")[2].split()[0]) > 55.0  # with the promotion
    later = y[290:].copy()
    later.iloc[5] = 900.0
    fc.update(later, exog=exog[290:])
    (_, note) = (note for note in fc.notes_ if "outlier" in note)
    assert "(900 where about" in note


def test_many_outliers_beside_inputs_do_not_make_each_other_usual():
    """Once they outnumbered the rows that the process learns from, none was found."""
    rng, n = np.random.default_rng(0), 6000
    u = rng.standard_normal((n, 2))
    y = np.zeros(n)
    for t in range(1, n):
        y[t] = 0.5 * y[t - 1] + 0.5 * u[t].sum() + 0.3 * rng.standard_normal()
    at = rng.choice(n, 300, replace=False)
    y[at] += 40.0
    assert len(np.intersect1d(found(y, u), at)) > 270
