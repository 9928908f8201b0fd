"""
A sparse model of ten thousand rows
===================================

The cost of a Gaussian process grows with the cube of its rows, so on a long series it can use only
a part of them. A sparse Gaussian process uses all rows, through a few inducing inputs. Its
posterior is of the same kind, so exact moments work as usual. On a noisy series, more rows improve
the forecast. What is printed below is of the shorter run
``--quick``.
"""

# %%
# A long noisy series
# -------------------

import sys
import time

import matplotlib.pyplot as plt
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
n = 3000 if QUICK else 10_000
series = gf.datasets.mackey_glass(n + 1000, normalise=True, noise_var=0.01, seed=4)
past = series.iloc[:n]

# %%
# Three models
# ------------
# The last 300 rows, 300 rows at random, and all rows through inducing inputs.

sparse = gf.models.SparseGaussianProcess(
    approximation="fitc", n_inducing=40 if QUICK else 80, optimise_inducing=False, seed=0
)
cases = {
    "GP, the last 300": (past.iloc[-316:], None, None),
    "GP, 300 at random": (past, None, 300),
    "sparse, all rows": (past, sparse, None),
}
rows, fitted, results = {}, {}, {}
for name, (seen, model, max_rows) in cases.items():
    begun = time.process_time()
    fc = gf.Forecaster(lags=16, transforms=None, model=model, max_rows=max_rows).fit(seen)
    seconds = time.process_time() - begun
    begun = time.process_time()
    results[name] = gf.backtest(fc, series, 60, 100)
    fitted[name] = fc
    average = results[name].summary()["average"]
    rows[name] = {
        "rows": fc.n_rows_,
        "fit (s)": seconds,
        "100 forecasts (s)": time.process_time() - begun,
        "mae": average["mae"],
        "nlpd": average["nlpd"],
        "coverage_95": average["coverage_95"],
    }
print(pd.DataFrame(rows).T.round(3).to_string())

# %%
# The forecasts
# -------------

fig, axes = plt.subplots(1, 2, figsize=(12, 4), layout="constrained", width_ratios=[1.6, 1])
forecast = fitted["sparse, all rows"].predict(60)
forecast.plot(ax=axes[0], truth=series.iloc[n : n + 60], n_history=90)
axes[0].set_title(f"{fitted['sparse, all rows'].n_rows_} rows, {sparse.n_inducing} inducing inputs")
curves = {name: result.scores for name, result in results.items()}
gf.plotting.step_panels(curves, ["mae"], axes=axes[1])
axes[1].set(title="Absolute error by step", ylabel="mean absolute error")
plt.show()
