"""
Trends and seasons with the default settings
============================================

Two series that are not stationary. Carbon dioxide at Mauna Loa rises, with a yearly season of
constant size. The simulated sales of a shop grow, and their season grows with them.
``Forecaster()`` tests a series, transforms it, says why, and undoes the transforms on the joint
distribution of the whole horizon.
"""

# %%
# Two series
# ----------
# Carbon dioxide grows by about the same amount every year, sales by about the same fraction.

import sys

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

QUICK = "--quick" in sys.argv

co2 = gf.datasets.load_co2().resample("MS").mean().iloc[1:].rename("CO2 (ppm)")
if QUICK:
    co2 = co2["1985":]
sales = gf.datasets.monthly_sales(144, seed=0)["units"]
series = {"carbon dioxide": (co2, 36), "sales": (sales, 24)}

# %%
# Fit and print the summary
# -------------------------

forecasts = {}
for name, (y, horizon) in series.items():
    fc = gf.Forecaster().fit(y.iloc[:-horizon])
    forecasts[name] = fc.predict(horizon)
    print(f"{name}\n{fc.summary()}\n")

# %%
# The forecasts
# -------------
# Dots are the months that were put aside.

fig, axes = plt.subplots(2, 1, figsize=(9, 7.5), layout="constrained")
for ax, (name, forecast) in zip(axes, forecasts.items(), strict=True):
    y, horizon = series[name]
    forecast.plot(ax=ax, truth=y.iloc[-horizon:], n_history=84)
    ax.set_ylabel(y.name)
    held = forecast.score(y.iloc[-horizon:])["coverage_95"]
    ax.set_title(f"{name}, {horizon} months ahead: the 95 % band holds {held:.0%}")
plt.show()

# %%
# Many origins
# ------------
# One forecast proves little. So forecast from many origins, and train again every two years.

for name, (y, horizon) in series.items():
    n_origins = 10 if QUICK else 60
    tested = gf.backtest(gf.Forecaster(), y, horizon, n_origins, train_fraction=0.6, refit=24)
    held = tested.summary().loc[["coverage_80", "coverage_95"], "average"]
    print(f"{name}, {horizon} steps: 80 % holds {held.iloc[0]:.0%}, 95 % holds {held.iloc[1]:.0%}")

# %%
# A total, a year ahead
# ---------------------
# The errors of the months are correlated, so the error bar of a year is not that of twelve
# independent months.

first_year = np.r_[np.ones(12), np.zeros(12)]
total = forecasts["sales"].aggregate(first_year)
independent = forecasts["sales"].var.iloc[:12].sum() ** 0.5
low, high = total.interval(0.95)
print(f"the first year: {total.mean:.0f}, 95 % between {low:.0f} and {high:.0f}")
print(f"standard deviation {total.std:.0f}; if months were independent {independent:.0f}")
