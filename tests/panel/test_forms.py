"""Tables that are long or wide, and series with ids of any kind."""

import numpy as np
import pandas as pd
import pytest
from panel_cases import QUICK, series

import gpforecast as gf

DAYS = pd.date_range("2026-01-01", periods=40, name="day")
WIDE = pd.DataFrame({"b": series(1.0), "a": series(100.0, seed=1)}, DAYS)


def melted(wide: pd.DataFrame) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"unique_id": [name] * len(y), "ds": y.index, "y": y.to_numpy()})
        for name, y in ((name, wide.iloc[:, k]) for k, name in enumerate(wide.columns))
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def expected() -> pd.DataFrame:
    return gf.forecast_panel(melted(WIDE), 2, forecaster=QUICK).frame


def test_times_and_ids_of_a_long_table_may_be_its_index(expected):
    given = melted(WIDE).set_index(["unique_id", "ds"])
    frame = gf.forecast_panel(given, 2, forecaster=QUICK).to_frame()
    pd.testing.assert_frame_equal(frame, expected)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (WIDE, ("day", None)),
        (WIDE[::-1], ("day", None)),
        (WIDE.reset_index(), ("day", None)),
        (WIDE.reset_index(names="ds"), ("ds", None)),
        (WIDE.rename_axis(index=None, columns="shop"), (None, "shop")),
        (WIDE.astype(object), ("day", None)),
    ],
    ids=["wide", "backwards", "a column of days", "ds", "columns named", "objects"],
)
def test_forecasts_of_a_wide_frame_are_the_same_in_columns_by_series(given, names, expected):
    panel = gf.forecast_panel(given, 2, forecaster=QUICK, keep=True)
    assert panel.names == ("b", "a")
    for name in panel.names:
        own = expected[expected["unique_id"] == name].set_index("ds").iloc[:, 1:]
        pd.testing.assert_frame_equal(panel.frame[name], own, check_names=False, check_freq=False)
    assert (panel.frame.index.name, panel.frame.columns.names[0]) == names
    assert panel[name].history.index.name == names[0]
    joint = gf.VectorForecaster(lags=1, transforms=None).fit(WIDE).predict(2)
    assert panel.frame.columns.tolist() == joint.to_frame().columns.tolist()


def test_a_column_of_months_as_text_is_the_times_of_a_wide_frame():
    months = pd.period_range("2020-01", periods=len(WIDE), freq="M")
    given = WIDE.reset_index(drop=True).assign(month=months.astype(str))
    found = gf.forecast_panel(given, 2, forecaster=QUICK).frame
    assert found.index[0] == months[-1] + 1


def test_means_are_a_wide_frame_of_either_form(expected):
    for given in (WIDE, melted(WIDE)):
        mean = gf.forecast_panel(given, 2, forecaster=QUICK).mean
        assert mean.columns.tolist() == ["b", "a"]
        assert mean.index.tolist() == expected["ds"][:2].tolist()
        np.testing.assert_array_equal(mean["a"], expected.loc[expected["unique_id"] == "a", "mean"])


def test_up_to_a_date_each_series_has_its_own_number_of_steps():
    long = melted(WIDE)[:-3]  # series a ends three days before b
    for mode in ("local", "global"):
        panel = gf.forecast_panel(long, "2026-02-12", forecaster=QUICK, mode=mode)
        assert panel.frame["unique_id"].tolist() == ["b"] * 3 + ["a"] * 6
        week = gf.forecast_panel(long, "1 week", forecaster=QUICK, mode=mode)
        assert week.mean.count().tolist() == [7, 7]


def test_a_horizon_that_is_no_time_is_refused_before_anything_is_fitted(monkeypatch):
    monkeypatch.setattr(gf.Forecaster, "fit", lambda *_: pytest.fail("fitted"))
    with pytest.raises(ValueError, match=r"^horizon must be a number of steps, .* 'six months'"):
        gf.forecast_panel(WIDE, "six months")
    with pytest.raises(ValueError, match="A date or a length of time needs a series that is index"):
        gf.forecast_panel(WIDE.reset_index(drop=True), "6 months")


