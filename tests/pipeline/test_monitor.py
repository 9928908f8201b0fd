"""What a monitor of new values flags: limits, changes, and values that were measured with noise."""

import numpy as np
import pandas as pd
import pytest
from forecaster_cases import driven, fixed
from scipy.signal import lfilter
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.pipeline.monitor import Runs, change_among
from gpforecast.pipeline.retrospective import limit_of_discoveries

# How much is flagged: limits of tail probabilities, and expectations without a change


def test_the_limit_of_discoveries_is_that_of_benjamini_and_hochberg():
    rng = np.random.default_rng(0)
    p = rng.permutation(np.concatenate([[1e-5, 0.002, 0.0041, 0.009], rng.uniform(0.2, 1.0, 16)]))
    p[5:5] = np.nan  # not judged: counts nowhere
    p = np.insert(p, 3, np.nan)
    known, q = np.sort(p[~np.isnan(p)]), 0.05
    passing = [value for k, value in enumerate(known, 1) if value <= q * k / len(known)]
    assert len(passing) == 4
    assert limit_of_discoveries(p, q) == max(passing)
    # None is rejected: the largest limit at which one value alone would have been.
    assert limit_of_discoveries(rng.uniform(0.2, 1.0, 20), q) == pytest.approx(q / 20)
    assert limit_of_discoveries(np.full(4, np.nan), q) == q


@pytest.mark.parametrize("warp", [None, gf.transforms.Log()])
def test_where_nothing_has_changed_expectations_are_those_of_one_step_forecasts(warp):
    z = autoregression(260, 0.8, seed=2)
    y = pd.Series(np.exp(z), pd.date_range("2024-01-01", periods=260, freq="D"))
    options = {"transforms": warp, "support": None, "combine": None, "noise": "process"}
    fc = gf.Forecaster(1, model=LinearAR(), outliers=None, **options).fit(y[:200])
    found = fc.surprise(y[200:], false_alarms=1e-12).to_frame()
    ahead = fc.predict_from(y, np.arange(200, 260), 1)
    np.testing.assert_allclose(found["mean"], ahead.mean[:, 0], rtol=1e-9)
    np.testing.assert_allclose(found["std"], np.sqrt(ahead.var[:, 0]), rtol=1e-9)
    assert not found["flagged"].any()


# Changes of level or spread: several anomalies close together, and runs of errors of one sign


def kind(error, std=None):
    error = np.asarray(error, dtype=float)
    std = np.ones(len(error)) if std is None else np.asarray(std)
    return change_among(error, std, abs(error / std) > 3.3)


def first_alarm(limit, rng):
    runs, i = Runs(limit), 0
    while runs.add(i, float(rng.standard_normal())) is None:
        i += 1
    return i + 1


def test_ordinary_errors_raise_an_alarm_as_seldom_as_was_asked():
    """Siegmund's approximation, at a rate that can be simulated: one alarm in 400 values."""
    limit = 1 / (400 * 0.005)
    lengths = [first_alarm(limit, np.random.default_rng(seed)) for seed in range(150)]
    assert 310 < np.mean(lengths) < 530  # the cap of errors makes them a little longer


def test_a_run_begins_where_its_sum_last_was_zero_and_a_spike_is_none():
    runs = Runs(0.001)
    errors = [0.2, 40.0, 0.1, -1.5, *[2.5] * 20]
    alarms = [runs.add(i, z) for i, z in enumerate(errors)]
    found = next(i for i, alarm in enumerate(alarms) if alarm is not None)
    assert alarms[found] == 4
    assert found == 4 + 3  # 4 x 1.5 passes 5.6, 3 x 1.5 does not


def test_an_autoregression_that_goes_further_than_it_did_has_no_new_level():
    """After 200 values of an AR(0.95), the next 200 often reach where its mean is not known.

    With errors taken for independent, some of these draws had a new level.
    """
    shifts = 0
    for seed in range(4):
        noise = np.random.default_rng(seed).standard_normal(600)
        y = lfilter([1.0], [1.0, -0.95], noise)[200:]
        options = {"transforms": None, "combine": None, "noise": "process"}
        fc = gf.Forecaster(1, model=LinearAR(), **options).fit(y[:200])
        shifts += (fc.surprise(y[200:]).table["kind"] == "level shift").any()
    assert shifts <= 1


def test_an_outage_of_counts_is_found_though_none_of_its_zeros_is_rare():
    rng = np.random.default_rng(0)
    times = pd.date_range("2024-01-01", periods=400, freq="D")
    y = pd.Series(rng.poisson(8.0, 400).astype(float), times)
    y.iloc[330:360] = 0.0
    fc = gf.Forecaster(1, transforms=None, model=LinearAR()).fit(y[:300])
    found = fc.surprise(y[300:])
    flagged = found.flagged.index
    assert (flagged[0] - times[330]).days in range(-1, 4)
    assert ((flagged >= times[360]) & (flagged <= times[364])).any()  # its end
    assert (found.flagged["kind"] == "level shift").sum() >= 3


def test_a_level_that_lags_hide_is_found_within_a_few_values():
    y = autoregression(500, 1.2, -0.5)
    y[400:] += 7.0
    options = {"transforms": None, "combine": None, "noise": "process"}
    fc = gf.Forecaster(2, model=LinearAR(), **options).fit(y[:300])
    found = fc.surprise(y[300:])
    shifted = found.flagged.index[found.flagged["kind"] == "level shift"]
    assert 400 <= shifted[0] <= 404
    assert len(found.flagged) < 12


# How surprising values are that were measured with noise: against forecasts of each one alone


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
