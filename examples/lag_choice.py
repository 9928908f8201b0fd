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

choice = gf.lags.choose_lags(past, horizon=horizon, max_sets=20 if QUICK else None)
print(choice.reason)
print(choice.table[["lags", "source", "score", "score_se"]].head(8).to_string())

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
# Delay, dimension and relevance
# ------------------------------
# The delay is the first minimum of the average mutual information. The dimension is the first one
# without false neighbours. Together they give a first guess of the lags. A fitted model shows which
# lags it uses.

information = gf.lags.average_mutual_information(past, 120)
share = gf.lags.false_neighbours(past, choice.delay)
print(f"delay {choice.delay}, dimension {choice.dimension}")

fig, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
left.plot(range(1, 121), information, color="tab:blue")
left.axvline(choice.delay, color="tab:red", linewidth=1, linestyle="--")
left.set(xlabel="lag", ylabel="nats", title="Average mutual information")
middle.plot(range(1, len(share) + 1), share, "o-", color="tab:blue")
middle.set(xlabel="dimension", ylabel="share", title="False nearest neighbours")
yearly = gf.datasets.load_sunspots()
gf.plotting.lag_relevance(gf.Forecaster(lags=11).fit(yearly), ax=right)
right.set_title("Relevance of lags, sunspots")
for ax in (left, middle):
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
