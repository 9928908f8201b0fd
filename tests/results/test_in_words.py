"""Summaries of a forecast and of a panel: few lines, every note once and in full."""

import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.common.wording import number


def plain():
    return gf.Forecaster(2, model=gf.models.LinearAR(), transforms=None, combine=None)


def months(n=60):
    index = pd.period_range("2018-01", periods=n, freq="M")
    return pd.Series(50 + np.random.default_rng(0).standard_normal(n), index, name="sold")


@pytest.mark.parametrize(("h", "steps"), [(1, [0]), (2, [0, 1]), (9, [0, 4, 8])])
def test_a_summary_has_the_first_the_middle_and_the_last_step(h, steps):
    f = plain().fit(months()).predict(h)
    title, *lines = f.summary().splitlines()
    assert title.startswith(f"sold: forecast of {h} step")
    said = " ".join(" ".join(lines).split())
    assert said.count("we expect about") == len(steps)
    for step in steps:
        low, high = f.interval(0.95).iloc[step]
        scale = (high - low) / 4
        mean, low, high = (number(v, scale) for v in (f.mean.iloc[step], low, high))
        assert f"For {f.index[step]} we expect about {mean}, and with 95 % probability" in said
        assert f"between {low} and {high}." in said


def test_a_summary_has_the_notes_of_the_forecast():
    y = months()
    y.iloc[[7, 9]] = np.nan
    f = plain().fit(y).predict(3)
    for note in f.notes:
        assert note in " ".join(f.summary().split())
    assert ("Notes" in f.summary()) == bool(f.notes)


def test_a_panel_says_each_reason_and_note_once_with_its_series():
    long = "a note of more than a hundred characters, " * 4 + "whose end is shown"
    notes = pd.DataFrame({"id": [None, "a", "b", "b"], "note": ["of all", long, long, "other"]})
    failures = pd.DataFrame({"id": ["c", "d"], "reason": ["too short", "too short"]})
    frame = pd.DataFrame({"id": ["a", "a", "b"], "ds": [1, 2, 1], "mean": 0.0})
    text = gf.panel.PanelForecast(frame, failures, notes).summary()
    said = " ".join(text.split())
    assert text.startswith("series that were forecast: 2, that could not be: 2\nWhy\n")
    assert "\n  - c, d: too short\n" in text
    assert said.endswith(f"Notes - all series: of all - a, b: {long} - b: other")
