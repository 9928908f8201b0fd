"""
What a forecast is made of
==========================

The mean of a forecast is the sum of a trend, a season, the effect of inputs and a memory of the
newest values. Its variance is the sum of what the noise, the past, the inputs and the model do not
tell. Here are both for numbers of airline passengers, generated like those of Box and Jenkins, and
for a series with an input.
"""

# %%
# The airline passengers
# ----------------------
# They are read from the folder in the environment variable ``GPFORECAST_DATA``. Without it, a
# similar generated series is used.

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf


def passengers():
    """Return the airline passengers of Box and Jenkins, or a series like them."""
    path = Path(os.environ.get("GPFORECAST_DATA", "../shared/data"), "classic/AirPassengers.csv")
    index = pd.period_range("1949-01", periods=144, freq="M")
    if path.is_file():
        values = pd.read_csv(path).iloc[:, -1].to_numpy(dtype=float)
        return pd.Series(values, index, name="passengers (1000)")
    rng = np.random.default_rng(0)
    months = np.arange(144)
    level = 4.8 + 0.01 * months + np.cumsum(0.02 * rng.standard_normal(144))
    season = 0.15 * np.sin(2 * np.pi * months / 12 - 1.5) + 0.06 * np.cos(4 * np.pi * months / 12)
    return pd.Series(np.exp(level + season), index, name="generated passengers")


f = gf.Forecaster().fit(passengers()).predict(36)
print(f.components.mean.iloc[::6].round(1))

# %%
# The season grows with the trend, because the logarithm of the series was forecast. The memory is
# small: after differences over a season, most of what the newest values say lasts, and is part of
# the trend. ``skew`` is by how much the mean lies above the middle of the distribution.

f.plot_components()
plt.show()

# %%
# Where the variance comes from
# -----------------------------
# In the first month what is not known of the past counts as much as the noise. From then on most of
# it is the noise of the months to come.


def areas(parts, ax, title):
    """Draw the parts of a variance on top of one another."""
    shown = parts.loc[:, parts.to_numpy().any(axis=0)]
    ax.stackplot(np.arange(1, len(shown) + 1), shown.T.to_numpy(), labels=shown.columns)
    ax.set(xlabel="step", ylabel="variance", title=title)
    ax.margins(x=0)
    ax.legend(loc="upper left")


fig, ax = plt.subplots(figsize=(9, 3.5), layout="constrained")
areas(f.variance_parts, ax, "passengers")
plt.show()

# %%
# A series with an input
# ----------------------
# The input is forecast itself, with a variance that grows.

rng = np.random.default_rng(1)
u = pd.Series(np.convolve(rng.standard_normal(260), np.ones(6) / 3, "same"), name="u")
y = np.zeros(260)
for t in range(1, 260):
    y[t] = 0.7 * y[t - 1] + np.tanh(u[t]) + 0.2 * rng.standard_normal()
y = pd.Series(10.0 + y, name="driven series")

fc = gf.Forecaster(lags=1).fit(y[:230], exog=u[:230])
uncertain = fc.predict(30, exog=u[230:], exog_cov=0.03 * np.arange(1.0, 31.0))
uncertain.plot_components()
plt.show()

fig, ax = plt.subplots(figsize=(9, 3.5), layout="constrained")
areas(uncertain.variance_parts, ax, "driven series, by an input that is forecast")
plt.show()
