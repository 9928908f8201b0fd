"""Notes of a fit that a user can act on, and values that count as missing."""

import copy

import numpy as np
import pandas as pd
import pytest
from series_cases import noise

import gpforecast as gf
from gpforecast.pipeline.set_aside import stuck_notes

# Notes of a fit that a user can act on: seasons that are not used, classes, hours, inputs


NOISE = 20.0 + np.random.default_rng(0).standard_normal(130)
DAYS = pd.date_range("2024-01-01", periods=60)
INPUTS = pd.DataFrame({"valve": np.linspace(0.0, 1.0, 60), "promo": np.zeros(60)}, index=DAYS)


def notes_of(values, season_length="auto", freq=None, **options):
    if freq is not None:
        values = pd.Series(values, pd.date_range("1850-01-01", periods=len(values), freq=freq))
    options = {"model": gf.models.LinearAR(), "combine": None} | options
    return gf.Forecaster(season_length=season_length, **options).fit(values).notes_


def test_a_named_season_that_nothing_repeats_comes_with_the_transform_that_models_it():
    notes = notes_of(NOISE, [5, 9], lags=[1, 9], transforms=None)
    (note,) = (note for note in notes if "season" in note)
    assert note.startswith("the season of 5 steps, which season_length names, is not used")
    advised = eval(note.split("transforms=")[1].split(" models")[0])
    notes = notes_of(NOISE, [5, 9], lags=[1, 9], transforms=advised)
    assert not any("season" in note for note in notes)


def test_zeros_and_ones_point_to_the_forecaster_of_classes():
    events = pd.Series(NOISE > 20.0)
    assert any("gf.EventForecaster" in note for note in notes_of(events, lags=2))
    assert not any("EventForecaster" in note for note in notes_of(events * 2.0, lags=2))


@pytest.fixture(scope="module")
def driven():
    y = pd.Series(3.0 * INPUTS["valve"] + 0.1 * NOISE[:60], DAYS)
    options = {"transforms": None, "model": gf.models.BayesianAR(), "noise": "process"}
    return gf.Forecaster(lags=1, exog_lags=[0], **options).fit(y[:50], exog=INPUTS[:50])


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [("valve", 1.2, None), ("valve", 100.0, "'valve' (from 0 to "),
     ("promo", 1.0, "'promo' (from 0 to 0 so far)"), ("promo", 1e-12, "'promo'")],
)  # fmt: skip
def test_inputs_far_from_all_that_was_learned_from_are_named(driven, column, value, said):
    inputs = INPUTS[50:].copy()
    inputs.iloc[3, inputs.columns.get_loc(column)] = value
    notes = [note for note in driven.predict(10, exog=inputs).notes if "inputs far" in note]
    assert len(notes) == (said is not None)
    assert said is None or said in notes[0]


def test_an_update_notes_inputs_far_from_all_that_was_learned_from(driven):
    later = driven.update([1.0], exog=INPUTS[50:51].assign(valve=1000.0))
    assert any("inputs far" in note and "'valve' (from 0 to " in note for note in later.notes_)


def test_inputs_of_lag_0_are_noted_with_the_option_for_more():
    y = pd.Series(NOISE[:60], DAYS)
    for transforms in (None, "auto"):
        fc = gf.Forecaster(lags=1, transforms=transforms, model=gf.models.LinearAR())
        assert any("exog_lags=" in note for note in fc.fit(y, exog=INPUTS[["valve"]]).notes_)
    fc.set_params(exog_lags=[0]).fit(y, exog=INPUTS[["valve"]])
    assert not any("exog_lags=" in note for note in fc.notes_)


def test_a_blank_input_says_what_to_do():
    promo = pd.DataFrame({"promo": np.where(np.arange(130) % 3 == 0, 1.0, np.nan)})
    blank = gf.Forecaster(lags=1, transforms=None).fit(pd.Series(NOISE), promo).notes_
    assert any(note.startswith("input 'promo' is missing in 86 of 130 rows") for note in blank)


def test_a_declining_count_has_not_run_away_and_a_forecast_below_its_support_has():
    steps = np.arange(48)
    falling = np.round(300.0 * np.exp(-steps / 9.0)) + 1.0
    bayesian, options = gf.models.BayesianAR(), {"transforms": ["log", "difference"]}
    f = gf.Forecaster(1, support="count", model=bayesian, **options).fit(falling).predict(24)
    assert f.median.iloc[-1] == 0.0
    assert not any("run away" in note for note in f.notes)
    plunging = 100.0 - 1.1 ** steps[:40] + NOISE[:40] / 10.0
    fc = gf.Forecaster(1, support="positive", transforms=None, model=gf.models.LinearAR())
    with pytest.warns(gf.NumericalWarning, match="has run away"):
        fc.fit(plunging).predict(60)


