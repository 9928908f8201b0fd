"""
Classic series with the default settings
========================================

``gf.Forecaster().fit(series).predict(horizon)`` for series with trends, seasons and cycles, without
other arguments. Dots are the observed values. The line printed for each series names its
transforms.
"""

import matplotlib.pyplot as plt

import gpforecast as gf

T = gf.datasets
shown = [  # title, series, horizon
    ("Sunspot numbers", T.load_sunspots(), 22),
    ("CO2 at Mauna Loa (ppm)", T.load_co2().resample("MS").mean().interpolate(), 36),
    ("Flow of the Nile", T.load_nile(), 10),
    ("Sea surface off Peru (°C)", T.load_elnino(), 24),
    ("Real consumption (1e9 $)", T.load_macrodata("realcons"), 12),
    ("Simulated sales", T.monthly_sales(seed=0)["units"], 12),
]

rows = len(shown) // 2
fig, axes = plt.subplots(rows, 2, figsize=(12, 3.2 * rows), layout="constrained")
for ax, (name, y, horizon) in zip(axes.flat, shown, strict=True):
    past, future = y.iloc[:-horizon], y.iloc[-horizon:]
    fc = gf.Forecaster().fit(past)
    forecast = fc.predict(horizon)
    forecast.plot(ax=ax, truth=future, levels=(80, 95), n_history=4 * horizon)
    ax.set_title(name)
    score = forecast.score(future)
    steps = " -> ".join(map(repr, fc.transforms_.spec.steps)) or "none"
    print(f"{name:<24} 95 % held {100 * score['coverage_95']:.0f} %; transforms: {steps}")
