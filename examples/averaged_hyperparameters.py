"""
Three dozen values: averaging over hyperparameters
==================================================

With a few dozen rows, the hyperparameters are uncertain. Maximum likelihood uses one estimate of
each, and the error bars are too narrow. A weak prior keeps the estimates from extremes.
``AveragedGP`` averages forecasts over the posterior of the hyperparameters.
"""

# %%
# Many short windows of one series
# --------------------------------
# A model is trained on each window alone and forecasts the next values.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
n, horizon, n_windows = 36, 12, 10 if QUICK else 40
series = gf.datasets.mackey_glass(9000, period=3, normalise=True, noise_var=0.05, seed=0)
begins = np.linspace(0, len(series) - n - horizon, n_windows).astype(int)

models = {
    "maximum likelihood": gf.models.GaussianProcess(),
    "weak prior": gf.models.GaussianProcess(prior="weak"),
    "averaged": gf.models.AveragedGP(n_draws=16, seed=0),
}
pits = {name: [] for name in models}
losses = {name: [] for name in models}
examples = {}
for begin in begins:
    past = series.iloc[begin : begin + n]
    future = series.iloc[begin + n : begin + n + horizon]
    for name, model in models.items():
        forecast = gf.Forecaster(lags=8, transforms=None, model=model).fit(past).predict(horizon)
        joint = forecast.distribution
        pits[name].append(joint.pit(future.to_numpy()))
        losses[name].append(
            forecast.score(future)[["mae", "crps", "nlpd", "coverage_80", "coverage_95"]]
        )
        examples.setdefault(name, (forecast, future))

# %%
# Scores over all windows
# -----------------------

print(pd.DataFrame({name: pd.DataFrame(rows).mean() for name, rows in losses.items()}).round(3))

fig = plt.figure(figsize=(12, 6.5), layout="constrained")
axes = fig.subplot_mosaic([["a", "b", "c"], ["coverage", "coverage", "reliability"]])
for key, (name, (forecast, future)) in zip("abc", examples.items(), strict=True):
    forecast.plot(ax=axes[key], truth=future, levels=(80, 95))
    axes[key].set(title=name, ylim=(-4.5, 4.5))
    if key != "a":
        axes[key].get_legend().remove()
named = {name: np.array(values) for name, values in pits.items()}
for name, values in named.items():
    held = (np.abs(2 * values - 1) < 0.95).mean(axis=0)
    axes["coverage"].plot(range(1, horizon + 1), held, "o-", label=name)
axes["coverage"].axhline(0.95, color="0.4", linewidth=0.9, linestyle="--")
axes["coverage"].set(xlabel="step", title=f"Coverage of 95 % intervals, {n_windows} windows")
axes["coverage"].set_ylim(0.5, 1.02)
axes["coverage"].legend(frameon=False)
axes["coverage"].spines[["top", "right"]].set_visible(False)
colors = ("tab:blue", "tab:orange", "tab:green")  # as on the left
gf.plotting.reliability(named, ax=axes["reliability"], colors=colors)
axes["reliability"].get_legend().remove()
axes["reliability"].set_title("Reliability")
plt.show()
