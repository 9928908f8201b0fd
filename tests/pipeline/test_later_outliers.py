"""Outliers among values that come after a fit: set aside as by a fit, and a new level is none."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

QUICK = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}


def noise(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n)


def days(n, seed=0):
    return pd.Series(100 + 8 * noise(n, seed), pd.date_range("2025-01-01", periods=n))


def said(fc):
    return [note for note in fc.notes_ if "outlier" in note]


@pytest.mark.parametrize("place", [-1, -2, -7])
def test_an_absurd_new_value_counts_as_missing_as_it_does_in_a_fit(place):
    y = days(210)
    y.iloc[place] = 99999.0
    fc = gf.Forecaster(**QUICK).fit(y[:200])
    fc.update(y[200:])
    again = gf.Forecaster(**QUICK).fit(y)
    assert fc.fitted_.set_aside == again.fitted_.set_aside == (210 + place,)
    (note,), (fresh,) = said(fc), said(again)
    assert note == f"since the fit, {fresh.replace('among 210 values', 'among 10 values')}"
    np.testing.assert_allclose(fc.predict(5).mean, again.predict(5).mean, atol=3.0)
    assert fc.history_.equals(y.astype(float))


def test_values_given_one_by_one_are_set_aside_like_all_at_once():
    y = days(215)
    y.iloc[[203, 209]] = 400.0, -300.0
    at_once = gf.Forecaster(**QUICK).fit(y[:200]).update(y[200:])
    one_by_one = gf.Forecaster(**QUICK).fit(y[:200])
    for i in range(200, 215):
        one_by_one.update(y[i : i + 1])
    assert at_once.fitted_.set_aside == one_by_one.fitted_.set_aside == (203, 209)
    np.testing.assert_allclose(one_by_one.predict(4).mean, at_once.predict(4).mean, rtol=1e-9)
    (note,) = said(one_by_one)
    assert note.startswith("since the fit, 1 outlier among 10 values")
    assert note.endswith("; 1 outlier before")
    assert "before" not in said(at_once)[0]


def test_an_outlier_of_the_fit_is_none_since_the_fit():
    y = days(210)
    y.iloc[[100, 205]] = 99999.0
    fc = gf.Forecaster(**QUICK).fit(y[:200]).update(y[200:])
    of_fit, later = said(fc)
    assert of_fit.startswith("1 outlier among 200 values")
    assert later.startswith("since the fit, 1 outlier among 10 values")
    assert "before" not in later


def test_the_third_value_of_a_new_level_brings_back_the_two_before_it():
    y = days(206)
    y.iloc[203:] += 150.0
    fc = gf.Forecaster(lags=2, **QUICK).fit(y[:200]).update(y[200:203])
    aside = []
    for i in range(203, 206):
        fc.update(y[i : i + 1])
        aside.append(fc.fitted_.set_aside)
    assert aside == [(203,), (203, 204), ()]
    assert said(fc) == []
    assert sorted(fc.fitted_.rows.places.tolist()) == list(range(2, 206))


def test_direct_models_of_all_leads_know_again_what_comes_back():
    y = days(206)
    y.iloc[203:] += 150.0
    options = {"model": gf.models.LinearAR(), "strategy": "direct", "max_horizon": 3, "lags": 2}
    fc = gf.Forecaster(**options).fit(y[:203])
    for i in range(203, 206):
        fc.update(y[i : i + 1])
    for lead, rows in enumerate(fc.fitted_.leads.rows, 2):
        assert sorted(rows.places.tolist()) == list(range(1 + lead, 206))


def test_no_ordinary_new_value_is_set_aside():
    for seed in range(20):
        y = days(230, seed)
        fc = gf.Forecaster(lags=1, **QUICK).fit(y[:200])
        for i in range(200, 230, 3):
            fc.update(y[i : i + 3])
        assert fc.fitted_.set_aside == ()


@pytest.mark.parametrize("options", [{"outliers": None}, {"transforms": None}])
def test_new_values_are_taken_as_they_are_where_the_fit_looked_for_no_outliers(options):
    y = days(201)
    y.iloc[-1] = 99999.0
    fc = gf.Forecaster(lags=1, **QUICK, **options).fit(y[:200]).update(y[200:])
    assert fc.fitted_.set_aside == ()
    assert said(fc) == []


@pytest.mark.parametrize("exog_lags", [None, [0]])
def test_new_values_beside_inputs_are_outliers_only_if_these_do_not_explain_them(exog_lags):
    n = 303
    u = noise(n, 1)
    u[301] = 3.0
    y = days(n, 2) + 10 * u
    y.iloc[302] = 999.0
    exog = pd.DataFrame({"u": u}, y.index)
    fc = gf.Forecaster(exog_lags=exog_lags, **QUICK).fit(y[:300], exog=exog[:300])
    fc.update(y[300:], exog=exog[300:])
    assert fc.fitted_.set_aside == (302,)


def test_adaptive_intervals_learn_nothing_from_an_outlier():
    y = days(203)
    y.iloc[201] = 99999.0
    adaptive = gf.Forecaster(lags=1, calibrate="adaptive", **QUICK)
    fc = adaptive.fit(y[:200]).update(y[200:])
    assert fc.fitted_.set_aside == (201,)
    lost = y.where(y < 9999.0)
    other = gf.Forecaster(lags=1, calibrate="adaptive", **QUICK).fit(y[:200]).update(lost[200:])
    np.testing.assert_allclose(fc.predict(3).interval(0.9), other.predict(3).interval(0.9))


def test_what_was_set_aside_after_a_fit_survives_saving(tmp_path):
    y = days(201)
    y.iloc[-1] = 99999.0
    fc = gf.Forecaster(**QUICK).fit(y[:200]).update(y[200:])
    fc.save(tmp_path / "later.gpf")
    again = gf.load(tmp_path / "later.gpf")
    assert again.predict(4).mean.equals(fc.predict(4).mean)
    again.update([101.0])
    assert again.fitted_.set_aside == (200,)


def test_what_comes_again_after_the_fit_becomes_a_habit_and_counts():
    """46 of 58 weekly events were set aside for ever, where a fit sets none of them aside."""
    z = days(450)
    z.iloc[200::7] += 100.0
    fc = gf.Forecaster(lags=[1, 2], **QUICK).fit(z[:200])
    for i in range(200, 450):
        fc.update(z[i : i + 1])
    assert len(fc.fitted_.set_aside) <= 4


def test_rows_that_were_forgotten_stay_so_where_values_are_followed_one_by_one():
    y = days(300)
    fc = gf.Forecaster(lags=2, calibrate="adaptive", max_rows=60, **QUICK).fit(y[:200])
    places = fc.update(y[200:]).fitted_.rows.places
    np.testing.assert_array_equal(places, np.arange(240, 300))


def test_what_was_expected_beside_effects_on_the_logarithm_is_in_the_units_of_the_series():
    rng, n = np.random.default_rng(1), 303
    z = np.zeros(n)
    for t in range(1, n):
        z[t] = 0.5 * z[t - 1] + 0.08 * rng.standard_normal()
    u = (rng.random(n) < 0.4) * 1.0
    u[301] = 1.0
    y = pd.Series(np.exp(4.0 + z + 0.9 * u + 0.012 * np.arange(n)), days(n).index)
    at = [int(np.flatnonzero(u[:200])[-1]), 301]
    usual = y.iloc[at].to_numpy()
    y.iloc[at] *= 8.0
    exog = pd.DataFrame({"u": u}, y.index)
    fc = gf.Forecaster(lags=[1, 2], **QUICK).fit(y[:300], exog=exog[:300])
    assert fc.fitted_.chain.warp is not None
    assert not fc.fitted_.exog.in_model
    fc.update(y[300:], exog=exog[300:])
    for note, true in zip(said(fc), usual, strict=True):
        expected = float(note.partition("where about ")[2].split()[0])
        assert 0.7 * true < expected < 1.4 * true


def growing(n):
    """Return a weekly season that grows with the level, of which the logarithm is taken."""
    t = np.arange(n)
    y = np.exp(5 + 0.006 * t + 0.3 * np.sin(2 * np.pi * t / 7) + 0.1 * noise(n))
    return pd.Series(y, pd.date_range("2024-01-01", periods=n))


@pytest.mark.parametrize("value", [0.0, -3.0])
def test_what_a_selected_logarithm_cannot_take_counts_as_missing(value):
    y = growing(330)
    y.iloc[[310, 328, 329]] = value
    fc = gf.Forecaster(**QUICK).fit(y[:300])
    assert fc.fitted_.chain.warp is not None
    support = fc.fitted_.support
    fc.update(y[300:])
    assert fc.fitted_.set_aside == (310, 328, 329)
    assert fc.fitted_.support == support  # what is no value of the series says nothing of it
    assert fc.predict(3).quantile(0.001).to_numpy().min() > 0.0
    third = pd.Series([value], pd.date_range(y.index[-1], periods=2)[1:])
    with pytest.raises(ValueError, match=r"no logarithm or root, and .* Fit again"):
        fc.update(third)
    assert len(fc.history_) == 330
    with pytest.raises(ValueError, match="new_values must be positive to have a logarithm"):
        gf.Forecaster(transforms="log", **QUICK).fit(y[:300]).update(y[300:311])


def test_an_event_excuses_no_absurd_value_where_it_has_come_before():
    y, holiday = days(365), np.zeros((372, 1))
    holiday[[40, 110, 210, 364, 371]] = 1.0
    y.iloc[[40, 110, 210]] -= 60.0
    fc = gf.Forecaster(**QUICK).fit(y[:364], exog=holiday[:364])
    for value, aside in [(35.0, ()), (-3500.0, (364,)), (3500.0, (364,))]:
        new = pd.Series([value], y.index[364:])
        seen = gf.Forecaster(**QUICK).fit(y[:364], exog=holiday[:364])
        seen.update(new, exog=holiday[364:365])
        assert seen.fitted_.set_aside == (*fc.fitted_.set_aside, *aside)
    assert (
        364
        in gf.Forecaster(**QUICK)
        .fit(y.where(y.index != y.index[364], 3500.0), exog=holiday[:365])
        .fitted_.set_aside
    )
    holiday[[110, 210]] = 0.0  # now it has come once before: who knows what it does
    first = gf.Forecaster(**QUICK).fit(y[:364], exog=holiday[:364])
    first.update(pd.Series([3500.0], y.index[364:]), exog=holiday[364:365])
    assert 364 not in first.fitted_.set_aside


def test_new_values_that_are_all_known_are_said_to_be():
    y = days(60)
    fc = gf.Forecaster(1, transforms=None).fit(y)
    with pytest.raises(ValueError, match="None of them is later than the series, which goes up"):
        fc.update(y[50:])


def test_what_a_logarithm_cannot_take_stays_missing_though_it_is_no_outlier_otherwise():
    t = np.arange(240)
    y = np.exp(1 + 0.9 * np.sin(2 * np.pi * t / 12) + 0.6 * noise(240, 1))
    y = pd.Series(y, pd.date_range("2000-01-31", periods=240, freq="ME"))
    y.iloc[200] = 0.0
    fc = gf.Forecaster(**QUICK).fit(y[:200])
    assert fc.fitted_.chain.warp is not None
    fc.update(y[200:201])
    assert "since the fit, 1 outlier treated as missing, the last at 2016-09" in fc.notes_
    for i in range(201, 206):
        fc.update(y[i : i + 1])
    assert fc.fitted_.set_aside == (200,)
    assert np.isfinite(gf.backtest(fc, y, 3, [207, 210]).mean).all()


# The fit knows up to 20 values of some levels; single values of others were outliers at first.
@pytest.mark.parametrize(
    ("at", "size", "seed", "chunk"),
    [(220, 80, 0, 10), (211, 80, 0, 10), (231, 80, 0, 10), (198, 80, 1, 10), (180, 80, 0, 5),
     (191, 96, 0, 60), (218, 60, 2, 1)],
)  # fmt: skip
def test_a_level_that_shifts_after_the_fit_is_noted_as_by_a_fit_to_all_values(
    at, size, seed, chunk
):
    y = days(260, seed)
    y.iloc[at:] += size
    fc = gf.Forecaster(**QUICK).fit(y[:200])
    assert not any("level shifts" in note for note in fc.notes_)
    for first in range(200, 260, chunk):
        fc.update(y[first : first + chunk])
    (note,) = (note for note in fc.notes_ if "level shifts" in note)
    again = gf.Forecaster(**QUICK).fit(y)
    (fresh,) = (note for note in again.notes_ if "level shifts" in note)
    when = f"at {y.index[at].date()}, much more"
    assert note.startswith("since the fit, the level shifts by ")
    assert when in note
    assert when in fresh
    fc.update(pd.Series([99999.0], y.index[-1:] + pd.Timedelta("1D")))
    notes = " ".join(fc.notes_)
    assert notes.count(when) == 1
    assert "since the fit, 1 outlier" in notes


def test_a_shift_of_the_fit_is_none_since_the_fit():
    y = days(260)
    y.iloc[100:] += 80.0
    fc = gf.Forecaster(**QUICK).fit(y[:200]).update(y[200:])
    assert [note[:16] for note in fc.notes_ if "shift" in note] == ["the level shifts"]
