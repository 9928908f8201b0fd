"""Every picture against the one that was looked at.

Text is left out, because fonts differ between versions. To look again and keep what is drawn now:
``GPFORECAST_NEW_BASELINE=1 pytest tests/plotting/test_images.py``.
"""

import os
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text

import gpforecast as gf
from gpforecast import plotting

BASELINE = Path(__file__).parent / "baseline"
DATES = pd.date_range("2024-01-01", periods=100, freq="D")


def history():
    t = np.arange(100)
    return pd.Series(np.sin(t / 5) + 0.2 * np.cos(t), index=DATES, name="load")[:80]


def frame():
    mean = np.sin(np.arange(80, 100) / 5)
    std = 0.1 * np.sqrt(np.arange(1, 21))
    columns = {"mean": mean}
    for level, z in {50: 0.674, 80: 1.282, 95: 1.96}.items():
        columns |= {f"lo-{level}": mean - z * std, f"hi-{level}": mean + z * std}
    return pd.DataFrame(columns, index=DATES[80:])


def paths():
    steps = 0.1 * np.random.default_rng(0).standard_normal((20, 15))
    return pd.DataFrame(steps.cumsum(axis=0) + frame()[["mean"]].to_numpy(), index=DATES[80:])


def by_step():
    steps = pd.RangeIndex(1, 31, name="step")
    return {
        "exact": pd.DataFrame({"coverage_95": 0.95 - 0.001 * steps}, index=steps),
        "naive": pd.DataFrame({"coverage_95": 0.95 * 0.97**steps}, index=steps),
    }


def pits():
    z = np.random.default_rng(1).standard_normal(400)
    return {"exact": gf.scores.pit(z, 0.0, 1.0), "naive": gf.scores.pit(z, 0.0, 0.3)}


def backtest():
    origins = np.array([30, 50, 70])
    at = origins[:, None] + np.arange(12)
    mean = np.sin(at / 5)
    half = np.broadcast_to(0.1 * np.sqrt(np.arange(1, 13)), mean.shape)
    return SimpleNamespace(
        origins=origins, mean=mean, lower={95: mean - half}, upper={95: mean + half}, set_aside=()
    )


PICTURES = {
    "fan_chart": lambda: plotting.fan_chart(frame(), history=history()),
    "sample_paths": lambda: plotting.sample_paths(paths(), history=history()),
    "correlation_heat_map": lambda: plotting.correlation_heat_map(
        np.minimum.outer(np.arange(1.0, 21), np.arange(1.0, 21))
    ),
    "step_curves": lambda: plotting.step_curves(by_step(), nominal=0.95),
    "forecasts_by_origin": lambda: plotting.forecasts_by_origin(
        backtest(), np.sin(np.arange(100) / 5) + 0.2 * np.cos(np.arange(100))
    ),
    "smoothed_series": lambda: plotting.smoothed_series(
        pd.DataFrame({"mean": np.sin(np.arange(80) / 5), "std": 0.1}, index=DATES[:80]), history()
    ),
    "pit_histogram": lambda: plotting.pit_histogram(pits()["naive"]),
    "reliability": lambda: plotting.reliability(pits()),
}


def drawn(name, path):
    with plt.style.context(["classic", "_classic_test_patch"]), plt.rc_context({"savefig.dpi": 50}):
        figure = PICTURES[name]().figure
        for text in figure.findobj(Text):
            text.set_visible(False)
        figure.savefig(path)
        plt.close(figure)


@pytest.mark.parametrize("name", PICTURES)
def test_picture_looks_as_it_did(name, tmp_path):
    path = tmp_path / f"{name}.png"
    drawn(name, path)
    kept = BASELINE / f"{name}.png"
    if os.environ.get("GPFORECAST_NEW_BASELINE"):
        kept.write_bytes(path.read_bytes())
    # 5 of 255 levels, root mean square: anti-aliasing differs between versions, shapes do not.
    assert compare_images(str(kept), str(path), tol=5) is None
