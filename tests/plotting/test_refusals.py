"""What cannot be drawn is refused with a sentence, and no figure is left."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import DATES, frame_on

from gpforecast.plotting import fan_chart, scenarios, step_curves

GOOD = frame_on(DATES[:5])
ERRORS = {
    "no frame": (lambda: fan_chart([1, 2]), TypeError, "forecast must be .*a pandas .*got list"),
    "no such level": (lambda: fan_chart(GOOD, levels=[0.9, 80]), ValueError,
        r"levels must be among .* \[50.0, 80.0, 95.0\]; got \[90.0\]. Levels are in per cent"),
    "half a band": (lambda: fan_chart(GOOD.drop(columns="hi-95")), ValueError,
                    "both limits of each band; the column 'hi-95' is missing from .*'lo-95'"),
    "several series": (lambda: fan_chart(pd.concat([GOOD, GOOD])), ValueError,
                       "one row for each time; got several for 2024-01-01"),
    "text for dates": (lambda: fan_chart(GOOD.set_axis(list("abcde"))), TypeError,
        "must have an index of dates, periods, time steps or numbers; got .*'a'.*to_datetime"),
    "numbers and dates": (lambda: fan_chart(GOOD, pd.Series([1.0, 2.0])), TypeError,
        "history must be a Series indexed as .* by dates without a time zone; got numbers"),
    "array and dates": (lambda: fan_chart(GOOD, np.ones(5)), TypeError,
                        "history must be a Series indexed as .*got ndarray"),
    "truth of other times": (lambda: fan_chart(GOOD, truth=pd.Series([1.0, 2.0], DATES[7:9])),
        ValueError, "truth must have values at .*, 2024-01-01 to .*got 2024-01-08"),
    "no such score": (lambda: step_curves(GOOD, columns=["mae", "mean"]), ValueError,
                      r"columns must be among .*; got \['mae', 'mean'\]"),
    "nominal in per cent": (lambda: step_curves(GOOD, columns="mean", nominal=95), ValueError,
                            "nominal must be a fraction such as 0.95; got 95"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "error", "message"), ERRORS.values(), ids=ERRORS)
def test_messages_say_what_is_amiss_and_no_figure_is_left(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert not plt.get_fignums()


def test_scenarios_have_names():
    with pytest.raises(TypeError, match=r"forecasts must map names to forecasts.*got list"):
        scenarios([GOOD])
