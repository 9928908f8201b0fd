"""Steps coarser than the labels: quarters among months, half-years, every second day."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.automatic.features import calendar_periods, steps_in_a_year
from gpforecast.series import TimeAxis
from gpforecast.series.checked import checked

MONTHS = pd.period_range("2012-03", periods=142, freq="M")
FEW = {"model": gf.models.LinearAR(), "noise": "process", "combine": None, "outliers": None}


def series(index, seed=0):
    t = np.arange(len(index))
    return pd.Series(
        50 + 10 * (t % 4 == 0) + np.random.default_rng(seed).standard_normal(len(t)), index
    )


@pytest.mark.parametrize(
    ("fine", "k", "words"),
    [
        (MONTHS, 3, "3 months"),
        (pd.period_range("2000Q1", periods=81, freq="Q"), 2, "2 quarters"),
        (pd.period_range("2024-01-01", periods=81, freq="D"), 2, "2 days"),
        (pd.date_range("2024-01-01", periods=81), 2, "2 days"),
        (pd.date_range("2024-01-01", periods=81, freq="h", tz="Asia/Tokyo"), 3, "3 hours"),
        (pd.date_range("2024-01-01", periods=81, freq="MS"), 3, "1 quarter"),
    ],
)
def test_blank_rows_between_coarser_steps_are_left_out(fine, k, words):
    fine = fine[: (len(fine) - 1) // k * k + 1]
    y = series(fine[::k])
    sparse = y.drop(y.index[[4, 9]]).reindex(fine)
    found = checked(sparse, open_days=True)
    assert list(found.axis.index) == list(y.index)
    assert words in found.notes[0]
    assert np.flatnonzero(np.isnan(found.values)).tolist() == [4, 9]
    ahead = fine.append(fine[-1:] + k * fine.freq)
    assert found.axis.future(1)[0] == ahead[-1]


@pytest.mark.parametrize("share", [0.3, 0.4, 0.6])
def test_gaps_at_random_are_no_coarser_steps(share):
    days = pd.date_range("2024-01-01", periods=200)
    for seed in range(20):
        y = series(days)
        y[np.random.default_rng(seed).random(len(y)) > share] = np.nan
        assert len(checked(y, open_days=True).values) == 200


def test_values_at_odd_places_too_keep_the_finer_step():
    y = series(MONTHS[::3]).reindex(MONTHS)
    y.iloc[7] = 1.0
    assert len(checked(y, open_days=True).values) == len(MONTHS)


def test_every_so_many_periods_are_regular_with_a_few_gaps():
    quarters = MONTHS[::3]
    axis = TimeAxis.of(quarters.delete([5, 6, 20]), fill=True)
    assert list(axis.index) == list(quarters)
    assert [str(label) for label in axis.future(3)] == ["2024-03", "2024-06", "2024-09"]
    assert axis.locate(TimeAxis.of(quarters[7:9])).first == 7


def test_seasons_and_years_are_those_of_the_steps():
    half_years = pd.period_range("2000Q1", periods=40, freq="Q")[::2]
    assert calendar_periods(MONTHS[::3]) == (4,)
    assert calendar_periods(half_years) == (2,)
    days = pd.period_range("2024-01-01", periods=40, freq="D")[::2]
    assert steps_in_a_year(days) == pytest.approx(365.25 / 2)


def test_a_forecaster_goes_on_at_the_coarser_step(tmp_path):
    y = series(MONTHS[::3])
    fc = gf.Forecaster(**FEW).fit(y)
    assert fc.notes_[0] == "the steps are 3 months, and so are those ahead"
    assert "one every 3M" in fc.summary()
    assert [str(t) for t in fc.predict("2024-09").index] == ["2024-03", "2024-06", "2024-09"]
    fc.save(tmp_path / "quarters.gpf")
    again = gf.load(tmp_path / "quarters.gpf")
    later = pd.Series([np.nan, np.nan, 50.0], pd.period_range("2024-01", periods=3, freq="M"))
    assert str(again.update(later).history_.index[-1]) == "2024-03"
    again.update(pd.Series([51.0], pd.PeriodIndex(["2024-06"], freq="M")))
    assert str(again.predict(1).index[0]) == "2024-09"


def test_inputs_of_all_months_serve_quarters():
    inputs = pd.DataFrame(
        {"x": np.arange(150) % 7.0}, pd.period_range("2012-03", periods=150, freq="M")
    )
    y = series(MONTHS[::3])
    for given in (y, y.reindex(MONTHS)):
        fc = gf.Forecaster(**FEW).fit(given, exog=inputs)
        np.testing.assert_array_equal(fc.fitted_.exog.past[:, 0], inputs["x"].iloc[:142:3])
        assert str(fc.predict(1, exog=inputs).index[0]) == "2024-03"


def test_calendars_count_all_days_up_to_the_next_step():
    event = gf.calendars.Event("sale", ["2014-05-20", "2017-05-20", "2024-05-20"])
    fc = gf.Forecaster(calendar=event, **FEW).fit(series(MONTHS[::3]))
    assert np.flatnonzero(fc.fitted_.exog.past[:, 0]).tolist() == [8, 20]
    assert fc.fitted_.exog.over(None, fc.predict(1).index, "ahead") == [[1.0]]
    assert any("label='end'" in note for note in fc.notes_)
    ends = gf.Forecaster(calendar=event, label="end", **FEW).fit(series(MONTHS[::3]))
    assert np.flatnonzero(ends.fitted_.exog.past[:, 0]).tolist() == [9, 21]
    assert not any("label=" in note for note in ends.notes_)


def test_vectors_classes_and_panels_know_them():
    y = series(MONTHS[::3])
    frame = pd.DataFrame({"a": y, "b": y.shift(1)}).iloc[1:]
    vector = gf.VectorForecaster(model=gf.models.LinearAR()).fit(frame.reindex(MONTHS[3:]))
    assert [str(t) for t in vector.predict(2).index] == ["2024-03", "2024-06"]
    assert "3 months" in vector.notes_[0]
    states = pd.Series(np.where(y > 52, "high", "low"), y.index).reindex(MONTHS)
    classes = gf.EventForecaster().fit(states)
    assert str(classes.predict(1).index[0]) == "2024-03"
    assert any("3 months" in note for note in classes.notes_)
    table = pd.DataFrame({"unique_id": "a", "ds": y.index, "y": y.to_numpy()})
    options = {"forecaster": gf.Forecaster(**FEW)}
    ahead = gf.forecast_panel(table, horizon=2, progress=False, **options).to_frame()
    assert ahead["ds"].astype(str).tolist() == ["2024-03", "2024-06"]
