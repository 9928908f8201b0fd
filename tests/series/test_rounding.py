"""Times that lie a little beside the steps are refused with a call that rounds them."""

import re

import numpy as np
import pandas as pd
import pytest
from index_cases import refused

from gpforecast.series import TimeAxis

QUARTERS = pd.date_range("2024-10-25", periods=300, freq="15min")


def called(message, labels, name):
    """What the advised call makes of a series on these labels."""
    code = re.search(rf"in pandas, ({name}\.index = .*)\.$", message)[1]
    names = {name: pd.Series(0.0, labels)}
    exec(code, names)
    return names[name].index


@pytest.mark.parametrize(
    ("start", "freq", "zone", "late"),
    [
        ("2024-10-25", "h", "Europe/Berlin", "2min"),  # into the hour that comes twice
        ("2024-03-29", "h", "Europe/Berlin", "-2min"),  # and over the one that is skipped
        ("2024-10-25", "15min", "America/New_York", "9s"),
        ("2024-10-25", "h", "Asia/Kolkata", "2min"),  # whose full hours are not those of UTC
        ("2024-10-25", "h", "UTC", "2min"),
        ("2024-07-01", "D", None, "3min"),
        ("2024-10-20", "D", "Europe/Berlin", "3min"),
    ],
)
@pytest.mark.parametrize("n", [1, 4])
def test_new_labels_beside_the_steps_continue_once_rounded_as_is_advised(
    start, freq, zone, late, n
):
    times = pd.date_range(start, periods=60, freq=freq, tz=zone)
    for at in range(44, 56):
        axis = TimeAxis.of(times[:at])
        labels = times[at : at + n] + pd.Timedelta(late)
        with pytest.raises(ValueError, match="Round them to the steps of the series") as caught:
            axis.continued_by(labels)
        labels = called(str(caught.value), labels, "new_values")
        assert axis.continued_by(labels)[1].tolist() == [*range(n)]


@pytest.mark.parametrize(
    ("start", "freq", "label"),
    [
        ("2024-07-01 09:00", "D", "2024-07-19 09:03"),  # rounded it would be another time
        ("2024-07-01", "MS", "2025-01-02"),
        ("2024-07-01", "h", "2024-07-01 18:30"),
    ],
)
def test_labels_that_rounding_does_not_help_are_not_told_to_be(start, freq, label):
    axis = TimeAxis.of(pd.date_range(start, periods=18, freq=freq))
    with pytest.raises(ValueError, match="must continue") as caught:
        axis.continued_by(pd.DatetimeIndex([label]))
    assert "Round" not in str(caught.value)


@pytest.mark.parametrize("zone", [None, "Europe/Berlin", "Asia/Kathmandu"])
@pytest.mark.parametrize("often", [1, 5])
def test_a_few_seconds_beside_the_steps_are_rounded_away(zone, often):
    seconds = np.random.default_rng(0).integers(-5, 6, 300)
    seconds[np.arange(300) % often > 0] = 0
    dates = (QUARTERS + pd.to_timedelta(seconds, unit="s")).tz_localize("UTC").tz_convert(zone)
    message = refused(dates)
    assert "Round them to one step first" in message
    assert "round('15min')" in message
    assert "resample" not in message
    assert len(TimeAxis.of(called(message, dates, "series"))) == 300
    with pytest.raises(ValueError, match="Round them") as caught:
        TimeAxis.of(dates.delete(7), fill=True)
    assert len(TimeAxis.of(called(str(caught.value), dates.delete(7), "series"), fill=True)) == 300


def test_what_is_far_from_all_steps_or_comes_twice_in_one_is_not_rounded():
    noon = pd.date_range("2024-03-01 13:00", periods=60)
    minutes = np.random.default_rng(0).integers(-5, 6, 60)
    assert "Round" not in refused(noon + pd.to_timedelta(minutes, unit="min"))  # another day
    twice = QUARTERS[:60].append(QUARTERS[20:40] + pd.Timedelta("40s")).sort_values()
    assert "Round" not in refused(twice)
