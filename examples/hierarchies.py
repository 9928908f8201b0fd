"""
Totals and parts that add up
============================

Six regions in two parts of a country, 108 months. Forecasts of the nine series, one by one, do not
add up. ``reconcile`` makes them one joint distribution that does. What is printed below
is of the shorter run ``--quick``.
"""

# %%
# A hierarchy
# -----------
# The regions share a season and random shocks. Only they are observed; ``aggregate`` adds them up.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf
from gpforecast.reconciliation import Hierarchy

QUICK = "--quick" in sys.argv
n, horizon = (60 if QUICK else 96), 12
rng = np.random.default_rng(3)
months = pd.date_range("2017-01", periods=n + horizon, freq="MS")
t = np.arange(n + horizon)
common = np.cumsum(rng.standard_normal(n + horizon))
regions = {
    f"region {k}": 60 + 10 * k + 9 * np.cos(2 * np.pi * (t - k) / 12)
    + common + np.cumsum(rng.standard_normal(n + horizon)) + 3 * rng.standard_normal(n + horizon)
    for k in range(1, 7)
}  # fmt: skip
table = pd.concat(
    [pd.DataFrame({"unique_id": name, "ds": months, "y": y}) for name, y in regions.items()]
)
names = list(regions)
tree = Hierarchy.of({"country": ["west", "east"], "west": names[:3], "east": names[3:]})
every = tree.aggregate(table)
is_past = every["ds"] < months[n]

# %%
# Forecast, reconcile
# -------------------

forecaster = gf.Forecaster(lags=3, transforms=None) if QUICK else gf.Forecaster()
panel = gf.forecast_panel(every[is_past], horizon, forecaster=forecaster, keep=True, n_jobs=1)
found = gf.reconcile(panel, tree)
print(found)

apart = {name: f.mean for name, f in panel.forecasts.items()}
gap = apart["country"] - sum(apart[name] for name in names)
print(f"country - sum of regions, before: {abs(gap).max():.2f}")
gap = found["country"].mean - sum(found[name].mean for name in names)
print(f"after: {abs(gap).max():.1e}")

came = every[~is_past].set_index(["unique_id", "ds"])["y"]
scores = pd.DataFrame(
    {
        "one by one": {name: panel.forecasts[name].score(came[name])["crps"] for name in found},
        "reconciled": {name: found[name].score(came[name])["crps"] for name in found},
    }
)
print(scores.round(2).to_string())

# %%
# Three levels
# ------------

fig, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for ax, name in zip(axes, ["country", "west", "region 1"], strict=True):
    found[name].plot(ax=ax, truth=came[name], n_history=36)
    ax.plot(apart[name], color="tab:red", linestyle="--", linewidth=1, label="mean, one by one")
    ax.set_title(name)
    ax.legend(fontsize=8)
    ax.tick_params(axis="x", rotation=45)

# %%
# Which errors belong together
# ----------------------------
# Correlations of the one-step errors of the past, shrunk towards independence.

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
image = ax.imshow(found.correlation, vmin=-1, vmax=1, cmap="RdBu_r")
ax.set_xticks(range(len(found)), list(found), rotation=90)
ax.set_yticks(range(len(found)), list(found))
fig.colorbar(image, ax=ax, label="correlation")
ax.set_title(f"shrinkage {found.shrinkage:.2f}")

# %%
# Draws of all series together
# ----------------------------
# The share of the west in the year to come needs both series at once.

drawn = found.sample(4000, seed=0)
year = drawn.groupby("unique_id").sum()
low, high = np.quantile(year.loc["west"] / year.loc["country"], [0.05, 0.95])
print(f"share of the west in the year, 90 %: {low:.3f} to {high:.3f}")
plt.show()
