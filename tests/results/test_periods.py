"""Totals of steps that straddle periods, against a sum over days, one by one."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.results import Forecast, Gaussian
from gpforecast.results.periods import period_rule
from gpforecast.series.days import spans

N, H = 70, 40
quick = partial(gf.Forecaster, 1, transforms=None, model=gf.models.LinearAR(), noise="process")


def forecast(freq, *, periods=False, tz=None, label=None, n=N, h=H):
    """Return a forecast whose values and variances are known, of steps of a frequency."""
    if periods:
        index = pd.period_range("2022-01-03", periods=n + h, freq=freq)
    else:
        index = pd.date_range("2022-01-03", periods=n + h, freq=freq)
        if tz is not None:
            index = index.tz_localize(tz, nonexistent="shift_forward")
    y = 10.0 + np.random.default_rng(0).random(n + h)
    S = 0.5 * np.eye(h) + 0.5
    joint = Gaussian(y[n:], S, np.full(h, 0.1))
    return Forecast(joint, index[n:], pd.Series(y[:n], index[:n]), "exact", label=label), index, y


def by_days(index, y, label, period):
    """Return the totals and means of whole periods of days, each step's value spread evenly."""
    first, last = spans(index, label)
    days = pd.date_range(first[0], last[-1])
    step = np.searchsorted(first, days.to_numpy().astype("datetime64[D]"), side="right") - 1
    share = 1.0 / ((last - first).astype(int) + 1)[step]
    key = days.to_period(period)
    total = pd.Series(share * y[step]).groupby(key).sum()
    weight = pd.Series(share).groupby(key).sum()
    whole = [
        p for p in total.index if p.start_time >= days[0] and p.end_time.normalize() <= days[-1]
    ]
    return total[whole], (total / weight)[whole]


RULES = {"ME": "M", "QE": "Q", "YE": "Y", "QS-FEB": "Q-JAN", "W-WED": "W-WED", "2ME": None}
FREQS = ["W-SUN", "W-MON", "W-THU", "2W-SUN", "28D", "10D", "7D", pd.DateOffset(months=1)]


@pytest.mark.parametrize("freq", FREQS, ids=str)
@pytest.mark.parametrize("rule", ["ME", "QS-FEB", "YE"])
@pytest.mark.parametrize("label", [None, "start", "end"])
def test_totals_and_means_are_those_of_days(freq, rule, label):
    f, index, y = forecast(freq, label=label, h=60)
    found = f.resample(rule)
    total, mean = found.sum(), found.mean()
    want = by_days(index, y, label, RULES[rule])
    for got, right in ((total, want[0]), (mean, want[1])):
        both = pd.concat([got.history, got.mean])
        np.testing.assert_allclose(both, right, rtol=1e-12)
        assert [*both.index.to_period(RULES[rule])] == [*right.index]
    assert any("share of their days" in note for note in total.notes)


@pytest.mark.parametrize("freq", ["W", "W-WED", "2W", "10D"])
@pytest.mark.parametrize("rule", ["ME", "MS", "M", "QE", "Q", "YE", "QS-FEB", "YS-APR", "BQE-JAN"])
def test_periods_have_totals_of_the_same_days(freq, rule):
    f, index, y = forecast(freq, periods=True, h=60)
    total = f.resample(rule).sum()
    want, _ = by_days(index, y, None, period_rule(rule))
    np.testing.assert_allclose(pd.concat([total.history, total.mean]), want, rtol=1e-12)
    assert [*total.history.index, *total.mean.index] == [*want.index]


@pytest.mark.parametrize("tz", ["America/Sao_Paulo", "Asia/Beirut"])
def test_a_time_zone_changes_labels_and_no_total(tz):
    here, there = (forecast("W-SUN", tz=zone)[0].resample("ME").sum() for zone in (None, tz))
    np.testing.assert_array_equal(here.mean, there.mean)
    assert here.index.equals(there.index.tz_localize(None).normalize())
    assert there.index.tz is not None


def test_the_variance_of_a_total_is_that_of_its_shares():
    f, _, _ = forecast("W-SUN", h=9)
    total = f.resample("ME").sum()
    first, last = spans(f.index)
    held = [pd.date_range(a, b).to_period("M") for a, b in zip(first, last, strict=True)]
    w = np.array([np.mean(days == total.index[-1].to_period("M")) for days in held])
    assert 0 < w[w > 0].min() < 1
    assert total.var.iloc[-1] == pytest.approx(w @ f.covariance.to_numpy() @ w)


