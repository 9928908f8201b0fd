"""How surprising values are that were measured with noise: against forecasts of each one alone."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, fixed

import gpforecast as gf

N = 90  # values of the fit: a filter begins with the series


@pytest.fixture(scope="module", params=["lags", "inputs"])
def case(request):
    """A forecaster, values that came, with gaps and spikes, and the inputs beside all of them."""
    y, exog = driven()
    inputs = request.param == "inputs"
    options = {"exog_lags": {"u": [0], "v": [2]}} if inputs else {}
    lags = [1, 2] if inputs else 3
    y = y + 0.1 * np.random.default_rng(1).standard_normal(len(y))
    exog = exog if inputs else None
    fc = gf.Forecaster(lags, model=fixed(), noise=0.01, transforms=None, combine=None, **options)
    fc.fit(y.iloc[:N], None if exog is None else exog.iloc[:N])
    later = y.iloc[N:].copy()
    later.iloc[[20, 21, 40]] = np.nan
    later.iloc[[30, 45]] += 9.0
    return fc, later, exog


@pytest.mark.parametrize("horizon", [1, 3])
def test_each_value_is_judged_by_the_forecast_of_it_alone(case, horizon):
    fc, later, exog = case
    new = None if exog is None else exog.iloc[N:]
    found = fc.surprise(later, exog=new, horizon=horizon)
    flagged = found.flagged
    assert {later.index[30], later.index[45]} <= set(flagged.index)
    assert set(flagged["kind"]) == {"spike"}
    known = pd.concat([fc.history_, later])
    known[flagged.index[flagged["tail_probability"] <= 0.001]] = np.nan
    for i in np.flatnonzero(found.table["mean"].notna())[::8]:
        past = known.iloc[: N + i + 1].copy()
        past.iloc[N + i] = later.iloc[i]
        inputs = None if exog is None else exog.iloc[: N + i + 1]
        alone = fc.predict_from(past, [N + i + 1 - horizon], horizon, exog=inputs)
        judged = found.table.iloc[i]
        assert judged["mean"] == pytest.approx(alone.mean[0, -1], rel=1e-9, abs=1e-12)
        assert judged["std"] == pytest.approx(alone.std[0, -1], rel=1e-9)


def test_batches_of_measured_values_give_what_one_by_one_gives(case, monkeypatch):
    fc, later, exog = case
    later, new = later.copy(), None if exog is None else exog.iloc[N:]
    later.iloc[50:] += 3.0
    at_once = fc.surprise(later, exog=new)
    assert set(at_once.flagged["kind"]) & {"level shift", "variance"}
    monkeypatch.setattr("gpforecast.pipeline.monitor._BATCH", 1)
    monkeypatch.setattr("gpforecast.propagation.filtering._MOST", 0)  # anew, from the beginning
    one_by_one = fc.surprise(later, exog=new)
    pd.testing.assert_frame_equal(at_once.to_frame(), one_by_one.to_frame(), rtol=1e-9, atol=1e-12)
