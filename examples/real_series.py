"""
Do the error bars mean what they say?
=====================================

Two real series with the default settings: three centuries of sunspot numbers, and six decades of
sea-surface temperatures off Peru, whose large swings are El Niño. The model learns from the first
60 %. A backtest then forecasts from a hundred later origins. If the error bars are right, a 95 %
interval holds the truth about 95 times in a hundred, and a 50 % interval about 50 times.
"""

# %%
# One forecast of each
# --------------------

import matplotlib.pyplot as plt
import pandas as pd

import gpforecast as gf

cases = {"sunspots": (gf.datasets.load_sunspots(), 20), "El Niño": (gf.datasets.load_elnino(), 24)}

fig, axes = plt.subplots(2, 1, figsize=(9, 7), layout="constrained")
for ax, (name, (series, horizon)) in zip(axes, cases.items(), strict=True):
    past, future = series.iloc[:-horizon], series.iloc[-horizon:]
    forecast = gf.Forecaster().fit(past).predict(horizon)
    forecast.plot(ax=ax, truth=future, n_history=5 * horizon)
    ax.set_title(f"{name}: the last {horizon} values, forecast from those before")

# %%
# A hundred origins
# -----------------
# Exact moments and naive iteration of the same fitted model. Coverage is a fraction; MAE and
# CRPS are in the units of the series.

rows, curves = {}, {}
for name, (series, horizon) in cases.items():
    seen = int(0.6 * len(series))
    forecaster = gf.Forecaster().fit(series.iloc[:seen])
    for method in ("exact", "naive"):
        result = gf.backtest(forecaster, series, horizon, origins=100, propagation=method)
        rows[name, method] = result.summary()["average"]
        curves[f"{name}, {method}"] = result.scores
table = pd.DataFrame(rows).T[["mae", "crps", "nlpd", "coverage_50", "coverage_80", "coverage_95"]]
print(table.round(3).to_string())

# %%
# Coverage at every step
# ----------------------

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", sharey=True)
for ax, column in zip(axes, ("coverage_80", "coverage_95"), strict=True):
    gf.plotting.step_panels(curves, [column], axes=ax)
    ax.set_ylim(0.0, 1.4)
    ax.set_title(f"{column[-2:]} % interval")
plt.show()
