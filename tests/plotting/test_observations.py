"""Pictures of anomalies, of classes, and of several forecasts of one series."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from forecast_cases import DATES, gaussian

from gpforecast.plotting import scenarios, smoothed_series, surprises
from gpforecast.results import Surprise

TABLE = pd.DataFrame(
    {
        "observed": [0.1, 5.0, np.nan, 7.0],
        "mean": [0.0, 0.0, np.nan, 0.0],
        "std": [1.0, 1.0, np.nan, 2.0],
        "pit": [0.54, 1.0, np.nan, 1.0],
        "tail_probability": [0.92, 5e-7, np.nan, 4e-4],
        "flagged": [False, True, False, True],
        "kind": ["", "spike", "", "variance"],
    },
    index=pd.date_range("2024-01-01", periods=4, freq="D"),
)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_each_kind_has_its_marker_at_the_values_flagged():
    ax = surprises(TABLE, "sales", level=90)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["observed", "forecast", "90 %", "spike", "variance"]
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["spike"].get_ydata().tolist() == [5.0]
    assert lines["variance"].get_ydata().tolist() == [7.0]
    assert ax.get_ylabel() == "sales"


def test_a_result_draws_itself_and_shows_its_notes():
    found = Surprise(TABLE, 0.001, notes=("a <note>",))
    assert "spike" in [line.get_label() for line in found.plot().lines]
    assert repr(found).startswith("Surprise of 3 values, 1 step ahead: 2 flagged")
    assert "a &lt;note&gt;" in found._repr_html_()
    assert found.ranking(1).index[0] == found.flagged.index[0]


def test_tables_without_a_column_and_levels_that_are_none_are_refused():
    with pytest.raises(KeyError, match="std"):
        smoothed_series(TABLE[["mean"]])
    with pytest.raises(ValueError, match="level must lie between"):
        surprises(TABLE, level=0)


def test_each_scenario_has_its_line_and_the_history_is_named_once():
    f = gaussian()
    low = f.given({DATES[3]: 5.0})
    ax = scenarios({"as it is": f, "low": low}, levels=95)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["observed", "as it is", "95 %", "low", "95 %"]
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["low"].get_ydata()[-len(DATES) :], low.mean)
    assert lines["low"].get_color() != lines["as it is"].get_color()
    with pytest.raises(ValueError, match="at least one"):
        scenarios({})
