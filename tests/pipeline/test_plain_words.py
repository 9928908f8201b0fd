"""Notes and summaries for readers who know pandas and no such models."""

import re

import numpy as np
import pandas as pd
import pytest
from series_cases import noise

import gpforecast as gf

# Notes and summaries for readers who know pandas and no such models: no jargon, named numbers


JARGON = (
    "nugget", "kernel", "KPSS", "ADF", "STL", "Guerrero", "handicap", "stamps", "hyperparameter",
    "nats", "evidence", "likelihood", "lengthscale", "length-scale", "covariance", "Compose(",
    "Deterministic(", "Difference(", "NARX", "moments", "one Gaussian", "grid",
    "alternatives, each",
)  # fmt: skip
CALL = re.compile(r"\b(?!Forecaster\b)[A-Z][A-Za-z]+\([a-z_]+=")  # such as Difference(order=1)
# What is not followed, preceded or explained by a word: "(0.4)", "12.1 (9.9)", ": 3; 4".
NAKED = re.compile(r"\((?:[\d.,\s±%-]+)\)|[:;] *-?[\d.]+ *(?:[;)]|$)|(?<!=)\[ *-?[\d.]+ *[,\]]")
DETAILS = "\nTechnical details\n"


def on(values, freq, start="2015-01-01"):
    return pd.Series(values, pd.date_range(start, periods=len(values), freq=freq), name="sold")


def sales():
    return gf.datasets.monthly_sales(96, seed=0)["units"]


def with_outliers():
    y = on(200 + 20 * np.sin(np.arange(200) * 2 * np.pi / 7) + 3 * noise(200), "D")
    y.iloc[[60, 130]] = [900.0, -400.0]
    return y


MANY = {
    "monthly": sales,
    "outliers": with_outliers,
    "constant": lambda: np.full(30, 5.0),
    "counts": lambda: on(np.random.default_rng(2).poisson(1.2, 120).astype(float), "W"),
}


def head_of(summary):
    """What is not meant for who knows such models."""
    head, _, details = summary.partition(DETAILS)
    assert details
    return head


def words_of(text):
    return " ".join(text.split())


def check(said):
    for word in JARGON:
        assert word not in said, f"{word!r} in: {said}"
    assert not CALL.search(said), said
    assert not NAKED.search(said), (NAKED.search(said)[0], said)
    assert "  " not in said
    assert " 00:00:00" not in said


@pytest.mark.filterwarnings("ignore::gpforecast.NumericalWarning")
@pytest.mark.parametrize("name", MANY)
def test_notes_and_the_head_of_a_summary_have_no_jargon_and_no_naked_numbers(name):
    fc = gf.Forecaster().fit(MANY[name]())
    summary = fc.summary()
    check(words_of(head_of(summary)))
    for note in (*fc.notes_, *fc.predict(4).notes):
        check(note)
        assert not note.endswith(".")
    assert max(map(len, head_of(summary).splitlines())) <= 100


def test_inputs_are_said_in_plain_words():
    table = gf.datasets.monthly_sales(96, seed=0)
    fc = gf.Forecaster().fit(table["units"], exog=table[["promotion"]])
    check(words_of(head_of(fc.summary())))
    (note,) = fc.notes_
    check(note)
    assert re.search(
        r"effect of one unit.*: promotion \+[\d.]+ (?:% )?\(standard error [\d.]+(?: %)?\)", note
    )


def test_the_summary_says_the_outcome_first_and_the_calls_last():
    fc = gf.Forecaster().fit(sales())
    title, blank, first, *_ = fc.summary().splitlines()
    assert title == "units: 96 monthly values, 2016-01 to 2023-12"
    assert (blank, first) == ("", "Transforms")
    head, _, details = fc.summary().partition(DETAILS)
    assert "season of 12 steps" in head
    assert re.search(r"^  lags +[\d, ]+$", details, flags=re.MULTILINE)
    assert words_of(head).count("CRPS is the error of a forecast") == 1


