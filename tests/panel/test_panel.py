"""Panels of series: each as if it were alone, whoever does the work, and what is said of them."""

import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from panel_cases import FORECASTER, LAGS, QUICK, THREE, long, series

import gpforecast as gf
from gpforecast.panel.panel import PanelForecast

# Panels of series: each as if it were alone, or all in one model; whoever does the work


def test_each_series_is_forecast_as_if_it_were_alone():
    panel = gf.forecast_panel(THREE, 4, forecaster=FORECASTER)
    assert panel.frame.columns.tolist() == [
        "unique_id", "ds", "mean", "lo-95", "lo-80", "hi-80", "hi-95",
    ]  # fmt: skip
    assert panel.frame["unique_id"].unique().tolist() == ["b", "a", "c"]
    for name, part in panel.frame.groupby("unique_id"):
        y = THREE[THREE["unique_id"] == name].set_index("ds")["y"]
        alone = gf.Forecaster(lags=LAGS).fit(y).predict(4).to_frame(levels=(80, 95))
        np.testing.assert_array_equal(part["ds"], y.index[-1] + np.arange(1, 5))
        np.testing.assert_array_equal(part.set_index("ds").drop(columns="unique_id"), alone)


@pytest.mark.parametrize("empty", [False, True], ids=["no rows", "empty rows"])
def test_a_series_that_ended_before_the_others_has_a_note(empty):
    table = THREE.assign(ds=pd.Timestamp("2024-01-01") + pd.to_timedelta(THREE["ds"], unit="D"))
    if empty:
        wide = table.pivot_table(index="ds", columns="unique_id", values="y")
        table = wide.reset_index().melt(id_vars="ds", var_name="unique_id", value_name="y")

    def said(given, horizon):
        notes = gf.forecast_panel(given, horizon, forecaster=QUICK).notes
        own = notes[notes["note"].str.startswith("its last value")]
        return own.set_index("unique_id")["note"]

    found = said(table, 5)  # "a" is the longest, by 5 and 10
    assert found.index.tolist() == ["b", "c"]
    assert "is from 2024-02-19, but other series go on to 2024-02-29" in found["b"]
    all_end = table.assign(y=table["y"].where(table["ds"] < "2024-02-10"))
    for given, horizon in ((all_end, 5), (table, 20), (THREE, 2)):  # the last has no dates
        assert said(given, horizon).empty


def test_a_series_that_fails_is_reported_with_its_reason_and_the_rest_delivered():
    gap = long(gap=series(1.0)).drop(index=20)
    twice = long(twice=series(1.0))
    twice.loc[5, "ds"] = twice.loc[4, "ds"]
    endless = long(endless=series(1.0))
    endless.loc[3, "y"] = np.inf
    table = pd.concat([gap, THREE, twice, long(short=np.array([1.0, 2.0, 3.0, 4.0])), endless])
    with pytest.warns(
        UserWarning, match=r"3 of 7 series could not be forecast.* 'twice': "
    ) as told:
        panel = gf.forecast_panel(table, 2, forecaster=QUICK)
    assert len(told) == 1
    assert panel.frame["unique_id"].unique().tolist() == ["gap", "b", "a", "c"]
    assert "missing from the index" in " ".join(panel.notes["note"])  # a gap is filled, and told
    reasons = panel.failures.set_index("unique_id")["reason"]
    assert reasons.index.tolist() == ["twice", "short", "endless"]
    assert "1 duplicated timestamp, the first 14" in reasons["twice"]
    assert "series has 4 values" in reasons["short"]
    assert "infinite" in reasons["endless"]
    assert "3 could not be" in repr(panel)


def test_where_no_series_can_be_forecast_the_first_reason_is_raised():
    table = long(x=np.array([1.0, 2.0]), y=np.array([1.0]))
    with pytest.raises(ValueError, match="none of the 2 series could be forecast; the first, 'x'"):
        gf.forecast_panel(table, 2, forecaster=FORECASTER)


