"""Series and frames of polars and pyarrow in, pandas out."""

import sys

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.series.frames import as_pandas, one_column

pl = pytest.importorskip("polars")
pytest.importorskip("narwhals")

LINEAR = gf.models.LinearAR()
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2024-01-01", periods=60, freq="D", name="day")
SERIES = pd.Series(np.sin(0.7 * np.arange(60)) + 0.1 * RNG.standard_normal(60), DAYS, name="y")
INPUT = pd.DataFrame({"u": RNG.standard_normal(60), "kind": ["a", "b", "c"] * 20}, DAYS)


def in_polars(labelled):
    """The same with its index as a column."""
    return pl.DataFrame({k: v.to_numpy() for k, v in labelled.reset_index().items()})


def in_arrow(labelled):
    pa = pytest.importorskip("pyarrow")
    return pa.table({k: v.to_numpy() for k, v in labelled.reset_index().items()})


def linear(**options):
    return gf.Forecaster([1, 2], model=LINEAR, transforms=None, **options)


def same(found, expected):
    pd.testing.assert_series_equal(found, expected, check_index_type=False, check_freq=False)


@pytest.mark.parametrize("foreign", [in_polars, in_arrow])
def test_the_column_of_times_of_a_frame_is_its_index(foreign):
    found = as_pandas(foreign(SERIES), "series")
    pd.testing.assert_frame_equal(found, SERIES.to_frame(), check_freq=False)


def test_dates_with_a_zone_keep_it():
    paris = SERIES.tz_localize("Europe/Paris")
    stamps = pl.Series("day", SERIES.index.to_numpy()).dt.replace_time_zone("Europe/Paris")
    frame = pl.DataFrame({"day": stamps, "y": SERIES.to_numpy()})
    assert as_pandas(frame, "series").index.equals(paris.index)


def test_nulls_are_missing_values():
    frame = pl.DataFrame({"n": [1, None, 3], "s": ["a", None, "b"], "b": [True, None, False]})
    found = as_pandas(frame, "exog")
    assert found.isna().iloc[1].all()
    assert found.notna().iloc[[0, 2]].all(axis=None)
    values = [None if i == 30 else v for i, v in enumerate(SERIES.tolist())]
    assert linear().fit(pl.Series(values)).notes_[0] == "1 of 60 values is missing"


@pytest.mark.parametrize("times", [True, False])
def test_inputs_go_with_times_or_with_rows(times):
    future = INPUT[:4].set_axis(pd.date_range("2024-03-01", periods=4, name="day"))
    expected = linear().fit(SERIES, exog=INPUT).predict(4, exog=future)
    past, later = in_polars(INPUT), in_polars(future)
    if not times:
        past, later = past.drop("day"), later.drop("day")
    fc = linear().fit(SERIES, exog=past)
    same(fc.predict(4, exog=later).mean, expected.mean)
    fc = linear().fit(
        in_polars(SERIES), exog=past.with_columns(pl.col("kind").cast(pl.Categorical))
    )
    same(fc.predict(4, exog=later).mean, expected.mean)
    with pytest.raises(ValueError, match="'d' at"):
        fc.predict(4, exog=later.with_columns(kind=pl.lit("d")))


def test_a_frame_with_several_columns_of_times_is_refused():
    frame = in_polars(SERIES).with_columns(updated=pl.col("day").dt.date())
    sentence = "series must have one column of dates or times, which becomes its index; got 'day'"
    with pytest.raises(ValueError, match=sentence):
        linear().fit(frame)


def test_a_frame_that_is_not_in_memory_is_refused():
    with pytest.raises(
        TypeError, match=r"series must be a table in memory; got a LazyFrame\. Call"
    ):
        linear().fit(in_polars(SERIES).lazy())


def test_without_narwhals_the_command_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    monkeypatch.setitem(sys.modules, "narwhals.stable.v1", None)
    with pytest.raises(ImportError, match="pip install narwhals"):
        linear().fit(pl.Series([1.0, 2.0]))


@pytest.mark.parametrize("wrapped", [pl.Series, "arrow"])
def test_inputs_without_times_go_with_the_rows_of_the_series_as_an_array_does(wrapped):
    if wrapped == "arrow":
        pa = pytest.importorskip("pyarrow")
        wrapped = lambda values: pa.chunked_array([values])  # noqa: E731
    u = INPUT["u"].to_numpy()
    expected = linear().fit(SERIES, exog=u).predict(3, exog=u[:3])
    fc = linear().fit(in_polars(SERIES), exog=wrapped(u))
    same(fc.predict(3, exog=wrapped(u[:3])).mean, expected.mean)
    gappy, by_array = SERIES.drop(DAYS[30]), np.delete(u, 30)
    found = linear().fit(gappy, exog=wrapped(by_array)).predict(3, exog=u[:3])
    same(found.mean, linear().fit(gappy, exog=by_array).predict(3, exog=u[:3]).mean)
    found = gf.backtest(linear(), in_polars(SERIES), 3, origins=[40, 50], exog=wrapped(u))
    expected = gf.backtest(linear(), SERIES, 3, origins=[40, 50], exog=u)
    np.testing.assert_array_equal(found.mean, expected.mean)
    with pytest.raises(ValueError, match=r"60 times of the series, .*; got 50 rows, .* no times"):
        linear().fit(SERIES, exog=wrapped(u[:50]))


def test_an_array_of_one_column_is_a_series():
    values = np.arange(9.0)
    np.testing.assert_array_equal(one_column(values[:, None], "series"), values)
