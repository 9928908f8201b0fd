"""
Many short series: one model each, or one for all
=================================================

Forty series of thirty values, all from the same process, each with its own level and scale.
``forecast_panel`` takes them as one long table. With ``mode="local"`` each series has its own
model, trained on about twenty rows. With ``mode="global"`` one model is trained on the rows of all
series. What is printed below is of the shorter run
``--quick``.
"""

# %%
# A long table
# ------------
# One row for each series and time: the columns ``unique_id``, ``ds`` and ``y``.

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
n_series, n, horizon = (12 if QUICK else 40), 30, 10
rng = np.random.default_rng(0)
source = gf.datasets.mackey_glass(20_000, period=3, normalise=True, seed=0).to_numpy()

tables = []
for i in range(n_series):
    begin = rng.integers(len(source) - n - horizon)
    level, scale = rng.uniform(10, 100), rng.uniform(1, 20)
    y = source[begin : begin + n + horizon] + 0.05 * rng.standard_normal(n + horizon)
    days = pd.date_range("2026-01-01", periods=n + horizon, freq="D")
    tables.append(pd.DataFrame({"unique_id": f"s{i:02d}", "ds": days, "y": level + scale * y}))
table = pd.concat(tables, ignore_index=True)
is_past = table["ds"] < "2026-01-31"
past, future = table[is_past], table[~is_past]

# %%
# Two calls
# ---------

forecaster = gf.Forecaster(lags=8, transforms=None)
panels = {
    mode: gf.forecast_panel(past, horizon, forecaster=forecaster, mode=mode, levels=[95], n_jobs=1)
    for mode in ("local", "global")
}
print(panels["global"])

spread = past.groupby("unique_id")["y"].std()
rows = {}
for mode, panel in panels.items():
    both = panel.frame.merge(future, on=["unique_id", "ds"])
    scale = both["unique_id"].map(spread)
    rows[mode] = {
        "error, in standard deviations": ((both["y"] - both["mean"]).abs() / scale).mean(),
        "coverage of 95 %": gf.scores.coverage(both["y"], both["lo-95"], both["hi-95"]),
        "width of 95 %, in standard deviations": ((both["hi-95"] - both["lo-95"]) / scale).mean(),
    }
print(pd.DataFrame(rows).T.round(3).to_string())

# %%
# Four of them
# ------------

fig, axes = plt.subplots(2, 4, figsize=(13, 5), sharex=True, layout="constrained")
for row, (mode, panel) in zip(axes, panels.items(), strict=True):
    for ax, name in zip(row, spread.index[:4], strict=True):
        frame = panel.frame.query("unique_id == @name").set_index("ds")
        seen = past.query("unique_id == @name").set_index("ds")["y"]
        came = future.query("unique_id == @name").set_index("ds")["y"]
        ax.fill_between(frame.index, frame["lo-95"], frame["hi-95"], alpha=0.25, linewidth=0)
        ax.plot(seen, color="black", linewidth=1)
        ax.plot(frame["mean"], color="tab:blue")
        ax.plot(came, "k.", markersize=4)
        ax.set_title(f"{name}, {mode}")
        ax.tick_params(axis="x", rotation=45)
        ax.spines[["top", "right"]].set_visible(False)
plt.show()
