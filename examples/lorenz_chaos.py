"""
How far can chaos be forecast?
==============================

The series is one coordinate of the Lorenz equations, without noise. Every forecast is accurate for
some time and useless after it. How long depends on the position on the attractor where it begins.
Honest error bars show this in advance: they stay narrow as long as the forecast is accurate, and
widen where nearby paths diverge.
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


def lorenz(t, state):  # noqa: ARG001
    """Return the time derivatives of Lorenz (1963)."""
    x, y, z = state
    return [10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z]


step, n, n_train = 0.05, 1800, 900
times = 20 + step * np.arange(n)
path = solve_ivp(lorenz, (0, times[-1]), [1.0, 1.0, 1.0], t_eval=times, rtol=1e-9, atol=1e-9)
series = pd.Series(path.y[0], name="x")
lyapunov = 0.906 * step  # nats a step; the largest exponent of this attractor is 0.906 a time unit

# %%
# Lags with a stride, one length-scale
# ------------------------------------
# `choose_lags` compares sets of lags by forecasts from the past, and also suggests a model.

horizon = 140
choice = gf.lags.choose_lags(series[:n_train], horizon=80)
print(choice.reason)
forecaster = gf.Forecaster(
    list(choice.lags),
    transforms=None,
    model=choice.model,
    propagation="exact",
    noise="process",  # there is none, and nothing to compare
)
forecaster.fit(series[:n_train])

# %%
# Forecasts from many origins
# ---------------------------

origins = np.arange(n_train + 10, n - horizon, 40 if QUICK else 10)
batch = forecaster.predict_from(series, origins, horizon)
truth = series.to_numpy()[origins[:, None] + np.arange(horizon)]
error = np.abs(batch.mean - truth)
std = np.sqrt(batch.var)

lost = np.where((error > 4).any(axis=1), (error > 4).argmax(axis=1), horizon)
print(f"steps until the error passes 4, half a standard deviation: {np.median(lost):.0f}")
print(f"  that is {np.median(lost) * lyapunov:.1f} e-foldings of an error")
print(f"  by origin from {lost.min()} to {lost.max()} steps")
warned = np.where((std > 2).any(axis=1), (std > 2).argmax(axis=1), horizon)
both = np.corrcoef(lost, warned)[0, 1]
print(f"correlation with the step at which the error bar passes 2: {both:.2f}")

# %%
# The pictures
# ------------
# On average the error bars are larger than the errors, about ten times while both are tiny and
# twice at the end: a Gaussian replaces distributions that lie along the attractor.

fig = plt.figure(figsize=(11, 8), layout="constrained")
axes = fig.subplot_mosaic([["short", "short"], ["long", "long"], ["std", "warn"]])
for key, which in (("short", lost.argmin()), ("long", lost.argmax())):
    begin = origins[which]
    index = np.arange(begin, begin + horizon)
    low, high = (batch.mean[which] + sign * 1.96 * std[which] for sign in (-1, 1))
    ax = axes[key]
    ax.plot(series[begin - 60 : begin], color="black", linewidth=1)
    ax.fill_between(index, low, high, color="tab:blue", alpha=0.25, linewidth=0, label="95 %")
    ax.plot(index, batch.mean[which], color="tab:blue", label="mean forecast")
    ax.plot(index, truth[which], "k.-", linewidth=0.6, markersize=3, label="observed")
    ax.set(title=f"a forecast that is accurate for {lost[which]} steps", ylim=(-28, 28))
    ax.legend(frameon=False, ncols=3, loc="upper left")
axes["std"].semilogy(np.sqrt((error**2).mean(axis=0)), color="black", label="error (RMS)")
axes["std"].semilogy(np.sqrt((std**2).mean(axis=0)), color="tab:blue", label="error bar (RMS)")
axes["std"].set(xlabel="step", title=f"Errors and error bars, {len(origins)} origins")
axes["std"].legend(frameon=False)
axes["warn"].plot(warned, lost, "o", alpha=0.5, markersize=4)
axes["warn"].set(
    xlabel="step at which the error bar passes 2", ylabel="step at which the error passes 4",
    title="Error bars show the errors in advance",
)  # fmt: skip
for ax in axes.values():
    ax.spines[["top", "right"]].set_visible(False)
plt.show()