# Outliers and stuck sensors count as missing: at a fit, among new values, and in `surprise`


QUICK = {"model": gf.models.LinearAR(), "combine": None, "noise": "process"}


def days(n, seed=0):
    return pd.Series(100 + 8 * noise(n, seed), pd.date_range("2025-01-01", periods=n))


@pytest.fixture(scope="module")
def of_200():
    return gf.Forecaster(**QUICK).fit(days(200))


def hours():
    return pd.Series(NOISE.copy(), pd.date_range("2025-03-01", periods=130, freq="h"))


def since(fc):
    return [note for note in fc.notes_ if note.startswith("since the fit")]


# Outliers


@pytest.mark.parametrize("place", [-1, -7])
def test_an_absurd_new_value_counts_as_missing_as_it_does_in_a_fit(place, of_200):
    y = days(210)
    y.iloc[place] = 99999.0
    fc = copy.deepcopy(of_200).update(y[200:])
    again = gf.Forecaster(**QUICK).fit(y)
    assert fc.fitted_.set_aside == again.fitted_.set_aside == (210 + place,)
    when = y.index[place].date()
    assert since(fc) == [f"since the fit, 1 value treated as missing, as an outlier, at {when}"]
    np.testing.assert_allclose(fc.predict(5).mean, again.predict(5).mean, atol=3.0)
    assert fc.history_.equals(y.astype(float))


def test_values_given_one_by_one_are_set_aside_like_all_at_once(of_200):
    y = days(215)
    y.iloc[[203, 209]] = 400.0, -300.0
    at_once = copy.deepcopy(of_200).update(y[200:])
    one_by_one = copy.deepcopy(of_200)
    for i in range(200, 215):
        one_by_one.update(y[i : i + 1])
    assert at_once.fitted_.set_aside == one_by_one.fitted_.set_aside == (203, 209)
    np.testing.assert_allclose(one_by_one.predict(4).mean, at_once.predict(4).mean, rtol=1e-9)
    assert since(one_by_one) == since(at_once)
    assert since(at_once)[0].startswith("since the fit, 2 values treated as missing")


@pytest.mark.parametrize("direct", [False, True])
def test_the_third_value_of_a_new_level_brings_back_the_two_before_it(direct):
    y = days(206)
    y.iloc[203:] += 150.0
    options = {"strategy": "direct", "max_horizon": 3} if direct else {}
    fc = gf.Forecaster(lags=2, **QUICK, **options).fit(y[:203])
    aside = []
    for i in range(203, 206):
        fc.update(y[i : i + 1])
        aside.append(fc.fitted_.set_aside)
    assert aside == [(203,), (203, 204), ()]
    assert since(fc) == []
    rows = fc.fitted_.leads.rows if direct else [fc.fitted_.rows]
    for lead, of_lead in enumerate(rows, 2 if direct else 1):
        assert sorted(of_lead.places.tolist()) == list(range(1 + lead, 206))


@pytest.mark.parametrize("options", [{"outliers": None}, {"transforms": None}])
def test_values_are_taken_as_they_are_where_the_fit_looked_for_no_outliers(options):
    y = days(201)
    y.iloc[60:90] = y.iloc[60]
    y.iloc[-1] = 99999.0
    fc = gf.Forecaster(lags=1, **QUICK, **options).fit(y[:200]).update(y[200:])
    assert fc.fitted_.set_aside == ()
    assert any("if a sensor was stuck, make them NaN" in note for note in fc.notes_)


@pytest.mark.parametrize("exog_lags", [None, [0]])
def test_new_values_with_inputs_are_outliers_only_if_these_do_not_explain_them(exog_lags):
    n = 303
    u = noise(n, 1)
    u[301] = 3.0
    y = days(n, 2) + 10 * u
    y.iloc[302] = 999.0
    exog = pd.DataFrame({"u": u}, y.index)
    fc = gf.Forecaster(exog_lags=exog_lags, **QUICK).fit(y[:300], exog=exog[:300])
    fc.update(y[300:], exog=exog[300:])
    assert fc.fitted_.set_aside == (302,)


def test_what_comes_again_after_the_fit_becomes_a_habit_and_counts(of_200):
    z = days(250)
    z.iloc[200::7] += 100.0
    fc = copy.deepcopy(of_200)
    for i in range(200, 250):
        fc.update(z[i : i + 1])
    assert len(fc.fitted_.set_aside) <= 4


def growing(n):
    """Return a weekly season that grows with the level, of which the logarithm is taken."""
    t = np.arange(n)
    y = np.exp(5 + 0.006 * t + 0.3 * np.sin(2 * np.pi * t / 7) + 0.1 * noise(n))
    return pd.Series(y, pd.date_range("2024-01-01", periods=n))


