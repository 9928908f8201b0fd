import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpforecast.series.embedding import LagEmbedding

WHEN = pd.date_range("2024-01-01", periods=40, freq="D", name="when")


def naive_rows(y, lags, lead, exog_columns, exog_lags):
    """One target at a time, with the definition of every input written out."""
    rows, targets, times, n_dropped = [], [], [], 0
    for t in range(len(y)):
        places = [t - lag - (lead - 1) for lag in lags]
        exog_places = [[t - k for k in ks] for ks in exog_lags]
        if min(places + [p for ps in exog_places for p in ps]) < 0:
            continue
        row = [y[p] for p in places]
        for column, ps in zip(exog_columns, exog_places, strict=True):
            row += [column[p] for p in ps]
        if any(v != v for v in [*row, y[t]]):
            n_dropped += 1
            continue
        rows.append(row)
        targets.append(y[t])
        times.append(t)
    return rows, targets, times, n_dropped


def lag_lists(lowest):
    return st.sets(st.integers(lowest, 9), min_size=1, max_size=4).map(sorted)


@given(data=st.data(), lags=lag_lists(1), lead=st.integers(1, 4), n_exog=st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_rows_are_those_of_the_definition(data, lags, lead, n_exog):
    n = data.draw(st.integers(14, 40))
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    values = rng.normal(size=(n, 1 + n_exog))
    values[rng.random(values.shape) < data.draw(st.sampled_from([0.0, 0.03]))] = np.nan
    y, exog = values[:, 0], values[:, 1:]
    exog_lags = [data.draw(lag_lists(0)) for _ in range(n_exog)]
    rows, targets, times, n_dropped = naive_rows(y, lags, lead, exog.T, exog_lags)
    embedding = LagEmbedding(
        lags, lead=lead, exog_lags=dict(enumerate(exog_lags)) if n_exog else None
    )
    if len(rows) < 2:
        with pytest.raises(ValueError, match=r"2 rows|2 of them to learn from"):
            embedding.transform(y, exog if n_exog else None)
        return
    got = embedding.transform(y, exog if n_exog else None)
    np.testing.assert_array_equal(got.X, rows)
    np.testing.assert_array_equal(got.y, targets)
    assert (list(got.index), got.n_dropped) == (times, n_dropped)
    assert got.X.shape[1] == embedding.n_inputs(n_exog) == len(got.columns)
    assert got.X.flags.c_contiguous
    assert embedding.max_lag == max(lags) + lead - 1


@pytest.mark.parametrize("tz", [None, "Europe/Paris"])
def test_rows_carry_the_times_of_their_targets(tz):
    y = pd.Series(np.arange(40.0), index=WHEN.tz_localize(tz))
    rows = LagEmbedding([2, 5]).transform(y)
    assert list(rows.index) == list(y.index[5:])
    assert (rows.index.name, rows.index.freqstr) == ("when", "D")
    y.iloc[10] = np.nan
    rows = LagEmbedding([2, 5]).transform(y)
    assert rows.n_dropped == 3
    assert list(rows.index) == [
        t for i, t in enumerate(y.index) if i >= 5 and i not in (10, 12, 15)
    ]


def test_exog_may_be_a_series_a_list_or_an_array():
    y = pd.Series(np.arange(40.0), index=WHEN)
    x = y**2
    expected = LagEmbedding(2).transform(y, x.to_frame("x"))
    for source, name in [
        (x.rename("sun"), "sun"),
        (x, "0"),
        (x.tolist(), "0"),
        (x.to_numpy(), "0"),
        (x.to_numpy()[:, None], "0"),
    ]:
        rows = LagEmbedding(2).transform(y, source)
        np.testing.assert_array_equal(rows.X, expected.X)
        assert rows.columns[-1] == f"exog {name} lag0"


@pytest.mark.parametrize(
    ("lags", "lead", "exog_lags", "n", "message"),
    [
        (16, 1, None, 12, "series has 12 values but lags=16 needs at least 18"),
        (2, 1, [9], 10, "series has 10 values but exog_lags up to 9 need at least 11"),
    ],
)
def test_too_short_a_series_is_told_how_long_it_must_be(lags, lead, exog_lags, n, message):
    embedding = LagEmbedding(lags, lead=lead, exog_lags=exog_lags)

    def rows(length):
        y = np.arange(float(length))
        return embedding.transform(y, None if exog_lags is None else y)

    with pytest.raises(ValueError, match=re.escape(message)):
        rows(n)
    enough = int(re.search(r"at least (\d+)", message).group(1))
    assert len(rows(enough).y) == 2
    with pytest.raises(ValueError, match="series has"):
        rows(enough - 1)


@pytest.mark.parametrize(
    ("lags", "words"),
    [
        (2.0, "lags must be a positive integer"),
        (True, "lags must be a positive integer"),
        *(
            (bad, f"in increasing order, each once, at most 100000; got {bad}")
            for bad in ([], [1, 2, 2], [2, 1], [0, 1])
        ),
    ],
)
def test_lags_that_make_no_sense_are_refused(lags, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        LagEmbedding(lags)


def test_exogenous_lags_must_name_the_columns_there_are():
    embedding = LagEmbedding(3, exog_lags={"x": [0]})
    with pytest.raises(ValueError, match="names 'x', which exog does not have"):
        embedding.exog_plan(["z"])
    with pytest.raises(ValueError, match="says nothing of 'z'"):
        embedding.exog_plan(["x", "z"])
    with pytest.raises(ValueError, match="exog must be given where exog_lags is"):
        embedding.transform(np.arange(20.0))
    with pytest.raises(ValueError, match="exog_lags must name the columns"):
        embedding.n_inputs(2)


Y = pd.Series(np.arange(40.0), index=WHEN)


@pytest.mark.parametrize(
    ("exog", "words"),
    [
        (np.ones(39), "one row for each of the 40 times of the series"),
        (np.ones((2, 40)), "got 2 rows. Transpose it."),
        (np.ones((40, 2, 1)), "got an array of shape (40, 2, 1)"),
        (Y.iloc[:30], "There is no row for 2024-01-31"),
        (pd.DataFrame(np.ones((40, 2)), index=WHEN, columns=["a", "a"]), "got 'a' twice"),
        (Y.where(Y != 7, np.inf), "exog has 1 infinite value, the first at position 7"),
    ],
)
def test_exog_that_does_not_fit_is_refused(exog, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        LagEmbedding(3).transform(Y, exog)
