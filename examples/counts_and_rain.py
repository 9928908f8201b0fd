"""
Counts and rain: forecasts that stay possible
=============================================

Sales of a rare article and daily rain are zero on most days. A Gaussian forecast has a large part
below zero; with a support, what it says is possible, and the mean stays about where it was.
"""

# %%
# Two series that are mostly zero
# -------------------------------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

rng = np.random.default_rng(3)
n, horizon = 120, 14
days = pd.date_range("2024-01-01", periods=n + horizon, freq="D")
wet = rng.random(n + horizon) < 0.35
series = {
    "sales": pd.Series(rng.poisson(0.4, n + horizon).astype(float), days),
    "rain in mm": pd.Series(np.where(wet, rng.gamma(0.8, 8.0, n + horizon), 0.0), days),
}

# %%
# With and without the support
# ----------------------------
# ``support="auto"``, the default, detects counts in the first series and the bound in the second.

fig, axes = plt.subplots(2, 2, figsize=(10, 6), sharey="row", layout="constrained")
for row, (name, values) in zip(axes, series.items(), strict=True):
    past, future = values.iloc[:n], values.iloc[n:]
    for ax, support in zip(row, (None, "auto"), strict=True):
        fc = gf.Forecaster(lags=1, support=support).fit(past)
        forecast = fc.predict(horizon)
        forecast.plot(ax=ax, truth=future, n_history=40)
        ax.axhline(0.0, color="black", linewidth=0.8)
        ax.set_title(f"{name}, support={support!r}")
        scores = forecast.score(future)
        print(f"{name}, {support}: CRPS {scores['crps']:.3f}, mean {forecast.mean.mean():.2f}")
    print(fc.fitted_.support_reason)

# %%
# A probability of zero
# ---------------------
# The forecast says how likely a day without rain is, which has no meaning for a Gaussian.

dry = forecast.distribution.cdf(np.zeros(horizon))
print(f"probability of a dry day {dry.mean():.2f}, dry days so far {(past == 0).mean():.2f}")