def test_steps_that_lie_within_a_period_count_whole_without_a_note():
    for freq, rule in (("MS", "QE"), ("ME", "YE"), ("D", "ME"), ("h", "D"), ("QE-JAN", "YE-JAN")):
        f, _, _ = forecast(freq)
        found = f.resample(rule)
        assert set(np.unique(found.member)) == {0.0, 1.0}
        assert not any("share" in note for note in found.sum().notes)


@pytest.mark.parametrize("tz", [None, "Europe/Paris"])
def test_hours_that_end_at_their_labels_count_in_the_day_before_midnight(tz):
    f, index, y = forecast("h", tz=tz, label="end", n=30, h=40)
    total = f.resample("D").sum()
    late = index - pd.Timedelta(1, "h")
    day = total.index[0]
    assert total.mean.iloc[0] == pytest.approx(y[late.normalize() == day].sum())


def test_weeks_of_a_forecaster_stand_where_its_label_says():
    index = pd.date_range("2023-01-01", periods=80, freq="W-SUN")
    y = pd.Series(np.random.default_rng(1).normal(100, 1, 80), index)
    totals = {}
    for label in (None, "start"):
        f = quick(label=label).fit(y).predict(12)
        assert f.label == label
        totals[label] = f.resample("ME").sum()
        want, _ = by_days(index, y.to_numpy(), label, "M")
        past = totals[label].history.tz_localize(None)
        np.testing.assert_allclose(past, want[: len(past)], rtol=1e-12)
    frame = pd.DataFrame({"a": y, "b": y[::-1].to_numpy()})
    joint = gf.VectorForecaster(lags=1, transforms=None, label="start").fit(frame).predict(12)
    pd.testing.assert_series_equal(
        joint["a"].resample("ME").sum().history, totals["start"].history, check_names=False
    )


def test_totals_of_weeks_ending_on_mondays_have_totals_of_months_too():
    f, _, _ = forecast("D", n=100, h=100)
    weeks = f.resample("W-MON").sum()
    assert weeks.label == "end"
    months = weeks.resample("ME").sum()
    first, _ = spans(weeks.history.index, "end")
    assert str(first[0]) == "2022-01-04"
    direct = f.resample("ME").sum()
    np.testing.assert_allclose(months.mean, direct.mean[months.index], rtol=0.02)


def test_one_step_and_one_value_are_enough():
    f, _, _ = forecast("W-MON", n=4, h=1)
    with pytest.raises(ValueError, match="completes no period of 'ME'"):
        f.resample("ME")
    f, _, y = forecast("MS", n=4, h=1)  # February to June
    assert f.resample("QE").sum().mean.tolist() == pytest.approx([y[2:5].sum()])


def test_a_period_that_began_before_the_first_value_is_left_out():
    f, _, _ = forecast("MS", n=1, h=16)  # from February on
    total = f.resample("QE").sum()
    assert str(total.index[0].date()) == "2022-06-30"
    assert "2022-03-31 is left out: it began before the first value" in total.notes[0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("periods", [False, True])
@pytest.mark.parametrize("rule", ["D", "3D", "h"])
def test_periods_within_a_step_are_refused(periods, rule):
    with pytest.raises(ValueError, match="shorter than the steps"):
        forecast("W", periods=periods)[0].resample(rule)


@pytest.mark.parametrize("rule", ["SME", "WOM-3FRI", "HYE", "RE-N-DEC-MON", "bh", "C"])
def test_rules_that_are_no_periods_are_refused_in_a_sentence(rule):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - pandas has its own words for some
        forecast("W", periods=True)[0].resample(rule)
    assert type(raised.value) is ValueError


@pytest.mark.parametrize(("freq", "label"), [("W-SUN", None), ("W-SUN", "start"), ("10D", "end")])
def test_a_total_of_a_month_that_is_given_is_that_of_resample(freq, label):
    f, index, _ = forecast(freq, label=label)
    months = f.resample("ME").sum()
    at = months.index[2]
    given = f.given(total={f"{at:%Y-%m}": 99.0}).resample("ME").sum()
    assert given.mean[at] == pytest.approx(99.0)
    assert given.std[at] == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(ValueError, match="needs steps before the first that is known"):
        f.given(total={f"{index[-1]:%Y}": 99.0, "2023": 9.0})


def test_retail_months_have_totals_of_months_of_the_calendar():
    weeks = np.cumsum([0, *([4, 4, 5] * 14)])
    index = pd.Timestamp("2021-01-30") + pd.to_timedelta(7 * weeks, unit="D")
    y = pd.Series(np.random.default_rng(0).normal(100, 5, len(index)), index)
    f = quick().fit(y).predict(6)
    months = f.resample("ME").sum()
    want, _ = by_days(index, y.to_numpy(), None, "M")
    np.testing.assert_allclose(months.history, want[: len(months.history)], rtol=1e-12)