def test_the_summary_of_several_series_says_who_has_which_share():
    rng = np.random.default_rng(0)
    e, a, b = rng.standard_normal((160, 2)), np.zeros(160), np.zeros(160)
    for t in range(1, 160):
        a[t] = 0.8 * a[t - 1] + e[t, 0]
        b[t] = 0.5 * b[t - 1] + 0.6 * a[t - 1] + e[t, 1]
    fc = gf.VectorForecaster().fit(pd.DataFrame({"a": a, "b": b}))
    brief = fc.summary()
    check(words_of(brief).removeprefix("== "))
    paragraphs = brief.split("== ")[1:]
    for name, paragraph, share in zip(fc.inputs_, paragraphs, fc.fitted_.shares, strict=True):
        said, whole = words_of(paragraph), fc.summary(name)
        check(words_of(head_of(whole)))
        for text in (said, words_of(whole)):
            assert f"{100 * share:.0f} % of the forecast is one linear model of all columns" in text
            assert f"{100 * (1 - share):.0f} % is the model of this column, described below" in text
            assert text.count(f"{100 * share:.0f} % ") == 1
        ensemble = words_of(whole).partition("Ensemble")[2]
        assert "the model above" not in said + ensemble.partition("Noise and")[0]
        assert "a: the last 4 values; b: the last 4 values" in fc.summary("a")
        # The inputs are those of the model, not of a column by itself.
        used = ", ".join(f"{column} {lag}" for column, lag in fc.inputs_[name])
        assert re.search(rf"^  inputs +{used}$", whole, flags=re.MULTILINE)


def test_the_summary_of_classes_has_no_jargon():
    rng = np.random.default_rng(0)
    frost = on(np.cos(np.arange(96) * np.pi / 6) + rng.standard_normal(96) > 0, "MS")
    fc = gf.EventForecaster(2).fit(frost.rename("frost"))
    summary = fc.summary()
    check(words_of(head_of(summary)))
    for note in fc.notes_:
        check(note)
    title, _, first, *_ = summary.splitlines()
    assert (title, first) == ("frost: 96 monthly values, 2015-01 to 2022-12", "Classes")
    assert f"{100 * frost.mean():.0f} %" in summary
    assert "It also knows the time in a season of 12 steps." in words_of(summary)
    assert "Classes" in fc._repr_html_()
    assert "<pre" in gf.EventForecaster(2)._repr_html_()


# What the summary of a fitted forecaster says: times, transforms in words, numbers with units


def from_2020(values, freq):
    return pd.Series(values, pd.date_range("2020-01-01", periods=len(values), freq=freq))


@pytest.mark.parametrize(
    ("freq", "said"),
    [
        ("h", "40 hourly values, 2020-01-01 00:00 to 2020-01-02 15:00"),
        ("15min", "40 values, one every 15min, 2020-01-01 00:00 to 2020-01-01 09:45"),
        ("QE", "40 quarterly values, 2020Q1 to 2029Q4"),
    ],
)
def test_times_are_said_with_a_clock_only_where_there_is_one(freq, said):
    fc = gf.Forecaster(2, transforms=None, combine=None).fit(from_2020(noise(40), freq))
    assert fc.summary().splitlines()[0] == f"series: {said}"


@pytest.mark.parametrize(("n", "period", "freq"), [(740, 365.25, "D"), (240, 12, "MS")])
def test_errors_of_trials_are_in_the_units_of_the_series(n, period, freq):
    y = 1000 + 300 * np.cos(2 * np.pi * np.arange(n) / period) + 40 * noise(n)
    crps = gf.Forecaster().fit(from_2020(y, freq)).candidates_["crps"]
    assert 15 < crps.min() < 30  # of noise with standard deviation 40, it is 40 / sqrt(pi)


def test_a_constant_has_reasons_of_a_constant():
    text = " ".join(gf.Forecaster().fit(np.full(30, 7.0)).summary().split())
    assert "the series is constant" in text
    assert "(process noise): there is nothing to tell apart in a constant" in text


def test_inputs_are_named_with_their_lags():
    rng = np.random.default_rng(0)
    u = pd.DataFrame({"valve": rng.standard_normal(80), "door": rng.standard_normal(80)})
    y = 0.5 * u["valve"].shift(2).fillna(0.0) + u["door"]
    few = {"lags": 1, "transforms": None, "model": gf.models.LinearAR(), "combine": None}
    fc = gf.Forecaster(exog_lags={"valve": [0, 2], "door": [0]}, **few).fit(y, exog=u)
    said = " ".join(fc.summary().split())
    assert "Inputs: valve (lags 0 and 2), door." in said
    assert "lags of valve 0, 2 lags of door 0 model" in said
