"""
Honest error bars on a chaotic series
=====================================

Three hundred values of the Mackey-Glass series with a little measurement noise, and a forecast of
the next hundred. A chaotic series can be forecast well for some time and then hardly at all. A good
forecast shows where the one ends and the other begins.
"""

# %%
# A series and a forecast
# -----------------------
# The one-step model is a Gaussian process on the last 16 values. Each predicted distribution is
# fed back as an uncertain input, with exact moments.

import matplotlib.pyplot as plt

import gpforecast as gf

series = gf.datasets.mackey_glass(400, normalise=True, noise_var=1e-3, seed=3)
past, future = series[:300], series[300:]

forecaster = gf.Forecaster(lags=16).fit(past)
forecast = forecaster.predict(horizon=100)
print(forecast)

fig, ax = plt.subplots(figsize=(9, 4), layout="constrained")
forecast.plot(ax=ax, truth=future, n_history=150)
ax.set_title("100 steps of Mackey-Glass, exact moments")

# %%
# Four ways to propagate uncertainty
# ----------------------------------
# Four forecasts of the same fitted model. The naive method treats every mean as an observation: its
# band stays as narrow as one step ahead, and the truth leaves it.

methods = {
    "exact moments": gf.propagation.ExactMoments(),
    "Taylor": gf.propagation.Taylor(),
    "naive": gf.propagation.Naive(),
    "one function a path": gf.propagation.MonteCarlo(500, "function", seed=0),
}
fig, axes = plt.subplots(2, 2, figsize=(11, 6), sharex=True, sharey=True, layout="constrained")
for ax, (name, method) in zip(axes.flat, methods.items(), strict=True):
    answer = forecaster.predict(100, propagation=method)
    answer.plot(ax=ax, truth=future, n_history=40, levels=(80, 95))
    score = answer.score(future)
    ax.set_title(f"{name}: NLPD {score['nlpd']:.2f}, 95 % band holds {score['coverage_95']:.0%}")
    if ax is not axes[0, 0]:
        ax.get_legend().remove()

# %%
# The horizon is one joint distribution
# -------------------------------------
# Steps are correlated. So sample paths are smooth, and the error bar of a total differs from that
# of independent steps.

total = forecast.sum()
independent = forecast.var.sum() ** 0.5
print(f"total over 100 steps: {total.mean:.1f} ± {total.std:.1f}")
print(f"if the steps were independent: ± {independent:.1f}")

fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
paths = forecast.sample(30, seed=0)
left.plot(paths, color="tab:blue", alpha=0.3, linewidth=0.8)
left.plot(future, color="black", label="observed")
left.set_title("30 sample paths")
left.legend(frameon=False)

std = forecast.std.to_numpy()
correlation = forecast.covariance.to_numpy() / std[:, None] / std
image = right.imshow(correlation, cmap="RdBu_r", vmin=-1, vmax=1, extent=(0.5, 100.5, 100.5, 0.5))
right.set(title="correlation between steps", xlabel="step", ylabel="step")
fig.colorbar(image, ax=right)
plt.show()
