"""Changes of level or spread: several anomalies close together, and runs of errors of one sign."""

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from series_cases import autoregression

import gpforecast as gf
from gpforecast.models import LinearAR
from gpforecast.pipeline.monitor import Runs, change_among


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
    for seed in range(1):
        rng = np.random.default_rng(seed)
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
