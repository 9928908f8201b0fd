"""What the summary of many forecasts says."""

import pandas as pd

from gpforecast.panel.panel import PanelForecast


def table(column, rows):
    return pd.DataFrame(rows, columns=["store", column])


def test_notes_and_reasons_name_the_series_that_have_them():
    frame = pd.DataFrame({"store": ["S1", "S2", 3, "S4", "S5"], "mean": 1.0})
    notes = [("S1", "one outlier"), (None, "common"), *((k, "rows left out") for k in frame.store)]
    failures = [("S8", "too short"), ("S9", "too short")]
    made = PanelForecast(frame, table("reason", failures), table("note", notes))
    said = made.summary()
    assert "  - S8, S9: too short\n" in said
    assert "  - all series: common\n  - S1: one outlier\n" in said
    assert said.endswith("  - 5 series (S1, S2, 3, 2 more): rows left out")
