"""
Missing values: forecasting and filling
=======================================

Two centuries of sunspot numbers, from which two long gaps and many single years are removed, and
also the last five years before the forecast begins. Nothing is interpolated. Rows with a missing
value are left out of training. A missing value among the lags of a forecast is predicted as a
distribution and conditioned on the values observed after it.
"""

# %%
# A series with missing values
# ----------------------------

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

whole = gf.datasets.load_sunspots()["1800":]
past, future = whole[:"1986"], whole["1987":]
rng = np.random.default_rng(1)
holes = past.copy()
holes["1862":"1871"] = np.nan
holes["1940":"1945"] = np.nan
holes["1982":"1986"] = np.nan
holes.iloc[rng.choice(len(holes), 15, replace=False)] = np.nan
missing = holes.isna()
print(f"{missing.sum()} of {len(holes)} values are missing")

# %%
# Fill the gaps from both sides
# -----------------------------
# ``fill_missing`` returns a mean and a standard deviation for every missing value, conditioned on
# the values before and after it. Inside a gap the error bar is widest in the middle.

fc = gf.Forecaster(lags=9, transforms=None).fit(holes)
filled = fc.fill_missing()
band = 1.96 * filled["std"]
held = ((filled["mean"] - past).abs() < band)[missing].mean()
print(f"95 % intervals hold {held:.0%} of the values that were removed")

# %%
# Forecast from the end of a gap
# ------------------------------
# The forecast starts five years after the last known value, so its first error bars are wide.

forecast = fc.predict(len(future))
gapless = gf.Forecaster(lags=9, transforms=None).fit(past).predict(len(future))
print(f"std at step 1: {forecast.std.iloc[0]:.1f} with gaps, {gapless.std.iloc[0]:.1f} without")

fig, (upper, lower) = plt.subplots(2, 1, figsize=(9, 7), layout="constrained")
years = holes.index.year
upper.fill_between(
    years, filled["mean"] - band, filled["mean"] + band, color="tab:blue", alpha=0.3, linewidth=0,
    label="95 % of a missing value",
)  # fmt: skip
upper.plot(years, filled["mean"], color="tab:blue", linewidth=1.2, label="filled")
upper.plot(years, holes, color="black", linewidth=1.2, label="observed")
upper.plot(years[missing], past[missing], "x", color="tab:red", markersize=5, label="removed")
upper.set(title="Gaps filled from both sides", ylabel="sunspots", xlim=(1850, 1987))
upper.legend(frameon=False, ncols=4, loc="upper left")
upper.set_ylim(top=260)
upper.spines[["top", "right"]].set_visible(False)

forecast.plot(ax=lower, truth=future, n_history=50)
lower.set(title="A forecast that begins in a gap of five years", ylabel="sunspots")
plt.show()
