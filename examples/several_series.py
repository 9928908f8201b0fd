"""
Several series together
=======================

New orders lead output by some months, along a curve. Forecast together, output follows the orders
that are already there, and what is assumed of one series changes the other.
"""

# %%
# A pair of series
# ----------------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

rng = np.random.default_rng(0)
N, LAG = 220, 4
orders = np.zeros(N)
for t in range(1, N):
    orders[t] = 0.85 * orders[t - 1] + rng.standard_normal()
output = 20 + 2 * np.tanh(np.roll(orders, LAG)) + 0.25 * rng.standard_normal(N)
index = pd.period_range("2005-01", periods=N - LAG, freq="M")
frame = pd.DataFrame({"orders": orders[LAG:], "output": output[LAG:]}, index)
known, later = frame[:-12], frame[-12:]

forecaster = gf.VectorForecaster().fit(known)
print(forecaster.inputs_["output"])
f = forecaster.predict(12)

# %%
# The joint forecast
# ------------------
# The first months of output are nearly known: their orders have come in.

f.plot(truth=later, n_history=48)

# %%
# Beside output by itself
# -----------------------

alone = gf.Forecaster().fit(known["output"]).predict(12)
table = {"together": f["output"].score(later["output"]), "alone": alone.score(later["output"])}
print(pd.DataFrame(table).round(3))

# %%
# Correlated errors
# -----------------
# An error of orders comes back in output four months later.

f.plot_correlations()

# %%
# What if orders rise, or fall?
# -----------------------------

month = f.index[3]
scenarios = {
    "as it is": f["output"],
    "orders at 4": f.given({"orders": {month: 4.0}})["output"],
    "orders at -4": f.given({"orders": {month: -4.0}})["output"],
}
gf.plotting.scenarios(scenarios, n_history=24)
plt.show()
