"""
How far can chaos be forecast?
==============================

Lorenz' equations on a single coordinate, without noise. Every forecast is good for a while and
lost after it; how long depends on where on the attractor it begins. Honest error bars tell in
advance: they stay narrow as long as the forecast is good, and open where nearby paths part to
different wings.
"""

# %%
# The series
# ----------

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.integrate import solve_ivp

import gpforecast as gf

QUICK = "--quick" in sys.argv


def lorenz(t, state):
    """Return the time derivatives of Lorenz (1963)."""
    x, y, z = state
    return [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z]


step, n, n_train = 0.05, 1800, 500 if QUICK else 900
times = 20 + step * np.arange(n)
path = solve_ivp(lorenz, (0, times[-1]), [1.0, 1.0, 1.0], t_eval=times, rtol=1e-9, atol=1e-9)
series = pd.Series(path.y[0], name="x")
lyapunov = 0.906 * step  # nats a step; the largest exponent of this attractor is 0.906 a time unit

# %%
# Forecasts from two origins
# --------------------------

horizon = 100
forecaster = gf.Forecaster(lags=7, transforms=None).fit(series[:n_train])
origins = np.arange(n_train + 10, n - horizon, 40 if QUICK else 10)
batch = forecaster.predict_from(series, origins, horizon)
truth = series.to_numpy()[origins[:, None] + np.arange(horizon)]
error = np.abs(batch.mean - truth)
std = np.sqrt(batch.var)

lost = np.where((error > 4).any(axis=1), (error > 4).argmax(axis=1), horizon)
print(
    f"steps until the error passes half a standard deviation of the series: {np.median(lost):.0f}"
)
print(f"  that is {np.median(lost) * lyapunov:.1f} e-foldings of an error; from {lost.min()} to "
      f"{lost.max()} steps by origin")  # fmt: skip
warned = np.where((std > 2).any(axis=1), (std > 2).argmax(axis=1), horizon)
both = np.corrcoef(lost, warned)[0, 1]
print(f"correlation with the step at which the error bar passes 2: {both:.2f}")

# %%
# The pictures
# ------------

fig = plt.figure(figsize=(11, 8), layout="constrained")
axes = fig.subplot_mosaic([["short", "short"], ["long", "long"], ["std", "warn"]])
for key, which in (("short", lost.argmin()), ("long", lost.argmax())):
    begin = origins[which]
    other = gf.Forecaster(lags=7, transforms=None, model=forecaster.model_)
    index = np.arange(begin, begin + horizon)
    low, high = (batch.mean[which] + sign * 1.96 * std[which] for sign in (-1, 1))
    ax = axes[key]
    ax.plot(series[begin - 60 : begin], color="black", linewidth=1)
    ax.fill_between(index, low, high, color="tab:blue", alpha=0.25, linewidth=0, label="95 %")
    ax.plot(index, batch.mean[which], color="tab:blue", label="mean forecast")
    ax.plot(index, truth[which], "k.-", linewidth=0.6, markersize=3, label="what came")
    ax.set(title=f"an origin that is lost after {lost[which]} steps", ylim=(-28, 28))
    ax.legend(frameon=False, ncols=3, loc="upper left")
axes["std"].semilogy(np.sqrt((error**2).mean(axis=0)), color="black", label="error (RMS)")
axes["std"].semilogy(np.sqrt((std**2).mean(axis=0)), color="tab:blue", label="error bar (RMS)")
axes["std"].set(xlabel="step", title=f"Errors and error bars, {len(origins)} origins")
axes["std"].legend(frameon=False)
axes["warn"].plot(warned, lost, "o", alpha=0.5, markersize=4)
axes["warn"].set(
    xlabel="step at which the error bar opens", ylabel="step at which it is lost",
    title="The error bars knew",
)  # fmt: skip
for ax in axes.values():
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
