"""Several forecasts of one series in one picture."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from forecast_cases import DATES, gaussian

from gpforecast.plotting import scenarios


def test_each_forecast_has_its_line_and_the_history_is_named_once():
    f = gaussian()
    low = f.given({DATES[3]: 5.0})
    ax = scenarios({"as it is": f, "low": low}, levels=95)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["observed", "as it is", "95 %", "low", "95 %"]
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["low"].get_ydata()[-len(DATES) :], low.mean)
    assert lines["low"].get_color() != lines["as it is"].get_color()
    plt.close(ax.figure)


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        scenarios({})
