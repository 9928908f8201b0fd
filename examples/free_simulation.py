"""
Free simulation: a learned model of a driven process
====================================================

System identification learns a process from its inputs and outputs. Free simulation then runs the
model on new inputs alone: each output is predicted from the model's own earlier ones. Errors
accumulate, and so should the error bars. Here the process is an oscillator with a hardening spring,
driven by a random input. The model is a Gaussian process on three past outputs and three past
inputs.
"""

# %%
# The process
# -----------

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import gpforecast as gf

QUICK = "--quick" in sys.argv
rng = np.random.default_rng(0)
n, n_train = 700, 200 if QUICK else 400


def oscillator(u):
    """Return the outputs of a hardening spring with friction, half-implicit Euler steps."""
    y, v = np.zeros(len(u)), 0.0
    for t in range(1, len(u)):
        v += 0.3 * (u[t - 1] - 0.25 * v - y[t - 1] - 0.8 * y[t - 1] ** 3)
        y[t] = y[t - 1] + 0.3 * v
    return y


push = np.repeat(rng.uniform(-1.5, 1.5, n // 10 + 1), 10)[:n]  # a new level every ten steps
inputs = pd.DataFrame({"push": push})
clean = oscillator(push)
y = pd.Series(clean + 0.02 * rng.standard_normal(n), name="position")

# %%
# Learn from the first part, simulate the second
# ----------------------------------------------
# ``start`` holds the outputs for the first lags. No other measured output is used.

fc = gf.Forecaster(lags=3, exog_lags=[1, 2, 3]).fit(y[:n_train], exog=inputs[:n_train])
here = inputs[n_train:].reset_index(drop=True)
observed = y[n_train:].reset_index(drop=True)
run = fc.simulate(here[:250], start=observed[:3])
straight = gf.Forecaster(lags=3, exog_lags=[1, 2, 3], model=gf.models.LinearAR())
straight.fit(y[:n_train], exog=inputs[:n_train])
linear = straight.simulate(here[:250], start=observed[:3])

truth = observed[3:250]
for name, answer in {"Gaussian process": run, "linear model (ARX)": linear}.items():
    score = answer.score(truth)
    print(f"{name}: RMSE {score['rmse']:.3f}, 95 % intervals hold {score['coverage_95']:.0%}")

# %%
# What it looks like
# ------------------
# The linear model cannot describe the hardening, so it misses the large swings. The noise here
# is measurement noise, but an autoregression treats it as noise that drives the process, and
# accumulates it.

fig, (top, middle, bottom) = plt.subplots(
    3, 1, figsize=(10, 7), sharex=True, height_ratios=[1, 2, 2], layout="constrained"
)
top.step(here.index[:250], here["push"][:250], where="post", color="0.4")
top.set(ylabel="push", title="The input")
for ax, answer, name, color in (
    (middle, run, "Gaussian process", "tab:blue"),
    (bottom, linear, "linear model", "tab:orange"),
):
    band = answer.interval(0.95)
    ax.fill_between(
        band.index, band["lower"], band["upper"], color=color, alpha=0.25, linewidth=0,
        label="95 %",
    )  # fmt: skip
    ax.plot(answer.mean, color=color, label="simulated")
    ax.plot(truth, color="black", linewidth=0.8, label="measured")
    ax.set(title=name, ylabel="position", ylim=(-1.9, 1.9))
    ax.legend(frameon=False, ncols=3, loc="upper right")
for ax in (top, middle, bottom):
    ax.spines[["top", "right"]].set_visible(False)
bottom.set_xlabel("step of the simulation")
plt.show()
