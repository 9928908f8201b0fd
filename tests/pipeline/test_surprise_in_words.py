"""What `surprise` prints, and says of a series that it cannot judge."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gpforecast as gf
from gpforecast.models import LinearAR

Y = pd.Series(
    np.random.default_rng(0).standard_normal(300),
    index=pd.date_range("2020-01-01", periods=300, freq="D"),
)


@pytest.fixture(scope="module")
def fitted():
    return gf.Forecaster(1, model=LinearAR(), transforms=None, noise="process").fit(Y.iloc[:200])


def test_the_fitted_series_is_not_taken_for_what_follows_it(fitted):
    for other in (Y.iloc[:200], Y.iloc[200:].shift(9, freq="h")):
        with pytest.raises(ValueError, match=r"^series must continue .* Pass only values after"):
            fitted.surprise(other)
    with pytest.raises(ValueError, match=r"^series must hold at least one value"):
        fitted.surprise([])


def test_every_column_is_printed_however_narrow_the_terminal_and_rounded(fitted):
    later = Y.iloc[200:].copy()
    later.iloc[[20, 60]] += [9000.0, -12.0]
    found = fitted.surprise(later)
    with pd.option_context("display.width", 40, "display.max_columns", 2):
        said = repr(found)
    assert "..." not in said
    (row,) = (line for line in said.splitlines() if line.startswith(f"{later.index[20].date()}"))
    printed = [float(cell.replace(",", "")) for cell in row.split()[1:4]]
    one = found.table.loc[later.index[20], ["observed", "mean", "std"]]
    np.testing.assert_allclose(printed, one.astype(float), atol=0.1)
    assert max(len(line) for line in said.splitlines()[1:4]) < 80
    assert row.split()[5] == "spike"
    for name in ("observed", "mean", "std", "tail_probability", "kind"):
        assert f"<th>{name}</th>" in found._repr_html_()


def test_values_of_which_none_came_are_none_judged(fitted):
    """So that an alarm goes on when a reading is missing, as `update` does."""
    for n in (1, 3):
        found = fitted.surprise(Y.iloc[200 : 200 + n] * np.nan, false_discovery_rate=0.1)
        assert len(found.table) == n
        assert found.ranking().empty
        assert not found.table["flagged"].any()
        assert repr(found).startswith("Surprise of 0 values, 1 step ahead: 0 flagged, for a tail")
        assert found.notes[0].startswith(f"{n} of {n} new value")
        found.plot()
        plt.close("all")
    with pytest.raises(ValueError, match="enough known values before it, 301; got 200 known of 2"):
        fitted.surprise(Y.iloc[200:201] * np.nan, horizon=301)


def test_values_whose_inputs_did_not_come_are_not_judged_and_counted():
    u = pd.Series(np.random.default_rng(1).standard_normal(300), index=Y.index)
    options = {"transforms": None, "noise": "process", "combine": None}
    fc = gf.Forecaster(1, model=LinearAR(), **options).fit(Y.iloc[:200], u.iloc[:200])
    later = u.iloc[200:205].copy()
    later.iloc[[1, 3]] = np.nan
    found = fc.surprise(Y.iloc[200:205], exog=later)
    assert found.table["tail_probability"].isna().tolist() == [False, True, False, True, False]
    assert (
        found.notes[-1]
        == "not judged, as an input is missing, or too little is known before: 2 values"
    )
    none = fc.surprise(Y.iloc[200:201], exog=later.iloc[:1] * np.nan)
    assert none.ranking().empty
    on_the_way = fc.surprise(Y.iloc[200:205], exog=later, horizon=2)
    assert (
        on_the_way.notes[-1]
        == "not judged, as an input is missing, or too little is known before: 4 values"
    )
