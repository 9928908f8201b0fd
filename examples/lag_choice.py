"""
Which past values should a model see?
=====================================

On a finely sampled chaotic series, neighbouring values are nearly equal. A model of the next value
from the last few learns little more than that, and its forecasts soon drift. Lags with a stride
reach further back with the same number of inputs. ``choose_lags`` compares both kinds by forecasts
of many steps from the series' own past.
"""

# %%
# A series sampled finely
# -----------------------
# The Mackey-Glass series at three values a time unit: one oscillation takes about 150 of them.

import sys

import matplotlib.pyplot as plt

import gpforecast as gf

QUICK = "--quick" in sys.argv
horizon = 200
series = gf.datasets.mackey_glass(1700, period=1 / 3, normalise=True, noise_var=1e-5, seed=0)
past, future = series[:1500], series[1500:]

choice = gf.lags.choose_lags(past, horizon=horizon)
print(choice.reason)
print(choice.table[["lags", "score", "crps", "crps_of_step"]].head(8).to_string())

# %%
# Forecasts with and without a stride
# -----------------------------------
# The same number of inputs, without a stride and with the selected one. The model of a `LagChoice`
# has one length-scale for all lags, which is better on deterministic series.

lags = list(choice.lags)
cases = {f"lags 1 to {len(lags)}": len(lags), f"lags {lags[0]}, {lags[1]}, ..., {lags[-1]}": lags}
rows = 300 if QUICK else 600
fitted = {
    name: gf.Forecaster(given, transforms=None, model=choice.model, max_rows=rows).fit(past)
    for name, given in cases.items()
}
fig, axes = plt.subplots(2, 1, figsize=(9, 6), sharex=True, sharey=True, layout="constrained")
for ax, (name, fc) in zip(axes, fitted.items(), strict=True):
    forecast = fc.predict(horizon)
    forecast.plot(ax=ax, truth=future, n_history=150)
    error = forecast.score(future)["mae"]
    ax.set_title(f"{name}: mean absolute error {error:.3f} over {horizon} steps")
    print(f"{name}: mean absolute error {error:.3f}")

# %%
# Scores and relevance
# --------------------
# Every set that was tried, by its largest lag and its score: the smaller, the better. A fitted
# model shows which lags it uses.

fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
largest, strides = choice.table["lags"].map(max), choice.table["lags"].map(min)
points = left.scatter(largest, choice.table["score"], c=strides, cmap="viridis")
fig.colorbar(points, ax=left, label="stride")
left.set(xlabel="largest lag", ylabel="score", title="Sets of lags, Mackey-Glass")
left.spines[["top", "right"]].set_visible(False)
yearly = gf.datasets.load_sunspots()
gf.plotting.lag_relevance(gf.Forecaster(lags=11).fit(yearly), ax=right)
right.set_title("Relevance of lags, sunspots")
plt.show()
