"""Notes that point to what may have been meant: seasons that are not used, 0 and 1 alone."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy

import gpforecast as gf
from gpforecast.automatic.decision import Decision
from gpforecast.automatic.ends import stuck_runs
from gpforecast.automatic.settings import Settings
from gpforecast.pipeline.pointers import notes_on_classes, notes_on_stuck
from gpforecast.pipeline.season_notes import notes_on_unseen_season
from gpforecast.series.time_axis import TimeAxis

NOISE = 20.0 + np.random.default_rng(0).standard_normal(130)


def notes_of(values, season_length=None, freq=None, **options):
    if freq is not None:
        values = pd.Series(values, pd.date_range("1850-01-01", periods=len(values), freq=freq))
    options = {"model": gf.models.LinearAR(), "combine": None} | options
    return gf.Forecaster(season_length=season_length, **options).fit(values).notes_


@pytest.mark.parametrize(
    ("length", "freq", "said"),
    [
        (7, "YS", "season_length=7 counts steps: 7 years, as values are yearly"),
        (7, "MS", "season_length=7 counts steps: 7 months, as values are monthly"),
        (30, "D", "season_length=30 counts steps: 30 days, as values are daily"),
        (12, "MS", None),
        (6, "MS", None),
        (7, "D", None),
        (24, "h", None),
        (7, None, None),
    ],
)
def test_a_season_that_its_index_does_not_usually_have_is_said_in_its_time(length, freq, said):
    found = notes_of(NOISE, length, freq, lags=[1, length], transforms=None)
    assert found == (() if said is None else (said,))


def test_a_season_that_nothing_repeats_is_said_to_be_unused():
    found = notes_of(NOISE, [5, 9], lags=[1, 9], transforms=None)
    (note,) = found
    assert note.startswith("the season of 5 steps, which season_length names, is not used")
    assert "transforms=[gf.transforms.Deterministic(fourier=2, period=5)] takes it away" in note
    sines = gf.transforms.Deterministic(fourier=2, period=5)
    assert notes_of(NOISE, [5, 9], lags=[1, 9], transforms=[sines]) == ()


@pytest.mark.parametrize("season", [2, 3, 4, 7])
def test_the_advice_for_a_season_can_be_followed(season):
    (note,) = notes_of(NOISE, [season], lags=[1], transforms=None)
    assert "neither the lags nor the transforms have it" in note
    advised = eval(note.split("transforms=")[1].split(" takes")[0])
    assert notes_of(NOISE, [season], lags=[1], transforms=advised) == ()


@pytest.mark.parametrize(
    ("transforms", "unused"),
    [
        (gf.transforms.SeasonalDifference(12), False),
        (gf.transforms.Deterministic(fourier=2, period=12), False),
        (gf.transforms.Deterministic(fourier=1, period=12), True),
    ],
)
def test_half_a_season_is_part_of_the_whole_one_where_its_sines_are(transforms, unused):
    found = notes_of(NOISE, [6, 12], lags=[1, 2], transforms=[transforms])
    assert [note.startswith("the season of 6 steps") for note in found] == [True] * unused


def test_of_several_seasons_each_is_said_to_be_used_or_left():
    t = np.arange(400)
    y = pd.Series(10 * np.sin(2 * np.pi * t / 24) + np.random.default_rng(0).normal(size=400))
    said = " ".join(gf.Forecaster(season_length=[24, 168]).fit(y).transforms_.reasons)
    assert (
        "season_length=[24, 168]: the season of 24 steps describes most of the series, that of "
        "168 steps is a multiple of it"
    ) in said
    assert (
        "no sines of the season of 168 steps: in trial forecasts of 48 steps its error is" in said
    )


@pytest.mark.parametrize("kind", ["bool", "int64", "float64", "boolean"])
def test_zeros_and_ones_point_to_the_forecaster_of_classes(kind):
    events = pd.Series(NOISE > 20.0).astype(kind)
    assert notes_of(events, lags=2) == (
        "all values are 0 or 1: gf.EventForecaster forecasts the probability of each",
    )
    assert notes_of(events.astype(float) * 2.0, lags=2) == ()


@pytest.mark.parametrize("values", [[1.0, 1.0], [0.0, 2.0], [0.0, 0.5, 1.0], [np.nan]])
def test_other_values_point_nowhere(values):
    assert notes_on_classes(np.array(values)) == []


def test_every_column_of_several_says_what_its_season_is():
    years = pd.date_range("1850-01-01", periods=130, freq="YS")
    frame = pd.DataFrame({"a": NOISE, "b": NOISE[::-1]}, years)
    model = gf.models.LinearAR()
    fc = gf.VectorForecaster([1, 7], season_length=7, model=model, transforms=None, combine=None)
    said = "season_length=7 counts steps: 7 years, as values are yearly"
    assert fc.fit(frame).notes_ == (f"a: {said}", f"b: {said}")


def test_a_sensor_that_is_stuck_is_pointed_to_by_the_fit_and_by_surprise():
    """Each of these values is likely after the one before; all but the first are flagged."""
    y = pd.Series(NOISE.copy(), pd.date_range("2025-03-01", periods=130, freq="h"))
    y.iloc[60:90] = y.iloc[60]
    y.iloc[100:107] = y.iloc[100]
    y.iloc[70] = np.nan
    fc = gf.Forecaster(model=gf.models.LinearAR(), combine=None, outliers=None).fit(y)
    says = (
        "29 values in a row are equal, from 2025-03-03 12:00 to 2025-03-04 17:00, and 1 shorter run"
    )
    assert any(note.startswith(says) for note in fc.notes_)
    found = fc.surprise()
    assert any(note.startswith(says) for note in found.notes)
    stuck = found.table["kind"] == "stuck"
    places = [*range(61, 70), *range(71, 90), *range(101, 107)]
    assert np.flatnonzero(stuck[y.index[places]]).tolist() == [*range(len(places))]
    assert stuck.sum() == len(places)
    assert found.table["flagged"][stuck].all()


def stuck(n=130, at=slice(60, 70), to=None, digits=12):
    y = np.round(np.random.default_rng(1).standard_normal(n), digits)
    y[at] = y[at][0] if to is None else to
    return notes_on_stuck(y, pd.RangeIndex(n))


def test_equal_values_that_a_series_is_made_of_are_no_stuck_sensor():
    assert stuck()
    assert not stuck(at=slice(60, 65))  # five may be chance
    held = np.random.default_rng(2).standard_normal(12).repeat(10)  # as settings are
    assert not notes_on_stuck(held, pd.RangeIndex(120))
    assert not stuck(to=-9.0)  # the lowest, as where it does not rain
    assert not stuck(to=9.0)
    assert stuck(digits=1)  # rounded: values repeat now and then, but not ten of them
    assert not stuck(digits=0)
    assert not stuck(at=slice(60, 113))  # more than two fifths: it has steps
    limit = np.minimum(np.random.default_rng(3).standard_normal(300).cumsum(), 3.0)
    limit[np.flatnonzero(limit == 3.0)[4]] = 3.5  # a limit that it comes back to, passed once
    assert not notes_on_stuck(limit, pd.RangeIndex(300))
    for constant in ([], [np.nan] * 9, [2.0] * 9, [1.0, 2.0]):
        assert not notes_on_stuck(np.array(constant), pd.RangeIndex(len(constant)))


@pytest.mark.parametrize(
    ("n", "freq", "said"),
    [
        (
            101,
            "W-MON",
            "there were 101 weeks, no more than two seasons of 52 and too few",
        ),
        (104, "W-MON", "there were 104 weeks, no more than"),
        (105, "W-MON", None),
        (25, "W-MON", None),  # half a year tells nothing of a year
        (20, "MS", "there were 20 months, no more than two seasons of 12"),
        (20, "YS", None),
        (13, "D", "there were 13 days, no more than two seasons of 7"),
        (101, None, None),
    ],
)
def test_a_season_that_a_short_series_cannot_show_is_said_to_be_missed(n, freq, said):
    """A forecast went on from the peak of a year: 3277 where 1239 came, without a word."""
    notes = notes_of(NOISE.repeat(2)[:n] + np.arange(n) % 3, None, freq, lags=[1], transforms=None)
    found = [note for note in notes if "two seasons" in note]
    assert len(found) == (said is not None)
    assert said is None or found[0].startswith(said)
    named = notes_of(NOISE[:20], 10, "MS", lags=[1, 10], transforms=None)
    assert not any("two seasons" in note for note in named)


@pytest.mark.parametrize(
    ("n", "freq", "said"),
    [
        (168, "h", "(168 steps) was looked for, as fewer than 3 weeks were there"),
        (503, "h", "fewer than 3 weeks"),
        (504, "h", None),
        (167, "h", None),
        (5040, "2min", "(5040 steps) was looked for, as it has more than 2016 steps"),
    ],
)
def test_a_week_that_was_not_looked_for_is_said_to_be_missed(n, freq, said):
    notes = notes_of(np.resize(NOISE, n), None, freq, lags=[1], transforms=None)
    found = [note for note in notes if "of a week" in note]
    assert len(found) == (said is not None)
    assert said is None or said in found[0]
    used = notes_of(np.resize(NOISE, 400), None, "h", lags=[1, 168], transforms=None)
    assert not any("of a week" in note for note in used)


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (504, "lags of a week need 4 weeks, and 3 were there"),
        (670, "lags of a week need 4 weeks, and 3.9 were there"),
        (700, "4.1 weeks were there, and trial forecasts did better without it"),
    ],
)
def test_a_week_that_was_found_and_is_not_used_is_said_to_be_missed(n, said):
    """Three weeks of hours with other weekends: a forecast of Monday was off by half a day's range.

    The summary alone said why.
    """
    index = pd.date_range("2024-02-05", periods=n, freq="h")
    y = np.resize(np.sin(np.arange(24)), n) - (index.day_of_week >= 5)

    def notes(steps, lags, period=168):
        spec = gf.transforms.Compose(*steps)
        chain = replace(spec.fit_at(y, TimeAxis(index)), period=period)
        model = Decision(gf.models.LinearAR())
        return notes_on_unseen_season(Settings(Decision(spec), Decision(lags), model, chain), index)

    day, week = gf.transforms.SeasonalDifference(24), gf.transforms.SeasonalDifference(168)
    (note,) = notes([day], (1, 24))
    assert note.startswith("the values have a season of a week (168 steps), and neither")
    assert f"use it: {said}. If" in note
    assert note.endswith("pass more values or season_length=[24, 168]")
    assert notes([week], (1,)) == notes([day], (1, 168)) == notes([day], (1,), period=24) == []


def test_what_a_stuck_sensor_told_counts_as_missing():
    """36 of 1800 values of a stuck sensor made the error of a forecast ten times as large."""
    y = pd.Series(NOISE.copy(), pd.date_range("2025-03-01", periods=130, freq="h"))
    y.iloc[60:90] = y.iloc[60]
    options = {"model": gf.models.LinearAR(), "combine": None, "lags": 2}
    fc = gf.Forecaster(**options).fit(y)
    assert fc.fitted_.set_aside == tuple(range(61, 90))
    (said,) = (note for note in fc.notes_ if "in a row" in note)
    assert said == (
        "30 values in a row are equal, from 2025-03-03 12:00 to 2025-03-04 17:00, as if a sensor "
        "was stuck: all but the first count as missing; outliers=None keeps them"
    )
    known = y.copy()
    known.iloc[61:90] = np.nan
    expected = gf.Forecaster(**options).fit(known).predict(5)
    np.testing.assert_allclose(fc.predict(5).mean, expected.mean, rtol=1e-12)
    np.testing.assert_allclose(fc.predict(5).std, expected.std, rtol=1e-12)
    for kept in ({"outliers": None}, {"transforms": None}):
        assert gf.Forecaster(**options, **kept).fit(y).fitted_.set_aside == ()


def test_stuck_runs_may_be_several():
    y = np.random.default_rng(4).standard_normal(400)
    for first in (20, 90, 160, 230, 300):
        y[first : first + 12] = y[first]
    assert [first for first, _ in stuck_runs(y)] == [20, 90, 160, 230, 300]


@pytest.mark.parametrize("least", [[4.0, 6.0, 5.5], [3.2, 5.9, 6.1]])
def test_a_series_that_is_mostly_one_value_is_forecast_as_it(least):
    """All but the first of 79 values were set aside, and the rest was too little to learn from."""
    y = np.full(200, 5.0)
    y[[43, 121, 197]] = least
    f = gf.Forecaster().fit(y).predict(3)
    assert not np.isin(np.flatnonzero(y == 5.0), f.set_aside).any()
    np.testing.assert_allclose(f.mean, 5.0, atol=0.05)


def test_an_update_sets_aside_the_beginning_of_a_stuck_run_too():
    """The fit saw four equal values, which may be chance; they were what a forecast began from."""
    y = pd.Series(NOISE.copy(), pd.date_range("2025-03-01", periods=130, freq="h"))
    y.iloc[96:109] = y.iloc[96]
    options = {"model": gf.models.LinearAR(), "combine": None, "lags": 2}
    fc = gf.Forecaster(**options).fit(y[:100]).update(y[100:109])
    assert fc.fitted_.set_aside == tuple(range(97, 109))
    assert fc.predict(1).set_aside == tuple(range(97, 109))


def test_an_update_keeps_what_a_stuck_sensor_told_missing_and_finds_more_of_it():
    options = {"model": gf.models.LinearAR(), "combine": None, "lags": 2}
    y = pd.Series(NOISE.copy(), pd.date_range("2025-03-01", periods=130, freq="h"))
    y.iloc[90:110] = y.iloc[90]
    for end in (105, 112):  # while it is stuck, and soon after
        fc = gf.Forecaster(**options).fit(y[:end])
        fc.update(y[end : end + 3])
        fc.update(y[end + 3 :])
        assert fc.fitted_.set_aside == tuple(range(91, 110))
    known = y.where(~np.isin(np.arange(130), fc.fitted_.set_aside))
    lone = gf.Forecaster(**options).fit(known[:112]).update(known[112:])
    np.testing.assert_allclose(fc.predict(4).mean, lone.predict(4).mean, rtol=1e-9)
    later = gf.Forecaster(**options).fit(y[:80]).update(y[80:])
    assert later.fitted_.set_aside == tuple(range(91, 110))
    note = "since the fit, 19 values came as from a sensor that is stuck, up to 2025-03-05 13:00"
    assert f"{note}; they count as missing" in later.notes_


ROUGH = np.random.default_rng(3).standard_normal(12)


def yearly(n=120, seed=0):
    """Logarithms that repeat every 12 steps, but for some noise."""
    return ROUGH[np.arange(n) % 12] + 0.2 * np.random.default_rng(seed).standard_normal(n)


@pytest.mark.parametrize(
    ("transforms", "more"),
    [("log", "'log'"), (["sqrt", gf.transforms.Difference(2)], "'sqrt', gf.transforms.Diff.*2.*")],
)
@pytest.mark.parametrize("freq", ["MS", None])
def test_a_season_that_named_transforms_and_lags_leave_is_said_with_what_takes_it_away(
    transforms, more, freq
):
    values = np.exp(yearly())
    (note,) = notes_of(values, "auto", freq, lags=3, transforms=transforms)
    assert note.startswith("the values repeat every 12 steps, and neither the transforms that were")
    advice = re.search(r"transforms=(\[.*\]) does", note).group(1)
    assert re.fullmatch(rf"\[{more}, gf.transforms.SeasonalDifference\(12\)\]", advice)
    assert notes_of(values, "auto", freq, lags=3, transforms=eval(advice)) == ()


def test_a_season_that_lags_or_the_automatic_choice_take_up_is_not_said_to_be_left():
    values = np.exp(yearly())
    for options in ({"transforms": "log", "lags": [1, 12]}, {"lags": 3}, {"transforms": None}):
        assert not any("repeat every" in note for note in notes_of(values, "auto", "MS", **options))


@pytest.mark.parametrize("freq", ["MS", "D", "h", None])
def test_no_season_is_said_to_be_left_where_there_is_none(freq):
    for seed in range(5):
        noise = np.random.default_rng(seed).standard_normal(150)
        smooth = scipy.signal.lfilter([1.0], [1.0, -1.2, 0.6], noise)
        for z in (noise, np.cumsum(noise), smooth, 0.05 * np.arange(150) + noise):
            for transforms in ("log", ["log", "difference"]):
                assert notes_of(np.exp(z / 5.0), "auto", freq, lags=1, transforms=transforms) == ()


def test_values_that_differ_after_a_fit_to_one_value_alone_are_a_reason_to_fit_again():
    """Forecasts repeated 7, 5, 9, 8, 6 with intervals of 0.002, without a word."""
    months = pd.date_range("2023-01-01", periods=36, freq="MS")
    fc = gf.Forecaster().fit(pd.Series(0.0, months[:30]))
    assert not fc.update(pd.Series(0.0, months[30:31])).notes_
    alike = gf.Forecaster().fit(pd.Series([0.1 + 0.2, 0.3] * 10, months[:20]))
    alike.update(pd.Series(0.3, months[20:24]))
    assert not any("fit again" in note for note in alike.notes_)
    fc.update(pd.Series([7.0, 5.0, 9.0, 8.0], months[31:35]))
    fc.update(pd.Series([6.0], months[35:]))
    (note,) = (note for note in fc.notes_ if "fit again" in note)
    assert note.startswith("the fit knew no value but 0, and learned neither noise nor memory")


def test_a_season_that_a_structural_model_has_is_not_missed():
    rng = np.random.default_rng(0)
    season = np.tile(10.0 * np.sin(2 * np.pi * np.arange(12) / 12), 2)[:21]
    y = pd.Series(
        50.0 + season + rng.standard_normal(21), pd.date_range("2024", periods=21, freq="MS")
    )
    fc = gf.Forecaster().fit(y)
    assert 12 in [one.posterior.period for one in fc.fitted_.ensemble.members]
    assert not any("two seasons of 12" in note for note in fc.notes_)
    alone = gf.Forecaster(combine=None).fit(y)
    assert any("two seasons of 12" in note for note in alone.notes_)


def test_hours_at_which_there_never_is_a_value_are_named():
    """A call centre whose file has no rows for its nights; with a gap at noon alone nothing."""
    hours = pd.date_range("2024-01-01", periods=24 * 20, freq="h")
    calls = pd.Series(np.random.default_rng(0).poisson(9.0, len(hours)).astype(float), hours)
    few = {"lags": 2, "transforms": None, "model": gf.models.LinearAR(), "combine": None}
    notes = gf.Forecaster(**few).fit(calls[(hours.hour >= 8) & (hours.hour < 20)]).notes_
    (note,) = [note for note in notes if "never a value" in note]
    assert note.startswith("at 12 of every 24 times there is never a value")
    calls[12:15] = np.nan
    assert not any("never a value" in n for n in gf.Forecaster(**few).fit(calls).notes_)


def test_a_few_zeros_far_below_all_other_values_are_named():
    rng = np.random.default_rng(0)
    y = pd.Series(rng.normal(300.0, 20.0, 400), pd.date_range("2023-01-01", periods=400))
    fast = {"lags": 1, "model": gf.models.LinearAR(), "combine": None, "outliers": None}
    assert not any("are 0 (" in note for note in gf.Forecaster(**fast).fit(y).notes_)
    y.iloc[[7, 120, 359]] = 0.0
    notes = gf.Forecaster(**fast).fit(y).notes_
    assert any(
        note.startswith("3 values are 0 (2023-01-08, 2023-05-01, 2023-12-26), and all others are ")
        for note in notes
    )
