"""
Uncertain future inputs
=======================

Demand for heat follows the weather, and the weather of the next day is itself a forecast with error
bars. If only its mean is passed on, the intervals are far too narrow. ``exog_cov`` takes the
uncertainty of the inputs, and exact moments propagate it through the model together with that of
the demand.
"""

# %%
# A process driven by the weather
# -------------------------------
# Both are autocorrelated, and the response to the input is non-linear: the output rises with cold,
# but stays constant when it is warm.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
rng = np.random.default_rng(2)
n, horizon = 2000, 24
phi, shock = 0.9, 0.3

cold, demand = np.zeros(n), np.zeros(n)
for t in range(1, n):
    cold[t] = phi * cold[t - 1] + shock * rng.standard_normal()
    answer = np.logaddexp(0.0, 2.0 * cold[t])
    demand[t] = 0.7 * demand[t - 1] + 0.3 * answer + 0.03 * rng.standard_normal()
y, inputs = pd.Series(demand, name="demand"), pd.DataFrame({"cold": cold})

fc = gf.Forecaster(lags=2, exog_lags=[0, 1]).fit(y[:300], exog=inputs[:300])
print(fc.summary())

# %%
# The weather forecast: a mean and a joint covariance
# ---------------------------------------------------
# For an autoregression both are known: errors grow with the step and are correlated.

step = np.arange(1, horizon + 1)
apart = np.abs(step[:, None] - step)
input_cov = shock**2 / (1 - phi**2) * (phi**apart - phi ** (step[:, None] + step))


def two_forecasts(origin, n_past=4):
    """Return the forecasts with certain and with uncertain inputs, and the observed values."""
    guess = inputs["cold"].iloc[origin - n_past : origin + horizon].copy()
    guess.iloc[n_past:] = cold[origin - 1] * phi**step
    before = y.iloc[origin - n_past : origin]
    certain = fc.simulate(guess.to_frame(), start=before)
    uncertain = fc.simulate(guess.to_frame(), start=before, exog_cov=input_cov)
    return certain, uncertain, y.iloc[origin : origin + horizon]


# %%
# Do the intervals cover?
# -----------------------
# Forecasts from many origins that the model has not seen.

origins = range(320, n - horizon, 100 if QUICK else 12)
pits = {"inputs treated as certain": [], "inputs with their uncertainty": []}
for origin in origins:
    *answers, truth = two_forecasts(origin)
    for name, forecast in zip(pits, answers, strict=True):
        pits[name].append(gf.scores.pit(truth, forecast.mean, forecast.var))
pits = {name: np.array(values) for name, values in pits.items()}
for name, values in pits.items():
    held = gf.plotting.observed_coverage(values, [0.8, 0.95])
    print(f"{name}: 80 % intervals hold {held[0]:.0%}, 95 % intervals {held[1]:.0%}")

fig = plt.figure(figsize=(11, 6), layout="constrained")
axes = fig.subplot_mosaic([["a", "c"], ["b", "c"]], width_ratios=[1.4, 1])
certain, uncertain, truth = two_forecasts(1400)
titles = {"a": "Inputs treated as certain", "b": "Inputs with their uncertainty"}
for (key, title), forecast in zip(titles.items(), (certain, uncertain), strict=True):
    forecast.plot(ax=axes[key], history=y.iloc[1360:1400], truth=truth)
    axes[key].set(title=title, ylim=(-1.2, 4.5), ylabel="demand")
gf.plotting.reliability(pits, ax=axes["c"])
axes["c"].set_title(f"From {len(origins)} origins")
plt.show()