def test_numerical_warnings_are_told_once_and_kept_as_notes(monkeypatch):
    def fit(self, y, exog=None):
        warnings.warn("the matrix is nearly singular.", gf.NumericalWarning, stacklevel=1)
        return honest(self, y, exog)

    honest = gf.Forecaster.fit
    monkeypatch.setattr(gf.Forecaster, "fit", fit)
    with pytest.warns(gf.NumericalWarning, match="trouble with 3 of 3 series") as told:
        panel = gf.forecast_panel(THREE, 2, forecaster=QUICK, n_jobs=1)
    assert len(told) == 1
    assert panel.notes["note"].tolist() == ["the matrix is nearly singular."] * 3


def driven(n: int = 60, horizon: int = 3) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(0)
    u = rng.normal(size=(2, n + horizon))
    tables = []
    for name, drive in zip("pq", u, strict=True):
        y = np.convolve(drive, [0.0, 1.0, 0.5])[: n + horizon] + 0.1 * rng.normal(size=n + horizon)
        tables.append(
            pd.DataFrame({"unique_id": name, "ds": range(n + horizon), "y": y, "u": drive})
        )
    both = pd.concat(tables, ignore_index=True)
    return both[both["ds"] < n], both.loc[both["ds"] >= n, ["ds", "u", "unique_id"]]


def test_other_columns_are_exogenous_inputs_with_their_future():
    past, future = driven()
    forecaster = gf.Forecaster(lags=2, exog_lags=[0, 1])
    # Times within the past and beyond the horizon do no harm.
    further = pd.concat([future.assign(ds=future["ds"] + k, u=future["u"] + k) for k in (0, 3, -3)])
    frame = gf.forecast_panel(past, 3, future=further[::-1], forecaster=forecaster).frame
    for name in "pq":
        mine = past[past["unique_id"] == name].set_index("ds")
        later = future[future["unique_id"] == name].set_index("ds")[["u"]]
        alone = gf.Forecaster(lags=2, exog_lags=[0, 1]).fit(mine["y"], mine[["u"]])
        expected = alone.predict(3, exog=later).mean
        np.testing.assert_array_equal(frame.loc[frame["unique_id"] == name, "mean"], expected)


PAST, FUTURE = driven()
LINED = {"frame": PAST, "horizon": 3}
MEASURED = gf.Forecaster(lags=2, noise="measurement", transforms="log")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"frame": [1.0, 2.0]}, TypeError, "long format"),
        ({"target": "value"}, ValueError, "must have a column 'value'.* A wide frame has"),
        ({"frame": THREE.assign(ds=THREE["ds"].astype(str))}, TypeError, "pandas.to_datetime"),
        ({"frame": THREE.assign(y="high")}, TypeError, "y must"),
        ({"frame": THREE.replace({"unique_id": {"c": None}})}, ValueError,
         r"it is empty in 45 rows, the first row \d+\. .*dropna"),
        ({"id": "mean"}, ValueError, "id and time must not be 'mean', which is a column of the"),
        ({"levels": [100], "mode": "global"}, ValueError, "a percentage such as 95; got 100"),
        ({"mode": "both"}, ValueError, "mode must be"),
        ({"forecaster": "arima"}, TypeError, "must be a Forecaster"),
        ({"forecaster": MEASURED, "mode": "global"}, ValueError,
         r'mode="global" .*; got noise and transforms\. Use mode='),
        (LINED, ValueError, r"frame has more columns than .*: 'u'. Pass their values"),
        (LINED | {"future": FUTURE.drop(columns="u")}, ValueError,
         r"have the exogenous columns of frame, \['u'\]; got \[\]"),
        (LINED | {"future": FUTURE.replace("q", "r")}, ValueError,
         r"names a series that frame does not have in 3 rows, the first row 3: 'r'\. Drop"),
        (LINED | {"future": FUTURE, "mode": "global"}, ValueError,
         r'mode="global" .* without inputs.*; got future\.'),
        (LINED | {"future": FUTURE.iloc[:-1]}, UserWarning,
         r"1 of 2 .* 'q': exog must have one row for each of .*3 times"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_what_makes_no_sense_is_refused_or_told(change, error, message):
    given = {"frame": THREE, "horizon": 2, "forecaster": FORECASTER} | change
    with pytest.raises(error, match=message):
        gf.forecast_panel(given.pop("frame"), given.pop("horizon"), **given)


@pytest.fixture(scope="module")
def serial() -> pd.DataFrame:
    return gf.forecast_panel(THREE, 4, forecaster=FORECASTER, n_jobs=1).frame


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_any_kind_give_identical_numbers(serial, backend):
    with joblib.parallel_config(backend, n_jobs=2):
        frame = gf.forecast_panel(THREE, 4, forecaster=FORECASTER).frame
    pd.testing.assert_frame_equal(frame, serial, check_exact=True)


# What dask and tornado leave open in passing, or deprecate among themselves.
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:Port .* is already in use")  # by a test beside it
def test_a_dask_cluster_of_two_workers_gives_identical_numbers(serial):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=40
    )
    with cluster, distributed.Client(cluster), joblib.parallel_config("dask"):
        frame = gf.forecast_panel(THREE, 4, forecaster=FORECASTER).frame
        common = gf.forecast_panel(THREE, 4, forecaster=FORECASTER, mode="global").frame
        options = {"forecaster": gf.Forecaster(noise="process"), "learn": True}
        learned = gf.forecast_panel(THREE, 4, **options)
    alone = gf.forecast_panel(THREE, 4, n_jobs=1, **options)
    np.testing.assert_array_equal(learned.prior.B, alone.prior.B)
    pd.testing.assert_frame_equal(learned.frame, alone.frame, check_exact=True)
    pd.testing.assert_frame_equal(frame, serial, check_exact=True)
    here = gf.forecast_panel(THREE, 4, forecaster=FORECASTER, mode="global", n_jobs=1).frame
    pd.testing.assert_frame_equal(common, here, check_exact=True)