def test_what_a_selected_logarithm_cannot_take_counts_as_missing_until_the_third():
    y = growing(330)
    y.iloc[[310, 328, 329]] = -3.0
    fc = gf.Forecaster(**QUICK).fit(y[:300])
    assert fc.fitted_.chain.warp is not None
    support = fc.fitted_.support
    fc.update(y[300:])
    assert fc.fitted_.set_aside == (310, 328, 329)
    assert fc.fitted_.support == support
    third = pd.Series([-3.0], pd.date_range(y.index[-1], periods=2)[1:])
    with pytest.raises(ValueError, match=r"no logarithm or root, and .* Fit again"):
        fc.update(third)
    with pytest.raises(ValueError, match="new_values must be positive to have a logarithm"):
        gf.Forecaster(transforms="log", **QUICK).fit(y[:300]).update(y[300:311])


def test_an_event_excuses_no_absurd_value_where_it_has_come_before():
    y, holiday = days(365), np.zeros((372, 1))
    holiday[[40, 110, 210, 364, 371]] = 1.0
    y.iloc[[40, 110, 210]] -= 60.0
    fc = gf.Forecaster(**QUICK).fit(y[:364], exog=holiday[:364])
    known = fc.fitted_.set_aside
    for value, aside in [(35.0, ()), (-3500.0, (364,))]:
        updated = copy.deepcopy(fc)
        updated.update(pd.Series([value], y.index[364:]), exog=holiday[364:365])
        assert updated.fitted_.set_aside == (*known, *aside)


# Stuck sensors


def test_a_stuck_sensor_is_set_aside_by_the_fit_and_flagged_by_surprise():
    y = hours()
    y.iloc[60:90] = y.iloc[60]
    fc = gf.Forecaster(lags=2, **QUICK).fit(y)
    assert fc.fitted_.set_aside == tuple(range(61, 90))
    (said,) = (note for note in fc.notes_ if "in a row" in note)
    assert said == (
        "30 values in a row are equal, from 2025-03-03 12:00 to 2025-03-04 17:00: as if a sensor "
        "was stuck: all but the first count as missing; outliers=None keeps them"
    )
    known = y.copy()
    known.iloc[61:90] = np.nan
    expected = gf.Forecaster(lags=2, **QUICK).fit(known).predict(5)
    np.testing.assert_allclose(fc.predict(5).mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(fc.predict(5).std, expected.std, rtol=1e-12)
    found = fc.surprise()
    assert any("in a row" in note for note in found.notes)
    stuck = found.table["kind"] == "stuck"
    assert found.table.index[stuck].tolist() == y.index[61:90].tolist()
    assert found.table["flagged"][stuck].all()


def stuck(n=130, at=slice(60, 70), to=None, digits=12):
    y = np.round(np.random.default_rng(1).standard_normal(n), digits)
    y[at] = y[at][0] if to is None else to
    return stuck_notes(y, pd.RangeIndex(n))


def test_equal_values_that_a_series_is_made_of_are_no_stuck_sensor():
    assert stuck()
    assert stuck(digits=1)  # rounded: values repeat now and then, but not ten of them
    for usual in ({"at": slice(60, 62)}, {"to": -9.0}, {"to": 9.0}, {"digits": 0}):
        assert not stuck(**usual)  # two may be chance; limits; whole numbers
    held = np.random.default_rng(2).standard_normal(12).repeat(10)  # as settings are
    assert not stuck_notes(held, pd.RangeIndex(120))
    for constant in ([], [np.nan] * 9, [2.0] * 9, [1.0, 2.0]):
        assert not stuck_notes(np.array(constant), pd.RangeIndex(len(constant)))


def test_what_a_stuck_sensor_repeats_is_unknown_to_the_forecasts_that_judge_others():
    rng, n = np.random.default_rng(5), 672
    y = 20.0 + 8.0 * np.sin(2 * np.pi * np.arange(n + 48) / 24) + rng.standard_normal(n + 48)
    broken = y.copy()
    broken[n + 4 : n + 34] = broken[n + 4]
    fc = gf.Forecaster([1, 24], model=gf.models.LinearAR(), combine=None, season_length=24)
    found = fc.fit(y[:n]).surprise(broken[n:])
    stuck_at = np.arange(n + 5, n + 34)
    assert found.table.index[found.table["kind"] == "stuck"].tolist() == stuck_at.tolist()
    missing = broken.copy()
    missing[stuck_at] = np.nan
    there = ~np.isin(np.arange(n, n + 48), stuck_at)
    expected = fc.surprise(missing[n:]).table[there]
    pd.testing.assert_frame_equal(found.table[there], expected)
    assert "29 stuck values, flagged but not judged" in repr(found)
    rest = fc.update(broken[n:]).surprise(np.full(12, broken[n + 47])).table
    assert (rest["kind"] == "stuck").all()  # it goes on where the batch before ended
