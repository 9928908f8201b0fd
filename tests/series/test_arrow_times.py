"""Timestamps as pyarrow has them become those of pandas at every door."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf

pytest.importorskip("pyarrow")

MONTHS = pd.date_range("2021-01-01", periods=36, freq="MS")
FEW = {"model": gf.models.LinearAR(), "noise": "process", "combine": None}
KINDS = ["timestamp[ns][pyarrow]", "timestamp[us][pyarrow]", "date32[pyarrow]"]
ZONED = "timestamp[us, tz=Europe/Paris][pyarrow]"


def in_arrow(kind):
    dates = MONTHS.tz_localize("Europe/Paris") if kind == ZONED else MONTHS
    return pd.Series(dates).astype(kind), dates


def values():
    return np.random.default_rng(0).normal(10.0, 1.0, len(MONTHS))


@pytest.mark.parametrize("kind", [*KINDS, ZONED])
def test_a_panel_and_a_series_take_them(kind):
    times, dates = in_arrow(kind)
    table = pd.DataFrame({"unique_id": "a", "ds": times, "y": values()})
    ahead = gf.forecast_panel(table, 2, forecaster=gf.Forecaster(**FEW), progress=False).to_frame()
    fc = gf.Forecaster(**FEW).fit(pd.Series(values()[:-1], pd.Index(times)[:-1]))
    fc.update(pd.Series(values()[-1:], pd.Index(times)[-1:]))
    expected = dates[-1] + pd.offsets.MonthBegin()
    assert fc.predict(1).index[0] == ahead["ds"].iloc[0] == expected


@pytest.mark.parametrize("kind", [KINDS[0], ZONED])
def test_so_do_inputs_and_several_series(kind):
    index = pd.Index(in_arrow(kind)[0])
    inputs = pd.DataFrame({"x": values()[::-1] ** 2}, index)
    fc = gf.Forecaster(**FEW).fit(pd.Series(values()[:30], index[:30]), exog=inputs)
    assert list(fc.predict(2, exog=inputs).index) == list(pd.DatetimeIndex(index)[30:32])
    frame = pd.DataFrame({"a": values(), "b": values()[::-1]}, index)
    assert len(gf.VectorForecaster(model=gf.models.LinearAR()).fit(frame).predict(1).index) == 1
