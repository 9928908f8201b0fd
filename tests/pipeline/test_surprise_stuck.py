"""What `surprise` says of a sensor that was stuck, and of the values after it."""

import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.models import LinearAR


def test_what_a_stuck_sensor_told_does_not_make_tails_heavy():
    """Errors of frozen values made a spike of six standard deviations look usual."""
    rng, n = np.random.default_rng(5), 672
    y = 20.0 + 8.0 * np.sin(2 * np.pi * np.arange(n + 60) / 24) + rng.standard_normal(n + 60)
    y[300:312] = y[300]
    y[n + 20] += 6.0
    fc = gf.Forecaster([1, 24], model=LinearAR(), combine=None, season_length=24).fit(y[:n])
    found = fc.surprise(y[n:])
    assert found.table["tail_probability"].idxmin() == n + 20
    assert found.table["tail_probability"].min() < 1e-5  # 5e-4 with them
    assert not any("large errors" in note for note in found.notes)


def test_a_sensor_that_is_stuck_for_most_of_a_night_is_found_and_its_end_is_no_change():
    """Its share of the new values counted, not of all; its end was flagged as a level shift."""
    rng, n = np.random.default_rng(5), 672
    y = 20.0 + 8.0 * np.sin(2 * np.pi * np.arange(n + 48) / 24) + rng.standard_normal(n + 48)
    broken = y.copy()
    broken[n + 4 : n + 34] = broken[n + 4]
    fc = gf.Forecaster([1, 24], model=LinearAR(), combine=None, season_length=24).fit(y[:n])
    found = fc.surprise(broken[n:])
    table = found.table
    stuck = np.arange(n + 5, n + 34)
    assert table.index[table["kind"] == "stuck"].tolist() == stuck.tolist()
    np.testing.assert_array_equal(table["observed"], broken[n:])
    (note,) = (note for note in found.notes if "in a row" in note)
    assert note.startswith(
        f"30 values in a row are equal, from {n + 4} to {n + 33}, as if a sensor"
    )
    missing = broken.copy()
    missing[stuck] = np.nan
    there = ~np.isin(np.arange(n, n + 48), stuck)
    expected = fc.surprise(missing[n:]).table[there]
    pd.testing.assert_frame_equal(table[there], expected)  # nothing is forecast from them
    assert repr(found).startswith(
        "Surprise of 19 values, 1 step ahead: 0 flagged, of tail probability 0.001 or less or in a "
        "run, and 29 stuck values, flagged but not judged\nnote: "
    )
    rest = fc.update(broken[n:]).surprise(np.full(12, broken[n + 47])).table
    assert (rest["kind"] == "stuck").all()  # it goes on where the batch before ended