def test_blank_rows_of_a_wide_frame_before_a_series_begins_are_no_missing_values():
    late = WIDE.assign(b=WIDE["b"].where(WIDE.index >= DAYS[9]), never=np.nan)
    with pytest.warns(UserWarning, match="1 of 3 series could not be forecast"):
        panel = gf.forecast_panel(late, 2, forecaster=QUICK)
    assert panel.failures["unique_id"].tolist() == ["never"]
    assert not len(panel.notes)
    alone = gf.forecast_panel(late[["b"]][9:], 2, forecaster=QUICK)
    np.testing.assert_array_equal(panel.mean["b"], alone.mean["b"])


@pytest.mark.parametrize(
    "ids",
    [
        [("x", "milk"), ("y", "milk")],
        pd.MultiIndex.from_tuples([("x", 1), ("y", 2)]),
        [2, 1],
        ["ds", "y"],
        ["unique", ("x", 1)],
    ],
    ids=str,
)
@pytest.mark.parametrize("form", [melted, lambda wide: wide], ids=["long", "wide"])
@pytest.mark.filterwarnings("ignore:1 of 3 series could not be forecast")
def test_ids_may_be_of_any_kind(ids, form, expected, tmp_path):
    columns = pd.Index(list(ids), tupleize_cols=False) if isinstance(ids, list) else ids
    table = form(WIDE.set_axis(columns, axis=1))
    panel = gf.forecast_panel(table, 2, forecaster=QUICK, keep=True)
    names = list(ids)
    np.testing.assert_array_equal(panel.mean.to_numpy().T.ravel(), expected["mean"])
    assert (
        list(panel.names) == panel.mean.columns.tolist() == panel.errors.columns.tolist() == names
    )
    np.testing.assert_array_equal(panel[names[0]].mean, panel.mean[names[0]])
    assert panel.summary()
    for _ in range(2):
        again = gf.forecast_panel(table, 2, forecaster=QUICK, resume=tmp_path / "parts")
        pd.testing.assert_frame_equal(again.frame, panel.frame)


def test_a_tuple_that_fails_is_named_with_its_reason_and_finds_its_future():
    long = melted(WIDE.set_axis(pd.MultiIndex.from_tuples([("x", 1), ("y", 2)]), axis=1))
    with pytest.warns(UserWarning, match=r"the first, \('x', 1\): series must hold at least one"):
        panel = gf.forecast_panel(
            long.assign(y=long["y"].where(long.index >= 40)), 2, forecaster=QUICK
        )
    with pytest.raises(KeyError, match="could not be forecast"):
        panel["x", 1]
    inputs = long.assign(u=np.tile(series(1.0, seed=3), 2))
    later = pd.DataFrame({"unique_id": [("y", 2), ("x", 1)], "ds": DAYS[-1] + DAYS.freq, "u": 3.0})
    forecaster = gf.Forecaster(lags=2, model=gf.models.LinearAR(), transforms=None)
    assert len(gf.forecast_panel(inputs, 1, future=later, forecaster=forecaster).frame) == 2


def test_inputs_need_a_long_frame():
    with pytest.raises(ValueError, match="future goes with a frame in the long format"):
        gf.forecast_panel(WIDE, 2, future=WIDE, forecaster=QUICK)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.concat([WIDE, WIDE]), "must have a column 'unique_id'.* each time once, as its index"),
        (WIDE.reset_index(drop=True).assign(shop="s"), "must have a column 'unique_id'"),
        (
            WIDE.reset_index().assign(day=lambda frame: frame["day"].dt.strftime("%d %B %Y")),
            r"as its index, as by frame.set_index\(pandas.to_datetime\(frame.pop\('day'\)\)\)",
        ),
        (WIDE.set_axis(["a", "a"], axis=1), r"each column once, .* got \['a', 'a'\]"),
        (WIDE[:0], "must have rows"),
    ],
)
def test_what_is_neither_long_nor_wide_is_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        gf.forecast_panel(frame, 2, forecaster=QUICK)
