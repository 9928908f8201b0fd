"""
Questions about several steps at once
=====================================

What will the total be? How likely is it that the series ever exceeds a limit? How long will a warm
spell last? The answers depend on the correlations between the errors of the steps. A forecast here
is one joint distribution, so it answers all of them. Intervals for single steps answer none.
"""

# %%
# Two years of sea-surface temperatures
# -------------------------------------

import matplotlib.pyplot as plt
import numpy as np

import gpforecast as gf

series = gf.datasets.load_elnino()
past, future = series.iloc[:-24], series.iloc[-24:]
forecast = gf.Forecaster(lags=[1, 2, 3]).fit(past).predict(24)
print(forecast)

# %%
# Means and differences
# ---------------------
# These are exact, from the covariance of all steps.

first_year = np.r_[np.full(12, 1 / 12), np.zeros(12)]
change = np.r_[np.full(12, -1 / 12), np.full(12, 1 / 12)]
for name, weights in {
    "mean of the first year": first_year,
    "second year less first": change,
}.items():
    answer = forecast.aggregate(weights)
    alone = np.sqrt(weights**2 @ forecast.var)
    print(f"{name}: {answer.mean:.2f} ± {answer.std:.2f} °C; if independent ± {alone:.2f}")
    print(f"  observed: {weights @ future:.2f}")

# %%
# Other questions, by sample paths
# --------------------------------

paths = forecast.sample(4000, seed=0)
season = past[-480:].groupby(past[-480:].index.month).mean()
anomaly = paths.sub(season.loc[paths.index.month].to_numpy(), axis=0)
warm = anomaly > 1.5
print(f"chance of a month 1.5 °C above normal: {warm.any().mean():.0%}")


def longest(flags):
    """Return the longest run of True in each column, (paths,)."""
    run = best = np.zeros(flags.shape[1], dtype=int)
    for row in flags:
        run = np.where(row, run + 1, 0)
        best = np.maximum(best, run)
    return best


spells = longest(warm.to_numpy())
shuffled = np.random.default_rng(0).permuted(warm.to_numpy(), axis=1)  # breaks the dependence
print(f"chance of six such months in a row: {np.mean(spells >= 6):.1%}")
print(f"  if months were independent: {np.mean(longest(shuffled) >= 6):.2%}")

fig = plt.figure(figsize=(11, 7.5), layout="constrained")
axes = fig.subplot_mosaic([["paths", "paths"], ["map", "spell"]])
gf.plotting.sample_paths(forecast, n=25, truth=future, ax=axes["paths"], n_history=60)
axes["paths"].set(title="25 sample paths", ylabel="°C")
gf.plotting.correlation_heat_map(forecast, ax=axes["map"])
axes["map"].set_title("Correlations between the errors of the months")
months = np.arange(0, 13)
for spell, label, color, shift in (
    (spells, "joint", "tab:blue", -0.2),
    (longest(shuffled), "as if independent", "tab:orange", 0.2),
):
    share = [(spell == m).mean() for m in months]
    axes["spell"].bar(months + shift, share, width=0.4, color=color, label=label)
axes["spell"].set(xlabel="months", ylabel="probability", title="The longest spell 1.5 °C too warm")
axes["spell"].legend(frameon=False)
axes["spell"].spines[["top", "right"]].set_visible(False)
plt.show()
