"""A picture of anomalies."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from gpforecast.plotting import surprises
from gpforecast.results import Surprise


def table():
    index = pd.date_range("2024-01-01", periods=4, freq="D")
    return pd.DataFrame(
        {
            "observed": [0.1, 5.0, np.nan, 7.0],
            "mean": [0.0, 0.0, np.nan, 0.0],
            "std": [1.0, 1.0, np.nan, 2.0],
            "pit": [0.54, 1.0, np.nan, 1.0],
            "tail_probability": [0.92, 5e-7, np.nan, 4e-4],
            "flagged": [False, True, False, True],
            "kind": ["", "spike", "", "variance"],
        },
        index=index,
    )


def test_each_kind_has_its_marker_at_the_values_flagged():
    ax = surprises(table(), "sales", level=90)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["observed", "forecast", "90 %", "spike", "variance"]
    lines = {line.get_label(): line for line in ax.lines}
    assert lines["spike"].get_ydata().tolist() == [5.0]
    assert lines["variance"].get_ydata().tolist() == [7.0]
    assert ax.get_ylabel() == "sales"
    plt.close(ax.figure)


def test_a_result_draws_itself_and_says_what_it_is():
    found = Surprise(table(), 0.001, notes=("a <note>",))
    ax = found.plot()
    assert "spike" in [line.get_label() for line in ax.lines]
    plt.close(ax.figure)
    assert repr(found).startswith("Surprise of 3 values, 1 step ahead: 2 flagged")
    assert repr(found).endswith("note: a <note>")
    html = found._repr_html_()
    assert "<table" in html
    assert "a &lt;note&gt;" in html
    assert found.ranking(1).index[0] == found.flagged.index[0]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="lacks kind"):
        surprises(table().drop(columns="kind"))
    with pytest.raises(ValueError, match="level must lie between"):
        surprises(table(), level=0)
