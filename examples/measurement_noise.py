"""
Measurement noise and process noise
===================================

A chaotic series of 200 values, measured with noise that does not move it. An autoregression takes
the noisy values for the state of the series and feeds their noise back at every step: its error
bars are far too wide. ``noise="measurement"`` tells the noise of the measurements from that of the
process, and starts a forecast from what all measurements so far say of the last values.
"""

# %%
# Two kinds of noise
# ------------------

import matplotlib.pyplot as plt
import pandas as pd

import gpforecast as gf

TRUE = 0.1  # standard deviation of the noise that is added
series = gf.datasets.mackey_glass(800, normalise=True, noise_var=TRUE**2, seed=2)
clean = gf.datasets.mackey_glass(800, normalise=True)
past = series.iloc[:200]

fitted = {kind: gf.Forecaster(lags=16, noise=kind).fit(past) for kind in ("process", "measurement")}
for kind, fc in fitted.items():
    said = " ".join(fc.summary().split())
    print(f"{kind}: {said[said.index('Noise has') :].partition('. ')[0]}.")

# %%
# Scores from later origins
# -------------------------
# Forecasts of 100 steps from 40 origins that neither model has seen.

scores = {
    kind: gf.backtest(fc, series, horizon=100, origins=40, seed=0).scores
    for kind, fc in fitted.items()
}
print(pd.DataFrame({kind: table.mean() for kind, table in scores.items()}).T.round(3))

# %%
# The series without its noise
# ----------------------------
# ``smooth`` returns a mean and a standard deviation for every value, given all measurements.

smooth = fitted["measurement"].smooth()
error, raw = (smooth["mean"] - clean.iloc[:200]).std(), (past - clean.iloc[:200]).std()
print(f"standard deviation of the error: {raw:.3f} measured, {error:.3f} smoothed")

fig, axes = plt.subplots(3, 1, figsize=(9, 10), layout="constrained")
gf.plotting.smoothed_series(smooth.iloc[100:], past.iloc[100:], ax=axes[0])
axes[0].set_title("Smoothed")
for ax, (kind, fc) in zip(axes[1:], fitted.items(), strict=True):
    fc.predict(100).plot(ax=ax, truth=series.iloc[200:300], n_history=100)
    ax.set(title=f'noise="{kind}"', ylim=(-3.5, 4.5))
plt.show()

# %%
# If you do not know
# ------------------
# ``noise="auto"`` fits both kinds, forecasts the past of the series by the result, and says what it
# found.

auto = gf.Forecaster(lags=16, noise="auto").fit(past)
print(auto.fitted_.noise_reasons[0])
walk = gf.Forecaster(lags=9, transforms=None, noise="auto").fit(gf.datasets.load_sunspots())
print(walk.fitted_.noise_reasons[0])
