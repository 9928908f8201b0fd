"""
One map along the forecast
==========================

A model learned from few rows is uncertain about the map from past values to the next one. That map
does not change while it is iterated: where it is wrong, it stays wrong, and its errors add up. If
every step is given a map of its own, as in the literature, the errors average out, and the error
bars become too narrow.

Both forecasts below come from the same Gaussian process, learned from 80 values of an oscillation
that noise drives.
"""

# %%
# Two forecasts of one model
# --------------------------

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

N, HORIZON = 80, 40


def oscillation(seed: int, n: int = 400) -> np.ndarray:
    """Return a noisy oscillation whose amplitude limits itself."""
    rng = np.random.default_rng(seed)
    z = np.zeros(n + 50)
    for t in range(2, len(z)):
        pull = 1.9 - 0.15 * min(z[t - 1] ** 2, 9.0)
        z[t] = pull * z[t - 1] - 0.95 * z[t - 2] + 0.05 * rng.standard_normal()
    return z[50:]


def learned(series: np.ndarray) -> gf.Forecaster:
    """Return a forecaster that knows the first values."""
    model = gf.models.GaussianProcess()
    return gf.Forecaster(3, transforms=None, model=model, noise="process").fit(series[:N])


methods = {
    "one function": gf.propagation.ExactMoments(),
    "a new one at each step": gf.propagation.ExactMoments(function="step"),
}
series = oscillation(seed=0)
forecaster = learned(series)
fig, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained", sharex=True, sharey=True)
for ax, (name, method) in zip(axes, methods.items(), strict=True):
    forecast = forecaster.predict(HORIZON, propagation=method)
    forecast.plot(ax=ax, truth=series[N : N + HORIZON], n_history=30)
    ax.set_title(name)

# %%
# Coverage over twelve series
# ---------------------------
# One truth may lie anywhere in its band. So the same is done with twelve series of other noise,
# each with a model of its own and forecasts from fifteen origins, and the 95 % intervals are
# counted.

held = {name: np.zeros(HORIZON) for name in methods}
for seed in range(12):
    series = oscillation(seed)
    forecaster = learned(series)
    for name, method in methods.items():
        result = gf.backtest(forecaster, series, HORIZON, origins=15, propagation=method)
        held[name] += result.scores["coverage_95"].to_numpy() / 12

fig, ax = plt.subplots(figsize=(9, 3.5), layout="constrained")
for name, curve in held.items():
    ax.plot(np.arange(1, HORIZON + 1), curve, label=f"{name}: {curve.mean():.3f} on average")
ax.axhline(0.95, color="0.5", linestyle=":")
ax.set_xlabel("step")
ax.set_ylabel("held by 95 % intervals")
ax.legend()
plt.show()
