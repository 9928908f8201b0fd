"""
Classic series with the default settings
========================================

``gf.Forecaster().fit(series).predict(horizon)`` for series with trends, seasons and cycles, without
other arguments. Dots are the observed values. The line printed for each series names its
transforms.

Over rolling origins (``benchmarks/accuracy/classics.py``, version 0.1.0) 95 % intervals held 97 %
of monthly and 92 % of yearly sunspots, 99 % of CO2, 96 % of the Nile, 79 % of AirPassengers, 96 %
of nottem, 91 % of lynx, 88 % of taylor and 75 % of Lake Huron, whose level changes direction.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import gpforecast as gf

FOLDER = Path(os.environ.get("GPFORECAST_DATA", "../shared/data")) / "classic"
CLASSICS = {  # name: (first timestamp, frequency, horizon)
    "AirPassengers": ("1949-01", "MS", 24),
    "nottem": ("1920-01", "MS", 24),
    "lynx": ("1821", "YS", 10),
    "LakeHuron": ("1875", "YS", 10),
    "taylor": ("2000-06-05", "30min", 96),
}


def series():
    """Yield name, series and horizon of the series whose data are available."""
    yield "Sunspot numbers", gf.datasets.load_sunspots(), 22
    co2 = gf.datasets.load_co2().resample("MS").mean().interpolate()
    yield "CO2 at Mauna Loa (ppm)", co2, 36
    yield "Flow of the Nile", gf.datasets.load_nile(), 10
    for name, (first, freq, horizon) in CLASSICS.items():
        if (FOLDER / f"{name}.csv").exists():
            values = pd.read_csv(FOLDER / f"{name}.csv").iloc[:, 0].astype(float)
            index = pd.date_range(first, periods=len(values), freq=freq)
            yield name, pd.Series(values.to_numpy(), index=index, name=name), horizon


shown = list(series())
rows = (len(shown) + 1) // 2
fig, axes = plt.subplots(rows, 2, figsize=(12, 3.2 * rows), layout="constrained")
for ax in axes.flat[len(shown) :]:
    ax.set_visible(False)
for ax, (name, y, horizon) in zip(axes.flat, shown, strict=False):
    past, future = y.iloc[:-horizon], y.iloc[-horizon:]
    fc = gf.Forecaster().fit(past)
    forecast = fc.predict(horizon)
    forecast.plot(ax=ax, truth=future, levels=(80, 95), n_history=4 * horizon)
    ax.set_title(name)
    score = forecast.score(future)
    steps = " -> ".join(map(repr, fc.transforms_.spec.steps)) or "none"
    print(f"{name:<24} 95 % held {100 * score['coverage_95']:.0f} %; transforms: {steps}")
