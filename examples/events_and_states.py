"""
Warm, neutral or cold: probabilities of states
==============================================

The surface of the Pacific off Peru is warmer or colder than usual for months on end. What is
forecast here is not the temperature but its band: ``EventForecaster`` learns the probability of
each class from those of the months before, and feeds them back.
"""

# %%
# A series of ordered states
# --------------------------

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
sea = gf.datasets.load_elnino()
anomaly = sea - sea.groupby(sea.index.month).transform("mean")
states = pd.cut(anomaly, [-np.inf, -0.5, 0.5, np.inf], labels=["cold", "neutral", "warm"])
print(states.value_counts(sort=False))

# %%
# From the cold and from the warm
# -------------------------------
# The probabilities start from the state of the last months and come near to the long-run shares
# within a year or two. The squares above are the observed
# states.

forecaster = gf.EventForecaster(lags=4)
fig, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained")
for ax, last in zip(axes, ("1982-09", "1988-07"), strict=True):
    past, future = states[:last], states[last:].iloc[1:13]
    forecast = forecaster.fit(past).predict(12)
    forecast.plot(ax=ax, truth=future, n_history=36)
    ax.set_title(f"from {last} on: log score {forecast.score(future)['log_score']:.2f}")
    print(f"\n{last}\n{forecast.to_frame().iloc[[0, 5, 11]].round(3)}")

# %%
# Questions about several steps
# -----------------------------
# Paths are drawn jointly, so that any question about the horizon is a share of them.

paths = forecast.sample(2000, seed=0)
warm, cold = paths == "warm", paths == "cold"
print(f"a warm month within the year      {warm.any().mean():.2f}")
print(f"six cold months or more           {(cold.sum() >= 6).mean():.2f}")
print(f"cold without a break to the end   {cold.all().mean():.2f}")

# %%
# Ways to feed classes back
# -------------------------
# Enumeration follows every past that matters, exactly. Moments of the indicators take a Gaussian
# for them, at a cost that does not grow with the number of pasts. Paths are sampled.

drawn = gf.propagation.MonteCarlo(n_paths=4000, seed=0)
table = {}
for name, method in {"enumerate": "enumerate", "exact": "exact", "monte_carlo": drawn}.items():
    forecaster.propagation = method
    table[name] = forecaster.predict(12).probabilities["cold"]
print(pd.DataFrame(table).iloc[[0, 1, 5, 11]].round(3))

# %%
# Are the probabilities right?
# ----------------------------
# A backtest trains on the first half and forecasts from origins in the second.

forecaster.propagation = "auto"
result = forecaster.backtest(states, horizon=6, origins=60 if QUICK else 200)
print(result.scores.round(3))
early, late = result.probabilities[:, 0], result.truth[:, 0]
print("\nwarm, one month ahead")
print(gf.scores.reliability(late == 2, early[:, 2], n_bins=4).round(2))
plt.show()
