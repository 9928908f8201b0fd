"""Which support is detected, and what contradicts a declared one."""

import numpy as np
import pytest

import gpforecast as gf
from gpforecast.automatic.support import choose_support, support_named
from gpforecast.results import Support

RNG = np.random.default_rng(0)
RNG_EVENTS = np.random.default_rng(1)
SERIES = {
    "intermittent": (RNG.poisson(0.3, 60), Support(0.0, whole=True)),
    "counts": (RNG.poisson(6.0, 60), Support(0.0, whole=True)),
    "events": (RNG_EVENTS.integers(0, 2, 60), Support(0.0, 1.0, whole=True)),
    "a single sale": (np.r_[np.zeros(30), 1.0, np.zeros(9)], Support(0.0, whole=True)),
    "rain": (np.where(RNG.random(80) < 0.3, RNG.gamma(1.0, 8.0, 80), 0.0), Support(0.0)),
    "shares": (np.clip(RNG.normal(0.5, 0.5, 80), 0, 1), Support(0.0, 1.0)),
    "percentages": (np.clip(RNG.normal(60, 40, 80).round(), 0, 100), Support(0.0, 100.0)),
    "a straight line": (np.arange(30), None),
    "half a dozen a month": (
        np.array([6, 9, 4, 7, 5, 10, 8, 5, 3, 6, 7, 5, 8, 6, 11, 7]),
        Support(0.0, whole=True),
    ),
    "sold but for an outage": (
        np.r_[RNG.poisson(60.0, 200), np.zeros(5)],
        Support(0.0, whole=True),
    ),
    "whole but once negative": (np.r_[RNG.poisson(60.0, 200), -1], None),
    "far from zero": (RNG.normal(50, 5, 80), None),
    "whole and far from zero": (RNG.poisson(15.0, 60) + 20, None),
    "half numbers, far from zero": (RNG.poisson(15.0, 60) + 20.5, None),
    "positive by chance": (RNG.normal(3, 1, 200) ** 2, None),
    "around zero": (RNG.normal(0, 1, 80), None),
    "constant": (np.zeros(40), None),
    "a few counts": (np.array([0, 1, 0, 0, 2.0]), Support(0.0, whole=True)),
    "a few zeros and ones": (np.array([0, 1, 1, 0, 1]), Support(0.0, whole=True)),
    "a few rates": (np.array([0.5, 0.9, 0.4, 0.7]), None),
}


@pytest.mark.parametrize("name", SERIES)
def test_a_support_is_detected_where_the_values_leave_little_doubt(name):
    values, expected = SERIES[name]
    values = values.astype(float)
    found = choose_support(values)
    if expected is None:
        assert found.value is None
        assert bool(found.reason) == (values.min() >= 0.0)  # then it is not known
    else:
        assert (found.value.low, found.value.high) == (expected.low, expected.high)
        assert found.value.whole == expected.whole
        assert found.value.at_low == np.mean(values == 0.0)
        assert found.reason


def test_forecasts_of_zeros_and_ones_hold_nothing_else():
    events = (np.random.default_rng(2).random(60) < 0.3).astype(float)
    forecast = gf.Forecaster(lags=1, noise="process").fit(events).predict(5)
    interval = forecast.interval(0.95).to_numpy()
    assert interval.min() >= 0.0
    assert interval.max() <= 1.0
    assert set(np.unique(forecast.sample(50, seed=0))) <= {0.0, 1.0}
    assert ((forecast.mean > 0.0) & (forecast.mean < 1.0)).all()


def test_the_mean_of_zeros_and_ones_is_that_of_the_model():
    events = (np.random.default_rng(3).random(200) < 0.3).astype(float)
    settings = {"model": gf.models.LinearAR(), "lags": 2}
    bound = gf.Forecaster(**settings).fit(events).predict(50)
    free = gf.Forecaster(**settings, support=None).fit(events).predict(50)
    assert bound.mean.sum() == pytest.approx(free.mean.sum(), rel=0.03)
    np.testing.assert_allclose(bound.std**2, bound.mean * (1 - bound.mean), rtol=1e-6)


def test_more_than_ones_lift_the_bound_of_zeros_and_ones():
    events = np.random.default_rng(2).integers(0, 2, 60).astype(float)
    forecaster = gf.Forecaster(lags=1, noise="process").fit(events).update([1.0, 3.0])
    assert forecaster.fitted_.support is None
    assert "whole numbers from 0 to 1" in forecaster.notes_[-1]


def test_missing_values_contradict_nothing():
    values = SERIES["counts"][0].astype(float)
    values[[3, 7]] = np.nan
    assert choose_support(values).value.whole
    assert choose_support(values, "count").value.whole


@pytest.mark.parametrize(
    ("values", "given", "words"),
    [
        ([1.0, -2.5, 3.0], "positive", r"values at least 0.*got -2\.5"),
        ([1.0, 2.0, 2.5], "count", r"whole numbers that are not negative.*got 2\.5"),
        ([0.2, 1.7, 1.9], (0, 1), r"at least 0 and at most 1.*got 1\.7 \(2 such values\)"),
    ],
)
def test_a_value_that_contradicts_a_declared_support_is_named(values, given, words):
    with pytest.raises(ValueError, match=words):
        choose_support(np.array(values), given)


@pytest.mark.parametrize(
    "given",
    ["counts", (1.0, 0.0), (0.0,), 3.0, (np.nan, 1.0), (0, "1"), (None, "1"), (None, -np.inf)],
)
def test_what_is_no_support_is_refused(given):
    with pytest.raises(ValueError, match="support must be"):
        support_named(given)


def test_a_bound_that_is_none_is_no_bound(tmp_path):
    assert support_named((0, None)) == support_named((0.0, np.inf)) == Support(0.0)
    assert support_named((None, 5)) == Support(high=5.0)
    fc = gf.Forecaster(lags=1, support=(2, None), model=gf.models.LinearAR())
    fc.fit(np.random.default_rng(0).exponential(1.0, 60) + 2.0)
    fc.save(tmp_path / "bounded.gpf")
    assert gf.load(tmp_path / "bounded.gpf").support == (2, None)
    assert fc.predict(3).interval(0.99).to_numpy().min() >= 2.0
