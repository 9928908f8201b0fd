"""
Four plots to check error bars
==============================

Do 95 % intervals hold 95 % of the values? Coverage by step shows at which steps they fail, the PIT
histogram in which way, and the reliability diagram at which levels. Forecasts drawn over the series
show what the numbers mean. The plots compare exact moments and naive iteration of one fitted model
of sea-surface temperatures off Peru.
"""

# %%
# One model, two propagation methods
# ----------------------------------

import sys

import matplotlib.pyplot as plt

import gpforecast as gf

QUICK = "--quick" in sys.argv
series = gf.datasets.load_elnino()
seen = int(0.6 * len(series))
forecaster = gf.Forecaster(lags=[1, 2, 3]).fit(series.iloc[:seen])
results = {
    method: gf.backtest(forecaster, series, 18, 40 if QUICK else 200, propagation=method)
    for method in ("exact", "naive")
}
for method, result in results.items():
    print(f"{method}\n{result.summary().loc[['crps', 'nlpd', 'coverage_95']].round(3)}\n")

# %%
# Score by step
# -------------
# The naive band keeps the width of one step, so its coverage falls within a few steps.

curves = {method: result.scores for method, result in results.items()}
axes = gf.plotting.step_panels(curves, ["crps", "coverage_95", "coverage_50"])
for ax, title in zip(axes, ("CRPS (°C)", "95 % interval", "50 % interval"), strict=True):
    ax.set_title(title)

# %%
# Where the truth fell
# --------------------
# Bands that are too narrow make a histogram that is high at both ends. It should be flat.

fig, (left, middle, right) = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
gf.plotting.pit_histogram(results["exact"], ax=left)
gf.plotting.pit_histogram(results["naive"], ax=middle, color="#d55e00")
top = max(left.get_ylim()[1], middle.get_ylim()[1])
for ax, method in ((left, "exact"), (middle, "naive")):
    ax.set(title=f"PIT, {method}", ylim=(0, top))
gf.plotting.reliability(results, ax=right)
right.set_title("Reliability")

# %%
# Forecasts over the series
# -------------------------

fig, axes = plt.subplots(2, 1, figsize=(10, 6), sharex=True, sharey=True, layout="constrained")
for ax, (method, result) in zip(axes, results.items(), strict=True):
    gf.plotting.forecasts_by_origin(result, series, n=8, ax=ax)
    ax.set(title=f"{method}: 95 % intervals of forecasts over 18 months", ylabel="°C")
plt.show()
