"""
A folded forecast: one Gaussian, a mixture, and paths
=====================================================

A chaotic map stretches what is not known of a value, and then folds it. After a few steps the
distribution of the next value has several peaks. One Gaussian cannot follow it: its tails reach
where the map was never seen, and from there the forecast goes wrong. ``propagation="mixture"``
takes as many Gaussians as it needs, and the default, ``"auto"``, notices the fold and takes paths.
:doc:`/explanation/folded_maps` has the derivation.
"""

# %%
# The logistic map
# ----------------
# A Gaussian process with one lag learns 200 values of the logistic map, measured with a little
# noise. Each panel shows the density of the last value of a forecast: as paths have it, as one
# Gaussian, and as a mixture.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

GREY, BLUE, RED = "#c9ced6", "#0072b2", "#d55e00"
N_PATHS = 4000 if "--quick" in sys.argv else 20_000
STEPS = 6, 7, 8, 9, 10, 14


def logistic(n: int) -> np.ndarray:
    """Return noisy values of the logistic map."""
    x = np.full(n, 0.3)
    for t in range(1, n):
        x[t] = 3.9 * x[t - 1] * (1.0 - x[t - 1])
    return x + 0.002 * np.random.default_rng(0).standard_normal(n)


series = logistic(500)
fc = gf.Forecaster([1], transforms=None, noise="process").fit(series[:200])
paths = fc.predict(max(STEPS), propagation=gf.propagation.MonteCarlo(N_PATHS, seed=0)).paths


def density(forecast: gf.Forecast, y: np.ndarray) -> np.ndarray:
    """Return the density of the last step at some values y."""
    last = forecast.distribution.over(np.array([forecast.horizon - 1]))
    return np.exp([-last.nlpd(np.array([value]))[0] for value in y])


y = np.linspace(-0.3, 1.3, 600)
fig, axes = plt.subplots(2, 3, figsize=(10, 5.5), layout="constrained", sharex=True)
for ax, step in zip(axes.flat, STEPS, strict=True):
    heights = ax.hist(paths.iloc[step - 1], bins=y[::6], density=True, color=GREY, label="paths")[0]
    for name, method, color in (("one Gaussian", "exact", RED), ("mixture", "mixture", BLUE)):
        values = density(fc.predict(step, propagation=method), y)
        ax.plot(y, values, color=color, linewidth=1.8, label=name)
    ax.set(title=f"step {step}", yticks=[], xlim=(y[0], y[-1]), ylim=(0, 1.1 * heights.max()))
    ax.spines[["left", "right", "top"]].set_visible(False)
handles = axes[0, 0].get_legend_handles_labels()
fig.legend(*handles, loc="outside lower center", ncols=3, frameon=False)

# %%
# What the library says
# ---------------------
# Exact moments note where one Gaussian is not to be trusted. ``"auto"`` looks at the same signs and
# goes over to paths; the forecast is named by what was done.

print(*fc.predict(20, propagation="exact").notes, sep="\n")
auto = fc.predict(20)
print(auto.propagation, *auto.notes, sep="\n")

# %%
# Two values at once
# ------------------
# All methods return the joint distribution of the horizon. Of the Hénon map, here is that of the
# last two values of three forecasts: paths as points, and the parts of the mixture as ellipses that
# hold 90 % each, the darker the more weight. The outline in the first panel is the one Gaussian of
# exact moments; two steps later it is larger than the frame.


def henon(n: int) -> np.ndarray:
    """Return noisy values of the Hénon map."""
    x = np.zeros(n + 100)
    for t in range(2, len(x)):
        x[t] = 1.0 - 1.4 * x[t - 1] ** 2 + 0.3 * x[t - 2]
    return x[100:] + 0.02 * np.random.default_rng(0).standard_normal(n)


def ellipse(two: gf.results.Distribution) -> np.ndarray:
    """Return the outline of the region that holds 90 % of a Gaussian, (100, 2)."""
    angle = np.linspace(0.0, 2.0 * np.pi, 100)
    circle = np.sqrt(2.0 * np.log(10.0)) * np.column_stack([np.cos(angle), np.sin(angle)])
    return two.mean + circle @ np.linalg.cholesky(two.covariance).T


past = henon(300)
folded = gf.Forecaster([1, 2], transforms=None, noise="process").fit(past)
points = folded.predict(11, propagation=gf.propagation.MonteCarlo(4000, seed=0)).paths
fig, axes = plt.subplots(1, 3, figsize=(10, 3.9), layout="constrained", sharex=True, sharey=True)
for ax, step in zip(axes, (4, 6, 10), strict=True):
    pair = np.array([step - 1, step])
    mixture = folded.predict(step + 1, propagation="mixture").distribution.over(pair)
    for part, weight in zip(mixture.parts, mixture.weights, strict=True):
        ax.fill(*ellipse(part).T, color=BLUE, alpha=min(0.6, 0.1 + 2.0 * weight), linewidth=0)
    ax.plot(*points.iloc[pair].to_numpy(), ".", color="0.1", markersize=2, alpha=0.3, mew=0)
    ax.set(xlabel=f"step {step}", ylabel=f"step {step + 1}", xlim=(-2, 2), ylim=(-2, 2))
gaussian = folded.predict(5, propagation="exact").distribution.over(np.array([3, 4]))
axes[0].plot(*ellipse(gaussian).T, color=RED)

# %%
# Scores
# ------
# Forecasts of 20 steps of the logistic map from 40 later origins.

COLUMNS = ["mae", "crps", "nlpd", "coverage_95"]
scores = {}
for method in (gf.propagation.MonteCarlo(300, seed=0), "exact", "mixture", "auto"):
    result = gf.backtest(fc, series, 20, origins=40, seed=0, propagation=method)
    scores[result.propagation] = result.scores.loc[7:, COLUMNS].mean()
print("averages of steps 7 to 20", pd.DataFrame(scores).T.round(3), sep="\n")
plt.show()
