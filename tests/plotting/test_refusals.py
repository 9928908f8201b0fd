"""What cannot be drawn is refused with a sentence, and no figure is left."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fan_cases import DATES, INDEXES, frame_on

from gpforecast.plotting import fan_chart, smoothed_series, step_curves

GOOD = frame_on(DATES[:5])
OTHER = GOOD[["lo-80", "hi-80"]].add_prefix("B-")
ERRORS = {
    "no frame": (lambda: fan_chart([1, 2]), TypeError, "forecast must be .*a pandas .*got list"),
    "a series": (lambda: fan_chart(GOOD["mean"]), TypeError, "forecast must be .*got Series"),
    "no rows": (lambda: fan_chart(GOOD.iloc[:0]), ValueError, "at least one step"),
    "no centre": (
        lambda: fan_chart(GOOD[["lo-80", "hi-80"]]),
        ValueError,
        r"must have a column 'mean' or 'median'; got \['lo-80', 'hi-80'\]",
    ),
    "no such level": (
        lambda: fan_chart(GOOD, levels=[0.95, 80]),
        ValueError,
        r"levels must be among .* \[50, 80, 95\]; got \[0.95\]. Levels are in per cent",
    ),
    "half a band": (
        lambda: fan_chart(GOOD.drop(columns="hi-95"), levels=[95]),
        ValueError,
        r"levels must be among the bands of the forecast, \[50, 80\]; got \[95\]",
    ),
    "two models": (
        lambda: fan_chart(GOOD.join(OTHER)),
        ValueError,
        "bands of 2 models",
    ),
    "swapped edges": (
        lambda: fan_chart(GOOD.rename(columns={"lo-80": "hi-80", "hi-80": "lo-80"})),
        ValueError,
        "'lo-80' above 'hi-80' at 2024-01-01",
    ),
    "several series": (
        lambda: fan_chart(pd.concat([GOOD, GOOD])),
        ValueError,
        "one row for each time; got several for 2024-01-01",
    ),
    "text for dates": (
        lambda: fan_chart(GOOD.set_axis(list("abcde"))),
        TypeError,
        "forecast must be indexed by dates, periods, time steps or numbers; got .*'a'.*to_datetime",
    ),
    "text for values": (
        lambda: fan_chart(GOOD, pd.Series(["x"], index=DATES[:1])),
        TypeError,
        "history must hold real numbers",
    ),
    "numbers and dates": (
        lambda: fan_chart(GOOD, pd.Series([1.0, 2.0])),
        TypeError,
        "history must be indexed as the forecast is, by dates without a time zone; got numbers",
    ),
    "zone and no zone": (
        lambda: fan_chart(GOOD, truth=pd.Series(1.0, index=DATES.tz_localize("UTC"))),
        TypeError,
        "truth must be .*; got dates with a time zone",
    ),
    "periods of two lengths": (
        lambda: fan_chart(
            frame_on(INDEXES["periods"][:5]),
            pd.Series(1.0, index=pd.period_range("2018", periods=3, freq="D")),
        ),
        TypeError,
        "by periods of M; got periods of D",
    ),
    "array beside dates": (
        lambda: fan_chart(GOOD, np.ones(5)),
        TypeError,
        "history must be a Series with the dates of its values.*got ndarray",
    ),
    "too much truth": (
        lambda: fan_chart(GOOD, truth=np.ones(6)),
        ValueError,
        "truth must have at most 5 values, one a step; got 6",
    ),
    "no history wanted": (
        lambda: fan_chart(GOOD, n_history=0),
        ValueError,
        "n_history must be a positive integer; got 0",
    ),
    "no values of history": (
        lambda: fan_chart(GOOD, history=0),
        ValueError,
        "^history must be a positive integer; got 0",
    ),
    "scores in a list": (lambda: step_curves([1]), TypeError, "scores must be a DataFrame"),
    "no scores": (lambda: step_curves({}), ValueError, "at least one method"),
    "empty scores": (lambda: step_curves(GOOD.iloc[:0]), ValueError, "rows and columns"),
    "no such score": (
        lambda: step_curves(GOOD, columns=["mae", "mean"]),
        ValueError,
        r"columns must be among .*; got \['mae'\]",
    ),
    "nominal in per cent": (
        lambda: step_curves(GOOD, columns="mean", nominal=95),
        ValueError,
        "nominal must be a fraction such as 0.95; got 95",
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), ERRORS.values(), ids=ERRORS)
def test_messages_say_what_is_amiss_and_no_figure_is_left(call, error, message):
    with pytest.raises(error, match=message):
        call()
    assert not plt.get_fignums()


def test_a_smoothed_series_needs_mean_and_std():
    with pytest.raises(ValueError, match="it lacks std"):
        smoothed_series(pd.DataFrame({"mean": [1.0]}))
    with pytest.raises(ValueError, match="between 0 and 100"):
        smoothed_series(pd.DataFrame({"mean": [1.0], "std": [1.0]}), level=100)