@pytest.mark.parametrize("dtype", [object, "string"])
def test_text_among_the_values_of_a_series_fails_that_series_alone(dtype):
    table = THREE.astype({"y": object}).reset_index(drop=True)
    table.loc[table["unique_id"].eq("b").idxmax(), "y"] = "oops"
    table["y"] = table["y"].astype(dtype)
    with pytest.warns(UserWarning, match="1 of 3 series"):
        panel = gf.forecast_panel(table, 2, forecaster=QUICK)
    assert panel.failures["unique_id"].tolist() == ["b"]
    assert "'oops'" in panel.failures["reason"].iloc[0]
    assert panel.frame["unique_id"].unique().tolist() == ["a", "c"]
    rest = THREE[THREE["unique_id"] != "b"]
    alone = gf.forecast_panel(rest, 2, forecaster=QUICK)
    pd.testing.assert_frame_equal(panel.frame, alone.frame)


# The forecast of one series of a panel, and its summary


def made(keep):
    good = np.sin(np.arange(40.0))
    frame = pd.DataFrame({"unique_id": "a1", "ds": range(40), "y": good})
    short = pd.DataFrame({"unique_id": "b1", "ds": range(2), "y": [1.0, 2.0]})
    both, forecaster = pd.concat([frame, short]), gf.Forecaster(lags=4)
    with pytest.warns(UserWarning, match="1 of 2 series could not be forecast"):
        return gf.forecast_panel(both, 3, forecaster=forecaster, keep=keep, n_jobs=1)


def test_a_series_is_selected_by_its_name_or_refused_in_a_sentence():
    panel = made(keep=True)
    np.testing.assert_array_equal(panel["a1"].mean, panel.frame["mean"])
    assert panel["a1"].plot().lines
    with pytest.raises(KeyError, match="'b1' could not be forecast: "):
        panel["b1"]
    with pytest.raises(KeyError, match="'c' must be one of the 1 series that were forecast"):
        panel["c"]
    with pytest.raises(KeyError, match="pass keep=True to forecast_panel"):
        made(keep=False)["a1"]


def table(column, rows):
    return pd.DataFrame(rows, columns=["store", column])


def test_notes_and_reasons_name_the_series_that_have_them():
    frame = pd.DataFrame({"store": ["S1", "S2", 3, "S4", "S5"], "mean": 1.0})
    notes = [(None, "common"), ("S1", "one outlier"), *((k, "rows left out") for k in frame.store)]
    failures = [("S8", "too short"), ("S9", "too short")]
    made = PanelForecast(frame, table("reason", failures), table("note", notes))
    said = made.summary()
    assert "  - S8, S9: too short\n" in said
    assert "  - all series: common\n  - S1: one outlier\n" in said
    assert said.endswith("  - 5 series (S1, S2, 3, 2 more): rows left out")
